// A process with five calls that end while the database is away; it kills itself at one step of its spool. Arguments: data
// directory, database address (empty for SQLite), user id, step. Prints each step; a line on its input lets it go on.
import { writeSync } from 'node:fs';
import { openLedger } from '#server/money/ledger/open-ledger.ts';
import { localDisk } from '#server/money/ledger/spool-file.ts';
import { openStore } from '#server/platform/store/store.ts';
import { outcome, reserve } from './world.ts';

const [dataDir = '', databaseUrl = '', userText = '', failing = ''] = process.argv.slice(2);
const userId = Number(userText);
const say = (word: string) => writeSync(1, `${word}\n`);
const input = console[Symbol.asyncIterator]();
let stage: 'start' | 'append' | 'drain' = 'start';

let settled = 0;

/**
 * Kills while the third call ends, or in the first drain. It counts calls, not writes: on a busy machine the reserve of the
 * file, begun at the start, may be written during the first calls.
 */
function pass(step: string): void {
  if (`${stage} ${step}` !== failing || (stage === 'append' && settled < 2)) return;
  process.kill(process.pid, 'SIGKILL');
}

const { open } = localDisk;
localDisk.open = async (path) => {
  const handle = await open(path);
  return {
    async read(...values: Parameters<typeof handle.read>) {
      const result = await handle.read(...values);
      pass('after read');
      return result;
    },
    async write(...values: Parameters<typeof handle.write>) {
      pass('before write');
      return handle.write(...values);
    },
    async datasync() {
      pass('before sync');
      await handle.datasync();
      pass('after sync');
    },
    truncate: handle.truncate.bind(handle),
    close: handle.close.bind(handle),
  } as typeof handle;
};

const writerEntry = new URL('faulty-writer.ts', import.meta.url);
const store = await openStore({ dataDir, databaseUrl: databaseUrl || undefined, writerEntry, onFault() {} });
const ledger = await openLedger({
  store,
  nodeId: 'spooling',
  dataDir,
  version: 'test',
  silenceSeconds: 1,
  onAlert: ({ kind }) => say(kind),
});
const ids = Array.from({ length: 5 }, (_, index) => `call-${index}`);
for (const requestId of ids) await reserve(ledger, userId, 0, 500, { requestId });
say('reserved');
await input.next();
stage = 'append';
for (const id of ids) {
  await ledger.settle(id, outcome(321));
  settled += 1;
  say(`settled ${id}`);
}
stage = 'drain';
say('spooled');
await input.next();
await ledger.close();
await store.close();
process.exit(0);
