import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { DatabaseError, DRIVER_MESSAGES, isUnavailable, StoreBusyError, StoreClosedError } from './errors.ts';

const withCode = (code: string) => new DatabaseError('message', code);

describe('a database that cannot serve now is recognised by the code of its error', () => {
  test('SQLite: the primary code, with or without details', () => {
    for (const code of ['SQLITE_BUSY', 'SQLITE_BUSY_SNAPSHOT', 'SQLITE_FULL', 'SQLITE_IOERR_FSYNC'])
      expect(isUnavailable(withCode(code))).toBe(true);
    for (const code of ['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_ERROR', 'SQLITE_FULLER', 'SQLITE_MISUSE'])
      expect(isUnavailable(withCode(code))).toBe(false);
  });

  test('PostgreSQL: SQLSTATE', () => {
    for (const code of ['08006', '53100', '53300', '57P01', '57014', '25006', '58030', 'ECONNREFUSED'])
      expect(isUnavailable(withCode(code))).toBe(true);
    for (const code of ['23505', '40001', '42P01', '57P0', '5', '0800', '08006x', 'EACCES', ''])
      expect(isUnavailable(withCode(code))).toBe(false);
  });

  test('the store’s own errors', () => {
    for (const error of [new StoreBusyError(), new StoreClosedError()])
      expect(isUnavailable(error)).toBe(true);
  });

  test('a text decides only as one of the driver’s, word for word', () => {
    for (const text of DRIVER_MESSAGES.keys()) expect(isUnavailable(new Error(text))).toBe(true);
    for (const text of ['Connection terminated by the user’s wish', 'timeout', 'the database is away', ''])
      expect(isUnavailable(new Error(text))).toBe(false);
    for (const value of [undefined, null, 'Connection terminated', 5])
      expect(isUnavailable(value)).toBe(false);
  });

  test('the driver has these texts', () => {
    const sources = ['pg/lib/client.js', 'pg-pool/index.js'].map((path) =>
      readFileSync(new URL(`../../../node_modules/${path}`, import.meta.url), 'utf8'),
    );
    for (const text of DRIVER_MESSAGES.keys())
      expect(sources.some((source) => source.includes(`new Error('${text}'`))).toBe(true);
  });
});
