// Holds. On SQLite the hold of a short call is in memory: admission, other code and failures must treat it like one with
// a row. Tests that do not depend on this run on both databases.
import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import type { LedgerCall, ReserveRequest } from '#server/money/ledger/ledger.ts';
import { openStore, type Store } from '#server/platform/store/store.ts';
import {
  applicationWriter,
  forEachDatabase,
  temporaryPlace,
  type TemporaryPlace,
} from '#tests/support/databases.ts';
import { createWorld, logRow, newId, outcome, price, reserve, type World } from './world.ts';

setDefaultTimeout(60_000);

let world: World;
let store: Store;

async function open(userId: number, tokenId: number, amount: number, more: Partial<ReserveRequest> = {}) {
  return await world.ledger.open({
    requestId: newId(),
    userId,
    tokenId,
    amount,
    limits: { tokens: 0 },
    snapshot: { price, log: () => logRow(userId, tokenId) },
    expiresAt: Math.floor(Date.now() / 1000) + 600,
    ...more,
  });
}

async function opened(userId: number, tokenId: number, amount: number): Promise<LedgerCall> {
  const opening = await open(userId, tokenId, amount);
  if (!opening.ok) throw new Error(opening.reason);
  return opening.call;
}

const holdsOf = (userId: number) =>
  store.db.selectFrom('holds').selectAll().where('user_id', '=', userId).execute();

forEachDatabase((_label, openDatabase) => {
  describe('holds', () => {
    beforeEach(async () => {
      store = await openDatabase();
      world = await createWorld(store);
    });
    afterEach(async () => {
      expect(await checkInvariants(store)).toEqual([]);
      await world.close();
    });

    for (const [charge, admitted] of [
      [100, 10],
      [50, 19],
    ] as const) {
      test(`sequential calls hold 100 and pay ${charge}: a balance of 1000 admits ${admitted}`, async () => {
        const userId = await world.user(1000);
        const tokenId = await world.token(userId);
        let count = 0;
        for (; count < 40; count += 1) {
          const opening = await open(userId, tokenId, 100);
          if (!opening.ok) break;
          expect(await world.ledger.settle(opening.call, outcome(charge))).toMatchObject({ charged: charge });
        }
        expect(count).toBe(admitted);
        expect((await world.findUser(userId)).quota).toBe(1000 - admitted * charge);
      });
    }

    test('four concurrent callers with sequential calls: no call falls short, and the balance is spent to the last unit', async () => {
      const userId = await world.user(1000);
      const tokenId = await world.token(userId);
      const caller = async () => {
        for (;;) {
          const opening = await open(userId, tokenId, 10);
          if (!opening.ok) return;
          const settlement = await world.ledger.settle(opening.call, outcome(10));
          expect(settlement).toMatchObject({ charged: 10, suspense: 0 });
        }
      };
      await Promise.all([caller(), caller(), caller(), caller()]);
      expect(await world.findUser(userId)).toMatchObject({ quota: 0, used_quota: 1000, request_count: 100 });
    });

    test('a call that is ended twice by its handle is charged once', async () => {
      const userId = await world.user(1000);
      const tokenId = await world.token(userId);
      const call = await opened(userId, tokenId, 100);
      const ends = await Promise.all([
        world.ledger.settle(call, outcome(40)),
        world.ledger.settle(call, outcome(70)),
        world.ledger.release(call),
      ]);
      expect(ends[0]).toMatchObject({ charged: 40, duplicate: false });
      expect(ends[1]).toMatchObject({ duplicate: true });
      expect(world.ledger.openCalls).toBe(0);
      expect(await world.findUser(userId)).toMatchObject({ quota: 960, held_quota: 0, request_count: 1 });
    });

    test('a call whose hold expired and was resolved is still charged when it ends', async () => {
      const userId = await world.user(1000);
      const tokenId = await world.token(userId);
      const opening = await open(userId, tokenId, 100, { expiresAt: Math.floor(Date.now() / 1000) - 5 });
      if (!opening.ok) throw new Error(opening.reason);
      expect(await world.ledger.recover()).toBe(1);
      // The balance is in memory again before the late settlement arrives.
      await world.ledger.release(await opened(userId, tokenId, 10));
      expect(await world.ledger.settle(opening.call, outcome(60))).toMatchObject({
        charged: 60,
        suspense: 0,
      });
      expect(await world.findUser(userId)).toMatchObject({ quota: 940, held_quota: 0, used_quota: 60 });
      expect((await open(userId, tokenId, 941)).ok).toBe(false);
      await world.ledger.release(await opened(userId, tokenId, 940));
    });

    test('a call that recovery has charged and that then fails gives back that charge, not its hold', async () => {
      const userId = await world.user(1000);
      const tokenId = await world.token(userId);
      const opening = await open(userId, tokenId, 600, { expiresAt: Math.floor(Date.now() / 1000) - 5 });
      if (!opening.ok) throw new Error(opening.reason);
      const progress = { quota: 50, promptTokens: 60, completionTokens: 10, channelId: 7 };
      world.ledger.dispatched(opening.call, progress);
      const isSent = () => store.db.selectFrom('holds').select('id').where('dispatched', '=', 1).execute();
      while ((await isSent()).length === 0) await Bun.sleep(20);
      expect(await world.ledger.recover()).toBe(1);
      // The balance is in memory again before the call fails.
      await world.ledger.release(await opened(userId, tokenId, 10));
      await world.ledger.release(opening.call);
      expect((await open(userId, tokenId, 1001)).ok).toBe(false);
      await world.ledger.release(await opened(userId, tokenId, 1000));
      expect(await world.findUser(userId)).toMatchObject({ quota: 1000, held_quota: 0, used_quota: 0 });
    });

    test('a task that ends by its id changes the balance that admits later calls', async () => {
      const userId = await world.user(1000);
      const tokenId = await world.token(userId);
      const { requestId } = await reserve(world.ledger, userId, tokenId, 100, { lifetime: 'task' });
      await world.ledger.release(await opened(userId, tokenId, 10));
      expect(await world.ledger.settle(requestId, outcome(300))).toMatchObject({ charged: 300 });
      expect((await open(userId, tokenId, 701)).ok).toBe(false);
      await world.ledger.release(await opened(userId, tokenId, 700));
      expect(world.ledger.openCalls).toBe(0);
    });
  });
});

describe('holds in memory on SQLite', () => {
  let place: TemporaryPlace;
  let userId: number;
  let tokenId: number;

  beforeEach(async () => {
    place = await temporaryPlace('sqlite');
    store = await openStore({ dataDir: place.dataDir, writerEntry: applicationWriter });
    world = await createWorld(store);
    userId = await world.user(1000);
    tokenId = await world.token(userId);
    // The writer admits the first call and returns the balance.
    await world.ledger.settle(await opened(userId, tokenId, 1), outcome(0));
  });
  afterEach(async () => {
    expect(await checkInvariants(store)).toEqual([]);
    await world.close();
    await store.close();
    await place.remove();
  });

  test('a short call writes no hold row and one commit: hold, charge and log are settled together', async () => {
    const call = await opened(userId, tokenId, 600);
    expect(await holdsOf(userId)).toEqual([]);
    expect(await world.ledger.settle(call, outcome(500))).toMatchObject({ charged: 500, balance: 500 });
    expect(await world.findUser(userId)).toMatchObject({ quota: 500, held_quota: 0 });
  });

  test('a hold gets its row with the first checkpoint, and the row has the snapshot', async () => {
    const call = await opened(userId, tokenId, 600);
    world.ledger.dispatched(call, { quota: 5, promptTokens: 1, completionTokens: 1, channelId: 7 });
    let row = (await holdsOf(userId))[0];
    for (let wait = 0; wait < 1000 && row?.checkpoint_quota !== 5; wait += 1) {
      await Bun.sleep(20);
      row = (await holdsOf(userId))[0];
    }
    expect(row).toMatchObject({ id: call.requestId, amount: 600, dispatched: 1, checkpoint_quota: 5 });
    expect(JSON.parse(row?.snapshot ?? '')).toMatchObject({ price: { model: 'gpt-4o' } });
    expect(await world.findUser(userId)).toMatchObject({ held_quota: 600 });
    await world.ledger.settle(call, outcome(10));
    expect(await holdsOf(userId)).toEqual([]);
  });

  test('a transaction of other code cannot take money that a hold in memory reserves', async () => {
    const call = await opened(userId, tokenId, 600);
    const debit = { userId, to: 'world:admin', kind: 'admin', reference: 'test' } as const;
    expect(await world.ledger.debit({ ...debit, idem: newId(), amount: 401 })).toMatchObject({ ok: false });
    expect(await world.ledger.debit({ ...debit, idem: newId(), amount: 400 })).toMatchObject({ ok: true });
    expect(await world.ledger.settle(call, outcome(600))).toMatchObject({ charged: 600, suspense: 0 });
  });

  test('a debit that overtakes a queued settlement cannot take money that the settlement needs', async () => {
    const call = await opened(userId, tokenId, 600);
    const settling = world.ledger.settle(call, outcome(600));
    const debit = { userId, to: 'world:admin', kind: 'admin', reference: 'test' } as const;
    const debiting = world.ledger.debit({ ...debit, idem: newId(), amount: 401 });
    expect(await settling).toMatchObject({ charged: 600, suspense: 0 });
    expect(await debiting).toMatchObject({ ok: false });
  });

  test('a single statement on users sees holds in memory', async () => {
    const call = await opened(userId, tokenId, 600);
    const { numUpdatedRows } = await store.db
      .updateTable('users')
      .set({ suspended_reason: 'x' })
      .where('id', '=', userId)
      .where('held_quota', '<', 600)
      .executeTakeFirst();
    expect(numUpdatedRows).toBe(0n);
    await world.ledger.release(call);
  });

  test('a statement on another table keeps holds and balance in memory', async () => {
    const call = await opened(userId, tokenId, 600);
    await store.db.insertInto('options').values({ key: 'x', value: 'y' }).execute();
    const second = await opened(userId, tokenId, 300);
    expect(await holdsOf(userId)).toEqual([]);
    await world.ledger.release(call);
    await world.ledger.release(second);
  });

  test('a ban between two calls refuses the second', async () => {
    await world.ledger.release(await opened(userId, tokenId, 1));
    await store.db.updateTable('users').set({ status: 2 }).where('id', '=', userId).execute();
    expect(await open(userId, tokenId, 1)).toMatchObject({ ok: false, reason: 'user_unavailable' });
  });

  test('the writer counts holds in memory when it admits another token of the user', async () => {
    const other = await world.token(userId);
    await world.ledger.release(await opened(userId, tokenId, 1));
    const call = await opened(userId, tokenId, 600);
    expect(await holdsOf(userId)).toEqual([]);
    expect(await open(userId, other, 401)).toMatchObject({ ok: false, balance: 400 });
    const second = await opened(userId, other, 400);
    expect(await world.ledger.settle(second, outcome(400))).toMatchObject({ charged: 400, balance: 0 });
    expect(await world.ledger.settle(call, outcome(600))).toMatchObject({ charged: 600, suspense: 0 });
  });

  test('a charge beyond its hold takes no money that other calls hold in memory', async () => {
    const [small, large] = [await opened(userId, tokenId, 100), await opened(userId, tokenId, 800)];
    expect(await world.ledger.settle(small, outcome(500))).toMatchObject({ charged: 200, suspense: 300 });
    expect(await world.ledger.settle(large, outcome(800))).toMatchObject({ charged: 800, suspense: 0 });
  });

  test('an extension takes no money that other calls hold in memory', async () => {
    const [small, large] = [await opened(userId, tokenId, 100), await opened(userId, tokenId, 800)];
    expect(await world.ledger.extend(small, 101)).toBe(false);
    expect(await world.ledger.extend(small, 100)).toBe(true);
    expect(await world.ledger.settle(small, outcome(200))).toMatchObject({ charged: 200, suspense: 0 });
    expect(await world.ledger.settle(large, outcome(800))).toMatchObject({ charged: 800, suspense: 0 });
  });

  test('an extension counts the hold of its own call once, which was in memory', async () => {
    const call = await opened(userId, tokenId, 600);
    expect(await world.ledger.extend(call, 400)).toBe(true);
    expect(await world.ledger.settle(call, outcome(1000))).toMatchObject({ charged: 1000, suspense: 0 });
  });

  test('what an extension took is not promised to other calls', async () => {
    const call = await opened(userId, tokenId, 100);
    expect(await world.ledger.extend(call, 400)).toBe(true);
    expect(await open(userId, tokenId, 501)).toMatchObject({ ok: false, balance: 500 });
    const other = await opened(userId, tokenId, 500);
    expect(await world.ledger.settle(call, outcome(500))).toMatchObject({ charged: 500, suspense: 0 });
    expect(await world.ledger.settle(other, outcome(500))).toMatchObject({ charged: 500, suspense: 0 });
  });

  test('a hold whose row cannot be written stays in memory, and its call is charged once', async () => {
    const [long, short] = [await opened(userId, tokenId, 300), await opened(userId, tokenId, 200)];
    const foreign = new Database(join(place.dataDir, 'tollgate.db'));
    foreign.run('begin immediate');
    world.ledger.dispatched(long);
    // The writer waits two seconds for the lock.
    for (let wait = 0; wait < 1000 && world.alerts.length === 0; wait += 1) await Bun.sleep(20);
    foreign.run('rollback');
    foreign.close();
    await world.available();
    expect(world.alerts.map(({ kind }) => kind)).toEqual(['unavailable', 'available']);
    expect(await open(userId, tokenId, 501)).toMatchObject({ ok: false, balance: 500 });
    expect(await world.ledger.settle(long, outcome(300))).toMatchObject({ charged: 300, suspense: 0 });
    expect(await world.ledger.settle(short, outcome(200))).toMatchObject({ charged: 200, suspense: 0 });
    expect(await world.findUser(userId)).toMatchObject({ quota: 500, held_quota: 0, request_count: 3 });
  });

  test('a call that ends before the failed write of its row is reported is charged once', async () => {
    const call = await opened(userId, tokenId, 300);
    const foreign = new Database(join(place.dataDir, 'tollgate.db'));
    foreign.run('begin immediate');
    world.ledger.dispatched(call);
    await Bun.sleep(500);
    const settling = world.ledger.settle(call, outcome(250));
    await Bun.sleep(2100);
    foreign.run('rollback');
    foreign.close();
    expect(await settling).toMatchObject({ charged: 250, duplicate: false });
    await world.available();
    expect(await world.findUser(userId)).toMatchObject({ quota: 750, held_quota: 0, used_quota: 250 });
    expect((await open(userId, tokenId, 751)).ok).toBe(false);
  });
});
