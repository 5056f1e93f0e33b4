// Failures the store survives: kill -9, a second process, a damaged file, an unreachable server, a full file system.
import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { Client } from 'pg';
import {
  DatabaseCorruptError,
  DataDirectoryLockedError,
  isUnavailable,
} from '#server/platform/store/errors.ts';
import { assertSqliteVersion } from '#server/platform/store/sqlite/connection.ts';
import { migrations } from '#server/platform/store/migrations/index.ts';
import { databaseFile } from '#server/platform/store/sqlite/open.ts';
import { openStore, type Store } from '#server/platform/store/store.ts';
import { isLong } from '#tests/chaos/extent.ts';
import { forEachDatabase, temporaryPlace, type TemporaryPlace } from '#tests/support/databases.ts';
import { failure } from '#tests/support/failure.ts';
import { faultSeen } from '#tests/support/fault-report.ts';
import { startPostgres } from '#tests/support/postgres.ts';

const writerEntry = new URL('../../support/writer-entry.ts', import.meta.url);
const child = new URL('../../support/store-child.ts', import.meta.url).pathname;

function startChild(what: string, { dataDir, databaseUrl }: Omit<TemporaryPlace, 'remove'>) {
  const command = [
    process.execPath,
    child,
    what,
    dataDir,
    ...(databaseUrl === undefined ? [] : [databaseUrl]),
  ];
  return Bun.spawn(command, { stdout: 'pipe', stderr: 'inherit' });
}

async function readUntil(
  stream: ReadableStream<Uint8Array>,
  enough: (text: string) => boolean,
): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    if (enough(text)) break;
  }
  return text;
}

/** Lets the child write for a while, kills it, and returns every key whose write was acknowledged. */
async function acknowledgedBeforeKill(place: TemporaryPlace, runMs: number): Promise<string[]> {
  const writing = startChild('write', place);
  const killer = { timer: undefined as ReturnType<typeof setTimeout> | undefined };
  const text = await readUntil(writing.stdout, (soFar) => {
    if (soFar.split('key-').length > 20) killer.timer ??= setTimeout(() => writing.kill('SIGKILL'), runMs);
    return false;
  });
  clearTimeout(killer.timer);
  await writing.exited;
  expect(writing.signalCode).toBe('SIGKILL');
  // The kill cut a last line without a line end.
  return text
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.startsWith('key-'));
}

forEachDatabase((label, open) => {
  test('kill -9 under load, five times: every acknowledged write is there afterwards', async () => {
    const place = await temporaryPlace(label);
    const promised: string[] = [];
    for (let round = 0; round < 5; round++) {
      promised.push(...(await acknowledgedBeforeKill(place, 5 + round * 37)));
      const store = await open({ writerEntry, dataDir: place.dataDir, databaseUrl: place.databaseUrl });
      const rows = await store.db.selectFrom('options').select('key').execute();
      const kept = new Set(rows.map(({ key }) => key));
      expect(promised.filter((key) => !kept.has(key))).toEqual([]);
      expect(promised.length).toBeGreaterThanOrEqual(20 * (round + 1));
      await store.close();
    }
    await place.remove();
  }, 60_000);

  test('a migration killed half way leaves no change; the next start completes it', async () => {
    const place = await temporaryPlace(label, { bare: true });
    const migrating = startChild('migrate-and-die', place);
    await migrating.exited;
    expect(migrating.signalCode).toBe('SIGKILL');
    const store = await open({ writerEntry, dataDir: place.dataDir, databaseUrl: place.databaseUrl });
    const tables = (await store.db.introspection.getTables()).map(({ name }) => name);
    expect(tables).toContain('ledger');
    expect(tables).not.toContain('half_a');
    await store.close();
    await place.remove();
  }, 60_000);

  // A process for each migration: too long for `npm test`.
  test.skipIf(!isLong)(
    'killed in each migration in turn: the next start goes on from there (plan C15)',
    async () => {
      const place = await temporaryPlace(label, { bare: true });
      let killed = 0;
      for (const { name } of migrations) {
        const migrating = startChild(`die-in ${name}`, place);
        await migrating.exited;
        expect([name, migrating.signalCode]).toEqual([name, 'SIGKILL']);
        killed += 1;
      }
      const store = await open({ writerEntry, dataDir: place.dataDir, databaseUrl: place.databaseUrl });
      const { rows: applied } = await sql`select name from migrations`.execute(store.db);
      expect(applied).toHaveLength(migrations.length);
      faultSeen('C15', `${label}: killed in each of ${killed} migrations`);
      await store.close();
      await place.remove();
    },
    300_000,
  );
});

describe('the data directory', () => {
  let place: TemporaryPlace;
  beforeEach(async () => {
    place = await temporaryPlace('sqlite');
  });
  afterEach(() => place.remove());

  const openHere = (): Promise<Store> => openStore({ dataDir: place.dataDir, writerEntry });

  test('serves one process: the second gets an error with the directory and the pid; kill -9 frees it (plan C9)', async () => {
    const holder = startChild('hold', place);
    try {
      await readUntil(holder.stdout, (text) => text.includes('open\n'));
      // Time for the holder's garbage collector: an unreferenced store must keep its lock.
      await Bun.sleep(400);
      const error = await failure(openHere());
      expect(error).toBeInstanceOf(DataDirectoryLockedError);
      expect(error.message).toContain(place.dataDir);
      expect(error.message).toContain(`process ${holder.pid}`);
      faultSeen('C9', 'a second process on the data directory is refused');
    } finally {
      holder.kill('SIGKILL');
      await holder.exited;
    }
    const store = await openHere();
    expect(readFileSync(join(place.dataDir, 'server.pid'), 'utf8')).toBe(`${process.pid}\n`);
    await store.close();
    expect(existsSync(join(place.dataDir, 'server.pid'))).toBe(false);
  });

  test('is refused to a second store of the same process too', async () => {
    const store = await openHere();
    expect(await failure(openHere())).toBeInstanceOf(DataDirectoryLockedError);
    // The refusal must not have released the first store's lock.
    expect(await failure(openHere())).toBeInstanceOf(DataDirectoryLockedError);
    await store.close();
    await (await openHere()).close();
  });

  test('with a damaged database is refused with a clear message and left as it is (plan C13)', async () => {
    const store = await openHere();
    const rows = Array.from({ length: 500 }, (_, index) => ({ key: `key-${index}`, value: 'x'.repeat(200) }));
    await store.db.insertInto('options').values(rows).execute();
    await store.close();
    const file = databaseFile(place.dataDir);
    expect(existsSync(`${file}-wal`)).toBe(false);
    const descriptor = openSync(file, 'r+');
    for (let page = 3; page * 4096 < statSync(file).size; page += 2) {
      writeSync(descriptor, Buffer.alloc(64, 0xa5), 0, 64, page * 4096);
    }
    closeSync(descriptor);
    const before = readFileSync(file);
    const error = await failure(openHere());
    expect(error).toBeInstanceOf(DatabaseCorruptError);
    expect(error.message).toContain(`${file} is damaged`);
    faultSeen('C13', 'every second page overwritten');
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test('with a file that is no database, or a torn one, is refused likewise (plan C13)', async () => {
    const file = databaseFile(place.dataDir);
    writeFileSync(file, 'this is not a database, whatever its name says. '.repeat(100));
    expect(await failure(openHere())).toBeInstanceOf(DatabaseCorruptError);
    writeFileSync(file, '');
    const store = await openHere();
    await store.close();
    truncateSync(file, Math.floor(statSync(file).size / 2));
    expect(await failure(openHere())).toBeInstanceOf(DatabaseCorruptError);
    faultSeen('C13', 'a file cut in half');
  });

  test('a lock of another process refuses writes as unavailable, reads continue, and writes continue after its end', async () => {
    const store = await openHere();
    const other = new Database(databaseFile(place.dataDir));
    other.run('begin immediate');
    const error = await failure(store.db.insertInto('options').values({ key: 'a' }).execute());
    expect(isUnavailable(error)).toBe(true);
    expect(await store.db.selectFrom('options').selectAll().execute()).toEqual([]);
    expect(isUnavailable(await failure(store.db.transaction().execute(async () => {})))).toBe(true);
    other.run('rollback');
    other.close();
    await store.db.insertInto('options').values({ key: 'a' }).execute();
    await store.close();
  }, 60_000);

  test('a backup taken under load is a whole database, and never overwrites a file', async () => {
    const store = await openHere();
    const copy = join(place.dataDir, 'copy.db');
    const load = { written: 0, running: true };
    const loading = (async () => {
      while (load.running) {
        await store.db
          .insertInto('options')
          .values({ key: `key-${load.written++}` })
          .execute();
      }
    })();
    while (load.written < 50) await Bun.sleep(1);
    await store.backup(copy);
    load.running = false;
    await loading;
    expect((await failure(store.backup(copy))).message).toContain('never overwrites');
    await store.close();
    const database = new Database(copy, { readonly: true });
    expect(database.prepare('pragma integrity_check').values()).toEqual([['ok']]);
    const { count } = database.prepare('select count(*) as count from options').get() as { count: number };
    expect(count).toBeGreaterThanOrEqual(49);
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    database.close();
  });
});

test('an SQLite older than 3.51.3 is refused by number (plan C18)', () => {
  for (const version of ['3.40.1', '3.51.2', '2.99.99']) {
    expect(() => assertSqliteVersion(version)).toThrow(`SQLite ${version} is too old`);
  }
  faultSeen('C18', 'the check at the start is given 3.40.1, 3.51.2 and 2.99.99');
  for (const version of ['3.51.3', '3.53.4', '4.0.0']) assertSqliteVersion(version);
});

describe('PostgreSQL', () => {
  test('that is unreachable is named in the error, without the password', async () => {
    const place = await temporaryPlace('sqlite');
    const databaseUrl = 'postgres://someone:hidden-word@127.0.0.1:1/nowhere';
    const error = await failure(openStore({ dataDir: place.dataDir, databaseUrl, writerEntry }));
    expect(error.name).toBe('DatabaseUnreachableError');
    expect(error.message).toContain('127.0.0.1:1/nowhere');
    expect(error.message).not.toContain('hidden-word');
    await place.remove();
  });

  test('that is killed refuses as unavailable, and the process keeps running', async () => {
    const server = await startPostgres();
    const place = await temporaryPlace('sqlite');
    const faults: string[] = [];
    const store = await openStore({
      dataDir: place.dataDir,
      databaseUrl: server.url,
      writerEntry,
      onFault: (_error, what) => faults.push(what),
    });
    await store.db.insertInto('options').values({ key: 'a' }).execute();
    process.kill(server.pid, 'SIGKILL');
    await server.stop();
    for (let attempt = 0; attempt < 3; attempt++) {
      const error = await failure(store.db.selectFrom('options').selectAll().execute());
      expect(isUnavailable(error)).toBe(true);
    }
    await store.changes.announce('settings');
    expect(faults).toContain('the change of settings could not be announced; trying again');
    await store.close();
    await place.remove();
  }, 60_000);

  test('that cuts every connection loses at most the queries running then', async () => {
    const place = await temporaryPlace('postgres');
    const faults: string[] = [];
    const store = await openStore({ ...place, writerEntry, onFault: (_error, what) => faults.push(what) });
    const query = () => store.db.selectFrom('options').selectAll().execute();
    await Promise.all([query(), query(), query()]);
    const outside = new Client({ connectionString: place.databaseUrl });
    await outside.connect();
    const { rowCount } = await outside.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    await outside.end();
    const lost = 'an idle PostgreSQL connection was lost';
    for (let look = 0; look < 2000 && !faults.includes(lost); look += 1) await Bun.sleep(10);
    expect(faults).toContain(lost);
    // The end of each other connection may arrive later: it fails the query that has just taken that connection.
    let failures = 0;
    for (;;) {
      const rows = await query().catch((error: unknown) => error);
      if (Array.isArray(rows)) break;
      expect(isUnavailable(rows)).toBe(true);
      failures += 1;
      expect(failures).toBeLessThanOrEqual(rowCount ?? 0);
    }
    await store.close();
    await place.remove();
  });
});
