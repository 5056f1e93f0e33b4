// Database rows as the engine works on them.
import type { Row } from '#server/platform/store/schema.ts';
import type {
  CounterState,
  HoldState,
  LogEntry,
  ProjectLimits,
  SubscriptionState,
  TokenState,
  UserState,
} from './rows.ts';

export const USER_COLUMNS = [
  'status',
  'deleted_at',
  'quota',
  'held_quota',
  'plan_held_quota',
  'used_quota',
  'request_count',
  'low_balance_mail_at',
  'requests_per_minute',
  'tokens_per_minute',
  'concurrent_calls',
  'day_budget',
  'month_budget',
] as const satisfies readonly (keyof Row<'users'>)[];

export const TOKEN_COLUMNS = [
  'user_id',
  'status',
  'deleted_at',
  'project_id',
  'project_requests_per_minute',
  'project_tokens_per_minute',
  'expired_time',
  'unlimited_quota',
  'remain_quota',
  'held_quota',
  'used_quota',
  'accessed_time',
  'requests_per_minute',
  'tokens_per_minute',
  'concurrent_calls',
  'day_budget',
  'month_budget',
] as const satisfies readonly (keyof Row<'tokens'>)[];

/** Fields of a hold, and their columns. */
export const HOLD_FIELDS = {
  userId: 'user_id',
  tokenId: 'token_id',
  nodeId: 'node_id',
  epoch: 'epoch',
  amount: 'amount',
  createdAt: 'created_at',
  expiresAt: 'expires_at',
  dispatched: 'dispatched',
  checkpointQuota: 'checkpoint_quota',
  checkpoint: 'checkpoint',
  snapshot: 'snapshot',
  subscriptionId: 'subscription_id',
  planAmount: 'plan_amount',
  planPeriod: 'plan_period',
  isPlanFirst: 'plan_first',
  budgets: 'budgets',
} as const satisfies Partial<Record<keyof HoldState, keyof Row<'holds'>>>;

export const HOLD_COLUMNS = Object.values(HOLD_FIELDS);

const SUBSCRIPTION_FIELDS = {
  userId: 'user_id',
  isActive: 'status',
  startedAt: 'started_at',
  endsAt: 'ends_at',
  intervalUnit: 'interval_unit',
  intervalCount: 'interval_count',
  periods: 'periods',
  period: 'period',
  periodEndsAt: 'period_ends_at',
  periodQuota: 'period_quota',
  quota: 'quota',
  held: 'held',
  endedAt: 'ended_at',
} as const satisfies Partial<Record<keyof SubscriptionState, keyof Row<'subscriptions'>>>;

export const SUBSCRIPTION_COLUMNS = Object.values(SUBSCRIPTION_FIELDS);

const COUNTER_FIELDS = {
  organizationId: 'organization_id',
  name: 'name',
  value: 'value',
  period: 'period',
  isHard: 'is_hard',
  quota: 'quota',
  extra: 'extra',
  spent: 'spent',
  held: 'held',
  noticed: 'noticed',
  windowStart: 'window_start',
  windowEnd: 'window_end',
} as const satisfies Partial<Record<keyof CounterState, keyof Row<'budget_counters'>>>;

export const COUNTER_COLUMNS = Object.values(COUNTER_FIELDS);

export type UserRow = Pick<Row<'users'>, (typeof USER_COLUMNS)[number]>;
export type TokenRow = Pick<Row<'tokens'>, (typeof TOKEN_COLUMNS)[number]>;
export type HoldRow = Pick<Row<'holds'>, (typeof HOLD_COLUMNS)[number]>;
export type CounterRow = Pick<Row<'budget_counters'>, (typeof COUNTER_COLUMNS)[number]>;
export type SubscriptionRow = Pick<Row<'subscriptions'>, (typeof SUBSCRIPTION_COLUMNS)[number]>;

export function userState(id: number, row: UserRow): UserState {
  return {
    id,
    isActive: row.status === 1 && row.deleted_at === null,
    quota: row.quota,
    held: row.held_quota,
    planHeld: row.plan_held_quota,
    isPlanHeldChanged: false,
    used: row.used_quota,
    requestCount: row.request_count,
    lowBalanceNoticeAt: row.low_balance_mail_at,
    requestsPerMinute: row.requests_per_minute,
    tokensPerMinute: row.tokens_per_minute,
    concurrentCalls: row.concurrent_calls,
    dayBudget: row.day_budget,
    monthBudget: row.month_budget,
    dirty: false,
  };
}

export function tokenState(id: number, row: TokenRow): TokenState {
  return {
    id,
    userId: row.user_id,
    status: row.status,
    isDeleted: row.deleted_at !== null,
    expiredTime: row.expired_time,
    isUnlimited: row.unlimited_quota === 1,
    remain: row.remain_quota,
    held: row.held_quota,
    used: row.used_quota,
    accessedTime: row.accessed_time,
    requestsPerMinute: row.requests_per_minute,
    tokensPerMinute: row.tokens_per_minute,
    concurrentCalls: row.concurrent_calls,
    dayBudget: row.day_budget,
    monthBudget: row.month_budget,
    project: projectOf(row),
    statusChanged: false,
    dirty: false,
  };
}

function projectOf(row: TokenRow): ProjectLimits | undefined {
  const { project_id: id, project_requests_per_minute, project_tokens_per_minute } = row;
  if (project_requests_per_minute === 0 && project_tokens_per_minute === 0) return undefined;
  return {
    id,
    requestsPerMinute: project_requests_per_minute,
    tokensPerMinute: project_tokens_per_minute,
  };
}

export function holdState(id: string, row: HoldRow): HoldState {
  const state = named(HOLD_PAIRS, row) as HoldState;
  return Object.assign(state, { id, dispatched: row.dispatched === 1, isPlanFirst: row.plan_first === 1 });
}

export function subscriptionState(id: number, row: SubscriptionRow): SubscriptionState {
  const state = named(SUBSCRIPTION_PAIRS, row) as SubscriptionState;
  return Object.assign(state, { id, isActive: row.status === 'active', dirty: false });
}

export function counterState(id: number, row: CounterRow): CounterState {
  const state = named(COUNTER_PAIRS, row) as CounterState;
  return Object.assign(state, { id, isHard: row.is_hard === 1, dirty: false });
}

const COUNTER_PAIRS = Object.entries(COUNTER_FIELDS);
const HOLD_PAIRS = Object.entries(HOLD_FIELDS);
const SUBSCRIPTION_PAIRS = Object.entries(SUBSCRIPTION_FIELDS);

function named<Column extends string>(
  pairs: readonly [string, Column][],
  row: Record<Column, unknown>,
): unknown {
  const state: Record<string, unknown> = {};
  for (const [field, column] of pairs) state[field] = row[column];
  return state;
}

export function callLogOf(row: Row<'logs'>): LogEntry {
  return { at: row.created_at, requestId: row.request_id, quota: row.quota, cost: row.cost, row };
}
