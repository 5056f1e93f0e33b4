// The database as the rest of the server sees it: one Kysely schema on either engine.
// Writes are durable when their promise resolves; no query runs on the thread that relays.
import { DataDirectoryLockedError } from './errors.ts';
import { requireCurrent } from './migrations/migrate.ts';
import { openPostgres } from './postgres/open.ts';
import { openPostgresReader } from './postgres/reader.ts';
import { openSqliteBeside } from './sqlite/beside.ts';
import { databaseFile, openSqlite } from './sqlite/open.ts';
import { openSqliteReader } from './sqlite/reader.ts';
import type { CommandStore, Store, StoreOptions, StoreReader } from './types.ts';

export type { FaultListener } from './changes.ts';
export type {
  CommandStore,
  PostgresStore,
  RunOptions,
  SqliteStore,
  Store,
  StoreOptions,
  StoreReader,
  TableGuard,
  Writer,
} from './types.ts';

/** Locks, checks and migrates the database, proves the master key, and opens it. Each refusal says what to do. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { databaseUrl, onFault = warn } = options;
  if (databaseUrl === undefined || databaseUrl === '') return await openSqlite({ ...options, onFault });
  return await openPostgres({ ...options, databaseUrl, onFault });
}

/** For a command that changes rows, also while the server runs. A running server on SQLite follows within seconds. */
export async function openForCommand(options: StoreOptions): Promise<CommandStore> {
  try {
    return await openStore(options);
  } catch (error) {
    if (!(error instanceof DataDirectoryLockedError)) throw error;
    return await openSqliteBeside(databaseFile(options.dataDir), options, options.onFault ?? warn);
  }
}

/** For a command beside the running server: reads only, migrates nothing. */
export async function openReader({
  dataDir,
  databaseUrl,
}: Pick<StoreOptions, 'dataDir' | 'databaseUrl'>): Promise<StoreReader> {
  const isSqlite = databaseUrl === undefined || databaseUrl === '';
  const reader = isSqlite ? await openSqliteReader(databaseFile(dataDir)) : openPostgresReader(databaseUrl);
  try {
    await requireCurrent(reader.db);
    return reader;
  } catch (error) {
    await reader.close();
    throw error;
  }
}

function warn(error: unknown, what: string): void {
  process.emitWarning(`${what}: ${error instanceof Error ? error.message : String(error)}`, 'StoreWarning');
}
