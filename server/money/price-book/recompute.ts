// What a past call would cost under other prices, read from its log row. Used for corrections of past charges and for the
// preview of a draft.
import type { RequestClass } from '#contract/money/price-rules.ts';
import { TOKEN_CLASSES } from '#contract/money/token-classes.ts';
import { cappedChargeOf } from '#server/money/prices/charge.ts';
import { resolvePrice, type PriceLookup, type PriceSettings } from '#server/money/prices/price.ts';
import type { Moment } from '#server/money/prices/price-rules.ts';
import { CALL_FEE, WEB_SEARCH, withFees } from '#server/money/prices/tiers.ts';
import { usageOf, type Surcharge, type Usage } from '#server/money/prices/usage.ts';
import { readSuffix } from '#server/models/reasoning-suffix.ts';
import type { Row } from '#server/platform/store/schema.ts';

export type RatedRow = Pick<Row<'logs'>, 'type' | 'created_at' | 'model_name' | 'group' | 'other'>;

const CONSUMED = 2;

type Loose = Record<string, unknown>;

const isObject = (value: unknown): value is Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const count = (value: unknown): number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
const positive = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;

/**
 * The charge in quota units. `not_rated`: the row says too little (an event, a call of another gateway, one that was charged
 * after a crash), or these prices have none for its model and group.
 */
export function chargeUnder(prices: PriceSettings, list: PriceLookup, row: RatedRow): number | 'not_rated' {
  const other = row.type === CONSUMED ? parsed(row.other) : undefined;
  if (other === undefined || !isObject(other['usage'])) return 'not_rated';
  const moment = momentOf(other, row.created_at);
  const price = priceOf(prices, list, row, moment);
  if (price === undefined) return 'not_rated';
  // A cached answer costs its part of any price.
  const hitRatio = positive(other['hit_ratio']);
  const rated = hitRatio === undefined ? price : { ...price, hitRatio };
  return cappedChargeOf(rated, withFees(rated, usageIn(other)));
}

/** As the relay looks it up: a reasoning suffix makes no other model, unless the name with it has a price. */
function priceOf(prices: PriceSettings, list: PriceLookup, row: RatedRow, moment: Moment) {
  const { model_name: model, group } = row;
  const price = resolvePrice(prices, list, model, group, moment);
  const isKnown = typeof price === 'object' && price.source !== 'unknown';
  const bare = isKnown ? undefined : readSuffix(model)?.model;
  const found = bare === undefined ? price : resolvePrice(prices, list, bare, group, moment);
  return typeof found === 'string' ? undefined : found;
}

function momentOf(other: Loose, endedAt: number): Moment {
  const began = count(other['began_at']) || endedAt - Math.round(count(other['use_ms']) / 1000);
  const isBatch = typeof other['batch_ratio'] === 'number';
  return {
    at: began * 1000,
    requestClass: isBatch ? 'batch' : classIn(other['request_class']),
    isSum: other['ws'] === true,
  };
}

const classIn = (value: unknown): RequestClass | undefined =>
  value === 'flex' || value === 'priority' ? value : undefined;

function usageIn(other: Loose): Usage {
  const usage = other['usage'] as Loose;
  const { resolution } = other;
  return usageOf({
    ...Object.fromEntries(TOKEN_CLASSES.map((name) => [name, count(usage[name])])),
    pieces: positive(other['pieces']) ?? 1,
    surcharges: surchargesIn(other['surcharges']),
    ...(typeof resolution === 'string' ? { resolution } : {}),
  });
}

function surchargesIn(value: unknown): Surcharge[] {
  if (!Array.isArray(value)) return [];
  const logged = value.filter(isObject).map((each) => ({
    name: typeof each['name'] === 'string' ? each['name'] : '',
    count: count(each['count']),
    dollarsEach: positive(each['dollarsEach']) ?? 0,
  }));
  // Fees of the old prices do not count; the new ones are added by `withFees`.
  return logged
    .filter(({ name }) => name !== CALL_FEE)
    .map((each) => (each.name === WEB_SEARCH ? { ...each, dollarsEach: 0 } : each));
}

function parsed(text: string): Loose | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
