// Migrated databases that tests copy, made once for all test processes: a migration takes ten times as long as a copy.
// Their names contain a digest of the migrations, so that changed ones make another template, and the day, because
// PostgreSQL's log has a partition for each day. Tables of the money count their ids from numbers of their own: a test
// notices code that takes the id of a token for that of its user.
import { Database } from 'bun:sqlite';
import { createHash, randomBytes } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Kysely, PostgresDialect } from 'kysely';
import { Client, Pool } from 'pg';
import { migrate } from '#server/platform/store/migrations/migrate.ts';
import { makeLogPartitions } from '#server/platform/store/postgres/log-partitions.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import { openStore } from '#server/platform/store/store.ts';

/** The writer thread of the application. */
export const applicationWriter = new URL('../../server/app/writer.ts', import.meta.url);

const storeFolder = fileURLToPath(new URL('../../server/platform/store/', import.meta.url));

function templateName(): string {
  const digest = createHash('sha256').update(new Date().toISOString().slice(0, 10));
  digest.update(readFileSync(fileURLToPath(import.meta.url)));
  for (const name of readdirSync(storeFolder, { recursive: true }).map(String).toSorted())
    if (name.endsWith('.ts')) digest.update(readFileSync(join(storeFolder, name)));
  return `template_${digest.digest('hex').slice(0, 16)}`;
}

const files = ['tollgate.db', 'master.key'];

/** The last id that each of these tables has given out, as far as its database knows. The other tables begin with 1. */
const lastIds = {
  tokens: 1000,
  orders: 2000,
  refunds: 3000,
  disputes: 4000,
  plans: 5000,
  subscriptions: 6000,
  redemptions: 7000,
  dividends: 8000,
  withdrawals: 9000,
};

/** The id of the row that was the first, second … to be added to the table. */
export const nthId = (table: keyof typeof lastIds, place: number): number => lastIds[table] + place;

function spreadSqliteIds(file: string): void {
  using database = new Database(file, { strict: true });
  const keep = database.query('insert into sqlite_sequence (name, seq) values ($name, $seq)');
  for (const [name, seq] of Object.entries(lastIds)) keep.run({ name, seq });
}

/** Copies a migrated database without rows, and its key, into the directory. */
export async function copySqliteTemplate(dataDir: string): Promise<void> {
  const template = await sqliteTemplate();
  for (const name of files) copyFileSync(join(template, name), join(dataDir, name));
}

let directory: Promise<string> | undefined;

function sqliteTemplate(): Promise<string> {
  directory ??= (async () => {
    const place = join(tmpdir(), `tollgate-${templateName()}`);
    if (existsSync(place)) return place;
    const made = mkdtempSync(join(tmpdir(), 'tollgate-new-template-'));
    const store = await openStore({ dataDir: made, writerEntry: applicationWriter });
    await store.close();
    spreadSqliteIds(join(made, 'tollgate.db'));
    const kept = join(made, 'kept');
    mkdirSync(kept);
    for (const name of files) copyFileSync(join(made, name), join(kept, name));
    try {
      renameSync(kept, place);
    } catch (error) {
      // Another process was first.
      if (!existsSync(place)) throw error;
    }
    rmSync(made, { recursive: true, force: true });
    return place;
  })();
  return directory;
}

let database: Promise<string> | undefined;

/** The name of a migrated database on the server, to be copied with `create database … template …`. */
export function postgresTemplate(serverUrl: string): Promise<string> {
  database ??= (async () => {
    const client = new Client({ connectionString: serverUrl });
    await client.connect();
    try {
      // Processes that start together wait for the first one.
      await client.query('select pg_advisory_lock(7481)');
      const name = templateName();
      const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
      if (rowCount === 0) {
        const making = `making_${randomBytes(8).toString('hex')}`;
        await client.query(`create database ${making} template template0`);
        await fill(Object.assign(new URL(serverUrl), { pathname: `/${making}` }).href);
        await client.query(`alter database ${making} rename to ${name}`);
      }
      return name;
    } finally {
      await client.end();
    }
  })();
  return database;
}

async function fill(connectionString: string): Promise<void> {
  const pool = new Pool({ connectionString, max: 1 });
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  await migrate(db, 'postgres');
  await makeLogPartitions(db);
  await spreadPostgresIds(pool);
  await db.destroy();
}

async function spreadPostgresIds(pool: Pool): Promise<void> {
  for (const [table, lastId] of Object.entries(lastIds))
    await pool.query("select setval(pg_get_serial_sequence($1, 'id'), $2)", [table, lastId]);
}
