// Sums of log rows under two sets of prices, by model and group.
import type { Prices } from '#contract/money/price-keys.ts';
import { builtInPrice } from '#server/money/prices/price-list/index.ts';
import { chargeUnder, type RatedRow } from './recompute.ts';

export type ImpactRow = RatedRow & { quota: number };

export interface RatedSum {
  model: string;
  group: string;
  calls: number;
  charged: number;
  running: number;
  draft: number;
}

export interface RatedRows {
  sums: RatedSum[];
  notRated: number;
}

export function rateRows(running: Prices, draft: Prices, rows: readonly ImpactRow[]): RatedRows {
  const sums = new Map<string, RatedSum>();
  let notRated = 0;
  for (const row of rows) {
    const [now, then] = [chargeUnder(running, builtInPrice, row), chargeUnder(draft, builtInPrice, row)];
    if (now === 'not_rated' || then === 'not_rated') {
      notRated += 1;
      continue;
    }
    const { model_name: model, group } = row;
    const key = JSON.stringify([model, group]);
    const sum = sums.get(key) ?? { model, group, calls: 0, charged: 0, running: 0, draft: 0 };
    sum.calls += 1;
    sum.charged += row.quota;
    sum.running += now;
    sum.draft += then;
    sums.set(key, sum);
  }
  return { sums: [...sums.values()], notRated };
}
