// What an administrator may save of a plan.
import { expect, test } from 'bun:test';
import { AppError } from '#contract/errors.ts';
import type { PlanFields } from '#contract/money/plans.ts';
import { columnsOf } from './manage.ts';
import type { Plan } from './view.ts';

type Parts = Parameters<typeof columnsOf>[0];
const parts = {
  settings: { current: { GroupRatio: { vip: 2 } } },
  payments: { providers: { methods: () => [{ currency: 'CNY' }] } },
} as unknown as Parts;

const fields: PlanFields = {
  name: 'basic',
  name_en: '',
  description: '',
  description_en: '',
  price_minor: 500,
  currency: 'CNY',
  price_quota: 0,
  duration_unit: 'day',
  duration_count: 14,
  quota: 100,
  reset: 'weekly',
  models: ['b', 'a', 'b'],
  group: 'vip',
  limit_per_user: 0,
  on_sale: true,
  sort_order: 1,
};

const saved = (more: Partial<PlanFields> = {}, before?: Partial<Plan>) =>
  columnsOf(parts, { ...fields, ...more }, before as Plan | undefined);
const refused = (...given: Parameters<typeof saved>): string | undefined => {
  try {
    saved(...given);
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
};

test('a plan is saved with each model once, and with a currency only where it is sold for money', () => {
  expect(saved()).toEqual({ ...fields, models: 'b,a', on_sale: 1 });
  expect(saved({ price_minor: 0, price_quota: 9 })).toMatchObject({ currency: '', price_minor: 0 });
  expect(saved({ price_minor: 0, on_sale: false })).toMatchObject({ on_sale: 0 });
});

test('a currency that no provider takes is refused, except for a plan that had it before', () => {
  expect(refused({ currency: 'USD' })).toBe('plan_currency_unknown');
  expect(refused({ currency: '' }, { currency: '' })).toBe('plan_currency_unknown');
  expect(refused({ currency: 'USD' }, { currency: 'EUR' })).toBe('plan_currency_unknown');
  expect(refused({ currency: 'USD' }, { currency: 'USD' })).toBeUndefined();
});

test('a plan that cannot be sold, granted or priced is refused', () => {
  expect(refused({ price_minor: 0 })).toBe('plan_no_price');
  expect(refused({ duration_count: 10 })).toBe('plan_periods_uneven');
  expect(refused({ group: 'constructor' })).toBe('group_unknown');
  expect(refused({ group: '' })).toBeUndefined();
  const never = { reset: 'never' } as const;
  expect([3660, 3661].map((duration_count) => refused({ ...never, duration_count }))).toEqual([
    undefined,
    'invalid_parameter',
  ]);
  const months = { ...never, duration_unit: 'month' } as const;
  expect([120, 121].map((duration_count) => refused({ ...months, duration_count }))).toEqual([
    undefined,
    'invalid_parameter',
  ]);
});
