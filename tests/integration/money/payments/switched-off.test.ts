// Orders and refunds of a provider that was switched off: nobody is asked, and what is over ends.
import { expect, test } from 'bun:test';
import { unixSeconds } from '#contract/time.ts';
import type { PaymentParts } from '#server/money/payments/index.ts';
import { ProviderError } from '#server/money/payments/provider.ts';
import { reconcileOrders } from '#server/money/payments/reconcile.ts';
import { forEachDatabase } from '#tests/support/databases.ts';

forEachDatabase((_label, open) => {
  test('an order whose provider is switched off is not asked about, and expires in its time', async () => {
    const store = await open();
    const { db } = store;
    const now = unixSeconds();
    const add = (trade_no: string, provider: string, expires_at: number) =>
      db
        .insertInto('orders')
        .values({
          trade_no,
          provider,
          expires_at,
          user_id: 7,
          amount_minor: 100,
          currency: 'CNY',
          quota: 10,
          created_at: now - 3600,
          next_query_at: now - 1,
        })
        .execute();
    await add('off, over', 'epay', now - 1);
    await add('off, open', 'epay', now + 600);
    await add('unknown, over', 'gone', now - 1);
    await add('away, over', 'stripe', now - 1);
    await add('unpaid, over', 'paypal', now - 1);
    const asked: string[] = [];
    const providerOf = (name: string, methods: unknown[], fails: boolean) => ({
      name,
      isRefundRepeatable: true,
      methods: () => methods,
      query: async ({ tradeNo }: { tradeNo: string }) => {
        asked.push(tradeNo);
        if (fails) throw new ProviderError('away');
        return undefined;
      },
      refund: async () => {
        asked.push(`refund at ${name}`);
        return { kind: 'unknown', detail: '' };
      },
    });
    const known: Record<string, unknown> = {
      epay: providerOf('epay', [], true),
      stripe: providerOf('stripe', [{ name: 'stripe' }], true),
      paypal: providerOf('paypal', [{ name: 'paypal' }], false),
    };
    const [order] = await db.selectFrom('orders').select('id').where('trade_no', '=', 'off, over').execute();
    await db
      .insertInto('refunds')
      .values({ request_id: 'r', order_id: order?.id ?? 0, user_id: 7, created_at: now - 3600 })
      .execute();
    const parts = {
      store,
      providers: { byName: (name: string) => known[name] },
      log: { warn: () => {}, error: () => {}, info: () => {} },
    } as unknown as PaymentParts;
    await reconcileOrders(parts, new AbortController().signal);
    const rows = await db
      .selectFrom('orders')
      .select(['trade_no', 'status', 'queries'])
      .orderBy('id')
      .execute();
    expect(rows.map(({ trade_no, status, queries }) => [trade_no, status, queries])).toEqual([
      ['off, over', 'expired', 1],
      ['off, open', 'pending', 1],
      ['unknown, over', 'expired', 1],
      // Without an answer it may have been paid.
      ['away, over', 'pending', 1],
      ['unpaid, over', 'expired', 1],
    ]);
    expect(asked.toSorted()).toEqual(['away, over', 'unpaid, over']);
    expect(await db.selectFrom('refunds').select('status').executeTakeFirst()).toEqual({ status: 'pending' });
  });
});
