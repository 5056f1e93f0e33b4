import { expect, test } from 'bun:test';
import { planFields } from './plan-fields.ts';

test('a plan of which only the terms are given is not on sale, for all models and the group of the user (M21)', () => {
  const terms = {
    name: 'Monthly',
    price_minor: 3000,
    currency: 'CNY',
    price_quota: 0,
    duration_unit: 'month',
    duration_count: 1,
    quota: 1000,
    reset: 'monthly',
  };
  expect(planFields.parse(terms)).toMatchObject({ on_sale: false, models: [], group: '', limit_per_user: 0 });
});
