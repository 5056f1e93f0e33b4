// A fault must be seen by several groups of users. A single user can send prompts that make a channel look bad, or, as a
// friend of the supplier who is served honestly, make a bad channel look good.
import { sumOf, type Cell } from './cell.ts';
import type { Outcome } from './statistics.ts';

/** Fewer values of the other users say nothing for or against. */
const LEAST_VALUES = 10;

/**
 * All groups, or all but one of them, are sure; and without the largest of these the others still show it: at 1 %, or, with
 * few values, in the same direction.
 */
export function isShown(groups: readonly Cell[], test: (cell: Cell) => Outcome): boolean {
  if (isShownBy(groups, test)) return true;
  return groups.length > 2 && groups.some((left) => isShownBy(without(groups, left), test));
}

function isShownBy(groups: readonly Cell[], test: (cell: Cell) => Outcome): boolean {
  if (test(sumOf(groups)).strength < 3) return false;
  const [largest] = groups.toSorted((left, right) => right.answers - left.answers);
  if (largest === undefined) return false;
  const { values, strength } = test(sumOf(without(groups, largest)));
  if (values < LEAST_VALUES) return true;
  return values < 3 * LEAST_VALUES ? strength >= 1 : strength >= 2;
}

function without(groups: readonly Cell[], left: Cell): Cell[] {
  return groups.filter((each) => each !== left);
}
