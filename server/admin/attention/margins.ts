// What is sold below cost, and use whose cost is not known.
import { sql } from 'kysely';
import { quotaOfDollars } from '#server/money/quota-units.ts';
import { DAY_SECONDS } from '#server/money/sums/margin-spans.ts';
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

const dayText = (second: number): string => new Date(second * 1000).toISOString().slice(0, 10);

/** So many days; the last one is `back` days before today. Margins are kept by days of UTC. */
export function lastDays(now: number, days: number, back = 0): { from: string; to: string } {
  const last = now - back * DAY_SECONDS;
  return { from: dayText(last - (days - 1) * DAY_SECONDS), to: dayText(last) };
}

export async function checkMargins(dependencies: AttentionDependencies): Promise<Found[]> {
  return [...(await belowCost(dependencies)), ...(await unknownCost(dependencies))];
}

/** A model of a channel that lost more than the least in the last whole day, or has in this one. */
async function belowCost(dependencies: AttentionDependencies): Promise<Found[]> {
  const { store, settings } = dependencies;
  const now = nowSeconds(dependencies);
  const today = now - (now % DAY_SECONDS);
  const least = quotaOfDollars(LEAST_LOSS, settings.current.QuotaPerUnit);
  const { rows } = await sql<{
    channel_id: number;
    model: string;
    day: number;
    loss: number;
    name: string | null;
  }>`
    select losses.channel_id, losses.model, losses.day, losses.loss, channels.name from (
      select channel_id, model_name as model, day, cast(sum(cost) - sum(costed_quota) as bigint) as loss from margin_days
      where day in (${today}, ${today - DAY_SECONDS}) and costed_count > 0 group by channel_id, model_name, day
      having sum(cost) - sum(costed_quota) > ${least}) losses
    left join channels on channels.id = losses.channel_id
    order by losses.loss desc, losses.channel_id, losses.model limit ${MOST_PAIRS}`.execute(store.db);
  const worst = new Map<string, (typeof rows)[number]>();
  for (const row of rows) {
    const key = `${row.channel_id} ${row.model}`;
    if (!worst.has(key)) worst.set(key, row);
  }
  const pairs = [...worst.values()];
  if (pairs.length === 0) return [];
  return [
    found('sold_below_cost', {
      mark: markOf([...worst.keys()]),
      since: Math.min(...rows.map(({ day }) => day)),
      subjects: pairs.map(({ model }) => ({ kind: 'model', id: model, name: model })),
      values: {
        loss_quota: pairs.reduce((sum, { loss }) => sum + loss, 0),
        channel: pairs[0]?.name ?? '',
        channel_id: pairs[0]?.channel_id ?? 0,
      },
      address: `/margins?by=model&channel=${pairs[0]?.channel_id ?? 0}`,
    }),
  ];
}

async function unknownCost(dependencies: AttentionDependencies): Promise<Found[]> {
  const report = await dependencies.margins({
    by: 'channel',
    ...lastDays(nowSeconds(dependencies), UNKNOWN_DAYS),
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
