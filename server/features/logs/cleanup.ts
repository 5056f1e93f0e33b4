// Deletes old rows, oldest first and in small pieces: each is a short write among those of the relay, and at every moment
// the audit finds what it expects, for it allows that rows are missing from the oldest on and in no other place.
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

export function countForCleanup({ store }: LogDependencies) {
  return async ({ query }: { query: CleanupQuery }): Promise<number> => {
    const { count } = await store.db
      .selectFrom('logs')
      .select((builder) => builder.fn.countAll<number>().as('count'))
      .where('created_at', '<', timeOf(query))
      .executeTakeFirstOrThrow();
    return count;
  };
}

export function cleanupLogs({ store }: LogDependencies) {
  return async ({ query }: { query: CleanupQuery }, context: RequestContext): Promise<number> => {
    const before = timeOf(query);
    let deleted = 0;
    try {
      while (true) {
        const { numAffectedRows = 0n } = await sql`
          delete from logs where id in (
            select id from logs where created_at < ${before} order by created_at, id limit ${ROWS_PER_PIECE})`.execute(
          store.db,
        );
        deleted += Number(numAffectedRows);
        if (numAffectedRows < ROWS_PER_PIECE) return deleted;
        await Bun.sleep(PAUSE_MILLISECONDS);
      }
    } finally {
      await context.audit('log.cleanup', 'logs', { before }, { deleted });
    }
  };
}

/** Without a time everything would go: that must be said, not left out. */
function timeOf({ target_timestamp: time }: CleanupQuery): number {
  if (time === undefined || time === 0) throw new AppError('log_cleanup_time_required');
  return time;
}
