// The two tests behind every accusation: a share that is too high, and a median that has moved. Each is wrong about an honest
// channel once in 100,000 looks (ADR 72 says what that means for a site).
import { centreOf, type Centre, type Histogram } from './histogram.ts';

export const ERROR_BOUND = 1e-5;
/** Standard errors that a normal value exceeds with that probability. */
const ERRORS_APART = 4.265;
/** The same for 1 %. */
const WEAK_ERRORS = 2.326;
/** A median of fewer values is not compared. */
export const LEAST_VALUES = 30;

/** The probability of at least `hits` in `tries` where each has the probability `share`. */
export function tailOf(hits: number, tries: number, share: number): number {
  if (hits <= 0) return 1;
  if (hits > tries || share <= 0) return 0;
  if (share >= 1) return 1;
  // Logarithms, because powers of small shares underflow; the terms after the first are smaller where hits are unexpected.
  let term = logChoose(tries, hits) + hits * Math.log(share) + (tries - hits) * Math.log1p(-share);
  let sum = 0;
  for (let each = hits; each <= tries; each += 1) {
    sum += Math.exp(term);
    term += Math.log((tries - each) / (each + 1)) + Math.log(share / (1 - share));
    if (term < -60 && each > tries * share) break;
  }
  return Math.min(1, sum);
}

function logChoose(from: number, taken: number): number {
  let sum = 0;
  for (let each = 1; each <= taken; each += 1) sum += Math.log((from - taken + each) / each);
  return sum;
}

/** How strongly values speak for a fault: not, in their direction, at 1 %, at ERROR_BOUND. */
export type Strength = 0 | 1 | 2 | 3;

export interface Outcome {
  values: number;
  strength: Strength;
}

export interface Rate {
  hits: number;
  tries: number;
}

const LEAST_HITS = 4;

/** More hits than a share of `usual` explains. */
export function shareOutcome({ hits, tries }: Rate, usual: number): Outcome {
  const tail = tailOf(hits, tries, usual);
  const strength =
    hits <= tries * usual
      ? 0
      : hits >= LEAST_HITS && tail < ERROR_BOUND
        ? 3
        : hits >= 2 && tail < 0.01
          ? 2
          : 1;
  return { values: tries, strength };
}

/** A median above that of the reference (below it for `sign` -1) by at least `least` doublings. */
export function shiftOutcome(own: Readonly<Histogram>, there: Centre, least: number, sign: 1 | -1): Outcome {
  const here = centreOf(own);
  if (here === undefined) return { values: 0, strength: 0 };
  const size = (here.median - there.median) * sign;
  const errors = size / Math.hypot(here.error, there.error);
  const isEnough = here.count >= LEAST_VALUES;
  const strength =
    size < least / 2
      ? 0
      : isEnough && size >= least && errors > ERRORS_APART
        ? 3
        : errors > WEAK_ERRORS
          ? 2
          : 1;
  return { values: here.count, strength };
}
