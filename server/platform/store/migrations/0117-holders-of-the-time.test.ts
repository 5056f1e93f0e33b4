// Cells by holder begin with the first call of an organization, also where reports have counted it before; refused calls get the holder
// that their key has at the upgrade.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { Kysely, PostgresDialect, sql, SqliteDialect } from 'kysely';
import { Pool } from 'pg';
import { directDatabase } from '#server/platform/store/sqlite/boot.ts';
import { openWritable } from '#server/platform/store/sqlite/connection.ts';
import { databaseLabels, temporaryPlace, type TemporaryPlace } from '#tests/support/databases.ts';
import { failure } from '#tests/support/failure.ts';
import { holdersOfTheTime } from './0117-holders-of-the-time.ts';
import { migrations } from './index.ts';
import { migrate } from './migrate.ts';
import type { MigrationDatabase } from './migration.ts';

// A database server may have to start first, on a busy machine.
setDefaultTimeout(30_000);

const before = migrations.slice(0, migrations.indexOf(holdersOfTheTime));
const [PERSON, ACME] = [5, 6];

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
      for (const id of [11, 12, 13, 14])
        await db
          .insertInto('logs')
          .values({ id, user_id: id === 13 ? ACME : PERSON, type: 2, created_at: 1 })
          .execute();
      await sql`update usage_positions set position = 14 where name = 'cells'`.execute(db);
    });
    afterEach(async () => {
      await db.destroy();
      await place.remove();
    });

    const up = () => migrate(db, label, { migrations: [...before, holdersOfTheTime] });
    async function position(): Promise<number> {
      const { rows } = await sql<{ position: number | string }>`
        select position from usage_positions where name = 'holder_cells'`.execute(db);
      return Number(rows[0]?.position);
    }
    const organization = () =>
      db
        .insertInto('organizations')
        .values({ id: ACME, name: 'acme', created_by: PERSON, created_at: 1 })
        .execute();

    test('without an organization there is nothing to sum again', async () => {
      await up();
      expect(await position()).toBe(14);
    });

    test('with one, from its first call on', async () => {
      await organization();
      await up();
      expect(await position()).toBe(12);
    });

    test('refused calls of organizations get the holder of today, others stay', async () => {
      await organization();
      for (const [id, user_id, member_id] of [
        [1, ACME, 31],
        [2, PERSON, 32],
      ])
        await db
          .insertInto('tokens')
          .values({ id, user_id, member_id, project_id: 41, service_account_id: 51, key_digest: `d${id}` })
          .execute();
      const refused = { minute: 60, code: 'x', group: 'default', model_name: 'm' };
      for (const [user_id, token_id] of [
        [ACME, 1],
        [ACME, 99],
        [PERSON, 2],
      ])
        await db
          .insertInto('refused_calls')
          .values({ ...refused, user_id, token_id })
          .execute();
      await up();
      const { rows } = await sql`select token_id, member_id, service_account_id, project_id
        from refused_calls order by token_id`.execute(db);
      const holders = rows.map((row) => Object.values(row as object).map(Number));
      expect(holders).toEqual([
        [1, 31, 51, 41],
        [2, 0, 0, 0],
        [99, 0, 0, 0],
      ]);
      const again = { ...refused, user_id: ACME, token_id: 1 };
      await db
        .insertInto('refused_calls')
        .values({ ...again, member_id: 32 })
        .execute();
      const twice = db
        .insertInto('refused_calls')
        .values({ ...again, member_id: 32 })
        .execute();
      expect(await failure(twice)).toBeInstanceOf(Error);
    });
  });
}
