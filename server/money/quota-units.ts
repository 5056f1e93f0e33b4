// Quota units: whole numbers from 0 to 2^53−1. Everything that enters the ledger passes through here first.
import { decimalOf, multiply, roundHalfUp } from '#contract/money/decimal.ts';
import { AmountError } from '#server/money/ledger/errors.ts';

export const maximumAmount = Number.MAX_SAFE_INTEGER;
/** Larger ratios and prices are typing mistakes or attacks. */
export const MAXIMUM_RATIO = 1_000_000_000;

export function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** Returns the amount, or refuses what is not one: fractions, negatives, NaN, numbers past the cap. */
export function requireAmount(value: number, what: string): number {
  if (!isAmount(value)) throw notAmount(value, what);
  return value;
}

export const notAmount = (value: number, what: string): AmountError =>
  new AmountError(`${what} is not an amount: ${String(value)}`);

export function isRatio(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 && value <= MAXIMUM_RATIO;
}

/** Dollars to quota units, half a unit rounded up. */
export function quotaOfDollars(dollars: number, quotaPerUnit: number): number {
  return amountOf(roundHalfUp(multiply(decimalOf(dollars), decimalOf(quotaPerUnit))));
}

export function dollarsOfQuota(quota: number, quotaPerUnit: number): number {
  return quota / quotaPerUnit;
}

export function amountOf(value: bigint): number {
  if (value > BigInt(maximumAmount)) throw new AmountError('the amount is past the cap');
  return Number(value);
}
