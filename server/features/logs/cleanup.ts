// Deletes old log rows, oldest first, in small transactions so that other writers wait only shortly. The money check
// accepts that the oldest rows are missing, and only those, so the order matters. Finished drawings of the same range are
// deleted too; drawings that run or have an open hold stay.
import { AppError } from '#contract/errors.ts';
import type { RequestContext } from '#server/features/context.ts';
import { sql, type Transaction } from 'kysely';
import type { Schema } from '#server/store/schema.ts';
import type { LogDependencies } from './dependencies.ts';

const ROWS_PER_PIECE = 1000;
/** Between two pieces, for other writers. */
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

/**
 * The first piece commits with the row `log.cleanup_started`, the last with `log.cleanup` and the totals; a cleanup of one
 * piece has only the latter. So no row is deleted without an audit row, also when the process dies in between.
 */
export function cleanupLogs({ store, endedTasks }: LogDependencies) {
  async function removePiece(transaction: Transaction<Schema>, before: number): Promise<Cleaned> {
    const { numAffectedRows = 0n } = await sql`
      delete from logs where id in (
        select id from logs where created_at < ${before} order by created_at, id limit ${ROWS_PER_PIECE})`.execute(
      transaction,
    );
    const data = Number(numAffectedRows);
    const isRest = data < ROWS_PER_PIECE;
    return { data, tasks: isRest ? await endedTasks.removeOldest(transaction, before, ROWS_PER_PIECE) : 0 };
  }

  return async ({ query }: { query: CleanupQuery }, context: RequestContext): Promise<Cleaned> => {
    const before = timeOf(query);
    const total: Cleaned = { data: 0, tasks: 0 };
    let isStarted = false;
    try {
      for (;;) {
        const piece = await store.db.transaction().execute(async (transaction) => {
          const { data, tasks } = await removePiece(transaction, before);
          const isLast = data < ROWS_PER_PIECE && tasks < ROWS_PER_PIECE;
          const counts = { deleted: total.data + data, tasks: total.tasks + tasks };
          if (isLast) await context.audit(transaction, 'log.cleanup', 'logs', { before }, counts);
          else if (!isStarted) await context.audit(transaction, 'log.cleanup_started', 'logs', { before });
          return { data, tasks, isLast };
        });
        isStarted = true;
        total.data += piece.data;
        total.tasks += piece.tasks;
        if (piece.isLast) return total;
        await Bun.sleep(PAUSE_MILLISECONDS);
      }
    } catch (error) {
      const counts = { before, deleted: total.data, tasks: total.tasks };
      if (isStarted) await context.auditEvent('log.cleanup_failed', 'logs', counts);
      throw error;
    }
  };
}

/** A missing time would delete everything, so it is refused. */
function timeOf({ target_timestamp: time }: CleanupQuery): number {
  if (time === undefined || time === 0)
    throw new AppError('log_cleanup_time_required', {}, { field: 'target_timestamp' });
  return time;
}
