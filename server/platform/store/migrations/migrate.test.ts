// Migrations on both databases: all of them, once, in order, each whole or not at all.
import { Database } from 'bun:sqlite';
import { afterEach, describe, expect, test } from 'bun:test';
import { failure } from '#tests/support/failure.ts';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { Pool } from 'pg';
import type { Schema } from '#server/platform/store/schema.ts';
import { prepareDatabase } from '#server/platform/store/sqlite/boot.ts';
import { databaseFile } from '#server/platform/store/sqlite/open.ts';
import { temporaryPlace, type DatabaseLabel, type TemporaryPlace } from '#tests/support/databases.ts';
import { migrations } from './index.ts';
import { migrate } from './migrate.ts';
import { TableMaker, type Migration } from './migration.ts';

function table(number: number, name: string): Migration {
  return {
    name: `900${number}-${name}`,
    up: (db, dialect) => new TableMaker(db, dialect, name).id().text('note').create(),
  };
}

const half: Migration = {
  name: '9002-half',
  async up(db, dialect) {
    await new TableMaker(db, dialect, 'half').id().create();
    await sql`select * from no_such_table`.execute(db);
  },
};

for (const label of ['sqlite', 'postgres'] as const satisfies readonly DatabaseLabel[]) {
  describe(label, () => {
    let place: TemporaryPlace;
    let db: Kysely<Schema>;
    let close: () => Promise<void>;

    /** Of a migrated database, or an empty one. */
    async function begin({ bare = false } = {}): Promise<void> {
      place = await temporaryPlace(label, { bare });
      if (label === 'postgres') {
        db = connect(place.databaseUrl);
        close = () => db.destroy();
        return;
      }
      // The boot's own connection, kept open until the test is over.
      const opened = Promise.withResolvers<Kysely<Schema>>();
      const done = Promise.withResolvers<void>();
      const booted = prepareDatabase(databaseFile(place.dataDir), (direct) => {
        opened.resolve(direct);
        return done.promise;
      });
      db = await opened.promise;
      close = async () => {
        done.resolve();
        await booted;
      };
    }

    afterEach(async () => {
      await close();
      await place.remove();
    });

    const names = migrations.map(({ name }) => name);
    const tables = async () => (await db.introspection.getTables()).map(({ name }) => name);

    test('a new database gets every migration in order, the next start none', async () => {
      await begin({ bare: true });
      // The boot of SQLite has just migrated.
      expect(await migrate(db, label)).toEqual(label === 'sqlite' ? [] : names);
      expect(await migrate(db, label)).toEqual([]);
      expect(await tables()).toContain('ledger');
    });

    test('a new migration runs once, on top of the old ones', async () => {
      await begin();
      const longer = { migrations: [...migrations, table(1, 'pets')] };
      expect(await migrate(db, label, longer)).toEqual(['9001-pets']);
      expect(await migrate(db, label, longer)).toEqual([]);
      expect(await tables()).toContain('pets');
    });

    test('a migration that fails leaves nothing of itself and keeps those before it', async () => {
      await begin();
      const list = [...migrations, table(1, 'pets'), half];
      expect((await failure(migrate(db, label, { migrations: list }))).message).toContain('no_such_table');
      expect(await tables()).toContain('pets');
      expect(await tables()).not.toContain('half');
      const repaired = [...migrations, table(1, 'pets'), { ...table(2, 'half'), name: '9002-half' }];
      expect(await migrate(db, label, { migrations: repaired })).toEqual(['9002-half']);
      expect(await tables()).toContain('half');
    });

    test('a database of a newer release is refused in words', async () => {
      await begin();
      await migrate(db, label, { migrations: [...migrations, table(1, 'pets')] });
      expect((await failure(migrate(db, label))).message).toContain(
        'newer version of Tollgate (9001-pets is unknown here)',
      );
    });

    test('every table has exactly the columns its type names', async () => {
      await begin();
      const found = new Map(
        (await db.introspection.getTables()).map((table) => [
          table.name,
          table.columns.map(({ name }) => name),
        ]),
      );
      const typed = typedColumns();
      expect(typed.size).toBeGreaterThan(20);
      for (const [table, columns] of typed) expect(found.get(table)?.toSorted()).toEqual(columns.toSorted());
    });
  });
}

test('postgres: simultaneous starts wait for each other and migrate once', async () => {
  const place = await temporaryPlace('postgres', { bare: true });
  const nodes = Array.from({ length: 4 }, () => connect(place.databaseUrl));
  const ran = await Promise.all(nodes.map((node) => migrate(node, 'postgres')));
  expect(ran.flat()).toEqual(migrations.map(({ name }) => name));
  await Promise.all(nodes.map((node) => node.destroy()));
  await place.remove();
});

test('the numbers of the migrations rise and their names are unique', () => {
  const names = migrations.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)].toSorted());
  for (const name of names) expect(name).toMatch(/^\d{4}-[a-z-]+$/);
});

test('sqlite: integer columns refuse text, as on PostgreSQL', async () => {
  const place = await temporaryPlace('sqlite');
  const file = join(place.dataDir, 'test.db');
  await prepareDatabase(file, async () => {});
  const database = new Database(file);
  const loose = database
    .prepare(
      "select name from pragma_table_list where schema = 'main' and strict = 0 and name not like 'sqlite%'",
    )
    .values();
  expect(loose.flat()).toEqual(['migrations']);
  database.close();
  await place.remove();
});

function connect(connectionString: string | undefined): Kysely<Schema> {
  return new Kysely<Schema>({
    dialect: new PostgresDialect({ pool: new Pool({ connectionString, max: 1 }) }),
  });
}

/** The tables and columns of the schema types, read from their text. */
function typedColumns(): Map<string, string[]> {
  const folder = join(import.meta.dir, '..');
  const schema = readFileSync(join(folder, 'schema.ts'), 'utf8');
  const sources = readdirSync(join(folder, 'tables')).map((file) =>
    readFileSync(join(folder, 'tables', file), 'utf8'),
  );
  const interfaces = new Map(
    [...sources.join('\n').matchAll(/export interface (\w+Table) \{\n([^}]*)\}/g)].map(([, name, body]) => [
      name,
      [...(body ?? '').matchAll(/^ {2}(\w+):/gm)].map(([, column]) => column ?? ''),
    ]),
  );
  const tables = [...schema.matchAll(/^ {2}(\w+): (\w+Table);$/gm)];
  return new Map(tables.map(([, table, type]) => [table ?? '', interfaces.get(type) ?? []]));
}
