// Moving in: a database of another gateway is brought over with every balance and key, once.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Database } from 'bun:sqlite';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { openKey } from '#server/admin/tokens/key.ts';
import type { TableName } from '#server/platform/store/schema.ts';
import { openStore, type Store } from '#server/platform/store/store.ts';
import { startApplication, type TestApplication } from '#tests/support/application.ts';
import {
  databaseLabels,
  applicationWriter,
  temporaryPlace,
  type TemporaryPlace,
} from '#tests/support/databases.ts';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';
import { bring, copyRow, placeWithStore } from './bring.ts';
import {
  ALICE_KEY,
  ALICE_PASSWORD,
  CAROL_KEY,
  CODE,
  newApiRows,
  oneApiRows,
  ROOT_ACCESS_TOKEN,
} from './family-rows.ts';
import { NEW_API_TABLES, ONE_API_TABLES } from './family-schema.ts';
import { mysqlDump, mysqlSource, postgresSource, sqliteSource } from './sources.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-import-test-'));
let upstream: MockUpstream;
beforeAll(() => {
  upstream = startMockUpstream();
});
afterAll(async () => {
  await upstream.stop();
  rmSync(folder, { recursive: true, force: true });
});

const TABLES = [
  'users',
  'tokens',
  'channels',
  'abilities',
  'options',
  'redemptions',
  'orders',
  'logs',
  'ledger',
  'usage_hours',
  'totp_secrets',
  'imports',
  'imported_rows',
] as const satisfies readonly TableName[];

async function everything({ db }: Store): Promise<string> {
  const rows: unknown[] = [];
  for (const table of TABLES)
    rows.push(
      table,
      (await db.selectFrom(table).selectAll().execute()).map((row) => JSON.stringify(row)).toSorted(),
    );
  return JSON.stringify(rows);
}

describe.each(databaseLabels)('new-api into %s', (label) => {
  let place: TemporaryPlace;
  let store: Store;
  let source: string;
  let sourcePlace: TemporaryPlace | undefined;

  beforeAll(async () => {
    ({ place, store } = await placeWithStore(label));
    const rows = await newApiRows(upstream.url);
    if (label === 'sqlite') source = sqliteSource(folder, NEW_API_TABLES, rows);
    else {
      // The source is a PostgreSQL database too.
      sourcePlace = await temporaryPlace('postgres', { bare: true });
      source = await postgresSource(sourcePlace.databaseUrl ?? '', NEW_API_TABLES, rows);
    }
  });
  afterAll(async () => {
    await place.remove();
    await sourcePlace?.remove();
  });

  test('a dry run reports everything and changes nothing', async () => {
    const before = await everything(store);
    const report = await bring(store, source, { isDry: true });
    expect(await everything(store)).toBe(before);
    const text = report.lines(true).join('\n');
    expect(text).toContain('users        5 found, 4 would be brought');
    expect(text).toContain('left behind: 1 (deleted at the source): gone');
    expect(text).toContain('balances: 101234570 units at the source, 101234570 units here');
    expect(text).toContain('below zero at the source: -50 units, brought as zero');
    expect(text).toContain('type 998 is not known here');
    expect(text).toContain('another account has the same email address');
    expect(text).not.toContain('mail-secret');
  });

  test('an import brings every balance to the unit, with books that are in order', async () => {
    const report = await bring(store, source);
    expect([...report.brought].map(([kind, count]) => `${kind} ${count}`)).toEqual([
      'options 7',
      'users 4',
      'second factors 1',
      'tokens 3',
      'channels 2',
      'redemptions 2',
      'orders 3',
      'logs 4',
    ]);
    const users = await store.db.selectFrom('users').selectAll().orderBy('id').execute();
    expect(
      users.map(({ username, quota, aff_quota, used_quota, role, status, group }) => [
        username,
        quota,
        aff_quota,
        used_quota,
        role,
        status,
        group,
      ]),
    ).toEqual([
      ['root', 100_000_000, 0, 0, 100, 1, 'default'],
      ['alice', 1_234_567, 500, 700, 1, 1, 'default'],
      ['bob', 0, 0, 0, 1, 2, 'default'],
      ['carol', 3, 0, 0, 1, 1, 'gold'],
    ]);
    expect(users.find(({ username }) => username === 'alice')).toMatchObject({
      display_name: "Alice O'Neil \\ 爱丽丝",
      request_count: 42,
      aff_history_quota: 900,
      aff_count: 1,
      github_id: 'gh-alice',
      inviter_id: users.find(({ username }) => username === 'carol')?.id,
      email: 'alice@example.com',
    });
    expect(users.find(({ username }) => username === 'bob')?.email).toBe('');
    expect(await checkInvariants(store)).toEqual([]);
  });

  test('keys, limits, channels, codes, orders and log rows are there', async () => {
    const tokens = await store.db.selectFrom('tokens').selectAll().orderBy('id').execute();
    expect(tokens.map((row) => openKey(store.vault, row))).toEqual([ALICE_KEY, CAROL_KEY, 'AutoGroupKey']);
    expect(tokens[0]).toMatchObject({
      remain_quota: 1_000_000,
      used_quota: 700,
      unlimited_quota: 0,
      status: 1,
    });
    expect(tokens[1]).toMatchObject({
      model_limits_enabled: 1,
      model_limits: 'imported-model,other',
      allow_ips: '10.0.0.0/8\n192.168.1.1',
    });
    // A list of addresses that cannot be read must not become "every address".
    expect(tokens[2]).toMatchObject({ status: 2, group: '' });
    const channels = await store.db.selectFrom('channels').selectAll().orderBy('id').execute();
    expect(
      channels.map(({ name, type, status, tag, priority, weight, group, base_url, auto_ban }) => [
        name,
        type,
        status,
        tag,
        priority,
        weight,
        group,
        base_url,
        auto_ban,
      ]),
    ).toEqual([
      ['main-1', CHANNEL_TYPE.openAi, 1, 'blue', 7, 3, 'default,gold', upstream.url, 1],
      ['main-2', CHANNEL_TYPE.openAi, 2, 'blue', 7, 3, 'default,gold', upstream.url, 1],
      ['disabled', CHANNEL_TYPE.anthropic, 3, null, 0, 0, 'default', '', 0],
    ]);
    expect(channels[0]).toMatchObject({
      openai_organization: 'org-1',
      model_mapping: '{"mapped":"imported-model"}',
    });
    expect(store.vault.open(channels[1]?.key_sealed ?? '', `channels:${channels[1]?.id}:key_sealed`)).toBe(
      'sk-upstream-two',
    );
    const orders = await store.db.selectFrom('orders').selectAll().orderBy('id').execute();
    expect(
      orders.map(({ trade_no, status, quota, amount_minor, payment_method, currency }) => [
        trade_no,
        status,
        quota,
        amount_minor,
        payment_method,
        currency,
      ]),
    ).toEqual([
      ['T1', 'paid', 1_000_000, 1460, 'zfb', 'CNY'],
      ['T2', 'expired', 2_500_000, 3650, 'wx', 'CNY'],
      ['T3', 'paid', 4_995_000, 999, 'stripe', 'USD'],
    ]);
    const hours = await store.db
      .selectFrom('usage_hours')
      .select(['model_name', 'quota', 'count'])
      .orderBy('hour')
      .execute();
    // The first row is what the log of the source does not show of the used total.
    expect(hours).toEqual([
      { model_name: '', quota: 350, count: 0 },
      { model_name: 'imported-model', quota: 300, count: 2 },
      { model_name: 'other', quota: 50, count: 1 },
    ]);
    const [mail] = await store.db
      .selectFrom('options')
      .select('value')
      .where('key', '=', 'SMTPToken')
      .execute();
    expect(mail?.value).not.toContain('mail-secret');
  });

  test('a second import changes nothing', async () => {
    const before = await everything(store);
    const report = await bring(store, source);
    expect(await everything(store)).toBe(before);
    expect([...report.brought.values()].reduce((sum, count) => sum + count, 0)).toBe(0);
  });

  test('an imported user signs in, an imported key calls a model, an imported code is redeemed', async () => {
    await store.close();
    const app: TestApplication = await startApplication({
      place: { dataDir: place.dataDir, databaseUrl: place.databaseUrl },
    });
    try {
      const hashOf = () =>
        app.store.db
          .selectFrom('users')
          .select('password_hash')
          .where('username', '=', 'alice')
          .executeTakeFirstOrThrow();
      expect((await hashOf()).password_hash).toStartWith('$2');
      const alice = await app.login('alice', ALICE_PASSWORD);
      expect((await hashOf()).password_hash).toStartWith('$argon2id$');
      for (const key of [`sk-${ALICE_KEY}`, ALICE_KEY]) {
        const answer = await fetch(`${app.url}/v1/chat/completions`, {
          method: 'POST',
          headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
          body: JSON.stringify({ model: 'imported-model', messages: [{ role: 'user', content: 'hi' }] }),
        });
        expect([key, answer.status]).toEqual([key, 200]);
        await answer.text();
      }
      expect(upstream.requests.at(-1)?.headers['authorization']).toBe('Bearer sk-upstream-one');
      expect((await app.request('/api/user/topup', { as: alice, body: { key: CODE } })).body).toMatchObject({
        success: true,
        data: 100,
      });
      expect(
        (await app.request('/api/user/topup', { as: alice, body: { key: 'f'.repeat(32) } })).body,
      ).toMatchObject({ success: false, code: 'redemption_used' });
      // The system access token of the source still works, and nobody made a second super admin.
      const self = await app.request('/api/user/self', {
        headers: { Authorization: `Bearer ${ROOT_ACCESS_TOKEN}`, 'New-Api-User': '1' },
      });
      expect(self.body).toMatchObject({ success: true, data: { username: 'root', role: 100 } });
      expect(app.firstStart).toBeNull();
      expect(await checkInvariants(app.store)).toEqual([]);
    } finally {
      await app.close();
    }
  });
});

test('a log row of another gateway without the entry of its page is found by the audit', async () => {
  const { place, store } = await placeWithStore('sqlite');
  await bring(store, sqliteSource(folder, NEW_API_TABLES, await newApiRows(upstream.url), 'audit.db'));
  await store.db
    .updateTable('logs')
    .set({ request_id: 'import:9:logs:9:9:000000000001' })
    .where('quota', '=', 100)
    .execute();
  expect((await checkInvariants(store)).map(({ invariant }) => invariant)).toEqual([
    'a log row shows what was charged',
  ]);
  await store.close();
  await place.remove();
});

/** Rows that no careful gateway writes, each beside good ones. */
function spoil(file: string): void {
  const db = new Database(file);
  const copy = (table: string, from: number, id: number, changes: Record<string, unknown>) =>
    copyRow(db, table, { from, id, changes });
  const most = Number.MAX_SAFE_INTEGER;
  db.run('update users set id = 50 where id = 1');
  copy('users', 3, 10, { username: 'no-role', role: 'boss', aff_code: 'F1' });
  copy('users', 3, 11, {
    username: 'mallory\0<script>\u001B[2J',
    quota: most,
    aff_quota: most,
    used_quota: '1000000000000000000',
    inviter_id: 11,
    created_at: 99_999_999_999_999_999n,
    aff_code: 'F2',
  });
  copy('users', 3, 12, { username: 'too-rich', quota: '1000000000000000000', aff_code: 'F3' });
  copy('users', 3, 13, { username: 'ALICE', used_quota: most, aff_code: 'BBBB' });
  copy('two_fas', 1, 10, {});
  for (const key of [
    'GitHubAddress',
    'StripeAddress',
    'TurnstileServerAddress',
    'MediaS3Endpoint',
    'BackupS3Endpoint',
    'LogExportUrl',
  ])
    db.query('insert into options (key, value) values (?, ?)').run(key, 'https://thief.example.com');
  copy('tokens', 1, 10, { key: 'SpoiltKey', name: 'a\0b', created_time: 99_999_999_999_999_999n });
  copy('tokens', 1, 11, { key: 'LateKey', expired_time: '1000000000000000000' });
  copy('channels', 1, 10, { name: 'a\0b', created_time: 99_999_999_999_999_999n, used_quota: most });
  copy('redemptions', 1, 10, { key: 'e'.repeat(32), expired_time: 'soon' });
  copy('top_ups', 1, 10, { trade_no: 'T10', money: 1e300 });
  copy('top_ups', 1, 11, { trade_no: 'T11', payment_method: 'stripe', amount: 'ten' });
  copy('logs', 1, 10, { type: 'x' });
  copy('logs', 1, 11, { quota: most, user_id: 13 });
  copy('logs', 1, 12, { quota: most, user_id: 13 });
  copy('logs', 1, 13, { created_at: 99_999_999_999_999_999n, model_name: 'a\0b' });
  copy('logs', 1, 14, { prompt_tokens: -5, use_time: most });
  db.close();
}

describe.each(databaseLabels)('a source with absurd rows into %s', (label) => {
  test('is imported without them, twice, and the books are in order', async () => {
    const { place, store } = await placeWithStore(label);
    const file = sqliteSource(folder, NEW_API_TABLES, await newApiRows(upstream.url), `spoilt-${label}.db`);
    spoil(file);
    const report = await bring(store, file);
    const text = report.lines(false).join('\n');
    for (const line of [
      '1 (role is not a whole number): id 10',
      '1 (quota is not a whole number): id 12',
      '1 (the user has one here already): user 5',
      '1 (money is past the cap): id 10',
      '1 (amount is not a number): id 11',
      '1 (the charges of its user are past the cap): id 12',
      'user mallory<script> [2J: used_quota is not a whole number, brought with 0',
    ])
      expect(text).toContain(line);
    expect(text).not.toMatch(/(?!\n)\p{Cc}/u);
    const own = await store.db.selectFrom('users').select('id').whereRef('inviter_id', '=', 'id').execute();
    expect(own).toEqual([]);
    const options = await store.db.selectFrom('options').select(['key', 'value']).execute();
    expect(JSON.stringify(options)).not.toContain('thief');
    expect(await checkInvariants(store)).toEqual([]);
    const before = await everything(store);
    await bring(store, file);
    expect(await everything(store)).toBe(before);
    await store.close();
    await place.remove();
  });
});

test('a role above that of the super admin becomes super admin in an empty installation and administrator elsewhere, and the report says so (N30, S35)', async () => {
  const source = sqliteSource(folder, NEW_API_TABLES, await newApiRows(upstream.url), 'roles.db');
  const db = new Database(source);
  for (const [id, role] of [
    [40, 101],
    [41, 1000],
    [42, 99],
  ] as const)
    copyRow(db, 'users', { from: 3, id, changes: { username: `role-${role}`, role, aff_code: `R${id}` } });
  db.close();
  const rolesIn = async (store: Store) => {
    const rows = await store.db.selectFrom('users').select(['username', 'role']).execute();
    return Object.fromEntries(
      rows
        .filter(({ username }) => username.startsWith('role-'))
        .map(({ username, role }) => [username, role]),
    );
  };

  const empty = await placeWithStore('sqlite');
  const first = (await bring(empty.store, source)).lines(false).join('\n');
  expect(await rolesIn(empty.store)).toEqual({ 'role-101': 100, 'role-1000': 100, 'role-99': 10 });
  for (const role of [101, 1000])
    expect(first).toContain(`user role-${role} is the super admin at the source, and becomes one here`);
  expect(first).toContain('user role-99 is an administrator at the source, and becomes one here');
  await empty.store.close();
  await empty.place.remove();

  const used = await placeWithStore('sqlite');
  await used.store.close();
  const app = await startApplication({
    place: { dataDir: used.place.dataDir, databaseUrl: used.place.databaseUrl },
  });
  await app.close();
  const store = await openStore({ writerEntry: applicationWriter, dataDir: used.place.dataDir });
  const second = (await bring(store, source)).lines(false).join('\n');
  expect(await rolesIn(store)).toEqual({ 'role-101': 10, 'role-1000': 10, 'role-99': 10 });
  for (const role of [101, 1000])
    expect(second).toContain(`user role-${role} is a super admin at the source: brought as an administrator`);
  await store.close();
  await used.place.remove();
});

/** `mysql://` of a server where databases may be made; without it the dump below is the proof for MySQL. */
const mysql = process.env['TEST_MYSQL_URL'];

test.skipIf(mysql === undefined)(
  'new-api on a MySQL server gives the same report as from a file',
  async () => {
    const { place, store } = await placeWithStore('sqlite');
    const rows = await newApiRows(upstream.url);
    const server = await mysqlSource(mysql ?? '', NEW_API_TABLES, rows);
    const fromServer = await bring(store, server.url, { isDry: true });
    const fromFile = await bring(store, sqliteSource(folder, NEW_API_TABLES, rows, 'same.db'), {
      isDry: true,
    });
    expect(fromServer.lines(true)).toEqual(fromFile.lines(true));
    await server.remove();
    await store.close();
    await place.remove();
  },
);

test('one-api from a dump of MySQL: types, keys and amounts are converted, and conflicts are reported', async () => {
  const { place, store } = await placeWithStore('sqlite');
  await store.close();
  const app = await startApplication({ place: { dataDir: place.dataDir, databaseUrl: place.databaseUrl } });
  await app.close();
  const again = await openStore({ writerEntry: applicationWriter, dataDir: place.dataDir });
  const rows = oneApiRows(await Bun.password.hash('password-of-dave', { algorithm: 'bcrypt', cost: 4 }));
  const report = await bring(again, mysqlDump(folder, ONE_API_TABLES, rows));
  const text = report.lines(false).join('\n');
  expect(text).toContain('user root: the name is taken here, brought as root_2');
  expect(text).toContain('A dollar is 1000000 units at the source and 500000 here');
  expect(text).toContain('balances: 1077 units at the source, 539 units here');
  expect(text).toContain('left behind: 1 (deleted at the source): deleted_xyz');
  expect(text).toContain('used, and the source does not say by which user');
  const users = await again.db
    .selectFrom('users')
    .select(['username', 'role', 'quota', 'used_quota'])
    .where('id', '>', 1)
    .orderBy('id')
    .execute();
  expect(users).toEqual([
    { username: 'root_2', role: 10, quota: 39, used_quota: 0 },
    { username: 'dave', role: 1, quota: 500, used_quota: 10 },
  ]);
  const channels = await again.db.selectFrom('channels').selectAll().orderBy('id').execute();
  expect(
    channels.map(({ name, type, base_url, other, setting }) => [name, type, base_url, other, setting]),
  ).toEqual([
    ['groq', CHANNEL_TYPE.openAi, 'https://api.groq.com/openai', '', ''],
    ['aws', CHANNEL_TYPE.bedrock, '', '', ''],
    [
      'azure',
      CHANNEL_TYPE.azure,
      'https://x.openai.azure.com',
      '2024-06-01',
      '{"system_prompt":"Be brief."}',
    ],
  ]);
  expect(again.vault.open(channels[1]?.key_sealed ?? '', `channels:${channels[1]?.id}:key_sealed`)).toBe(
    'AK|SK|us-east-1',
  );
  const [token] = await again.db.selectFrom('tokens').selectAll().execute();
  expect(token).toMatchObject({
    model_limits_enabled: 1,
    model_limits: 'a',
    allow_ips: '10.1.0.0/16\n10.2.0.0/16',
    remain_quota: 5,
  });
  // A ratio is units for a token, so it is converted too.
  const [ratio] = await again.db
    .selectFrom('options')
    .select('value')
    .where('key', '=', 'ModelRatio')
    .execute();
  expect(JSON.parse(ratio?.value ?? '{}')).toEqual({ a: 1 });
  expect(await checkInvariants(again)).toEqual([]);
  await again.close();
  await place.remove();
});
