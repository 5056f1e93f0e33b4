// One reader thread without the store: for the audit, which must not take the readers of the console, and for a command
// that runs beside the server. It needs neither the lock of the data directory nor the writer.
import { Kysely } from 'kysely';
import type { Schema } from '#server/platform/store/schema.ts';
import type { StoreReader } from '#server/platform/store/types.ts';
import { sqliteDialect } from './dialect.ts';
import { startReaders } from './readers.ts';

const refuse = () => Promise.reject(new Error('a reader cannot write'));

export async function openSqliteReader(file: string): Promise<StoreReader> {
  const readers = await startReaders(file, 1);
  const db = new Kysely<Schema>({
    dialect: sqliteDialect({ readers, writer: { statement: refuse, lease: refuse } }),
  });
  return { dialect: 'sqlite', db, close: () => readers.close() };
}
