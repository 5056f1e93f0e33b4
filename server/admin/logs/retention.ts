// Keeps the log for a number of days. Whole days (UTC) are removed, so that PostgreSQL drops their partitions.
import { DAY_SECONDS } from '#contract/time.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import { makeLogPartitions } from '#server/platform/store/postgres/log-partitions.ts';
import type { LogDependencies } from './dependencies.ts';
import { removeLogsBefore, type RemovalDependencies, type Removed } from './remove-old.ts';

/** Waits this many times as long as a piece took: calls write to the same tables. */
const PAUSE_FACTOR = 9;
const LONGEST_PAUSE_MILLISECONDS = 1000;

/** 0 days: nothing is removed. Throws after the removal when the log was in use and a partition could not be made. */
export async function applyLogRetention(
  dependencies: RemovalDependencies & Pick<LogDependencies, 'now'>,
  days: number,
  signal: AbortSignal,
): Promise<Removed> {
  const { store } = dependencies;
  const now = nowSeconds(dependencies);
  const before = now - (now % DAY_SECONDS) - days * DAY_SECONDS;
  const removed = days === 0 ? { data: 0, tasks: 0 } : await remove(dependencies, before, signal);
  if (store.dialect === 'postgres') await makeLogPartitions(store.db, now);
  return removed;
}

async function remove(
  dependencies: RemovalDependencies,
  before: number,
  signal: AbortSignal,
): Promise<Removed> {
  const total: Removed = { data: 0, tasks: 0 };
  let started = performance.now();
  for await (const { data, tasks } of removeLogsBefore(dependencies, before, async () => {})) {
    total.data += data;
    total.tasks += tasks;
    if (signal.aborted) break;
    await Bun.sleep(Math.min((performance.now() - started) * PAUSE_FACTOR, LONGEST_PAUSE_MILLISECONDS));
    started = performance.now();
  }
  return total;
}
