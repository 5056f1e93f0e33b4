// One SQLite connection as every thread opens it: pragmas, the version floor, and a bounded cache of prepared statements.
import { Database, type SQLQueryBindings, type Statement } from 'bun:sqlite';
import { DatabaseVersionError } from '#server/platform/store/errors.ts';
import type { StatementResult } from './protocol.ts';

/** Earlier versions carry a WAL-reset bug that can corrupt the file. */
const MINIMUM_VERSION = '3.51.3';

/** Long enough for a checkpoint or a backup of another process, short enough that callers get an answer. */
const BUSY_TIMEOUT_MS = 2000;

/** Queries with lists produce many texts; beyond this the oldest statement is finalised. */
const MAXIMUM_STATEMENTS = 400;

export function assertSqliteVersion(version: string): void {
  const numbers = version.split('.').map(Number);
  const floor = MINIMUM_VERSION.split('.').map(Number);
  for (let index = 0; index < floor.length; index++) {
    const difference = (numbers[index] ?? 0) - (floor[index] ?? 0);
    if (difference > 0) return;
    if (difference < 0) {
      throw new DatabaseVersionError(
        `SQLite ${version} is too old: Tollgate needs ${MINIMUM_VERSION} or newer.`,
      );
    }
  }
}

/** The log is synced at every commit: what was acknowledged survives a power cut. */
export const SYNC_EACH_COMMIT = 'PRAGMA synchronous = FULL';
/** The log is written but not synced; the next synced commit makes it durable. */
export const SYNC_LATER = 'PRAGMA synchronous = NORMAL';

export function openWritable(file: string): Database {
  const database = new Database(file, { create: true, readwrite: true });
  database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  database.run('PRAGMA journal_mode = WAL');
  database.run(SYNC_EACH_COMMIT);
  database.run('PRAGMA temp_store = MEMORY');
  database.run('PRAGMA cache_size = -4096');
  database.run('PRAGMA wal_autocheckpoint = 2000');
  database.run('PRAGMA journal_size_limit = 67108864');
  return database;
}

export function openReadOnly(file: string): Database {
  const database = new Database(file, { readonly: true });
  database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  database.run('PRAGMA query_only = ON');
  database.run('PRAGMA temp_store = MEMORY');
  database.run('PRAGMA cache_size = -32768');
  return database;
}

export interface Statements {
  /** The prepared statement of this text; prepared once. */
  statement(this: void, sql: string): Statement<unknown, SQLQueryBindings[]>;
  clear(): void;
}

export function statementCache(database: Database, limit = MAXIMUM_STATEMENTS): Statements {
  const cached = new Map<string, Statement<unknown, SQLQueryBindings[]>>();
  return {
    statement(sql) {
      const known = cached.get(sql);
      if (known !== undefined) return known;
      const prepared = database.prepare<unknown, SQLQueryBindings[]>(sql);
      if (cached.size >= limit) evictOldest(cached);
      cached.set(sql, prepared);
      return prepared;
    },
    clear() {
      for (const statement of cached.values()) statement.finalize();
      cached.clear();
    },
  };
}

function evictOldest(cached: Map<string, Statement<unknown, SQLQueryBindings[]>>): void {
  for (const [sql, statement] of cached) {
    statement.finalize();
    cached.delete(sql);
    return;
  }
}

/** Runs one statement of any kind; rows come from SELECT and RETURNING. */
export function runStatement(
  statements: Statements,
  sql: string,
  parameters: readonly unknown[],
): StatementResult {
  const statement = statements.statement(sql);
  const bindings = parameters as SQLQueryBindings[];
  if (statement.columnNames.length > 0) {
    const rows = statement.all(...bindings) as Record<string, unknown>[];
    return { rows, changes: rows.length, lastInsertRowid: 0 };
  }
  const { changes, lastInsertRowid } = statement.run(...bindings);
  return { rows: [], changes, lastInsertRowid: Number(lastInsertRowid) };
}
