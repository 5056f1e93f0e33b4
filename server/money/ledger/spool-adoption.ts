// Spools that dead processes left. A process that holds the lock of a spool is alive, also when the database does not hear of
// it. On a network disk whose locks do not reach other machines the lock says nothing, so the caller names the nodes that may
// be adopted: those of its own name, and those that have been silent in the database.
import { readdir, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { tryLockFile } from '#server/platform/store/sqlite/lock.ts';
import { localDisk } from './spool-file.ts';
import { decodeLines } from './spool-lines.ts';
import { lockOf, spoolsAmong, type LeftSpool } from './spool-names.ts';
import { inChunks, type Replay } from './spool.ts';

/** Every spool in this directory except that of the calling process. */
export async function listLeftSpools(directory: string, ownPath: string): Promise<LeftSpool[]> {
  const names = await readdir(directory).catch(() => []);
  return spoolsAmong(directory, names).filter(({ path }) => path !== ownPath);
}

/** Replays and removes the spool if its process is dead. Rejects, and the file stays, when `replay` does. Returns the lines. */
export async function adoptSpool(path: string, replay: Replay): Promise<number> {
  const lock = tryLockFile(lockOf(path));
  if (lock === undefined) return 0;
  try {
    let count = 0;
    // The rest of an interrupted drain of an earlier version is older.
    for (const name of [`${path}.draining`, path]) {
      const operations = decodeLines(await readFile(name, 'utf8').catch(ignoreMissing));
      await inChunks(operations, replay);
      count += operations.length;
      await rm(name, { force: true });
    }
    // After the lines: a process that gets the lock of the removed file finds none.
    await rm(lockOf(path), { force: true });
    await localDisk.syncDirectory(dirname(path));
    return count;
  } finally {
    lock.release();
  }
}

function ignoreMissing(error: unknown): string {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
  throw error;
}
