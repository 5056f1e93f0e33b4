/** Which part of a price moved most, and whether the reader pays less. */
import type { OverviewChange } from '#contract/admin/overview.ts';

type Moved = Extract<OverviewChange, { kind: 'price_moved' }>;

export interface MovedPart {
  part: 'input' | 'output' | 'price';
  before: number;
  after: number;
  isLess: boolean;
  /** As many as both prices need, two at least. */
  decimals: number;
}

const MOST_DECIMALS = 6;

function decimalsOf(dollars: number): number {
  for (let decimals = 2; decimals < MOST_DECIMALS; decimals += 1)
    if (Math.abs(dollars - Number(dollars.toFixed(decimals))) < 1e-9) return decimals;
  return MOST_DECIMALS;
}

/** Output where both moved alike: it is the larger price. */
export function movedPrice({ unit, before, after }: Pick<Moved, 'unit' | 'before' | 'after'>): MovedPart {
  const change = (part: 'input' | 'output') =>
    before[part] === after[part]
      ? 0
      : Math.abs(after[part] - before[part]) / Math.max(before[part], after[part]);
  const part = change('input') > change('output') ? 'input' : 'output';
  return {
    part: unit === 'tokens' ? part : 'price',
    before: before[part],
    after: after[part],
    isLess: after[part] < before[part],
    decimals: Math.max(decimalsOf(before[part]), decimalsOf(after[part])),
  };
}
