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
    rows: { claim: async () => due },
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
