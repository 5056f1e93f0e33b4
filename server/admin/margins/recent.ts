// Margins of the last days of the site, for the other parts of the server. A question names no dates, so that it cannot name those of
// another time zone: it says how many days, and at what time they are the last ones.
import { addDays, siteDay } from '#contract/site-day.ts';
import type { LastDays, OfferMargin, RecentMargins } from '#server/admin/recent-margins.ts';
import type { Store } from '#server/platform/store/store.ts';
import { callSums } from './calls.ts';
import { sumUncharged } from './hedges.ts';
import { daysOfSite, marginReport } from './report.ts';

interface SiteMargins {
  store: Store;
  settings: { readonly current: { readonly SiteTimeZone: string } };
}

const spanOf = (zone: string, { days, back = 0, at }: LastDays): { from: string; to: string } => {
  const to = addDays(siteDay(zone, at), -back);
  return { from: addDays(to, 1 - days), to };
};

export const recentMargins =
  ({ store, settings }: SiteMargins): RecentMargins =>
  ({ days, back, at, ...query }) =>
    marginReport(
      { store, settings, now: () => at },
      { ...query, ...spanOf(settings.current.SiteTimeZone, { days, back, at }) },
    );

/** What each model of each channel brought and cost on these days; attempts that lost against another channel, and shadow calls, cost, too. */
export async function offerMargins(
  { store, settings }: SiteMargins,
  lastDays: LastDays,
): Promise<OfferMargin[]> {
  const zone = settings.current.SiteTimeZone;
  const { from, to } = spanOf(zone, lastDays);
  const sumOf = new Map<string, OfferMargin>();
  const span = daysOfSite(zone, from, to);
  const by = 'channel_model';
  const [calls, hedges, shadows] = await Promise.all([
    callSums(store, span, { by }, lastDays.at),
    sumUncharged(store, 'hedge_hours', span, { by }),
    sumUncharged(store, 'shadow_hours', span, { by }),
  ]);
  for (const row of [...calls, ...hedges.rows, ...shadows.rows]) {
    const key = String(row.key);
    const space = key.indexOf(' ');
    const sum = sumOf.get(key) ?? {
      channelId: Number(key.slice(0, space)),
      model: key.slice(space + 1),
      revenue: 0,
      cost: 0,
    };
    sum.revenue += row.known_revenue;
    sum.cost += row.cost;
    sumOf.set(key, sum);
  }
  return [...sumOf.values()];
}
