/** Amounts of the day as they are shown. The parts of a rounded sum are rounded so that they still add up to it. */
import type { OverviewMoney, PaidSum } from '#contract/admin/overview.ts';
import { formatMoney, moneyDecimals, renderQuota, type QuotaDisplay } from '#contract/money/quota-text.ts';
import { moneyText } from '#web/ui/format/money.ts';

const PARTS = ['cost', 'margin', 'unknown'] as const;
export type ShownName = 'used' | (typeof PARTS)[number];
/** Undefined: nothing, which is not said. */
export type Shown = Record<ShownName, string | undefined>;

/** Whole numbers of the smallest unit that is shown. `used` = `cost` + `margin` + `unknown`. */
export interface Rounded extends Record<ShownName, number> {
  round: (quota: number) => number;
  text: (whole: number) => string;
}

export function roundedMoney(money: OverviewMoney, display: QuotaDisplay): Rounded {
  if (!display.displayInCurrency) {
    const { used, cost, margin, unknown } = money;
    return { used, cost, margin, unknown, round: Math.round, text: (whole) => renderQuota(whole, display) };
  }
  const largest = Math.max(...[money.used, ...PARTS.map((part) => money[part])].map(Math.abs));
  const decimals = moneyDecimals(largest / display.quotaPerUnit);
  const scale = 10 ** decimals;
  const exact = (quota: number) => (quota / display.quotaPerUnit) * scale;
  // Without the sign of a zero.
  const whole = (quota: number) => Math.round(exact(quota)) || 0;
  const used = whole(money.used);
  const parts = { cost: 0, margin: 0, unknown: 0 };
  for (const part of PARTS) parts[part] = whole(money[part]);
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
  return {
    used,
    ...parts,
    round: whole,
    text: (sum) => formatMoney(sum / scale, decimals),
  };
}

export function shownMoney(money: OverviewMoney, display: QuotaDisplay): Shown {
  const { used, cost, margin, unknown, text } = roundedMoney(money, display);
  const of = (whole: number) => (whole === 0 ? undefined : text(whole));
  return { used: of(used), cost: of(cost), margin: of(margin), unknown: of(unknown) };
}

/** What was paid, by currency: `¥1,240.00 + $20.00`; undefined: nothing. */
export function paidText(sums: readonly PaidSum[], language: string): string | undefined {
  const said = sums
    .filter(({ amount_minor }) => amount_minor !== 0)
    .map(({ currency, amount_minor, digits }) =>
      moneyText({ currency, amount_minor, currency_digits: digits }, language),
    );
  return said.length === 0 ? undefined : said.join(' + ');
}
