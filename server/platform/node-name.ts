// The name of this process in the database. It must be the same after a restart, so that the process finds its own holds and
// spool, and differ between machines, also when their host names are equal.
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import type { Environment } from '#server/platform/env.ts';

let unnamed = 0;

/** Without a fixed port a restart is a new node. */
export function nodeName(environment: Environment, worker?: string): string {
  const { port, dataDir, databaseUrl } = environment;
  unnamed += 1;
  const own = `${hostname()}:${port === 0 ? `${process.pid}.${unnamed}` : port}`;
  // On SQLite there is one process, which holds the lock of its data directory.
  const parts = databaseUrl === undefined ? [own, worker] : [own, installationId(dataDir), worker];
  return parts.filter((part) => part !== undefined).join(':');
}

export function installationFile(dataDir: string): string {
  return path.join(dataDir, 'node.id');
}

/** The data directory exists: the store has been opened. */
function installationId(dataDir: string): string {
  const file = installationFile(dataDir);
  try {
    writeFileSync(file, `${randomBytes(4).toString('hex')}\n`, { flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  return readFileSync(file, 'utf8').trim();
}
