// The price of a top-up in currencies with and without a smaller unit, and their amounts as text.
import { expect, test } from 'bun:test';
import { AppError } from '#contract/errors.ts';
import { TOP_UP_MAX_DOLLARS } from '#contract/money/orders.ts';
import { minorOf, moneyText } from './currency.ts';
import { groupRatioOf, minimumOf, quoteOf, type PriceSettings } from './quote.ts';

const settings: PriceSettings = {
  DisplayInCurrencyEnabled: true,
  MinTopUp: 1,
  QuotaPerUnit: 500_000,
  TopUpPresets: [],
  TopUpPromotions: {},
  TopupGroupRatio: { default: 1 },
};
const request = { amount: 10, group: 'default', promotion: '', now: 0 };

test('a currency without a smaller unit is asked for in whole units, not a hundred times as much (M21)', () => {
  const quote = (currency: string, price: number) =>
    quoteOf(settings, { ...request, method: { name: 'stripe', currency, price } });
  expect(quote('JPY', 150.25)).toMatchObject({ amountMinor: 1503, quota: 5_000_000, currency: 'JPY' });
  expect(quote('USD', 1)).toMatchObject({ amountMinor: 1000, quota: 5_000_000, currency: 'USD' });
});

test('the discount of a preset is that of its dollars, also where quota is entered (M21)', () => {
  const method = { name: 'stripe', currency: 'USD', price: 1 } as const;
  const TopUpPresets = [{ amount: 10, discount: 0.9 }];
  const inDollars = { ...settings, TopUpPresets };
  const inQuota = { ...inDollars, DisplayInCurrencyEnabled: false, MinTopUp: 0 };
  expect(quoteOf(inDollars, { ...request, method })).toMatchObject({ amountMinor: 900, quota: 5_000_000 });
  const quote = (amount: number) => quoteOf(inQuota, { ...request, amount, method });
  expect(quote(5_000_000)).toMatchObject({ amountMinor: 900, quota: 5_000_000 });
  // Ten units of quota are not ten dollars.
  expect(quote(5_000_001)).toMatchObject({ amountMinor: 1000 });
});

test('a promotion is given until the second before its end, and one without an end always (M21)', () => {
  const until = 1_800_000_000;
  const TopUpPromotions = { spring: { discount: 0.8, until }, always: { discount: 0.8, until: 0 } };
  const method = { name: 'stripe', currency: 'USD', price: 1 } as const;
  const quote = (promotion: string, now: number) =>
    quoteOf({ ...settings, TopUpPromotions }, { ...request, method, promotion, now });
  expect(quote('spring', until - 1)).toMatchObject({ amountMinor: 800 });
  expect(quote('always', until)).toMatchObject({ amountMinor: 800 });
  expect(() => quote('spring', until)).toThrow(expect.objectContaining({ code: 'top_up_code_unknown' }));
});

test('the least and the most of a top-up are sold, one unit beyond either is not (M21)', () => {
  const method = { name: 'stripe', currency: 'USD', price: 1 } as const;
  const inQuota = { ...settings, DisplayInCurrencyEnabled: false };
  for (const [given, unit] of [
    [settings, 1],
    [inQuota, 500_000],
  ] as const) {
    const quote = (amount: number) => quoteOf(given, { ...request, amount, method });
    const most = TOP_UP_MAX_DOLLARS * unit;
    expect(quote(most)).toMatchObject({ amountMinor: TOP_UP_MAX_DOLLARS * 100 });
    expect(() => quote(most + 1)).toThrow(
      expect.objectContaining({ code: 'top_up_too_large', parameters: { maximum: most } }),
    );
    expect(quote(unit)).toMatchObject({ amountMinor: 100, quota: 500_000 });
    expect(() => quote(unit - 1)).toThrow(
      expect.objectContaining({ code: 'top_up_too_small', parameters: { minimum: unit } }),
    );
  }
});

test('a price below the smallest unit of its currency is refused: quota is never sold for nothing (M21)', () => {
  const inQuota = { ...settings, DisplayInCurrencyEnabled: false, MinTopUp: 0 };
  const quote = (amount: number, currency = 'USD', price = 1) =>
    quoteOf(inQuota, { ...request, amount, method: { name: 'stripe', currency, price } });
  // Half a cent is a cent, and less is nothing.
  expect(quote(2500)).toMatchObject({ amountMinor: 1, quota: 2500 });
  for (const price of [() => quote(2499), () => quote(1), () => quote(2500, 'JPY')])
    expect(price).toThrow(expect.objectContaining({ code: 'top_up_price_too_low' }));
});

test('amounts as text are read back as they were written, in both kinds of currency (M21)', () => {
  for (const currency of ['JPY', 'USD'])
    for (const minor of [0, 5, 99, 100, 7300, 123_456_789])
      expect([currency, minorOf(moneyText(minor, currency), currency)]).toEqual([currency, minor]);
  expect([moneyText(1503, 'JPY'), moneyText(1503, 'USD')]).toEqual(['1503', '15.03']);
  // Parts of the smallest unit are no amount.
  expect([minorOf('1503.5', 'JPY'), minorOf('15.035', 'USD')]).toEqual([undefined, undefined]);
});

test('discounts of preset and promotion multiply, with the ratio of the group, and are kept with the order', () => {
  const method = { name: 'stripe', currency: 'USD', price: 2 } as const;
  const dear = {
    ...settings,
    TopUpPresets: [{ amount: 10, discount: 0.9 }],
    TopUpPromotions: { spring: { discount: 0.5, until: 0 } },
    TopupGroupRatio: { default: 1, vip: 0.8 },
  };
  expect(quoteOf(dear, { ...request, method, group: 'vip', promotion: 'spring' })).toEqual({
    quota: 5_000_000,
    amountMinor: 10 * 2 * 0.8 * 0.45 * 100,
    currency: 'USD',
    terms: { dollars: 10, price: 2, group: 'vip', group_ratio: 0.8, discount: 0.45, promotion: 'spring' },
  });
});

test('a group without a ratio pays the plain price, whatever it is called; so does one with a ratio of nothing', () => {
  const of = (group: string) => groupRatioOf({ TopupGroupRatio: { vip: 0.8, gift: 0 } }, group);
  expect([of('vip'), of('gift'), of('other'), of('constructor')]).toEqual([0.8, 1, 1, 1]);
  const method = { name: 'stripe', currency: 'USD', price: 1 } as const;
  expect(() => quoteOf(settings, { ...request, method, promotion: 'constructor' })).toThrow(
    expect.objectContaining({ code: 'top_up_code_unknown' }),
  );
});

test('the least top-up in quota is a whole number that is worth the least in dollars', () => {
  const odd = { ...settings, DisplayInCurrencyEnabled: false, MinTopUp: 0.5, QuotaPerUnit: 333_333 };
  expect([minimumOf(odd), minimumOf({ ...odd, DisplayInCurrencyEnabled: true })]).toEqual([166_667, 0.5]);
});

test('an amount of money that is no exact number is refused', () => {
  const method = { name: 'stripe', currency: 'USD', price: 1e15 } as const;
  expect(() => quoteOf(settings, { ...request, method })).toThrow();
  // Neither may the quota be, at a price that is one.
  const large = { ...settings, QuotaPerUnit: 1e15 };
  const plain = { ...request, method: { ...method, price: 1 } };
  expect(quoteOf(large, { ...plain, amount: 9 })).toMatchObject({ quota: 9e15, amountMinor: 900 });
  expect(() => quoteOf(large, plain)).toThrow(expect.objectContaining({ code: 'invalid_parameter' }));
});

test('each refusal names the field of the form that it is about', () => {
  const method = { name: 'stripe', currency: 'USD', price: 1 } as const;
  const fieldOf = (more: Partial<typeof request>, price = 1) => {
    try {
      quoteOf(settings, { ...request, method: { ...method, price }, ...more });
      return undefined;
    } catch (error) {
      return error instanceof AppError ? [error.code, error.extra['field']] : error;
    }
  };
  expect(fieldOf({ amount: 0 })).toEqual(['top_up_too_small', 'amount']);
  expect(fieldOf({ amount: TOP_UP_MAX_DOLLARS + 1 })).toEqual(['top_up_too_large', 'amount']);
  expect(fieldOf({}, 0.0001)).toEqual(['top_up_price_too_low', 'amount']);
  expect(fieldOf({ promotion: 'unknown' })).toEqual(['top_up_code_unknown', 'top_up_code']);
});

test('a number with fewer digits than its currency is that many of the larger unit', () => {
  expect([minorOf('15', 'USD'), minorOf('15.5', 'USD'), minorOf('15.500', 'USD')]).toEqual([
    1500, 1550, 1550,
  ]);
  expect([minorOf('-1', 'USD'), minorOf('1e3', 'USD'), minorOf('', 'USD')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
