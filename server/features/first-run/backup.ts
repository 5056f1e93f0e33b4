// The last backup by `tollgate backup`, as its note in the data directory says.
import { readBackupNote } from '#server/store/backup-note.ts';
import type { FirstRunDependencies, StepFinding } from './dependencies.ts';

/** An older backup loses too much. */
const FRESH_SECONDS = 7 * 86_400;

export async function checkBackup({ dataDir }: FirstRunDependencies): Promise<StepFinding> {
  const at = await readBackupNote(dataDir);
  if (at === 0) return { state: 'open', reason: 'none' };
  const isFresh = Date.now() / 1000 - at < FRESH_SECONDS;
  return isFresh ? { state: 'done', at } : { state: 'failed', reason: 'old', at };
}
