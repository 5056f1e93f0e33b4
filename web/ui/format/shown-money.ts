/** What was used and what it is made of, as it is shown: the parts of a rounded sum are rounded so that they still add up to it. */
import type { QuotaDisplay } from '#contract/money/quota-text.ts';
import { roundedParts } from './parts.ts';

/** In quota units: `used` = `cost` + `margin` + `unknown`. */
export interface MoneyParts {
  used: number;
  cost: number;
  /** Of `cost`: monthly fees. */
  fees?: number;
  /** Certain: of calls of known cost. */
  margin: number;
  /** Used by calls whose cost is not known. */
  unknown: number;
}

export type ShownName = 'used' | 'cost' | 'margin' | 'unknown';
/** Undefined: nothing, which is not said. */
export type Shown = Record<ShownName, string | undefined>;

/** Whole numbers of the smallest unit that is shown. `used` = `cost` + `margin` + `unknown`. */
export interface Rounded extends Record<ShownName, number> {
  round: (quota: number) => number;
  text: (whole: number) => string;
}

export function roundedMoney(money: MoneyParts, display: QuotaDisplay): Rounded {
  const { used, cost, margin, unknown } = money;
  const { total, parts, round, text } = roundedParts(used, { cost, margin, unknown }, display);
  return { used: total, ...parts, round, text };
}

export function shownMoney(money: MoneyParts, display: QuotaDisplay): Shown {
  const { used, cost, margin, unknown, text } = roundedMoney(money, display);
  const of = (whole: number) => (whole === 0 ? undefined : text(whole));
  return { used: of(used), cost: of(cost), margin: of(margin), unknown: of(unknown) };
}
