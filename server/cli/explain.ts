// Explains the failure of a command in one sentence that says what to do. Only an unexpected error shows its stack.
import { BackupError } from '#server/operating/backups/backup-error.ts';
import { EnvironmentError } from '#server/platform/env.ts';
import { SourceError } from '#server/operating/import-export/source/source.ts';
import {
  DatabaseCorruptError,
  DatabaseUnreachableError,
  DatabaseVersionError,
  DataDirectoryError,
  DataDirectoryLockedError,
  MasterKeyError,
  NotABackupError,
  UnfinishedMoveError,
} from '#server/platform/store/errors.ts';

const EXPECTED = [
  BackupError,
  SourceError,
  DatabaseCorruptError,
  DatabaseUnreachableError,
  DatabaseVersionError,
  DataDirectoryError,
  DataDirectoryLockedError,
  MasterKeyError,
  NotABackupError,
  UnfinishedMoveError,
];

/** SQLite, the file system, a quota of it, PostgreSQL. */
const FULL: ReadonlySet<string> = new Set(['SQLITE_FULL', 'ENOSPC', 'EDQUOT', '53100']);

const FAILED_FILE = /^SQLITE_(CANTOPEN|IOERR|READONLY)/;

/** Raised by a command with a sentence for the operator. */
export class CommandError extends Error {
  override name = 'CommandError';
}

export function explain(error: unknown, variables: Record<string, string | undefined>): string {
  if (!(error instanceof Error)) return `tollgate: ${String(error)}`;
  if (error instanceof EnvironmentError)
    return `tollgate: the environment is not valid\n  ${indented(error.message)}`;
  if (error instanceof CommandError || EXPECTED.some((kind) => error instanceof kind))
    return `tollgate: ${error.message}`;
  const { code, syscall } = error as { code?: unknown; syscall?: unknown };
  const port = variables['PORT'] ?? '3000';
  if (code === 'EADDRINUSE')
    return `tollgate: port ${port} is already in use. Stop the other program or choose another port: PORT=${Number(port) + 1} npm start`;
  if (code === 'EACCES' && (syscall === 'listen' || syscall === 'bind'))
    return `tollgate: this user may not listen on port ${port}. Choose a port above 1023.`;
  if (code === 'EADDRNOTAVAIL')
    return `tollgate: HOST ${variables['HOST'] ?? ''} is not an address of this machine.`;
  const dataDir = variables['DATA_DIR'] ?? './data';
  if (typeof code === 'string' && FULL.has(code))
    return `tollgate: the disk is full (data directory ${dataDir}): ${error.message}. Make room and start again.`;
  if (code === 'EACCES' || code === 'EROFS' || FAILED_FILE.test(String(code)))
    return `tollgate: the data directory ${dataDir} cannot be written: ${error.message}`;
  return `tollgate: ${error.stack ?? error.message}`;
}

const indented = (text: string) => text.split('\n').join('\n  ');
