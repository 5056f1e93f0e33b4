// Deletes old rows, oldest first and in small pieces: each is a short write among those of the relay, and at every moment
// the audit finds what it expects, for it allows that rows are missing from the oldest on and in no other place. Drawings
// that are over go with them; what still runs or still has money set aside stays.
import type { RequestContext } from '#contract/context.ts';
import { AppError } from '#contract/errors.ts';
import { sql } from 'kysely';
import type { LogDependencies } from './dependencies.ts';

const ROWS_PER_PIECE = 1000;
/** Other writers come first in between. */
const PAUSE_MILLISECONDS = 5;

interface CleanupQuery {
  target_timestamp?: number;
}

interface Cleaned {
  /** Rows of the log. */
  data: number;
  tasks: number;
}

export function countForCleanup({ store, endedTasks }: LogDependencies) {
  return async ({ query }: { query: CleanupQuery }): Promise<Cleaned> => {
    const before = timeOf(query);
    const { count } = await store.db
      .selectFrom('logs')
      .select((builder) => builder.fn.countAll<number>().as('count'))
      .where('created_at', '<', before)
      .executeTakeFirstOrThrow();
    return { data: count, tasks: await endedTasks.count(before) };
  };
}

export function cleanupLogs({ store, endedTasks }: LogDependencies) {
  async function removeOldest(before: number): Promise<number> {
    const { numAffectedRows = 0n } = await sql`
      delete from logs where id in (
        select id from logs where created_at < ${before} order by created_at, id limit ${ROWS_PER_PIECE})`.execute(
      store.db,
    );
    return Number(numAffectedRows);
  }

  return async ({ query }: { query: CleanupQuery }, context: RequestContext): Promise<Cleaned> => {
    const before = timeOf(query);
    const deleted: Cleaned = { data: 0, tasks: 0 };
    try {
      await inPieces(
        () => removeOldest(before),
        (count) => (deleted.data += count),
      );
      await inPieces(
        () => endedTasks.removeOldest(before, ROWS_PER_PIECE),
        (count) => (deleted.tasks += count),
      );
      return deleted;
    } finally {
      await context.audit('log.cleanup', 'logs', { before }, { deleted: deleted.data, tasks: deleted.tasks });
    }
  };
}

async function inPieces(remove: () => Promise<number>, note: (count: number) => void): Promise<void> {
  while (true) {
    const count = await remove();
    note(count);
    if (count < ROWS_PER_PIECE) return;
    await Bun.sleep(PAUSE_MILLISECONDS);
  }
}

/** Without a time everything would go: that must be said, not left out. */
function timeOf({ target_timestamp: time }: CleanupQuery): number {
  if (time === undefined || time === 0) throw new AppError('log_cleanup_time_required');
  return time;
}
