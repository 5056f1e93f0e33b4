// The money of a channel by model: prices, what calls brought and cost. The rows and the fees add up to the channel's sums.
import { MOST_PAGE_MODELS, type ChannelPage, type ChannelPageModel } from '#contract/admin/channel-page.ts';
import type { ThingMoney, UnitPrice } from '#contract/admin/thing-parts.ts';
import type { BuyPrice } from '#contract/money/channel-costs.ts';
import type { MarginRow } from '#contract/money/margins.ts';
import type { ThingWindow } from '#contract/thing-window.ts';
import { costSnapshot } from '#server/money/costs/snapshot.ts';
import { builtInPrice } from '#server/money/prices/price-list/index.ts';
import { resolvePrice } from '#server/money/prices/price.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import { moneyDaysOf, reportMoneyOf, thingMoneyOf } from '#server/admin/thing-money.ts';
import { unitPriceOf } from '#server/admin/unit-price.ts';
import type { Row } from '#server/platform/store/schema.ts';
import { splitList } from '#server/relay/channel-choice/abilities.ts';
import type { ChannelPageDependencies } from './dependencies.ts';
import type { Neighbours } from './neighbours.ts';

const NOTHING: ThingMoney = {
  used: 0,
  cost: 0,
  fees: 0,
  margin: 0,
  unknown: 0,
  calls: 0,
  unknown_calls: 0,
  cache: null,
};

interface MoneyOf {
  channel: Row<'channels'>;
  buyPrice: BuyPrice | undefined;
  neighbours: Neighbours;
  refusedOf: (model: string) => number;
  window: ThingWindow;
}

export async function readMoney(
  dependencies: ChannelPageDependencies,
  { channel, buyPrice, neighbours, refusedOf, window }: MoneyOf,
): Promise<Pick<ChannelPage, 'money' | 'models' | 'model_count'>> {
  const at = nowSeconds(dependencies);
  const report = await dependencies.margins({
    by: 'model',
    channel: channel.id,
    days: moneyDaysOf(window),
    at,
  });
  const figuresOf = new Map<string, MarginRow>(report.rows.map((row) => [row.key, row]));
  const offered = splitList(channel.models);
  const names = [...new Set([...figuresOf.keys(), ...offered])];
  const models = names
    .map((model): ChannelPageModel => {
      const figures = figuresOf.get(model);
      return {
        model,
        ...(figures === undefined ? NOTHING : thingMoneyOf(figures)),
        price: sellingPrice(dependencies, model, splitList(channel.group)[0] ?? ''),
        cost_price: buyingPrice(dependencies, channel, model, buyPrice),
        others: neighbours.of(model),
        refused: refusedOf(model),
      };
    })
    .toSorted(
      (left, right) =>
        right.used - left.used || right.calls - left.calls || (left.model < right.model ? -1 : 1),
    );
  return {
    money: reportMoneyOf(report),
    models: models.slice(0, MOST_PAGE_MODELS),
    model_count: models.length,
  };
}

function sellingPrice(
  { settings, priceOf }: ChannelPageDependencies,
  model: string,
  group: string,
): UnitPrice | null {
  const price = priceOf?.(model, group) ?? resolvePrice(settings.current, builtInPrice, model, group);
  return unitPriceOf(price);
}

function buyingPrice(
  dependencies: ChannelPageDependencies,
  channel: Row<'channels'>,
  model: string,
  buyPrice: BuyPrice | undefined,
): UnitPrice | null {
  if (buyPrice === undefined) return null;
  const { settings } = dependencies;
  const names = [dependencies.upstreamModel(channel.model_mapping, model), model];
  return unitPriceOf(costSnapshot(buyPrice, names, builtInPrice, settings.current.QuotaPerUnit));
}
