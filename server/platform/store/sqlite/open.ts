// Opens the SQLite store: lock, check, migrate, prove the master key, then hand the file to its threads.
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Kysely } from 'kysely';
import { localChanges, TOPICS } from '#server/platform/store/changes.ts';
import { keepPrivate, prepareDataDirectory } from '#server/platform/store/data-directory.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import type { OpenOptions, SqliteStore } from '#server/platform/store/types.ts';
import { unlockVault } from '#server/platform/store/vault.ts';
import { copyInThread } from './backup.ts';
import { prepareDatabase } from './boot.ts';
import { sqliteDialect } from './dialect.ts';
import { watchForeignCommits } from './foreign-commits.ts';
import { lockDirectory } from './lock.ts';
import { watchLogSize } from './log-size.ts';
import { openSqliteReader } from './reader.ts';
import { startReaders } from './readers.ts';
import { startWriter } from './writer.ts';

export function databaseFile(dataDir: string): string {
  return join(dataDir, 'tollgate.db');
}

export async function openSqlite({
  dataDir,
  masterKey,
  writerEntry,
  onFault,
}: OpenOptions): Promise<SqliteStore> {
  prepareDataDirectory(dataDir);
  // What was opened, to be let go in reverse order, by close() or by a failing start.
  const opened: (() => Promise<void> | void)[] = [];
  const release = async () => {
    for (const letGo of opened.splice(0).toReversed()) await letGo();
  };
  try {
    const lock = lockDirectory(dataDir);
    opened.push(lock.release);
    const file = databaseFile(dataDir);
    keepPrivate(file);
    const vault = await prepareDatabase(file, (db) => unlockVault(db, { dataDir, masterKey }));
    // The writer is let go last: only it can fold the write-ahead log back into the file.
    const writer = await startWriter(writerEntry, file);
    opened.push(writer.close);
    const readers = await startReaders(file, Math.min(2, availableParallelism()));
    opened.push(readers.close);
    const db = new Kysely<Schema>({ dialect: sqliteDialect({ writer, readers }) });
    const changes = localChanges(onFault);
    opened.push(
      watchForeignCommits(writer, () => {
        for (const topic of TOPICS) void changes.dispatch(topic, undefined);
      }),
      watchLogSize(file, onFault),
    );
    let closing: Promise<void> | undefined;
    return {
      dialect: 'sqlite',
      db,
      confirmedDb: db,
      writer,
      vault,
      changes,
      // Through the writer: a reader may be busy with a long query.
      async ping() {
        await writer.statement({ sql: 'select 1', parameters: [] }, new Set());
      },
      openReader: () => openSqliteReader(file),
      backup: (target) => copyInThread(file, target),
      close() {
        closing ??= release();
        return closing;
      },
    };
  } catch (error) {
    await release();
    throw error;
  }
}
