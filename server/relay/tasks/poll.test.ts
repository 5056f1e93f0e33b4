// Which tasks are asked for, together and when again, and which are given up.
import { expect, test } from 'bun:test';
import { taskChanges } from './changes.ts';
import type { Platform } from './platform.ts';
import { createPoller, type PollerParts } from './poll.ts';
import type { Task, TaskRows } from './rows.ts';

const record = {
  caller: { group: 'g' },
  path: '/v1/videos',
  reasoningEffort: '',
  isStream: false,
  isWebSocket: false,
  attempts: [],
};
const seconds = () => Math.floor(Date.now() / 1000);
const task = (id: number, more: Partial<Task> = {}): Task =>
  ({
    id,
    task_id: `theirs-${id}`,
    hold_id: `hold-${id}`,
    platform: 'films',
    channel_id: 10,
    token_id: 8,
    model: 'm',
    status: 'SUBMITTED',
    money: 'open',
    quota: 99,
    submit_ms: Date.now(),
    finish_ms: 0,
    deadline_at: seconds() + 600,
    poll_failures: 2,
    fail_reason: '',
    snapshot: JSON.stringify({ record, price: {} }),
    ...more,
  }) as unknown as Task;

function poller(
  tasks: readonly Task[],
  reports: Record<string, object> | undefined,
  more: { isGone?: boolean; isEnding?: boolean; isStale?: boolean } = {},
) {
  const byId = new Map(tasks.map((each) => [each.id, { ...each }]));
  const seen = {
    asked: [] as (readonly string[])[],
    claims: [] as number[],
    changed: [] as unknown[],
    ended: [] as unknown[],
    released: [] as unknown[],
    scheduled: [] as { ids: readonly number[]; at: number; failures: number }[],
    called: [] as unknown[],
    errors: 0,
  };
  const change = (id: number, columns: object) => {
    Object.assign(byId.get(id) ?? {}, columns);
    return more.isStale !== true;
  };
  const rows = {
    claim: async (_now: number, claimed: number) => {
      seen.claims.push(claimed);
      return tasks;
    },
    find: async (id: number) => byId.get(id),
    change: async (id: number, columns: object) => {
      seen.changed.push([id, columns]);
      return change(id, columns);
    },
    end: async (id: number, columns: Record<string, unknown>) => {
      seen.ended.push([id, columns['status'], columns['fail_reason']]);
      return change(id, columns);
    },
    noteMoney: async () => {},
    schedule: async (
      ids: readonly number[],
      { next_poll_at: at, poll_failures: failures }: { next_poll_at: number; poll_failures: number },
    ) => void seen.scheduled.push({ ids, at, failures }),
  } as unknown as TaskRows;
  const channel = { id: 10, provider: { speaks: more.isGone === true ? [] : ['film'] } };
  const core = {
    catalog: { current: { channel: (id: number) => (id === 10 ? channel : undefined) } },
    ledger: { release: async (id: string) => void seen.released.push(id) },
    log: { error: () => (seen.errors += 1), info: () => {} },
  } as unknown as PollerParts['core'];
  const platform = {
    name: 'films',
    format: 'film',
    lateReason: 'too late',
    reportsOf: async (_core: unknown, _channel: unknown, ids: readonly string[]) => {
      seen.asked.push(ids);
      return reports && new Map(Object.entries(reports));
    },
    changeIn: (_task: Task, report: { status: string; isBroken?: boolean }) => {
      if (report.isBroken === true) throw new Error('a report that cannot be read');
      return { change: { status: report.status }, ends: report.status === 'FAILURE', doubt: 'look at it' };
    },
    changed: async (_core: unknown, { id, status }: Task) => void seen.called.push([id, status]),
  } as unknown as Platform;
  const life = more.isEnding === true ? AbortSignal.abort() : new AbortController().signal;
  const parts = { core, rows, changes: taskChanges(core, rows), pollSeconds: 4, life };
  return { poller: createPoller(parts, [platform]), seen };
}
async function polled(...made: Parameters<typeof poller>) {
  const { poller: created, seen } = poller(...made);
  await created.pollDue();
  await created.close();
  return seen;
}

test('tasks of one channel are asked for together, and again after their wait', async () => {
  const before = seconds();
  const seen = await polled([task(1), task(2), task(3, { channel_id: 11 }), task(4, { platform: 'newer' })], {
    'theirs-1': { status: 'IN_PROGRESS' },
    'theirs-2': { status: 'SUBMITTED' },
  });
  expect(seen.claims).toEqual([24]);
  expect(seen.asked).toEqual([['theirs-1', 'theirs-2']]);
  // What is as it was is not written.
  expect(seen.changed).toEqual([[1, { status: 'IN_PROGRESS' }]]);
  expect(seen.called).toEqual([
    [1, 'IN_PROGRESS'],
    [3, 'FAILURE'],
  ]);
  expect(seen.scheduled).toHaveLength(1);
  expect(seen.scheduled[0]).toMatchObject({ ids: [1, 2], failures: 0 });
  expect(Number(seen.scheduled[0]?.at) - before).toBeGreaterThanOrEqual(3);
  expect(Number(seen.scheduled[0]?.at) - before).toBeLessThanOrEqual(6);
  // A channel that is gone answers no more.
  expect(seen.ended).toEqual([[3, 'FAILURE', expect.stringContaining('taskChannelGone')]]);
  expect(seen.released).toEqual(['hold-3']);
});

test('no answer, or none for a task, is a question in vain', async () => {
  const none = await polled([task(1)], undefined);
  const before = seconds();
  expect(none.scheduled).toMatchObject([{ ids: [1], failures: 3 }]);
  expect(Number(none.scheduled[0]?.at) - before).toBeGreaterThan(20);
  const other = await polled([task(1), task(2)], { 'theirs-2': { status: 'SUBMITTED' } });
  expect(other.scheduled.map(({ ids, failures }) => [ids, failures])).toEqual([
    [[1], 3],
    [[2], 0],
  ]);
  const broken = await polled([task(1), task(2)], {
    'theirs-1': { isBroken: true },
    'theirs-2': { status: 'FAILURE' },
  });
  expect([broken.errors, broken.released]).toEqual([2, ['hold-2']]);
  expect(broken.scheduled).toMatchObject([{ ids: [1], failures: 0 }]);
});

test('a task ends with its report, and one that a crash left open without a question', async () => {
  const seen = await polled([task(1), task(2, { status: 'FAILURE', finish_ms: 5 })], {
    'theirs-1': { status: 'FAILURE' },
  });
  expect([seen.asked, seen.released, seen.scheduled, seen.ended]).toEqual([
    [['theirs-1']],
    ['hold-1', 'hold-2'],
    [],
    [],
  ]);
  // Another node was faster: it has told the caller.
  const late = await polled([task(1)], { 'theirs-1': { status: 'FAILURE' } }, { isStale: true });
  expect([late.called, late.errors]).toEqual([[], 0]);
});

test('a task is given up when its submission was cut, its channel is gone or its time is over', async () => {
  const reasons = async (more: Partial<Task>, isGone = false) =>
    (await polled([task(1, more)], {}, { isGone })).ended.map((ended) => (ended as unknown[])[2]);
  expect(await reasons({ task_id: '' })).toEqual([expect.stringContaining('taskInterrupted')]);
  expect(await reasons({}, true)).toEqual([expect.stringContaining('taskChannelGone')]);
  expect(await reasons({ deadline_at: seconds() })).toEqual(['too late']);
  expect(await reasons({ deadline_at: seconds() + 60 })).toEqual([]);
});

test('a node that ends leaves its tasks to the others; what is asked for now is not scheduled', async () => {
  const ending = await polled([task(1, { deadline_at: 5 })], undefined, { isEnding: true });
  expect([ending.ended, ending.scheduled]).toEqual([[], []]);
  const { poller: created, seen } = poller([task(1)], { 'theirs-1': { status: 'IN_PROGRESS' } });
  await created.look([task(1)]);
  expect([seen.changed.length, seen.scheduled, seen.claims]).toEqual([1, [], []]);
});
