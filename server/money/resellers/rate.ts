// Rates are hundredths of a percent (1000 = 10 %), so that two decimals are exact. Dividends are rounded down.

export const WHOLE_RATE = 10_000;

export function rateOfPercent(percent: number): number {
  return Math.round(percent * 100);
}

export function percentOfRate(rate: number): number {
  return rate / 100;
}

export function dividendOf(base: number, rate: number): number {
  return base <= 0 ? 0 : Number((BigInt(base) * BigInt(rate)) / BigInt(WHOLE_RATE));
}

/** The smallest base of this dividend: what remains of a larger base counts towards the next dividend. */
export function baseOf(dividend: number, rate: number): number {
  const [amount, whole] = [BigInt(dividend) * BigInt(WHOLE_RATE), BigInt(rate)];
  return Number((amount + whole - 1n) / whole);
}
