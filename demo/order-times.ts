// Orders are listed by number. The past is made out of order, so they are numbered by time at the end.
import type { Store } from '#server/platform/store/store.ts';

const REFERRING = ['order_events', 'refunds', 'dividends', 'disputes', 'subscriptions'] as const;

export async function numberOrdersByTime({ db }: Store): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const rows = await transaction
      .selectFrom('orders')
      .select('id')
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    const moved = rows.map(({ id }, at) => ({ id, to: at + 1 })).filter(({ id, to }) => id !== to);
    // Below zero first: a number may still be taken.
    for (const { id, to } of moved) {
      await transaction.updateTable('orders').set({ id: -to }).where('id', '=', id).execute();
      for (const table of REFERRING)
        await transaction.updateTable(table).set({ order_id: -to }).where('order_id', '=', id).execute();
    }
    for (const { to } of moved) {
      await transaction.updateTable('orders').set({ id: to }).where('id', '=', -to).execute();
      for (const table of REFERRING)
        await transaction.updateTable(table).set({ order_id: to }).where('order_id', '=', -to).execute();
    }
  });
}
