import { expect, test } from 'bun:test';
import { readPrices } from '#contract/money/price-keys.ts';
import { rateRows, type ImpactRow } from './rate-rows.ts';

const prices = (ratio: number, more: object = {}) =>
  ({
    ...readPrices('{}'),
    GroupRatio: { a: 1, b: 2 },
    ModelRatio: { m: ratio },
    ModelPrice: {},
    ...more,
  }) as ReturnType<typeof readPrices>;
const row = (more: Partial<ImpactRow> = {}): ImpactRow => ({
  type: 2,
  created_at: 1_800_000_000,
  model_name: 'm',
  group: 'a',
  quota: 7,
  other: JSON.stringify({ usage: { input: 100 } }),
  ...more,
});

test('calls are summed by model and group: what they paid, and what both prices make of them', () => {
  const rows = [row(), row({ quota: 9 }), row({ group: 'b' })];
  expect(rateRows(prices(1), prices(3), rows)).toEqual({
    sums: [
      { model: 'm', group: 'a', calls: 2, charged: 16, running: 200, draft: 600 },
      { model: 'm', group: 'b', calls: 1, charged: 7, running: 200, draft: 600 },
    ],
    notRated: 0,
  });
});

test('a call without a price under either of them is in no sum', () => {
  const without = prices(3, { GroupRatio: { a: 1 } });
  const rows = [row(), row({ group: 'b' }), row({ other: '{}' }), row({ type: 5 })];
  for (const [running, draft] of [
    [prices(1), without],
    [without, prices(1)],
  ] as const) {
    const { sums, notRated } = rateRows(running, draft, rows);
    expect([sums.map(({ calls, group }) => [group, calls]), notRated]).toEqual([[['a', 1]], 3]);
  }
});
