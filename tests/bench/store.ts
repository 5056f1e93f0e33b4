// The cost of the group commit alone: operations per second at 64 in flight, latency, and CPU of the calling thread and
// of the whole process. `bun tests/bench/store.ts [operations]`.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '#server/platform/store/store.ts';

const operations = Number(process.argv[2] ?? 100_000);
const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-bench-'));
const store = await openStore({
  dataDir,
  writerEntry: new URL('../support/writer-entry.ts', import.meta.url),
});
if (store.dialect !== 'sqlite') throw new Error('this bench is about the SQLite writer');
const { writer } = store;

/** About the size of a reservation. */
const snapshot = { ratio: 1.25, group: 1, completion: 4, version: 12, model: 'gpt-4o-mini' };
const args = ['req_3f9c2b7a1d4e', 17, 42, 1500, 1_754_900_000, 'default', 0, JSON.stringify(snapshot)];

async function measure(
  name: string,
  inFlight: number,
  count: number,
  work: (index: number) => Promise<unknown>,
) {
  const latencies = new Float64Array(count);
  let next = 0;
  const process0 = process.cpuUsage();
  const thread0 = process.threadCpuUsage();
  const started = performance.now();
  const caller = async () => {
    while (next < count) {
      const index = next++;
      const asked = performance.now();
      await work(index);
      latencies[index] = performance.now() - asked;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, caller));
  const seconds = (performance.now() - started) / 1000;
  const thread = process.threadCpuUsage(thread0);
  const all = process.cpuUsage(process0);
  latencies.sort();
  const at = (share: number) =>
    `${(latencies[Math.min(count - 1, Math.floor(count * share))] ?? 0).toFixed(2)} ms`;
  console.log(
    [
      name.padEnd(28),
      `${Math.round(count / seconds)} op/s`.padStart(14),
      `${((thread.user + thread.system) / count).toFixed(1)} µs/op caller`.padStart(20),
      `${((all.user + all.system) / count).toFixed(1)} µs/op process`.padStart(20),
      `p50 ${at(0.5)}  p99 ${at(0.99)}  max ${at(1)}`,
    ].join('  '),
  );
}

for (let round = 0; round < 2; round++) {
  await measure('empty procedure, 64 at once', 64, operations, () => writer.run('batch.results', args));
  await measure('one row written, 64 at once', 64, operations, (index) =>
    writer.run('option.put', [`${round}-${index}`, JSON.stringify(snapshot)]),
  );
  await measure('one row written, 1 at once', 1, Math.min(operations, 3000), (index) =>
    writer.run('option.put', [`${index % 500}`, JSON.stringify({ ...snapshot, version: index })]),
  );
  await measure('one row read, 64 at once', 64, Math.min(operations, 30_000), () =>
    store.db.selectFrom('options').selectAll().where('key', '=', '7').executeTakeFirst(),
  );
}
await store.close();
rmSync(dataDir, { recursive: true, force: true });
