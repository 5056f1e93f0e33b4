// When jobs run: without overlap, later after failures, by hand, and not after a stop. Runs are awaited, never timed.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { createLog } from '#server/platform/log.ts';
import type { Store } from '#server/platform/store/store.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { failure } from '#tests/support/failure.ts';
import { checkJobs, type Job } from './job.ts';
import { delayMs, scheduleOf } from './scheduled-job.ts';
import { createScheduler, type Scheduler } from './scheduler.ts';

const text = { zh: '任务', en: 'A job' };
const job = (changes: Partial<Job> & Pick<Job, 'run'>): Job => ({
  name: 'work',
  title: text,
  description: text,
  everySeconds: 0.01,
  lease: 'node',
  ...changes,
});
const nothing = async () => {};

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (let look = 0; look < 4000; look += 1) {
    if (await isTrue()) return;
    await Bun.sleep(5);
  }
  throw new Error('what the test waits for does not happen');
}

describe('the list', () => {
  test('refuses two jobs of one name, a job without a handler and a name that is none', () => {
    const work = job({ run: nothing });
    expect(() => checkJobs([work, { ...work }])).toThrow('two jobs are named work');
    expect(() => checkJobs([{ ...work, run: undefined as never }])).toThrow('the job work has no handler');
    expect(() => checkJobs([{ ...work, name: 'Work 1' }])).toThrow('"Work 1" is no name for a job');
  });
});

describe('the wait', () => {
  test('is never longer than the interval, and a little shorter', () => {
    const every = job({ run: nothing, everySeconds: 100 });
    for (let draw = 0; draw < 100; draw += 1) {
      const wait = delayMs(every, 0);
      expect(wait).toBeLessThanOrEqual(100_000);
      expect(wait).toBeGreaterThanOrEqual(90_000);
    }
  });

  test('doubles with each failure, up to a minute or the interval', () => {
    const frequent = job({ run: nothing, everySeconds: 5 });
    expect(delayMs(frequent, 2)).toBeGreaterThanOrEqual(18_000);
    expect(delayMs(frequent, 2)).toBeLessThanOrEqual(20_000);
    expect(delayMs(frequent, 50)).toBeLessThanOrEqual(60_000);
    expect(delayMs(job({ run: nothing, everySeconds: 600 }), 50)).toBeLessThanOrEqual(600_000);
    expect(scheduleOf(frequent).failures).toBe(0);
  });
});

forEachDatabase((label, open) => {
  describe('the scheduler', () => {
    let store: Store;
    const running: Scheduler[] = [];
    const logged: string[] = [];
    const schedule = (...jobs: Job[]) => {
      const log = createLog({ level: 'debug', write: (line) => logged.push(line) });
      const scheduler = createScheduler({ store, nodeId: 'here', log, jobs });
      running.push(scheduler);
      return scheduler;
    };
    beforeEach(async () => {
      store = await open();
      logged.length = 0;
    });
    afterEach(async () => {
      for (const scheduler of running.splice(0)) await scheduler.stop();
    });

    for (const lease of ['node', 'cluster'] as const) {
      test(`a ${lease} job runs again and again, and never twice at once`, async () => {
        let atOnce = 0;
        let most = 0;
        let runs = 0;
        const run = async () => {
          atOnce += 1;
          most = Math.max(most, atOnce);
          await Bun.sleep(15);
          atOnce -= 1;
          runs += 1;
        };
        const scheduler = schedule(job({ lease, run }));
        scheduler.start();
        await until(async () => {
          await scheduler.runNow('work').catch(() => {});
          return runs >= 5;
        });
        expect(most).toBe(1);
      });

      test(`the result of a ${lease} job is kept, and survives a restart`, async () => {
        const first = schedule(job({ lease, everySeconds: 0, run: nothing }));
        expect((await first.list())[0]).toMatchObject({ state: 'never', runs: 0, finished_at: 0 });
        await first.runNow('work');
        await until(async () => (await first.list())[0]?.state === 'ok');
        await first.stop();
        const again = schedule(job({ lease, everySeconds: 0, run: nothing }));
        const [view] = await again.list();
        expect(view).toMatchObject({
          state: 'ok',
          runs: 1,
          node: 'here',
          is_here: true,
          error: '',
          next_run_at: 0,
        });
        expect(view?.finished_at).toBeGreaterThan(Date.now() / 1000 - 60);
      });

      test(`a failing ${lease} job says why, and a success clears it`, async () => {
        let isBroken = true;
        const run = async () => {
          if (isBroken) throw new Error('the upstream is away');
        };
        const scheduler = schedule(job({ lease, everySeconds: 3600, run }));
        await scheduler.runNow('work');
        await until(async () => (await scheduler.list())[0]?.state === 'failed');
        expect((await scheduler.list())[0]).toMatchObject({ error: 'the upstream is away', runs: 1 });
        expect(logged.join('')).toContain('the upstream is away');
        isBroken = false;
        await scheduler.runNow('work');
        await until(async () => (await scheduler.list())[0]?.state === 'ok');
        const [view] = await scheduler.list();
        expect(view).toMatchObject({ error: '', runs: 2 });
        expect(view?.next_run_at).toBeGreaterThan(Date.now() / 1000 + 3000);
      });

      test(`a stop asks a running ${lease} job to end, waits for it, and starts no other`, async () => {
        const ended: boolean[] = [];
        const scheduler = schedule(
          job({
            lease,
            run: async (signal) => {
              while (!signal.aborted) await Bun.sleep(1);
              await Bun.sleep(30);
              ended.push(signal.aborted);
            },
          }),
        );
        await scheduler.runNow('work');
        await scheduler.stop();
        expect(ended).toEqual([true]);
        expect((await failure(scheduler.runNow('work'))).message).toContain('running');
        await Bun.sleep(60);
        expect(ended).toHaveLength(1);
      });
    }

    test('a job that runs is not run by hand, and an unknown one is refused', async () => {
      const gate = Promise.withResolvers<void>();
      const scheduler = schedule(job({ lease: 'cluster', run: () => gate.promise }));
      await scheduler.runNow('work');
      expect((await scheduler.list())[0]).toMatchObject({ state: 'running' });
      expect(await failure(scheduler.runNow('work'))).toMatchObject({ code: 'job_running' });
      expect(await failure(scheduler.runNow('other'))).toMatchObject({ code: 'job_not_found' });
      gate.resolve();
    });

    // SQLite has no other node that could refuse.
    test.skipIf(label === 'sqlite')(
      'a turn that comes while a run by hand is refused comes again',
      async () => {
        const gate = Promise.withResolvers<void>();
        const log = createLog({ level: 'error', write: (line) => logged.push(line) });
        const other = job({ lease: 'cluster', run: () => gate.promise });
        const there = createScheduler({ store, nodeId: 'there', log, jobs: [other], leaseSeconds: 1 });
        running.push(there);
        await there.runNow('work');
        let runs = 0;
        const run = async () => {
          runs += 1;
        };
        const here = schedule(job({ lease: 'cluster', everySeconds: 0.05, run }));
        here.start();
        // One attempt after the other, so that the first turn falls into one.
        const until200ms = performance.now() + 200;
        while (performance.now() < until200ms) await failure(here.runNow('work'));
        expect(runs).toBe(0);
        gate.resolve();
        await there.stop();
        await until(() => runs > 0);
      },
    );

    test('a job that is woken while it runs runs once more', async () => {
      const gate = Promise.withResolvers<void>();
      let runs = 0;
      const run = async () => {
        runs += 1;
        await gate.promise;
      };
      const scheduler = schedule(job({ everySeconds: 3600, run }));
      scheduler.start();
      scheduler.wake('work');
      await until(() => runs === 1);
      scheduler.wake('work');
      scheduler.wake('work');
      gate.resolve();
      await until(() => runs === 2);
      await Bun.sleep(50);
      expect(runs).toBe(2);
    });

    test('a cluster job is not run before its time, an interval that became shorter counts, and zero means by hand', async () => {
      let runs = 0;
      const every = { seconds: 3600 };
      const run = async () => {
        runs += 1;
      };
      const due = job({ lease: 'cluster', everySeconds: () => every.seconds, run });
      const first = schedule(due);
      await first.runNow('work');
      await until(async () => (await first.list())[0]?.state === 'ok');
      await first.stop();
      const later = schedule({ ...due, atStart: true });
      every.seconds = 0;
      later.start();
      await Bun.sleep(50);
      expect(runs).toBe(1);
      await later.stop();

      every.seconds = 600;
      await store.db
        .updateTable('jobs')
        .set((row) => ({ finished_ms: row('finished_ms', '-', 601_000) }))
        .execute();
      // The row still names a time under the longer interval.
      const shorter = schedule(due);
      expect((await shorter.list())[0]?.next_run_at).toBeLessThan(Date.now() / 1000);
      shorter.start();
      await until(() => runs === 2);
    });

    test('a run that the node’s end cut off is shown as interrupted, and the next start takes its lease', async () => {
      const hanging = schedule(job({ lease: 'cluster', everySeconds: 0, run: () => new Promise(() => {}) }));
      await hanging.runNow('work');
      const next = schedule(job({ lease: 'cluster', everySeconds: 0, run: nothing }));
      await store.db.updateTable('jobs').set({ lease_until_ms: 1 }).execute();
      expect((await next.list())[0]).toMatchObject({ state: 'interrupted' });
      await next.runNow('work');
      await until(async () => (await next.list())[0]?.state === 'ok');
      running.shift();
    });
  });
});
