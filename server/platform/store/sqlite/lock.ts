// Locks that the kernel drops with the process, however that ends: an exclusive transaction on an empty SQLite file of its own.
import { Database } from 'bun:sqlite';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DataDirectoryLockedError } from '#server/platform/store/errors.ts';

export interface FileLock {
  release(this: void): void;
}

/** Keeps the connections referenced: the garbage collector would close an unreferenced one and end its lock. */
const held = new Set<Database>();

/** Makes the file if it is missing. undefined: another process, or other code of this one, holds the lock. */
export function tryLockFile(file: string): FileLock | undefined {
  const database = new Database(file, { create: true, readwrite: true });
  try {
    database.run('PRAGMA busy_timeout = 0');
    database.run('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
  held.add(database);
  return {
    release() {
      held.delete(database);
      if (database.inTransaction) database.run('ROLLBACK');
      database.close();
    },
  };
}

/** One process per data directory. The pid file beside the lock only serves the message. */
export function lockDirectory(directory: string): FileLock {
  const pidFile = join(directory, 'server.pid');
  const lock = tryLockFile(join(directory, 'server.lock'));
  if (lock === undefined) throw new DataDirectoryLockedError(directory, readPid(pidFile));
  writeFileSync(pidFile, `${process.pid}\n`);
  return {
    release() {
      rmSync(pidFile, { force: true });
      lock.release();
    },
  };
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');
}

function readPid(file: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
    return Number.isSafeInteger(pid) ? pid : undefined;
  } catch {
    return undefined;
  }
}
