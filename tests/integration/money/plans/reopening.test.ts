// A subscription that is ended and opened again, and transfers beside what calls hold: to the unit, in whichever order.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { planAccount } from '#server/money/ledger/engine/subscriptions.ts';
import { bookOpeningBalance } from '#server/money/ledger/imported.ts';
import { endSubscription, reopenSubscription } from '#server/money/ledger/subscriptions.ts';
import type { Store } from '#server/platform/store/store.ts';
import { createWorld, outcome, reserve, type World } from '#tests/integration/money/ledger/world.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { age, daySeconds, planFirst, subscribe, subscriptionRow } from './world.ts';

setDefaultTimeout(60_000);

forEachDatabase((_, open) => {
  describe('a subscription and its transfers', () => {
    let store: Store;
    let world: World;
    let userId: number;
    beforeEach(async () => {
      store = await open();
      world = await createWorld(store);
      userId = await world.user(1000);
    });
    afterEach(() => world.close());

    const parts = () => ({ store, ledger: world.ledger });
    const end = (id: number, reason: string) =>
      store.db.transaction().execute((transaction) => endSubscription(parts(), transaction, id, reason));
    const reopen = (id: number, reason: string) =>
      store.db.transaction().execute((transaction) => reopenSubscription(parts(), transaction, id, reason));
    const holdOfPlan = (tokenId: number, id: number) =>
      reserve(world.ledger, userId, tokenId, 300, planFirst(id));

    test('a subscription gets back what its end took, and not what calls of an earlier period left over', async () => {
      const id = await subscribe(world, userId);
      const tokenId = await world.token(userId);
      const { requestId } = await holdOfPlan(tokenId, id);
      await world.ledger.writeHolds(userId);
      await age(store, id, daySeconds);
      await world.ledger.rollPeriod(id);
      expect(await subscriptionRow(store, id)).toMatchObject({ period: 1, quota: 1300, held: 300 });
      // 200 of the period that is over go back, after the new one was granted.
      await world.ledger.settle(requestId, outcome(100));
      expect((await subscriptionRow(store, id)).quota).toBe(1000);
      for (const reason of ['one', 'two']) {
        expect(await end(id, reason)).toBe(true);
        expect(await subscriptionRow(store, id)).toMatchObject({
          status: 'ended',
          quota: 0,
          end_reason: reason,
        });
        expect(await reopen(id, 'another')).toBe(false);
        expect(await reopen(id, reason)).toBe(true);
        expect(await subscriptionRow(store, id)).toMatchObject({
          status: 'active',
          quota: 1000,
          ended_at: 0,
        });
      }
      expect(await end(id, 'three')).toBe(true);
      expect(await end(id, 'four')).toBe(false);
      await age(store, id, daySeconds);
      // Its period is over meanwhile: the next one is granted in its turn.
      expect(await reopen(id, 'three')).toBe(true);
      expect((await subscriptionRow(store, id)).quota).toBe(0);
      await world.ledger.rollPeriod(id);
      expect(await subscriptionRow(store, id)).toMatchObject({ period: 2, quota: 1000 });
      expect(await checkInvariants(store)).toEqual([]);
    });

    test('nothing is transferred out of a subscription or a balance that running calls hold', async () => {
      const id = await subscribe(world, userId);
      const tokenId = await world.token(userId);
      await holdOfPlan(tokenId, id);
      await reserve(world.ledger, userId, tokenId, 400);
      await world.ledger.writeHolds(userId);
      const move = (from: 'user' | ReturnType<typeof planAccount>, amount: number) =>
        store.db.transaction().execute((transaction) =>
          world.ledger.transferWithin(transaction, {
            idem: `${from} ${amount}`,
            userId,
            amount,
            from,
            to: 'world:plan',
            kind: 'plan_return',
            reference: 'test',
          }),
        );
      const refused = { ok: false, reason: 'insufficient_quota' } as const;
      expect(await move(planAccount(id), 701)).toEqual(refused);
      expect(await move(planAccount(id), 700)).toMatchObject({ ok: true });
      expect(await move('user', 601)).toEqual(refused);
      expect(await move('user', 600)).toMatchObject({ ok: true, quota: 400 });
      expect((await subscriptionRow(store, id)).quota).toBe(300);
      expect(await move(planAccount(id + 1), 1)).toEqual({ ok: false, reason: 'subscription_missing' });
    });

    test('what an imported user has earned by invitations is never less than what is left of it', async () => {
      const opened = async (sourceId: string, affQuota: number, affHistoryQuota: number) => {
        const id = await world.user(0);
        await store.db.transaction().execute((transaction) =>
          bookOpeningBalance(transaction, store.dialect, {
            importId: 1,
            userId: id,
            sourceId,
            quota: 0,
            affQuota,
            affHistoryQuota,
          }),
        );
        const row = await world.findUser(id);
        return [row.aff_quota, row.aff_history_quota];
      };
      expect(await opened('a', 500, 300)).toEqual([500, 500]);
      expect(await opened('b', 500, 800)).toEqual([500, 800]);
      expect(await opened('c', 0, 70)).toEqual([0, 70]);
    });
  });
});
