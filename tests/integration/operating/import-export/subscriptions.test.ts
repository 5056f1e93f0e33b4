// Subscriptions of new-api that are in force become subscriptions here: what is left is booked to the unit, and the periods
// follow the other gateway's resets.
import { afterAll, describe, expect, test } from 'bun:test';
import { Database } from 'bun:sqlite';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { openLedger } from '#server/money/ledger/open-ledger.ts';
import type { Store } from '#server/platform/store/store.ts';
import { age, subscriptionRow } from '#tests/integration/money/plans/world.ts';
import { bring, placeWithStore } from './bring.ts';
import { newApiRows } from './family-rows.ts';
import { NEW_API_TABLES } from './family-schema.ts';
import { sqliteSource } from './sources.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-import-subscriptions-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const DAY = 86_400;
const now = Math.floor(Date.now() / 1000);
const NEXT_RESET = now + 3600;
const END = NEXT_RESET + 2 * DAY + 1800;
const FAR = Date.UTC(2999, 0, 2) / 1000;

const familyFile = async (name: string) =>
  sqliteSource(folder, NEW_API_TABLES, await newApiRows('https://upstream.example.com'), name);

const sourceFile = async (name: string) => addSubscriptions(await familyFile(name));

function addSubscriptions(file: string): string {
  const db = new Database(file);
  db.run(`create table subscription_plans (id integer primary key, title text, subtitle text, duration_unit text,
    duration_value integer, total_amount integer, quota_reset_period text, quota_reset_custom_seconds integer)`);
  const plan = db.query('insert into subscription_plans values (?, ?, ?, ?, ?, ?, ?, ?)');
  plan.run(1, 'Gold month', 'all models', 'month', 1, 5_000_000, 'daily', 0);
  plan.run(2, 'Packet', '', 'day', 30, 2_000_000, 'never', 0);
  plan.run(3, 'Endless', '', 'year', 1, 0, 'never', 0);
  plan.run(4, 'Hourly', '', 'day', 30, 700, 'custom', 3600);
  db.run(`create table user_subscriptions (id integer primary key, user_id integer, plan_id integer, amount_total,
    amount_used integer, start_time integer, end_time integer, status text, next_reset_time integer,
    upgrade_group text, prev_user_group text)`);
  const add = db.query('insert into user_subscriptions values (?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?)');
  add.run(1, 2, 1, 5_000_000, 1_234_567, END, 'active', NEXT_RESET, '', '');
  add.run(2, 3, 2, 2_000_000, 999_999, END, 'active', 0, 'vip', 'default');
  add.run(3, 5, 3, 0, 70, FAR, 'active', 0, '', '');
  add.run(4, 2, 1, 'Infinity', 0, FAR, 'active', 0, '', '');
  add.run(5, 2, 4, 700, 0, FAR, 'active', NEXT_RESET, '', '');
  add.run(6, 3, 2, 2_000_000, 2_000_000, FAR, 'active', 0, '', '');
  add.run(7, 2, 1, 5_000_000, 0, 1_600_000_000, 'active', 0, '', '');
  add.run(8, 2, 1, 5_000_000, 0, FAR, 'cancelled', 0, '', '');
  db.close();
  return file;
}

const rowsOf = ({ db }: Store) => db.selectFrom('subscriptions').selectAll().orderBy('id').execute();

describe.each(['sqlite', 'postgres'] as const)('subscriptions into %s', (label) => {
  test('what is left of a subscription in force is brought to the unit, once; the rest is named (N30)', async () => {
    const { place, store } = await placeWithStore(label);
    const file = await sourceFile(`${label}.db`);
    for (const isDry of [true, false]) {
      const lines = (await bring(store, file, { isDry })).lines(isDry);
      expect(await rowsOf(store)).toHaveLength(isDry ? 0 : 2);
      const made = isDry ? 'would be brought' : 'brought';
      expect(lines).toContain(`plans        4 found, 2 ${made}`);
      expect(lines).toContain(`subscriptions 8 found, 2 ${made}`);
      expect(lines).toContain('left of subscriptions: 4765434 units at the source, 4765434 units here');
      expect(lines.filter((line) => line.includes('Subscription of'))).toEqual([
        '  Subscription of user carol, plan Endless: not brought (it has no limit), it has no limit, ends 2999-01-02T00:00:00.000Z.',
        '  Subscription of user alice, plan Gold month: not brought (amount_total is not a whole number), amount_total is not a whole number, ends 2999-01-02T00:00:00.000Z.',
        `  Subscription of user alice, plan Hourly: not brought (its plan is not brought), 700 of 700 units left, ends 2999-01-02T00:00:00.000Z, full again ${new Date(NEXT_RESET * 1000).toISOString()}.`,
        '  Subscription of user bob, plan Packet: not brought (nothing is left of it), 0 of 2000000 units left, ends 2999-01-02T00:00:00.000Z.',
      ]);
      expect(lines.join('\n')).toContain('User bob has the group vip by a subscription');
    }
    const brought = [
      { plan_name: 'Gold month', quota: 3_765_433, period_quota: 5_000_000, period_ends_at: NEXT_RESET },
      { plan_name: 'Packet', quota: 1_000_001, period_quota: 2_000_000, period_ends_at: END },
    ];
    expect(await rowsOf(store)).toMatchObject(
      brought.map((row) => ({ ...row, ends_at: END, status: 'active', source: 'grant', period: 0 })),
    );
    const entries = store.db.selectFrom('ledger').select(['debit_account', 'amount']);
    expect(await entries.where('kind', '=', 'plan_grant').orderBy('id').execute()).toEqual([
      { debit_account: 'world:import', amount: 3_765_433 },
      { debit_account: 'world:import', amount: 1_000_001 },
    ]);
    expect(await checkInvariants(store)).toEqual([]);
    await bring(store, file);
    expect(await rowsOf(store)).toHaveLength(2);
    expect(await checkInvariants(store)).toEqual([]);
    await store.close();
    await place.remove();
  });

  test('an imported subscription is full again at the resets of the source and ends with its last second (N30)', async () => {
    const { place, store } = await placeWithStore(label);
    await bring(store, await sourceFile(`${label}-roll.db`));
    const ledger = await openLedger({ store, nodeId: 'test', dataDir: place.dataDir, version: 'test' });
    const [{ id } = { id: 0 }] = await rowsOf(store);
    let passed = 0;
    const rollAfter = async (seconds: number) => {
      await age(store, id, seconds);
      passed += seconds;
      await ledger.rollPeriod(id);
      const row = await subscriptionRow(store, id);
      return { ...row, periodEnd: row.period_ends_at + passed };
    };
    expect(await rollAfter(3601)).toMatchObject({ quota: 5_000_000, period: 1, periodEnd: NEXT_RESET + DAY });
    // The last period is shorter than a day.
    expect(await rollAfter(2 * DAY)).toMatchObject({ quota: 5_000_000, period: 3, periodEnd: END });
    expect(await rollAfter(1800)).toMatchObject({ quota: 0, status: 'ended' });
    expect(await checkInvariants(store)).toEqual([]);
    await ledger.close();
    await store.close();
    await place.remove();
  });

  test('a subscription whose period is used up comes empty and is full again at its reset; without a reset it is over (N30)', async () => {
    const { place, store } = await placeWithStore(label);
    const file = await sourceFile(`${label}-used-up.db`);
    const source = new Database(file);
    source.run('update user_subscriptions set amount_used = amount_total where id in (1, 2)');
    source.close();
    const lines = (await bring(store, file)).lines(false);
    expect(lines).toContain('left of subscriptions: 0 units at the source, 0 units here');
    const [row, ...others] = await rowsOf(store);
    expect(row).toMatchObject({ plan_name: 'Gold month', quota: 0, period_ends_at: NEXT_RESET });
    expect(others).toEqual([]);
    const ledger = await openLedger({ store, nodeId: 'test', dataDir: place.dataDir, version: 'test' });
    const { id = 0 } = row ?? {};
    await age(store, id, 3601);
    await ledger.rollPeriod(id);
    expect(await subscriptionRow(store, id)).toMatchObject({ quota: 5_000_000, period: 1, status: 'active' });
    expect(await checkInvariants(store)).toEqual([]);
    await ledger.close();
    await store.close();
    await place.remove();
  });
});

test('a source that was imported without its subscriptions brings none later: plans may have been granted for them (N30)', async () => {
  const { place, store } = await placeWithStore('sqlite');
  const file = await familyFile('earlier.db');
  await bring(store, file);
  addSubscriptions(file);
  const lines = (await bring(store, file)).lines(false).join('\n');
  expect(await rowsOf(store)).toEqual([]);
  expect(lines).toContain(
    'Subscription of user bob, plan Packet: not brought (an earlier import of this source left subscriptions to the operator), 1000001 of 2000000 units left',
  );
  await store.close();
  await place.remove();
});
