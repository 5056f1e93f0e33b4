// A call is divided between a subscription and the balance to the unit, whichever way it goes and whenever it ends.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { openRunningSubscription } from '#server/money/ledger/imported-subscriptions.ts';
import { endSubscription, reopenSubscription } from '#server/money/ledger/subscriptions.ts';
import type { Store } from '#server/platform/store/store.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { createWorld, logRow, outcome, reserve, type World } from '#tests/integration/money/ledger/world.ts';
import { age, daySeconds, paidBy, planFirst, subscribe, subscriptionRow, walletFirst } from './world.ts';

setDefaultTimeout(60_000);

forEachDatabase((_label, open) => {
  describe('calls with a subscription', () => {
    let store: Store;
    let world: World;
    let userId: number;
    let tokenId: number;
    let plan: number;
    beforeEach(async () => {
      store = await open();
      world = await createWorld(store);
      userId = await world.user(5000);
      tokenId = await world.token(userId, { unlimited_quota: 0, remain_quota: 100_000 });
      plan = await subscribe(world, userId);
    });
    afterEach(async () => {
      expect(await checkInvariants(store)).toEqual([]);
      await world.close();
    });

    const row = () => subscriptionRow(store, plan);
    const expectPockets = async (wallet: readonly number[], subscription: readonly number[]) => {
      const user = await world.findUser(userId);
      const { quota, held } = await row();
      expect({
        wallet: [user.quota, user.held_quota, user.plan_held_quota],
        subscription: [quota, held],
      }).toEqual({ wallet: [...wallet], subscription: [...subscription] });
    };

    /** What was reserved, the charge, and what each pocket pays. The subscription has 1000, the balance 5000. */
    const cases: [string, boolean, number, number, { plan: number; wallet: number }][] = [
      ['the subscription covers it', true, 800, 700, { plan: 700, wallet: 0 }],
      ['the balance covers the rest', true, 1500, 1300, { plan: 1000, wallet: 300 }],
      ['one unit beyond the subscription', true, 1001, 1001, { plan: 1000, wallet: 1 }],
      ['the charge is beyond the hold', true, 100, 1200, { plan: 1000, wallet: 200 }],
      ['less than the subscription of a divided hold', true, 1500, 900, { plan: 900, wallet: 0 }],
      ['the balance first', false, 800, 700, { plan: 0, wallet: 700 }],
      ['the balance first, then the subscription', false, 5500, 5200, { plan: 200, wallet: 5000 }],
      ['the balance first, beyond the hold', false, 100, 5600, { plan: 600, wallet: 5000 }],
      ['nothing', true, 300, 0, { plan: 0, wallet: 0 }],
    ];
    for (const [what, isPlanFirst, held, charge, expected] of cases) {
      test(`${what}: charge ${charge} = ${expected.plan} + ${expected.wallet}`, async () => {
        const choice = isPlanFirst ? planFirst(plan) : walletFirst(plan);
        const { requestId, admission } = await reserve(world.ledger, userId, tokenId, held, choice);
        expect(admission.ok).toBe(true);
        const heldPlan = isPlanFirst ? Math.min(held, 1000) : Math.max(0, held - 5000);
        await expectPockets([5000, held - heldPlan, heldPlan], [1000, heldPlan]);
        expect((await world.findToken(tokenId)).held_quota).toBe(held);
        const log = logRow(userId, tokenId);
        const channelId = await world.channel();
        const settlement = await world.ledger.settle(requestId, outcome(charge, { log, channelId }));
        expect(settlement).toMatchObject({ charged: charge, suspense: 0, duplicate: false });
        await expectPockets([5000 - expected.wallet, 0, 0], [1000 - expected.plan, 0]);
        expect(await paidBy(store, requestId)).toEqual({
          [`user:${userId}`]: expected.wallet,
          ...(expected.plan > 0 ? { [`plan:${plan}`]: expected.plan } : {}),
        });
        // Counters and the log know the whole charge.
        expect((await world.findUser(userId)).used_quota).toBe(charge);
        expect(
          await store.db.selectFrom('channels').select('used_quota').where('id', '=', channelId).execute(),
        ).toEqual([{ used_quota: charge }]);
        expect(await world.findToken(tokenId)).toMatchObject({
          used_quota: charge,
          remain_quota: 100_000 - charge,
        });
        const logged = await store.db
          .selectFrom('logs')
          .selectAll()
          .where('type', '=', 2)
          .executeTakeFirstOrThrow();
        expect(logged.quota).toBe(charge);
        const shown = JSON.parse(logged.other) as { plan?: unknown };
        expect(shown.plan).toEqual(
          expected.plan > 0 ? { subscription: plan, quota: expected.plan } : undefined,
        );
        // A second settlement changes nothing and says what was paid.
        expect(await world.ledger.settle(requestId, outcome(charge))).toMatchObject({
          duplicate: true,
          charged: charge,
        });
      });
    }

    test('neither pocket goes below zero: what is missing is refused, and after the fact booked to suspense', async () => {
      const refused = await reserve(world.ledger, userId, tokenId, 6001, planFirst(plan));
      expect(refused.admission).toMatchObject({ ok: false, reason: 'insufficient_user_quota' });
      const { requestId } = await reserve(world.ledger, userId, tokenId, 6000, planFirst(plan));
      expect(await world.ledger.settle(requestId, outcome(7500))).toMatchObject({
        charged: 6000,
        suspense: 1500,
      });
      await expectPockets([0, 0, 0], [0, 0]);
    });

    test('a subscription with nothing left is passed over; a required one refuses', async () => {
      const second = await subscribe(world, userId);
      const first = await reserve(world.ledger, userId, tokenId, 1000, planFirst(plan, second));
      await world.ledger.settle(first.requestId, outcome(1000));
      const next = await reserve(world.ledger, userId, tokenId, 10, planFirst(plan, second));
      await world.ledger.settle(next.requestId, outcome(10));
      expect((await subscriptionRow(store, second)).quota).toBe(990);
      const required = { plans: { ids: [plan], isPlanFirst: true, isRequired: true } };
      const { admission } = await reserve(world.ledger, userId, tokenId, 10, required);
      expect(admission).toMatchObject({ ok: false, reason: 'plan_empty' });
    });

    test('a call after ordinary ones, whose balance is known in memory, is paid by the subscription', async () => {
      for (let round = 0; round < 3; round += 1) {
        const { requestId } = await reserve(world.ledger, userId, tokenId, 10);
        await world.ledger.settle(requestId, outcome(10));
      }
      const { requestId } = await reserve(world.ledger, userId, tokenId, 100, planFirst(plan));
      const beside = await reserve(world.ledger, userId, tokenId, 4970);
      expect(beside.admission.ok).toBe(true);
      await world.ledger.settle(requestId, outcome(100));
      await world.ledger.settle(beside.requestId, outcome(4970));
      await expectPockets([0, 0, 0], [900, 0]);
    });

    for (const [how, charge] of [
      ['released', undefined],
      ['charged less', 100],
    ] as const)
      test(`a call that is ${how} gives the balance nothing that the subscription held (M21)`, async () => {
        const covered = await reserve(world.ledger, userId, tokenId, 800, planFirst(plan));
        const beside = await reserve(world.ledger, userId, tokenId, 10);
        if (charge === undefined) await world.ledger.release(covered.requestId);
        else await world.ledger.settle(covered.requestId, outcome(charge));
        const tooLarge = await reserve(world.ledger, userId, tokenId, 4991);
        expect(tooLarge.admission).toMatchObject({ ok: false, reason: 'insufficient_user_quota' });
        const exact = await reserve(world.ledger, userId, tokenId, 4990);
        expect(exact.admission.ok).toBe(true);
        for (const { requestId } of [beside, exact]) await world.ledger.release(requestId);
        await expectPockets([5000, 0, 0], [1000 - (charge ?? 0), 0]);
      });

    test('the subscription of another user pays nothing', async () => {
      const other = await subscribe(world, await world.user(0));
      const { requestId } = await reserve(world.ledger, userId, tokenId, 100, planFirst(other));
      await world.ledger.settle(requestId, outcome(100));
      expect((await subscriptionRow(store, other)).quota).toBe(1000);
      await expectPockets([4900, 0, 0], [1000, 0]);
    });

    test('an extension that a subscription pays stays within the limit of the token (M21)', async () => {
      const limited = await world.token(userId, { unlimited_quota: 0, remain_quota: 300 });
      const { requestId } = await reserve(world.ledger, userId, limited, 200, planFirst(plan));
      expect(await world.ledger.extend(requestId, 101)).toBe(false);
      expect(await world.ledger.extend(requestId, 100)).toBe(true);
      expect(await world.findToken(limited)).toMatchObject({ remain_quota: 300, held_quota: 300 });
      await expectPockets([5000, 0, 300], [1000, 300]);
      await world.ledger.release(requestId);
    });

    test('an extension takes from the same pockets in the same order', async () => {
      const { requestId } = await reserve(world.ledger, userId, tokenId, 900, planFirst(plan));
      expect(await world.ledger.extend(requestId, 400)).toBe(true);
      await expectPockets([5000, 300, 1000], [1000, 1000]);
      expect(await world.ledger.extend(requestId, 4701)).toBe(false);
      await world.ledger.release(requestId);
      await expectPockets([5000, 0, 0], [1000, 0]);
    });

    test('the row of a hold that grew has the part of the subscription with it, for whoever ends it (M21)', async () => {
      const { requestId } = await reserve(world.ledger, userId, tokenId, 300, planFirst(plan));
      expect(await world.ledger.extend(requestId, 200)).toBe(true);
      const holds = store.db.selectFrom('holds').select(['amount', 'plan_amount']);
      expect(await holds.where('id', '=', requestId).execute()).toEqual([{ amount: 500, plan_amount: 500 }]);
      expect(await checkInvariants(store)).toEqual([]);
      await world.ledger.release(requestId);
    });

    test('the end of a call that the subscription covers leaves what another call holds of the balance (M21)', async () => {
      const other = await reserve(world.ledger, userId, tokenId, 400);
      const { requestId } = await reserve(world.ledger, userId, tokenId, 300, planFirst(plan));
      await world.ledger.writeHolds(userId);
      await world.ledger.settle(requestId, outcome(300));
      await expectPockets([5000, 400, 0], [700, 0]);
      await world.ledger.release(other.requestId);
    });

    test('a budget counts what calls hold of subscriptions', async () => {
      const limited = await world.user(5000, { day_budget: 1000 });
      const own = await subscribe(world, limited);
      const token = await world.token(limited);
      const first = await reserve(world.ledger, limited, token, 800, planFirst(own));
      expect(first.admission.ok).toBe(true);
      const second = await reserve(world.ledger, limited, token, 300, planFirst(own));
      expect(second.admission).toMatchObject({ ok: false, reason: 'day_budget' });
      expect(await world.ledger.extend(first.requestId, 300)).toBe(false);
      await world.ledger.release(first.requestId);
    });

    test('a period that is over is not spent, although no job ended it: the new one is granted first', async () => {
      const before = await reserve(world.ledger, userId, tokenId, 400, planFirst(plan));
      await world.ledger.settle(before.requestId, outcome(400));
      await age(store, plan, daySeconds);
      const { requestId } = await reserve(world.ledger, userId, tokenId, 900, planFirst(plan));
      await expectPockets([5000, 0, 900], [1000, 900]);
      expect(await row()).toMatchObject({ period: 1 });
      await world.ledger.settle(requestId, outcome(900));
      expect(await world.ledger.rollPeriod(plan)).toBe(false);
    });

    test('a call that outlives its period pays from its own part; what is left over is given back', async () => {
      const { requestId } = await reserve(world.ledger, userId, tokenId, 1000, planFirst(plan));
      await age(store, plan, daySeconds);
      expect(await world.ledger.rollPeriod(plan)).toBe(true);
      await expectPockets([5000, 0, 1000], [2000, 1000]);
      // The new period pays nothing for it: the balance pays for the extension and for what is beyond.
      expect(await world.ledger.extend(requestId, 200)).toBe(true);
      await expectPockets([5000, 200, 1000], [2000, 1000]);
      await world.ledger.settle(requestId, outcome(600));
      await expectPockets([5000, 0, 0], [1000, 0]);
      const again = await reserve(world.ledger, userId, tokenId, 100, planFirst(plan));
      await age(store, plan, daySeconds);
      await world.ledger.settle(again.requestId, outcome(700));
      await expectPockets([4400, 0, 0], [1000, 0]);
    });

    test('a call that outlives the subscription settles or is released, and leaves nothing behind', async () => {
      const settled = await reserve(world.ledger, userId, tokenId, 300, planFirst(plan));
      const released = await reserve(world.ledger, userId, tokenId, 200, planFirst(plan));
      await age(store, plan, 30 * daySeconds);
      const late = await reserve(world.ledger, userId, tokenId, 50, planFirst(plan));
      await world.ledger.settle(late.requestId, outcome(50));
      expect(await row()).toMatchObject({ status: 'ended', quota: 500, held: 500 });
      await world.ledger.settle(settled.requestId, outcome(250));
      await world.ledger.release(released.requestId);
      await expectPockets([4950, 0, 0], [0, 0]);
    });

    test('a subscription whose time is over is ended, and says since when (M21)', async () => {
      await age(store, plan, 30 * daySeconds);
      const before = Math.floor(Date.now() / 1000);
      expect(await world.ledger.rollPeriod(plan)).toBe(true);
      const { status, ended_at, quota } = await row();
      expect({ status, quota }).toEqual({ status: 'ended', quota: 0 });
      expect(ended_at).toBeGreaterThanOrEqual(before - 1);
      expect(await world.ledger.rollPeriod(plan)).toBe(false);
    });

    test('one that ends inside its last period is ended by a roll that is late, and nothing is granted (M21)', async () => {
      const now = Math.floor(Date.now() / 1000);
      // As imported: six days of a period are left, and the last one ends three days after its start.
      const endsAt = now + 9 * daySeconds;
      const imported = await store.db.transaction().execute((transaction) =>
        openRunningSubscription(transaction, store.dialect, {
          importId: 1,
          userId,
          planId: 1,
          planName: 'Weekly',
          periodQuota: 700,
          left: 400,
          endsAt,
          reset: { nextAt: now + 6 * daySeconds, interval: { unit: 'day', count: 7 } },
        }),
      );
      // Nothing was rolled since: the last period would run for three more days.
      await age(store, imported, 10 * daySeconds);
      expect(await world.ledger.rollPeriod(imported)).toBe(true);
      expect(await subscriptionRow(store, imported)).toMatchObject({ status: 'ended', quota: 0 });
      const grants = store.db.selectFrom('ledger').select('amount').where('kind', '=', 'plan_grant');
      expect(await grants.where('credit_account', '=', `plan:${imported}`).execute()).toEqual([
        { amount: 400 },
      ]);
    });

    test('periods that nobody used are skipped: only the current one is granted', async () => {
      await age(store, plan, 5 * daySeconds);
      expect(await world.ledger.rollPeriod(plan)).toBe(true);
      expect(await row()).toMatchObject({ period: 5, quota: 1000 });
    });

    test('a transfer never takes what running calls hold', async () => {
      const { requestId } = await reserve(world.ledger, userId, tokenId, 300, planFirst(plan));
      const take = (amount: number, to: 'world:plan' | 'user') => {
        const transfer = { idem: `take:${amount}:${to}`, userId, amount, to, kind: 'test', reference: '' };
        return store.db
          .transaction()
          .execute((transaction) =>
            world.ledger.transferWithin(transaction, { ...transfer, from: `plan:${plan}` }),
          );
      };
      expect(await take(701, 'world:plan')).toEqual({ ok: false, reason: 'insufficient_quota' });
      expect(await take(700, 'world:plan')).toMatchObject({ ok: true });
      await world.ledger.settle(requestId, outcome(300));
      await expectPockets([5000, 0, 0], [0, 0]);
    });

    test('no pocket exceeds the cap, and none of another user is filled (M21)', async () => {
      const transfer = (to: 'aff' | 'agent' | `plan:${number}`, amount: number, owner = userId) =>
        store.db.transaction().execute((transaction) =>
          world.ledger.transferWithin(transaction, {
            idem: `${to}:${owner}:${amount}`,
            userId: owner,
            amount,
            from: 'world:admin',
            to,
            kind: 'admin',
            reference: '',
          }),
        );
      for (const to of ['aff', 'agent', `plan:${plan}`] as const) {
        expect(await transfer(to, 10)).toMatchObject({ ok: true });
        const tooMuch = await transfer(to, Number.MAX_SAFE_INTEGER - 9);
        expect([to, tooMuch]).toEqual([to, { ok: false, reason: 'over_limit' }]);
      }
      const missing = { ok: false, reason: 'subscription_missing' } as const;
      expect(await transfer(`plan:${plan}`, 20, await world.user(0))).toEqual(missing);
      await expectPockets([5000, 0, 0], [1010, 0]);
    });

    test('an early end gives back what no call holds; undone, it is there again', async () => {
      const { requestId } = await reserve(world.ledger, userId, tokenId, 300, planFirst(plan));
      const change = (work: typeof endSubscription, reason: string) =>
        store.db.transaction().execute((transaction) => work(world, transaction, plan, reason));
      expect(await change(endSubscription, 'refund:1')).toBe(true);
      expect(await change(endSubscription, 'refund:2')).toBe(false);
      await expectPockets([5000, 0, 300], [300, 300]);
      expect(await change(reopenSubscription, 'refund:2')).toBe(false);
      expect(await change(reopenSubscription, 'refund:1')).toBe(true);
      await world.ledger.settle(requestId, outcome(100));
      await expectPockets([5000, 0, 0], [900, 0]);
    });

    test('ends that are undone one after the other give back the same quota each time, not more (M21)', async () => {
      const { requestId } = await reserve(world.ledger, userId, tokenId, 300, planFirst(plan));
      await world.ledger.settle(requestId, outcome(100));
      for (const reason of ['refund:1', 'dispute:1:1', 'refund:2']) {
        for (const change of [endSubscription, reopenSubscription])
          expect(
            await store.db.transaction().execute((transaction) => change(world, transaction, plan, reason)),
          ).toBe(true);
        await expectPockets([5000, 0, 0], [900, 0]);
      }
    });

    test('an end that is undone after its period is over gives that period back to nobody (M21)', async () => {
      const change = (work: typeof endSubscription) =>
        store.db.transaction().execute((transaction) => work(world, transaction, plan, 'refund:1'));
      expect(await change(endSubscription)).toBe(true);
      await age(store, plan, daySeconds);
      expect(await change(reopenSubscription)).toBe(true);
      await expectPockets([5000, 0, 0], [0, 0]);
      // The next period is granted in its turn, and is all there is.
      const { requestId } = await reserve(world.ledger, userId, tokenId, 300, planFirst(plan));
      await world.ledger.settle(requestId, outcome(100));
      await expectPockets([5000, 0, 0], [900, 0]);
    });

    test('an end that is undone does not give back what a call of an earlier period left over (M21)', async () => {
      const { requestId } = await reserve(world.ledger, userId, tokenId, 300, planFirst(plan));
      await age(store, plan, daySeconds);
      expect(await world.ledger.rollPeriod(plan)).toBe(true);
      await world.ledger.settle(requestId, outcome(100));
      await expectPockets([5000, 0, 0], [1000, 0]);
      const change = (work: typeof endSubscription) =>
        store.db.transaction().execute((transaction) => work(world, transaction, plan, 'refund:1'));
      expect(await change(endSubscription)).toBe(true);
      expect(await change(reopenSubscription)).toBe(true);
      await expectPockets([5000, 0, 0], [1000, 0]);
    });

    test('the hold of a task keeps its subscription on another node and after a restart', async () => {
      const task = { ...planFirst(plan), lifetime: 'task' as const };
      const { requestId } = await reserve(world.ledger, userId, tokenId, 1200, task);
      const other = await world.reopen({ nodeId: 'node-2' });
      expect(await other.settle(requestId, outcome(1100))).toMatchObject({ charged: 1100 });
      await expectPockets([4900, 0, 0], [0, 0]);
      const failed = await reserve(world.ledger, userId, tokenId, 100, task);
      await other.release(failed.requestId);
      await expectPockets([4900, 0, 0], [0, 0]);
    });
  });
});
