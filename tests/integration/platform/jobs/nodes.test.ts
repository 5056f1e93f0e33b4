// The lease of a cluster job between real processes: kept while its owner runs, taken over when the owner was killed,
// and lost by an owner that was paused too long.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createLog } from '#server/platform/log.ts';
import { createScheduler, type Scheduler } from '#server/app/jobs/index.ts';
import { openStore, type Store } from '#server/platform/store/store.ts';
import { applicationWriter, temporaryPlace, type TemporaryPlace } from '#tests/support/databases.ts';
import { failure } from '#tests/support/failure.ts';
import { LEASE_SECONDS, nodeJob } from './node-job.ts';

setDefaultTimeout(60_000);

const childFile = new URL('./child.ts', import.meta.url).pathname;
const silent = createLog({ level: 'error', write: () => {} });

function startChild({ dataDir, databaseUrl }: TemporaryPlace) {
  const place = databaseUrl === undefined ? [dataDir] : [dataDir, databaseUrl];
  const child = Bun.spawn([process.execPath, childFile, ...place], { stdout: 'pipe', stderr: 'inherit' });
  const reader = child.stdout.getReader();
  let text = '';
  return {
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    exited: child.exited,
    async says(word: string) {
      while (!text.includes(word)) {
        const { done, value } = await reader.read();
        if (done) throw new Error(`the child ended before it said ${word}`);
        text += new TextDecoder().decode(value);
      }
    },
  };
}

for (const label of ['sqlite', 'postgres'] as const) {
  describe(label, () => {
    let place: TemporaryPlace;
    let child: ReturnType<typeof startChild>;
    let store: Store | undefined;
    let heir: Scheduler | undefined;
    const count = { runs: 0 };
    beforeEach(async () => {
      count.runs = 0;
      place = await temporaryPlace(label);
      child = startChild(place);
      await child.says('begun');
    });
    afterEach(async () => {
      child.kill('SIGKILL');
      await child.exited;
      await heir?.stop();
      await store?.close();
      await place.remove();
      [heir, store] = [undefined, undefined];
    });

    async function openHeir() {
      const { dataDir, databaseUrl } = place;
      store = await openStore({ dataDir, databaseUrl, writerEntry: applicationWriter });
      const jobs = [
        nodeJob(async () => {
          count.runs += 1;
        }),
      ];
      heir = createScheduler({ store, nodeId: 'heir', log: silent, jobs, leaseSeconds: LEASE_SECONDS });
      return { heir, store };
    }

    const row = (store: Store) => store.db.selectFrom('jobs').selectAll().executeTakeFirstOrThrow();

    async function untilHeirRan(): Promise<void> {
      for (let look = 0; look < 2000 && count.runs === 0; look += 1) await Bun.sleep(10);
      expect(count.runs).toBeGreaterThan(0);
    }

    test('a job whose node was killed during a run is run by the next node', async () => {
      child.kill('SIGKILL');
      await child.exited;
      const { heir, store } = await openHeir();
      expect((await heir.list())[0]).toMatchObject({ node: 'child', runs: 0 });
      heir.start();
      await untilHeirRan();
      for (let look = 0; look < 500 && (await row(store)).runs === 0; look += 1) await Bun.sleep(10);
      expect(await row(store)).toMatchObject({ owner: 'heir', fence: expect.any(Number), error: '' });
      expect((await row(store)).fence).toBeGreaterThan(1);
    });

    // SQLite serves one process: a second is refused at its data directory.
    if (label === 'sqlite') return;

    test('a live node keeps its lease beyond the duration of the lease', async () => {
      const { heir, store } = await openHeir();
      heir.start();
      const { lease_until_ms } = await row(store);
      for (let look = 0; look < 1000; look += 1) {
        if ((await row(store)).lease_until_ms > lease_until_ms + LEASE_SECONDS * 2000) break;
        await Bun.sleep(20);
      }
      expect(count.runs).toBe(0);
      expect(await row(store)).toMatchObject({ owner: 'child', fence: 1 });
      expect((await heir.list())[0]).toMatchObject({ state: 'running', node: 'child', is_here: false });
      expect(await failure(heir.runNow('work'))).toMatchObject({ code: 'job_running' });
    });

    test('a node that was paused longer than its lease gets a stop signal, and its result is not written', async () => {
      child.kill('SIGSTOP');
      const { heir, store } = await openHeir();
      heir.start();
      await untilHeirRan();
      await heir.stop();
      const before = await row(store);
      expect(before).toMatchObject({ owner: 'heir', lease_until_ms: 0 });
      child.kill('SIGCONT');
      await child.says('aborted');
      // If the old owner still wrote, it would do so at once.
      await Bun.sleep(300);
      expect(await row(store)).toEqual(before);
    });
  });
}
