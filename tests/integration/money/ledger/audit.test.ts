// The regular audit and the whole one: what they find, whom they suspend, and that they hold nothing up.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { createMoneyAudit } from '#server/money/audit/audit.ts';
import { DIVIDEND_INVARIANT, INVITE_INVARIANT, PLAN_INVARIANT } from '#server/money/audit/balances.ts';
import { BALANCE_INVARIANT, withoutPause, type Breach, type Pause } from '#server/money/audit/breach.ts';
import { readSettledTop } from '#server/money/audit/sums.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { applicationWriter, forEachDatabase, temporaryPlace } from '#tests/support/databases.ts';
import { logPartitions } from '#server/platform/store/postgres/log-partitions.ts';
import { openStore, type Store } from '#server/platform/store/store.ts';
import { subscribe } from '#tests/integration/money/plans/world.ts';
import { createWorld, logRow, newId, outcome, reserve, type World } from './world.ts';

// A database server may have to start first, on a busy machine.
setDefaultTimeout(60_000);

forEachDatabase((label, open) => {
  describe('the audit', () => {
    let store: Store;
    let world: World;
    const alerts: Breach[] = [];

    beforeEach(async () => {
      alerts.splice(0);
      store = await open();
      world = await createWorld(store);
    });
    afterEach(() => world.close());

    const audit = (pause: Pause = withoutPause) =>
      createMoneyAudit({ store, onBreach: (breach) => alerts.push(breach), pause });

    async function charge(userId: number, amount: number): Promise<string> {
      const { requestId } = await reserve(world.ledger, userId, 0, amount);
      await world.ledger.settle(requestId, outcome(amount, { log: logRow(userId, 0) }));
      return requestId;
    }

    const add = (userId: number, amount: number) =>
      store.db
        .updateTable('users')
        .set({ quota: sql<number>`quota + ${amount}` })
        .where('id', '=', userId)
        .execute();
    const statusOf = async (userId: number) => (await world.findUser(userId)).status;

    test('a wrong balance is found and suspended: of a user without news since the last run, and of one with news', async () => {
      const quiet = await world.user(1000);
      const busy = await world.user(1000);
      const right = await world.user(1000);
      expect(await audit().check()).toEqual([]);
      await add(quiet, 1);
      await add(busy, -1);
      await charge(busy, 10);
      await charge(right, 10);
      const balances = [
        { invariant: BALANCE_INVARIANT, userId: quiet, detail: 'balance 1001, transfers 1000' },
        { invariant: BALANCE_INVARIANT, userId: busy, detail: 'balance 989, transfers 990' },
      ];
      expect(await checkInvariants(store)).toEqual(balances);
      // A new process: nothing is remembered but what the tables say.
      expect(await audit().check()).toEqual(balances);
      expect(alerts).toEqual(balances);
      expect(await Promise.all([quiet, busy, right].map(statusOf))).toEqual([3, 3, 1]);
    });

    test('a wrong invite or dividend balance is found by the regular audit too, and suspends nobody', async () => {
      for (const [column, invariant] of [
        ['aff_quota', INVITE_INVARIANT],
        ['dividend_quota', DIVIDEND_INVARIANT],
      ] as const) {
        const userId = await world.user(1000);
        expect(await audit().check()).toEqual([]);
        const user = store.db.updateTable('users').where('id', '=', userId);
        await user.set({ [column]: 7 }).execute();
        expect(await audit().check()).toMatchObject([{ invariant, userId }]);
        expect(await statusOf(userId)).toBe(1);
        await user.set({ [column]: 0 }).execute();
      }
    });

    test('a subscription with quota that nobody granted is found by the regular audit too, and suspends nobody', async () => {
      const userId = await world.user(1000);
      const plan = await subscribe(world, userId);
      expect(await audit().check()).toEqual([]);
      await store.db
        .updateTable('subscriptions')
        .set({ quota: sql<number>`quota + 7` })
        .where('id', '=', plan)
        .execute();
      expect(await audit().check()).toMatchObject([{ invariant: PLAN_INVARIANT, userId }]);
      expect(await statusOf(userId)).toBe(1);
    });

    test('a changed row of the ledger is found by the whole audit, however old', async () => {
      const userId = await world.user(1000);
      await charge(userId, 10);
      expect(await audit().check()).toEqual([]);
      if (label === 'sqlite') await sql`drop trigger ledger_no_update`.execute(store.db);
      else await sql`drop trigger ledger_no_change on ledger`.execute(store.db);
      await sql`update ledger set amount = 1001 where user_id = ${userId} and kind = 'admin'`.execute(
        store.db,
      );
      expect(await checkInvariants(store)).toContainEqual({
        invariant: BALANCE_INVARIANT,
        userId,
        detail: 'balance 990, transfers 991',
      });
    });

    test('M4: wrong logs, counters, holds, orders and codes alert and suspend nobody', async () => {
      const userId = await world.user(1000);
      const wrong = await charge(userId, 10);
      const lost = await charge(userId, 20);
      await store.db.updateTable('logs').set({ quota: 9 }).where('request_id', '=', wrong).execute();
      await store.db.deleteFrom('logs').where('request_id', '=', lost).execute();
      await store.db.updateTable('users').set({ used_quota: 5 }).where('id', '=', userId).execute();
      await store.db.updateTable('users').set({ held_quota: 7 }).where('id', '=', userId).execute();
      const now = Math.floor(Date.now() / 1000);
      const paid = {
        user_id: userId,
        provider: 'epay',
        amount_minor: 1,
        currency: 'CNY',
        status: 'paid',
      } as const;
      await store.db
        .insertInto('orders')
        .values({ ...paid, trade_no: newId(), quota: 5, created_at: now, paid_at: now })
        .execute();
      await store.db
        .insertInto('redemptions')
        .values({ key_digest: newId(), quota: 5, status: 3, used_user_id: userId, redeemed_time: now })
        .execute();
      const found = await audit().check();
      expect(found.map(({ invariant }) => invariant).toSorted()).toEqual([
        'a log row shows what was charged',
        'a logged charge has its log row',
        'paid orders and top-ups match one to one',
        'the used total is the sum of the charges',
        'used codes and redemptions match one to one',
        'what a user has on hold is the sum of its holds',
      ]);
      expect(await statusOf(userId)).toBe(1);
    });

    test('M4: a log row with a wrong date, and a charge booked after its day was cleaned, flag nobody', async () => {
      const users = await Promise.all(Array.from({ length: 20 }, () => world.user(1000)));
      for (const userId of users) await charge(userId, 10);
      const now = Math.floor(Date.now() / 1000);
      await store.db
        .updateTable('log_cleaning')
        .set({ cleaned_before: now + 3600 })
        .execute();
      await store.db.deleteFrom('logs').execute();
      // The clock of a booting machine, and a spool with calls of a cleaned day.
      const [first = 0] = users;
      await store.db
        .insertInto('logs')
        .values({ type: 2, created_at: 86_400, user_id: first, quota: 0, request_id: newId() })
        .execute();
      await charge(first, 5);
      await store.db.deleteFrom('logs').where('quota', '=', 5).execute();
      expect(await audit().check()).toEqual([]);
      expect(await checkInvariants(store)).toEqual([]);
      expect(await Promise.all(users.map(statusOf))).toEqual(users.map(() => 1));
      // What is newer than the cleaned range is still expected.
      await store.db
        .updateTable('log_cleaning')
        .set({ cleaned_before: now - 60 })
        .execute();
      expect((await checkInvariants(store)).map(({ invariant }) => invariant)).toContain(
        'a logged charge has its log row',
      );
    });

    test('kept sums that are wrong suspend nobody: the user’s rows are summed anew and the sums replaced', async () => {
      const userId = await world.user(1000);
      await charge(userId, 10);
      expect(await audit().check()).toEqual([]);
      await sql`update ledger_sums set balance = balance - 10 where user_id = ${userId}`.execute(store.db);
      expect(await audit().check()).toEqual([]);
      expect(await statusOf(userId)).toBe(1);
      expect(await checkInvariants(store)).toEqual([]);
      await add(userId, 1);
      expect(await audit().check()).toMatchObject([{ userId, invariant: BALANCE_INVARIANT }]);
    });

    test('the ledger is summed by month', async () => {
      const userId = await world.user(1000);
      await charge(userId, 10);
      await charge(userId, 20);
      await audit().check();
      const date = new Date();
      const month = date.getUTCFullYear() * 100 + date.getUTCMonth() + 1;
      const rows = await store.db
        .selectFrom('ledger_sums')
        .select(['month', 'entries', 'balance', 'used', 'aff'])
        .where('user_id', '=', userId)
        .orderBy('month')
        .execute();
      const sums = { entries: 3, balance: 970, used: 30, aff: 0 };
      expect(rows).toEqual([
        { month: 0, ...sums },
        { month, ...sums },
      ]);
    });

    test('calls that settle while the audit reads are neither missed nor counted twice', async () => {
      const users = await Promise.all(Array.from({ length: 5 }, () => world.user(1_000_000)));
      // A fixed number of calls: without statistics the check of all rows takes ever longer on PostgreSQL.
      const load = { isOver: false };
      const callers = Promise.all(
        users.map(async (userId) => {
          for (let call = 0; call < 300; call += 1) await charge(userId, 3);
        }),
      ).finally(() => {
        load.isOver = true;
      });
      let rounds = 0;
      while (!load.isOver) {
        expect(await audit().check()).toEqual([]);
        expect(await checkInvariants(store)).toEqual([]);
        rounds += 1;
      }
      expect(rounds).toBeGreaterThan(0);
      await callers;
      expect(await audit().check()).toEqual([]);
    });
  });
});

describe('PostgreSQL', () => {
  test('M6: the audit makes statistics of tables that have none, without which its joins compare each row with all', () =>
    withWorld(async (store, world) => {
      const userId = await world.user(1_000_000);
      const unknown = async () => {
        const { rows } = await sql<{ name: string }>`
          select c.relname as name from pg_class c join pg_inherits i on i.inhrelid = c.oid
          where i.inhparent = 'logs'::regclass and c.reltuples < 0 and pg_relation_size(c.oid) > 0`.execute(
          store.db,
        );
        return rows.length;
      };
      for (const { name } of await logPartitions(store.db))
        await sql`alter table ${sql.table(name)} set (autovacuum_enabled = false)`.execute(store.db);
      const wide = { ...logRow(userId, 0), other: JSON.stringify({ text: 'x'.repeat(1500) }) };
      await Promise.all(
        Array.from({ length: 200 }, async () => {
          const { requestId } = await reserve(world.ledger, userId, 0, 5);
          await world.ledger.settle(requestId, outcome(5, { log: wide }));
        }),
      );
      expect(await unknown()).toBe(1);
      const audit = createMoneyAudit({ store, onBreach: () => {}, pause: withoutPause });
      expect(await audit.check()).toEqual([]);
      expect(await unknown()).toBe(0);
    }));

  async function withWorld(use: (store: Store, world: World) => Promise<void>): Promise<void> {
    const place = await temporaryPlace('postgres');
    const store = await openStore({ ...place, writerEntry: applicationWriter, onFault: () => {} });
    const world = await createWorld(store);
    try {
      await use(store, world);
    } finally {
      await world.close();
      await store.close();
      await place.remove();
    }
  }

  test('a transfer that commits after one with a higher id is not missed', () =>
    withWorld(async (store, world) => {
      const slow = await world.user(1000);
      const quick = await world.user(1000);
      const audit = createMoneyAudit({ store, onBreach: () => {}, pause: withoutPause });
      const hasBooked = Promise.withResolvers<void>();
      const mayCommit = Promise.withResolvers<void>();
      const entry = { amount: 5, kind: 'admin', reference: '' };
      const open = store.db.transaction().execute(async (transaction) => {
        const transfer = { ...entry, idem: newId(), userId: slow, from: 'world:admin', to: 'user' } as const;
        await world.ledger.transferWithin(transaction, transfer);
        hasBooked.resolve();
        await mayCommit.promise;
      });
      await hasBooked.promise;
      await world.ledger.credit({ ...entry, idem: newId(), userId: quick, from: 'world:admin' });
      let top = 0;
      const settled = readSettledTop(store).then((id) => {
        top = id;
      });
      const running = audit.check();
      await Bun.sleep(500);
      expect(top).toBe(0);
      mayCommit.resolve();
      await open;
      await settled;
      expect(top).toBe(4);
      expect(await running).toEqual([]);
      expect(await audit.check()).toEqual([]);
      const sums = await store.db
        .selectFrom('ledger_sums')
        .select(['user_id', 'balance'])
        .where('month', '=', 0)
        .where('user_id', '>', 0)
        .orderBy('user_id')
        .execute();
      expect(sums).toEqual([
        { user_id: slow, balance: 1005 },
        { user_id: quick, balance: 1005 },
      ]);
    }));

  test('M6: the audit’s connection has neither the time limit nor the queue of the pool', () =>
    withWorld(async (store) => {
      let isOver = false;
      const queries = Array.from({ length: 10 }, () => sql`select pg_sleep(7)`.execute(store.db));
      const slow = Promise.race(queries).then(() => {
        isOver = true;
      });
      const reader = await store.openReader();
      const { rows } = await sql<{ statement_timeout: string }>`show statement_timeout`.execute(reader.db);
      expect(isOver).toBe(false);
      expect(rows).toEqual([{ statement_timeout: '2min' }]);
      await reader.close();
      await slow;
      await Promise.all(queries);
    }));
});

test('M6: SQLite’s write-ahead log stays under 64 MB while the audit reads and calls write', async () => {
  const place = await temporaryPlace('sqlite');
  const store = await openStore({ ...place, writerEntry: applicationWriter });
  const world = await createWorld(store);
  try {
    const userId = await world.user(1000);
    await sql`insert into ledger (idem, created_at, user_id, debit_account, credit_account, amount, kind, reference)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 200000)
      select 'row ' || i, 1700000000, ${userId}, case i % 2 when 0 then 'revenue' else 'user:' || ${userId} end,
        case i % 2 when 0 then 'user:' || ${userId} else 'revenue' end, 1, 'admin', '' from n`.execute(
      store.db,
    );
    const body = 'x'.repeat(1_000_000);
    let written = 0;
    let largest = 0;
    // More is written during the audit than the log may hold: a snapshot that lasted would keep all of it there.
    const busy: Pause = async (work) => {
      const result = await work();
      for (let each = 0; each < 6; each += 1) {
        await store.db.insertInto('mails').values({ created_at: 1, recipient: 'a', body }).execute();
        written += body.length;
      }
      largest = Math.max(largest, statSync(join(place.dataDir, 'tollgate.db-wal')).size);
      return result;
    };
    expect(await createMoneyAudit({ store, onBreach: () => {}, pause: busy }).check()).toEqual([]);
    expect(written).toBeGreaterThan(100_000_000);
    expect(largest).toBeLessThan(64 * 1024 * 1024);
    await checkInvariants(store, { pause: busy });
    expect(largest).toBeLessThan(64 * 1024 * 1024);
  } finally {
    await world.close();
    await store.close();
    await place.remove();
  }
});
