// Plans of new-api, not on sale: their subscribers are brought with them, and an administrator sets the price before selling.
import {
  PLAN_DAYS_MAX,
  PLAN_DESCRIPTION_MAX,
  PLAN_MONTHS_MAX,
  PLAN_NAME_MAX,
  PLAN_QUOTA_MAX,
  type PlanSchedule,
} from '#contract/money/plan-schedule.ts';
import { DAY_SECONDS, unixSeconds } from '#contract/time.ts';
import { insertPlan } from '#server/admin/plans/write-plan.ts';
import type { ResetInterval } from '#server/money/ledger/imported-subscriptions.ts';
import type { Fields } from '#server/operating/import-export/source/fields.ts';
import { amountOf, bringTable, type Job } from './job.ts';

const WEEK_DAYS = 7;
const MONTH_DAYS = 30;
const YEAR_MONTHS = 12;
const TABLE = 'subscription_plans';

/** `never` and undefined differ: the second is a reset that has no place in a plan here. */
export function resetOf(fields: Fields): ResetInterval | 'never' | undefined {
  switch (fields.text('quota_reset_period')) {
    case '':
    case 'never':
      return 'never';
    case 'daily':
      return { unit: 'day', count: 1 };
    case 'weekly':
      return { unit: 'day', count: WEEK_DAYS };
    case 'monthly':
      return { unit: 'month', count: 1 };
    case 'custom': {
      const days = fields.integer('quota_reset_custom_seconds') / DAY_SECONDS;
      return Number.isInteger(days) && days > 0 ? { unit: 'day', count: days } : undefined;
    }
    default:
      return undefined;
  }
}

export const planTitle = (fields: Fields, sourceId: string): string =>
  Array.from(fields.text('title') || `plan ${sourceId}`)
    .slice(0, PLAN_NAME_MAX)
    .join('');

export async function bringPlans(job: Job): Promise<void> {
  const { report, source } = job;
  if ((await source.count(TABLE)) === 0) return;
  await bringTable(job, 'plans', TABLE, async (fields, sourceId) => {
    const name = planTitle(fields, sourceId);
    const leave = (reason: string) => report.leave('plans', reason, name);
    const quota = amountOf(job, fields, 'total_amount');
    const schedule = scheduleOf(fields);
    if (quota === 0) return leave('has no limit, which plans here need');
    if (quota > PLAN_QUOTA_MAX) return leave('total_amount is past the cap');
    if (schedule === undefined) return leave('its length or reset has no place in a plan here');
    const createdAt = fields.seconds('created_at') || unixSeconds();
    return async (transaction) => {
      const { id } = await insertPlan(transaction, {
        ...schedule,
        name,
        description: fields.text('subtitle').slice(0, PLAN_DESCRIPTION_MAX),
        quota,
        limit_per_user: Math.max(0, fields.integer('max_purchase_per_user')),
        created_at: createdAt,
        deleted_at: null,
      });
      return id;
    };
  });
  report.note(
    'Plans are brought without a price and not on sale; the running subscriptions do not depend on it.',
  );
}

/** A plan here lasts whole days or months, and a whole number of its periods: weeks in a month become weeks in 30 days. */
function scheduleOf(fields: Fields): PlanSchedule | undefined {
  const duration = durationOf(fields);
  const reset = resetOf(fields);
  if (duration === undefined || reset === undefined) return undefined;
  if (reset === 'never') return withinLimits({ ...duration, reset: 'never' });
  if (reset.unit === 'month')
    return duration.duration_unit === 'month' ? withinLimits({ ...duration, reset: 'monthly' }) : undefined;
  const { duration_unit, duration_count } = duration;
  if (reset.count === 1) return withinLimits({ ...duration, reset: 'daily' });
  if (reset.count !== WEEK_DAYS) return undefined;
  const days = duration_unit === 'day' ? duration_count : duration_count * MONTH_DAYS;
  const weeks = Math.max(1, Math.ceil(days / WEEK_DAYS));
  return withinLimits({ duration_unit: 'day', duration_count: weeks * WEEK_DAYS, reset: 'weekly' });
}

function withinLimits(schedule: PlanSchedule): PlanSchedule | undefined {
  const most = schedule.duration_unit === 'day' ? PLAN_DAYS_MAX : PLAN_MONTHS_MAX;
  return schedule.duration_count >= 1 && schedule.duration_count <= most ? schedule : undefined;
}

function durationOf(fields: Fields): Pick<PlanSchedule, 'duration_unit' | 'duration_count'> | undefined {
  const count = fields.integer('duration_value');
  const days = (seconds: number) => ({
    duration_unit: 'day' as const,
    duration_count: Math.ceil(seconds / DAY_SECONDS),
  });
  switch (fields.text('duration_unit')) {
    case 'year':
      return { duration_unit: 'month', duration_count: count * YEAR_MONTHS };
    case 'month':
      return { duration_unit: 'month', duration_count: count };
    case 'day':
      return { duration_unit: 'day', duration_count: count };
    case 'hour':
      return days(count * 3600);
    case 'custom':
      return days(fields.integer('custom_seconds'));
    default:
      return undefined;
  }
}
