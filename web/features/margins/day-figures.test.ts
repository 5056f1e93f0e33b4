import { expect, test } from 'bun:test';
import type { MarginRow } from '#contract/money/margins.ts';
import { columnsOf, scaleOf } from './day-figures.ts';

const row = (key: string, figures: Partial<MarginRow>): MarginRow => ({
  key,
  name: key,
  calls: 1,
  revenue: 0,
  cost: 0,
  fees: 0,
  margin: (figures.revenue ?? 0) - (figures.unknown_revenue ?? 0) - (figures.cost ?? 0) - (figures.fees ?? 0),
  unknown_calls: 0,
  unknown_revenue: 0,
  cache: null,
  ...figures,
});

test('a column has a place for every day, and its parts are what was used', () => {
  const rows = [
    row('2026-11-01', { revenue: 100, cost: 60, fees: 10, unknown_revenue: 5 }),
    row('2026-11-03', { revenue: 40, cost: 50, fees: 30 }),
  ];
  const columns = columnsOf(rows, '2026-11-01', '2026-11-03');
  expect(columns.map(({ day, cost, margin, unknown, loss }) => [day, cost, margin, unknown, loss])).toEqual([
    ['2026-11-01', 70, 25, 5, 0],
    ['2026-11-02', 0, 0, 0, 0],
    // The loss is below the line: of the cost only what was used stands above it.
    ['2026-11-03', 40, 0, 0, 40],
  ]);
  for (const { row: figures, cost, margin, unknown } of columns)
    expect(cost + margin + unknown).toBe(figures?.revenue ?? 0);
});

test('above and below the line share one scale', () => {
  const rows = [row('2026-11-01', { revenue: 300, cost: 100 }), row('2026-11-02', { revenue: 0, fees: 100 })];
  const scale = scaleOf(columnsOf(rows, '2026-11-01', '2026-11-02'));
  expect(scale).toEqual({ top: 300, bottom: 100, share: expect.any(Function) });
  expect([scale.share(300), scale.share(100), scale.share(0)]).toEqual([75, 25, 0]);
  expect(scaleOf([]).share(0)).toBe(0);
});
