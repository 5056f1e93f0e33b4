// The receipt of a paid order: what was sold by whom to whom, and what was paid back since.
import { callerOf, type Handlers } from '#server/admin/context.ts';
import { AppError } from '#contract/errors.ts';
import { receiptNumber, type receipts, type ReceiptView } from '#contract/money/receipts.ts';
import { sellerOfOrder, type Order, type PaymentParts } from '#server/money/payments/index.ts';
import { orderViewOf } from './view.ts';

type ReceiptParts = Pick<PaymentParts, 'store' | 'settings'>;

export function createReceiptHandlers(parts: ReceiptParts): Handlers<typeof receipts> {
  const orders = parts.store.db.selectFrom('orders').selectAll();
  return {
    own: async ({ params }, context) =>
      await receiptOf(
        parts,
        await orders
          .where('trade_no', '=', params.trade_no)
          .where('user_id', '=', callerOf(context).id)
          .executeTakeFirst(),
      ),
    read: async ({ params }) =>
      await receiptOf(parts, await orders.where('id', '=', params.id).executeTakeFirst()),
  };
}

/** An order that was not paid has no receipt. */
async function receiptOf(
  { store: { db }, settings }: ReceiptParts,
  order: Order | undefined,
): Promise<ReceiptView> {
  if (order === undefined || order.paid_at === 0) throw new AppError('not_found');
  const [buyer, refunds] = await Promise.all([
    db
      .selectFrom('users')
      .select(['id', 'username', 'display_name', 'email'])
      .where('id', '=', order.user_id)
      .executeTakeFirst(),
    db
      .selectFrom('refunds')
      .select(['id', 'created_at', 'amount_minor', 'status'])
      .where('order_id', '=', order.id)
      .where('status', '<>', 'failed')
      .orderBy('id')
      .execute(),
  ]);
  const { terms, trade_no, provider, payment_method, amount_minor, ...view } = orderViewOf(order);
  const { currency, currency_digits, quota, status, paid_at } = view;
  return {
    number: receiptNumber(order),
    trade_no,
    provider,
    payment_method,
    amount_minor,
    currency,
    currency_digits,
    quota,
    plan_name: view.plan_name,
    status,
    paid_at,
    dollars: terms.dollars,
    provider_reference: order.provider_reference,
    seller: sellerOfOrder(order, settings.current),
    buyer: buyer ?? { id: order.user_id, username: '', display_name: '', email: '' },
    refunds,
  };
}
