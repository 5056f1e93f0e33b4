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

export class DatabaseUnreachableError extends Error {
  override name = 'DatabaseUnreachableError';
}

export class MasterKeyError extends Error {
  override name = 'MasterKeyError';
}

/** A transaction outlived its limit and was rolled back, so that it could not hold up billing. */
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

interface EngineError {
  code?: unknown;
  message?: unknown;
  constraint?: unknown;
  detail?: unknown;
}

const uniqueCodes = new Set([
  'SQLITE_CONSTRAINT_UNIQUE',
  'SQLITE_CONSTRAINT_PRIMARYKEY',
  'SQLITE_CONSTRAINT_ROWID',
  '23505',
]);
const checkCodes = new Set(['SQLITE_CONSTRAINT_CHECK', '23514']);

function engineError(error: unknown): EngineError {
  return typeof error === 'object' && error !== null ? error : {};
}

/** True when a row with the same unique value exists. With `column`, only when the violated index names that column. */
export function isUniqueViolation(error: unknown, column?: string): boolean {
  const { code, message, constraint, detail } = engineError(error);
  if (typeof code !== 'string' || !uniqueCodes.has(code)) return false;
  if (column === undefined) return true;
  return [message, constraint, detail].some((text) => typeof text === 'string' && text.includes(column));
}

export function isCheckViolation(error: unknown): boolean {
  const { code } = engineError(error);
  return typeof code === 'string' && checkCodes.has(code);
}

const unavailableCodes =
  /^(SQLITE_(BUSY|FULL|IOERR|LOCKED|READONLY|CANTOPEN)|STORE_|TRANSACTION_TIMEOUT|08|53|57P|55P03|57014)/;
const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EHOSTUNREACH',
]);

/** True when the database cannot serve now but the request itself was fine: full, locked, away, too many waiting. */
export function isUnavailable(error: unknown): boolean {
  const { code, message } = engineError(error);
  if (typeof code === 'string') return unavailableCodes.test(code) || networkCodes.has(code);
  // The pg driver reports lost connections and its own timeouts without a code.
  return (
    typeof message === 'string' &&
    /^(Connection terminated|timeout (exceeded|expired)|Query read timeout|Client has encountered)/.test(
      message,
    )
  );
}
