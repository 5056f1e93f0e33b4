// The table `jobs`: results of runs, and the lease of a cluster job. Times come from the database's clock, so that nodes
// with different clocks agree on when a lease ends.
import { sql, type RawBuilder } from 'kysely';
import type { Row } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';

export type JobRow = Row<'jobs'>;

/** A lease that was taken. */
export interface Claim {
  readonly fence: number;
  /** Failed runs before this one. */
  readonly failures: number;
}

export interface RunResult {
  readonly durationMs: number;
  /** Empty: the run succeeded. */
  readonly error: string;
  readonly failures: number;
  readonly nextInMs: number;
}

const CLUSTER = '';
const KEEP_MS = 86_400_000;

export function jobRows({ db, dialect }: Store, nodeId: string) {
  const clock: RawBuilder<number> =
    dialect === 'sqlite'
      ? sql`cast(unixepoch('subsec') * 1000 as integer)`
      : sql`floor(extract(epoch from clock_timestamp()) * 1000)::bigint`;
  const later = (milliseconds: number) => sql<number>`${clock} + ${sql.lit(Math.round(milliseconds))}`;
  /** An interval that became shorter counts from the last run, not from the time written under the longer one. */
  const due = (longestMs: number) => sql<number>`case
    when jobs.next_run_ms < jobs.finished_ms + ${sql.lit(longestMs)} then jobs.next_run_ms
    else jobs.finished_ms + ${sql.lit(longestMs)} end`;
  // A lease of this node's name is left from a process that ended; SQLite has no other nodes.
  const isFree =
    dialect === 'sqlite'
      ? sql<boolean>`true`
      : sql<boolean>`(jobs.lease_until_ms < ${clock} or jobs.owner = ${nodeId})`;

  return {
    /** Undefined: another node holds the lease, or, unless `isForced`, the job is not due. */
    async take(
      name: string,
      { leaseMs, longestMs, isForced }: { leaseMs: number; longestMs: number; isForced: boolean },
    ): Promise<Claim | undefined> {
      const values = { owner: nodeId, lease_until_ms: later(leaseMs), started_ms: clock };
      return await db
        .insertInto('jobs')
        .values({ name, node_id: CLUSTER, fence: 1, ...values })
        .onConflict((conflict) =>
          conflict
            .columns(['name', 'node_id'])
            .doUpdateSet({ ...values, fence: sql<number>`jobs.fence + 1` })
            .where(isFree)
            .where(isForced ? sql<boolean>`true` : sql<boolean>`${due(longestMs)} <= ${clock}`),
        )
        .returning(['fence', 'failures'])
        .executeTakeFirst();
    },

    /** False: another node has taken the lease. */
    async renew(name: string, fence: number, leaseMs: number): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('jobs')
        .set({ lease_until_ms: later(leaseMs) })
        .where('name', '=', name)
        .where('node_id', '=', CLUSTER)
        .where('fence', '=', fence)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    /** Writes the result and gives the lease back; a run whose lease another node has taken writes nothing. */
    async finish(name: string, fence: number, result: RunResult): Promise<void> {
      await db
        .updateTable('jobs')
        .set((column) => ({
          lease_until_ms: 0,
          next_run_ms: later(result.nextInMs),
          finished_ms: clock,
          duration_ms: result.durationMs,
          error: result.error,
          failures: result.failures,
          runs: column('runs', '+', 1),
        }))
        .where('name', '=', name)
        .where('node_id', '=', CLUSTER)
        .where('fence', '=', fence)
        .execute();
    },

    /** Milliseconds until a cluster job is due and its lease is free. */
    async waitMs(name: string, longestMs: number): Promise<number> {
      const row = await db
        .selectFrom('jobs')
        .select([
          sql<number>`${due(longestMs)} - ${clock}`.as('due'),
          sql<number>`lease_until_ms - ${clock}`.as('lease'),
        ])
        .where('name', '=', name)
        .where('node_id', '=', CLUSTER)
        .executeTakeFirst();
      return row === undefined ? 0 : Math.max(0, row.due, row.lease);
    },

    /** Adds runs of this node to the row of a node job. */
    async note(name: string, runs: number, result: RunResult): Promise<void> {
      const values = {
        owner: nodeId,
        started_ms: later(-result.durationMs),
        finished_ms: clock,
        next_run_ms: later(result.nextInMs),
        duration_ms: result.durationMs,
        error: result.error,
        failures: result.failures,
      };
      await db
        .insertInto('jobs')
        .values({ name, node_id: nodeId, runs, ...values })
        .onConflict((conflict) =>
          conflict
            .columns(['name', 'node_id'])
            .doUpdateSet({ ...values, runs: sql<number>`jobs.runs + ${sql.lit(runs)}` }),
        )
        .execute();
    },

    /** All rows, and the database's time. Rows of nodes that sent no heartbeat for a minute are left out. */
    async list(): Promise<{ rows: JobRow[]; nowMs: number }> {
      const [rows, nodes, time] = await Promise.all([
        db.selectFrom('jobs').selectAll().orderBy('node_id').execute(),
        db
          .selectFrom('nodes')
          .select('id')
          .where('heartbeat_at', '>', sql<number>`${clock} / 1000 - 60`)
          .execute(),
        sql<{ now: number }>`select ${clock} as now`.execute(db),
      ]);
      const living = new Set([CLUSTER, nodeId, ...(dialect === 'sqlite' ? [] : nodes.map(({ id }) => id))]);
      return { rows: rows.filter((row) => living.has(row.node_id)), nowMs: time.rows[0]?.now ?? Date.now() };
    },
  };
}

/** Rows of nodes that no longer run. */
export async function removeRowsOfGoneNodes({ db }: Store): Promise<void> {
  await db
    .deleteFrom('jobs')
    .where('node_id', '<>', CLUSTER)
    .where('finished_ms', '<', Date.now() - KEEP_MS)
    .execute();
}
