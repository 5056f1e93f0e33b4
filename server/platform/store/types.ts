// The store as the rest of the server sees it, on either database.
import type { Kysely } from 'kysely';
import type { Pool } from 'pg';
import type { Changes, FaultListener } from './changes.ts';
import type { Schema } from './schema.ts';
import type { Vault } from './vault.ts';

export type Store = SqliteStore | PostgresStore;

/** Reads on a connection that nothing else uses. */
export interface StoreReader {
  dialect: Store['dialect'];
  db: Kysely<Schema>;
  close(): Promise<void>;
}

/** The part of a store that a command beside the running server has. */
export type CommandStore = Pick<Store, 'dialect' | 'db' | 'vault' | 'changes' | 'close'>;

interface StoreBase {
  db: Kysely<Schema>;
  /**
   * For money that another system counts on: a commit that a synchronous standby has not confirmed rejects with
   * CommitNotConfirmedError, although this server may have it. What is repeated afterwards must be idempotent.
   */
  confirmedDb: Kysely<Schema>;
  changes: Changes;
  vault: Vault;
  /** Resolves when the database has answered; never waits for queries of the console. */
  ping(): Promise<void>;
  /** The caller closes it. */
  openReader(): Promise<StoreReader>;
  /** Writes a consistent copy while the server runs. The file must not exist. */
  backup(file: string): Promise<void>;
  /** Finishes what is queued, then closes threads and connections and unlocks the data directory. */
  close(): Promise<void>;
}

export interface SqliteStore extends StoreBase {
  dialect: 'sqlite';
  writer: Writer;
}

export interface PostgresStore extends StoreBase {
  dialect: 'postgres';
  pool: Pool;
  /** For heartbeats, probes, recovery and announcements: queries of the console cannot take its connections. */
  nodePool: Pool;
}

/** Runs named procedures in SQLite's writer thread, in the order of the calls, in group commits. */
export interface Writer {
  /** Resolves after the commit is durable. The argument and the result cross threads as JSON. */
  run<T>(procedure: string, argument: unknown): Promise<T>;
  run<T, Value>(procedure: string, argument: unknown, options: RunOptions<T, Value>): Promise<Value>;
  /** There is one guard; a new one replaces the old one after the old one has written its state. */
  guardTables(guard: TableGuard): Promise<void>;
}

export interface RunOptions<T, Value> {
  /** Reaches the procedure beside its argument, without the cost of quoting: for a long text that is only stored. */
  text?: string;
  /** Makes the value that is promised. Called in the order in which the writer worked; with undefined when it failed. */
  onResult?: (result: T | undefined) => Value;
}

/** For code that keeps state on the main thread which statements on these tables must see. */
export interface TableGuard {
  readonly tables: readonly string[];
  /** A statement or transaction of other code is about to be sent: the guard runs the procedures that write its state. */
  beginForeignWrite(this: void): Promise<void>;
  /** The statement or transaction has ended; called once for each `beginForeignWrite`. */
  endForeignWrite(this: void): void;
}

export interface StoreOptions {
  dataDir: string;
  /** `postgres://…`; without it SQLite in `dataDir`. */
  databaseUrl?: string | undefined;
  /** 64 hex digits or base64 of 32 bytes; without it the file `<dataDir>/master.key`. */
  masterKey?: string | undefined;
  /** The module the writer thread runs; it calls `runWriter({ procedures })`. */
  writerEntry: URL;
  /** PostgreSQL: open a database into which a move is not finished. */
  continuesMove?: boolean;
  /** Default: a warning of the process. */
  onFault?: FaultListener | undefined;
}

export type OpenOptions = StoreOptions & { onFault: FaultListener };
