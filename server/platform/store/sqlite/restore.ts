// Replaces the database of a data directory by a backup. The backup is copied, checked, migrated and opened with the master key
// before the old file is touched, and the old file is kept.
import { existsSync, linkSync, renameSync, rmSync } from 'node:fs';
import { Database } from 'bun:sqlite';
import { prepareDataDirectory } from '#server/platform/store/data-directory.ts';
import { NotABackupError } from '#server/platform/store/errors.ts';
import { unlockVault } from '#server/platform/store/vault.ts';
import { copyInThread } from './backup.ts';
import { prepareDatabase } from './boot.ts';
import { openWritable } from './connection.ts';
import { lockDirectory } from './lock.ts';
import { databaseFile } from './open.ts';

export interface RestoreOptions {
  backup: string;
  dataDir: string;
  masterKey: string | undefined;
}

/** Returns where the replaced database was put; null when there was none. */
export async function restoreSqlite({ backup, dataDir, masterKey }: RestoreOptions): Promise<string | null> {
  prepareDataDirectory(dataDir);
  const lock = lockDirectory(dataDir);
  const file = databaseFile(dataDir);
  const draft = `${file}.restoring`;
  try {
    removeDatabase(draft);
    await copyBackup(backup, draft);
    await prepareDatabase(draft, (db) => unlockVault(db, { dataDir, masterKey }));
    const kept = existsSync(file) ? keepOld(file) : null;
    renameSync(draft, file);
    return kept;
  } finally {
    removeDatabase(draft);
    lock.release();
  }
}

async function copyBackup(backup: string, draft: string): Promise<void> {
  try {
    await copyInThread(backup, draft);
  } catch (error) {
    throw new NotABackupError(`${backup} cannot be read as a SQLite database: ${String(error)}`, {
      cause: error,
    });
  }
  const database = new Database(draft, { readonly: true });
  try {
    const tables = database.query("select 1 from sqlite_schema where name in ('migrations', 'ledger')").all();
    if (tables.length < 2) throw new NotABackupError(`${backup} is not a database of Tollgate.`);
  } finally {
    database.close();
  }
}

/**
 * The write-ahead log of the old file must be gone before the new file has its name: SQLite would apply it to the new file. The
 * file itself stays under its name until the rename replaces it, so that no crash leaves a data directory without a database.
 */
function keepOld(file: string): string {
  foldLog(file);
  const kept = `${file}.replaced-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
  for (const suffix of ['-wal', '-shm'])
    if (existsSync(file + suffix)) renameSync(file + suffix, kept + suffix);
  linkSync(file, kept);
  return kept;
}

function foldLog(file: string): void {
  let database: Database | undefined;
  try {
    database = openWritable(file);
    database.run('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // A damaged file is what a restore is for; its log is kept beside it.
  } finally {
    database?.close();
  }
}

function removeDatabase(file: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(file + suffix, { force: true });
}
