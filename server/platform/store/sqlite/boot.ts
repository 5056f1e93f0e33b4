// What happens to the SQLite file before any thread opens it: version, damage check, migrations. It runs on the main
// thread, because nothing is served yet.
import type { Database, Statement } from 'bun:sqlite';
import { statSync } from 'node:fs';
import { Kysely, SqliteDialect, type SqliteDatabase, type SqliteStatement } from 'kysely';
import { DatabaseCorruptError } from '#server/platform/store/errors.ts';
import { migrate } from '#server/platform/store/migrations/migrate.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import { assertSqliteVersion, openWritable } from './connection.ts';

/** Up to this size the whole file is checked; beyond it a check would cost more seconds than a start may take. */
const FULL_CHECK_LIMIT_BYTES = 256 * 1024 * 1024;

/** Of a larger file, the tables without which nothing can be billed. */
const ESSENTIAL_TABLES = [
  'users',
  'tokens',
  'channels',
  'options',
  'holds',
  'orders',
  'redemptions',
  'sessions',
];

/** Opens the file alone, makes it current, and gives the caller a plain connection for what else a boot must do. */
export async function prepareDatabase<T>(file: string, use: (db: Kysely<Schema>) => Promise<T>): Promise<T> {
  const database = openChecked(file);
  const db = new Kysely<Schema>({ dialect: new SqliteDialect({ database: directDatabase(database) }) });
  try {
    await migrate(db, 'sqlite');
    return await use(db);
  } finally {
    await db.destroy();
  }
}

function openChecked(file: string): Database {
  let database: Database | undefined;
  try {
    database = openWritable(file);
    assertSqliteVersion(String(values(database, 'select sqlite_version()')[0]));
    const findings = damage(database, file);
    if (findings !== '') throw new DatabaseCorruptError(file, findings);
    return database;
  } catch (error) {
    database?.close();
    if (isDamage(error)) throw new DatabaseCorruptError(file, (error as Error).message);
    throw error;
  }
}

function damage(database: Database, file: string): string {
  const checks =
    statSync(file).size <= FULL_CHECK_LIMIT_BYTES ? ['PRAGMA quick_check(5)'] : tableChecks(database);
  const findings = checks.flatMap((check) => values(database, check)).map(String);
  return findings
    .filter((finding) => finding !== 'ok')
    .join('; ')
    .slice(0, 500);
}

function tableChecks(database: Database): string[] {
  const present = values(database, "select name from sqlite_schema where type = 'table'");
  return ESSENTIAL_TABLES.filter((table) => present.includes(table)).map(
    (table) => `PRAGMA quick_check('${table}')`,
  );
}

/** The first column of what a query finds. */
function values(database: Database, text: string): unknown[] {
  const statement = database.prepare(text);
  try {
    return statement.values().map(([first]) => first);
  } finally {
    statement.finalize();
  }
}

function isDamage(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^SQLITE_(CORRUPT|NOTADB)/.test(String(error.code));
}

const nothingToDo: SqliteStatement = {
  reader: false,
  all: () => [],
  run: () => ({ changes: 0, lastInsertRowid: 0 }),
  iterate: () => [].values(),
};

/** Kysely's own SQLite dialect expects better-sqlite3; bun:sqlite differs only in how it marks a reading statement. */
export function directDatabase(database: Database): SqliteDatabase {
  const prepared: Statement[] = [];
  return {
    close() {
      // A connection with living statements stays open behind the scenes and keeps the write-ahead log from being folded in.
      for (const statement of prepared) statement.finalize();
      database.close();
    },
    prepare(text) {
      // SQLITE_FULL and SQLITE_IOERR have already rolled back; a second rollback would hide the first error.
      if (text === 'rollback' && !database.inTransaction) return nothingToDo;
      const statement = database.prepare(text);
      prepared.push(statement);
      return {
        reader: statement.columnNames.length > 0,
        all: (parameters) => statement.all(...(parameters as [])),
        run: (parameters) => statement.run(...(parameters as [])),
        iterate: (parameters) => statement.iterate(...(parameters as [])),
      };
    },
  };
}
