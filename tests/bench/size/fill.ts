// A migrated database that is filled by its own statements, in bulk: the words in which SQLite and PostgreSQL differ.
import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import { Kysely, PostgresDialect } from 'kysely';
import { Pool } from 'pg';
import { makeLogPartitions } from '#server/platform/store/postgres/log-partitions.ts';
import type { Schema } from '#server/platform/store/schema.ts';

const DAY_SECONDS = 86_400;

export interface Filling {
  run: (text: string) => Promise<void>;
  /** A table `n(i)` of the numbers from … to … */
  numbers: (from: number, to: number) => string;
  padded: string;
  /** The whole part of an expression. */
  whole: (expression: string) => string;
  /** Index name → the statement that makes it. */
  indexes: (table: string) => Promise<Map<string, string>>;
  finish: () => Promise<void>;
}

export function fillSqlite(dataDir: string): Filling {
  const database = new Database(join(dataDir, 'tollgate.db'), { readwrite: true });
  // A bench database is deleted afterwards; it need not survive a power cut.
  database.run('PRAGMA synchronous = OFF');
  database.run('PRAGMA cache_size = -524288');
  return {
    run: async (text) => void database.run(text),
    numbers: (from, to) =>
      `with recursive n(i) as (select ${from} union all select i + 1 from n where i < ${to})`,
    padded: `printf('%012d', i)`,
    whole: (expression) => `cast(${expression} as integer)`,
    indexes: async (table) => {
      const found = database
        .query<{ name: string; sql: string }, [string]>(
          `select name, sql from sqlite_master where type = 'index' and tbl_name = ? and sql is not null`,
        )
        .all(table);
      return new Map(found.map(({ name, sql }) => [name, sql]));
    },
    async finish() {
      database.run('PRAGMA wal_checkpoint(TRUNCATE)');
      database.close();
    },
  };
}

/** `days`: how far back the log reaches. */
export async function fillPostgres(databaseUrl: string, days: number): Promise<Filling> {
  const pool = new Pool({ connectionString: databaseUrl, max: 1 });
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  // The sums of ten million rows are sorted in memory instead of in files; the one connection keeps these values.
  await pool.query(`set work_mem = '1GB'`);
  await pool.query(`set maintenance_work_mem = '1GB'`);
  await pool.query('set synchronous_commit = off');
  const now = Date.now() / 1000;
  for (let day = -days; day <= 0; day += 3) await makeLogPartitions(db, now + day * DAY_SECONDS);
  return {
    run: async (text) => void (await pool.query(text)),
    numbers: (from, to) => `with n(i) as (select generate_series(${from}::bigint, ${to}))`,
    padded: `lpad(i::text, 12, '0')`,
    whole: (expression) => `floor(${expression})::bigint`,
    indexes: async (table) => {
      const { rows } = await pool.query<{ name: string; definition: string }>(
        `select indexname as name, replace(indexdef, ' ONLY ', ' ') as definition from pg_indexes
         where tablename = $1 and indexname <> $1 || '_pkey'`,
        [table],
      );
      return new Map(rows.map(({ name, definition }) => [name, definition]));
    },
    async finish() {
      await pool.query('vacuum analyze');
      await db.destroy();
    },
  };
}
