// The database as the rest of the server sees it: one Kysely schema, whichever engine is behind it.
// Writes are durable when their promise resolves; no query ever runs on the thread that relays.
import type { Kysely } from 'kysely';
import type { Pool } from 'pg';
import type { Changes } from './changes.ts';
import { openPostgres } from './postgres/open.ts';
import type { Schema } from './schema.ts';
import { openSqlite } from './sqlite/open.ts';
import type { Vault } from './vault.ts';

export type Store = SqliteStore | PostgresStore;

interface StoreBase {
  db: Kysely<Schema>;
  changes: Changes;
  vault: Vault;
  /** Writes a consistent copy while the server runs. The file must not exist. */
  backup(file: string): Promise<void>;
  /** Finishes what is queued, then lets go of threads, connections and the data directory. */
  close(): Promise<void>;
}

export interface SqliteStore extends StoreBase {
  dialect: 'sqlite';
  writer: Writer;
}

export interface PostgresStore extends StoreBase {
  dialect: 'postgres';
  pool: Pool;
}

/**
 * Runs one named procedure in the writer thread, inside the next group commit; resolves after that commit is durable.
 * Arguments and results cross threads as JSON: numbers, strings, booleans, null, arrays and plain objects. `text` arrives as
 * one more argument and is not quoted on its way: for what is long and only stored.
 */
export interface Writer {
  run<T>(procedure: string, args: readonly unknown[], text?: string): Promise<T>;
  /**
   * `hear` makes of the result what is promised. It is called before anybody else hears of it, in the order in which the
   * writer worked; with undefined when it failed.
   */
  run<T, Heard>(
    procedure: string,
    args: readonly unknown[],
    text: string | undefined,
    hear: (result: T | undefined) => Heard,
  ): Promise<Heard>;
  /** There is one companion; the one before it steps back for good. */
  accompany(companion: WriterCompanion): void;
  /** Sends at once what the companion has decided, ahead of all that waits. */
  sendAhead(): void;
}

/** Decides things on the main thread before the writer knows of them, and tells it in time. */
export interface WriterCompanion {
  /** What the writer must hear before anything that looks at its tables; undefined: nothing. Asked for once. */
  takeAhead(): { procedure: string; args: readonly unknown[] } | undefined;
  /** Every operation that was queued is on its way. */
  batchSent(): void;
  /** Others write from now on (true: nothing may be decided ahead) or have ended. */
  foreign(isWriting: boolean): void;
}

/** Hears of faults that belong to no caller: a lost connection that is being restored, a listener that threw. */
export type FaultListener = (error: unknown, what: string) => void;

export interface StoreOptions {
  dataDir: string;
  /** `postgres://…`; without it SQLite in `dataDir`. */
  databaseUrl?: string | undefined;
  /** 64 hex digits or base64 of 32 bytes; without it the file `<dataDir>/master.key`. */
  masterKey?: string | undefined;
  /** The module the writer thread runs; it calls `runWriter({ procedures })`. */
  writerEntry: URL;
  /** Default: a warning of the process. */
  onFault?: FaultListener | undefined;
}

export type OpenOptions = StoreOptions & { onFault: FaultListener };

/** Locks, checks and migrates the database, proves the master key, and opens it. Each refusal says what to do. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { databaseUrl, onFault = warn } = options;
  if (databaseUrl === undefined || databaseUrl === '') return await openSqlite({ ...options, onFault });
  return await openPostgres({ ...options, databaseUrl, onFault });
}

function warn(error: unknown, what: string): void {
  process.emitWarning(`${what}: ${error instanceof Error ? error.message : String(error)}`, 'StoreWarning');
}
