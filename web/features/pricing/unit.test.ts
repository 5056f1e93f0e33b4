import { expect, test } from 'bun:test';
import { callPrice, mostDecimals, paddingZeros, priceDigits, tokenPrice, unitOf } from './unit.ts';

const status = { top_up_prices: [{ currency: 'CNY', price: 7.3 }], quota_per_unit: 500_000 };

test('a price per million turns into thousand, yuan and quota', () => {
  expect(tokenPrice(2.5, unitOf({}, status))).toBe(2.5);
  expect(tokenPrice(2.5, unitOf({ per: '1k' }, status))).toBe(0.0025);
  expect(tokenPrice(2, unitOf({ money: 'cny' }, status))).toBe(14.6);
  expect(tokenPrice(2, unitOf({ money: 'quota', per: '1k' }, status))).toBe(1000);
  expect(callPrice(0.04, unitOf({ money: 'quota', per: '1k' }, status))).toBe(20_000);
});

test('without a way to pay in yuan prices are in dollars', () => {
  const stripe = { top_up_prices: [{ currency: 'USD', price: 1 }], quota_per_unit: 500_000 };
  expect(unitOf({ money: 'cny' }, stripe)).toMatchObject({ money: 'usd', yuanPerDollar: undefined });
  expect(unitOf({ money: 'quota' }, stripe).money).toBe('quota');
});

test('digits keep what the price has and at least two decimals', () => {
  expect(priceDigits(2, 'usd')).toBe('2.00');
  expect(priceDigits(0.0036, 'usd')).toBe('0.0036');
  expect(priceDigits(0.1 + 0.2, 'usd')).toBe('0.30');
  expect(priceDigits(1_250_000, 'quota')).toBe('1,250,000');
  expect(priceDigits(37.5, 'quota')).toBe('37.5');
  expect(priceDigits(2e-10, 'usd')).toBe('2e-10');
  expect(priceDigits(0, 'usd')).toBe('0.00');
});

test('padding lines up the points', () => {
  expect(mostDecimals([2, undefined, 0.125], 'usd')).toBe(3);
  expect(mostDecimals([2, 0.5], 'usd')).toBe(2);
  expect(mostDecimals([2000, undefined], 'quota')).toBe(0);
  expect(paddingZeros('2.00', 4)).toBe('00');
  expect(paddingZeros('0.0036', 4)).toBe('');
});
