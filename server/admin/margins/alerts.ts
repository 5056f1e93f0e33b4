// Notifies the operators of models that a channel sold below cost in the last days, once a day for each pair.
import { sql } from 'kysely';
import { DAY_SECONDS } from '#server/money/sums/margin-spans.ts';
import { quotaOfDollars } from '#server/money/quota-units.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import { raiseNotice } from '#server/platform/notices/index.ts';
import { dayOf, dayText, type MarginDependencies } from './report.ts';

/** One run raises no more: a wrong price concerns every model at once. */
const MOST_NOTICES = 50;

interface AlertDependencies extends Omit<MarginDependencies, 'settings'> {
  settings: {
    readonly current: {
      readonly QuotaPerUnit: number;
      readonly MarginAlertDays: number;
      readonly MarginAlertLoss: number;
    };
  };
}

/** Returns how many notices were raised. */
export async function alertNegativeMargins(dependencies: AlertDependencies): Promise<number> {
  const { store, settings } = dependencies;
  const { QuotaPerUnit, MarginAlertDays, MarginAlertLoss } = settings.current;
  if (MarginAlertDays === 0) return 0;
  const today = dayOf(nowSeconds(dependencies));
  const first = today - (MarginAlertDays - 1) * DAY_SECONDS;
  const least = quotaOfDollars(MarginAlertLoss, QuotaPerUnit);
  const { rows } = await sql<{ channel_id: number; model_name: string; revenue: number; cost: number }>`
    select channel_id, model_name, cast(sum(costed_quota) as bigint) as revenue, cast(sum(cost) as bigint) as cost
    from margin_days where day >= ${first} and costed_count > 0 group by channel_id, model_name
    having sum(cost) - sum(costed_quota) > ${least}
    order by sum(costed_quota) - sum(cost) limit ${MOST_NOTICES}`.execute(store.db);
  if (rows.length === 0) return 0;
  const ids = rows.map(({ channel_id }) => channel_id);
  const channels = await store.db
    .selectFrom('channels')
    .select(['id', 'name'])
    .where('id', 'in', ids)
    .execute();
  const nameOf = new Map(channels.map(({ id, name }) => [id, name]));
  let count = 0;
  for (const { channel_id, model_name, revenue, cost } of rows) {
    const isNew = await raiseNotice(store.db, {
      event: 'negative_margin',
      values: {
        channel_id,
        channel_name: nameOf.get(channel_id) ?? '',
        model: model_name,
        revenue,
        cost,
        days: MarginAlertDays,
      },
      onceKey: `negative_margin:${channel_id}:${dayText(today)}:${model_name}`,
    });
    if (isNew) count += 1;
  }
  return count;
}
