// The database as the rest of the server sees it: one Kysely schema, whichever engine is behind it.
// Writes are durable when their promise resolves; no query ever runs on the thread that relays.
import type { Kysely } from 'kysely';
import type { Pool } from 'pg';
import type { Changes } from './changes.ts';
import type { Schema } from './schema.ts';
import type { Vault } from './vault.ts';

export type Store = SqliteStore | PostgresStore;

interface StoreBase {
  db: Kysely<Schema>;
  changes: Changes;
  vault: Vault;
  /** Finishes what is queued, then lets go of threads, connections and the data directory. */
  close(): Promise<void>;
}

export interface SqliteStore extends StoreBase {
  dialect: 'sqlite';
  writer: Writer;
  /** Writes a consistent copy while the server runs. The file must not exist. */
  backup(file: string): Promise<void>;
}

export interface PostgresStore extends StoreBase {
  dialect: 'postgres';
  pool: Pool;
}

/** Runs one named procedure in the writer thread, inside the next group commit; resolves after that commit is durable. */
export interface Writer {
  run<T>(procedure: string, args: readonly unknown[]): Promise<T>;
}

export interface StoreOptions {
  dataDir: string;
  /** `postgres://…`; without it SQLite in `dataDir`. */
  databaseUrl?: string | undefined;
  /** 64 hex digits or base64 of 32 bytes; without it the file `<dataDir>/master.key`. */
  masterKey?: string | undefined;
  /** The module the writer thread runs; it calls `runWriter({ procedures })`. */
  writerEntry: URL;
}
