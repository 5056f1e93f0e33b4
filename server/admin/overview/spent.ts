// A customer's balance, what the last days used, and how long the rest lasts.
import { sql } from 'kysely';
import { SPENT_DAYS, type CustomerOverview } from '#contract/admin/overview.ts';
import { addDays, dayFinder, daysFrom, dayStart, siteDay } from '#contract/site-day.ts';
import { readBalancePace } from '#server/admin/balance-pace.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import type { OverviewDependencies } from './dependencies.ts';

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
  const [hours, held, pace] = await Promise.all([
    // Reads the index by user and hour.
    sql<HourSum>`select hour, ${total('quota')} as quota, ${total('count')} as count,
      ${total('error_count')} as error_count
      from usage_hours where user_id = ${userId} and hour > ${dayStart(zone, first) - 3600} group by hour`.execute(
      db,
    ),
    db.selectFrom('users').select('held_quota').where('id', '=', userId).executeTakeFirstOrThrow(),
    readBalancePace(dependencies.store, userId, now),
  ]);
  const { quota, plans, week, per_day, days_left } = pace;
  return {
    balance: { quota, held: held.held_quota, plans },
    days: byDay(hours.rows, zone, first, today),
    pace: {
      week,
      per_day,
      days_left,
      ends_on: days_left === null || days_left > LONGEST_DAYS ? null : addDays(today, days_left),
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
