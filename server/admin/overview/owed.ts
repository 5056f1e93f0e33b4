// What the operator owes to users: their balances, and how long these last at the pace of the last week.
import { sql } from 'kysely';
import { ROLE } from '#contract/access.ts';
import type { OperatorOverview } from '#contract/admin/overview.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import type { OverviewDependencies } from './dependencies.ts';

const PACE_DAYS = 7;

export async function readOwed(dependencies: OverviewDependencies): Promise<OperatorOverview['owed']> {
  const [balances, report] = await Promise.all([
    dependencies.store.db
      .selectFrom('users')
      .select([
        sql<number>`cast(coalesce(sum(quota), 0) as bigint)`.as('quota'),
        sql<number>`count(*)`.as('users'),
      ])
      .where('role', '<', ROLE.admin)
      .where('deleted_at', 'is', null)
      .where('quota', '>', 0)
      .executeTakeFirstOrThrow(),
    dependencies.margins({ by: 'day', days: PACE_DAYS, back: 1, at: nowSeconds(dependencies) }),
  ]);
  const perDay = report.total.revenue / PACE_DAYS;
  return {
    ...balances,
    per_day: Math.round(perDay),
    days: perDay > 0 ? Math.floor(balances.quota / perDay) : null,
  };
}
