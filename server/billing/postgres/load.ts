// Locks and reads all rows a batch touches: holds first, then users, then tokens, each in id order, so that two batches
// that want the same rows wait for each other instead of deadlocking. One statement, one round trip.
import type { PoolClient } from 'pg';
import {
  dayStart,
  hasLimits,
  monthStart,
  requestScope,
  tokenScope,
  windowStart,
} from '#server/billing/engine/limits.ts';
import { taskNode } from '#server/billing/engine/reserve.ts';
import type {
  HoldState,
  Subject,
  SubjectLimits,
  TokenState,
  UserState,
} from '#server/billing/engine/rows.ts';
import {
  holdColumns,
  holdState,
  tokenColumns,
  tokenState,
  userColumns,
  userState,
  type HoldRow,
  type TokenRow,
  type UserRow,
} from '#server/billing/engine/states.ts';

/** What the operations of a batch name. */
export interface Wanted {
  requestIds: string[];
  userIds: number[];
  tokenIds: number[];
}

export interface Loaded {
  now: number;
  users: Map<number, UserState>;
  tokens: Map<number, TokenState>;
  holds: Map<string, HoldState>;
  /** `scope@start` → used. */
  windows: Map<string, number>;
  /** `subject:id` → running calls. */
  running: Map<string, number>;
  /** `subject:id:hour` → quota. */
  spent: Map<string, number>;
}

const columns = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ');

// The locked row may be newer than the statement's snapshot; PostgreSQL returns the newest version of a row it locks.
const lockText = `
  with h as materialized (
    select id, ${columns(holdColumns)} from holds where id = any($1::text[]) order by id for update
  ), u as materialized (
    select id, ${columns(userColumns)} from users
    where id = any($2::bigint[]) or id = any(array(select user_id from h)) order by id for no key update
  ), t as materialized (
    select id, ${columns(tokenColumns)} from tokens
    where (id = any($3::bigint[]) or id = any(array(select token_id from h))) and (select count(*) from u) >= 0
    order by id for no key update
  )
  select extract(epoch from clock_timestamp())::bigint as now,
    (select coalesce(json_agg(row_to_json(u)), '[]') from u) as users,
    (select coalesce(json_agg(row_to_json(t)), '[]') from t) as tokens,
    (select coalesce(json_agg(row_to_json(h)), '[]') from h) as holds`;

interface LockedRows {
  now: number;
  users: (UserRow & { id: number })[];
  tokens: (TokenRow & { id: number })[];
  holds: (HoldRow & { id: string })[];
}

export async function loadRows(client: PoolClient, wanted: Wanted): Promise<Loaded> {
  const values = [wanted.requestIds, wanted.userIds, wanted.tokenIds];
  const { rows } = await client.query<LockedRows>({ name: 'ledger-lock', text: lockText, values });
  const locked = rows[0] ?? { now: Math.floor(Date.now() / 1000), users: [], tokens: [], holds: [] };
  const loaded: Loaded = {
    now: locked.now,
    users: new Map(locked.users.map((row) => [row.id, userState(row.id, row)])),
    tokens: new Map(locked.tokens.map((row) => [row.id, tokenState(row.id, row)])),
    holds: new Map(locked.holds.map((row) => [row.id, holdState(row.id, row)])),
    windows: new Map(),
    running: new Map(),
    spent: new Map(),
  };
  await loadLimits(client, loaded);
  return loaded;
}

interface Limited extends SubjectLimits {
  subject: Subject;
  id: number;
  userId: number;
}

/** Only users and tokens that have limits cost these queries. They run after the locks, so the figures are current. */
async function loadLimits(client: PoolClient, loaded: Loaded): Promise<void> {
  const limited: Limited[] = [];
  for (const user of loaded.users.values()) {
    if (hasLimits(user)) limited.push({ ...user, subject: 'user', userId: user.id });
  }
  for (const token of loaded.tokens.values()) {
    if (hasLimits(token)) limited.push({ ...token, subject: 'token' });
  }
  if (limited.length === 0) return;
  await loadWindows(client, loaded, limited);
  await loadRunning(client, loaded, limited);
  await loadSpent(client, loaded, limited, 'user');
  await loadSpent(client, loaded, limited, 'token');
}

async function loadWindows(client: PoolClient, loaded: Loaded, limited: readonly Limited[]): Promise<void> {
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

async function loadRunning(client: PoolClient, loaded: Loaded, limited: readonly Limited[]): Promise<void> {
  const userIds = limited.filter((row) => row.concurrentCalls > 0).map((row) => row.userId);
  if (userIds.length === 0) return;
  const { rows } = await client.query<{ user_id: number; token_id: number; count: number }>({
    name: 'ledger-running',
    text: `select user_id, token_id, count(*) as count from holds
      where user_id = any($1::bigint[]) and node_id <> $2 group by user_id, token_id`,
    values: [userIds, taskNode],
  });
  for (const row of rows) {
    addTo(loaded.running, `user:${row.user_id}`, row.count);
    addTo(loaded.running, `token:${row.token_id}`, row.count);
  }
}

async function loadSpent(
  client: PoolClient,
  loaded: Loaded,
  limited: readonly Limited[],
  subject: Subject,
): Promise<void> {
  const ids = limited
    .filter((row) => row.subject === subject && (row.dayBudget > 0 || row.monthBudget > 0))
    .map((row) => row.id);
  if (ids.length === 0) return;
  const column = subject === 'user' ? 'user_id' : 'token_id';
  const [day, month] = [dayStart(loaded.now), monthStart(loaded.now)];
  const { rows } = await client.query<{ id: number; day: number; month: number }>({
    name: `ledger-spent-${subject}`,
    text: `select ${column} as id, coalesce(sum(quota) filter (where hour >= $2), 0) as day, sum(quota) as month
      from usage_hours where ${column} = any($1::bigint[]) and hour >= $3 group by ${column}`,
    values: [ids, day, month],
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

/** Entries booked earlier under these keys; asked only when a settlement finds no hold. */
export async function loadBooked(
  client: PoolClient,
  idems: readonly string[],
): Promise<Map<string, { amount: number; reference: string }>> {
  const { rows } = await client.query<{ idem: string; amount: number; reference: string }>({
    name: 'ledger-booked',
    text: 'select idem, amount, reference from ledger where idem = any($1::text[])',
    values: [idems],
  });
  return new Map(rows.map((row) => [row.idem, row]));
}
