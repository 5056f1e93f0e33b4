// A process that uses a store until it is killed: `bun store-child.ts <what> <dataDir> [databaseUrl]`.
import { Kysely, PostgresDialect, SqliteDialect } from 'kysely';
import { Pool } from 'pg';
import { join } from 'node:path';
import { migrations } from '#server/platform/store/migrations/index.ts';
import { migrate } from '#server/platform/store/migrations/migrate.ts';
import { TableMaker, type Migration } from '#server/platform/store/migrations/migration.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import { directDatabase } from '#server/platform/store/sqlite/boot.ts';
import { openWritable } from '#server/platform/store/sqlite/connection.ts';
import { openStore } from '#server/platform/store/store.ts';

const [what, dataDir = '', databaseUrl] = process.argv.slice(2);

const die: Migration = {
  name: '9001-killed-half-way',
  async up(db, dialect) {
    await new TableMaker(db, dialect, 'half_a').id().create();
    process.kill(process.pid, 'SIGKILL');
    // The signal arrives while this waits; nothing of the migration may remain.
    await new Promise(() => {});
  },
};

/** The migration of that name is killed when its changes are made and not committed. */
const dyingIn = (name: string): Migration[] =>
  migrations.map((migration) =>
    migration.name === name
      ? {
          ...migration,
          async up(db, dialect) {
            await migration.up(db, dialect);
            process.kill(process.pid, 'SIGKILL');
            await new Promise(() => {});
          },
        }
      : migration,
  );

async function migrateWith(list: { migrations: readonly Migration[] }): Promise<void> {
  const dialect =
    databaseUrl === undefined
      ? new SqliteDialect({ database: directDatabase(openWritable(join(dataDir, 'tollgate.db'))) })
      : new PostgresDialect({ pool: new Pool({ connectionString: databaseUrl, max: 1 }) });
  await migrate(new Kysely<Schema>({ dialect }), databaseUrl === undefined ? 'sqlite' : 'postgres', list);
}

async function open() {
  const writerEntry = new URL('writer-entry.ts', import.meta.url);
  const store = await openStore({ dataDir, databaseUrl, writerEntry });
  // Collects unreferenced objects: the store must keep what it needs referenced.
  Bun.gc(true);
  process.stdout.write('open\n');
  return store;
}

/** Writes without pause and prints the key of each write after it was acknowledged. */
async function write(): Promise<void> {
  const store = await open();
  let next = 0;
  const writers = Array.from({ length: 16 }, async (_, writer) => {
    for (;;) {
      const key = `key-${process.pid}-${next++}`;
      if (writer % 4 === 0) {
        await store.db.transaction().execute(async (transaction) => {
          await transaction.insertInto('options').values({ key }).execute();
        });
      } else if (writer % 2 === 0 || store.dialect === 'postgres') {
        await store.db.insertInto('options').values({ key }).execute();
      } else {
        await store.writer.run('option.put', [key, '']);
      }
      process.stdout.write(`${key}\n`);
    }
  });
  await Promise.all(writers);
}

/** Drops the store and waits: only the process itself holds the directory's lock. */
async function hold(): Promise<void> {
  await open();
  setInterval(() => Bun.gc(true), 50);
}

if (what === 'migrate-and-die') await migrateWith({ migrations: [...migrations, die] });
else if (what?.startsWith('die-in '))
  await migrateWith({ migrations: dyingIn(what.slice('die-in '.length)) });
else if (what === 'write') await write();
else await hold();
