/** One number of decimals for the amounts of a column, so that they line up and compare. */
import { useDisplay, type Display } from './display.ts';
import { moneyDecimals, quotaToMoney } from './number.ts';

/** Those that the smallest amount needs. */
export function columnDecimals(quotas: readonly number[], display: Display): number {
  return Math.max(2, ...quotas.map((quota) => moneyDecimals(quotaToMoney(quota, display))));
}

export function useColumnDecimals(quotas: readonly number[]): number {
  return columnDecimals(quotas, useDisplay());
}
