// Both tables as they were before, with rows in them: nothing but the way of numbering changes.
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { Kysely, sql, SqliteDialect } from 'kysely';
import { directDatabase } from '#server/platform/store/sqlite/boot.ts';
import { openWritable } from '#server/platform/store/sqlite/connection.ts';
import { failure } from '#tests/support/failure.ts';
import { temporaryPlace } from '#tests/support/databases.ts';
import { plainRowNumbers } from './0038-plain-row-numbers.ts';
import { migrations } from './index.ts';
import { migrate } from './migrate.ts';
import type { MigrationDatabase } from './migration.ts';

const before = migrations.slice(0, migrations.indexOf(plainRowNumbers));

const entry = (idem: string) => ({
  idem,
  created_at: 7,
  debit_account: 'user:1',
  credit_account: 'income',
  amount: 5,
  kind: 'use',
});

const parts = async (db: MigrationDatabase) => {
  const { rows } = await sql<{ sql: string }>`
    select sql from sqlite_schema where tbl_name in ('ledger', 'logs') and type <> 'table' and sql is not null
    order by name`.execute(db);
  return rows;
};

test('rows, indexes and triggers stay, and numbers go on where they were', async () => {
  const place = await temporaryPlace('sqlite', { bare: true });
  const database = directDatabase(openWritable(join(place.dataDir, 'old.db')));
  const db: MigrationDatabase = new Kysely({ dialect: new SqliteDialect({ database }) });
  await migrate(db, 'sqlite', { migrations: before });
  await db
    .insertInto('ledger')
    .values([entry('a'), entry('b'), { ...entry('c'), id: 41 }])
    .execute();
  await db.insertInto('logs').values({ id: 9, created_at: 3, request_id: 'r', other: '{"a":1}' }).execute();
  const ledger = await db.selectFrom('ledger').selectAll().execute();
  const logs = await db.selectFrom('logs').selectAll().execute();
  const around = await parts(db);
  expect(around.length).toBeGreaterThan(8);

  expect(await migrate(db, 'sqlite', { migrations: [...before, plainRowNumbers] })).toEqual([
    plainRowNumbers.name,
  ]);

  expect(await db.selectFrom('ledger').selectAll().orderBy('id').execute()).toEqual(ledger);
  expect(await db.selectFrom('logs').selectAll().execute()).toEqual(logs);
  expect(await parts(db)).toEqual(around);
  const counted = await sql`select name from sqlite_sequence where name in ('ledger', 'logs')`.execute(db);
  expect(counted.rows).toEqual([]);

  await db.insertInto('ledger').values(entry('d')).execute();
  const last = await db.selectFrom('ledger').select('id').where('idem', '=', 'd').execute();
  expect(last).toEqual([{ id: 42 }]);
  expect((await failure(db.insertInto('ledger').values(entry('a')).execute())).message).toContain('UNIQUE');
  expect((await failure(db.deleteFrom('ledger').execute())).message).toContain('append-only');
  await db.destroy();
  await place.remove();
});
