// Whose days and months budgets count: the zone of the site, and the zones it left while a month that is still open had begun.
import type { BudgetZones } from '#contract/money/budget-windows.ts';
import type { Store } from '#server/platform/store/store.ts';

const LONGEST_MONTH_SECONDS = 32 * 86_400;

export async function readBudgetZones(
  { db }: Pick<Store, 'db'>,
  zone: string,
  now: number,
): Promise<BudgetZones> {
  const changes = await db
    .selectFrom('option_history')
    .select(['old_value', 'created_at'])
    .where('key', '=', 'SiteTimeZone')
    .where('created_at', '>', now - LONGEST_MONTH_SECONDS)
    .orderBy('id')
    .execute();
  return { zone, left: changes.map(({ old_value, created_at }) => ({ zone: old_value, at: created_at })) };
}
