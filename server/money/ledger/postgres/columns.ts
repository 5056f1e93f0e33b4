// The columns that a batch binds, table by table: type, name, and how the value is read from a row.
import { LOG_COLUMNS } from '#server/money/ledger/engine/log-columns.ts';
import type { HoldState } from '#server/money/ledger/engine/rows.ts';
import { HOLD_FIELDS } from '#server/money/ledger/engine/states.ts';
import type { KnownCounter, KnownSubscription, KnownToken, KnownUser } from './loaded.ts';
import type { StorableLog } from './rows.ts';

export type Type = 'bigint' | 'text' | 'xid';

export interface Column<Row> {
  type: Type;
  name: string;
  of: (row: Row) => number | string | null;
}

/** Null where the value is unknown. */
export const whole = <Row>(name: string, of: (row: Row) => number | null): Column<Row> => ({
  type: 'bigint',
  name,
  of,
});
export const text = <Row>(name: string, of: (row: Row) => string): Column<Row> => ({
  type: 'text',
  name,
  of,
});
export const version = <Row extends { version: number }>(): Column<Row> => ({
  type: 'xid',
  name: 'version',
  of: (row) => row.version,
});

const LOG_TYPES: Partial<Record<(typeof LOG_COLUMNS)[number], Type>> = {
  type: 'bigint',
  user_id: 'bigint',
  token_id: 'bigint',
  channel_id: 'bigint',
  prompt_tokens: 'bigint',
  completion_tokens: 'bigint',
  use_time: 'bigint',
  is_stream: 'bigint',
  estimated: 'bigint',
  member_id: 'bigint',
  project_id: 'bigint',
  service_account_id: 'bigint',
};
export const logFigures: readonly Column<StorableLog>[] = [
  whole('quota', (log) => log.quota),
  whole('cost', (log) => log.cost),
  ...LOG_COLUMNS.map((name, index): Column<StorableLog> => ({
    type: LOG_TYPES[name] ?? 'text',
    name,
    of: (log) => log.values[index] ?? '',
  })),
];

export const namesOf = (columns: readonly { name: string }[]) =>
  columns.map(({ name }) => `"${name}"`).join(', ');
/** Columns of the table with the names of the bound ones. */
export const assignments = (columns: readonly { name: string }[]) =>
  columns
    .slice(1)
    .map(({ name }) => `"${name}" = x."${name}"`)
    .join(', ');

export const userFigures: readonly Column<KnownUser>[] = [
  whole('id', (user) => user.id),
  whole('quota', (user) => user.quota),
  whole('held_quota', (user) => user.held),
  whole('used_quota', (user) => user.used),
  whole('request_count', (user) => user.requestCount),
  whole('low_balance_mail_at', (user) => user.lowBalanceNoticeAt),
  whole('plan_held_quota', (user) => user.planHeld),
];

export const tokenFigures: readonly Column<KnownToken>[] = [
  whole('id', (token) => token.id),
  whole('status', (token) => token.status),
  whole('remain_quota', (token) => token.remain),
  whole('held_quota', (token) => token.held),
  whole('used_quota', (token) => token.used),
  whole('accessed_time', (token) => token.accessedTime),
];
export const subscriptionFigures: readonly Column<KnownSubscription>[] = [
  whole('id', (subscription) => subscription.id),
  text('status', (subscription) => (subscription.isActive ? 'active' : 'ended')),
  whole('period', (subscription) => subscription.period),
  whole('period_ends_at', (subscription) => subscription.periodEndsAt),
  whole('quota', (subscription) => subscription.quota),
  whole('held', (subscription) => subscription.held),
  whole('ended_at', (subscription) => subscription.endedAt),
];

export const counterFigures: readonly Column<KnownCounter>[] = [
  whole('id', (counter) => counter.id),
  whole('extra', (counter) => counter.extra),
  whole('spent', (counter) => counter.spent),
  whole('held', (counter) => counter.held),
  whole('noticed', (counter) => counter.noticed),
  whole('window_start', (counter) => counter.windowStart),
  whole('window_end', (counter) => counter.windowEnd),
];

const HOLD_TEXTS: ReadonlySet<string> = new Set(['nodeId', 'checkpoint', 'snapshot', 'budgets']);

const holdColumnsOf = (fields: readonly (keyof typeof HOLD_FIELDS)[]): readonly Column<HoldState>[] => [
  text('id', (hold) => hold.id),
  ...fields.map((field): Column<HoldState> => ({
    type: HOLD_TEXTS.has(field) ? 'text' : 'bigint',
    name: HOLD_FIELDS[field],
    of: ({ [field]: value }) => (typeof value === 'boolean' ? Number(value) : value),
  })),
];

export const newHoldColumns = holdColumnsOf(Object.keys(HOLD_FIELDS) as (keyof typeof HOLD_FIELDS)[]);
export const holdFigures = holdColumnsOf([
  'nodeId',
  'epoch',
  'amount',
  'dispatched',
  'checkpointQuota',
  'checkpoint',
  'snapshot',
  'planAmount',
]);
