// What is sold below cost, and use whose cost is not known.
import { addDays, dayStart, siteDay } from '#contract/site-day.ts';
import { quotaOfDollars } from '#server/money/quota-units.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import type { AttentionDependencies } from './dependencies.ts';
import { found, markOf, type Found } from './found.ts';

/** Dollars a day. */
const LEAST_LOSS = 1;
const UNKNOWN_DAYS = 7;
const UNKNOWN_PERCENT = 10;
/** Dollars of use in these days; below it a share says nothing. */
const LEAST_USE = 1;
const MOST_PAIRS = 50;

export async function checkMargins(dependencies: AttentionDependencies): Promise<Found[]> {
  return [...(await belowCost(dependencies)), ...(await findUnknownCost(dependencies))];
}

interface Loss {
  channelId: number;
  model: string;
  /** The first second of its day. */
  day: number;
  loss: number;
}

/** A model of a channel that lost more than the least in the last whole day, or has in this one. */
async function belowCost(dependencies: AttentionDependencies): Promise<Found[]> {
  const { store, settings, offerMargins } = dependencies;
  const at = nowSeconds(dependencies);
  const least = quotaOfDollars(LEAST_LOSS, settings.current.QuotaPerUnit);
  const zone = settings.current.SiteTimeZone;
  const lossesOf = async (back: number): Promise<Loss[]> => {
    const day = dayStart(zone, addDays(siteDay(zone, at), -back));
    return (await offerMargins({ days: 1, back, at }))
      .map(({ channelId, model, revenue, cost }) => ({ channelId, model, day, loss: cost - revenue }))
      .filter(({ loss }) => loss > least);
  };
  const rows = [...(await lossesOf(0)), ...(await lossesOf(1))]
    .toSorted(
      (left, right) =>
        right.loss - left.loss ||
        left.channelId - right.channelId ||
        (left.model < right.model ? -1 : Number(left.model > right.model)),
    )
    .slice(0, MOST_PAIRS);
  const worst = new Map<string, Loss>();
  for (const row of rows) {
    const key = `${row.channelId} ${row.model}`;
    if (!worst.has(key)) worst.set(key, row);
  }
  const pairs = [...worst.values()];
  const [first] = pairs;
  if (first === undefined) return [];
  const channel = await store.db
    .selectFrom('channels')
    .select('name')
    .where('id', '=', first.channelId)
    .executeTakeFirst();
  return [
    found('sold_below_cost', {
      mark: markOf([...worst.keys()]),
      since: Math.min(...rows.map(({ day }) => day)),
      subjects: pairs.map(({ model }) => ({ kind: 'model', id: model, name: model })),
      values: {
        loss_quota: pairs.reduce((sum, { loss }) => sum + loss, 0),
        channel: channel?.name ?? '',
        channel_id: first.channelId,
      },
      address: `/margins?by=model&channel=${first.channelId}`,
    }),
  ];
}

async function findUnknownCost(dependencies: AttentionDependencies): Promise<Found[]> {
  const report = await dependencies.margins({
    by: 'channel',
    days: UNKNOWN_DAYS,
    at: nowSeconds(dependencies),
  });
  const { revenue, unknown_revenue } = report.total;
  const least = quotaOfDollars(LEAST_USE, dependencies.settings.current.QuotaPerUnit);
  if (revenue < least || unknown_revenue * 100 <= revenue * UNKNOWN_PERCENT) return [];
  const channels = report.rows
    .filter((row) => row.unknown_revenue > 0)
    .toSorted((left, right) => right.unknown_revenue - left.unknown_revenue);
  return [
    found('cost_unknown', {
      mark: markOf(channels.map(({ key }) => key)),
      since: 0,
      subjects: channels.map(({ key, name }) => ({ kind: 'channel', id: key, name: name || `#${key}` })),
      values: { percent: Math.round((unknown_revenue * 100) / revenue), unknown_quota: unknown_revenue },
      address: channels[0] === undefined ? '/margins' : `/channel/${channels[0].key}`,
    }),
  ];
}
