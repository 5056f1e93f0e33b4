import { expect, test } from 'bun:test';
import type { TaskParts } from './parts.ts';
import type { Platform } from './platform.ts';
import { createPoller } from './poll.ts';

test('a task whose upstream has not answered yet is not asked for a second time', async () => {
  const asked: string[][] = [];
  const answer = Promise.withResolvers<undefined>();
  const platform = {
    name: 'slow',
    format: 'video',
    lateReason: 'late',
    async reportsOf(_core: unknown, { id }: { id: number }, ids: readonly string[]) {
      asked.push([...ids]);
      return id === 1 ? await answer.promise : undefined;
    },
  } as unknown as Platform;
  const task = (id: number, channel_id = 1) => ({
    id,
    task_id: `t${id}`,
    platform: 'slow',
    channel_id,
    status: 'SUBMITTED',
    deadline_at: Infinity,
  });
  const channel = (id: number) => ({ id, provider: { speaks: ['video'] } });
  let due = [task(1), task(3, 2)];
  const parts = {
    core: { catalog: { current: { channel } }, log: { error: () => undefined } },
    rows: { claim: async () => due, schedule: async () => undefined },
    pollSeconds: 1,
    life: new AbortController().signal,
  } as unknown as TaskParts;
  const poller = createPoller(parts, [platform]);
  await poller.pollDue();
  await Bun.sleep(0);
  due = [task(1), task(2), task(3, 2)];
  await poller.pollDue();
  // The slow channel does not delay the other one.
  expect(asked).toEqual([['t1'], ['t3'], ['t2'], ['t3']]);
  answer.resolve(undefined);
  await poller.close();
  await poller.pollDue();
  await poller.close();
  expect(asked.slice(4)).toEqual([['t1', 't2'], ['t3']]);
});

test('a channel that does not answer is asked rarely, and delays no other channel', async () => {
  const platform = {
    name: 'songs',
    format: 'suno',
    lateReason: 'late',
    reportsOf: async (_core: unknown, { id }: { id: number }, ids: readonly string[]) =>
      id === 1 ? undefined : new Map(ids.map((each) => [each, {}])),
    changeIn: () => ({ change: { status: 'SUBMITTED' }, ends: false }),
  } as unknown as Platform;
  const task = (id: number, channel_id: number, poll_failures: number) => ({
    id,
    task_id: `t${id}`,
    platform: 'songs',
    channel_id,
    status: 'SUBMITTED',
    submit_ms: Date.now(),
    poll_failures,
    deadline_at: Infinity,
  });
  const written: { ids: readonly number[]; wait: number; failures: number }[] = [];
  const parts = {
    core: {
      catalog: { current: { channel: (id: number) => ({ id, provider: { speaks: ['suno'] } }) } },
      log: { error: () => undefined },
    },
    rows: {
      claim: async () => [task(1, 1, 0), task(2, 1, 9), task(3, 2, 4), task(4, 2, 0)],
      schedule: async (ids: readonly number[], next: { next_poll_at: number; poll_failures: number }) => {
        const wait = next.next_poll_at - Date.now() / 1000;
        written.push({ ids, wait, failures: next.poll_failures });
      },
    },
    changes: { apply: async () => false },
    pollSeconds: 10,
    life: new AbortController().signal,
  } as unknown as TaskParts;
  const poller = createPoller(parts, [platform]);
  await poller.pollDue();
  await poller.close();
  const byIds = new Map(written.map(({ ids, wait, failures }) => [ids.join(' '), { wait, failures }]));
  // Both tasks of the channel that answers are asked for together again.
  expect([...byIds.keys()].toSorted()).toEqual(['1', '2', '3 4']);
  expect([byIds.get('1')?.failures, byIds.get('2')?.failures, byIds.get('3 4')?.failures]).toEqual([
    1, 10, 0,
  ]);
  const waitOf = (ids: string): number => byIds.get(ids)?.wait ?? 0;
  expect(waitOf('3 4')).toBeLessThanOrEqual(10);
  expect(waitOf('1')).toBeGreaterThan(10);
  expect(waitOf('2')).toBeGreaterThan(40);
  expect(waitOf('2')).toBeLessThanOrEqual(60);
});

test('a submission that was interrupted, and a task without its channel, are given up at once (M21)', async () => {
  const platform = {
    name: 'songs',
    format: 'suno',
    lateReason: 'late',
    reportsOf: async () => new Map(),
  } as unknown as Platform;
  const task = (id: number, task_id: string, channel_id: number) => ({
    id,
    task_id,
    platform: 'songs',
    channel_id,
    status: 'SUBMITTED',
    submit_ms: Date.now(),
    poll_failures: 0,
    deadline_at: Infinity,
  });
  const failed: [number, string][] = [];
  const channel = (id: number) => (id === 1 ? { id, provider: { speaks: ['suno'] } } : undefined);
  const parts = {
    core: { catalog: { current: { channel } }, log: { error: () => undefined } },
    rows: {
      claim: async () => [task(1, '', 1), task(2, 't2', 7), task(3, 't3', 1)],
      schedule: async () => undefined,
    },
    changes: {
      fail: async (_platform: unknown, { id }: { id: number }, reason: string) =>
        void failed.push([id, reason]),
    },
    pollSeconds: 10,
    life: new AbortController().signal,
  } as unknown as TaskParts;
  const poller = createPoller(parts, [platform]);
  await poller.pollDue();
  await poller.close();
  expect(failed.toSorted(([one], [other]) => one - other)).toEqual([
    [1, '{"fact":"taskInterrupted"}'],
    [2, '{"fact":"taskChannelGone"}'],
  ]);
});
