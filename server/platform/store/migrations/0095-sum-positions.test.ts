// An installation with sums goes on where each of them was, also when a node counts spending during the migration.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { Kysely, PostgresDialect, sql, SqliteDialect } from 'kysely';
import { Pool } from 'pg';
import { directDatabase } from '#server/platform/store/sqlite/boot.ts';
import { openWritable } from '#server/platform/store/sqlite/connection.ts';
import { databaseLabels, temporaryPlace, type TemporaryPlace } from '#tests/support/databases.ts';
import { sumPositions } from './0095-sum-positions.ts';
import { migrations } from './index.ts';
import { migrate } from './migrate.ts';
import type { MigrationDatabase } from './migration.ts';

// A database server may have to start first, on a busy machine.
setDefaultTimeout(30_000);

const before = migrations.slice(0, migrations.indexOf(sumPositions));

for (const label of databaseLabels) {
  describe(label, () => {
    let place: TemporaryPlace;
    let db: MigrationDatabase;
    const opened = () =>
      new Kysely<Record<string, Record<string, unknown>>>({
        dialect:
          label === 'sqlite'
            ? new SqliteDialect({ database: directDatabase(openWritable(join(place.dataDir, 'old.db'))) })
            : new PostgresDialect({ pool: new Pool({ connectionString: place.databaseUrl, max: 1 }) }),
      });
    beforeEach(async () => {
      place = await temporaryPlace(label, { bare: true });
      db = opened();
      await migrate(db, label, { migrations: before });
    });
    afterEach(async () => {
      await db.destroy();
      await place.remove();
    });

    const up = () => migrate(db, label, { migrations: [...before, sumPositions] });
    const positions = async () => {
      const { rows } = await sql<{ name: string; position: number | string }>`
        select name, position from usage_positions`.execute(db);
      return Object.fromEntries(rows.map(({ name, position }) => [name, Number(position)]));
    };

    test('a new installation begins with the first row', async () => {
      await up();
      expect(await positions()).toEqual({ cells: 0, costs: 0, dividends: 0, rollup: 0 });
    });

    test('each sum keeps its position; sums of a user are not those of all', async () => {
      await sql`update usage_positions set position = case name when 'cells' then 70 else 172800 end`.execute(
        db,
      );
      await sql`update dividend_position set through_id = 41`.execute(db);
      const figures = { count: 1, error_count: 0, quota: 1, prompt_tokens: 0, completion_tokens: 0 };
      for (const [scope, key, hour] of [
        [0, '', 7200],
        [0, '', 10_800],
        [1, '', 36_000],
        [1, '5', 36_000],
      ])
        await db
          .insertInto('usage_rollup')
          .values({ scope, key, hour, ...figures })
          .execute();
      await up();
      expect(await positions()).toEqual({ cells: 70, costs: 172_800, dividends: 41, rollup: 14_400 });
    });

    test.if(label === 'postgres')('spending that a node is counting is not counted again', async () => {
      const node = opened();
      const [begun, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const counting = node.transaction().execute(async (transaction) => {
        await sql`update dividend_position set through_id = 99`.execute(transaction);
        begun.resolve();
        await mayEnd.promise;
      });
      await begun.promise;
      const migrated = up();
      await Bun.sleep(300);
      mayEnd.resolve();
      await Promise.all([counting, migrated]);
      await node.destroy();
      expect((await positions())['dividends']).toBe(99);
    });
  });
}
