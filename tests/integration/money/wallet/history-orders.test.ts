// An entry of the history leads to an order of its own user only, whatever its words say.
import { expect, test } from 'bun:test';
import type { RequestContext } from '#server/admin/context.ts';
import { createWalletHandlers } from '#server/admin/wallet/index.ts';
import { forEachDatabase } from '#tests/support/databases.ts';

forEachDatabase((_label, open) => {
  test('a note that names the order of another user leads nowhere', async () => {
    const store = await open();
    const { db } = store;
    const add = async (username: string) => {
      const values = { username, aff_code: username };
      const { id } = await db.insertInto('users').values(values).returning('id').executeTakeFirstOrThrow();
      const order = await db
        .insertInto('orders')
        .values({
          trade_no: `order-of-${username}`,
          user_id: id,
          provider: 'epay',
          amount_minor: 1,
          currency: 'CNY',
          quota: 1,
          created_at: 1,
          expires_at: 2,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return { id, orderId: order.id };
    };
    const [ann, bob] = [await add('ann'), await add('bob')];
    const book = (userId: number, number: number, reference: string, credit = `user:${userId}`) =>
      db
        .insertInto('ledger')
        .values({
          idem: `${userId}:${number}`,
          created_at: number,
          user_id: userId,
          debit_account: 'world:topup:epay',
          credit_account: credit,
          amount: 10 * number,
          kind: 'topup',
          reference,
        })
        .execute();
    await book(ann.id, 1, 'order-of-ann');
    await book(ann.id, 2, 'order-of-bob');
    await book(bob.id, 3, 'order-of-bob');
    await book(ann.id, 4, 'order-of-ann', `aff:${ann.id}`);
    const { history } = createWalletHandlers({ store, settings: { current: { SiteTimeZone: 'UTC' } } });
    const context = { user: { id: ann.id, username: 'ann', group: 'default', role: 1 } };
    const read = (p: number) =>
      history({ query: { p, size: 1 } } as never, context as unknown as RequestContext);
    const [newest, oldest] = [await read(1), await read(2)];
    expect([newest.total, newest.items[0], oldest.items[0]]).toMatchObject([
      2,
      { amount: 20, order_id: 0 },
      { amount: 10, order_id: ann.orderId },
    ]);
  });
});
