// Each test breaks one invariant by direct SQL without the guards, and the check must find it; intact books must pass.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { sql } from 'kysely';
import { createMoneyAudit } from '#server/billing/audit.ts';
import { withoutPause } from '#server/billing/audit/breach.ts';
import { orderIdem, redemptionIdem } from '#server/billing/idempotency.ts';
import { checkInvariants, invariantNames, type Breach } from '#server/billing/invariants.ts';
import type { Store } from '#server/store/store.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { planFirst, subscribe } from '#tests/integration/plans/world.ts';
import { addVersion, apply, dryRun, makeCall, startPrices } from '#tests/integration/rerating/world.ts';
import { disputeCorruptions } from './dispute-corruptions.ts';
import { removeGuards } from './guards.ts';
import { createWorld, logRow, newId, outcome, reserve, type World } from './world.ts';

// A database server may have to start first, on a busy machine.
setDefaultTimeout(60_000);

forEachDatabase((label, open) => {
  // An inner block, so that its hooks run before the store is closed.
  describe('money invariants', () => {
    let world: World;
    let store: Store;
    let userId: number;
    let tokenId: number;
    let plan: number;

    beforeEach(async () => {
      store = await open();
      world = await createWorld(store);
      userId = await world.user(10_000);
      tokenId = await world.token(userId);
      const { requestId } = await reserve(world.ledger, userId, tokenId, 500);
      await world.ledger.settle(requestId, outcome(420, { log: logRow(userId, tokenId) }));
      await reserve(world.ledger, userId, tokenId, 300);
      plan = await subscribe(world, userId);
    });
    afterEach(() => world.close());

    async function paidOrder(quota: number, booked: number): Promise<void> {
      const tradeNumber = newId();
      const now = Math.floor(Date.now() / 1000);
      await store.db
        .insertInto('orders')
        .values({
          trade_no: tradeNumber,
          user_id: userId,
          provider: 'epay',
          amount_minor: 100,
          currency: 'CNY',
          quota,
          status: 'paid',
          created_at: now,
        })
        .execute();
      if (booked === 0) return;
      const entry = {
        idem: orderIdem(tradeNumber),
        userId,
        amount: booked,
        kind: 'topup',
        reference: tradeNumber,
      };
      await world.ledger.credit({ ...entry, from: 'world:topup:epay' });
    }

    async function usedCode(quota: number, booked: number): Promise<void> {
      const { id } = await store.db
        .insertInto('redemptions')
        .values({ key_digest: newId(), quota, status: 3, used_user_id: userId })
        .returning('id')
        .executeTakeFirstOrThrow();
      if (booked === 0) return;
      const entry = { idem: redemptionIdem(id), userId, amount: booked, kind: 'redeem', reference: '' };
      await world.ledger.credit({ ...entry, from: 'world:redeem' });
    }

    const breaches: Breach[] = [];
    const startAudit = () =>
      createMoneyAudit({ store, onBreach: (breach) => breaches.push(breach), pause: withoutPause });
    beforeEach(() => breaches.splice(0));

    const user = () => store.db.updateTable('users').where('id', '=', userId);
    const use = () => store.db.updateTable('ledger').where('user_id', '=', userId).where('kind', '=', 'use');
    const refund = (quota: number) =>
      store.db
        .insertInto('refunds')
        .values({ request_id: newId(), order_id: 1, user_id: userId, created_at: 1, quota })
        .execute();

    const credit = (kind: string, from: 'world:topup:epay' | 'world:redeem' | 'world:checkin') =>
      world.ledger.credit({ idem: newId(), userId, amount: 5, from, kind, reference: '' });

    const subscription = () => store.db.updateTable('subscriptions').where('id', '=', plan);
    /** A call that both pockets pay for. */
    const dividedCall = async () => {
      const { requestId } = await reserve(world.ledger, userId, tokenId, 1500, planFirst(plan));
      await world.ledger.settle(requestId, outcome(1200, { log: logRow(userId, tokenId) }));
      return requestId;
    };

    /** A call of 500 that a re-rating has made 250. */
    const correctedCall = async () => {
      await addVersion(store, startPrices);
      const call = { userId, tokenId, channelId: 7, model: 'alpha', group: 'default' } as const;
      const usage = { input: 100, output: 100, cacheRead: 0 };
      const requestId = await makeCall(world, { ...call, usage }, startPrices);
      const version_id = await addVersion(store, { ...startPrices, alpha: 50 });
      await apply(store, await dryRun(store, { version_id }));
      expect(await checkInvariants(store)).toEqual([]);
      return requestId;
    };

    const agent = (owed_quota: number) =>
      store.db
        .insertInto('agents')
        .values({ user_id: userId, rate: 1000, owed_quota, created_at: 1, updated_at: 1 })
        .execute();
    const dividend = (columns: { idem?: string; amount: number; owed?: number }) =>
      store.db
        .insertInto('dividends')
        .values({ idem: newId(), created_at: 1, agent_id: userId, customer_id: 1, level: 1, ...columns })
        .execute();
    const moveDividend = (idem: string, kind: string) =>
      store.db.transaction().execute((transaction) =>
        world.ledger.transferWithin(transaction, {
          idem,
          userId,
          amount: 50,
          from: 'world:dividend',
          to: 'agent',
          kind,
          reference: '',
        }),
      );
    const payDividend = (idem: string) => moveDividend(idem, 'dividend');
    const withdrawal = async (status: 'requested' | 'refused' = 'requested') => {
      const { id } = await store.db
        .insertInto('withdrawals')
        .values({
          request_id: newId(),
          user_id: userId,
          created_at: 1,
          method: 'bank',
          account: 'somebody',
          quota: 50,
          status,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    };

    /** The corruption, and the invariant that must report it. */
    const corruptions: [invariant: string, how: string, plant: () => Promise<unknown>, only?: 'postgres'][] =
      [
        [
          'every transfer moves an amount between two known accounts',
          'an account without a user',
          () => use().set({ credit_account: 'pocket' }).execute(),
        ],
        [
          'every transfer moves an amount between two known accounts',
          'the account of another user',
          () => use().set({ debit_account: 'user:999' }).execute(),
        ],
        [
          'every transfer moves an amount between two known accounts',
          'a negative amount',
          () => use().set({ amount: -420 }).execute(),
          'postgres',
        ],
        [
          'every key is booked once',
          'a doubled charge',
          () =>
            sql`insert into ledger (idem, created_at, user_id, debit_account, credit_account, amount, kind)
        select idem, created_at, user_id, debit_account, credit_account, amount, kind from ledger where kind = 'use'`.execute(
              store.db,
            ),
          'postgres',
        ],
        [
          'a balance is the sum of its transfers',
          'a balance set by hand',
          () => user().set({ quota: 9999 }).execute(),
        ],
        [
          'a balance is the sum of its transfers',
          'a transfer removed',
          () => sql`delete from ledger where kind = 'use'`.execute(store.db),
        ],
        [
          'a balance is the sum of its transfers',
          'a user removed with money',
          () => store.db.deleteFrom('users').where('id', '=', userId).execute(),
        ],
        [
          'an invite balance is the sum of its transfers',
          'a reward that was not booked',
          () => user().set({ aff_quota: 50 }).execute(),
        ],
        [
          'what a user has on hold is the sum of its holds',
          'a hold lost',
          () => store.db.deleteFrom('holds').execute(),
        ],
        [
          'what a user has on hold is the sum of its holds',
          'a held amount left over',
          () => user().set({ held_quota: 301 }).execute(),
        ],
        [
          'what a token has on hold is the sum of its holds',
          'a held amount left over',
          () => store.db.updateTable('tokens').set({ held_quota: 0 }).where('id', '=', tokenId).execute(),
        ],
        [
          'holds stay between zero and the balance',
          'more held than there is',
          () => user().set({ quota: 100 }).execute(),
          'postgres',
        ],
        [
          'the used total is the sum of the charges',
          'a used total set by hand',
          () => user().set({ used_quota: 0 }).execute(),
        ],
        [
          'the hourly figures are the sum of the charges',
          'an hour changed',
          () => store.db.updateTable('usage_hours').set({ quota: 421 }).execute(),
        ],
        [
          'the hourly figures are the sum of the charges',
          'an hour lost',
          () => store.db.deleteFrom('usage_hours').execute(),
        ],
        [
          'a log row shows what was charged',
          'another figure in the log',
          () => store.db.updateTable('logs').set({ quota: 1 }).execute(),
        ],
        [
          'a log row shows what was charged',
          'an unpaid consumption',
          () =>
            store.db
              .insertInto('logs')
              .values({ type: 2, created_at: 1, user_id: userId, quota: 7 })
              .execute(),
        ],
        [
          'a logged charge has its log row',
          'a log row removed from the middle',
          async () => {
            await store.db
              .insertInto('logs')
              .values({ type: 2, created_at: 1, user_id: userId, quota: 0 })
              .execute();
            await store.db.deleteFrom('logs').where('quota', '>', 0).execute();
          },
        ],
        [
          'the kept sums are the sums of the ledger',
          'a kept sum changed',
          async () => {
            await startAudit().check();
            await sql`update ledger_sums set balance = balance + 1 where month = 0 and user_id = ${userId}`.execute(
              store.db,
            );
          },
        ],
        [
          'the kept sums are the sums of the ledger',
          'a month lost',
          async () => {
            await startAudit().check();
            await sql`delete from ledger_sums where month > 0 and user_id = ${userId}`.execute(store.db);
          },
        ],
        [
          'a log row shows what was charged',
          'a divided charge of which the log shows one part',
          async () => {
            const requestId = await dividedCall();
            await store.db
              .updateTable('logs')
              .set({ quota: 200 })
              .where('request_id', '=', requestId)
              .execute();
          },
        ],
        [
          'every transfer moves an amount between two known accounts',
          'the subscription of another user',
          async () => {
            const other = await subscribe(world, await world.user(0));
            await use()
              .set({ debit_account: `plan:${other}` })
              .execute();
          },
        ],
        [
          'the quota of subscriptions is the sum of its transfers',
          'a subscription filled by hand',
          () => subscription().set({ quota: 1001 }).execute(),
        ],
        [
          'the quota of each subscription is the sum of its account',
          'quota moved between two subscriptions',
          async () => {
            const second = await subscribe(world, userId);
            await subscription().set({ quota: 1001 }).execute();
            await store.db
              .updateTable('subscriptions')
              .set({ quota: 999 })
              .where('id', '=', second)
              .execute();
          },
        ],
        [
          'what a user has on hold in subscriptions is the sum of its holds',
          'a held amount left over',
          () => user().set({ plan_held_quota: 7 }).execute(),
        ],
        [
          'what a subscription has on hold is the sum of its holds',
          'a held amount left over',
          () => subscription().set({ held: 7 }).execute(),
        ],
        [
          'an ended subscription has only what its last calls hold',
          'an end that gave nothing back',
          () => subscription().set({ status: 'ended' }).execute(),
        ],
        [
          'subscriptions and what was paid for them match one to one',
          'a sold subscription without payment',
          () => subscription().set({ source: 'balance', price_quota: 10 }).execute(),
        ],
        [
          'subscriptions and what was paid for them match one to one',
          'a payment without subscription',
          () => {
            const payment = { idem: newId(), userId, amount: 5, kind: 'plan_purchase', reference: '' };
            return world.ledger.debit({ ...payment, to: 'world:plan' });
          },
        ],
        [
          'subscriptions and what was paid for them match one to one',
          'a subscription of an order that was not paid',
          () => subscription().set({ source: 'order', order_id: 99 }).execute(),
        ],
        [
          'paid orders and top-ups match one to one',
          'a paid order of a plan without subscription',
          async () => {
            await paidOrder(0, 0);
            await store.db.updateTable('orders').set({ plan_id: 1 }).execute();
          },
        ],
        ['paid orders and top-ups match one to one', 'a paid order without credit', () => paidOrder(500, 0)],
        [
          'paid orders and top-ups match one to one',
          'a paid order with another credit',
          () => paidOrder(500, 400),
        ],
        [
          'paid orders and top-ups match one to one',
          'a top-up without order',
          () => credit('topup', 'world:topup:epay'),
        ],
        ['refunds and their entries match one to one', 'a refund without its entry', () => refund(5)],
        [
          'refunds and their entries match one to one',
          'an entry without its refund',
          () => credit('topup_refund_reversed', 'world:topup:epay'),
        ],
        [
          'refunds and their entries match one to one',
          'an order that counts no refund',
          async () => {
            await paidOrder(500, 500);
            await store.db.updateTable('orders').set({ refunded_quota: 1 }).execute();
          },
        ],
        ...disputeCorruptions(() => ({ world, userId }), paidOrder),
        [
          'a user is rewarded for one check-in a day',
          'a check-in under another key',
          () => credit('checkin', 'world:checkin'),
        ],
        ['used codes and redemptions match one to one', 'a used code without credit', () => usedCode(500, 0)],
        [
          'used codes and redemptions match one to one',
          'a used code with another credit',
          () => usedCode(500, 600),
        ],
        [
          'used codes and redemptions match one to one',
          'a redemption without code',
          () => credit('redeem', 'world:redeem'),
        ],
        [
          'a dividend balance is the sum of its transfers',
          'a dividend that was not booked',
          () => user().set({ dividend_quota: 50 }).execute(),
        ],
        [
          'dividend records and their entries match one to one',
          'a record without its entry',
          () => dividend({ amount: 50 }),
        ],
        [
          'dividend records and their entries match one to one',
          'an entry without its record',
          () => payDividend(newId()),
        ],
        [
          'dividend records and their entries match one to one',
          'a record with another amount',
          async () => {
            const idem = newId();
            await payDividend(idem);
            await dividend({ idem, amount: 49 });
          },
        ],
        ['what an agent owes is the sum of its records', 'a debt without a record', () => agent(5)],
        [
          'what an agent owes is the sum of its records',
          'a balance beside a debt',
          async () => {
            await agent(5);
            const idem = newId();
            await payDividend(idem);
            await dividend({ idem, amount: 50 });
            await dividend({ amount: 0, owed: 5 });
          },
        ],
        ['withdrawals and their entries match one to one', 'a request without its entry', () => withdrawal()],
        [
          'withdrawals and their entries match one to one',
          'an entry without its request',
          () => moveDividend(newId(), 'withdrawal_refused'),
        ],
        [
          'withdrawals and their entries match one to one',
          'a refusal that gave nothing back',
          async () => {
            await moveDividend(newId(), 'dividend');
            const id = await withdrawal('refused');
            await store.db.transaction().execute((transaction) =>
              world.ledger.transferWithin(transaction, {
                idem: `withdrawal:${id}`,
                userId,
                amount: 50,
                from: 'agent',
                to: 'world:withdrawal',
                kind: 'withdrawal',
                reference: '',
              }),
            );
          },
        ],
        [
          'notes of re-rating and their entries match one to one',
          'a note without its calls',
          () =>
            world.ledger.credit({
              idem: newId(),
              userId,
              amount: 5,
              from: 'revenue',
              kind: 'rerate_credit',
              reference: '',
            }),
        ],
        [
          'notes of re-rating and their entries match one to one',
          'a note of another amount',
          async () => {
            await correctedCall();
            await store.db.updateTable('rerate_parts').set({ wallet: -1 }).execute();
          },
        ],
        [
          'a note of re-rating is the sum of its corrected calls',
          'a corrected call changed',
          async () => {
            await correctedCall();
            await store.db.updateTable('rerate_calls').set({ suspense_after: 7 }).execute();
          },
        ],
        [
          'a corrected log row shows its last correction',
          'the first charge in the log',
          async () => {
            const requestId = await correctedCall();
            await store.db
              .updateTable('logs')
              .set({ quota: 500 })
              .where('request_id', '=', requestId)
              .execute();
          },
        ],
        [
          'no hold outlives its time',
          'a hold of last week',
          () => store.db.updateTable('holds').set({ expires_at: 1000 }).execute(),
        ],
      ];

    describe('deliberate corruption', () => {
      for (const [invariant, how, plant, only] of corruptions) {
        if (only !== undefined && only !== label) continue;
        test(`${how}: "${invariant}" is found broken`, async () => {
          expect(await checkInvariants(store)).toEqual([]);
          await removeGuards(store);
          await plant();
          const found = await checkInvariants(store);
          expect(found.map((breach) => breach.invariant)).toContain(invariant);
          expect(found.find((breach) => breach.invariant === invariant)?.userId).toBe(userId);
        });
      }

      test('every invariant has a corruption that breaks it', () => {
        expect([...new Set(corruptions.map(([invariant]) => invariant))].toSorted()).toEqual(
          [...invariantNames].toSorted(),
        );
      });
    });

    test('matching orders and codes, switched-off logs and cleaned logs are no breach', async () => {
      await paidOrder(500, 500);
      await usedCode(600, 600);
      const { requestId } = await reserve(world.ledger, userId, tokenId, 100);
      await world.ledger.settle(requestId, outcome(50, { log: null }));
      expect(await checkInvariants(store)).toEqual([]);
      const later = Math.floor(Date.now() / 1000) + 1;
      await store.db.updateTable('log_cleaning').set({ cleaned_before: later }).execute();
      await store.db.deleteFrom('logs').execute();
      expect(await checkInvariants(store)).toEqual([]);
    });

    describe('the regular audit', () => {
      test('a breach stops the spending of that user only, and the change is announced', async () => {
        const audit = startAudit();
        const other = await world.user(1000);
        const announced: (string | undefined)[] = [];
        const stop = store.changes.subscribe('users', (detail) => announced.push(detail));
        expect(await audit.check()).toEqual([]);
        await user().set({ quota: 50_000 }).execute();
        expect((await audit.check()).length).toBeGreaterThan(0);
        expect(await world.findUser(userId)).toMatchObject({ status: 3, quota: 50_000 });
        expect((await world.findUser(userId)).suspended_reason).toContain(
          'a balance is the sum of its transfers',
        );
        expect((await reserve(world.ledger, userId, tokenId, 1)).admission).toMatchObject({
          reason: 'user_unavailable',
        });
        expect((await reserve(world.ledger, other, 0, 1)).admission.ok).toBe(true);
        for (let wait = 0; wait < 1000 && announced.length === 0; wait += 1) await Bun.sleep(20);
        expect(announced).toEqual([String(userId)]);
        stop();
      });

      test('between full checks only new rows are read, and a breach among them is found', async () => {
        const audit = startAudit();
        await audit.check();
        for (let round = 0; round < 3; round += 1) {
          const { requestId } = await reserve(world.ledger, userId, tokenId, 100);
          await world.ledger.settle(requestId, outcome(30, { log: logRow(userId, tokenId) }));
          expect(await audit.check()).toEqual([]);
        }
        const { requestId } = await reserve(world.ledger, userId, tokenId, 100);
        await world.ledger.settle(requestId, outcome(30, { log: logRow(userId, tokenId) }));
        await store.db.updateTable('logs').set({ quota: 29 }).where('request_id', '=', requestId).execute();
        const found = await audit.check();
        expect(found).toMatchObject([{ invariant: 'a log row shows what was charged', userId }]);
        expect(breaches).toEqual(found);
      });

      test('the super admin is not locked out, but the alert is sent', async () => {
        const root = await world.user(100, { role: 100 });
        await store.db.updateTable('users').set({ quota: 1 }).where('id', '=', root).execute();
        const audit = startAudit();
        expect((await audit.check()).map((breach) => breach.userId)).toContain(root);
        expect((await world.findUser(root)).status).toBe(1);
      });
    });
  });
});
