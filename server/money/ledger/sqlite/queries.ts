// The SQL of the writer thread, prepared once. Every text is fixed; values are bound.
import type { SQLQueryBindings, Statement } from 'bun:sqlite';
import type { Row } from '#server/platform/store/schema.ts';
import type { WriterContext } from '#server/platform/store/sqlite/writer-thread.ts';
import { LOG_COLUMNS } from '#server/money/ledger/engine/log-columns.ts';
import { REVIEW_NODE, TASK_NODE } from '#server/money/ledger/engine/reserve.ts';
import type { BookedEntry } from '#server/money/ledger/engine/rows.ts';
import {
  COUNTER_COLUMNS,
  HOLD_COLUMNS,
  SUBSCRIPTION_COLUMNS,
  TOKEN_COLUMNS,
  USER_COLUMNS,
  type CounterRow,
  type HoldRow,
  type SubscriptionRow,
  type TokenRow,
  type UserRow,
} from '#server/money/ledger/engine/states.ts';
import {
  addSums,
  BUDGET_WINDOWS,
  fieldsOf,
  MARGIN_DAYS,
  HOLDER_HOURS,
  USAGE_HOURS,
  type SumTable,
} from '#server/money/ledger/engine/sum-tables.ts';

const valuesOf = <Entry>(table: SumTable<Entry>) =>
  `values (${fieldsOf(table)
    .map(() => '?')
    .join()})`;
const columns = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ');
const ALL_LOG_COLUMNS = ['created_at', 'request_id', 'quota', 'cost', ...LOG_COLUMNS];

export type Queries = ReturnType<typeof prepare>;

export function prepare(context: WriterContext) {
  const query = <T>(sql: string) => context.statement(sql) as Statement<T, SQLQueryBindings[]>;
  return {
    findUser: query<UserRow>(`select ${columns(USER_COLUMNS)} from users where id = ?`),
    updateUser: query(
      `update users set quota = ?, held_quota = ?, used_quota = ?, request_count = ?, low_balance_mail_at = ? where id = ?`,
    ),
    updateUserPlanHeld: query(`update users set plan_held_quota = ? where id = ?`),
    findSubscription: query<SubscriptionRow>(
      `select ${columns(SUBSCRIPTION_COLUMNS)} from subscriptions where id = ?`,
    ),
    updateSubscription: query(
      `update subscriptions set status = ?, period = ?, period_ends_at = ?, quota = ?, held = ?, ended_at = ?
        where id = ?`,
    ),
    findCounter: query<CounterRow>(`select ${columns(COUNTER_COLUMNS)} from budget_counters where id = ?`),
    updateCounter: query(
      `update budget_counters set extra = ?, spent = ?, held = ?, noticed = ?, window_start = ?, window_end = ? where id = ?`,
    ),
    findToken: query<TokenRow>(`select ${columns(TOKEN_COLUMNS)} from tokens where id = ?`),
    updateToken: query(
      `update tokens set remain_quota = ?, held_quota = ?, used_quota = ?, accessed_time = ? where id = ?`,
    ),
    // A statement of its own: the CHECK of the status costs more than the other columns together.
    updateTokenStatus: query(`update tokens set status = ? where id = ?`),
    // A late settlement may take back more than is left after the operator has set the figure to zero.
    addChannel: query(`update channels set used_quota = max(0, used_quota + ?) where id = ?`),
    addUsage: query(addSums(USAGE_HOURS, valuesOf(USAGE_HOURS))),
    addHolder: query(addSums(HOLDER_HOURS, valuesOf(HOLDER_HOURS))),
    addMargin: query(addSums(MARGIN_DAYS, valuesOf(MARGIN_DAYS))),
    addWindow: query(addSums(BUDGET_WINDOWS, valuesOf(BUDGET_WINDOWS))),
    unsumMargins: query(
      `insert into margin_summed (days, day, changes) values (?, ?, 1)
        on conflict (days, day) do update set is_summed = 0, changes = changes + 1`,
    ),
    findWindow: query<{ used: number }>(
      `select used from limit_windows where scope = ? and window_start = ?`,
    ),
    putWindow: query(
      `insert into limit_windows (scope, window_start, used) values (?, ?, ?)
        on conflict (scope, window_start) do update set used = excluded.used`,
    ),
    forgetWindows: query(`delete from limit_windows where window_start < ?`),
    insertHold: query(
      `insert into holds (id, user_id, token_id, node_id, epoch, amount, created_at, expires_at, snapshot)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (id) do nothing`,
    ),
    // Separate from the insert, because most holds have no part of a subscription.
    setHoldPlan: query(
      `update holds set subscription_id = ?, plan_amount = ?, plan_period = ?, plan_first = ? where id = ?`,
    ),
    setHoldBudgets: query(`update holds set budgets = ? where id = ?`),
    findHold: query<HoldRow>(`select ${columns(HOLD_COLUMNS)} from holds where id = ?`),
    deleteHold: query<HoldRow>(`delete from holds where id = ? returning ${columns(HOLD_COLUMNS)}`),
    updateHold: query(
      `update holds set node_id = ?, epoch = ?, amount = ?, dispatched = ?, checkpoint_quota = ?, checkpoint = ?,
        snapshot = ? where id = ?`,
    ),
    countUserHolds: query<{ count: number }>(
      `select count(*) as count from holds where user_id = ? and node_id <> ?`,
    ),
    countTokenHolds: query<{ count: number }>(
      `select count(*) as count from holds where user_id = ? and token_id = ? and node_id <> ?`,
    ),
    abandonedHolds: query<{ id: string }>(
      `select id from holds where (node_id not in ('${TASK_NODE}', '${REVIEW_NODE}') and (node_id <> ?1 or epoch <> ?2))
        or (expires_at < ?3 and node_id <> '${REVIEW_NODE}') order by created_at limit ?4`,
    ),
    sumUserHours: query<{ quota: number | null }>(
      `select sum(quota) as quota from usage_hours where user_id = ? and hour >= ?`,
    ),
    sumTokenHours: query<{ quota: number | null }>(
      `select sum(quota) as quota from usage_hours where token_id = ? and hour >= ?`,
    ),
    findEntry: query<BookedEntry>(
      `select amount, kind, reference, created_at as "at" from ledger where idem = ?`,
    ),
    insertEntry: query(
      `insert into ledger (idem, created_at, user_id, debit_account, credit_account, amount, kind, reference)
        values (?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    insertLog: query(
      `insert into logs (${columns(ALL_LOG_COLUMNS)}) values (${ALL_LOG_COLUMNS.map(() => '?').join(', ')})`,
    ),
    findCallLog: query<Row<'logs'>>(
      `select * from logs where request_id = ? and type = 2 order by id limit 1`,
    ),
    updateCallLog: query(
      `update logs set ${['quota', 'cost', ...LOG_COLUMNS].map((name) => `"${name}" = ?`).join(', ')}
        where request_id = ? and type = 2`,
    ),
    insertNotice: query(
      `insert or ignore into notices (created_at, user_id, event, details, once_key, dispatched_at) values (?, ?, ?, ?, ?, 0)`,
    ),
    beginEpoch: query<{ epoch: number }>(
      `insert into nodes (id, epoch, heartbeat_at, started_at, host, version) values (?, 1, ?, ?, ?, ?)
        on conflict (id) do update set epoch = epoch + 1, heartbeat_at = excluded.heartbeat_at,
        started_at = excluded.started_at, host = excluded.host, version = excluded.version returning epoch`,
    ),
  };
}
