/**
 * Prices in dollars and the ratios that are stored for them. A price that was typed comes back as it was typed, however often the
 * sheet is opened, and a call costs what it would cost at the typed price.
 */
import {
  add,
  decimalOf,
  multiply,
  numberOf,
  quotient,
  rounded,
  type Decimal,
} from '#contract/money/decimal.ts';
import { DOLLARS_PER_MILLION } from '#contract/money/pricing.ts';
import { rowOf, withCell, type RatioMaps, type RatioRow } from './ratios.ts';

/** Of a price that is shown. */
const PRICE_DIGITS = 12;
/** Of a ratio that is stored: as many as a number holds for certain. */
const RATIO_DIGITS = 15;

/** What a model costs at group ratio 1: dollars for a call or second, or dollars per million tokens in and out. */
export type UnitPrice = { call: number } | { input: number; output: number } | undefined;

/** The JSON view may hold a number that the server refuses. */
const decimal = (value: number): Decimal => decimalOf(Math.max(0, value));

const shown = (value: Decimal): number => numberOf(rounded(value, PRICE_DIGITS));

export function unitPrice(row: RatioRow): UnitPrice {
  if (row.price !== undefined) return { call: row.price };
  if (row.ratio === undefined && row.facts?.list_price !== undefined) return { call: row.facts.list_price };
  const ratio = row.ratio ?? row.facts?.list_ratio;
  if (ratio === undefined) return undefined;
  const input = multiply(decimal(ratio), decimalOf(DOLLARS_PER_MILLION));
  const completion = row.completion ?? row.facts?.list_completion_ratio ?? 1;
  return { input: shown(input), output: shown(multiply(input, decimal(completion))) };
}

/** The model ratio of an input price: half of it, which every price has exactly. */
export const ratioOfDollars = (dollars: number): number =>
  numberOf(rounded(multiply(decimal(dollars), { digits: 5n, scale: 1 }), RATIO_DIGITS));

/**
 * dollars ÷ base as a ratio. One that has no end is rounded up: the product is then a hair above the typed price, so that half
 * a unit is charged as it would be at that price; below it, the half would be lost.
 */
export function relativeRatio(dollars: number, base: number): number {
  const [left, right] = [decimal(dollars), decimal(base)];
  const ratio = quotient(left, right, RATIO_DIGITS);
  const product = multiply(ratio, right);
  const scale = Math.max(product.scale, left.scale);
  const isBelow =
    product.digits * 10n ** BigInt(scale - product.scale) < left.digits * 10n ** BigInt(scale - left.scale);
  return numberOf(isBelow ? rounded(add(ratio, lastDigit(ratio)), RATIO_DIGITS) : ratio);
}

/** One in the last of the digits that a ratio has. */
function lastDigit(ratio: Decimal): Decimal {
  const scale = ratio.scale + RATIO_DIGITS - ratio.digits.toString().length;
  return scale >= 0 ? { digits: 1n, scale } : { digits: 10n ** BigInt(-scale), scale: 0 };
}

/** A price in one group as the price at group ratio 1. */
export const withoutGroup = (dollars: number, groupRatio: number): number =>
  numberOf(quotient(decimal(dollars), decimal(groupRatio), RATIO_DIGITS));

export const inGroup = (dollars: number, groupRatio: number): number =>
  shown(multiply(decimal(dollars), decimal(groupRatio)));

export type DollarPart = 'call' | 'input' | 'output';

/**
 * Sets one price in dollars at group ratio 1. The options store ratios, where the output follows the input; here the other price
 * stays what it is. Undefined for an output price without an input price: it cannot be written as a ratio.
 */
export function withDollars(
  maps: RatioMaps,
  row: RatioRow,
  part: DollarPart,
  dollars: number,
): RatioMaps | undefined {
  const { model, facts } = row;
  if (part === 'call') return withCell(maps, 'ModelPrice', model, dollars);
  const price = unitPrice(row);
  const before = price && 'input' in price ? price : undefined;
  if (part === 'output') {
    if (before === undefined || before.input === 0) return undefined;
    return withCell(maps, 'CompletionRatio', model, relativeRatio(dollars, before.input));
  }
  const next = withCell(maps, 'ModelRatio', model, ratioOfDollars(dollars));
  const after = unitPrice(rowOf(next, model, facts));
  if (before === undefined || dollars === 0 || !after || !('output' in after)) return next;
  if (after.output === before.output) return next;
  return withCell(next, 'CompletionRatio', model, relativeRatio(before.output, dollars));
}

/** What the tokens or calls of the last 30 days cost after the change for each dollar before it. */
export function recentFactor(before: RatioRow, after: RatioRow): number | undefined {
  const old = recentDollars(before);
  const next = recentDollars(after);
  return old === undefined || next === undefined || old === 0 ? undefined : next / old;
}

/**
 * The difference in cost of the last 30 days, in quota. The actual charge includes the group ratios, so it
 * is scaled by the price change of the same tokens. Undefined without a comparison.
 */
export function recentDifference(before: RatioRow, after: RatioRow): number | undefined {
  const { facts } = after;
  if (!facts || facts.recent_quota === 0) return undefined;
  const factor = recentFactor(before, after);
  return factor === undefined ? undefined : Math.round(facts.recent_quota * (factor - 1));
}

function recentDollars(row: RatioRow): number | undefined {
  const price = unitPrice(row);
  if (!price || !row.facts) return undefined;
  if ('call' in price) return price.call * row.facts.recent_calls;
  return price.input * row.facts.recent_prompt_tokens + price.output * row.facts.recent_completion_tokens;
}
