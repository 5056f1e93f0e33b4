// What a user can still spend after charges that the process could not foresee: beyond the hold, by an id it did not open, or
// with an answer that was lost.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { LedgerUnavailableError } from '#server/money/ledger/ledger.ts';
import { openStore } from '#server/platform/store/store.ts';
import { startChaosProxy } from '#tests/support/chaos-proxy.ts';
import { applicationWriter, forEachDatabase, temporaryPlace } from '#tests/support/databases.ts';
import { createWorld, failureOf, logRow, newId, outcome, price, reserve, type World } from './world.ts';

setDefaultTimeout(60_000);

forEachDatabase((_label, openDatabase) => {
  describe('the balance that admits calls', () => {
    let world: World;

    beforeEach(async () => {
      world = await createWorld(await openDatabase());
    });
    afterEach(async () => {
      expect(await checkInvariants(world.store)).toEqual([]);
      await world.close();
    });

    const open = (userId: number, tokenId: number, amount: number, lifetime: 'call' | 'task' = 'call') =>
      world.ledger.open({
        requestId: newId(),
        userId,
        tokenId,
        amount,
        limits: { tokens: 0 },
        snapshot: { price, log: () => logRow(userId, tokenId) },
        expiresAt: Math.floor(Date.now() / 1000) + 600,
        lifetime,
      });

    test('sequential calls hold 100 and use 150: a balance of 1000 admits 7, and the last pays what is left', async () => {
      const userId = await world.user(1000);
      const tokenId = await world.token(userId);
      let charged = 0;
      let count = 0;
      for (; count < 20; count += 1) {
        const opening = await open(userId, tokenId, 100);
        if (!opening.ok) break;
        const settlement = await world.ledger.settle(opening.call, outcome(150));
        charged += settlement.charged;
        expect(settlement).toMatchObject(count < 6 ? { suspense: 0 } : { charged: 100, suspense: 50 });
      }
      expect(count).toBe(7);
      expect(charged).toBe(1000);
      expect(await world.findUser(userId)).toMatchObject({ quota: 0, held_quota: 0 });
    });

    test('does not promise to another call what a charge beyond its hold takes, while that is on its way (M21)', async () => {
      const userId = await world.user(1000);
      const tokenId = await world.token(userId);
      const warm = await open(userId, tokenId, 10);
      if (!warm.ok) throw new Error(warm.reason);
      await world.ledger.release(warm.call);
      const first = await open(userId, tokenId, 100);
      if (!first.ok) throw new Error(first.reason);
      const settling = world.ledger.settle(first.call, outcome(600));
      const next = await open(userId, tokenId, 900);
      expect(next).toMatchObject({ ok: false });
      expect(await settling).toMatchObject({ charged: 600, suspense: 0 });
      const last = await open(userId, tokenId, 400);
      if (!last.ok) throw new Error(last.reason);
      expect(await world.ledger.settle(last.call, outcome(400))).toMatchObject({ charged: 400, suspense: 0 });
    });

    test('leaves of a limited token what calls whose holds are in the tables do not hold (M21)', async () => {
      const userId = await world.user(10_000);
      const tokenId = await world.token(userId, { unlimited_quota: 0, remain_quota: 1000 });
      // Nothing is known of the token before, so this hold gets its row at once.
      const first = await open(userId, tokenId, 400);
      expect((await open(userId, tokenId, 601)).ok).toBe(false);
      const second = await open(userId, tokenId, 600);
      for (const opening of [first, second]) {
        if (!opening.ok) throw new Error(opening.reason);
        await world.ledger.release(opening.call);
      }
    });

    test('counts a task that ends by its id and uses more than it held', async () => {
      const userId = await world.user(1000);
      const tokenId = await world.token(userId);
      const task = await open(userId, tokenId, 100, 'task');
      if (!task.ok) throw new Error(task.reason);
      const warm = await open(userId, tokenId, 10);
      if (!warm.ok) throw new Error(warm.reason);
      await world.ledger.release(warm.call);
      // By its id alone, as another node or a later run would end it; its owner is known by its row.
      expect(await world.ledger.settle(task.call.requestId, outcome(600))).toMatchObject({ charged: 600 });
      expect((await open(userId, tokenId, 401)).ok).toBe(false);
      const last = await open(userId, tokenId, 400);
      expect(last.ok).toBe(true);
      if (last.ok) await world.ledger.release(last.call);
    });
  });
});

test('a hold whose answer was lost on the way is given back when PostgreSQL is reachable again', async () => {
  const place = await temporaryPlace('postgres');
  const address = new URL(place.databaseUrl ?? '');
  await using proxy = await startChaosProxy({ port: Number(address.port) });
  address.port = String(proxy.port);
  const store = await openStore({
    dataDir: place.dataDir,
    databaseUrl: address.href,
    writerEntry: applicationWriter,
    onFault: () => {},
  });
  const world = await createWorld(store);
  try {
    const userId = await world.user(1000);
    // The connection is open and its rows are known: the next hold is one statement.
    const first = await reserve(world.ledger, userId, 0, 10);
    await world.ledger.release(first.requestId);
    proxy.spoil({ toClient: { stallAfterBytes: 0 } });
    const lost = await failureOf(reserve(world.ledger, userId, 0, 300));
    expect(lost).toBeInstanceOf(LedgerUnavailableError);
    proxy.spoil({});
    for (let wait = 0; wait < 2000; wait += 1) {
      if (world.alerts.some(({ kind }) => kind === 'available')) break;
      await Bun.sleep(20);
    }
    expect(world.alerts).toContainEqual({ kind: 'available', replayed: 1 });
    expect(await world.findUser(userId)).toMatchObject({ quota: 1000, held_quota: 0 });
    expect(await checkInvariants(store)).toEqual([]);
  } finally {
    await world.close();
    await store.close();
    await place.remove();
  }
});
