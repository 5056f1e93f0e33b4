/**
 * How this installation shows amounts. The application sets it from the status object, so that formatting needs no
 * status parameter.
 */
import { useSyncExternalStore } from 'react';
import type { QuotaDisplay } from '#contract/money/quota-text.ts';

export type Display = QuotaDisplay;

let current: Display = { quotaPerUnit: 500_000, displayInCurrency: true };
const listeners = new Set<() => void>();

export function setDisplay(next: Display): void {
  if (next.quotaPerUnit === current.quotaPerUnit && next.displayInCurrency === current.displayInCurrency)
    return;
  current = next;
  for (const listener of listeners) listener();
}

export function display(): Display {
  return current;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useDisplay(): Display {
  return useSyncExternalStore(subscribe, display);
}
