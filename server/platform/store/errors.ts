// What can go wrong in the store, in words an operator can act on, and questions about errors that both engines answer.

/** The database refused or lost an operation. `code` is the engine's own (`SQLITE_FULL`, `SQLITE_BUSY`, …). */
export class DatabaseError extends Error {
  override name = 'DatabaseError';
  readonly code: string;
  constructor(message: string, code: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export class DataDirectoryLockedError extends Error {
  override name = 'DataDirectoryLockedError';
  constructor(directory: string, pid: number | undefined) {
    const holder = pid === undefined ? 'another process' : `process ${pid}`;
    super(
      `The data directory ${directory} is in use by ${holder}. SQLite serves one process: stop the other one, ` +
        'choose another DATA_DIR, or set DATABASE_URL to a PostgreSQL database to run several.',
    );
  }
}

/** DATA_DIR is a file, lies below one, or may not be written. */
export class DataDirectoryError extends Error {
  override name = 'DataDirectoryError';
  constructor(directory: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(
      `The data directory ${directory} cannot be used: ${reason}. DATA_DIR must be a folder that this user may write.`,
      { cause },
    );
  }
}

/** The file given to a restore. */
export class NotABackupError extends Error {
  override name = 'NotABackupError';
}

export class DatabaseCorruptError extends Error {
  override name = 'DatabaseCorruptError';
  constructor(file: string, findings: string) {
    super(
      `The database file ${file} is damaged and was not opened: ${findings}. ` +
        'Restore it from a backup (tollgate backup makes them); nothing was changed.',
    );
  }
}

export class DatabaseVersionError extends Error {
  override name = 'DatabaseVersionError';
}

export class UnfinishedMoveError extends Error {
  override name = 'UnfinishedMoveError';
  constructor() {
    super('a move into this database is not finished. Run tollgate move again, or choose another database.');
  }
}

export class DatabaseUnreachableError extends Error {
  override name = 'DatabaseUnreachableError';
}

export class MasterKeyError extends Error {
  override name = 'MasterKeyError';
}

/** A transaction outlived its limit and was rolled back, so that it could not hold up the ledger. */
export class TransactionTimeoutError extends DatabaseError {
  override name = 'TransactionTimeoutError';
  constructor(limitMs: number) {
    super(
      `The transaction was rolled back: it held the writer for more than ${limitMs} ms.`,
      'TRANSACTION_TIMEOUT',
    );
  }
}

/** The queue in front of the writer is full: the caller should answer 503 and be tried again. */
export class StoreBusyError extends DatabaseError {
  override name = 'StoreBusyError';
  constructor(message = 'Too many operations wait for the database.') {
    super(message, 'STORE_BUSY');
  }
}

export class StoreClosedError extends DatabaseError {
  override name = 'StoreClosedError';
  constructor(message = 'The database is closed.') {
    super(message, 'STORE_CLOSED');
  }
}

/** The primary has the change, its synchronous standby may not: after a failover the change can be gone. */
export class CommitNotConfirmedError extends DatabaseError {
  override name = 'CommitNotConfirmedError';
  constructor() {
    super('The commit was not confirmed by the synchronous standby.', 'COMMIT_NOT_CONFIRMED');
  }
}

interface EngineError {
  code?: unknown;
  message?: unknown;
  constraint?: unknown;
  detail?: unknown;
}

const UNIQUE_CODES = new Set([
  'SQLITE_CONSTRAINT_UNIQUE',
  'SQLITE_CONSTRAINT_PRIMARYKEY',
  'SQLITE_CONSTRAINT_ROWID',
  '23505',
]);
const CHECK_CODES = new Set(['SQLITE_CONSTRAINT_CHECK', '23514']);

function engineError(error: unknown): EngineError {
  return typeof error === 'object' && error !== null ? error : {};
}

/** True when a row with the same unique value exists. With `column`, only when the violated index names that column. */
export function isUniqueViolation(error: unknown, column?: string): boolean {
  const { code, message, constraint, detail } = engineError(error);
  if (typeof code !== 'string' || !UNIQUE_CODES.has(code)) return false;
  if (column === undefined) return true;
  return [message, constraint, detail].some((text) => typeof text === 'string' && text.includes(column));
}

export function isCheckViolation(error: unknown): boolean {
  const { code } = engineError(error);
  return typeof code === 'string' && CHECK_CODES.has(code);
}

/** Primary codes of SQLite for a file, a disk or a lock that fails, whatever the statement was. */
const SQLITE_FAILURES = new Set([
  'SQLITE_BUSY',
  'SQLITE_CANTOPEN',
  'SQLITE_CORRUPT',
  'SQLITE_FULL',
  'SQLITE_IOERR',
  'SQLITE_LOCKED',
  'SQLITE_NOMEM',
  'SQLITE_NOTADB',
  'SQLITE_PROTOCOL',
  'SQLITE_READONLY',
]);

const STORE_CODES = new Set([
  'COMMIT_NOT_CONFIRMED',
  'STORE_AWAY',
  'STORE_BUSY',
  'STORE_CLOSED',
  'TRANSACTION_TIMEOUT',
]);

const NETWORK_CODES = new Set([
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]);

/** Classes of SQLSTATE: connection exception, insufficient resources (disk full, too many connections). */
const SQL_STATE_CLASSES = new Set(['08', '53']);

const SQL_STATES = new Set([
  '25006', // read-only transaction: the server has become a standby
  '25P03', // idle-in-transaction timeout
  '25P04', // transaction timeout
  '55P03', // lock not available
  '57014', // statement timeout
  '57P01', // shutdown by the administrator
  '57P02', // shutdown after a crash
  '57P03', // cannot connect now
  '57P04', // database dropped
  '57P05', // idle-session timeout
  '58000', // system error
  '58030', // IO error
]);

/** The pg driver gives its own errors no code; a test compares this list with the driver's source. */
export const DRIVER_MESSAGES = new Map([
  ['timeout expired', '08001'],
  ['timeout exceeded when trying to connect', '08001'],
  ['Connection terminated due to connection timeout', '08001'],
  ['Cannot use a pool after calling end on the pool', '08003'],
  ['Client was closed and is not queryable', '08003'],
  ['Client has encountered a connection error and is not queryable', '08003'],
  ['Connection terminated', '08006'],
  ['Connection terminated unexpectedly', '08006'],
  ['Query read timeout', '08006'],
]);

/** The engine's code without the details of SQLite's extended codes. */
function codeOf(error: unknown): string {
  const { code, message } = engineError(error);
  if (typeof code === 'string') return /^SQLITE_[A-Z]+/.exec(code)?.[0] ?? code;
  return (typeof message === 'string' && DRIVER_MESSAGES.get(message)) || '';
}

/** True when the database cannot serve now but the request itself was fine: full, locked, away, too many waiting. */
export function isUnavailable(error: unknown): boolean {
  const code = codeOf(error);
  return (
    SQLITE_FAILURES.has(code) ||
    STORE_CODES.has(code) ||
    NETWORK_CODES.has(code) ||
    SQL_STATES.has(code) ||
    (code.length === 5 && SQL_STATE_CLASSES.has(code.slice(0, 2)))
  );
}
