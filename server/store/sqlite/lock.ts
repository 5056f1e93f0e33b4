// One process per data directory. The lock is an exclusive transaction on a file of its own: the kernel drops it with
// the process, however that ends. The pid file beside it only serves the message.
import { Database } from 'bun:sqlite';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DataDirectoryLockedError } from '#server/store/errors.ts';

export interface DirectoryLock {
  release(this: void): void;
}

/** Keeps the connections referenced: the garbage collector would close an unreferenced one and end its lock. */
const held = new Set<Database>();

export function lockDirectory(directory: string): DirectoryLock {
  const pidFile = join(directory, 'server.pid');
  const database = new Database(join(directory, 'server.lock'), { create: true, readwrite: true });
  try {
    database.run('PRAGMA busy_timeout = 0');
    database.run('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (isBusy(error)) throw new DataDirectoryLockedError(directory, readPid(pidFile));
    throw error;
  }
  held.add(database);
  writeFileSync(pidFile, `${process.pid}\n`);
  return {
    release() {
      held.delete(database);
      rmSync(pidFile, { force: true });
      if (database.inTransaction) database.run('ROLLBACK');
      database.close();
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
