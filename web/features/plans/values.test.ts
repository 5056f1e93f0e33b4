import { describe, expect, test } from 'bun:test';
import { QUOTA_TYPE } from '#contract/money/pricing.ts';
import { estimateOf } from './estimate.ts';
import { bodyOf, formValues, problemsOf } from './values.ts';

const valid = { ...formValues(undefined, 'CNY'), name: 'Plan', price_quota: 5 };

describe('the form of a plan', () => {
  test('a new plan needs a name, and a price only to be sold', () => {
    expect(problemsOf(formValues(undefined, ''))).toEqual({ name: 'name' });
    expect(problemsOf(valid)).toEqual({});
    const free = { ...valid, price_quota: 0 };
    expect(problemsOf(free)).toEqual({});
    expect(problemsOf({ ...free, on_sale: true })).toEqual({ price_quota: 'price' });
  });

  test('the duration is a whole number of reset periods', () => {
    const problem = (change: Partial<typeof valid>) => problemsOf({ ...valid, ...change }).reset;
    expect(problem({ reset: 'daily' })).toBeUndefined();
    expect(problem({ reset: 'weekly' })).toBe('uneven');
    expect(problem({ reset: 'weekly', duration_unit: 'day', duration_count: 28 })).toBeUndefined();
    expect(problem({ reset: 'weekly', duration_unit: 'day', duration_count: 30 })).toBe('uneven');
    expect(problem({ reset: 'monthly', duration_unit: 'day', duration_count: 30 })).toBe('uneven');
    for (const duration_count of [0, 1.5, Number.NaN, 121])
      expect(problemsOf({ ...valid, duration_count }).duration_count).toBe('duration');
  });

  test('a plan without a price in money has no currency', () => {
    expect(bodyOf(valid).currency).toBe('');
    expect(bodyOf({ ...valid, price_minor: 100 }).currency).toBe('CNY');
  });
});

test('what a plan buys of a model: tokens by ratio, calls by price, nothing of a model it excludes', () => {
  const plan = { quota: 1_000_000, models: ['a'], group_ratio: 0.5 };
  const tokens = { model_name: 'a', quota_type: QUOTA_TYPE.usage, model_ratio: 2, model_price: 0 };
  expect(estimateOf(plan, tokens, 500_000)).toEqual({ kind: 'tokens', count: 1_000_000 });
  const calls = { ...tokens, quota_type: QUOTA_TYPE.call, model_price: 0.04 };
  expect(estimateOf(plan, calls, 500_000)).toEqual({ kind: 'calls', count: 100 });
  expect(estimateOf(plan, { ...tokens, model_name: 'b' }, 500_000)).toEqual({ kind: 'excluded' });
  expect(estimateOf(plan, { ...tokens, model_ratio: 0 }, 500_000)).toBeUndefined();
});
