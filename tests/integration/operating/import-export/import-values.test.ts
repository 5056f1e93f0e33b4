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

test('a price that a binary number cannot hold comes to the cent, and its quota to the unit (M21)', async () => {
  const { place, store } = await placeWithStore('sqlite');
  const file = sqliteSource(folder, NEW_API_TABLES, await newApiRows(UPSTREAM), 'prices.db');
  const db = new Database(file);
  /** As the source has it, in cents, and in quota: the row is one of Stripe, where the price is in dollars. */
  const prices = [
    [19.99, 1999, 9_995_000],
    [4.35, 435, 2_175_000],
    [1.1, 110, 550_000],
    [0.07, 7, 35_000],
    [1_000_000.01, 100_000_001, 500_000_005_000],
  ] as const;
  for (const [index, [money]] of prices.entries())
    copyRow(db, 'top_ups', { from: 3, id: 1000 + index, changes: { trade_no: `P${index}`, money } });
  db.close();
  await bring(store, file);
  const orders = store.db.selectFrom('orders').select(['amount_minor', 'quota']).orderBy('id');
  expect(await orders.where('trade_no', 'like', 'P%').execute()).toEqual(
    prices.map(([, amount_minor, quota]) => ({ amount_minor, quota })),
  );
  expect(await checkInvariants(store)).toEqual([]);
  await store.close();
  await place.remove();
});
