// Kysely over the threads: where a query goes, what may be bound, and that a stuck transaction ends.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kysely, sql } from 'kysely';
import type { Schema } from '#server/platform/store/schema.ts';
import { failure } from '#tests/support/failure.ts';
import { copySqliteTemplate } from '#tests/support/templates.ts';
import { sqliteDialect } from './dialect.ts';
import { databaseFile } from './open.ts';
import type { Query } from './protocol.ts';
import { startReaders, type Readers } from './readers.ts';
import { startWriter, type WriterThread } from './writer.ts';

const entry = new URL('../../../../tests/support/writer-entry.ts', import.meta.url);
const limitMs = 150;

let directory: string;
let writer: WriterThread;
let readers: Readers;
let asked: string[];
/** Of the last statement. */
let tables: string[] | undefined;
let db: Kysely<Schema>;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'tollgate-dialect-'));
  await copySqliteTemplate(directory);
  const file = databaseFile(directory);
  writer = await startWriter(entry, file);
  readers = await startReaders(file, 1);
  asked = [];
  // The real threads, with a note of which of them was asked.
  const watched = {
    writer: {
      ...writer,
      lease: () => {
        asked.push('lease');
        return writer.lease(limitMs);
      },
      statement: (query: Query, named: ReadonlySet<string> | undefined) => {
        asked.push('writer');
        tables = named === undefined ? undefined : [...named];
        return writer.statement(query, named);
      },
    },
    readers: {
      ...readers,
      query: (text: string, parameters: readonly unknown[]) => {
        asked.push('reader');
        return readers.query(text, parameters);
      },
    },
  };
  db = new Kysely<Schema>({ dialect: sqliteDialect(watched) });
});

afterEach(async () => {
  await readers.close();
  await writer.close();
  rmSync(directory, { recursive: true, force: true });
});

test('reads go to a reader, single writes to the next batch, transactions to a lease', async () => {
  await db.selectFrom('options').selectAll().execute();
  await sql`select 1`.execute(db);
  await sql`  VALUES (1)`.execute(db);
  expect(asked).toEqual(['reader', 'reader', 'reader']);
  asked.length = 0;
  await db.insertInto('options').values({ key: 'a' }).execute();
  await db.updateTable('options').set({ value: 'x' }).returning('key').execute();
  await sql`with gone as (select 'zzz' as key) delete from options where key in (select key from gone)`.execute(
    db,
  );
  expect(asked).toEqual(['writer', 'writer', 'writer']);
  asked.length = 0;
  await db.transaction().execute(async (transaction) => {
    await transaction.selectFrom('options').selectAll().execute();
    await transaction.deleteFrom('options').execute();
  });
  expect(asked).toEqual(['lease']);
});

test('a write returns how many rows it changed, its rows and the new id', async () => {
  const values = [
    { username: 'a', aff_code: '1' },
    { username: 'b', aff_code: '2' },
  ];
  const inserted = await db.insertInto('users').values(values).executeTakeFirstOrThrow();
  expect(inserted).toMatchObject({ insertId: 2n, numInsertedOrUpdatedRows: 2n });
  const updated = await db.updateTable('users').set({ quota: 5 }).executeTakeFirstOrThrow();
  expect(updated.numUpdatedRows).toBe(2n);
  const missed = await db
    .updateTable('users')
    .set({ quota: 6 })
    .where('id', '=', 9)
    .executeTakeFirstOrThrow();
  expect(missed.numUpdatedRows).toBe(0n);
  const returned = await db.updateTable('users').set({ quota: 7 }).returning(['id', 'quota']).execute();
  expect(returned).toEqual([
    { id: 1, quota: 7 },
    { id: 2, quota: 7 },
  ]);
  const deleted = await db.deleteFrom('users').where('id', '=', 1).executeTakeFirstOrThrow();
  expect(deleted.numDeletedRows).toBe(1n);
});

describe('a bound value', () => {
  const echo = async (value: unknown) =>
    (await sql<{ value: unknown }>`select ${value} as value`.execute(db)).rows[0]?.value;

  test('arrives as it was; true, undefined and small bigints as SQLite knows them', async () => {
    for (const value of ['', 'a\0b', "O'Neil", '✓ 汉字', 0, -1.5, Number.MAX_SAFE_INTEGER, null]) {
      expect(await echo(value)).toBe(value);
    }
    expect(await echo(true)).toBe(1);
    expect(await echo(false)).toBe(0);
    expect(await echo(undefined)).toBeNull();
    expect(await echo(12n)).toBe(12);
  });

  test('that would be stored as something else is refused', async () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, 2n ** 60n]) {
      expect(await failure(echo(value))).toBeInstanceOf(RangeError);
    }
    for (const value of [{ a: 1 }, ['a'], new Date(), new Uint8Array(2)]) {
      expect(await failure(echo(value))).toBeInstanceOf(TypeError);
    }
  });
});

describe('a transaction that does not end', () => {
  test('because it waits for a write of its own database is rolled back at the limit; both get the reason', async () => {
    const outcomes: Promise<unknown>[] = [];
    const stuck = db.transaction().execute(async (transaction) => {
      await transaction.insertInto('options').values({ key: 'inside' }).execute();
      const outside = db.insertInto('options').values({ key: 'outside' }).execute();
      outcomes.push(outside);
      await outside;
      await transaction.insertInto('options').values({ key: 'late' }).execute();
    });
    expect(await failure(stuck)).toMatchObject({ code: 'TRANSACTION_TIMEOUT' });
    await Promise.all(outcomes);
    expect(await db.selectFrom('options').select('key').execute()).toEqual([{ key: 'outside' }]);
  });

  test('does not stop the procedures behind it', async () => {
    const hanging = db.startTransaction().execute();
    const transaction = await hanging;
    await transaction.insertInto('options').values({ key: 'mine' }).execute();
    expect(await writer.run<number>('option.put', ['billing', ''])).toBe(1);
    expect(await failure(transaction.commit().execute())).toMatchObject({ code: 'TRANSACTION_TIMEOUT' });
    expect(await db.selectFrom('options').select('key').execute()).toEqual([{ key: 'billing' }]);
  });
});

test('a single write names its tables, also those of subqueries; raw SQL names none', async () => {
  await db.insertInto('options').values({ key: 'users', value: 'holds' }).execute();
  expect(tables).toEqual(['options']);
  const holders = db.selectFrom('holds').select('user_id');
  await db.updateTable('tokens').set({ name: 'x' }).where('user_id', 'in', holders).execute();
  expect(tables?.toSorted()).toEqual(['holds', 'tokens']);
  await db.deleteFrom('mails').where('id', 'in', [1, 2]).execute();
  expect(tables).toEqual(['mails']);
  await sql`update users set quota = quota`.execute(db);
  expect(tables).toBeUndefined();
  await db
    .updateTable('options')
    .set({ value: sql<string>`(select count(*) from holds)` })
    .execute();
  expect(tables).toBeUndefined();
});

test('streaming is refused in words', async () => {
  const stream = async () => {
    for await (const row of db.selectFrom('options').selectAll().stream()) expect(row).toBeUndefined();
  };
  expect((await failure(stream())).message).toContain('read pages by id');
});
