// The page of a channel in one answer. Calls and money are read from kept sums; rows of the log only for failures, up to a bound.
import { sql } from 'kysely';
import type { ChannelPage, channelPages } from '#contract/admin/channel-page.ts';
import type { WindowSpan } from '#contract/thing-window.ts';
import { windowSpan } from '#contract/thing-window.ts';
import { balanceDays, paceCosts } from '#server/admin/balance-days.ts';
import { readChannelCalls, type ChannelCalls } from '#server/admin/channel-calls.ts';
import { channelRow } from '#server/admin/channels/change.ts';
import { oneChannelView } from '#server/admin/channels/view.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import type { Handlers } from '#server/admin/context.ts';
import { readFailures } from '#server/admin/failed-attempts.ts';
import { buyPriceOf } from '#server/money/costs/index.ts';
import type { Row } from '#server/platform/store/schema.ts';
import { alertOf, readRefusedSinceOff } from './alert.ts';
import type { ChannelPageDependencies } from './dependencies.ts';
import { readEvents } from './events.ts';
import { readMoney } from './money.ts';
import { placeOf, readNeighbours, type Neighbours } from './neighbours.ts';

export function createChannelPageHandlers(
  dependencies: ChannelPageDependencies,
): Handlers<typeof channelPages> {
  return {
    async read({ params, query: { window } }) {
      const { store } = dependencies;
      const now = nowSeconds(dependencies);
      const span = windowSpan(window, now);
      const channel = await channelRow(dependencies, params.id);
      const [view, neighbours, supplier, happened] = await Promise.all([
        oneChannelView(dependencies, channel),
        readNeighbours(store, channel.id),
        store.db.selectFrom('suppliers').selectAll().where('id', '=', channel.supplier_id).executeTakeFirst(),
        readEvents(dependencies, channel),
      ]);
      const buyPrice = buyPriceOf(channel, supplier);
      const refused = await readRefusedSinceOff(dependencies, channel, neighbours);
      const ids = [channel.id, ...neighbours.all.map(({ id }) => id)];
      const [calls, money, hours] = await Promise.all([
        readChannelCalls(store, ids, span),
        readMoney(dependencies, {
          channel,
          buyPrice,
          neighbours,
          refusedOf: (model) => refused([model]).calls,
          window,
        }),
        readFailedHours(dependencies, channel.id, span),
      ]);
      const own = calls.all([channel.id]);
      return {
        now,
        window,
        start: span.start,
        end: span.end,
        step: span.step,
        channel: view,
        ...happened,
        supplier: supplier === undefined ? null : { id: supplier.id, name: supplier.name },
        buy_price: channel.buy_price === '' ? (supplier?.buy_price ?? '') : channel.buy_price,
        ...(await balanceFacts(dependencies, channel, buyPrice?.recharge_rate ?? 1, now)),
        ...placeOf(channel, neighbours),
        alert: alertOf(view, neighbours, refused),
        limits: dependencies.limitsOf?.(channel.id) ?? { pauses: [], left: [] },
        calls: own,
        compared: comparedOf(calls, neighbours),
        ...money,
        failures: await readFailures(store, span, { channels: [channel.id], hours, total: own.failed }),
      };
    },
  };
}

/** First seconds of the hours with a failed attempt, newest first. */
async function readFailedHours(
  { store }: ChannelPageDependencies,
  channelId: number,
  { start, end }: WindowSpan,
): Promise<number[]> {
  const { rows } = await sql<{ hour: number }>`
    select hour from channel_hours where channel_id = ${channelId} and hour >= ${start} and hour < ${end} and failures > 0
    union select hour from usage_hours
      where channel_id = ${channelId} and hour >= ${start} and hour < ${end} and error_count > 0
    order by 1 desc`.execute(store.db);
  return rows.map(({ hour }) => hour);
}

function comparedOf(calls: ChannelCalls, { all }: Neighbours): ChannelPage['compared'] {
  const [most] = all
    .map(({ id, name }) => ({ id, name, figures: calls.all([id]) }))
    .filter(({ figures }) => figures.first_token > 0 || figures.speed > 0)
    .toSorted((left, right) => right.figures.answered - left.figures.answered);
  if (most === undefined) return null;
  const { id, name, figures } = most;
  return { id, name, first_token: figures.first_token, speed: figures.speed };
}

async function balanceFacts(
  { margins, settings, types }: ChannelPageDependencies,
  channel: Row<'channels'>,
  rechargeRate: number,
  now: number,
): Promise<Pick<ChannelPage, 'balance_days' | 'balance_currency'>> {
  const currency = types.find(({ type }) => type === channel.type)?.balance_currency ?? 'USD';
  const costs = await paceCosts(margins, { channel: channel.id }, now);
  const { QuotaPerUnit: quotaPerUnit, Price: yuan } = settings.current;
  const rates = { currency, rechargeRate, quotaPerUnit, yuan };
  return {
    balance_days: balanceDays(channel, costs.get(channel.id) ?? 0, rates),
    balance_currency: currency,
  };
}
