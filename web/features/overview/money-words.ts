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
