// The rows of a batch on PostgreSQL, column by column: as they are read, with and without locks, and as they are written.
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { sql } from 'kysely';
import { Client } from 'pg';
import { budgetCalendar, BUDGETS_OF_UTC } from '#contract/money/budget-windows.ts';
import { aboveHoldKey } from '#server/money/ledger/engine/above-hold.ts';
import { lateKey, suspenseKey } from '#server/money/ledger/engine/late.ts';
import { planKey } from '#server/money/ledger/engine/subscriptions.ts';
import { requestScope, windowStart } from '#server/money/ledger/engine/limits.ts';
import { logValues } from '#server/money/ledger/engine/log-columns.ts';
import { TASK_NODE } from '#server/money/ledger/engine/reserve.ts';
import { loadBooked, lockRows, readRows } from '#server/money/ledger/postgres/load.ts';
import type { KnownHold, Loaded, Wanted } from '#server/money/ledger/postgres/loaded.ts';
import type { BatchChanges } from '#server/money/ledger/postgres/rows.ts';
import { typesText, writeChanges } from '#server/money/ledger/postgres/write.ts';
import { numberTypes } from '#server/platform/store/postgres/pool.ts';
import type { NewRow, Schema } from '#server/platform/store/schema.ts';
import { openStore, type Store } from '#server/platform/store/store.ts';
import { applicationWriter, temporaryPlace, type TemporaryPlace } from '#tests/support/databases.ts';
import { heldBy, insertRow, seed } from './rows-seed.ts';

setDefaultTimeout(60_000);
const nothing: Wanted = {
  requestIds: [],
  userIds: [],
  tokenIds: [],
  subscriptionIds: [],
  counterIds: [],
  holds: [],
  needsHolds: true,
};
const calendar = budgetCalendar(BUDGETS_OF_UTC);

let place: TemporaryPlace;
let store: Store;
let client: Client;

beforeEach(async () => {
  place = await temporaryPlace('postgres');
  const { dataDir, databaseUrl } = place;
  store = await openStore({ dataDir, databaseUrl, writerEntry: applicationWriter });
  client = new Client({ connectionString: databaseUrl, types: numberTypes as never });
  await client.connect();
  await client.query(typesText);
  await seed(store);
});
afterEach(async () => {
  await client.end();
  await store.close();
  await place.remove();
});

const insert = (table: keyof Schema, row: object) => insertRow(store, table, row);
const hold = (id: string, user_id: number, token_id: number, more: Partial<NewRow<'holds'>> = {}) =>
  insert('holds', heldBy(id, user_id, token_id, more));
const rows = async (text: string) =>
  Array.from((await sql<object>`${sql.raw(text)}`.execute(store.db)).rows, (row) => Object.values(row));
const known = (loaded: Loaded) => ({
  users: [...loaded.users.values()],
  tokens: [...loaded.tokens.values()],
  subscriptions: [...loaded.subscriptions.values()],
  counters: [...loaded.counters.values()],
});
const idsOf = (loaded: Loaded) =>
  [loaded.users, loaded.tokens, loaded.subscriptions, loaded.counters, loaded.holds].map((each) => [
    ...each.keys(),
  ]);
async function locked<Result>(work: () => Promise<Result>): Promise<Result> {
  await client.query('begin');
  try {
    return await work();
  } finally {
    await client.query('commit');
  }
}
const changes = (more: Partial<BatchChanges>): BatchChanges => ({
  users: [],
  tokens: [],
  subscriptions: [],
  counters: [],
  deletedHolds: [],
  newHolds: [],
  changedHolds: [],
  entries: [],
  logs: [],
  correctedLogs: [],
  usage: [],
  margins: [],
  unsummed: [],
  ended: [],
  windows: [],
  notices: [],
  channels: [],
  ...more,
});

test('what a hold names is read and locked with it', async () => {
  const loaded = await locked(() => lockRows(client, { ...nothing, requestIds: ['call'] }, calendar));
  expect(idsOf(loaded)).toEqual([[51], [61], [81], [91], ['call']]);
  expect(Math.abs(loaded.nowMs - Date.now())).toBeLessThan(60_000);
  expect(loaded.now).toBe(Math.floor(loaded.nowMs / 1000));
  const limits = { requestsPerMinute: 11, tokensPerMinute: 12, concurrentCalls: 13 };
  const version = expect.any(Number);
  expect(loaded.users.get(51)).toEqual({
    id: 51,
    version,
    isActive: true,
    quota: 5000,
    held: 300,
    planHeld: 20,
    isPlanHeldChanged: false,
    used: 700,
    requestCount: 8,
    lowBalanceNoticeAt: 9,
    ...limits,
    dayBudget: 14,
    monthBudget: 15,
    dirty: false,
  });
  expect(loaded.tokens.get(61)).toEqual({
    id: 61,
    version,
    userId: 51,
    status: 1,
    isDeleted: false,
    expiredTime: 21,
    isUnlimited: false,
    remain: 220,
    held: 23,
    used: 24,
    accessedTime: 25,
    ...limits,
    dayBudget: 26,
    monthBudget: 27,
    statusChanged: false,
    dirty: false,
  });
  expect(loaded.subscriptions.get(81)).toEqual({
    id: 81,
    version,
    userId: 51,
    isActive: true,
    startedAt: 33,
    endsAt: 34,
    intervalUnit: 'day',
    intervalCount: 31,
    periods: 32,
    period: 35,
    periodEndsAt: 36,
    periodQuota: 370,
    quota: 180,
    held: 39,
    endedAt: 40,
    dirty: false,
  });
  expect(loaded.counters.get(91)).toEqual({
    id: 91,
    version,
    organizationId: 51,
    name: 'research',
    value: 'value 91',
    period: 'day',
    isHard: true,
    quota: 41,
    extra: 42,
    spent: 43,
    held: 44,
    noticed: 80,
    windowStart: 46,
    windowEnd: 47,
    dirty: false,
  });
  expect(loaded.holds.get('call')).toEqual({
    id: 'call',
    version,
    userId: 51,
    tokenId: 61,
    nodeId: 'node-1',
    epoch: 3,
    amount: 100,
    createdAt: 4,
    expiresAt: 5,
    dispatched: true,
    checkpointQuota: 6,
    checkpoint: 'noted',
    snapshot: 'prices',
    subscriptionId: 81,
    planAmount: 20,
    planPeriod: 35,
    isPlanFirst: true,
    budgets: '91',
  });
  const named = { userIds: [52], tokenIds: [62], subscriptionIds: [82], counterIds: [92] };
  expect(idsOf(await locked(() => lockRows(client, { ...nothing, ...named }, calendar)))).toEqual([
    [52],
    [62],
    [82],
    [92],
    [],
  ]);
  expect(idsOf(await readRows(client, { ...nothing, ...named }, calendar))).toEqual([
    [52],
    [62],
    [82],
    [92],
    [],
  ]);
  const plain = { userIds: [52], tokenIds: [62] };
  expect(idsOf(await readRows(client, { ...nothing, ...plain }, calendar))).toEqual([[52], [62], [], [], []]);
  const half = { counterIds: [92], subscriptionIds: [] };
  expect(idsOf(await readRows(client, { ...nothing, ...half }, calendar))).toEqual([[], [], [], [92], []]);
  expect(idsOf(await readRows(client, { ...nothing, subscriptionIds: [82] }, calendar))[2]).toEqual([82]);
});

test('limits count the minutes, the running calls and what was spent of each, and of nobody else', async () => {
  const now = Math.floor(Date.now() / 1000);
  const minute = windowStart(now);
  const scopeOfUser = requestScope('user', 51);
  const hour = now - (now % 3600);
  for (const [scope, window_start, used] of [
    [scopeOfUser, minute, 1],
    [scopeOfUser, minute - 60, 2],
    [scopeOfUser, minute - 600, 3],
  ] as const)
    await insert('limit_windows', { scope, window_start, used });
  await hold('second', 51, 61);
  await hold('by another key', 51, 69);
  await hold('task', 51, 61, { node_id: TASK_NODE });
  for (const [user_id, token_id, at, quota] of [
    [51, 61, hour, 100],
    [51, 69, hour, 10],
    [52, 62, hour, 1000],
    [51, 61, hour - 40 * 86_400, 5000],
  ] as const)
    await insert('usage_hours', {
      hour: at,
      user_id,
      token_id,
      channel_id: 1,
      model_name: 'm',
      quota,
    });
  const starts = (['day', 'month'] as const).map((period) => calendar(period, now).start);
  const [day = 0, month = 0] = starts;
  const key = { user_id: 51, token_id: 61, channel_id: 1, model_name: 'n' };
  await insert('usage_hours', { ...key, hour: month, quota: 7 });
  const read = () => locked(() => lockRows(client, { ...nothing, requestIds: ['call'] }, calendar));
  const loaded = await read();
  const counted = Object.fromEntries(loaded.windows);
  expect([counted[`${scopeOfUser}@${minute}`], counted[`${scopeOfUser}@${minute - 60}`]]).toEqual([1, 2]);
  expect(counted[`${scopeOfUser}@${minute - 600}`]).toBeUndefined();
  expect(Object.fromEntries(loaded.running)).toEqual({ 'user:51': 3, 'token:61': 2, 'token:69': 1 });
  for (const start of starts) {
    const more = start === month || day === month ? 7 : 0;
    const spent = [loaded.spent.get(`user:51:${start}`), loaded.spent.get(`token:61:${start}`)];
    expect(spent).toEqual([110 + more, 100 + more]);
  }
  expect([...loaded.spent.keys()].some((key) => key.includes(':52:') || key.includes(':62:'))).toBe(false);
  // Of a user without budgets and calls at once nothing is counted.
  await store.db.updateTable('users').set({ concurrent_calls: 0, day_budget: 0, month_budget: 0 }).execute();
  expect(Object.fromEntries((await read()).running)).toMatchObject({ 'token:61': 2 });
  await store.db
    .updateTable('tokens')
    .set({
      requests_per_minute: 0,
      tokens_per_minute: 0,
      concurrent_calls: 0,
      day_budget: 0,
      month_budget: 5,
    })
    .execute();
  const fewer = await read();
  expect([
    fewer.running.size,
    [...fewer.spent.keys()].filter((key) => key.startsWith('user')).length,
  ]).toEqual([0, 0]);
  expect(fewer.spent.get(`token:61:${month}`)).toBe(107);
});

test('what was booked for a call is found under each of its keys, with the log row that it left', async () => {
  const entry = (idem: string, reference: string, amount: number) =>
    insert('ledger', {
      idem,
      user_id: 51,
      created_at: 7,
      debit_account: 'user:51',
      credit_account: 'revenue',
      amount,
      kind: 'use',
      reference,
    });
  await entry('call', 'recovered', 1);
  await entry('third', '', 2);
  const late = lateKey('call');
  const keys = [planKey('call'), late, planKey(late), suspenseKey('call'), aboveHoldKey('call')];
  for (const key of keys) await entry(key, '', 5);
  await entry(planKey('fourth'), '', 6);
  const log = { created_at: 7, user_id: 51, quota: 3, token_id: 61 };
  for (const [request_id, type, content] of [
    ['call', 2, 'charged'],
    ['call', 5, 'failed'],
    ['third', 2, 'charged'],
    ['third', 5, 'failed'],
    ['fourth', 2, 'charged'],
    ['fourth', 5, 'failed'],
  ] as const)
    await insert('logs', { ...log, request_id, type, content });
  const booked = await loadBooked(client, ['call', 'third'], ['fourth']);
  expect([...booked.entries.keys()].toSorted()).toEqual(['call', 'third', ...keys].toSorted());
  expect(booked.entries.get('call')).toMatchObject({ amount: 1, kind: 'use', reference: 'recovered', at: 7 });
  expect([...booked.logs].map(([id, { quota, row }]) => [id, quota, row.content]).toSorted()).toEqual([
    ['call', 3, 'charged'],
    ['fourth', 3, 'failed'],
  ]);
});

test('every changed row is written, in its own columns, and no other row', async () => {
  const loaded = await locked(() =>
    lockRows(client, { ...nothing, requestIds: ['call', 'other'] }, calendar),
  );
  const { users, tokens, subscriptions, counters } = known(loaded);
  const own = <Row extends { id: number; dirty: boolean }>(
    all: readonly Row[],
    columns: Partial<Row>,
  ): Row[] =>
    all.map((row) => (row.id % 10 === 1 ? { ...row, ...columns, dirty: true } : { ...row, ...columns }));
  const call = loaded.holds.get('call') as KnownHold;
  const written = await writeChanges(
    client,
    changes({
      users: own(users, {
        quota: 6000,
        held: 301,
        used: 302,
        requestCount: 303,
        lowBalanceNoticeAt: 304,
        planHeld: 305,
      }),
      tokens: own(tokens, { status: 4, remain: 311, held: 312, used: 313, accessedTime: 314 }),
      subscriptions: own(subscriptions, {
        isActive: false,
        period: 321,
        periodEndsAt: 322,
        quota: 330,
        held: 324,
        endedAt: 325,
      }),
      counters: own(counters, {
        extra: 331,
        spent: 332,
        held: 333,
        noticed: 100,
        windowStart: 335,
        windowEnd: 336,
      }),
      changedHolds: [
        {
          ...call,
          nodeId: 'node-2',
          epoch: 341,
          amount: 342,
          dispatched: false,
          checkpointQuota: 343,
          checkpoint: 'c',
          snapshot: 's',
          planAmount: 34,
        },
      ],
      newHolds: [{ ...call, id: 'new', expiresAt: 350, createdAt: 351, planPeriod: 352, budgets: '91,92' }],
      deletedHolds: [loaded.holds.get('other') as KnownHold],
    }),
    true,
  );
  expect(written?.isCurrent).toBe(true);
  expect(
    await rows(
      'select id, quota, held_quota, used_quota, request_count, low_balance_mail_at, plan_held_quota from users where id > 50 order by id',
    ),
  ).toEqual([
    [51, 6000, 301, 302, 303, 304, 305],
    [52, 5000, 300, 700, 8, 9, 20],
  ]);
  expect(
    await rows(
      'select id, status, remain_quota, held_quota, used_quota, accessed_time from tokens order by id',
    ),
  ).toEqual([
    [61, 4, 311, 312, 313, 314],
    [62, 1, 220, 23, 24, 25],
  ]);
  expect(
    await rows(
      'select id, status, period, period_ends_at, quota, held, ended_at from subscriptions order by id',
    ),
  ).toEqual([
    [81, 'ended', 321, 322, 330, 324, 325],
    [82, 'active', 35, 36, 180, 39, 40],
  ]);
  expect(
    await rows(
      'select id, extra, spent, held, noticed, window_start, window_end from budget_counters order by id',
    ),
  ).toEqual([
    [91, 331, 332, 333, 100, 335, 336],
    [92, 42, 43, 44, 80, 46, 47],
  ]);
  expect(
    await rows(
      `select id, user_id, token_id, node_id, epoch, amount, created_at, expires_at, dispatched, checkpoint_quota, checkpoint,
        snapshot, subscription_id, plan_amount, plan_period, plan_first, budgets from holds order by id`,
    ),
  ).toEqual([
    ['call', 51, 61, 'node-2', 341, 342, 4, 5, 0, 343, 'c', 's', 81, 34, 35, 1, '91'],
    ['new', 51, 61, 'node-1', 3, 100, 351, 350, 1, 6, 'noted', 'prices', 81, 20, 352, 1, '91,92'],
  ]);
});

test.each(['users', 'tokens', 'subscriptions', 'budget_counters', 'holds'] as const)(
  'nothing is written when one of the %s that were read has changed',
  async (table) => {
    const loaded = await locked(() => lockRows(client, { ...nothing, requestIds: ['call'] }, calendar));
    const call = loaded.holds.get('call') as KnownHold;
    await sql`update ${sql.table(table)} set id = id`.execute(store.db);
    const written = await writeChanges(
      client,
      changes({
        ...known(loaded),
        changedHolds: [{ ...call, amount: 7 }],
        channels: [{ id: 71, quota: 5 }],
        windows: [{ scope: 'x', start: 60, used: 1, dirty: true }],
      }),
      false,
    );
    expect(written?.isCurrent).toBe(false);
    expect(await rows(`select amount from holds where id = 'call'`)).toEqual([[100]]);
    expect(await rows('select scope from limit_windows')).toEqual([]);
  },
);

test('entries, logs, sums, minutes, notices and channels are added', async () => {
  for (const [id, used_quota] of [
    [71, 10],
    [72, 10],
    [73, 10],
  ] as const)
    await insert('channels', { id, name: '', used_quota });
  const usage = {
    at: 3600,
    userId: 51,
    tokenId: 61,
    channelId: 71,
    modelName: 'm',
    count: 1,
    quota: 2,
    promptTokens: 3,
    completionTokens: 4,
    errorCount: 5,
    useTimeMs: 6,
    firstTokenMs: 7,
  };
  const margin = {
    at: 86_400,
    channelId: 71,
    modelName: 'm',
    group: 'g',
    userId: 51,
    count: 1,
    quota: 2,
    cost: 3,
    costedCount: 4,
    costedQuota: 5,
  };
  const entry = {
    idem: 'call',
    at: 8,
    userId: 51,
    debit: 'user:51',
    credit: 'revenue',
    amount: 9,
    kind: 'use',
    reference: 'r',
  };
  const row = {
    type: 2,
    user_id: 51,
    username: 'ann',
    token_id: 61,
    token_name: 'key',
    model_name: 'm',
    upstream_model: 'u',
    channel_id: 71,
    channel_name: 'c',
    group: 'g',
    prompt_tokens: 3,
    completion_tokens: 4,
    use_time: 5,
    is_stream: 1,
    estimated: 1,
    ip: '10.0.0.1',
    content: 'text',
    other: '{}',
    member_id: 6,
    project_id: 7,
    service_account_id: 8,
    budgets: '91',
    tags: '{"a":"b"}',
  } as const;
  const log = (requestId: string, quota: number, cost: number | null, more: object = {}) => ({
    at: 8,
    requestId,
    quota,
    cost,
    row: { ...row, ...more },
    values: logValues({ ...row, ...more }),
  });
  await insert('logs', { request_id: 'late', type: 2, created_at: 5, user_id: 51, quota: 99 });
  await insert('logs', { request_id: 'late', type: 5, created_at: 5, user_id: 51, quota: 99 });
  await insert('logs', { request_id: 'bystander', type: 2, created_at: 5, user_id: 51, quota: 99 });
  const added = changes({
    entries: [entry],
    logs: [log('call', 9, 4), log('free', 0, null)],
    correctedLogs: [log('late', 12, 6, { content: 'corrected' })],
    usage: [usage, { ...usage, modelName: 'n' }],
    margins: [margin],
    unsummed: [{ days: 1, day: 86_400 }],
    ended: [{ counterId: 91, start: 1, end: 2, spent: 3 }],
    windows: [{ scope: 'x', start: 60, used: 4, dirty: true }],
    notices: [{ at: 5, userId: 51, event: 'low_balance', details: '{}', onceKey: 'k' }],
    channels: [
      { id: 72, quota: -50 },
      { id: 71, quota: 5 },
    ],
  });
  await writeChanges(client, added, true);
  await store.db.updateTable('margin_summed').set({ is_summed: 1 }).execute();
  const again = { entries: [], logs: [], correctedLogs: [] };
  await writeChanges(
    client,
    { ...added, ...again, windows: [{ scope: 'x', start: 60, used: 9, dirty: true }] },
    false,
  );
  expect(
    await rows(
      'select idem, created_at, user_id, debit_account, credit_account, amount, kind, reference from ledger',
    ),
  ).toEqual([['call', 8, 51, 'user:51', 'revenue', 9, 'use', 'r']]);
  const columns = Object.keys(row).map((name) => `"${name}"`);
  expect(
    await rows(
      `select request_id, quota, cost, created_at, ${columns.join(', ')} from logs where quota <> 99 order by quota`,
    ),
  ).toEqual([
    ['free', 0, null, 8, ...Object.values(row)],
    ['call', 9, 4, 8, ...Object.values(row)],
    ['late', 12, 6, 5, ...Object.values({ ...row, content: 'corrected' })],
  ]);
  expect(await rows('select request_id, type from logs where quota = 99 order by type')).toEqual([
    ['bystander', 2],
    ['late', 5],
  ]);
  expect(
    await rows(
      `select hour, user_id, token_id, channel_id, model_name, count, quota, prompt_tokens, completion_tokens, error_count,
        use_time_ms, first_token_ms from usage_hours order by model_name`,
    ),
  ).toEqual([
    [3600, 51, 61, 71, 'm', 2, 4, 6, 8, 10, 12, 14],
    [3600, 51, 61, 71, 'n', 2, 4, 6, 8, 10, 12, 14],
  ]);
  expect(
    await rows(
      'select day, channel_id, model_name, "group", user_id, count, quota, cost, costed_count, costed_quota from margin_days',
    ),
  ).toEqual([[86_400, 71, 'm', 'g', 51, 2, 4, 6, 8, 10]]);
  expect(await rows('select days, day, changes, is_summed from margin_summed')).toEqual([[1, 86_400, 2, 0]]);
  expect(await rows('select counter_id, window_start, window_end, spent from budget_windows')).toEqual([
    [91, 1, 2, 6],
  ]);
  expect(await rows('select scope, window_start, used from limit_windows')).toEqual([['x', 60, 9]]);
  expect(
    await rows('select created_at, user_id, event, details, once_key, dispatched_at from notices'),
  ).toEqual([[5, 51, 'low_balance', '{}', 'k', 0]]);
  expect(await rows('select id, used_quota from channels order by id')).toEqual([
    [71, 20],
    [72, 0],
    [73, 10],
  ]);
});
