// Classes of the time to the first token and of the speed after it, and the figures read from their counts. Each class is about
// 1.3 times the one before, and a figure is read inside its class, so it is a few per cent off at most.
export const CLASS_COUNT = 24;

/** Upper limits in milliseconds; the last class has none. */
export const FIRST_LIMITS = [
  100, 130, 170, 220, 290, 380, 500, 650, 850, 1100, 1450, 1900, 2500, 3200, 4200, 5500, 7200, 9500, 12_500,
  16_000, 21_000, 28_000, 40_000,
] as const;

/** Upper limits in tokens per second; the last class has none. */
export const SPEED_LIMITS = [
  3, 4, 5.5, 7, 9, 12, 16, 20, 26, 34, 44, 57, 75, 97, 126, 164, 213, 277, 360, 470, 600, 800, 1100,
] as const;

const STEP = 1.3;

export type Counts = readonly number[];

export const total = (counts: Counts): number => counts.reduce((sum, count) => sum + count, 0);

/** The value that this share of the counted calls does not exceed; undefined without calls. */
export function shareOf(counts: Counts, limits: readonly number[], share: number): number | undefined {
  const wanted = total(counts) * share;
  if (wanted === 0) return undefined;
  let seen = 0;
  for (const [place, count] of counts.entries()) {
    if (count === 0 || seen + count < wanted) {
      seen += count;
      continue;
    }
    const [lower, upper] = boundsOf(limits, place);
    return lower * (upper / lower) ** ((wanted - seen) / count);
  }
  return undefined;
}

function boundsOf(limits: readonly number[], place: number): [lower: number, upper: number] {
  const [below, limit] = [limits[place - 1], limits[place]];
  if (limit === undefined) return [below ?? 1, (below ?? 1) * STEP];
  return [below ?? limit / STEP, limit];
}
