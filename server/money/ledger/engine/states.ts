// Database rows as the engine works on them.
import type { Row } from '#server/platform/store/schema.ts';
import type { HoldState, LogEntry, SubscriptionState, TokenState, UserState } from './rows.ts';

export const userColumns = [
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

export const tokenColumns = [
  'user_id',
  'status',
  'deleted_at',
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

export const holdColumns = [
  'user_id',
  'token_id',
  'node_id',
  'epoch',
  'amount',
  'created_at',
  'expires_at',
  'dispatched',
  'checkpoint_quota',
  'checkpoint',
  'snapshot',
  'subscription_id',
  'plan_amount',
  'plan_period',
  'plan_first',
] as const satisfies readonly (keyof Row<'holds'>)[];

export const subscriptionColumns = [
  'user_id',
  'status',
  'started_at',
  'ends_at',
  'interval_unit',
  'interval_count',
  'periods',
  'period',
  'period_ends_at',
  'period_quota',
  'quota',
  'held',
  'ended_at',
] as const satisfies readonly (keyof Row<'subscriptions'>)[];

export type UserRow = Pick<Row<'users'>, (typeof userColumns)[number]>;
export type TokenRow = Pick<Row<'tokens'>, (typeof tokenColumns)[number]>;
export type HoldRow = Pick<Row<'holds'>, (typeof holdColumns)[number]>;
export type SubscriptionRow = Pick<Row<'subscriptions'>, (typeof subscriptionColumns)[number]>;

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
    statusChanged: false,
    dirty: false,
  };
}

export function holdState(id: string, row: HoldRow): HoldState {
  return {
    id,
    userId: row.user_id,
    tokenId: row.token_id,
    nodeId: row.node_id,
    epoch: row.epoch,
    amount: row.amount,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    dispatched: row.dispatched === 1,
    checkpointQuota: row.checkpoint_quota,
    checkpoint: row.checkpoint,
    snapshot: row.snapshot,
    subscriptionId: row.subscription_id,
    planAmount: row.plan_amount,
    planPeriod: row.plan_period,
    isPlanFirst: row.plan_first === 1,
  };
}

export function subscriptionState(id: number, row: SubscriptionRow): SubscriptionState {
  return {
    id,
    userId: row.user_id,
    isActive: row.status === 'active',
    startedAt: row.started_at,
    endsAt: row.ends_at,
    intervalUnit: row.interval_unit,
    intervalCount: row.interval_count,
    periods: row.periods,
    period: row.period,
    periodEndsAt: row.period_ends_at,
    periodQuota: row.period_quota,
    quota: row.quota,
    held: row.held,
    endedAt: row.ended_at,
    dirty: false,
  };
}

export function callLogOf(row: Row<'logs'>): LogEntry {
  return { at: row.created_at, requestId: row.request_id, quota: row.quota, cost: row.cost, row };
}
