// The folder of DATA_DIR: made, proven writable, and closed to other users of the machine.
import { chmodSync, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DataDirectoryError } from './errors.ts';

/** Throws DataDirectoryError. It writes a file: permissions alone do not show a read-only disk. */
export function prepareDataDirectory(dataDir: string): void {
  const probe = join(dataDir, `.probe-${process.pid}`);
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    writeFileSync(probe, '');
    rmSync(probe);
  } catch (error) {
    throw new DataDirectoryError(dataDir, error);
  }
}

/**
 * SQLite makes the database readable for every user and gives its log the same mode: the file is made here first. An existing
 * one loses the access of other users; what its group may do stays.
 */
export function keepPrivate(file: string): void {
  if (!existsSync(file)) writeFileSync(file, '', { mode: 0o600 });
  for (const name of [file, `${file}-wal`, `${file}-shm`]) {
    const mode = statSync(name, { throwIfNoEntry: false })?.mode;
    if (mode !== undefined && (mode & 0o007) !== 0) chmodSync(name, mode & 0o770);
  }
}
