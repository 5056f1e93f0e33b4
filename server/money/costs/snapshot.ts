// A buy price as a price snapshot, so that a cost is computed by the arithmetic of charges (server/money/prices/charge.ts): the
// multiplier and the recharge rate take the place of the group ratio.
import type { BuyPrice } from '#contract/money/channel-costs.ts';
import { decimalOf, multiply, numberOf } from '#contract/money/decimal.ts';
import { noPrices, resolvePrice, type PriceLookup, type PriceSnapshot } from '#server/money/prices/price.ts';

/** No group of the site: snapshots of costs are never stored or shown. */
const GROUP = 'cost';

/** Null: the supplier's price of the model is unknown. */
export function costSnapshot(
  buyPrice: BuyPrice,
  names: readonly string[],
  listPrice: PriceLookup,
  quotaPerUnit: number,
): PriceSnapshot | null {
  const ratio =
    buyPrice.kind === 'table' ? buyPrice.recharge_rate : product(buyPrice.multiplier, buyPrice.recharge_rate);
  const lookup = buyPrice.kind === 'table' ? ownPrice(buyPrice.models) : listPrice;
  const settings = { ...noPrices, QuotaPerUnit: quotaPerUnit, GroupRatio: { [GROUP]: ratio } };
  for (const name of names) {
    const snapshot = resolvePrice(settings, lookup, name, GROUP);
    if (typeof snapshot === 'object') return inDollars(snapshot);
  }
  // A plan without a price for each call costs nothing for any model, listed or not.
  if (buyPrice.kind === 'plan' && ratio === 0) {
    const free = resolvePrice(settings, () => ({ input: 0 }), names[0] ?? '', GROUP);
    if (typeof free === 'object') return free;
  }
  return null;
}

/** A ratio of 1 is 2 dollars per million tokens only at this many units to the dollar. */
const UNITS_AT_RATIO_ONE = 500_000;

/** Charges by ratio do not follow QuotaPerUnit, but a cost is so many dollars. */
function inDollars(snapshot: PriceSnapshot): PriceSnapshot {
  if (snapshot.kind === 'price') return snapshot;
  const { modelRatio, quotaPerUnit } = snapshot;
  return { ...snapshot, modelRatio: product(product(modelRatio, quotaPerUnit), 1 / UNITS_AT_RATIO_ONE) };
}

/** A model called `constructor` must not find a price on the prototype. */
const ownPrice =
  (models: Extract<BuyPrice, { kind: 'table' }>['models']): PriceLookup =>
  (model) =>
    Object.hasOwn(models, model) ? models[model] : undefined;

const product = (left: number, right: number): number =>
  numberOf(multiply(decimalOf(left), decimalOf(right)));
