import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { Kysely, SqliteDialect, sql } from 'kysely';
import { directDatabase } from './boot.ts';

test('a transaction that the engine gave up reports the full disk, not its own rollback (N34)', async () => {
  const database = new Database(':memory:');
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database: directDatabase(database) }) });
  await sql`create table rows (text text)`.execute(db);
  database.run('pragma max_page_count = 5');
  const filling = db.transaction().execute(async (transaction) => {
    for (;;) await sql`insert into rows values (${'x'.repeat(4000)})`.execute(transaction);
  });
  expect(await filling.catch((error: unknown) => error)).toMatchObject({ code: 'SQLITE_FULL' });
  // The connection is still good.
  const { rows } = await sql<{ count: number }>`select count(*) as count from rows`.execute(db);
  expect(rows).toEqual([{ count: 0 }]);
  await db.destroy();
});
