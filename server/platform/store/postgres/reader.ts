// One connection without the store: for the audit, which must neither wait for the console nor share its time limit.
import { Kysely, PostgresDialect } from 'kysely';
import type { Schema } from '#server/platform/store/schema.ts';
import type { StoreReader } from '#server/platform/store/types.ts';
import { CONNECT_TIMEOUT_MS, numberTypes, openPool } from './pool.ts';

/** The audit reads in slices of milliseconds; a statement beyond this is lost, not slow. */
const STATEMENT_TIMEOUT_MS = 120_000;

/** Slices look rows up by key. Another plan would read a whole table for each slice, and parallel workers take the cores of calls. */
const SESSION_OPTIONS = [
  'default_transaction_read_only=on',
  'enable_hashjoin=off',
  'enable_mergejoin=off',
  'max_parallel_workers_per_gather=0',
  'jit=off',
]
  .map((option) => `-c ${option}`)
  .join(' ');

export function openPostgresReader(databaseUrl: string): StoreReader {
  const pool = openPool(
    {
      connectionString: databaseUrl,
      max: 1,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      query_timeout: STATEMENT_TIMEOUT_MS + 2000,
      keepAlive: true,
      application_name: 'tollgate audit',
      options: SESSION_OPTIONS,
      types: numberTypes,
    },
    // The query that runs on a lost connection fails by itself.
    () => {},
  );
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  return { dialect: 'postgres', db, close: () => db.destroy() };
}
