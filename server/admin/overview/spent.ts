// A customer's balance, what the last days used, and how long the rest lasts.
import { sql } from 'kysely';
import { SPENT_DAYS, type CustomerOverview } from '#contract/admin/overview.ts';
import { addDays, dayFinder, daysFrom, dayStart, siteDay } from '#contract/site-day.ts';
import { DAY_SECONDS } from '#contract/time.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import type { OverviewDependencies } from './dependencies.ts';

const PACE_DAYS = 7;
/** A balance that lasts longer has no day on which it ends. */
const LONGEST_DAYS = 3650;

interface HourSum {
  hour: number;
  quota: number;
  count: number;
  error_count: number;
}

export async function readSpent(
  dependencies: OverviewDependencies,
  userId: number,
): Promise<Pick<CustomerOverview, 'balance' | 'days' | 'pace'>> {
  const { db } = dependencies.store;
  const now = nowSeconds(dependencies);
  const zone = dependencies.settings.current.SiteTimeZone;
  const today = siteDay(zone, now);
  const first = addDays(today, 1 - SPENT_DAYS);
  const total = (name: string) => sql`cast(sum(${sql.ref(name)}) as bigint)`;
  const [hours, user, plans] = await Promise.all([
    // Reads the index by user and hour.
    sql<HourSum>`select hour, ${total('quota')} as quota, ${total('count')} as count,
      ${total('error_count')} as error_count
      from usage_hours where user_id = ${userId} and hour > ${dayStart(zone, first) - 3600} group by hour`.execute(
      db,
    ),
    db.selectFrom('users').select(['quota', 'held_quota']).where('id', '=', userId).executeTakeFirstOrThrow(),
    db
      .selectFrom('subscriptions')
      .select(sql<number>`cast(coalesce(sum(quota), 0) as bigint)`.as('quota'))
      .where('user_id', '=', userId)
      .where('status', '=', 'active')
      .where('started_at', '<=', now)
      .executeTakeFirstOrThrow(),
  ]);
  const week = hours.rows
    .filter(({ hour }) => hour > now - PACE_DAYS * DAY_SECONDS)
    .reduce((sum, { quota }) => sum + quota, 0);
  const daysLeft = week > 0 ? Math.max(0, Math.floor(((user.quota + plans.quota) * PACE_DAYS) / week)) : null;
  return {
    balance: { quota: user.quota, held: user.held_quota, plans: plans.quota },
    days: byDay(hours.rows, zone, first, today),
    pace: {
      week,
      per_day: Math.round(week / PACE_DAYS),
      days_left: daysLeft,
      ends_on: daysLeft === null || daysLeft > LONGEST_DAYS ? null : addDays(today, daysLeft),
    },
  };
}

/** In zones whose days begin within an hour, that hour counts for the day in which it begins. */
function byDay(
  hours: readonly HourSum[],
  zone: string,
  first: string,
  last: string,
): CustomerOverview['days'] {
  const dayOf = dayFinder(zone, first, last);
  const sums = new Map(
    daysFrom(first, last).map((day) => [day, { day, quota: 0, count: 0, error_count: 0 }]),
  );
  for (const { hour, quota, count, error_count } of hours) {
    const sum = sums.get(dayOf(hour) ?? '');
    if (sum === undefined) continue;
    sum.quota += quota;
    sum.count += count;
    sum.error_count += error_count;
  }
  return [...sums.values()];
}
