// On PostgreSQL the log is partitioned by day (UTC), so that old days are dropped as whole tables instead of row by row.
// Rows of a day without a partition go to the default one, `logs_other`.
import { sql, type Kysely, type Transaction } from 'kysely';
import { DAY_SECONDS } from '#contract/time.ts';
import { takeLock } from '#server/platform/store/locks.ts';
import type { Schema } from '#server/platform/store/schema.ts';

export interface LogPartition {
  name: string;
  /** Unix seconds; -Infinity: from the beginning. */
  from: number;
  /** The first second after it. */
  end: number;
}

/** Made this long before they are needed: a job makes them every hour. */
const DAYS_AHEAD = 3;
/** Writers of the log wait behind this lock request, so it gives up soon. */
const LOCK_TIMEOUT = '300ms';

/** Oldest first, without the default partition. */
export async function logPartitions(db: Kysely<Schema>): Promise<LogPartition[]> {
  const { rows } = await sql<{ name: string; bounds: string }>`
    select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bounds
    from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'logs'::regclass`.execute(
    db,
  );
  return rows.flatMap(partitionOf).toSorted((left, right) => left.end - right.end);
}

function partitionOf({ name, bounds }: { name: string; bounds: string }): LogPartition[] {
  const found = /FROM \('?(\w+)'?\) TO \('?(\d+)'?\)/.exec(bounds);
  if (found === null) return [];
  const [, from, end] = found;
  return [{ name, from: from === 'MINVALUE' ? -Infinity : Number(from), end: Number(end) }];
}

/** The partitions of today and the next days, where they are missing. */
export async function makeLogPartitions(db: Kysely<Schema>, now = Date.now() / 1000): Promise<void> {
  const today = now - (now % DAY_SECONDS);
  const days = Array.from({ length: 1 + DAYS_AHEAD }, (_, index) => Math.floor(today) + index * DAY_SECONDS);
  if (missing(days, await logPartitions(db)).length === 0) return;
  await db.transaction().execute(async (transaction) => {
    // Nodes that start at the same time make partitions one after the other.
    await takeLock({ dialect: 'postgres' }, transaction, 'logPartitions');
    await sql`set local lock_timeout = ${sql.lit(LOCK_TIMEOUT)}`.execute(transaction);
    // Rows of these days that came too early move out of the default partition; none may come meanwhile.
    await sql`lock table logs_other in access exclusive mode`.execute(transaction);
    for (const day of missing(days, await logPartitions(transaction))) await makePartition(transaction, day);
  });
}

const missing = (days: readonly number[], made: readonly LogPartition[]) =>
  days.filter((day) => !made.some(({ from, end }) => from < day + DAY_SECONDS && end > day));

/** Made apart and then attached: creating it in place would lock the whole log. */
async function makePartition(transaction: Transaction<Schema>, day: number): Promise<void> {
  const name = `logs_${new Date(day * 1000).toISOString().slice(0, 10).replaceAll('-', '')}`;
  const table = sql.table(name);
  const end = day + DAY_SECONDS;
  await sql`create table ${table} (like logs including all excluding identity)`.execute(transaction);
  await sql`with moved as (
      delete from logs_other where created_at >= ${day} and created_at < ${end} returning *)
    insert into ${table} select * from moved`.execute(transaction);
  await sql`alter table logs attach partition ${table}
    for values from (${sql.lit(day)}) to (${sql.lit(end)})`.execute(transaction);
}

/** Returns how many rows it held. Throws (55P03) when the log is in use for longer than writers should wait. */
export async function dropLogPartition(transaction: Transaction<Schema>, name: string): Promise<number> {
  await sql`set local lock_timeout = ${sql.lit(LOCK_TIMEOUT)}`.execute(transaction);
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(name)}`.execute(
    transaction,
  );
  await sql`drop table ${sql.table(name)}`.execute(transaction);
  return rows[0]?.count ?? 0;
}
