// Orders as the API shows them.
import type { AdminOrderView, OrderView } from '#contract/orders.ts';
import { currencyDigits, type Order } from '#server/payments/index.ts';
import type { Store } from '#server/store/store.ts';

export function orderViewOf(order: Order): OrderView {
  return {
    id: order.id,
    trade_no: order.trade_no,
    provider: order.provider,
    payment_method: order.payment_method,
    amount_minor: order.amount_minor,
    currency: order.currency,
    currency_digits: currencyDigits(order.currency),
    quota: order.quota,
    status: order.status,
    created_at: order.created_at,
    paid_at: order.paid_at,
    expires_at: order.expires_at,
    refunded_minor: order.refunded_minor,
    refunded_quota: order.refunded_quota,
    terms: termsOf(order),
  };
}

export function adminOrderViewOf(order: Order & { username: string }): AdminOrderView {
  const { user_id, username, provider_reference, payer } = order;
  return { ...orderViewOf(order), user_id, username, provider_reference, payer };
}

export async function readAdminView({ db }: Store, id: number): Promise<AdminOrderView> {
  const order = await db
    .selectFrom('orders')
    .innerJoin('users', 'users.id', 'orders.user_id')
    .selectAll('orders')
    .select('users.username')
    .where('orders.id', '=', id)
    .executeTakeFirstOrThrow();
  return adminOrderViewOf(order);
}

/** Orders of before the terms were kept have only their amount. */
function termsOf({ detail, amount }: Order): OrderView['terms'] {
  const known = JSON.parse(detail) as Partial<OrderView['terms']>;
  return { dollars: amount, price: 0, group: '', group_ratio: 1, discount: 1, promotion: '', ...known };
}
