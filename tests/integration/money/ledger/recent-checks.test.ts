// What the regular audit asks of orders and codes of the last two days, clause by clause; older ones are left to the whole audit.
import { expect, test } from 'bun:test';
import { unixSeconds } from '#contract/time.ts';
import { checkTables, recentChecks } from '#server/money/audit/table-checks.ts';
import { REDEEM_KIND, TOP_UP_KIND } from '#server/money/ledger/idempotency.ts';
import type { NewRow } from '#server/platform/store/schema.ts';
import { forEachDatabase } from '#tests/support/databases.ts';

const DAY = 86_400;

forEachDatabase((_label, open) => {
  test('a paid order of the last days has its top-up, or its subscription and no top-up, and a used code its entry', async () => {
    const store = await open();
    const { db } = store;
    const now = unixSeconds();
    let serial = 0;
    const book = (idem: string, kind: string, amount: number, user_id: number) =>
      db
        .insertInto('ledger')
        .values({
          idem,
          kind,
          amount,
          user_id,
          created_at: now,
          debit_account: 'world:redeem',
          credit_account: `user:${user_id}`,
          reference: '',
        })
        .execute();
    const order = async (trade_no: string, more: Partial<NewRow<'orders'>> = {}) => {
      const values = {
        trade_no,
        user_id: 7,
        provider: 'epay',
        amount_minor: 100,
        currency: 'CNY',
        quota: 50,
        status: 'paid' as const,
        created_at: now,
        expires_at: now,
        paid_at: now - 10,
        ...more,
      };
      const { id } = await db.insertInto('orders').values(values).returning('id').executeTakeFirstOrThrow();
      return id;
    };
    const subscription = (order_id: number, user_id: number) =>
      db
        .insertInto('subscriptions')
        .values({
          order_id,
          user_id,
          plan_id: 3,
          plan_name: 'plan',
          created_at: now,
          started_at: now,
          ends_at: now + DAY,
          interval_count: 1,
          periods: 1,
          period: 0,
          period_ends_at: now + DAY,
          source: 'order',
          request_key: null,
        })
        .execute();
    const topUp = (trade_no: string, amount = 50, userId = 7) =>
      book(`order:${trade_no}`, TOP_UP_KIND, amount, userId);
    const code = async (more: Partial<NewRow<'redemptions'>> = {}) => {
      serial += 1;
      const values = {
        user_id: 1,
        name: 'code',
        status: 3,
        quota: 20,
        created_time: 1,
        redeemed_time: now - 10,
        used_user_id: 7,
        key_digest: `digest ${serial}`,
        key_sealed: '',
        deleted_at: null,
        ...more,
      };
      const { id } = await db
        .insertInto('redemptions')
        .values(values)
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    };
    const redeemed = (id: number, amount = 20, userId = 7) =>
      book(`redemption:${id}`, REDEEM_KIND, amount, userId);

    await order('right');
    await topUp('right');
    await order('refunded', { status: 'refunded' });
    await topUp('refunded');
    await order('unpaid', { status: 'pending' });
    await order('old', { paid_at: now - 2 * DAY - 60 });
    await subscription(await order('plan', { plan_id: 3, quota: 0 }), 7);
    await redeemed(await code());
    await code({ status: 1 });
    await code({ redeemed_time: now - 2 * DAY - 60 });
    expect(await checkTables(recentChecks, store)).toEqual([]);

    await order('without');
    await order('of another amount', { status: 'refunded' });
    await topUp('of another amount', 51);
    await order('of another user');
    await topUp('of another user', 50, 8);
    await order('plan without', { plan_id: 3 });
    await subscription(await order('plan of another user', { plan_id: 3 }), 8);
    await subscription(await order('plan and top-up', { plan_id: 3, quota: 50 }), 7);
    await topUp('plan and top-up');
    const [missing, other, foreign] = [await code(), await code(), await code()];
    await redeemed(other, 21);
    await redeemed(foreign, 20, 8);
    const found = (await checkTables(recentChecks, store)).map(({ detail }) => detail);
    expect(found.toSorted()).toEqual(
      [
        `code ${missing}`,
        `code ${other}`,
        `code ${foreign}`,
        'order of another amount',
        'order of another user',
        'order plan and top-up',
        'order plan of another user',
        'order plan without',
        'order without',
      ].toSorted(),
    );
  });
});
