/** Numbers as the specification shows them. What the server shows too is in contract/money/quota-text.ts. */
import { formatMoney, groupDigits, moneyDecimals } from '#contract/money/quota-text.ts';
import type { Display } from './display.ts';

export {
  CURRENCY_SIGN,
  formatMoney,
  groupDigits,
  moneyDecimals,
  renderNumber,
  renderQuota,
  shortNumber,
} from '#contract/money/quota-text.ts';

export function quotaToMoney(quota: number, { quotaPerUnit }: Display): number {
  return quota / quotaPerUnit;
}

/** The nearest whole quota of an amount of money; the ledger counts quota. */
export function moneyToQuota(money: number, { quotaPerUnit }: Display): number {
  return Math.round(money * quotaPerUnit);
}

/** Both sides of an amount, for tooltips and detail views. */
export function fullQuota(quota: number, display: Display): { money: string; quota: string } {
  const money = quotaToMoney(quota, display);
  return { money: formatMoney(money, Math.max(6, moneyDecimals(money))), quota: groupDigits(quota) };
}

/** Splits `$0.0` from `4556`, so that a column of tiny costs reads by its digits. The sign of a loss is not dimmed. */
export function splitLeadingZeros(text: string): { sign: string; dimmed: string; strong: string } {
  const match = /^([-−]?)([^\d.]*0[.,]0*)([1-9]\d*)$/.exec(text);
  if (!match) return { sign: '', dimmed: '', strong: text };
  return { sign: match[1] ?? '', dimmed: match[2] ?? '', strong: match[3] ?? '' };
}
