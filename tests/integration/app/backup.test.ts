// `tollgate backup` and `tollgate restore` as an operator runs them, on both databases.
import { Database } from 'bun:sqlite';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { Client } from 'pg';
import { temporaryPlace } from '#tests/support/databases.ts';
import { startGateway, tollgate } from '#tests/support/gateway.ts';

// Real processes on a machine that may be busy with other tests.
setDefaultTimeout(60_000);

const PASSWORD = 'chosen-by-the-operator';
const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-backup-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('SQLite', () => {
  test('N8: a backup of a running server is restored over a killed one with its write-ahead log', async () => {
    const started = await startGateway({
      dataDir: path.join(folder, 'sqlite'),
      environment: { INITIAL_ROOT_PASSWORD: PASSWORD },
    });
    const { dataDir } = started;
    const environment = { DATA_DIR: dataDir };
    const target = path.join(folder, 'copy.db');
    try {
      expect(await tollgate(['backup', target], environment)).toMatchObject({ code: 0 });
      expect(statSync(target).mode & 0o777).toBe(0o600);
      const again = await tollgate(['backup', target], environment);
      expect([again.code, again.output]).toEqual([1, expect.stringContaining('exists already')]);
      const running = await tollgate(['restore', target], environment);
      expect([running.code, running.output]).toEqual([1, expect.stringContaining(`process ${started.pid}`)]);
      const migrating = await tollgate(['migrate'], environment);
      expect([migrating.code, migrating.output]).toEqual([
        1,
        expect.stringContaining('stop the server first'),
      ]);
      // A session after the backup, which stays in the write-ahead log of the killed process.
      const login = await fetch(`${started.url}/api/user/login`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ username: 'root', password: PASSWORD }),
      });
      expect(login.status).toBe(200);
    } finally {
      await started.kill9();
    }
    const file = path.join(dataDir, 'tollgate.db');
    expect(statSync(`${file}-wal`).size).toBeGreaterThan(0);
    const restored = await tollgate(['restore', target], environment);
    expect(restored).toMatchObject({ code: 0 });
    expect(sessionsIn(file)).toBe(0);
    const kept = /kept as (\S+)/.exec(restored.output)?.[1] ?? '';
    expect(sessionsIn(kept)).toBe(1);
    expect(readdirSync(dataDir).filter((name) => name.includes('restoring'))).toEqual([]);
    const audit = await tollgate(['audit'], environment);
    expect([audit.code, audit.output]).toEqual([0, expect.not.stringContaining('FAIL')]);
  });

  test('N8: a restore refuses what is no backup, and a backup of another master key, and changes nothing', async () => {
    const [own, foreign] = [path.join(folder, 'own'), path.join(folder, 'foreign')];
    for (const DATA_DIR of [own, foreign]) await tollgate(['migrate'], { DATA_DIR });
    const target = path.join(folder, 'foreign.db');
    await tollgate(['backup', target], { DATA_DIR: foreign });
    const text = path.join(folder, 'text.db');
    writeFileSync(text, 'no database at all '.repeat(100));
    const other = path.join(folder, 'other.db');
    const database = new Database(other);
    database.run('create table notes (text)');
    database.close();
    const before = readFileSync(path.join(own, 'tollgate.db'));
    for (const [source, reason] of [
      [target, 'master key is not the one'],
      [text, 'cannot be read as a SQLite database'],
      [other, 'not a database of Tollgate'],
      [path.join(folder, 'missing.db'), 'there is no file'],
    ] as const) {
      const { code, output } = await tollgate(['restore', source, '--unsigned'], { DATA_DIR: own });
      expect([code, output]).toEqual([1, expect.stringContaining(reason)]);
      expect(output).not.toMatch(/\bat .*\.[jt]s:\d+/);
    }
    expect(readFileSync(path.join(own, 'tollgate.db')).equals(before)).toBe(true);
    expect(readdirSync(own).filter((name) => name.includes('re'))).toEqual([]);
    const nothing = await tollgate(['backup', `${target}.2`], { DATA_DIR: path.join(folder, 'nothing') });
    expect([nothing.code, nothing.output]).toEqual([1, expect.stringContaining('there is no database')]);
  });
});

test('a changed backup, one without signature and one signed with another key are restored only when asked for (S30)', async () => {
  const [own, foreign] = [path.join(folder, 'signed'), path.join(folder, 'signed-elsewhere')];
  for (const DATA_DIR of [own, foreign]) await tollgate(['migrate'], { DATA_DIR });
  const target = path.join(folder, 'signed.db');
  const written = await tollgate(['backup', target], { DATA_DIR: own });
  expect(written.output).toContain(`wrote ${target}.sig`);
  expect(statSync(`${target}.sig`).mode & 0o777).toBe(0o600);
  const signature = readFileSync(`${target}.sig`, 'utf8');
  const restore = async (...options: string[]) =>
    await tollgate(['restore', target, ...options], { DATA_DIR: own });

  const database = new Database(target);
  database.run("insert into options (key, value) values ('QuotaForNewUser', '900000')");
  database.close();
  const changed = await restore();
  expect([changed.code, changed.output]).toEqual([
    1,
    expect.stringContaining('was changed after it was signed'),
  ]);

  const digest = createHash('sha256').update(readFileSync(target)).digest('hex');
  writeFileSync(`${target}.sig`, signature.replace(/sha256:\w+/, `sha256:${digest}`));
  const resigned = await restore();
  expect([resigned.code, resigned.output]).toEqual([
    1,
    expect.stringContaining('was not signed with this master key'),
  ]);

  rmSync(`${target}.sig`);
  const unsigned = await restore();
  expect([unsigned.code, unsigned.output]).toEqual([1, expect.stringContaining('--unsigned')]);
  expect(await restore('--unsigned')).toMatchObject({ code: 0 });

  const strange = path.join(folder, 'strange.db');
  await tollgate(['backup', strange], { DATA_DIR: foreign });
  const other = await tollgate(['restore', strange], { DATA_DIR: own });
  expect([other.code, other.output]).toEqual([1, expect.stringContaining('not signed with this master key')]);
  const wrongKey = await tollgate(['backup', `${strange}.2`], { DATA_DIR: own, MASTER_KEY: 'ab'.repeat(32) });
  expect([wrongKey.code, wrongKey.output]).toEqual([1, expect.stringContaining('master key is not the one')]);
  expect(existsSync(`${strange}.2`)).toBe(false);
});

test('N15: a backup and its restore give the space of removed rows back to the disk', async () => {
  const dataDir = path.join(folder, 'grown');
  const file = path.join(dataDir, 'tollgate.db');
  await tollgate(['migrate'], { DATA_DIR: dataDir });
  const database = new Database(file);
  database.run('create table filler as select randomblob(4000000) as bytes');
  database.run('drop table filler');
  database.run('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
  const before = statSync(file).size;
  expect(before).toBeGreaterThan(4_000_000);
  const target = path.join(folder, 'small.db');
  await tollgate(['backup', target], { DATA_DIR: dataDir });
  expect(await tollgate(['restore', target], { DATA_DIR: dataDir })).toMatchObject({ code: 0 });
  expect(statSync(file).size).toBeLessThan(before - 3_000_000);
});

function sessionsIn(file: string): number {
  const database = new Database(file, { readonly: true });
  try {
    return (database.query('select count(*) as count from sessions').get() as { count: number }).count;
  } finally {
    database.close();
  }
}

const fitsServer = await clientFitsServer();

describe('PostgreSQL', () => {
  /** A program of that name that records its call, for machines without the client programs. */
  function recordingProgram(name: string, script: string): string {
    const bin = mkdtempSync(path.join(folder, 'bin-'));
    writeFileSync(path.join(bin, name), `#!/bin/sh\n${script}\n`);
    chmodSync(path.join(bin, name), 0o755);
    return bin;
  }
  const databaseUrl =
    'postgres://gate:p%40ss%2Fword@db.example.com:6543/gate?sslmode=require&uselibpqcompat=true';

  test('N1: pg_dump gets the address without the password, which it gets in the environment', async () => {
    const bin = recordingProgram(
      'pg_dump',
      'for one in "$@"; do case "$one" in --file=*) file="${one#--file=}";; esac; done; echo "$@ $PGPASSWORD" > "$file"',
    );
    const target = path.join(folder, 'copy.dump');
    const run = await tollgate(['backup', target], { DATABASE_URL: databaseUrl, PATH: bin });
    expect(run).toMatchObject({ code: 0 });
    const [called = ''] = readFileSync(target, 'utf8').split('\n');
    expect(called).toStartWith(
      '--dbname=postgres://gate@db.example.com:6543/gate?sslmode=require --format=custom',
    );
    expect(called).toEndWith(' p@ss/word');
    expect(statSync(target).mode & 0o777).toBe(0o600);
  });

  test('N1: a failed pg_dump leaves no file that blocks the next run', async () => {
    const bin = recordingProgram('pg_dump', 'exit 3');
    const place = path.join(folder, 'failed');
    mkdirSync(place);
    const run = await tollgate(['backup', path.join(place, 'copy.dump')], {
      DATABASE_URL: databaseUrl,
      PATH: bin,
    });
    expect([run.code, run.output]).toEqual([1, expect.stringContaining('pg_dump failed with exit code 3')]);
    expect(readdirSync(place)).toEqual([]);
  });

  test('a pg_dump older than the server, or none, is named before the backup begins, with the release that is needed (N29)', async () => {
    const place = await temporaryPlace('postgres');
    const folderOfBackup = path.join(folder, 'too-old');
    mkdirSync(folderOfBackup);
    const target = path.join(folderOfBackup, 'copy.dump');
    // Answers for its version and would otherwise write a file.
    const old = recordingProgram(
      'pg_dump',
      `case "$*" in --version) echo "pg_dump (PostgreSQL) 12.3";; *) echo called > ${folderOfBackup}/called;; esac`,
    );
    try {
      for (const [bin, expected] of [
        [old, /pg_dump is of release 12, but the server is of release (\d+): .*release \1 or newer/],
        [
          mkdtempSync(path.join(folder, 'bin-')),
          /pg_dump is not installed\. Install .* of release \d+ or newer/,
        ],
      ] as const) {
        const run = await tollgate(['backup', target], {
          DATABASE_URL: place.databaseUrl ?? '',
          DATA_DIR: place.dataDir,
          PATH: bin,
        });
        expect([run.code, run.output]).toEqual([1, expect.stringMatching(expected)]);
        expect(run.output).not.toMatch(/\bat .*\.[jt]s:\d+/);
        expect(readdirSync(folderOfBackup)).toEqual([]);
      }
    } finally {
      await place.remove();
    }
  });

  // pg_dump refuses a server newer than itself.
  test.skipIf(!fitsServer)(
    'N1, N8: a backup is restored into an empty database with its rows, and only with its master key',
    async () => {
      const [source, empty] = [
        await temporaryPlace('postgres'),
        await temporaryPlace('postgres', { bare: true }),
      ];
      const target = path.join(folder, 'whole.dump');
      const { PGPASSWORD = '' } = process.env;
      const at = (url: string | undefined, DATA_DIR: string) => ({
        PGPASSWORD,
        DATABASE_URL: url ?? '',
        DATA_DIR,
      });
      try {
        const started = await startGateway({
          dataDir: source.dataDir,
          environment: { DATABASE_URL: source.databaseUrl ?? '' },
        });
        expect(await tollgate(['backup', target], at(source.databaseUrl, source.dataDir))).toMatchObject({
          code: 0,
        });
        await started.stop();
        const full = await tollgate(['restore', target], at(source.databaseUrl, source.dataDir));
        expect([full.code, full.output]).toEqual([1, expect.stringContaining('has tables already')]);
        const otherKey = { ...at(empty.databaseUrl, empty.dataDir), MASTER_KEY: 'ab'.repeat(32) };
        const refused = await tollgate(['restore', target], otherKey);
        expect([refused.code, refused.output]).toEqual([
          1,
          expect.stringContaining('not signed with this master key'),
        ]);
        const restored = await tollgate(['restore', target], at(empty.databaseUrl, source.dataDir));
        expect([restored.code, restored.output]).toEqual([0, expect.stringContaining('restored')]);
        const audit = await tollgate(['audit'], at(empty.databaseUrl, source.dataDir));
        expect([audit.code, audit.output]).toEqual([0, expect.not.stringContaining('FAIL')]);
        const client = new Client({ connectionString: empty.databaseUrl });
        await client.connect();
        expect((await client.query('select username, quota::int from users')).rows).toEqual([
          { username: 'root', quota: 100_000_000 },
        ]);
        await client.end();
      } finally {
        await source.remove();
        await empty.remove();
      }
    },
  );
});

async function clientFitsServer(): Promise<boolean> {
  const program = Bun.which('pg_dump');
  const connectionString = process.env['TEST_POSTGRES_URL'];
  if (program === null || connectionString === undefined) return false;
  const version = /(\d+)\./.exec(Bun.spawnSync([program, '--version']).stdout.toString())?.[1];
  const client = new Client({ connectionString });
  await client.connect();
  const { rows } = await client.query<{ server_version_num: string }>('show server_version_num');
  await client.end();
  return Number(version) >= Math.floor(Number(rows[0]?.server_version_num) / 10_000);
}
