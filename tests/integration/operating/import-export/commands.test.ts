// The commands that move in and out: an import that is killed, a server that runs, an export with its manifest.
import { afterAll, describe, expect, setDefaultTimeout, spyOn, test } from 'bun:test';
import { Database } from 'bun:sqlite';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { runCommandLine } from '#server/cli/commands.ts';
import { openStore, type Store } from '#server/platform/store/store.ts';
import { startApplication, type TestApplication } from '#tests/support/application.ts';
import {
  applicationWriter,
  backendIsGone,
  temporaryPlace,
  type TemporaryPlace,
} from '#tests/support/databases.ts';
import { runTollgate } from '#tests/support/gateway.ts';
import { startMockUpstream } from '#mock/upstream/index.ts';
import { ALICE_KEY, newApiRows } from './family-rows.ts';
import { NEW_API_TABLES, type FamilyRows } from './family-schema.ts';
import { sqliteSource } from './sources.ts';

setDefaultTimeout(120_000);

const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-moving-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const variablesOf = ({
  dataDir,
  databaseUrl,
}: Pick<TemporaryPlace, 'dataDir' | 'databaseUrl'>): Record<string, string> => ({
  DATA_DIR: dataDir,
  ALLOWED_PRIVATE_ADDRESSES: '127.0.0.1',
  ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
});

const storeOf = ({ dataDir, databaseUrl }: TemporaryPlace): Promise<Store> =>
  openStore({ writerEntry: applicationWriter, dataDir, databaseUrl });

/** The command in this process, which is quicker than another one: exit code and output. */
async function command(args: readonly string[], variables: Record<string, string>) {
  const lines: string[] = [];
  const spies = (['log', 'error'] as const).map((name) =>
    spyOn(console, name).mockImplementation((text: string) => void lines.push(text)),
  );
  try {
    return { code: await runCommandLine(args, variables), output: lines.join('\n') };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

/** Enough rows that an import takes several transactions. */
async function manyRows(): Promise<{ rows: FamilyRows; balance: number }> {
  const rows = await newApiRows('http://127.0.0.1:1');
  const [, alice = {}] = rows['users'] ?? [];
  const users = Array.from({ length: 700 }, (_, index) => ({
    ...alice,
    id: 100 + index,
    username: `user${index}`,
    email: '',
    github_id: '',
    quota: index,
    used_quota: index,
    aff_code: `code${index}`,
    aff_quota: 0,
    aff_history: 0,
    inviter_id: 1,
  }));
  const people: FamilyRows[string] = [...(rows['users'] ?? []), ...users];
  const balance = people.reduce(
    (sum, row) => sum + (row['deleted_at'] ? 0 : Math.max(0, Number(row['quota']))),
    0,
  );
  return { rows: { ...rows, users: people }, balance };
}

describe.each(['sqlite', 'postgres'] as const)('%s', (label) => {
  test('an import that is killed in the middle is continued, with every balance once', async () => {
    const place = await temporaryPlace(label);
    const { rows, balance } = await manyRows();
    const source = sqliteSource(folder, NEW_API_TABLES, rows, `many-${label}.db`);
    const args = ['import', source, '--apply', '--no-logs'];
    const first = runTollgate(args, variablesOf(place));
    const reader = label === 'postgres' ? await storeOf(place) : undefined;
    const database = path.join(place.dataDir, 'tollgate.db');
    const brought = async (): Promise<number> => {
      if (reader)
        return (await reader.db.selectFrom('imported_rows').select('kind').limit(1).execute()).length;
      // Opened only after the command has: it changes the mode of the file, which no other may have open then.
      if (!existsSync(`${database}-wal`)) return 0;
      using file = new Database(database, { readonly: true });
      // The command has the file to itself for moments at its start.
      file.run('pragma busy_timeout = 5000');
      return file.query('select 1 from imported_rows limit 1').all().length;
    };
    while ((await brought()) === 0 && first.process.exitCode === null) await Bun.sleep(5);
    expect(first.process.exitCode).toBeNull();
    first.process.kill('SIGKILL');
    await first.process.exited;
    if (reader) await backendIsGone(reader);
    await reader?.close();
    const second = await command(args, variablesOf(place));
    expect([second.code, second.output]).toEqual([
      0,
      expect.stringContaining('interrupted; it is continued'),
    ]);
    const store = await storeOf(place);
    const users = await store.db.selectFrom('users').select(['quota', 'role']).execute();
    expect(users).toHaveLength(704);
    expect(users.reduce((sum, { quota }) => sum + quota, 0)).toBe(balance);
    // The interrupted import had begun in an empty installation.
    expect(users.filter(({ role }) => role === 100)).toHaveLength(1);
    expect(await checkInvariants(store)).toEqual([]);
    await store.close();
    await place.remove();
  });

  test('beside the running server: a dry run always, an import on PostgreSQL, a refusal that says what to do on SQLite; an export has everything', async () => {
    const upstream = startMockUpstream();
    const app = await startApplication({ database: label });
    const variables = variablesOf({ dataDir: app.dataDir, databaseUrl: app.databaseUrl });
    try {
      const source = sqliteSource(
        folder,
        NEW_API_TABLES,
        await newApiRows(upstream.url),
        `beside-${label}.db`,
      );
      const dry = await command(['import', source], variables);
      expect([dry.code, dry.output]).toEqual([0, expect.stringContaining('Nothing was changed')]);
      const applied = await command(['import', source, '--apply', '--overwrite'], variables);
      if (label === 'sqlite') {
        expect([applied.code, applied.output]).toEqual([
          1,
          expect.stringContaining('Stop it, import, and start it again'),
        ]);
      } else {
        expect([applied.code, applied.output]).toEqual([0, expect.stringContaining('Done.')]);
        const call = async () => {
          const answer = await fetch(`${app.url}/v1/chat/completions`, {
            method: 'POST',
            headers: { Authorization: `Bearer sk-${ALICE_KEY}`, 'Content-Type': 'application/json' },
            body: JSON.stringify({ model: 'imported-model', messages: [{ role: 'user', content: 'hi' }] }),
          });
          await answer.text();
          return answer.status;
        };
        // The server follows by announcements.
        while ((await call()) !== 200) await Bun.sleep(50);
        expect(await checkInvariants(app.store)).toEqual([]);
      }
      await checkExport(app.store, variables, path.join(folder, `out-${label}`));
      await checkConfig(app, variables, path.join(folder, `${label}.yaml`));
    } finally {
      await app.close();
      await upstream.stop();
    }
  });
});

async function checkExport(store: Store, variables: Record<string, string>, out: string): Promise<void> {
  const plain = await command(['export', '--out', out], variables);
  expect([plain.code, plain.output]).toEqual([0, expect.stringContaining('without keys and passwords')]);
  const lines = (folderOf: string, name: string) =>
    readFileSync(path.join(folderOf, name), 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const manifest = JSON.parse(readFileSync(path.join(out, 'manifest.json'), 'utf8')) as {
    with_secrets: boolean;
    files: { file: string; rows: number; sha256: string }[];
  };
  expect(manifest.with_secrets).toBe(false);
  for (const { file, rows, sha256 } of manifest.files) {
    expect([file, lines(out, file).length]).toEqual([file, rows]);
    expect(new Bun.CryptoHasher('sha256').update(readFileSync(path.join(out, file))).digest('hex')).toBe(
      sha256,
    );
  }
  const ledger = await store.db.selectFrom('ledger').select('id').execute();
  expect(lines(out, 'ledger.ndjson')).toHaveLength(ledger.length);
  const [root] = lines(out, 'users.ndjson');
  expect(root).toMatchObject({ username: 'root' });
  expect(root).not.toHaveProperty('password_hash');
  expect(statSync(path.join(out, 'users.ndjson')).mode & 0o777).toBe(0o600);
  const again = await command(['export', '--out', out], variables);
  expect([again.code, again.output]).toEqual([1, expect.stringContaining('is not empty')]);
  const secrets = `${out}-secrets`;
  expect((await command(['export', '--out', secrets, '--with-secrets'], variables)).code).toBe(0);
  expect(lines(secrets, 'users.ndjson')[0]?.['password_hash']).toStartWith('$argon2id$');
  const keys = lines(secrets, 'tokens.ndjson').map(({ key }) => key);
  expect(keys.includes(ALICE_KEY)).toBe(store.dialect === 'postgres');
}

async function checkConfig(
  app: TestApplication,
  variables: Record<string, string>,
  file: string,
): Promise<void> {
  const run = (action: string) => command(['config', action, '--file', file], variables);
  expect(await run('export')).toEqual({ code: 0, output: expect.stringContaining(`wrote ${file}`) });
  expect(await run('diff')).toEqual({ code: 0, output: expect.stringContaining('no difference') });
  writeFileSync(file, 'version: 1\nsettings: { RetryTimes: 7 }\n');
  expect(await run('diff')).toMatchObject({
    code: 1,
    output: expect.stringMatching(/~ settings RetryTimes: \d+ → 7/),
  });
  expect(await run('apply')).toMatchObject({ code: 0, output: expect.stringContaining('applied 1 changes') });
  // The running server follows.
  while (app.settings.current.RetryTimes !== 7) await Bun.sleep(50);
  writeFileSync(file, 'version: 1\nsettings: { RetryTimes: many }\n');
  expect(await run('apply')).toEqual({
    code: 1,
    output: expect.stringContaining('settings.RetryTimes: Must be a number'),
  });
}

test('wrong arguments are refused with the usage', async () => {
  const place = await temporaryPlace('sqlite');
  const run = (...args: string[]) => command(args, variablesOf(place));
  expect(await run('import')).toEqual({
    code: 2,
    output: expect.stringContaining('usage: tollgate import <source> [--apply]'),
  });
  expect(await run('import', 'x', '--applied')).toEqual({
    code: 2,
    output: expect.stringContaining('there is no option --applied'),
  });
  expect(await run('import', '/none/here.db')).toEqual({
    code: 1,
    output: expect.stringContaining('there is no file /none/here.db'),
  });
  writeFileSync(path.join(folder, 'notes.txt'), 'hello');
  expect(await run('import', path.join(folder, 'notes.txt'))).toEqual({
    code: 1,
    output: expect.stringContaining('is neither a SQLite database nor a dump'),
  });
  expect(await run('export')).toEqual({ code: 1, output: expect.stringContaining('name the folder') });
  expect(await run('config', 'aply')).toEqual({
    code: 1,
    output: expect.stringContaining('use export, diff, apply'),
  });
  await place.remove();
});
