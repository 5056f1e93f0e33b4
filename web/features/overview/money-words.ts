/** Amounts of the day as they are shown. */
import type { PaidSum } from '#contract/admin/overview.ts';
import { moneyText } from '#web/ui/format/money.ts';

/** What was paid, by currency: `¥1,240.00 + $20.00`; undefined: nothing. */
export function paidText(sums: readonly PaidSum[], language: string): string | undefined {
  const said = sums
    .filter(({ amount_minor }) => amount_minor !== 0)
    .map(({ currency, amount_minor, digits }) =>
      moneyText({ currency, amount_minor, currency_digits: digits }, language),
    );
  return said.length === 0 ? undefined : said.join(' + ');
}

/** What came in less what was paid back, of each currency of either. */
export function keptSums(came: readonly PaidSum[], refunded: readonly PaidSum[]): PaidSum[] {
  const back = new Map(refunded.map((sum) => [sum.currency, sum]));
  const other = refunded.filter(({ currency }) => !came.some((sum) => sum.currency === currency));
  return [
    ...came.map((sum) => ({
      ...sum,
      amount_minor: sum.amount_minor - (back.get(sum.currency)?.amount_minor ?? 0),
    })),
    ...other.map((sum) => ({ ...sum, amount_minor: -sum.amount_minor })),
  ];
}
