// The process that the crash tests kill: it reserves and settles as fast as it can and prints each acknowledged charge.
// Arguments: data directory, database address or '', user id, token id, a name for this run, a subscription id or ''.
import { writeSync } from 'node:fs';
import { openLedger } from '#server/money/ledger/open-ledger.ts';
import { openStore } from '#server/platform/store/store.ts';
import { applicationWriter } from '#tests/support/databases.ts';
import { outcome, reserve } from './world.ts';

const [dataDir = '', databaseUrl = '', userText = '', tokenText = '', run = '', planText = ''] =
  process.argv.slice(2);
const userId = Number(userText);
const tokenId = Number(tokenText);
const plans = planText === '' ? undefined : { ids: [Number(planText)], isPlanFirst: true, isRequired: false };
const started = performance.now();
const used = process.cpuUsage();
const store = await openStore({
  dataDir,
  databaseUrl: databaseUrl || undefined,
  writerEntry: applicationWriter,
});
const ledger = await openLedger({ store, nodeId: 'crashing', dataDir, version: 'test' });
const { user, system } = process.cpuUsage(used);
// On a busy machine the start waits for the processor, so the time it computes counts.
writeSync(1, `ready ${Math.round(Math.min(performance.now() - started, (user + system) / 1000))}\n`);

let next = 0;
async function call(): Promise<void> {
  const index = next;
  next += 1;
  const requestId = `${run}-${index}`;
  const { admission } = await reserve(ledger, userId, tokenId, 200, { requestId, plans });
  if (!admission.ok) throw new Error(admission.reason);
  const charge = 1 + ((index * 7919) % 190);
  const checkpoint = { quota: charge, promptTokens: 10, completionTokens: 1, channelId: 7 };
  if (index % 3 === 0) ledger.dispatched(requestId, checkpoint);
  if (index % 5 === 0) await Bun.sleep(index % 40);
  if (index % 11 === 0) {
    await ledger.release(requestId);
    writeSync(1, `released ${requestId}\n`);
    return;
  }
  const { charged } = await ledger.settle(requestId, outcome(charge));
  writeSync(1, `charged ${requestId} ${charged}\n`);
}

async function caller(): Promise<never> {
  for (;;) await call();
}
await Promise.all(Array.from({ length: 16 }, caller));
