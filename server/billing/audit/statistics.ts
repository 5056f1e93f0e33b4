// PostgreSQL plans by statistics. Autovacuum makes them within minutes, but the first rows of a day, or of an installation,
// come faster: a check that joins charges and log rows without statistics compares each with all (52 s for 30,000 rows instead of
// 0.6 s).
import { sql } from 'kysely';
import type { AuditSource } from './breach.ts';

/** A smaller table is read whole in no time, however it is planned. */
const smallBytes = 128 * 1024;

/** Of tables that have none yet, or that have since grown by half. */
export async function makeStatistics({ dialect, db }: AuditSource): Promise<void> {
  if (dialect === 'sqlite') return;
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_class c join pg_stat_user_tables s on s.relid = c.oid
    where c.relkind = 'r' and s.schemaname = current_schema()
      and (c.reltuples < 0 or s.n_mod_since_analyze > c.reltuples / 2)
      and pg_relation_size(c.oid) > ${smallBytes}`.execute(db);
  for (const { name } of rows) {
    // On a standby it is refused, and a day may be dropped meanwhile: then the checks take longer.
    await sql`analyze ${sql.table(name)}`.execute(db).catch(() => {});
  }
}
