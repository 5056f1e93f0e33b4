import { expect, test } from 'bun:test';
import { minorLeft, quotaLeft, quotaOfRefund } from './refund-amounts.ts';

const order = {
  amount_minor: 1000,
  refunded_minor: 0,
  disputed_minor: 0,
  quota: 999,
  refunded_quota: 0,
  disputed_quota: 0,
  lost_quota: 0,
};

test('what is left of an order is neither refunded nor claimed, and of its quota not lost either', () => {
  const claimed = { ...order, refunded_minor: 300, disputed_minor: 200 };
  expect(minorLeft(claimed)).toBe(500);
  const quotas = { ...claimed, refunded_quota: 299, disputed_quota: 150, lost_quota: 49 };
  expect(quotaLeft(quotas)).toBe(501);
  expect(quotaLeft({ ...quotas, quota: 0 })).toBe(0);
});

test('a part of the price takes its part of the quota, rounded down, and the last part takes the rest', () => {
  // 999 × 333 ÷ 1000 is 332.667.
  expect(quotaOfRefund(order, 333)).toBe(332);
  const begun = { ...order, refunded_minor: 333, refunded_quota: 332 };
  expect(quotaOfRefund(begun, 333)).toBe(332);
  const lastPart = { ...order, refunded_minor: 666, refunded_quota: 664 };
  expect(quotaOfRefund(lastPart, 333)).toBe(332);
  expect(quotaOfRefund(lastPart, 334)).toBe(335);
  expect(quotaOfRefund(order, 1000)).toBe(999);
  // A product past 2^53 loses no digit.
  const large = { ...order, amount_minor: 999_999_999_999, quota: 9_007_199_254_740_991 };
  expect(quotaOfRefund(large, 999_999_999_998)).toBe(9_007_199_254_731_983);
});
