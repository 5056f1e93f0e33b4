// The ledger as it was before, with rows in it: nothing changes but that the record of a call may have the amount zero.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { Kysely, PostgresDialect, sql, SqliteDialect } from 'kysely';
import { Pool } from 'pg';
import { directDatabase } from '#server/platform/store/sqlite/boot.ts';
import { openWritable } from '#server/platform/store/sqlite/connection.ts';
import { failure } from '#tests/support/failure.ts';
import { temporaryPlace, type TemporaryPlace } from '#tests/support/databases.ts';
import { settlementRecords } from './0040-settlement-records.ts';
import { migrations } from './index.ts';
import { migrate } from './migrate.ts';
import { LARGEST_AMOUNT, type MigrationDatabase } from './migration.ts';

// A database server may have to start first, on a busy machine.
setDefaultTimeout(30_000);

const before = migrations.slice(0, migrations.indexOf(settlementRecords));

const entry = (idem: string, amount: number, kind = 'use') => ({
  idem,
  created_at: 7,
  user_id: 1,
  debit_account: 'user:1',
  credit_account: 'revenue',
  amount,
  kind,
});

for (const label of ['sqlite', 'postgres'] as const) {
  describe(label, () => {
    let place: TemporaryPlace;
    let db: MigrationDatabase;
    beforeEach(async () => {
      place = await temporaryPlace(label, { bare: true });
      const dialect =
        label === 'sqlite'
          ? new SqliteDialect({ database: directDatabase(openWritable(join(place.dataDir, 'old.db'))) })
          : new PostgresDialect({ pool: new Pool({ connectionString: place.databaseUrl, max: 1 }) });
      db = new Kysely({ dialect });
      await migrate(db, label, { migrations: before });
    });
    afterEach(async () => {
      await db.destroy();
      await place.remove();
    });

    const parts = async () => {
      const { rows } = await (
        label === 'sqlite'
          ? sql`select name, sql from sqlite_schema where tbl_name = 'ledger' and type <> 'table' order by name`
          : sql`select indexname as name, indexdef as sql from pg_indexes where tablename = 'ledger'
              union all select tgname, pg_get_triggerdef(oid) from pg_trigger where tgrelid = 'ledger'::regclass
              order by name`
      ).execute(db);
      return rows;
    };
    const insert = (row: ReturnType<typeof entry>) => db.insertInto('ledger').values(row).execute();
    const refusal = async (work: Promise<unknown>) => (await failure(work)).message.toLowerCase();

    test('rows, indexes and triggers stay; only the record of a call may have the amount zero', async () => {
      await insert(entry('old', 5));
      expect(await refusal(insert(entry('free', 0)))).toContain('check');
      const rows = await db.selectFrom('ledger').selectAll().execute();
      const around = await parts();
      expect(around.length).toBeGreaterThan(2);

      expect(await migrate(db, label, { migrations: [...before, settlementRecords] })).toEqual([
        settlementRecords.name,
      ]);

      expect(await db.selectFrom('ledger').selectAll().execute()).toEqual(rows);
      expect(await parts()).toEqual(around);
      await insert(entry('free', 0));
      expect(await refusal(insert(entry('free', 0)))).toContain('unique');
      for (const wrong of [entry('a', 0, 'admin'), entry('b', -1), entry('c', LARGEST_AMOUNT + 1)])
        expect(await refusal(insert(wrong))).toContain('check');
      expect(await refusal(db.deleteFrom('ledger').execute())).toContain('append-only');
      expect(await refusal(db.updateTable('ledger').set({ amount: 6 }).execute())).toContain('append-only');
    });
  });
}
