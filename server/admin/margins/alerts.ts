// Notifies the operators of models that a channel sold below cost in the last days, once a day for each pair.
import { siteDay } from '#contract/site-day.ts';
import { quotaOfDollars } from '#server/money/quota-units.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import { raiseNotice } from '#server/platform/notices/index.ts';
import { offerMargins } from './recent.ts';
import type { MarginDependencies } from './report.ts';

/** One run raises no more: a wrong price concerns every model at once. */
const MOST_NOTICES = 50;

interface AlertDependencies extends Omit<MarginDependencies, 'settings'> {
  settings: {
    readonly current: {
      readonly SiteTimeZone: string;
      readonly QuotaPerUnit: number;
      readonly MarginAlertDays: number;
      readonly MarginAlertLoss: number;
    };
  };
}

/** Returns how many notices were raised. */
export async function alertNegativeMargins(dependencies: AlertDependencies): Promise<number> {
  const { store, settings } = dependencies;
  const { SiteTimeZone, QuotaPerUnit, MarginAlertDays, MarginAlertLoss } = settings.current;
  if (MarginAlertDays === 0) return 0;
  const now = nowSeconds(dependencies);
  const least = quotaOfDollars(MarginAlertLoss, QuotaPerUnit);
  const sold = await offerMargins({ store, settings }, { days: MarginAlertDays, at: now });
  const rows = sold
    .filter(({ revenue, cost }) => cost - revenue > least)
    .toSorted((left, right) => left.revenue - left.cost - (right.revenue - right.cost))
    .slice(0, MOST_NOTICES);
  if (rows.length === 0) return 0;
  const ids = rows.map(({ channelId }) => channelId);
  const channels = await store.db
    .selectFrom('channels')
    .select(['id', 'name'])
    .where('id', 'in', ids)
    .execute();
  const nameOf = new Map(channels.map(({ id, name }) => [id, name]));
  let count = 0;
  for (const { channelId: channel_id, model, revenue, cost } of rows) {
    const isNew = await raiseNotice(store.db, {
      event: 'negative_margin',
      values: {
        channel_id,
        channel_name: nameOf.get(channel_id) ?? '',
        model,
        revenue,
        cost,
        days: MarginAlertDays,
      },
      onceKey: `negative_margin:${channel_id}:${siteDay(SiteTimeZone, now)}:${model}`,
    });
    if (isNew) count += 1;
  }
  return count;
}
