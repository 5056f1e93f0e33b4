// Histograms of ratios, times and speeds with classes of equal width on a logarithmic scale: small to keep, and enough for a
// median with its error.

/** Counts by class; class `n` holds values around 2^(n / CLASSES_PER_DOUBLING). */
export type Histogram = Record<string, number>;

/** A class is 4.4 % wide. */
export const CLASSES_PER_DOUBLING = 16;
const FURTHEST_CLASS = 24 * CLASSES_PER_DOUBLING;

export function addTo(histogram: Histogram, value: number): void {
  if (!(value > 0)) return;
  const place = Math.round(Math.log2(value) * CLASSES_PER_DOUBLING);
  const bounded = Math.max(-FURTHEST_CLASS, Math.min(FURTHEST_CLASS, place));
  histogram[bounded] = (histogram[bounded] ?? 0) + 1;
}

export function mergeInto(histogram: Histogram, more: Readonly<Histogram>): void {
  for (const [place, count] of Object.entries(more)) histogram[place] = (histogram[place] ?? 0) + count;
}

export function countOf(histogram: Readonly<Histogram>): number {
  let count = 0;
  for (const each of Object.values(histogram)) count += each;
  return count;
}

/** How many values are at least `limit`, to the width of a class. */
export function countFrom(histogram: Readonly<Histogram>, limit: number): number {
  const from = Math.log2(limit) * CLASSES_PER_DOUBLING;
  let count = 0;
  for (const [place, each] of Object.entries(histogram)) if (Number(place) >= from) count += each;
  return count;
}

export interface Centre {
  count: number;
  /** Binary logarithm of the median. */
  median: number;
  /** Standard error of `median`. */
  error: number;
}

/** Undefined without values. */
export function centreOf(histogram: Readonly<Histogram>): Centre | undefined {
  const places = Object.entries(histogram)
    .map(([place, count]) => [Number(place), count] as const)
    .toSorted(([left], [right]) => left - right);
  const count = countOf(histogram);
  if (count === 0) return undefined;
  const quantile = (share: number): number => {
    const wanted = count * share;
    let seen = 0;
    for (const [place, each] of places) {
      if (seen + each >= wanted) return place - 0.5 + (wanted - seen) / each;
      seen += each;
    }
    return places.at(-1)?.[0] ?? 0;
  };
  // Of a normal distribution the quartiles are 1.349 deviations apart; less than a class cannot be seen.
  const deviation = Math.max(1, (quantile(0.75) - quantile(0.25)) / 1.349);
  return {
    count,
    median: quantile(0.5) / CLASSES_PER_DOUBLING,
    error: (1.253 * deviation) / CLASSES_PER_DOUBLING / Math.sqrt(count),
  };
}
