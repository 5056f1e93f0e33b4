// Rows for the pages of things, written as the product writes them, and what the tests sum of them by themselves.
import type { TestApplication } from '#tests/support/application.ts';
import type { RowChange } from '#server/platform/store/schema.ts';

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

let next = 0;

/** One transfer; `user:<id>` and `plan:<id>` are accounts, everything else is the world's side. */
export interface Move {
  kind: string;
  from: string;
  to: string;
  amount: number;
  reference?: string;
}

/** In one transaction: the application's own audit may look at any time, and suspends a user whose balance is not what was booked. */
export async function bookAll(app: TestApplication, userId: number, moves: readonly Move[]): Promise<void> {
  const account = `user:${userId}`;
  const into = sum(moves.filter(({ to }) => to === account).map(({ amount }) => amount));
  const out = sum(moves.filter(({ from }) => from === account).map(({ amount }) => amount));
  await app.store.db.transaction().execute(async (transaction) => {
    for (const { kind, from, to, amount, reference = '' } of moves) {
      next += 1;
      await transaction
        .insertInto('ledger')
        .values({
          idem: `page:${next}`,
          created_at: 1_790_000_000 + next,
          user_id: userId,
          debit_account: from,
          credit_account: to,
          amount,
          kind,
          reference,
        })
        .execute();
    }
    await transaction
      .updateTable('users')
      .set((row) => ({ quota: row('quota', '+', into - out) }))
      .where('id', '=', userId)
      .execute();
  });
}

export async function addOrder(
  app: TestApplication,
  userId: number,
  row: Partial<RowChange<'orders'>> = {},
): Promise<number> {
  next += 1;
  const { id } = await app.store.db
    .insertInto('orders')
    .values({
      trade_no: `PAGE${next}`,
      user_id: userId,
      provider: 'epay',
      payment_method: 'zfb',
      amount_minor: 7300,
      currency: 'CNY',
      amount: 10,
      quota: 5_000_000,
      status: 'paid',
      created_at: 1_790_000_000 + next,
      paid_at: 1_790_000_100 + next,
      expires_at: 1_790_001_000 + next,
      ...row,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}
