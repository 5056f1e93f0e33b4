// What a report changes, who hears of it, and that a node which stops waits for what it has begun to tell.
import { expect, test } from 'bun:test';
import type { Core } from '#server/relay/pipeline/core.ts';
import { taskChanges } from './changes.ts';
import type { Platform } from './platform.ts';
import type { Task, TaskChange, TaskRows } from './rows.ts';

/** A task that runs, whose platform reports `change`. `isOver`: another node was first. */
function stage(change: TaskChange & { status: string }, { ends = true, doubt = '', isOver = false } = {}) {
  const told: unknown[] = [];
  const faults: unknown[] = [];
  const written: TaskChange[] = [];
  let looked = 0;
  const sent = Promise.withResolvers<void>();
  const task = { id: 3, status: 'IN_PROGRESS', progress: '10%' } as Task;
  const write = async (_: number, values: TaskChange) => {
    if (!isOver) written.push(values);
    return !isOver;
  };
  const rows = {
    change: write,
    end: write,
    find: async () => void (looked += 1),
  } as unknown as TaskRows;
  const platform = {
    changeIn: () => ({ change, ends, ...(doubt === '' ? {} : { doubt }) }),
    async changed(_: Core, { status, progress, fail_reason }: Task) {
      await sent.promise;
      told.push([status, progress, fail_reason]);
    },
  } as unknown as Platform;
  const core = { log: { error: (words: string) => faults.push(words) } } as unknown as Core;
  const changes = taskChanges(core, rows);
  return {
    changes,
    apply: () => changes.apply(platform, task, {}),
    fail: () => changes.fail(platform, task, 'late'),
    answer: () => sent.resolve(),
    get seen() {
      return { told, faults, written, looked };
    },
  };
}

test('a caller is told of a change, of the last one with its doubt, and the hold is looked at then', async () => {
  const runs = stage({ status: 'IN_PROGRESS', progress: '40%' }, { ends: false });
  runs.answer();
  expect(await runs.apply()).toBe(false);
  await runs.changes.close();
  const told = [['IN_PROGRESS', '40%', undefined]];
  expect(runs.seen).toMatchObject({ told, faults: [], looked: 0, written: [{ progress: '40%' }] });

  const doubted = stage({ status: 'IN_PROGRESS', progress: '40%' }, { ends: false, doubt: 'odd' });
  doubted.answer();
  expect(await doubted.apply()).toBe(false);
  expect(doubted.seen.faults).toEqual([]);

  const ended = stage({ status: 'SUCCESS' }, { doubt: 'longer than asked for' });
  ended.answer();
  expect(await ended.apply()).toBe(true);
  await ended.changes.close();
  expect(ended.seen).toMatchObject({ faults: ['longer than asked for'], looked: 1 });
  const sure = stage({ status: 'SUCCESS' });
  await sure.apply();
  expect(sure.seen.faults).toHaveLength(0);
});

test('a report that changes nothing, or comes after the end, is told to nobody, and the hold is looked at all the same', async () => {
  const same = stage({ status: 'IN_PROGRESS', progress: '10%' }, { doubt: 'odd' });
  same.answer();
  expect(await same.apply()).toBe(true);
  const late = stage({ status: 'SUCCESS' }, { doubt: 'odd', isOver: true });
  late.answer();
  expect(await late.apply()).toBe(true);
  await late.fail();
  await Promise.all([same.changes.close(), late.changes.close()]);
  expect([same.seen, late.seen]).toMatchObject([
    { told: [], faults: [], written: [], looked: 1 },
    { told: [], faults: [], written: [], looked: 2 },
  ]);
});

test('a task that is given up is told as failed, and a node that stops waits until it is', async () => {
  const late = stage({ status: 'SUCCESS' });
  await late.fail();
  expect(late.seen).toMatchObject({
    told: [],
    looked: 1,
    written: [{ status: 'FAILURE', fail_reason: 'late' }],
  });
  expect(Math.abs(Number(late.seen.written[0]?.finish_ms) - Date.now())).toBeLessThan(60_000);
  let isClosed = false;
  const closing = late.changes.close().then(() => (isClosed = true));
  await Bun.sleep(5);
  expect(isClosed).toBe(false);
  late.answer();
  await closing;
  expect(late.seen.told).toEqual([['FAILURE', '10%', 'late']]);
});
