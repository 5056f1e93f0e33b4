// A count of an upstream's usage report that cannot be true: kept in the log row (`doubts` in `other`) and told to the operators.

/** `report`: the whole report, in place of which the local count is charged. `answers`: of a batch, foreign or repeated. */
export const DOUBTED_COUNTS = [
  'input',
  'output',
  'total',
  'searches',
  'units',
  'seconds',
  'answers',
  'report',
] as const;
export type DoubtedCount = (typeof DOUBTED_COUNTS)[number];

export interface UsageDoubt {
  count: DoubtedCount;
  /** As the upstream reported it; both are absent for `report`. */
  reported?: number;
  /** The largest believable amount. */
  charged?: number;
}
