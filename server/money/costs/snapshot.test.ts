// What a supplier charges, as a price: by the list, by a table of its own, or by a plan.
import { expect, test } from 'bun:test';
import type { BuyPrice } from '#contract/money/channel-costs.ts';
import { chargeOf } from '#server/money/prices/charge.ts';
import type { PriceLookup } from '#server/money/prices/price.ts';
import { usageOf } from '#server/money/prices/usage.ts';
import { costSnapshot } from './snapshot.ts';

const shared = { recharge_rate: 0.5, batch_ratio: 0.5 };
const list: PriceLookup = (model) => (model === 'listed' ? { input: 4, output: 8 } : undefined);
const table = (models: Extract<BuyPrice, { kind: 'table' }>['models']): BuyPrice => ({
  kind: 'table',
  models,
  ...shared,
});

/** Of a million tokens of input, in dollars. */
function dollars(buyPrice: BuyPrice, names: string[], quotaPerUnit = 500_000): number | null {
  const snapshot = costSnapshot(buyPrice, names, list, quotaPerUnit);
  return snapshot && chargeOf(snapshot, usageOf({ input: 1_000_000 })) / quotaPerUnit;
}

test('the list counts with multiplier and recharge rate, a table with the rate alone', () => {
  const byList: BuyPrice = { kind: 'list', multiplier: 3, ...shared };
  expect(dollars(byList, ['listed'])).toBe(6);
  expect(dollars(table({ own: { input: 10 } }), ['own'])).toBe(5);
  expect([dollars(byList, ['own']), dollars(table({ own: { input: 10 } }), ['listed'])]).toEqual([
    null,
    null,
  ]);
});

test('the first name with a price decides, and a name of every object is no model', () => {
  const models = { a: { input: 2 }, b: { input: 6 } };
  expect(dollars(table(models), ['none', 'b', 'a'])).toBe(3);
  expect(dollars(table(models), ['constructor'])).toBeNull();
});

test('a cost is so many dollars, whatever a dollar is in quota', () => {
  expect(dollars(table({ own: { input: 10 } }), ['own'], 1000)).toBe(5);
  const perCall = costSnapshot(table({ own: { perCall: 3 } }), ['own'], list, 1000);
  expect(perCall && chargeOf(perCall, usageOf({ pieces: 1 }))).toBe(1500);
});

test('a plan without a price for each call costs nothing, also for models that no list has', () => {
  const plan = (multiplier: number): BuyPrice =>
    ({ kind: 'plan', multiplier, ...shared }) as unknown as BuyPrice;
  expect([dollars(plan(0), ['own']), dollars(plan(0), ['listed'])]).toEqual([0, 0]);
  expect([dollars(plan(1), ['own']), dollars(plan(1), ['listed'])]).toEqual([null, 2]);
  expect(dollars({ kind: 'list', multiplier: 0, ...shared }, ['own'])).toBeNull();
});
