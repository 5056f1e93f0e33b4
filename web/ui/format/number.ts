/** Numbers as the specification shows them: k, M and B from 10,000; quota as currency where that is switched on. */
import type { Display } from './display.ts';

export const CURRENCY_SIGN = '$';

const STEPS = [
  { from: 1_000_000_000, by: 1_000_000_000, sign: 'B' },
  { from: 1_000_000, by: 1_000_000, sign: 'M' },
  { from: 10_000, by: 1_000, sign: 'k' },
] as const;

/** One decimal, never rounded up into the next step (999,999 is 999.9k, not 1000.0k). */
export function shortNumber(value: number): { digits: string; unit: string } {
  const size = Math.abs(value);
  const step = STEPS.find((candidate) => size >= candidate.from);
  if (!step) return { digits: groupDigits(value), unit: '' };
  const tenths = Math.floor((size * 10) / step.by);
  return { digits: `${value < 0 ? '-' : ''}${(tenths / 10).toFixed(1)}`, unit: step.sign };
}

export function renderNumber(value: number): string {
  const { digits, unit } = shortNumber(value);
  return digits + unit;
}

/** Thousands separators and no rounding: for tooltips and fields. */
export function groupDigits(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 10 });
}

export function quotaToMoney(quota: number, { quotaPerUnit }: Display): number {
  return quota / quotaPerUnit;
}

/** The nearest whole quota of an amount of money; the ledger counts quota. */
export function moneyToQuota(money: number, { quotaPerUnit }: Display): number {
  return Math.round(money * quotaPerUnit);
}

/**
 * Decimals that keep a small amount readable: two from 0.01 on, up to six below, so that one unit of quota
 * ($0.000002) is never shown as nothing.
 */
export function moneyDecimals(money: number): number {
  const size = Math.abs(money);
  if (size === 0 || size >= 0.01) return 2;
  return size >= 0.0001 ? 4 : 6;
}

export function formatMoney(money: number, decimals = moneyDecimals(money)): string {
  const digits = Math.abs(money).toLocaleString('en-US', {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
  return `${money < 0 ? '-' : ''}${CURRENCY_SIGN}${digits}`;
}

export function renderQuota(quota: number, display: Display, decimals?: number): string {
  if (!display.displayInCurrency) return renderNumber(quota);
  return formatMoney(quotaToMoney(quota, display), decimals);
}

/** Both sides of an amount, for tooltips and detail views. */
export function fullQuota(quota: number, display: Display): { money: string; quota: string } {
  const money = quotaToMoney(quota, display);
  return { money: formatMoney(money, Math.max(6, moneyDecimals(money))), quota: groupDigits(quota) };
}

/** Splits `$0.0` from `4556`, so that a column of tiny costs reads by its digits. */
export function splitLeadingZeros(text: string): { dimmed: string; strong: string } {
  const match = /^(-?[^\d.]*0[.,]0*)([1-9]\d*)$/.exec(text);
  if (!match) return { dimmed: '', strong: text };
  return { dimmed: match[1] ?? '', strong: match[2] ?? '' };
}
