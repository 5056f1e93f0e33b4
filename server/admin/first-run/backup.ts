// Backups by time: an interval is set, and the last one was made.
import { HOUR_SECONDS } from '#contract/time.ts';
import type { FirstRunDependencies, StepFinding } from './dependencies.ts';

/** Runs that may be late or missing before the last backup is too old. */
const LATE_RUNS = 2;

export async function checkBackup({ settings, lastBackup }: FirstRunDependencies): Promise<StepFinding> {
  const { BackupEveryHours } = settings.current;
  const { at, error } = await lastBackup();
  if (BackupEveryHours === 0) return { state: 'open', reason: 'none', at };
  if (error !== '') return { state: 'failed', reason: 'unmade', detail: error.slice(0, 300), at };
  if (at === 0) return { state: 'open', reason: 'unmade' };
  const isFresh = Date.now() / 1000 - at < BackupEveryHours * HOUR_SECONDS * LATE_RUNS;
  return isFresh ? { state: 'done', at } : { state: 'failed', reason: 'old', at };
}
