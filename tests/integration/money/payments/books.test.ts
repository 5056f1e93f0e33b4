// What an order, its payment and its refunds leave in the books: rows, events, notices and log, with a provider whose every word a
// test chooses.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { createCallbacks } from '#server/money/payments/callbacks.ts';
import type { PaymentParts } from '#server/money/payments/parts.ts';
import { placeOrder } from '#server/money/payments/place-order.ts';
import {
  CallbackRefused,
  ProviderError,
  type CallbackReading,
  type PaymentReport,
} from '#server/money/payments/provider.ts';
import { reconcileOrders } from '#server/money/payments/reconcile.ts';
import { beginRefund, finishRefund } from '#server/money/payments/refund.ts';
import type { RowChange } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { createWorld, type World } from '../ledger/world.ts';
import { providerOf } from './said-provider.ts';

setDefaultTimeout(60_000);
const now = () => Math.floor(Date.now() / 1000);
const signal = new AbortController().signal;
const callback = { method: 'POST', query: '', body: '', headers: new Headers() };

forEachDatabase((_label, open) =>
  describe('the books of an order', () => {
    let store: Store;
    let world: World;
    let parts: PaymentParts;
    let epay: ReturnType<typeof providerOf>;
    let stripe: ReturnType<typeof providerOf>;
    let rewarded: unknown[];
    let userId: number;
    const current = {
      DisplayInCurrencyEnabled: true,
      MinTopUp: 1,
      OrderMinutes: 30,
      QuotaPerUnit: 500_000,
      SellerAddress: 'Main street',
      SellerName: '',
      SellerTaxNumber: 'T1',
      SystemName: 'Gate',
      TopUpPresets: [],
      TopUpPromotions: {},
      TopupGroupRatio: {},
    };
    beforeEach(async () => {
      store = await open();
      world = await createWorld(store);
      epay = providerOf('epay');
      stripe = providerOf('stripe');
      rewarded = [];
      const all = [epay.provider, stripe.provider];
      const methods = () =>
        all.flatMap((provider) => provider.methods().map((each) => ({ ...each, provider })));
      parts = {
        store,
        settings: { current } as unknown as PaymentParts['settings'],
        ledger: world.ledger,
        providers: {
          callbacks: { '/epay': epay.provider, '/stripe': stripe.provider },
          methods,
          method: (name) => methods().find((each) => each.name === name),
          byName: (name) => all.find((provider) => provider.name === name),
          origins: () => [],
        },
        log: { error: () => {}, warn: () => {}, info: () => {} } as unknown as PaymentParts['log'],
        afterPayment: [async (_, order) => void rewarded.push([order.id, order.status])],
        afterRefund: [
          async (_, order, refund, direction) =>
            void rewarded.push([order.refunded_minor, refund.quota, direction]),
        ],
      };
      userId = await world.user(0, { username: 'ann' });
    });
    afterEach(async () => {
      expect(await checkInvariants(store)).toEqual([]);
      await world.close();
    });

    const place = async (method: 'zfb' | 'stripe' = 'zfb') => {
      const buyer = { id: userId, group: 'default' };
      const { tradeNo } = await placeOrder(parts, buyer, { amount: 10, method, promotion: '' });
      return tradeNo;
    };
    const rowOf = (tradeNo: string) =>
      store.db.selectFrom('orders').selectAll().where('trade_no', '=', tradeNo).executeTakeFirstOrThrow();
    const change = (tradeNo: string, columns: RowChange<'orders'>) =>
      store.db.updateTable('orders').set(columns).where('trade_no', '=', tradeNo).execute();
    const eventsOf = async (tradeNo: string) => {
      const { id } = await rowOf(tradeNo);
      const rows = await store.db
        .selectFrom('order_events')
        .select(['kind', 'detail'])
        .where('order_id', '=', id)
        .orderBy('id')
        .execute();
      return rows.map(({ kind, detail }) => (detail === '' ? kind : `${kind} ${detail}`));
    };
    const notices = async (event: string): Promise<Record<string, unknown>[]> => {
      const rows = await store.db
        .selectFrom('notices')
        .select(['details', 'user_id'])
        .where('event', '=', event)
        .orderBy('id')
        .execute();
      return rows.map(({ details, user_id }) => ({ ...(JSON.parse(details) as object), user_id }));
    };
    const paid = (tradeNo: string, more: Partial<PaymentReport> = {}): PaymentReport => ({
      state: 'paid',
      tradeNo,
      amountMinor: 7300,
      currency: 'CNY',
      reference: 'page-1',
      payer: 'payer@example.com',
      ...more,
    });
    const call = async (path: '/epay' | '/stripe', reading: () => CallbackReading) => {
      (path === '/epay' ? epay : stripe).says.reading = reading;
      return (await createCallbacks(parts)[path]?.(callback, parts.log))?.status;
    };
    const pay = (tradeNo: string, more: Partial<PaymentReport> = {}, path: '/epay' | '/stripe' = '/epay') =>
      call(path, () => ({ kind: 'payment', report: paid(tradeNo, more) }));
    const balance = async () => (await world.findUser(userId)).quota;

    describe('an order', () => {
      test('has its terms, its end, the first question to the provider, and its page', async () => {
        const tradeNo = await place();
        const row = await rowOf(tradeNo);
        expect(row).toMatchObject({
          user_id: userId,
          provider: 'epay',
          payment_method: 'zfb',
          status: 'pending',
          quota: 5_000_000,
          amount_minor: 7300,
          currency: 'CNY',
          expires_at: row.created_at + 1800,
          next_query_at: row.created_at + 60,
          provider_reference: 'page-1',
        });
        expect(await eventsOf(tradeNo)).toEqual(['created']);
      });

      test('that the provider refuses is over, and the operators hear of each provider once an hour', async () => {
        epay.says.page = stripe.says.page = () => {
          throw new ProviderError('away');
        };
        for (const method of ['zfb', 'zfb', 'stripe'] as const)
          expect(await place(method).catch((error: unknown) => error)).toMatchObject({
            code: 'payment_provider_failed',
          });
        const rows = await store.db
          .selectFrom('orders')
          .select(['status', 'trade_no'])
          .orderBy('id')
          .execute();
        expect(rows.map(({ status }) => status)).toEqual(['expired', 'expired', 'expired']);
        expect(await eventsOf(rows[0]?.trade_no ?? '')).toEqual([
          'created',
          'expired {"fact":"noPaymentPage"}',
        ]);
        expect((await notices('payment_alert')).length).toBeWithin(2, 4);
        const keys = await store.db.selectFrom('notices').select('once_key').orderBy('id').execute();
        expect(keys[0]?.once_key).toMatch(/^payment_alert:epay:\d+$/);
      });

      test('is one of twenty that are open', async () => {
        for (let count = 0; count < 20; count += 1) await place();
        expect(await place().catch((error: unknown) => error)).toMatchObject({
          code: 'top_up_too_many_open',
        });
      });
    });

    describe('a payment', () => {
      test('becomes balance once, and the order keeps who paid, when, to whom and by which number', async () => {
        const tradeNo = await place();
        const begun = now();
        expect(await pay(tradeNo, { paymentReference: 'pi_9' })).toBe(200);
        const row = await rowOf(tradeNo);
        expect(row).toMatchObject({
          status: 'paid',
          next_query_at: 0,
          payer: 'payer@example.com',
          provider_reference: 'page-1',
          payment_reference: 'pi_9',
        });
        expect(row.paid_at).toBeWithin(begun, now() + 1);
        expect(JSON.parse(row.seller)).toEqual({ name: 'Gate', address: 'Main street', tax_number: 'T1' });
        const log = await store.db
          .selectFrom('logs')
          .selectAll()
          .where('type', '=', 1)
          .executeTakeFirstOrThrow();
        expect(log).toMatchObject({ user_id: userId, username: 'ann', quota: 5_000_000 });
        expect(log.content).toContain(tradeNo);
        expect(log.content).toContain('CNY 73.00');
        expect([await pay(tradeNo), await balance()]).toEqual([200, 5_000_000]);
        expect(await eventsOf(tradeNo)).toEqual(['created', 'callback', 'credited 5000000']);
        expect(rewarded).toEqual([[row.id, 'paid']]);
      });

      test('whose page is not known brings its number, and a report without one keeps that of the page', async () => {
        epay.says.page = () => '';
        const [first, second] = [await place(), await place()];
        await pay(first, { reference: 'trade-7' });
        await change(second, { provider_reference: 'kept' });
        await pay(second, { reference: '' });
        expect([(await rowOf(first)).provider_reference, (await rowOf(second)).provider_reference]).toEqual([
          'trade-7',
          'kept',
        ]);
      });

      test('that does not fit its order credits nothing, is noted, and alerts the operators', async () => {
        const tradeNo = await place();
        const wrong: Partial<PaymentReport>[] = [
          { currency: 'USD' },
          { amountMinor: 7299 },
          { amountMinor: 7301 },
          { reference: 'another' },
        ];
        for (const more of wrong) expect([more, await pay(tradeNo, more)]).toEqual([more, 400]);
        expect(await pay(tradeNo, {}, '/stripe')).toBe(400);
        expect([await balance(), (await rowOf(tradeNo)).status]).toEqual([0, 'pending']);
        const facts = (await eventsOf(tradeNo)).slice(1).map((text) => /"fact":"(\w+)"/.exec(text)?.[1]);
        expect(facts).toEqual([
          'otherCurrency',
          'otherAmount',
          'otherAmount',
          'otherPayment',
          'otherProvider',
        ]);
        const alerts = await notices('payment_alert');
        expect(alerts.map(({ order }) => order)).toEqual(Array.from({ length: 5 }, () => tradeNo));
        expect(alerts.every(({ reason }) => String(reason).includes('paymentMismatch'))).toBe(true);
        expect(await pay('USR0NOnobody')).toBe(400);
        expect(await notices('payment_alert')).toHaveLength(6);
      });

      test('of an order that was refunded meanwhile is accepted and credits nothing', async () => {
        const tradeNo = await place();
        await pay(tradeNo);
        await refund(tradeNo, 7300, { atProvider: false });
        expect((await rowOf(tradeNo)).status).toBe('refunded');
        expect([await pay(tradeNo), await balance()]).toEqual([200, 0]);
      });

      test('that ended at the provider ends the order, one that is open does not', async () => {
        const tradeNo = await place();
        expect(await pay(tradeNo, { state: 'open' })).toBe(200);
        expect((await rowOf(tradeNo)).status).toBe('pending');
        expect(await pay(tradeNo, { state: 'ended' })).toBe(200);
        expect(await pay(tradeNo, { state: 'ended' })).toBe(200);
        expect(await eventsOf(tradeNo)).toEqual(['created', 'expired ended at the provider']);
        expect([await pay(tradeNo), await balance()]).toEqual([200, 5_000_000]);
        expect(await pay(tradeNo, { state: 'ended' })).toBe(200);
        expect((await rowOf(tradeNo)).status).toBe('paid');
      });
    });

    describe('a callback', () => {
      test('without a configured provider is nothing, one that is not genuine is refused, and so is one that cannot be booked', async () => {
        epay.says.isOn = false;
        expect(await call('/epay', () => ({ kind: 'other' }))).toBe(404);
        epay.says.isOn = true;
        expect(await call('/epay', () => ({ kind: 'other' }))).toBe(200);
        const refuse = () => {
          throw new CallbackRefused('forged');
        };
        expect(await call('/epay', refuse)).toBe(400);
        expect(await pay('order\0number')).toBe(400);
      });

      test('of a dispute without an order is accepted, and the operators hear of each', async () => {
        const dispute = (reference: string) => () =>
          ({
            kind: 'dispute',
            report: {
              payment: { tradeNo: '', paymentReference: 'pi_0' },
              state: 'open',
              at: 1,
              reference,
              amountMinor: 5,
              currency: 'CNY',
              reason: 'fraudulent',
            },
          }) as const;
        for (const reference of ['dp_1', 'dp_2', 'dp_1'])
          expect(await call('/stripe', dispute(reference))).toBe(200);
        const alerts = await notices('payment_alert');
        expect(
          alerts.map(({ order, reason }): unknown[] => [order, /dp_\d/.exec(String(reason))?.[0]]),
        ).toEqual([
          ['', 'dp_1'],
          ['', 'dp_2'],
        ]);
      });

      test('names an order by our number or that of the payment, of its own provider alone', async () => {
        const tradeNo = await place('stripe');
        await pay(tradeNo, { paymentReference: 'pi_1' }, '/stripe');
        const outside = (payment: object, amountMinor: number) => () =>
          ({
            kind: 'refunded_outside',
            payment: { tradeNo: '', paymentReference: '', ...payment },
            amountMinor,
          }) as const;
        const noted = async () =>
          (await eventsOf(tradeNo)).filter((text) => text.startsWith('refunded_outside'));
        await call('/epay', outside({ tradeNo }, 100));
        await call('/stripe', outside({}, 150));
        expect(await noted()).toEqual([]);
        await call('/stripe', outside({ tradeNo }, 200));
        await call('/stripe', outside({ paymentReference: 'pi_1' }, 300));
        stripe.says.tradeNo = tradeNo;
        await call('/stripe', outside({ paymentReference: 'pi_other' }, 400));
        await call('/stripe', outside({ tradeNo }, 400));
        expect(await noted()).toEqual([
          'refunded_outside 200',
          'refunded_outside 300',
          'refunded_outside 400',
        ]);
      });
    });

    describe('the provider is asked', () => {
      const due = (tradeNo: string, more: RowChange<'orders'> = {}) =>
        change(tradeNo, { next_query_at: now() - 1, ...more });

      test('about orders that no callback has ended: paid, over, or not yet', async () => {
        const tradeNo = await place();
        await due(tradeNo);
        await reconcileOrders(parts, signal);
        expect(await rowOf(tradeNo)).toMatchObject({ status: 'pending', queries: 1 });
        await due(tradeNo, { expires_at: now() + 100 });
        epay.says.report = () => paid(tradeNo, { state: 'ended' });
        await reconcileOrders(parts, signal);
        // A payment may come late: it is still asked for.
        await due(tradeNo);
        epay.says.report = () => paid(tradeNo);
        await reconcileOrders(parts, signal);
        expect(await eventsOf(tradeNo)).toEqual([
          'created',
          'expired ended at the provider',
          'asked',
          'credited 5000000',
        ]);
        expect([await balance(), epay.asked.queries]).toEqual([5_000_000, [tradeNo, tradeNo, tradeNo]]);
        await reconcileOrders(parts, signal);
        expect(epay.asked.queries).toHaveLength(3);
      });

      test('and without a payment in time the order is over; without an answer it is not', async () => {
        const tradeNo = await place();
        await due(tradeNo, { expires_at: now() - 1 });
        epay.says.report = () => {
          throw new ProviderError('away');
        };
        await reconcileOrders(parts, signal);
        expect((await rowOf(tradeNo)).status).toBe('pending');
        epay.says.report = () => undefined;
        await due(tradeNo);
        await reconcileOrders(parts, signal);
        expect(await eventsOf(tradeNo)).toEqual(['created', 'expired not paid in time']);
      });

      test('less and less often, up to once an hour for two days', async () => {
        const tradeNo = await place();
        const waits: number[] = [];
        for (const queries of [0, 1, 6, 7, 12]) {
          await due(tradeNo, { queries });
          const before = now();
          await reconcileOrders(parts, signal);
          waits.push((await rowOf(tradeNo)).next_query_at - before);
        }
        const expected = [30, 60, 1920, 3600, 3600];
        for (const [index, wait] of waits.entries()) expect(wait - (expected[index] ?? 0)).toBeWithin(0, 5);
        await due(tradeNo, { queries: 3, created_at: now() - 2 * 86_400 });
        await reconcileOrders(parts, signal);
        expect((await rowOf(tradeNo)).next_query_at).toBe(0);
      });
    });

    async function refund(
      tradeNo: string,
      amountMinor: number,
      more: { atProvider?: boolean; requestId?: string } = {},
    ) {
      const { id: orderId } = await rowOf(tradeNo);
      const request = {
        orderId,
        amountMinor,
        reason: 'asked',
        actorId: 0,
        requestId: 'r1',
        atProvider: true,
        ...more,
      };
      return await store.db.transaction().execute((transaction) => beginRefund(parts, transaction, request));
    }
    const refundRow = (id: number) =>
      store.db.selectFrom('refunds').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

    describe('a refund', () => {
      async function bought(method: 'zfb' | 'stripe' = 'stripe') {
        const tradeNo = await place(method);
        await pay(tradeNo, {}, method === 'zfb' ? '/epay' : '/stripe');
        rewarded = [];
        return tradeNo;
      }

      test('takes the quota back at once, and the rest of the order stays refundable', async () => {
        const tradeNo = await bought();
        const begun = now();
        const { refund: first } = await refund(tradeNo, 2300);
        expect(first).toMatchObject({
          status: 'pending',
          quota: 1_575_342,
          amount_minor: 2300,
          reason: 'asked',
        });
        expect(first.created_at).toBeWithin(begun, now() + 1);
        expect(await rowOf(tradeNo)).toMatchObject({
          status: 'paid',
          refunded_minor: 2300,
          refunded_quota: 1_575_342,
        });
        expect(
          await refund(tradeNo, 5001, { requestId: 'r2' }).catch((error: unknown) => error),
        ).toMatchObject({
          code: 'refund_too_large',
          parameters: { amount: '50.00' },
        });
        const { refund: last } = await refund(tradeNo, 5000, { requestId: 'r2', atProvider: false });
        expect(last).toMatchObject({ status: 'done', quota: 5_000_000 - 1_575_342 });
        expect([(await rowOf(tradeNo)).status, await balance()]).toEqual(['refunded', 0]);
        expect(await eventsOf(tradeNo)).toEqual([
          'created',
          'callback',
          'credited 5000000',
          'refund_begun 23.00',
          'refund_done 50.00',
        ]);
        expect(rewarded).toEqual([
          [2300, 1_575_342, 'back'],
          [7300, 3_424_658, 'back'],
        ]);
      });

      test('that the provider pays is done, with its number', async () => {
        const tradeNo = await bought();
        const { refund: begun } = await refund(tradeNo, 7300);
        expect(await finishRefund(parts, begun.id, true)).toMatchObject({
          status: 'done',
          provider_reference: 'R1',
        });
        expect(stripe.asked.refunds).toEqual([
          { id: 'r1', amountMinor: 7300, reference: '', isRepeated: false },
        ]);
        await finishRefund(parts, begun.id);
        expect(stripe.asked.refunds).toHaveLength(1);
        expect((await eventsOf(tradeNo)).at(-1)).toBe('refund_done R1');
      });

      test('that the provider refuses gives the quota back, with a log row, and tells only whom nobody has told', async () => {
        const tradeNo = await bought();
        stripe.says.outcome = () => ({ kind: 'refused', detail: 'no money' });
        const { refund: first } = await refund(tradeNo, 1000);
        expect(await finishRefund(parts, first.id, true)).toMatchObject({ status: 'failed' });
        expect([await balance(), await notices('refund_failed')]).toEqual([5_000_000, []]);
        const { refund: second } = await refund(tradeNo, 2000, { requestId: 'r2' });
        await finishRefund(parts, second.id);
        const amount = 'CNY 20.00';
        expect(await notices('refund_failed')).toEqual([
          { order: tradeNo, amount, reason: 'no money', user_id: 0 },
        ]);
        expect(await notices('order_refund_failed')).toEqual([
          { order: tradeNo, amount, quota: second.quota, user_id: userId },
        ]);
        expect(await rowOf(tradeNo)).toMatchObject({ status: 'paid', refunded_minor: 0, refunded_quota: 0 });
        expect((await eventsOf(tradeNo)).slice(3)).toEqual([
          'refund_begun 10.00',
          'refund_failed no money',
          'refund_begun 20.00',
          'refund_failed no money',
        ]);
        const logs = await store.db
          .selectFrom('logs')
          .select(['content', 'quota'])
          .where('type', '=', 6)
          .orderBy('id')
          .execute();
        const facts = logs.map(({ content, quota }) => [/"fact":"(\w+)"/.exec(content)?.[1], quota]);
        expect(facts).toEqual([
          ['refund', first.quota],
          ['refundRefused', first.quota],
          ['refund', second.quota],
          ['refundRefused', second.quota],
        ]);
        expect(rewarded.at(-1)).toEqual([0, second.quota, 'again']);
      });

      test('that the provider has taken is pending with its number, and asked for by it', async () => {
        const tradeNo = await bought();
        stripe.says.outcome = () => ({ kind: 'pending', reference: 're_7' });
        const { refund: begun } = await refund(tradeNo, 1000);
        await finishRefund(parts, begun.id, true);
        await finishRefund(parts, begun.id);
        expect(await refundRow(begun.id)).toMatchObject({ status: 'pending', provider_reference: 're_7' });
        expect(stripe.asked.refunds.at(-1)).toEqual({
          id: 'r1',
          amountMinor: 1000,
          reference: 're_7',
          isRepeated: true,
        });
        expect((await eventsOf(tradeNo)).slice(4)).toEqual(['refund_pending re_7']);
      });

      test('whose outcome is not known alerts the operators, and is repeated only where that is safe', async () => {
        const [safe, unsafe] = [await bought('stripe'), await bought('zfb')];
        stripe.says.outcome = epay.says.outcome = () => ({ kind: 'unknown', detail: 'no answer' });
        const { refund: first } = await refund(safe, 1000, { requestId: 'a' });
        const { refund: second } = await refund(unsafe, 1000, { requestId: 'b' });
        for (const { id } of [first, second]) await finishRefund(parts, id, true);
        expect((await notices('payment_alert')).length).toBe(2);
        const old = { created_at: now() - 121, next_query_at: 0 };
        await store.db.updateTable('refunds').set(old).execute();
        const before = now();
        await reconcileOrders(parts, signal);
        expect([stripe.asked.refunds.length, epay.asked.refunds.length]).toEqual([2, 1]);
        const row = await refundRow(first.id);
        expect([row.queries, row.next_query_at - before]).toEqual([1, expect.any(Number)]);
        expect(row.next_query_at - before).toBeWithin(30, 35);
        // Not before its time.
        await reconcileOrders(parts, signal);
        expect(stripe.asked.refunds).toHaveLength(2);
        // Not while the call that began it may still be asking.
        await store.db
          .updateTable('refunds')
          .set({ created_at: now() - 60, next_query_at: 0 })
          .execute();
        await reconcileOrders(parts, signal);
        expect(stripe.asked.refunds).toHaveLength(2);
      });

      test('is told by events: taken, paid, and come back, in any order and more than once', async () => {
        const tradeNo = await bought();
        const { refund: begun } = await refund(tradeNo, 1000);
        const tell = (state: 'pending' | 'done' | 'failed', more: object = {}) =>
          call('/stripe', () => ({
            kind: 'refund',
            report: {
              payment: { tradeNo, paymentReference: '' },
              state,
              reference: 're_1',
              requestId: 'r1',
              amountMinor: 1000,
              detail: state === 'failed' ? 'closed account' : 're_1',
              ...more,
            },
          }));
        await tell('pending');
        expect(await refundRow(begun.id)).toMatchObject({ status: 'pending', provider_reference: 're_1' });
        for (const state of ['done', 'done', 'pending'] as const) await tell(state);
        expect(await refundRow(begun.id)).toMatchObject({ status: 'done' });
        for (const state of ['failed', 'failed', 'done'] as const) await tell(state);
        expect([(await refundRow(begun.id)).status, await balance()]).toEqual(['failed', 5_000_000]);
        expect(await notices('order_refund_failed')).toHaveLength(1);
        expect((await eventsOf(tradeNo)).slice(4)).toEqual([
          'refund_pending re_1',
          'refund_done re_1',
          'refund_failed closed account',
        ]);
        // One that was made in the provider's console, and failed: once.
        for (const state of ['pending', 'done', 'failed', 'failed'] as const)
          await tell(state, { requestId: '', reference: 're_other' });
        expect((await eventsOf(tradeNo)).slice(7)).toEqual(['refund_failed re_other: closed account']);
        expect(await notices('payment_alert')).toHaveLength(1);
      });
    });
  }),
);
