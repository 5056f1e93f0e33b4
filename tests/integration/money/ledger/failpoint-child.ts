// One call that prints each step after it was acknowledged; the writer thread kills the process at FAILPOINT. Arguments: data
// directory, user id, token id, plan (`release`, `settle`, `dispatch` or `extend`), place of the hold (`row` or `memory`).
import { writeSync } from 'node:fs';
import { openLedger } from '#server/money/ledger/open-ledger.ts';
import { openStore } from '#server/platform/store/store.ts';
import { outcome, reserve } from './world.ts';

const [dataDir = '', userText = '', tokenText = '', plan = '', place = ''] = process.argv.slice(2);
const userId = Number(userText);
const tokenId = Number(tokenText);
const store = await openStore({
  dataDir,
  writerEntry: new URL('failpoint-writer.ts', import.meta.url),
});
const ledger = await openLedger({ store, nodeId: 'failing', dataDir, version: 'test' });
const say = (word: string) => writeSync(1, `${word}\n`);

if (place === 'memory') {
  // The writer admits the first call and returns the balance, so the next hold is taken in memory. The first call never
  // ends; the next start releases it.
  await reserve(ledger, userId, tokenId, 10, { requestId: 'the-first' });
}
await reserve(ledger, userId, tokenId, 500, { requestId: 'the-call' });
say('reserved');
if (plan === 'extend') {
  await ledger.extend('the-call', 100);
  say('extended');
}
if (plan === 'dispatch') {
  ledger.dispatched('the-call', { quota: 120, promptTokens: 60, completionTokens: 5, channelId: 7 });
  const isWritten = async () => {
    const rows = await store.db.selectFrom('holds').selectAll().where('id', '=', 'the-call').execute();
    return rows.some((row) => row.checkpoint_quota === 120);
  };
  while (!(await isWritten())) await Bun.sleep(20);
  // A failpoint after the commit kills the process a moment after the row is visible.
  await Bun.sleep(600);
  say('dispatched');
}
const failure = { channelId: 7, modelName: 'gpt-4o', useTimeMs: 5 };
if (plan === 'release') await ledger.release('the-call', failure);
else await ledger.settle('the-call', outcome(321));
say('ended');
await ledger.close();
await store.close();
process.exit(0);
