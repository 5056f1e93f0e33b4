// Reads the rows a batch touches, in one statement. With locks: holds first, then users, then tokens, each in id order, so
// that two batches that want the same rows wait for each other instead of deadlocking.
import type { ClientBase } from 'pg';
import type { BudgetCalendar } from '#contract/money/budget-windows.ts';
import {
  hasLimits,
  projectSubject,
  requestScope,
  tokenScope,
  windowStart,
} from '#server/money/ledger/engine/limits.ts';
import { TASK_NODE } from '#server/money/ledger/engine/reserve.ts';
import type { Subject } from '#server/money/ledger/engine/operations.ts';
import { aboveHoldKey } from '#server/money/ledger/engine/above-hold.ts';
import { lateKey, RECOVERED_REFERENCE, suspenseKey } from '#server/money/ledger/engine/late.ts';
import type { BookedEntry, LogEntry, SubjectLimits } from '#server/money/ledger/engine/rows.ts';
import { SLICE_PATTERN } from '#server/money/ledger/engine/slice.ts';
import { planKey } from '#server/money/ledger/engine/subscriptions.ts';
import {
  callLogOf,
  COUNTER_COLUMNS,
  counterState,
  HOLD_COLUMNS,
  holdState,
  SUBSCRIPTION_COLUMNS,
  subscriptionState,
  TOKEN_COLUMNS,
  tokenState,
  USER_COLUMNS,
  userState,
  type CounterRow,
  type HoldRow,
  type SubscriptionRow,
  type TokenRow,
  type UserRow,
} from '#server/money/ledger/engine/states.ts';
import type { Row } from '#server/platform/store/schema.ts';
import { nothingBooked, type BookedBefore, type Loaded, type Wanted } from './loaded.ts';

/** Of a log row. */
const CHARGE_TYPE = 2;
const FAILURE_TYPE = 5;

const columns = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ');

const VERSION = 'xmin::text::bigint as version';
const userList = `id, ${VERSION}, ${columns(USER_COLUMNS)}`;
const tokenList = `id, ${VERSION}, ${columns(TOKEN_COLUMNS)}`;
const subscriptionList = `id, ${VERSION}, ${columns(SUBSCRIPTION_COLUMNS)}`;
const counterColumns = `id, ${VERSION}, ${columns(COUNTER_COLUMNS)}`;
const NOW_MS = '(extract(epoch from clock_timestamp()) * 1000)::bigint as "nowMs"';
const listOf = (table: string) => `(select coalesce(json_agg(row_to_json(${table})), '[]') from ${table})`;

// The locked row may be newer than the statement's snapshot; PostgreSQL returns the newest version of a row it locks.
const lockText = `
  with h as materialized (
    select id, ${VERSION}, ${columns(HOLD_COLUMNS)} from holds where id = any($1::text[]) order by id for update
  ), u as materialized (
    select ${userList} from users
    where id = any($2::bigint[]) or id = any(array(select user_id from h)) order by id for no key update
  ), t as materialized (
    select ${tokenList} from tokens
    where (id = any($3::bigint[]) or id = any(array(select token_id from h))) and (select count(*) from u) >= 0
    order by id for no key update
  ), s as materialized (
    select ${subscriptionList} from subscriptions
    where (id = any($4::bigint[]) or id = any(array(select subscription_id from h))) and (select count(*) from t) >= 0
    order by id for no key update
  ), b as materialized (
    select ${counterColumns} from budget_counters
    where (id = any($5::bigint[])
        or id = any(array(select unnest(string_to_array(budgets, ','))::bigint from h where budgets <> '')))
      and (select count(*) from s) >= 0
    order by id for no key update
  )
  select ${NOW_MS}, ${listOf('u')} as users, ${listOf('t')} as tokens, ${listOf('s')} as subscriptions,
    ${listOf('b')} as counters, ${listOf('h')} as holds`;

/** `more`: of batches with calls that a subscription may pay for, or that count in budgets. */
const readText = (more: string, subscriptions: string, counters: string) => `
  with u as (select ${userList} from users where id = any($1::bigint[])),
    t as (select ${tokenList} from tokens where id = any($2::bigint[])) ${more}
  select ${NOW_MS}, ${listOf('u')} as users, ${listOf('t')} as tokens, ${subscriptions} as subscriptions,
    ${counters} as counters, '[]'::json as holds`;
const readPlainText = readText('', `'[]'::json`, `'[]'::json`);
const readMoreText = readText(
  `, s as (select ${subscriptionList} from subscriptions where id = any($3::bigint[])),
    b as (select ${counterColumns} from budget_counters where id = any($4::bigint[]))`,
  listOf('s'),
  listOf('b'),
);

interface ReadRows {
  nowMs: number;
  users: (UserRow & { id: number; version: number })[];
  tokens: (TokenRow & { id: number; version: number })[];
  subscriptions: (SubscriptionRow & { id: number; version: number })[];
  counters: (CounterRow & { id: number; version: number })[];
  holds: (HoldRow & { id: string; version: number })[];
}

/** Locks the rows until the transaction ends. */
export async function lockRows(client: ClientBase, wanted: Wanted, budgets: BudgetCalendar): Promise<Loaded> {
  const { requestIds, userIds, tokenIds, subscriptionIds, counterIds } = wanted;
  const values = [requestIds, userIds, tokenIds, subscriptionIds, counterIds];
  const { rows } = await client.query<ReadRows>({ name: 'ledger-lock', text: lockText, values });
  const loaded = loadedOf(rows[0]);
  await loadLimits(client, loaded, budgets);
  return loaded;
}

/** Users, tokens and what their limits count, without locks: the writing statement verifies that they have not changed. */
export async function readRows(client: ClientBase, wanted: Wanted, budgets: BudgetCalendar): Promise<Loaded> {
  const { userIds, tokenIds, subscriptionIds, counterIds } = wanted;
  const plain = { name: 'ledger-read', text: readPlainText, values: [userIds, tokenIds] };
  const more = {
    name: 'ledger-read-more',
    text: readMoreText,
    values: [userIds, tokenIds, subscriptionIds, counterIds],
  };
  const isPlain = subscriptionIds.length === 0 && counterIds.length === 0;
  const { rows } = await client.query<ReadRows>(isPlain ? plain : more);
  const loaded = loadedOf(rows[0]);
  await loadLimits(client, loaded, budgets);
  return loaded;
}

function loadedOf(read: ReadRows | undefined): Loaded {
  if (read === undefined) throw new Error('the database answered without a row');
  return {
    nowMs: read.nowMs,
    now: Math.floor(read.nowMs / 1000),
    users: byId(read.users, userState),
    tokens: byId(read.tokens, tokenState),
    subscriptions: byId(read.subscriptions, subscriptionState),
    counters: byId(read.counters, counterState),
    holds: byId(read.holds, holdState),
    windows: new Map(),
    running: new Map(),
    spent: new Map(),
  };
}

const byId = <Id, Read extends { id: Id; version: number }, State>(
  rows: readonly Read[],
  stateOf: (id: Id, row: Read) => State,
) => new Map(rows.map((row) => [row.id, { ...stateOf(row.id, row), version: row.version }]));

interface Limited extends SubjectLimits {
  subject: Subject;
  id: number;
  userId: number;
}

/** Only users and tokens that have limits cost these queries. They run after the locks, so the figures are current. */
async function loadLimits(client: ClientBase, loaded: Loaded, budgets: BudgetCalendar): Promise<void> {
  const limited: Limited[] = [];
  for (const user of loaded.users.values()) {
    if (hasLimits(user)) limited.push({ ...user, subject: 'user', userId: user.id });
  }
  for (const token of loaded.tokens.values()) {
    if (hasLimits(token)) limited.push({ ...token, subject: 'token' });
    if (token.project !== undefined)
      limited.push({ ...projectSubject(token.project), subject: 'project', userId: token.userId });
  }
  if (limited.length === 0) return;
  await loadWindows(client, loaded, limited);
  await loadRunning(client, loaded, limited);
  const starts = (['day', 'month'] as const).map((period) => budgets(period, loaded.now).start);
  for (const subject of ['user', 'token'] as const) {
    const budgeted = limited.filter(
      (row) => row.subject === subject && (row.dayBudget > 0 || row.monthBudget > 0),
    );
    await loadSpent(client, loaded, subject, { ids: budgeted.map(({ id }) => id), starts });
  }
}

async function loadWindows(client: ClientBase, loaded: Loaded, limited: readonly Limited[]): Promise<void> {
  const scopes = limited.flatMap(({ subject, id, requestsPerMinute, tokensPerMinute }) => [
    ...(requestsPerMinute > 0 ? [requestScope(subject, id)] : []),
    ...(tokensPerMinute > 0 ? [tokenScope(subject, id)] : []),
  ]);
  if (scopes.length === 0) return;
  const { rows } = await client.query<{ scope: string; window_start: number; used: number }>({
    name: 'ledger-windows',
    text: 'select scope, window_start, used from limit_windows where scope = any($1::text[]) and window_start >= $2',
    values: [scopes, windowStart(loaded.now) - 60],
  });
  for (const row of rows) loaded.windows.set(`${row.scope}@${row.window_start}`, row.used);
}

async function loadRunning(client: ClientBase, loaded: Loaded, limited: readonly Limited[]): Promise<void> {
  const userIds = limited.filter((row) => row.concurrentCalls > 0).map((row) => row.userId);
  if (userIds.length === 0) return;
  const { rows } = await client.query<{ user_id: number; token_id: number; count: number }>({
    name: 'ledger-running',
    text: `select user_id, token_id, count(*) as count from holds
      where user_id = any($1::bigint[]) and node_id <> $2 and id not like $3 group by user_id, token_id`,
    values: [userIds, TASK_NODE, SLICE_PATTERN],
  });
  for (const row of rows) {
    addTo(loaded.running, `user:${row.user_id}`, row.count);
    addTo(loaded.running, `token:${row.token_id}`, row.count);
  }
}

async function loadSpent(
  client: ClientBase,
  loaded: Loaded,
  subject: Subject,
  { ids, starts: [day = 0, month = 0] }: { ids: readonly number[]; starts: readonly number[] },
): Promise<void> {
  if (ids.length === 0) return;
  const column = subject === 'user' ? 'user_id' : 'token_id';
  const { rows } = await client.query<{ id: number; day: number; month: number }>({
    name: `ledger-spent-${subject}`,
    text: `select ${column} as id, coalesce(sum(quota) filter (where hour >= $2), 0) as day, coalesce(sum(quota) filter (where hour >= $3), 0) as month
      from usage_hours where ${column} = any($1::bigint[]) and hour >= $4 group by ${column}`,
    values: [ids, day, month, Math.min(day, month)],
  });
  for (const row of rows) {
    // On the first of a month both begin at the same hour and have the same sum.
    loaded.spent.set(`${subject}:${row.id}:${month}`, row.month);
    loaded.spent.set(`${subject}:${row.id}:${day}`, row.day);
  }
}

function addTo(sums: Map<string, number>, key: string, amount: number): void {
  sums.set(key, (sums.get(key) ?? 0) + amount);
}

/** Read only when the end of a call finds no hold. `failed`: calls whose log row of a failure is wanted. */
export async function loadBooked(
  client: ClientBase,
  requestIds: readonly string[],
  failed: readonly string[],
): Promise<BookedBefore> {
  if (requestIds.length === 0) return nothingBooked;
  const idems = requestIds.flatMap((id) => [
    id,
    planKey(id),
    lateKey(id),
    planKey(lateKey(id)),
    suspenseKey(id),
    aboveHoldKey(id),
  ]);
  const { rows } = await client.query<BookedEntry & { idem: string }>({
    name: 'ledger-booked',
    text: 'select idem, amount, kind, reference, created_at as at from ledger where idem = any($1::text[])',
    values: [idems],
  });
  const recovered = rows.filter((row) => row.reference === RECOVERED_REFERENCE).map((row) => row.idem);
  const logs = [
    ...(await loadCallLogs(client, recovered, CHARGE_TYPE)),
    ...(await loadCallLogs(client, failed, FAILURE_TYPE)),
  ];
  return {
    entries: new Map(rows.map((row) => [row.idem, row])),
    logs: new Map(logs.map((log) => [log.requestId, log])),
  };
}

async function loadCallLogs(
  client: ClientBase,
  requestIds: readonly string[],
  type: number,
): Promise<LogEntry[]> {
  if (requestIds.length === 0) return [];
  const { rows } = await client.query<Row<'logs'>>({
    name: 'ledger-logs',
    text: 'select * from logs where request_id = any($1::text[]) and type = $2 order by id desc',
    values: [requestIds, type],
  });
  return rows.map(callLogOf);
}
