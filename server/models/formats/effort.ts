// Reasoning limits: words in some formats, tokens in others.
import { lookup } from './json.ts';

/** From the least to the most. */
export const EFFORTS: readonly string[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

const MEDIUM_BUDGET = 8192;

const BUDGETS: Readonly<Record<string, number>> = {
  minimal: 1024,
  low: 2048,
  medium: MEDIUM_BUDGET,
  high: 16_384,
  xhigh: 32_768,
  max: 65_536,
};

export const budgetOfEffort = (effort: string): number => lookup(BUDGETS, effort) ?? MEDIUM_BUDGET;

/** Only words that every generation of models takes, and `none` for no thought at all. */
export function effortOfBudget(tokens: number): string {
  if (tokens <= 0) return 'none';
  if (tokens <= 4096) return 'low';
  if (tokens <= 12_288) return 'medium';
  return 'high';
}
