// The price of a top-up. Everything is exact decimal arithmetic with one rounding at the end; the result is frozen on the
// order, so later changes of settings do not touch it.
import { AppError } from '#contract/errors.ts';
import { invalidField } from '#contract/problem-words.ts';
import { TOP_UP_MAX_DOLLARS, type OrderView } from '#contract/money/orders.ts';
import type { Settings } from '#contract/settings.ts';
import { decimalOf, divideDecimals, multiply, roundHalfUp, type Decimal } from '#contract/money/decimal.ts';
import { currencyDigits } from './currency.ts';
import type { PaymentMethod } from './provider.ts';

export type PriceSettings = Pick<
  Settings,
  | 'DisplayInCurrencyEnabled'
  | 'MinTopUp'
  | 'QuotaPerUnit'
  | 'TopUpPresets'
  | 'TopUpPromotions'
  | 'TopupGroupRatio'
>;

export interface Quote {
  quota: number;
  amountMinor: number;
  currency: string;
  terms: OrderView['terms'];
}

export interface QuoteRequest {
  /** Dollars, or quota where the site shows quota. */
  amount: number;
  group: string;
  method: PaymentMethod;
  promotion: string;
  /** Unix seconds. */
  now: number;
}

/** A group without a ratio, or with 0, pays the plain price. */
export function groupRatioOf({ TopupGroupRatio }: Pick<Settings, 'TopupGroupRatio'>, group: string): number {
  return (Object.hasOwn(TopupGroupRatio, group) && TopupGroupRatio[group]) || 1;
}

/** Quota of one entered unit. */
export function unitQuotaOf(settings: PriceSettings): number {
  return settings.DisplayInCurrencyEnabled ? settings.QuotaPerUnit : 1;
}

export function minimumOf(settings: PriceSettings): number {
  if (settings.DisplayInCurrencyEnabled) return settings.MinTopUp;
  return Math.ceil(settings.MinTopUp * settings.QuotaPerUnit);
}

export function quoteOf(settings: PriceSettings, request: QuoteRequest): Quote {
  const { amount, method, group } = request;
  const minimum = minimumOf(settings);
  if (amount < minimum) throw new AppError('top_up_too_small', { minimum }, { field: 'amount' });
  const dollars = settings.DisplayInCurrencyEnabled ? amount : divideDecimals(amount, settings.QuotaPerUnit);
  if (dollars > TOP_UP_MAX_DOLLARS) {
    const maximum = Math.floor((TOP_UP_MAX_DOLLARS * settings.QuotaPerUnit) / unitQuotaOf(settings));
    throw new AppError('top_up_too_large', { maximum }, { field: 'amount' });
  }
  const quota = Number(roundHalfUp(multiply(decimalOf(amount), decimalOf(unitQuotaOf(settings)))));
  const preset = settings.TopUpPresets.find((item) => item.amount === dollars)?.discount ?? 1;
  const discount = numberOf(multiply(decimalOf(preset), decimalOf(promotionOf(settings, request))));
  const group_ratio = groupRatioOf(settings, group);
  const digits = currencyDigits(method.currency);
  const factors = [dollars, method.price, group_ratio, discount, 10 ** digits].map(decimalOf);
  const amountMinor = Number(roundHalfUp(factors.reduce(multiply)));
  if (amountMinor < 1) throw new AppError('top_up_price_too_low', {}, { field: 'amount' });
  if (!Number.isSafeInteger(quota) || !Number.isSafeInteger(amountMinor))
    throw invalidField('amount', 'too_large');
  const terms = { dollars, price: method.price, group, group_ratio, discount, promotion: request.promotion };
  return { quota, amountMinor, currency: method.currency, terms };
}

function promotionOf(settings: PriceSettings, { promotion, now }: QuoteRequest): number {
  if (promotion === '') return 1;
  const found = Object.hasOwn(settings.TopUpPromotions, promotion)
    ? settings.TopUpPromotions[promotion]
    : undefined;
  if (found === undefined || (found.until !== 0 && found.until <= now))
    throw new AppError('top_up_code_unknown', {}, { field: 'top_up_code' });
  return found.discount;
}

const numberOf = ({ digits, scale }: Decimal): number => Number(`${digits}e-${scale}`);
