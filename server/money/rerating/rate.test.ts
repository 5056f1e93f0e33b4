// Which calls a run rates, which it leaves out and why, and which are not of its selection.
import { expect, test } from 'bun:test';
import { SETTINGS } from '#contract/settings.ts';
import { PRICE_KEYS, type Prices } from '#contract/money/price-keys.ts';
import type { LeftOutReason } from '#contract/money/rerating.ts';
import { rate, type RatedRow } from './rate.ts';
import type { Filter } from './run.ts';

const defaults = Object.fromEntries(PRICE_KEYS.map((key) => [key, SETTINGS[key].fallback])) as Prices;
const prices: Prices = { ...defaults, GroupRatio: { default: 1, vip: 0.5 }, ModelRatio: { alpha: 2 } };
const everything: Filter = { models: [], groups: [], chargedVersion: 0 };

const rowOf = (other: object, change: Partial<RatedRow> = {}): RatedRow => ({
  id: 1,
  created_at: 1_770_000_000,
  request_id: 'a-call',
  type: 2,
  user_id: 1,
  token_id: 1,
  channel_id: 1,
  model_name: 'alpha',
  group: 'default',
  quota: 7,
  cost: null,
  other: JSON.stringify(other),
  ...change,
});
const usage = { input: 100 };

test('a call with usage is rated, with its part of a plan and whether it was corrected before', () => {
  expect(rate(prices, everything, rowOf({ usage }))).toEqual({
    kind: 'rated',
    price: 200,
    plan: { subscription: 0, quota: 0 },
    isCorrected: false,
  });
  const plan = { subscription: 3, quota: 5 };
  expect(rate(prices, everything, rowOf({ usage, plan, rerated: [{}] }, { group: 'vip' }))).toEqual({
    kind: 'rated',
    price: 100,
    plan,
    isCorrected: true,
  });
});

test('a call of another gateway is left out and counted, although its row has a usage (M21)', () => {
  const imported = rowOf({ usage }, { request_id: 'import:1:logs:9' });
  expect(rate(prices, everything, imported)).toEqual({ kind: 'left_out', reason: 'imported' });
});

test('calls without usage, tasks and models without a price are left out with their reason', () => {
  const reasons: [RatedRow, LeftOutReason][] = [
    [rowOf({}), 'no_usage'],
    [rowOf({ usage, task_id: 't' }), 'task'],
    [rowOf({ usage }, { model_name: 'no-such-model' }), 'no_price'],
    [rowOf({ usage }, { other: '{' }), 'no_usage'],
  ];
  for (const [row, reason] of reasons)
    expect(rate(prices, everything, row)).toEqual({ kind: 'left_out', reason });
});

test('the filters of group and charged version select; what they leave is not counted', () => {
  const ofGroup = { ...everything, groups: ['vip'] };
  expect(rate(prices, ofGroup, rowOf({ usage }))).toEqual({ kind: 'outside' });
  expect(rate(prices, ofGroup, rowOf({ usage }, { group: 'vip' }))).toMatchObject({ kind: 'rated' });
  const ofVersion = { ...everything, chargedVersion: 4 };
  expect(rate(prices, ofVersion, rowOf({ usage, price_version: 4 }))).toMatchObject({ kind: 'rated' });
  for (const other of [{ usage, price_version: 5 }, { usage }])
    expect(rate(prices, ofVersion, rowOf(other))).toEqual({ kind: 'outside' });
});
