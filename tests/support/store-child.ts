// A process that uses a store until it is killed: `bun store-child.ts <what> <dataDir> [databaseUrl]`.
import { Kysely, PostgresDialect } from 'kysely';
import { Pool } from 'pg';
import { join } from 'node:path';
import { migrations } from '#server/store/migrations/index.ts';
import { migrate } from '#server/store/migrations/migrate.ts';
import { TableMaker, type Migration } from '#server/store/migrations/migration.ts';
import type { Schema } from '#server/store/schema.ts';
import { prepareDatabase } from '#server/store/sqlite/boot.ts';
import { openStore } from '#server/store/store.ts';

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

async function migrateAndDie(): Promise<void> {
  const list = { migrations: [...migrations, die] };
  if (databaseUrl === undefined) {
    await prepareDatabase(join(dataDir, 'tollgate.db'), (db) => migrate(db, 'sqlite', list));
    return;
  }
  const pool = new Pool({ connectionString: databaseUrl, max: 1 });
  await migrate(new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) }), 'postgres', list);
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

if (what === 'migrate-and-die') await migrateAndDie();
else if (what === 'write') await write();
else await hold();
