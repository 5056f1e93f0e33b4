/** The unit prices are shown in: per million or thousand tokens, in dollars, yuan or quota. */
import type { StatusView } from '#contract/admin/site.ts';
import { groupDigits } from '#web/ui/format/number.ts';
import type { Money, PricingSearch } from './search.ts';

export interface PriceUnit {
  tokens: '1M' | '1K';
  money: Money;
  /** Undefined where nothing can be paid in yuan: then no price is shown in it. */
  yuanPerDollar: number | undefined;
  quotaPerDollar: number;
}

export const MONEY_SIGN: Record<Money, string> = { usd: '$', cny: '¥', quota: '' };

export function unitOf(
  search: Pick<PricingSearch, 'per' | 'money'>,
  status: Pick<StatusView, 'top_up_prices' | 'quota_per_unit'> | undefined,
): PriceUnit {
  const yuanPerDollar = status?.top_up_prices.find(({ currency }) => currency === 'CNY')?.price;
  const isUnpayable = search.money === 'cny' && yuanPerDollar === undefined;
  return {
    tokens: search.per === '1k' ? '1K' : '1M',
    money: isUnpayable ? 'usd' : (search.money ?? 'usd'),
    yuanPerDollar,
    quotaPerDollar: status?.quota_per_unit ?? 500_000,
  };
}

function converted(dollars: number, unit: PriceUnit): number {
  if (unit.money === 'cny') return dollars * (unit.yuanPerDollar ?? 1);
  return unit.money === 'quota' ? dollars * unit.quotaPerDollar : dollars;
}

/** A price per million tokens in the unit. */
export function tokenPrice(dollarsPerMillion: number, unit: PriceUnit): number {
  return converted(unit.tokens === '1K' ? dollarsPerMillion / 1000 : dollarsPerMillion, unit);
}

/** A price per call in the unit. */
export const callPrice = (dollars: number, unit: PriceUnit): number => converted(dollars, unit);

const MOST_DECIMALS = 8;

/** Digits without a needless tail: two decimals at least for money, none for quota, as many as the price has. */
export function priceDigits(value: number, money: Money): string {
  const least = money === 'quota' ? 0 : 2;
  if (value >= 1000 && money === 'quota') return groupDigits(Math.round(value));
  const [whole = '0', decimals = ''] = value.toFixed(MOST_DECIMALS).split('.');
  const kept = decimals.replace(/0+$/, '').padEnd(least, '0');
  const text = kept ? `${whole}.${kept}` : whole;
  // At most eight decimals; smaller prices keep one significant digit.
  return value > 0 && Number(text) === 0 ? value.toPrecision(1) : text;
}

/** How many decimals the price of a column needs that needs most. */
export function mostDecimals(values: readonly (number | undefined)[], money: Money): number {
  const own = values.map((value) =>
    value === undefined ? 0 : (priceDigits(value, money).split('.')[1]?.length ?? 0),
  );
  return Math.max(0, ...own);
}

/** Invisible zeros that align the decimal points of a column. */
export function paddingZeros(digits: string, decimals: number): string {
  const own = digits.split('.')[1]?.length ?? 0;
  return '0'.repeat(Math.max(0, decimals - own));
}
