// The poller with real rows, channels and holds; only the platform's upstream is played.
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import type { CallRecord } from '#server/relay/money/log-row.ts';
import { taskChanges } from '#server/relay/tasks/changes.ts';
import { holdForTask, snapshotText, taskPrice } from '#server/relay/tasks/money.ts';
import type { Platform, RawReport } from '#server/relay/tasks/platform.ts';
import { createPoller, type Poller } from '#server/relay/tasks/poll.ts';
import { taskRows, type Task, type TaskRows } from '#server/relay/tasks/rows.ts';
import { eventually, startRelay, type RelayHarness } from '#tests/integration/relay/calls/harness.ts';

let relay: RelayHarness;
let rows: TaskRows;
let slow = 0;
let quick = 0;

beforeAll(async () => {
  relay = await startRelay({ settings: { ModelPrice: JSON.stringify({ song: 0.1 }) } });
  rows = taskRows(relay.store);
  const wish = { type: CHANNEL_TYPE.suno, models: ['song'] };
  slow = await relay.channel(wish);
  quick = await relay.channel(wish);
});
afterAll(() => relay[Symbol.asyncDispose]());
beforeEach(async () => {
  await relay.store.db.deleteFrom('tasks').execute();
});

type Reports = (channelId: number, ids: readonly string[]) => Promise<Map<string, RawReport> | undefined>;

/** Reports change nothing of a task. */
const platformOf = (reports: Reports): Platform => ({
  name: 'songs',
  format: 'suno',
  lateReason: 'late',
  reportsOf: (_core, { id }, ids) => reports(id, ids),
  changeIn: ({ status }) => ({ change: { status }, ends: false }),
});

function pollerOf(reports: Reports, pollSeconds: number): Poller {
  const { core } = relay.relay;
  const changes = taskChanges(core, rows);
  return createPoller({ core, rows, changes, pollSeconds, life: new AbortController().signal }, [
    platformOf(reports),
  ]);
}

const insert = (task_id: string, channel_id: number, more: Partial<Task> = {}): Promise<Task> =>
  rows.insert({
    hold_id: crypto.randomUUID(),
    platform: 'songs',
    action: 'MUSIC',
    model: 'song',
    user_id: 1,
    status: 'SUBMITTED',
    task_id,
    channel_id,
    submit_ms: Date.now(),
    deadline_at: Math.floor(Date.now() / 1000) + 3600,
    next_poll_at: 0,
    ...more,
  });

const makeDue = () => relay.store.db.updateTable('tasks').set({ next_poll_at: 0 }).execute();

test('a task whose upstream has not answered yet is not asked for a second time', async () => {
  const asked: string[] = [];
  const answer = Promise.withResolvers<undefined>();
  const poller = pollerOf(async (channelId, ids) => {
    asked.push(ids.toSorted().join(' '));
    return channelId === slow ? await answer.promise : undefined;
  }, 1);
  const { id: first } = await insert('t1', slow);
  const { id: other } = await insert('t3', quick);
  await poller.pollDue();
  expect(asked.toSorted()).toEqual(['t1', 't3']);
  // The slow channel does not delay the other one.
  await eventually(
    () => rows.find(other),
    (task) => task?.poll_failures === 1,
  );
  await insert('t2', slow);
  await makeDue();
  await poller.pollDue();
  expect(asked.slice(2).toSorted()).toEqual(['t2', 't3']);
  answer.resolve(undefined);
  await poller.close();
  expect(await rows.find(first)).toMatchObject({ status: 'SUBMITTED', poll_failures: 1 });
  await makeDue();
  await poller.pollDue();
  await poller.close();
  expect(asked.slice(4).toSorted()).toEqual(['t1 t2', 't3']);
});

test('a channel that does not answer is asked rarely, and delays no other channel', async () => {
  const poller = pollerOf(
    async (channelId, ids) => (channelId === slow ? undefined : new Map(ids.map((id) => [id, {}]))),
    10,
  );
  const tasks = await Promise.all([
    insert('t1', slow),
    insert('t2', slow, { poll_failures: 9 }),
    insert('t3', quick, { poll_failures: 4 }),
    insert('t4', quick),
  ]);
  const now = Date.now() / 1000;
  await poller.pollDue();
  await poller.close();
  const after = await Promise.all(tasks.map(({ id }) => rows.find(id)));
  expect(after.map((task) => task?.poll_failures)).toEqual([1, 10, 0, 0]);
  const [once = 0, often = 0, one, together] = after.map((task) => (task?.next_poll_at ?? 0) - now);
  // Both tasks of the channel that answers are asked for together again.
  expect(one).toBe(together);
  expect(one).toBeLessThanOrEqual(11);
  expect(once).toBeGreaterThan(10);
  expect(often).toBeGreaterThan(40);
  expect(often).toBeLessThanOrEqual(61);
});

test('of many tasks of one channel every one is asked for, in questions of at most two hundred', async () => {
  const asked: string[][] = [];
  const poller = pollerOf(async (_channelId, ids) => {
    asked.push([...ids]);
    return new Map(ids.map((id) => [id, {}]));
  }, 10);
  const names = Array.from({ length: 401 }, (_, index) => `t${index}`);
  await Promise.all(names.map((name) => insert(name, quick)));
  const now = Math.floor(Date.now() / 1000);
  await poller.pollDue();
  await poller.close();
  expect(asked.map((ids) => ids.length)).toEqual([200, 200, 1]);
  expect(asked.flat().toSorted()).toEqual(names.toSorted());
  const later = relay.store.db.selectFrom('tasks').select('id').where('next_poll_at', '>=', now);
  expect(await later.execute()).toHaveLength(names.length);
});

test('a submission that was interrupted, and a task without its channel, are given up at once (M21)', async () => {
  const { core } = relay.relay;
  const { key, userId } = await relay.token();
  const request = new Request(relay.url, { headers: { authorization: `Bearer ${key}` } });
  const caller = await core.authenticator.authenticate(request, '127.0.0.1', core.settings.current);
  const began = { at: Date.now(), requestClass: undefined };
  const record: CallRecord = {
    caller,
    model: 'song',
    upstreamModel: 'song',
    channelId: slow,
    channelName: 'mock',
    address: '',
    path: '/suno/submit/music',
    isStream: false,
    isWebSocket: false,
    reasoningEffort: '',
    attempts: [],
    conversion: undefined,
    began,
  };
  const price = taskPrice(core, 'song', caller.group, began);
  const held = async (task_id: string, channel_id: number): Promise<Task> => {
    const hold_id = crypto.randomUUID();
    await holdForTask(core, hold_id, { record, price, plans: undefined, budgets: '' });
    const quota = price.charge;
    const snapshot = snapshotText(record, price.price);
    return await insert(task_id, channel_id, { hold_id, user_id: userId, quota, snapshot });
  };
  const tasks = [await held('', slow), await held('t2', 999_999), await held('t3', slow)];
  expect(await relay.holds()).toBe(3);
  const poller = pollerOf(async () => new Map(), 10);
  await poller.pollDue();
  await poller.close();
  const after = await Promise.all(tasks.map(({ id }) => rows.find(id)));
  expect(after.map((task) => [task?.status, task?.money, task?.fail_reason])).toEqual([
    ['FAILURE', 'released', '{"fact":"taskInterrupted"}'],
    ['FAILURE', 'released', '{"fact":"taskChannelGone"}'],
    ['SUBMITTED', 'open', ''],
  ]);
  expect(await relay.holds()).toBe(1);
});
