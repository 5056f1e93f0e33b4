// Hours of organizations that were there before get the durations of their log rows; those of nobody's rows stay 0.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { Kysely, PostgresDialect, sql, SqliteDialect } from 'kysely';
import { Pool } from 'pg';
import { directDatabase } from '#server/platform/store/sqlite/boot.ts';
import { openWritable } from '#server/platform/store/sqlite/connection.ts';
import { databaseLabels, temporaryPlace, type TemporaryPlace } from '#tests/support/databases.ts';
import { holderDurations } from './0120-holder-durations.ts';
import { migrations } from './index.ts';
import { migrate } from './migrate.ts';
import type { MigrationDatabase } from './migration.ts';

// A database server may have to start first, on a busy machine.
setDefaultTimeout(30_000);

const before = migrations.slice(0, migrations.indexOf(holderDurations));
const [PERSON, ACME] = [5, 6];
const HOUR = 3600;
/** Numbers of PostgreSQL come as text here. */
const valuesOf = (row: unknown) =>
  Object.values(row as Record<string, string | number>).map((value) =>
    value === '' || Number.isNaN(Number(value)) ? value : Number(value),
  );

for (const label of databaseLabels) {
  describe(label, () => {
    let place: TemporaryPlace;
    let db: MigrationDatabase;
    beforeEach(async () => {
      place = await temporaryPlace(label, { bare: true });
      db = new Kysely<Record<string, Record<string, unknown>>>({
        dialect:
          label === 'sqlite'
            ? new SqliteDialect({ database: directDatabase(openWritable(join(place.dataDir, 'old.db'))) })
            : new PostgresDialect({ pool: new Pool({ connectionString: place.databaseUrl, max: 1 }) }),
      });
      await migrate(db, label, { migrations: before });
      for (const [id, username] of [
        [PERSON, 'ann'],
        [ACME, '@acme'],
      ])
        await db
          .insertInto('users')
          .values({ id, username, aff_code: `code ${id}` })
          .execute();
      await db
        .insertInto('organizations')
        .values({ id: ACME, name: 'acme', created_by: PERSON, created_at: 1 })
        .execute();
    });
    afterEach(async () => {
      await db.destroy();
      await place.remove();
    });

    const holder = { user_id: ACME, member_id: 31, service_account_id: 0, project_id: 41, token_id: 3 };
    const hour = (more: object) => ({
      ...holder,
      model_name: 'm',
      tag_key: '',
      tag_value: '',
      hour: HOUR,
      ...more,
    });
    const call = (more: object) => ({ ...holder, model_name: 'm', type: 2, created_at: HOUR + 7, ...more });

    test('each hour has what its rows say, whole calls only', async () => {
      await db
        .insertInto('holder_hours')
        .values([
          hour({}),
          hour({ tag_key: 'team', tag_value: 'red' }),
          hour({ hour: 2 * HOUR }),
          hour({ member_id: 32 }),
          hour({ token_id: 4 }),
          hour({ model_name: 'cleaned' }),
        ])
        .execute();
      await db
        .insertInto('logs')
        .values(
          [
            call({ other: '{"use_ms":1200,"frt":300}' }),
            call({ other: '{"use_ms":30,"frt":-1000}' }),
            // As rows of other gateways and of failures are.
            call({ type: 5, use_time: 4, other: '' }),
            call({ created_at: 2 * HOUR, other: '{"use_ms":500,"frt":50}' }),
            call({ member_id: 32, other: '{"use_ms":7,"frt":6}' }),
            call({ token_id: 4, use_time: 2, other: '{"frt":9}' }),
            call({ type: 3, use_time: 1000, other: '' }),
            call({ user_id: PERSON, other: '{"use_ms":90000,"frt":9000}' }),
          ].map((row) => ({ use_time: 0, ...row })),
        )
        .execute();
      await migrate(db, label, { migrations: [...before, holderDurations] });
      const { rows } =
        await sql`select tag_key, hour, member_id, token_id, model_name, use_time_ms, first_token_ms
        from holder_hours order by 1, 2, 3, 4, 5`.execute(db);
      expect(rows.map(valuesOf)).toEqual([
        ['', HOUR, 31, 3, 'cleaned', 0, 0],
        ['', HOUR, 31, 3, 'm', 5230, 300],
        ['', HOUR, 31, 4, 'm', 2000, 9],
        ['', HOUR, 32, 3, 'm', 7, 6],
        ['', 2 * HOUR, 31, 3, 'm', 500, 50],
        ['team', HOUR, 31, 3, 'm', 0, 0],
      ]);
    });
  });
}
