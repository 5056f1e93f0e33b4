// What server/admin/logs needs from the application.
import type { Clock } from '#server/admin/clock.ts';
import type { FactReader } from '#contract/facts.ts';
import type { Language } from '#contract/language.ts';
import { quotaDisplayOf } from '#contract/money/quota-text.ts';
import type { Settings } from '#contract/settings.ts';
import type { Transaction } from 'kysely';
import type { Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';

export interface LogDependencies extends Clock {
  store: Store;
  settings: {
    readonly current: Pick<
      Settings,
      'GroupRatio' | 'UserUsableGroups' | 'LogConsumeEnabled' | 'QuotaPerUnit' | 'DisplayInCurrencyEnabled'
    >;
  };
  /** Finished drawings, deleted together with the log of their day; server/relay/tasks owns their table. */
  endedTasks: {
    count(before: number): Promise<number>;
    /** Up to `most`, the oldest first; how many were deleted. */
    removeOldest(transaction: Transaction<Schema>, before: number, most: number): Promise<number>;
  };
  /** The sentence of a refusal as the caller read it; without it the name of the error is shown. */
  describeRefusal?(code: string, language: Language, values: Readonly<Record<string, string>>): string;
  /** Up to this many rows in the time range are read one by one; above it the hourly figures choose the hours to read. */
  directRows?: number;
  /** How long a page searches for rare rows before it returns those it has found. */
  searchLimitMilliseconds?: number;
  /** How long a page waits for the count of its filter before it returns an upper bound. */
  countWaitMilliseconds?: number;
}

const DIRECT_ROWS = 5000;
const SEARCH_LIMIT_MILLISECONDS = 80;
const COUNT_WAIT_MILLISECONDS = 50;

/** For whom the facts of log rows become sentences. */
export function readerOf({ settings }: Pick<LogDependencies, 'settings'>, language: Language): FactReader {
  return { ...quotaDisplayOf(settings.current), language };
}

export function directRows(dependencies: LogDependencies): number {
  return dependencies.directRows ?? DIRECT_ROWS;
}

export function searchLimit(dependencies: LogDependencies): number {
  return dependencies.searchLimitMilliseconds ?? SEARCH_LIMIT_MILLISECONDS;
}

export function countWait(dependencies: LogDependencies): number {
  return dependencies.countWaitMilliseconds ?? COUNT_WAIT_MILLISECONDS;
}
