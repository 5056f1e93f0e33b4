// Deletes old log rows on an administrator's request, and counts them before.
import { AppError } from '#contract/errors.ts';
import type { RequestContext } from '#server/admin/context.ts';
import type { LogDependencies } from './dependencies.ts';
import { removeLogsBefore, type Removed } from './remove-old.ts';

/** Between two pieces, for other writers. */
const PAUSE_MILLISECONDS = 5;

interface CleanupQuery {
  target_timestamp?: number;
}

export function countForCleanup({ store, endedTasks }: LogDependencies) {
  return async ({ query }: { query: CleanupQuery }): Promise<Removed> => {
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
export function cleanupLogs(dependencies: LogDependencies) {
  return async ({ query }: { query: CleanupQuery }, context: RequestContext): Promise<Removed> => {
    const before = timeOf(query);
    const total: Removed = { data: 0, tasks: 0 };
    let isStarted = false;
    const pieces = removeLogsBefore(dependencies, before, async (transaction, { data, tasks }, isLast) => {
      const counts = { deleted: total.data + data, tasks: total.tasks + tasks };
      if (isLast) await context.audit(transaction, 'log.cleanup', 'logs', { before }, counts);
      else if (!isStarted) await context.audit(transaction, 'log.cleanup_started', 'logs', { before });
    });
    try {
      for await (const { data, tasks } of pieces) {
        isStarted = true;
        total.data += data;
        total.tasks += tasks;
        await Bun.sleep(PAUSE_MILLISECONDS);
      }
      return total;
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
