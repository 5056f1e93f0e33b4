// Subscriptions of another gateway. The first period here is the rest of the one that ran there: it is granted what was left,
// out of `world:import`, and ends when that one would have ended. Later periods follow the other gateway's resets.
import type { Transaction } from 'kysely';
import { DAY_SECONDS, unixSeconds } from '#contract/time.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import { periodAt, periodStart, type Schedule } from './engine/periods.ts';
import { planAccount, planGrantKey, PLAN_GRANT_KIND } from './engine/subscriptions.ts';
import { applyTransfer } from './transfer.ts';

/** No day of the month is missing from more months in a row than this. */
const MOST_MONTHS_BACK = 12;

/** How often the quota was full again there. */
export interface ResetInterval {
  unit: 'day' | 'month';
  count: number;
}

export interface RunningSubscription {
  importId: number;
  userId: number;
  planId: number;
  planName: string;
  /** Granted with every later period. */
  periodQuota: number;
  /** What is left of the period that runs. */
  left: number;
  /** Unix seconds. */
  endsAt: number;
  /** Undefined: what is left lasts until the end. */
  reset: { nextAt: number; interval: ResetInterval } | undefined;
}

/** The terms of the row: where its periods begin, and the number of the one that runs. */
export interface RunningPeriods extends Schedule {
  periods: number;
  period: number;
  periodEndsAt: number;
  /** A reset that was due before the import has made the quota full again. */
  isFull: boolean;
}

export function runningPeriods(
  { endsAt, reset }: Pick<RunningSubscription, 'endsAt' | 'reset'>,
  now: number,
): RunningPeriods {
  if (reset === undefined || reset.nextAt >= endsAt) {
    const days = Math.max(1, Math.ceil((endsAt - now) / DAY_SECONDS));
    const one = { startedAt: now, intervalUnit: 'day', intervalCount: days } as const;
    return { ...one, periods: 1, period: 0, periodEndsAt: endsAt, isFull: false };
  }
  const schedule = scheduleBefore(reset.nextAt, reset.interval);
  const period = periodAt(schedule, Math.max(now, reset.nextAt - 1));
  return {
    ...schedule,
    period,
    periods: periodAt(schedule, endsAt - 1) + 1,
    periodEndsAt: Math.min(endsAt, periodStart(schedule, period + 1)),
    isFull: reset.nextAt <= now,
  };
}

/** Begins so that one of its periods ends at `nextAt`: not every month has that day. */
function scheduleBefore(nextAt: number, { unit, count }: ResetInterval): Schedule {
  const from = (startedAt: number): Schedule => ({ startedAt, intervalUnit: unit, intervalCount: count });
  for (let back = 1; back < MOST_MONTHS_BACK; back += 1) {
    const schedule = from(periodStart(from(nextAt), -back));
    if (periodStart(schedule, back) === nextAt) return schedule;
  }
  return from(periodStart(from(nextAt), -MOST_MONTHS_BACK));
}

export async function openRunningSubscription(
  transaction: Transaction<Schema>,
  dialect: 'sqlite' | 'postgres',
  subscription: RunningSubscription,
): Promise<number> {
  const { importId, userId, planId, planName, periodQuota, endsAt } = subscription;
  const now = unixSeconds();
  const { isFull, ...terms } = runningPeriods(subscription, now);
  const { id } = await transaction
    .insertInto('subscriptions')
    .values({
      user_id: userId,
      plan_id: planId,
      plan_name: planName,
      created_at: now,
      started_at: terms.startedAt,
      ends_at: endsAt,
      interval_unit: terms.intervalUnit,
      interval_count: terms.intervalCount,
      periods: terms.periods,
      period: terms.period,
      period_ends_at: terms.periodEndsAt,
      period_quota: periodQuota,
      source: 'grant',
      request_key: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const amount = isFull ? periodQuota : subscription.left;
  if (amount === 0) return id;
  const granted = await applyTransfer(transaction, dialect, {
    idem: planGrantKey(id, terms.period),
    userId,
    amount,
    from: 'world:import',
    to: planAccount(id),
    kind: PLAN_GRANT_KIND,
    reference: `import:${importId}`,
  });
  if (!granted.ok)
    throw new Error(`the subscription ${id} of user ${userId} could not be opened: ${granted.reason}`);
  return id;
}
