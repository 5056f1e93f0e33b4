// A run as its row: which calls it concerns, and the prices they get.
import { DAY_SECONDS } from '#contract/time.ts';
import { readVersion, pricesOf } from '#server/money/price-book/versions.ts';
import type { AuditSource } from '#server/money/audit/breach.ts';
import type { Row } from '#server/platform/store/schema.ts';

export type Run = Row<'rerate_runs'>;

export const dayOf = (at: number): number => at - (at % DAY_SECONDS);
export const dayName = (day: number): string => new Date(day * 1000).toISOString().slice(0, 10);

export interface Filter {
  /** Empty: all. */
  models: readonly string[];
  groups: readonly string[];
  /** 0: all. */
  chargedVersion: number;
}

export function filterOf({ models, groups, charged_version: chargedVersion }: Run): Filter {
  return { models: JSON.parse(models) as string[], groups: JSON.parse(groups) as string[], chargedVersion };
}

export async function pricesOfRun({ db }: AuditSource, run: Run) {
  const version = await readVersion(db, run.version_id);
  if (version === undefined) throw new Error(`price version ${run.version_id} does not exist`);
  return pricesOf(version);
}
