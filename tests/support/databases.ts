// One test body on both databases: SQLite in a temporary directory, and PostgreSQL with a fresh database per store.
import { afterAll, afterEach, beforeEach, describe } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { Client, DatabaseError } from 'pg';
import { openStore, type Store, type StoreOptions } from '#server/platform/store/store.ts';
import { startPostgres } from './postgres.ts';
import { applicationWriter, copySqliteTemplate, postgresTemplate } from './templates.ts';

export { applicationWriter } from './templates.ts';

export type DatabaseLabel = 'sqlite' | 'postgres';

/** A store on its own database, or on an existing one given by `dataDir` or `databaseUrl`. */
export type OpenDatabase = (options?: Partial<StoreOptions>) => Promise<Store>;

const allLabels: readonly DatabaseLabel[] = ['sqlite', 'postgres'];

/** Both, or the one that the runner asks for where the database does not matter (TEST_DATABASES). */
export const databaseLabels = allLabels.filter((label) =>
  (process.env['TEST_DATABASES'] ?? label).split(',').includes(label),
);

let serverUrl: Promise<string> | undefined;

/** One server per test process, or the one of the test runner. */
function postgresUrl(): Promise<string> {
  const given = process.env['TEST_POSTGRES_URL'];
  if (given !== undefined && given !== '') return Promise.resolve(given);
  serverUrl ??= startPostgres().then((server) => server.url);
  return serverUrl;
}

let administrator: Promise<Client> | undefined;

/** One connection for the whole process: a database is made and dropped for most tests. */
function connectAdministrator(): Promise<Client> {
  administrator ??= postgresUrl().then(async (connectionString) => {
    const client = new Client({ connectionString });
    // The next query connects again.
    client.on('error', () => (administrator = undefined));
    await client.connect();
    return client;
  });
  return administrator;
}

async function administer(text: string): Promise<void> {
  const client = await connectAdministrator();
  await client.query(text);
}

/**
 * A client that is being closed reports it as an error when its connection is cut, so connections get a moment to end; those of a
 * killed process do not end by themselves.
 */
async function dropDatabase(name: string): Promise<void> {
  for (let tries = 0; tries < 20; tries += 1) {
    const isDropped = await administer(`drop database ${name}`).then(
      () => true,
      (error: unknown) => {
        if (error instanceof DatabaseError && error.code === '55006') return false;
        throw error;
      },
    );
    if (isDropped) return;
    await Bun.sleep(50);
  }
  await administer(`drop database ${name} with (force)`);
}

async function databaseUrlOf(name: string): Promise<string> {
  return Object.assign(new URL(await postgresUrl()), { pathname: `/${name}` }).href;
}

export interface TemporaryPlace {
  dataDir: string;
  databaseUrl?: string | undefined;
  remove(this: void): Promise<void>;
}

/** The location of one store: a database without rows, or with `bare` an empty directory and a database without tables. */
export async function temporaryPlace(label: DatabaseLabel, { bare = false } = {}): Promise<TemporaryPlace> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-test-'));
  const removeDirectory = () => rmSync(dataDir, { recursive: true, force: true });
  if (label === 'sqlite') {
    if (!bare) await copySqliteTemplate(dataDir);
    return { dataDir, remove: async () => removeDirectory() };
  }
  const name = `test_${randomBytes(8).toString('hex')}`;
  const template = bare ? 'template0' : await postgresTemplate(await postgresUrl());
  // Copying the files takes a third of the CPU of writing them through the log.
  await administer(`create database ${name} template ${template} strategy file_copy`);
  return {
    dataDir,
    databaseUrl: await databaseUrlOf(name),
    async remove() {
      removeDirectory();
      await dropDatabase(name);
    },
  };
}

/** After a kill PostgreSQL ends the transactions of the lost client when it notices the loss. */
export async function backendIsGone(store: Store): Promise<void> {
  if (store.dialect === 'sqlite') return;
  for (;;) {
    const { rows } = await sql`select 1 from pg_stat_activity
      where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`.execute(store.db);
    if (rows.length === 0) return;
    await Bun.sleep(100);
  }
}

/** Opens stores; closes them and removes their files. */
export function databaseSource(label: DatabaseLabel): {
  open: OpenDatabase;
  closeAll(this: void): Promise<void>;
} {
  const opened: (() => Promise<void>)[] = [];
  return {
    async open(options = {}) {
      const { dataDir, databaseUrl, ...rest } = options;
      const place = dataDir === undefined ? await temporaryPlace(label) : undefined;
      const store = await openStore({
        writerEntry: applicationWriter,
        ...rest,
        dataDir: place?.dataDir ?? dataDir ?? '',
        databaseUrl: place?.databaseUrl ?? databaseUrl,
      });
      opened.push(async () => {
        await store.close();
        await place?.remove();
      });
      return store;
    },
    async closeAll() {
      for (const close of opened.splice(0).toReversed()) await close();
    },
  };
}

/**
 * Runs the body once per database. A store opened inside a test (or a beforeEach) is closed after that test; one opened
 * in a beforeAll lives until the body's tests are done.
 */
export function forEachDatabase(body: (label: DatabaseLabel, open: OpenDatabase) => void): void {
  for (const label of databaseLabels) {
    describe(label, () => {
      const forAll = databaseSource(label);
      const forOne = databaseSource(label);
      let insideTest = false;
      beforeEach(() => {
        insideTest = true;
      });
      afterEach(async () => {
        insideTest = false;
        await forOne.closeAll();
      });
      afterAll(() => forAll.closeAll());
      body(label, (options) => (insideTest ? forOne : forAll).open(options));
    });
  }
}
