// PostgreSQL plans by statistics. Autovacuum makes them within minutes, but the first rows of a day, or of an installation,
// come faster: a check that joins charges and log rows without statistics compares each with all (52 s for 30,000 rows instead of
// 0.6 s).
import { sql } from 'kysely';
import type { AuditSource } from './breach.ts';

/** A smaller table is read whole in no time, however it is planned. */
const SMALL_BYTES = 128 * 1024;

/** Of tables that have grown by half since the last statistics, or have none. */
export async function makeStatistics({ dialect, db }: AuditSource): Promise<void> {
  if (dialect === 'sqlite') return;
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relkind = 'r' and relnamespace = current_schema()::regnamespace and pg_relation_size(oid)
      > greatest(${SMALL_BYTES}, 1.5 * relpages * current_setting('block_size')::bigint)`.execute(db);
  for (const { name } of rows) {
    // On a standby it is refused, and a day may be dropped meanwhile: then the checks take longer.
    await sql`analyze ${sql.table(name)}`.execute(db).catch(() => {});
  }
}
