// What users and operators are told of money that comes back: the whole notice of each, once for each state of each dispute.
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { alertOperators } from '#server/money/payments/alert.ts';
import { tellDispute, tellRefundFailed } from '#server/money/payments/tell.ts';
import type { Row } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { forEachDatabase } from '#tests/support/databases.ts';

setDefaultTimeout(60_000);
const order = { trade_no: 'trade 9', user_id: 51, currency: 'USD' };
const long = 'r'.repeat(201);

forEachDatabase((_label, open) =>
  describe('notices of payments', () => {
    const within = (store: Store, does: Parameters<ReturnType<Store['db']['transaction']>['execute']>[0]) =>
      store.db.transaction().execute(does);
    const notices = async (store: Store) => {
      const rows = await store.db.selectFrom('notices').selectAll().orderBy('id').execute();
      return rows.map(({ event, user_id, details, once_key }) => [
        event,
        user_id,
        JSON.parse(details) as unknown,
        once_key,
      ]);
    };

    test('a refund that failed: the amount, what is in the balance again, and for operators why', async () => {
      const store = await open();
      const refund = (id: number) => ({ id, amount_minor: 1234, quota: 777 }) as Row<'refunds'>;
      const tell = (id: number, currency = 'USD') =>
        within(store, async (transaction) =>
          tellRefundFailed(transaction, { ...order, currency }, refund(id), long),
        );
      await tell(5);
      await tell(5);
      await tell(6, 'JPY');
      const reason = long.slice(1);
      expect(await notices(store)).toEqual([
        [
          'order_refund_failed',
          51,
          { order: 'trade 9', amount: 'USD 12.34', quota: 777 },
          'refund_failed:5:user',
        ],
        ['refund_failed', 0, { order: 'trade 9', amount: 'USD 12.34', reason }, 'refund_failed:5'],
        [
          'order_refund_failed',
          51,
          { order: 'trade 9', amount: 'JPY 1234', quota: 777 },
          'refund_failed:6:user',
        ],
        ['refund_failed', 0, { order: 'trade 9', amount: 'JPY 1234', reason }, 'refund_failed:6'],
      ]);
    });

    test('a dispute: each state once, and again when a later word changes it back', async () => {
      const store = await open();
      const tell = (more: Partial<Row<'disputes'>>, quota: number) => {
        const dispute = {
          reference: 'dp_1',
          status: 'open',
          status_at: 0,
          claimed_minor: 150,
          lost_quota: 40,
          reason: long,
          ...more,
        } as Row<'disputes'>;
        return within(store, async (transaction) => tellDispute(transaction, order, dispute, quota));
      };
      await tell({}, 500);
      await tell({}, 900);
      const values = { order: 'trade 9', status: 'open', amount: 'USD 1.50', quota: 500 };
      expect(await notices(store)).toEqual([
        ['order_disputed', 51, values, 'dispute:dp_1:open:0:user'],
        ['payment_disputed', 0, { ...values, lost: 40, reason: long.slice(1) }, 'dispute:dp_1:open:0'],
      ]);
      const keysOf = async () => (await notices(store)).slice(2).flatMap((row) => row.slice(3));
      await tell({ status: 'lost', status_at: 100 }, 500);
      await tell({ status: 'lost', status_at: 200 }, 500);
      await tell({ status: 'lost', status_at: 200, reference: 'dp_2' }, 500);
      expect(await keysOf()).toEqual(
        ['dp_1:lost:100', 'dp_1:lost:200', 'dp_2:lost:200'].flatMap((key) => [
          `dispute:${key}:user`,
          `dispute:${key}`,
        ]),
      );
    });

    test('an alert: the number of the payment and its reason, both cut, and once for each pair of them', async () => {
      const store = await open();
      const reason = 'x'.repeat(200);
      const alert = (tradeNo: string, words: string, key?: string) =>
        alertOperators(store.db, tradeNo, words, key);
      expect(await alert('t'.repeat(101), `${reason}1`)).toBe(true);
      // The same as far as the key is.
      expect(await alert('t'.repeat(102), `${reason}2`)).toBe(false);
      expect(await alert('t'.repeat(99), `${reason}1`)).toBe(true);
      expect(await alert('t', 'a', 'stripe:1')).toBe(true);
      expect(await alert('u', 'b', 'stripe:1')).toBe(false);
      expect((await notices(store)).map(([event, user, , key]) => [event, user, key])).toEqual([
        ['payment_alert', 0, `payment_alert:${'t'.repeat(100)}:${reason}`],
        ['payment_alert', 0, `payment_alert:${'t'.repeat(99)}:${reason}`],
        ['payment_alert', 0, 'payment_alert:stripe:1'],
      ]);
      expect((await notices(store)).map(([, , details]) => details)).toEqual([
        { order: 't'.repeat(100), reason: `${reason}1` },
        { order: 't'.repeat(99), reason: `${reason}1` },
        { order: 't', reason: 'a' },
      ]);
    });
  }),
);
