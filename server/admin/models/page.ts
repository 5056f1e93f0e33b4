// The page of a model in one answer, from kept sums; rows of the log are read only for failures, up to a bound.
import { sql } from 'kysely';
import type { ModelChannel, ModelPage, modelPages } from '#contract/admin/models.ts';
import { MOST_EVENTS } from '#contract/admin/thing-parts.ts';
import { CHANNEL_STATUS, channelOtherInfo } from '#contract/relay/channel-fields.ts';
import type { ThingWindow } from '#contract/thing-window.ts';
import { windowSpan } from '#contract/thing-window.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import type { Handler } from '#server/admin/context.ts';
import { readFailures } from '#server/admin/failed-attempts.ts';
import { priceEvents } from '#server/admin/price-events.ts';
import { readRefusals } from '#server/admin/refused-because.ts';
import { switchEvents } from '#server/admin/switch-events.ts';
import { moneyDaysOf, reportMoneyOf, thingMoneyOf } from '#server/admin/thing-money.ts';
import { unitPriceOf } from '#server/admin/unit-price.ts';
import { buyPriceOf } from '#server/money/costs/index.ts';
import { costSnapshot } from '#server/money/costs/snapshot.ts';
import { builtInPrice } from '#server/money/prices/price-list/index.ts';
import type { Row } from '#server/platform/store/schema.ts';
import { callsOfModel } from './calls.ts';
import type { ModelDependencies } from './dependencies.ts';
import { NOTHING } from './list.ts';

export function readModel(dependencies: ModelDependencies): Handler<typeof modelPages.read> {
  return async ({ query: { name, window } }) => {
    const { store } = dependencies;
    const now = nowSeconds(dependencies);
    const span = windowSpan(window, now);
    const [serving, calls, refused] = await Promise.all([
      readServing(dependencies, name, window),
      callsOfModel(store, name, span),
      readRefused(dependencies, name, span.start),
    ]);
    const groups = [...new Set(serving.rows.flatMap((channel) => channel.groups))].sort();
    const prices = (groups.length === 0 ? ['default'] : groups).map((group) => ({
      group,
      price: unitPriceOf(dependencies.priceOf(name, group)),
    }));
    const ids = serving.rows.map(({ id }) => id);
    const [failures, switched, moved] = await Promise.all([
      readFailures(store, span, { model: name, hours: calls.failedHours, total: calls.calls.failed }),
      switchEvents(store, ids),
      priceEvents(store, [name], groups[0] ?? 'default', now),
    ]);
    return {
      now,
      window,
      start: span.start,
      end: span.end,
      step: span.step,
      model: name,
      vendor: builtInPrice(name)?.vendor ?? '',
      prices,
      alert: await alertOf(dependencies, name, serving, prices),
      calls: calls.calls,
      refused,
      money: serving.money,
      channels: serving.rows,
      failures,
      events: [...switched, ...moved].toSorted((left, right) => right.at - left.at).slice(0, MOST_EVENTS),
    };
  };
}

interface Serving {
  rows: ModelChannel[];
  money: ModelPage['money'];
  /** By id. */
  offSince: ReadonlyMap<number, number>;
}

/** The channels that name the model, and those that served it in these days. */
async function readServing(
  { store: { db }, settings, margins, upstreamModel, ...clock }: ModelDependencies,
  model: string,
  window: ThingWindow,
): Promise<Serving> {
  const [abilities, report] = await Promise.all([
    db.selectFrom('abilities').select(['channel_id', 'group']).where('model', '=', model).execute(),
    margins({ by: 'channel', model, days: moneyDaysOf(window), at: nowSeconds(clock) }),
  ]);
  const moneyOf = new Map(report.rows.map((row) => [Number(row.key), thingMoneyOf(row)]));
  const ids = [...new Set([...abilities.map(({ channel_id }) => channel_id), ...moneyOf.keys()])];
  const [channels, suppliers] =
    ids.length === 0
      ? [[], []]
      : await Promise.all([
          db.selectFrom('channels').selectAll().where('id', 'in', ids).execute(),
          db.selectFrom('suppliers').selectAll().execute(),
        ]);
  const supplierOf = new Map(suppliers.map((supplier) => [supplier.id, supplier]));
  const rows = channels
    .filter(({ id, deleted_at }) => deleted_at === null || moneyOf.has(id))
    .map((channel): ModelChannel => {
      const buyPrice = buyPriceOf(channel, supplierOf.get(channel.supplier_id));
      const upstream = upstreamModel(channel.model_mapping, model);
      return {
        id: channel.id,
        name: channel.name,
        status: statusOf(channel),
        upstream_model: upstream,
        groups: abilities.filter(({ channel_id }) => channel_id === channel.id).map(({ group }) => group),
        priority: channel.priority,
        weight: channel.weight,
        cost_price:
          buyPrice === undefined
            ? null
            : unitPriceOf(
                costSnapshot(buyPrice, [upstream, model], builtInPrice, settings.current.QuotaPerUnit),
              ),
        ...(moneyOf.get(channel.id) ?? NOTHING),
      };
    });
  return {
    rows: rows.toSorted(
      (left, right) => right.used - left.used || right.priority - left.priority || left.id - right.id,
    ),
    money: reportMoneyOf(report),
    offSince: new Map(
      channels.map(({ id, other_info }) => [id, channelOtherInfo(other_info).status_time ?? 0]),
    ),
  };
}

/** 0: deleted. */
const statusOf = ({ status, deleted_at }: Row<'channels'>): number => (deleted_at === null ? status : 0);

async function readRefused(
  { store }: ModelDependencies,
  model: string,
  start: number,
): Promise<ModelPage['refused']> {
  const { rows } = await sql<ModelPage['refused'][number]>`
    select code, cast(sum(count) as bigint) as count, count(distinct user_id) as users from refused_calls
    where minute >= ${start} and model_name = ${model} group by code order by 2 desc`.execute(store.db);
  return rows;
}

async function alertOf(
  dependencies: ModelDependencies,
  model: string,
  { rows, offSince }: Serving,
  prices: ModelPage['prices'],
): Promise<ModelPage['alert']> {
  const named = rows.filter(({ groups, status }) => groups.length > 0 && status > 0);
  if (named.length === 0) return null;
  const off = named.filter(({ status }) => status !== CHANNEL_STATUS.enabled);
  const isServed = off.length < named.length;
  const kind = isServed ? ('no_price' as const) : ('no_channel' as const);
  if (isServed && prices.some(({ price }) => price !== null)) return null;
  const since = isServed ? 0 : Math.max(0, ...off.map(({ id }) => offSince.get(id) ?? 0));
  const refused = await readRefusals(
    dependencies.store,
    kind,
    new Map([[model, since]]),
    nowSeconds(dependencies),
  );
  const { calls, users } = refused([model]);
  return { kind, since, refused: calls, users, off: off.map(({ id, name }) => ({ id, name })) };
}
