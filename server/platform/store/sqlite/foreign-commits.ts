// Notices commits of other processes (beside.ts), which announce nothing here: the file's data version, as the writer's
// connection sees it, changes only with them.
import type { WriterThread } from './writer.ts';

const LOOK_EVERY_MS = 2000;

/** Returns the function that ends the watch. */
export function watchForeignCommits(
  writer: Pick<WriterThread, 'statement'>,
  onCommit: () => void,
): () => void {
  let known: unknown;
  async function look(): Promise<void> {
    const { rows } = await writer.statement({ sql: 'PRAGMA data_version', parameters: [] }, new Set());
    const version = rows[0]?.['data_version'];
    if (known !== undefined && version !== known) onCommit();
    known = version;
  }
  // A writer that is closed or cannot answer has nothing to notice.
  const timer = setInterval(() => void look().catch(() => {}), LOOK_EVERY_MS);
  timer.unref();
  void look().catch(() => {});
  return () => clearInterval(timer);
}
