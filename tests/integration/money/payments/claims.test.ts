// What a bank claims back, step by step: the rows of the dispute, the order and the balance, and who is told what.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { sql } from 'kysely';
import { applyTransfer } from '#server/money/ledger/transfer.ts';
import { endSubscription, reopenSubscription, sellSubscription } from '#server/money/ledger/subscriptions.ts';
import { bookDispute, freezeWaiting } from '#server/money/payments/disputes.ts';
import type { PaymentParts } from '#server/money/payments/parts.ts';
import { endPlan, planUse, reopenPlan } from '#server/money/payments/plan-orders.ts';
import type { DisputeReport } from '#server/money/payments/provider.ts';
import type { NewRow, RowChange } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { forEachDatabase } from '#tests/support/databases.ts';

setDefaultTimeout(60_000);
const signal = new AbortController().signal;
const [payer, bystander] = [51, 52];
const DAY = 86_400;

forEachDatabase((_label, open) =>
  describe('a claim', () => {
    let store: Store;
    let parts: PaymentParts;
    let told: unknown[];
    beforeEach(async () => {
      store = await open();
      told = [];
      const ledger: PaymentParts['ledger'] = {
        transferWithin: (transaction, transfer) => applyTransfer(transaction, store.dialect, transfer),
        writeHolds: async () => {},
      };
      const afterRefund: PaymentParts['afterRefund'] = [
        async (_, { id, refunded_minor }, { quota }, direction) =>
          void told.push([id, refunded_minor, quota, direction]),
      ];
      parts = { store, ledger, afterPayment: [], afterRefund } as unknown as PaymentParts;
      for (const id of [payer, bystander])
        await store.db
          .insertInto('users')
          .values({ id, quota: 800, username: `user ${id}`, aff_code: `code ${id}` })
          .execute();
      await order(9);
      await order(10, { user_id: bystander });
    });
    afterEach(async () => store.close());

    const order = (id: number, more: Partial<NewRow<'orders'>> = {}) =>
      store.db
        .insertInto('orders')
        .values({
          id,
          trade_no: `trade ${id}`,
          user_id: payer,
          provider: 'stripe',
          payment_method: 'stripe',
          amount_minor: 300,
          currency: 'USD',
          amount: 3,
          quota: 1000,
          status: 'paid',
          created_at: 1,
          expires_at: 1,
          detail: '{}',
          ...more,
        })
        .execute();
    const report = (more: Partial<DisputeReport> = {}) =>
      bookDispute(parts, 9, {
        payment: { tradeNo: 'trade 9', paymentReference: '' },
        state: 'open',
        at: 100,
        reference: 'dp_1',
        amountMinor: 150,
        currency: 'USD',
        reason: 'fraud',
        ...more,
      });
    const user = (columns: RowChange<'users'>) =>
      store.db.updateTable('users').set(columns).where('id', '=', payer).execute();
    const rows = async (text: string) =>
      Array.from((await sql<object>`${sql.raw(text)}`.execute(store.db)).rows, (row) => Object.values(row));
    const disputes = () =>
      rows(
        'select status, claimed_minor, amount_minor, booked_minor, quota, frozen_quota, waiting_quota, lost_quota from disputes order by id',
      );
    const orders = () =>
      rows(
        'select dispute_status, disputed_minor, disputed_quota, frozen_quota, lost_quota, refunded_minor, refunded_quota, status from orders order by id',
      );
    const untouched = ['', 0, 0, 0, 0, 0, 0, 'paid'];
    const balance = async () => Number((await rows(`select quota from users where id = ${payer}`))[0]?.[0]);
    const entries = () =>
      rows(
        'select idem, user_id, debit_account, credit_account, amount, kind, reference from ledger order by id',
      );
    const notices = async () =>
      (
        await store.db.selectFrom('notices').select(['event', 'user_id', 'details']).orderBy('id').execute()
      ).map(({ event, user_id, details }) => {
        const { status, amount, quota, lost } = JSON.parse(details) as Record<string, unknown>;
        return [event, user_id, status, amount, quota, ...(lost === undefined ? [] : [lost])];
      });

    test('freezes its part once; a larger claim freezes the difference, a smaller one gives nothing back', async () => {
      await report();
      await report();
      expect(await disputes()).toEqual([['open', 150, 150, 0, 500, 500, 0, 0]]);
      expect(await balance()).toBe(300);
      await report({ amountMinor: 180 });
      await report({ amountMinor: 20 });
      expect(await disputes()).toEqual([['open', 180, 180, 0, 600, 600, 0, 0]]);
      expect(await orders()).toEqual([['open', 180, 600, 600, 0, 0, 0, 'paid'], untouched]);
      const [[id]] = (await rows('select id from disputes')) as [[number]];
      expect(await entries()).toEqual([
        [`dispute:${id}:1`, payer, 'user:51', 'world:dispute', 500, 'dispute_freeze', 'trade 9'],
        [`dispute:${id}:2`, payer, 'user:51', 'world:dispute', 100, 'dispute_freeze', 'trade 9'],
      ]);
      expect(await rows('select user_id, quota from logs order by quota')).toEqual([
        [payer, 100],
        [payer, 500],
      ]);
      expect(await notices()).toEqual([
        ['order_disputed', payer, 'open', 'USD 1.50', 500],
        ['payment_disputed', 0, 'open', 'USD 1.50', 500, 0],
      ]);
      expect(await rows('select order_id, kind, detail from order_events')).toEqual([
        [9, 'dispute_opened', '1.50 fraud dp_1'],
      ]);
    });

    test('in another currency, or of more than was paid, is of all of it', async () => {
      await report({ currency: 'EUR', amountMinor: 1 });
      expect((await disputes())[0]?.slice(0, 6)).toEqual(['open', 300, 300, 0, 1000, 800]);
      await store.db.deleteFrom('disputes').execute();
      await report({ amountMinor: 999, reference: 'dp_2' });
      expect((await disputes())[0]?.[1]).toBe(300);
    });

    test('that is lost is a refund of what was frozen, what was spent is lost; said again it is nothing', async () => {
      await user({ quota: 300 });
      await report();
      await report({ state: 'lost', at: 200 });
      await report({ state: 'lost', at: 200 });
      await report();
      expect(await disputes()).toEqual([['lost', 150, 0, 150, 0, 0, 0, 200]]);
      expect(await orders()).toEqual([['lost', 0, 0, 0, 200, 150, 300, 'paid'], untouched]);
      expect(await balance()).toBe(0);
      expect((await entries()).slice(1).map(([, , ...row]) => row)).toEqual([
        ['world:dispute', 'user:51', 300, 'dispute_return', 'trade 9'],
        ['user:51', 'world:topup:stripe', 300, 'topup_refund', 'trade 9'],
      ]);
      expect(
        await rows(
          'select order_id, user_id, amount_minor, quota, status, provider_reference, reason, actor_id from refunds',
        ),
      ).toEqual([[9, payer, 150, 300, 'done', 'dp_1', 'fraud', 0]]);
      expect((await notices()).slice(2)).toEqual([
        ['order_disputed', payer, 'lost', 'USD 1.50', 300],
        ['payment_disputed', 0, 'lost', 'USD 1.50', 300, 200],
      ]);
      expect(told).toEqual([[9, 150, 300, 'back']]);
    });

    test('that an appeal wins gives all of it back, and a later word decides', async () => {
      await user({ quota: 300 });
      await report({ state: 'lost', at: 200 });
      await report({ state: 'won', at: 150 });
      expect((await disputes())[0]?.[0]).toBe('lost');
      await report({ state: 'won', at: 200 });
      expect((await disputes())[0]?.[0]).toBe('lost');
      await report({ state: 'won', at: 300 });
      expect(await disputes()).toEqual([['won', 150, 0, 0, 0, 0, 0, 0]]);
      expect(await orders()).toEqual([['won', 0, 0, 0, 0, 0, 0, 'paid'], untouched]);
      expect(await balance()).toBe(300);
      expect(await rows('select status from refunds')).toEqual([['failed']]);
      expect(told).toEqual([
        [9, 150, 300, 'back'],
        [9, 0, 300, 'again'],
      ]);
      expect((await notices()).at(-2)).toEqual(['order_disputed', payer, 'won', 'USD 1.50', 300]);
      // Of the same second the loss counts.
      await report({ state: 'lost', at: 300 });
      expect((await disputes())[0]?.slice(0, 6)).toEqual(['lost', 150, 0, 150, 0, 0]);
    });

    test('takes nothing from running calls, but what they leave, and nothing that came in since', async () => {
      const topUp = (idem: string, amount: number) =>
        store.db
          .insertInto('ledger')
          .values({
            idem,
            created_at: 1,
            user_id: payer,
            debit_account: 'world:topup:epay',
            credit_account: 'user:51',
            amount,
            kind: 'topup',
          })
          .execute();
      await topUp('before', 111);
      await user({ quota: 800, held_quota: 700 });
      await report({ amountMinor: 300 });
      expect(await disputes()).toEqual([['open', 300, 300, 0, 1000, 100, 700, 0]]);
      // Calls have used 300, and 250 were paid in.
      await user({ quota: 650, held_quota: 100 });
      await topUp('since', 250);
      await freezeWaiting(parts, signal);
      expect(await disputes()).toEqual([['open', 300, 300, 0, 1000, 400, 100, 0]]);
      expect(await balance()).toBe(350);
      await user({ held_quota: 0 });
      await freezeWaiting(parts, signal);
      expect(await disputes()).toEqual([['open', 300, 300, 0, 1000, 500, 0, 0]]);
      expect(await balance()).toBe(250);
      await report({ state: 'won', at: 300 });
      expect([await balance(), (await notices()).at(-2)?.[4]]).toEqual([750, 500]);
    });

    test('that is lost or won while calls run takes nothing of what they leave over', async () => {
      for (const state of ['lost', 'won'] as const) {
        await store.db.deleteFrom('disputes').execute();
        await store.db.updateTable('orders').set({ refunded_minor: 0, lost_quota: 0 }).execute();
        await user({ quota: 800, held_quota: 700 });
        await report({ amountMinor: 300, reference: `dp_${state}` });
        expect((await disputes())[0]?.slice(5, 7)).toEqual([100, 700]);
        await report({ amountMinor: 300, reference: `dp_${state}`, state, at: 200 });
        const ended = await disputes();
        expect(ended[0]?.slice(5, 7)).toEqual([0, 0]);
        const before = await balance();
        await user({ held_quota: 0 });
        await freezeWaiting(parts, signal);
        expect(await disputes()).toEqual(ended);
        expect([before, await balance()]).toEqual(state === 'lost' ? [700, 700] : [800, 800]);
      }
    });

    test('beside another claims what is left, and an open one is what the order shows', async () => {
      await report({ amountMinor: 200 });
      await report({ amountMinor: 200, reference: 'dp_2' });
      expect((await disputes()).map((row) => row.slice(1, 5))).toEqual([
        [200, 200, 0, 666],
        [200, 100, 0, 334],
      ]);
      await report({ state: 'won', at: 300 });
      // The other one claims the rest of its part now.
      expect((await disputes()).map((row) => row.slice(0, 5))).toEqual([
        ['won', 200, 0, 0, 0],
        ['open', 200, 200, 0, 667],
      ]);
      expect((await orders())[0]?.slice(0, 3)).toEqual(['open', 200, 667]);
      await report({ state: 'lost', at: 400, reference: 'dp_2' });
      expect((await orders())[0]?.[0]).toBe('lost');
    });

    test('of an order that is not paid waits, and one without an order is nothing', async () => {
      await store.db.updateTable('orders').set({ status: 'pending' }).where('id', '=', 9).execute();
      await report({ state: 'lost' });
      expect(await disputes()).toEqual([['lost', 150, 0, 0, 0, 0, 0, 0]]);
      expect([await balance(), (await orders())[0]?.[0]]).toEqual([800, 'lost']);
      await bookDispute(parts, 404, { reference: 'dp_9' } as DisputeReport);
      expect(await disputes()).toHaveLength(1);
    });

    describe('of a subscription', () => {
      const terms = {
        plan_id: 1,
        plan_name: 'plan',
        interval_unit: 'day',
        interval_count: 2,
        duration_unit: 'day',
        duration_count: 10,
        period_quota: 400,
        models: '',
        group: '',
        price_quota: 100,
        price_minor: 300,
        currency: 'USD',
      } as const;
      const within = <Result>(does: (transaction: Parameters<typeof planUse>[0]) => Promise<Result>) =>
        store.db.transaction().execute(does);
      const sell = async (orderId: number, userId = payer, more: object = {}) => {
        const sold = await within((transaction) =>
          sellSubscription(parts, transaction, {
            userId,
            terms,
            source: 'order',
            orderId,
            log: { type: 1, user_id: userId, username: 'ann', quota: 0, content: 'sold' },
            ...more,
          }),
        );
        if (!sold.ok) throw new Error(sold.reason);
        return sold.subscription;
      };
      const subscriptions = () =>
        rows(
          'select order_id, status, period, quota, held, end_reason, periods from subscriptions order by id',
        );
      const change = (columns: RowChange<'subscriptions'>) =>
        store.db.updateTable('subscriptions').set(columns).where('order_id', '=', 9).execute();
      const orderRow = () =>
        store.db.selectFrom('orders').selectAll().where('id', '=', 9).executeTakeFirstOrThrow();

      test('that is sold begins now or after the one before, and is paid by order or balance', async () => {
        const now = Math.floor(Date.now() / 1000);
        const first = await sell(9);
        expect(first).toMatchObject({ user_id: payer, quota: 400, periods: 5, period: 0, follows_id: 0 });
        expect(first.started_at - now).toBeLessThan(60);
        expect([first.ends_at - first.started_at, first.period_ends_at - first.started_at]).toEqual([
          10 * DAY,
          2 * DAY,
        ]);
        const next = await sell(0, payer, {
          source: 'balance',
          follows: first,
          renewPrice: 7,
          requestKey: 'k',
        });
        expect(next).toMatchObject({
          quota: 0,
          period: -1,
          started_at: first.ends_at,
          period_ends_at: first.ends_at,
          ends_at: first.ends_at + 10 * DAY,
          follows_id: first.id,
          renew_price: 7,
          request_key: 'k',
        });
        const late = await sell(0, payer, { follows: { id: first.id, ends_at: 5 } });
        expect([late.period, late.started_at >= now]).toEqual([0, true]);
        expect(await balance()).toBe(700);
        expect((await entries()).map((row) => row.slice(1))).toEqual([
          [payer, 'world:plan', `plan:${first.id}`, 400, 'plan_grant', '0'],
          [payer, 'user:51', 'world:plan', 100, 'plan_purchase', 'plan'],
          [payer, 'world:plan', `plan:${late.id}`, 400, 'plan_grant', '0'],
        ]);
        expect(await rows('select user_id from logs')).toHaveLength(3);
        await sell(0, payer, { source: 'balance' });
        expect(await rows('select user_id from logs')).toHaveLength(4);
        expect([await balance(), await rows('select id from ledger')]).toMatchObject([600, { length: 5 }]);
      });

      test('ends with what no call holds, once, and is opened again for the same reason alone', async () => {
        const { id } = await sell(9);
        await sell(10, bystander);
        await change({ held: 150 });
        const end = (reason: string) =>
          within((transaction) => endSubscription(parts, transaction, id, reason));
        const reopen = (reason: string) =>
          within((transaction) => reopenSubscription(parts, transaction, id, reason));
        expect([await reopen('refund:1'), await end('refund:1'), await end('refund:2')]).toEqual([
          false,
          true,
          false,
        ]);
        expect(await subscriptions()).toEqual([
          [9, 'ended', 0, 150, 150, 'refund:1', 5],
          [10, 'active', 0, 400, 0, '', 5],
        ]);
        expect([await reopen('refund:2'), await reopen('refund:1'), await reopen('refund:1')]).toEqual([
          false,
          true,
          false,
        ]);
        expect((await subscriptions())[0]).toEqual([9, 'active', 0, 400, 150, '', 5]);
        // What was given back once is not given back twice.
        expect([await end('refund:5'), await reopen('refund:5')]).toEqual([true, true]);
        expect((await subscriptions())[0]).toEqual([9, 'active', 0, 400, 150, '', 5]);
        expect(await end('refund:3')).toBe(true);
        await change({ period_ends_at: 5 });
        expect(await reopen('refund:3')).toBe(true);
        expect((await subscriptions())[0]).toEqual([9, 'active', 0, 150, 150, '', 5]);
        await change({ held: 0, quota: 0 });
        const count = (await entries()).length;
        expect(await end('refund:4')).toBe(true);
        expect(await entries()).toHaveLength(count);
      });

      test('ends it, and gives it back when it is won, unless another claim or a person ended it', async () => {
        await store.db.updateTable('orders').set({ plan_id: 1, quota: 0 }).where('id', '=', 9).execute();
        await sell(9);
        await sell(10, bystander);
        await report();
        expect((await subscriptions()).map((row) => row.slice(1, 4))).toEqual([
          ['ended', 0, 0],
          ['active', 0, 400],
        ]);
        await report({ reference: 'dp_2' });
        await report({ state: 'won', at: 200 });
        expect((await subscriptions())[0]?.[1]).toBe('ended');
        await report({ state: 'won', at: 200, reference: 'dp_2' });
        expect((await subscriptions())[0]?.slice(1, 4)).toEqual(['active', 0, 400]);
        await within(async (transaction) => endPlan(parts, transaction, await orderRow(), 'by hand'));
        await within(async (transaction) => reopenPlan(parts, transaction, await orderRow()));
        expect((await subscriptions())[0]?.[1]).toBe('ended');
        expect(await balance()).toBe(800);
      });

      test('that is lost costs what calls have used of it, once, however often it is claimed', async () => {
        await store.db.updateTable('orders').set({ plan_id: 1, quota: 0 }).where('id', '=', 9).execute();
        await sell(9);
        await sell(10, bystander);
        expect(await within(async (transaction) => planUse(transaction, await orderRow()))).toBe(0);
        await change({ quota: 330 });
        expect(await within(async (transaction) => planUse(transaction, await orderRow()))).toBe(70);
        await report({ amountMinor: 100 });
        await report({ amountMinor: 100, state: 'lost', at: 200 });
        expect((await disputes())[0]).toEqual(['lost', 100, 0, 100, 0, 0, 0, 70]);
        await report({ amountMinor: 250 });
        expect((await disputes())[0]).toEqual(['lost', 250, 0, 250, 0, 0, 0, 70]);
        expect((await orders())[0]?.slice(0, 7)).toEqual(['lost', 0, 0, 0, 70, 250, 0]);
      });
    });
  }),
);
