// Values that no gateway writes, in every field of a source: the row stays behind with a line that names it, and the import
// comes to its end.
import { afterAll, describe, expect, test } from 'bun:test';
import { Database } from 'bun:sqlite';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { failure } from '#tests/support/failure.ts';
import { bring, copyRow, placeWithStore } from './bring.ts';
import { newApiRows } from './family-rows.ts';
import { NEW_API_TABLES } from './family-schema.ts';
import { sqliteSource } from './sources.ts';
import { databaseLabels } from '#tests/support/databases.ts';

const UPSTREAM = 'https://upstream.example.com';
const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-import-values-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const VALUES = ['Infinity', '-Infinity', 'NaN', '1e300', '-1e300', '9007199254740991', '-9007199254740991'];
/** A good row of each table, and what must differ in a copy of it. */
const COPIED: Record<string, { from: number; own: (id: number) => Record<string, unknown> }> = {
  users: { from: 3, own: (id) => ({ username: `copy-${id}`, aff_code: `C${id}` }) },
  tokens: { from: 1, own: (id) => ({ key: `CopiedKey${id}` }) },
  channels: { from: 1, own: (id) => ({ name: `copy-${id}` }) },
  redemptions: { from: 1, own: (id) => ({ key: `code-${id}` }) },
  top_ups: { from: 3, own: (id) => ({ trade_no: `C${id}` }) },
  logs: { from: 1, own: () => ({}) },
};

/** One more row for each numeric or time column of the family and each value. */
function spoilEveryNumber(file: string): void {
  const db = new Database(file);
  db.transaction(() => {
    let id = 1000;
    for (const [table, { from, own }] of Object.entries(COPIED))
      for (const [column, type] of Object.entries(NEW_API_TABLES[table] ?? {}))
        if (type === 'int' || type === 'real' || type === 'flag' || type === 'time')
          for (const value of VALUES) {
            id += 1;
            copyRow(db, table, { from, id, changes: { ...own(id), [column]: value } });
          }
  })();
  db.close();
}

const LAST_SECOND = 253_402_300_799;

describe.each(databaseLabels)('numbers without sense into %s', (label) => {
  test('no number in any field ends an import half way, and none that is past its field is stored (S31)', async () => {
    const { place, store } = await placeWithStore(label);
    const file = sqliteSource(folder, NEW_API_TABLES, await newApiRows(UPSTREAM), `numbers-${label}.db`);
    spoilEveryNumber(file);
    const lines = (await bring(store, file)).lines(false).join('\n');
    for (const line of [
      'quota is not a whole number',
      'expired_time is not a time',
      'amount is past the cap',
      'balance is past the cap',
    ])
      expect(lines).toContain(line);
    for (const table of ['tokens', 'redemptions'] as const) {
      const late = store.db.selectFrom(table).select('id').where('expired_time', '>', LAST_SECOND);
      expect(await late.execute()).toEqual([]);
    }
    const most = Number.MAX_SAFE_INTEGER;
    const balances = await store.db.selectFrom('channels').select('balance').execute();
    expect(balances.filter(({ balance }) => Math.abs(balance) > most)).toEqual([]);
    const amounts = await store.db.selectFrom('orders').select('amount').execute();
    expect(amounts.filter(({ amount }) => amount < 0 || amount > most)).toEqual([]);
    const [unfinished] = await store.db
      .selectFrom('imports')
      .select('id')
      .where('finished_at', '=', 0)
      .execute();
    expect(unfinished).toBeUndefined();
    expect(await checkInvariants(store)).toEqual([]);
    await store.close();
    await place.remove();
  }, 120_000);
});

test('a channel comes only with fields that the console would take: its line names field and channel (S31)', async () => {
  const { place, store } = await placeWithStore('sqlite');
  const file = sqliteSource(folder, NEW_API_TABLES, await newApiRows(UPSTREAM), 'addresses.db');
  const db = new Database(file);
  const channels: Record<string, unknown>[] = [
    { name: 'script', base_url: 'javascript:alert(1)' },
    { name: 'file', base_url: 'file:///etc/passwd' },
    { name: 'words', base_url: 'not an address' },
    { name: 'signed', base_url: 'https://name:secret@upstream.example.com' },
    { name: 'long', base_url: `https://${'a'.repeat(600)}.example.com` },
    { name: 'proxy', setting: '{"proxy":"file:///etc/passwd"}' },
    { name: 'wide', models: 'm'.repeat(300) },
    { name: 'headers', header_override: '{"X-A":"a\\nb"}' },
    { name: 'statuses', status_code_mapping: '{"9000":"200"}' },
    { name: 'local', base_url: 'http://127.0.0.1:11434/' },
  ];
  for (const [index, changes] of channels.entries())
    copyRow(db, 'channels', { from: 1, id: 100 + index, changes: { key: 'sk-one', ...changes } });
  db.close();
  const lines = (await bring(store, file)).lines(false).join('\n');
  for (const line of [
    'base_url: The channel address is not valid: it must be http or https, without a user name and password): script (id 100), file (id 101), words (id 102), signed (id 103)',
    'base_url must have at most 500 characters): long (id 104)',
    'channel headers: header_override: ',
    'channel statuses: status_code_mapping: ',
  ])
    expect(lines).toContain(line);
  expect(lines).toMatch(/setting: .*: proxy \(id 105\)/);
  expect(lines).toMatch(/models: .*: wide \(id 106\)/);
  expect(lines).not.toContain('name:secret');
  const rows = await store.db
    .selectFrom('channels')
    .select(['name', 'base_url'])
    .where('name', 'in', ['headers', 'statuses', 'local'])
    .orderBy('id')
    .execute();
  expect(rows.map(({ name, base_url }) => [name, base_url])).toEqual([
    ['headers', UPSTREAM],
    ['statuses', UPSTREAM],
    ['local', 'http://127.0.0.1:11434'],
  ]);
  const stored = JSON.stringify(await store.db.selectFrom('channels').selectAll().execute());
  expect(stored).not.toMatch(/javascript:|file:|not an address|secret@|9000|X-A/);
  await store.close();
  await place.remove();
});

test('a source that cannot be read to its end changes nothing (S31)', async () => {
  const { place, store } = await placeWithStore('sqlite');
  const file = sqliteSource(folder, NEW_API_TABLES, await newApiRows(UPSTREAM), 'torn.db');
  const db = new Database(file);
  db.run('update logs set id = 9007199254740993 where id = 4');
  db.close();
  const error = await failure(bring(store, file));
  expect(error.message).toContain('The table logs of');
  for (const table of ['users', 'channels', 'options', 'imports', 'imported_rows', 'ledger'] as const)
    expect([table, await store.db.selectFrom(table).selectAll().execute()]).toEqual([table, []]);
  await store.close();
  await place.remove();
});

test('every subscription in force is named with user, plan, what is left and its end (N30)', async () => {
  const { place, store } = await placeWithStore('sqlite');
  const file = sqliteSource(folder, NEW_API_TABLES, await newApiRows(UPSTREAM), 'subscriptions.db');
  const db = new Database(file);
  db.run('create table subscription_plans (id integer primary key, title text)');
  db.run("insert into subscription_plans values (1, 'Gold month')");
  db.run(
    'create table user_subscriptions (id integer primary key, user_id integer, plan_id integer, amount_total, amount_used integer, start_time integer, end_time integer, status text, next_reset_time integer)',
  );
  const end = Date.UTC(2999, 0, 2) / 1000;
  const add = db.query('insert into user_subscriptions values (?, ?, ?, ?, ?, 1, ?, ?, ?)');
  add.run(1, 2, 1, 5_000_000, 1_234_567, end, 'active', Date.UTC(2998, 5, 1) / 1000);
  add.run(2, 5, 9, 0, 70, end, 'active', 0);
  add.run(3, 2, 1, 'Infinity', 0, end, 'active', 0);
  add.run(4, 2, 1, 5_000_000, 0, 1_600_000_000, 'active', 0);
  add.run(5, 2, 1, 5_000_000, 0, end, 'cancelled', 0);
  db.close();
  for (const isDry of [true, false]) {
    const lines = (await bring(store, file, { isDry })).lines(isDry);
    expect(lines.filter((line) => line.includes('Subscription of'))).toEqual([
      '  Subscription of user alice, plan Gold month: not brought, 3765433 of 5000000 units left, ends 2999-01-02T00:00:00.000Z, full again 2998-06-01T00:00:00.000Z.',
      '  Subscription of user carol, plan id 9: not brought, unlimited, ends 2999-01-02T00:00:00.000Z.',
      '  Subscription of user alice, plan Gold month: not brought, amount_total is not a whole number, ends 2999-01-02T00:00:00.000Z.',
    ]);
    expect(lines.join('\n')).toContain('What is left of subscriptions is not part of the balances');
  }
  await store.close();
  await place.remove();
});
