// The database as the rest of the server sees it: one Kysely schema on either engine.
// Writes are durable when their promise resolves; no query runs on the thread that relays.
import { openPostgres } from './postgres/open.ts';
import { openSqlite } from './sqlite/open.ts';
import type { Store, StoreOptions } from './types.ts';

export type { FaultListener } from './changes.ts';
export type {
  PostgresStore,
  RunOptions,
  SqliteStore,
  Store,
  StoreOptions,
  TableGuard,
  Writer,
} from './types.ts';

/** Locks, checks and migrates the database, proves the master key, and opens it. Each refusal says what to do. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { databaseUrl, onFault = warn } = options;
  if (databaseUrl === undefined || databaseUrl === '') return await openSqlite({ ...options, onFault });
  return await openPostgres({ ...options, databaseUrl, onFault });
}

function warn(error: unknown, what: string): void {
  process.emitWarning(`${what}: ${error instanceof Error ? error.message : String(error)}`, 'StoreWarning');
}
