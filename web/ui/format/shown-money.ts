/** What was used and what it is made of, as it is shown: the parts of a rounded sum are rounded so that they still add up to it. */
import { formatMoney, moneyDecimals, renderQuota, type QuotaDisplay } from '#contract/money/quota-text.ts';

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

const PARTS = ['cost', 'margin', 'unknown'] as const;
export type ShownName = 'used' | (typeof PARTS)[number];
/** Undefined: nothing, which is not said. */
export type Shown = Record<ShownName, string | undefined>;

export function shownMoney(money: MoneyParts, display: QuotaDisplay): Shown {
  if (!display.displayInCurrency) {
    const of = (quota: number) => (quota === 0 ? undefined : renderQuota(quota, display));
    return {
      used: of(money.used),
      cost: of(money.cost),
      margin: of(money.margin),
      unknown: of(money.unknown),
    };
  }
  const largest = Math.max(...[money.used, ...PARTS.map((part) => money[part])].map(Math.abs));
  const decimals = moneyDecimals(largest / display.quotaPerUnit);
  const scale = 10 ** decimals;
  const exact = (quota: number) => (quota / display.quotaPerUnit) * scale;
  const used = Math.round(exact(money.used));
  const parts = { cost: 0, margin: 0, unknown: 0 };
  for (const part of PARTS) parts[part] = Math.round(exact(money[part]));
  let left = used - parts.cost - parts.margin - parts.unknown;
  while (left !== 0) {
    const step = Math.sign(left);
    // The part that its own rounding moved furthest the other way.
    const [moved] = PARTS.toSorted(
      (one, other) => step * (exact(money[other]) - parts[other] - exact(money[one]) + parts[one]),
    );
    parts[moved ?? 'margin'] += step;
    left -= step;
  }
  const of = (whole: number) => (whole === 0 ? undefined : formatMoney(whole / scale, decimals));
  return { used: of(used), cost: of(parts.cost), margin: of(parts.margin), unknown: of(parts.unknown) };
}
