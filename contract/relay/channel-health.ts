// The figures of a channel's attempts: limits of the first-token histogram, and percentiles read from it.

/** Upper limits in milliseconds; the last class has none. Each is about 1.6 times the one before. */
export const FIRST_TOKEN_LIMITS = [
  100, 160, 250, 400, 640, 1000, 1600, 2500, 4000, 6400, 10_000, 16_000, 25_000,
] as const;

/** The class of a time to the first token. */
export function firstTokenClass(milliseconds: number): number {
  const found = FIRST_TOKEN_LIMITS.findIndex((limit) => milliseconds <= limit);
  return found < 0 ? FIRST_TOKEN_LIMITS.length : found;
}

/** The time that this share of the counted calls does not exceed, as the limit of its class; 0 without calls. */
export function firstTokenPercentile(counts: readonly number[], share: number): number {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return 0;
  let seen = 0;
  for (const [index, count] of counts.entries()) {
    seen += count;
    if (seen >= total * share) return FIRST_TOKEN_LIMITS[index] ?? FIRST_TOKEN_LIMITS.at(-1) ?? 0;
  }
  return 0;
}
