// Orders as the API shows them.
import type { AdminOrderView, OrderView } from '#contract/money/orders.ts';
import { currencyDigits, planOf, type Order } from '#server/money/payments/index.ts';
import type { Store } from '#server/platform/store/store.ts';

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
    dispute_status: order.dispute_status,
    disputed_minor: order.disputed_minor,
    disputed_quota: order.disputed_quota,
    frozen_quota: order.frozen_quota,
    plan_id: order.plan_id,
    plan_name: order.plan_id === 0 ? '' : planOf(order).plan.plan_name,
    terms: termsOf(order),
  };
}

export function adminOrderViewOf(order: Order & { username: string }): AdminOrderView {
  const { user_id, username, provider_reference, payer, lost_quota } = order;
  return { ...orderViewOf(order), user_id, username, provider_reference, payer, lost_quota };
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

/** Orders of before the terms were kept have only their amount; a plan's price is made of nothing else. */
function termsOf({ detail, amount, plan_id }: Order): OrderView['terms'] {
  const none = { dollars: amount, price: 0, group: '', group_ratio: 1, discount: 1, promotion: '' };
  if (plan_id > 0) return none;
  return { ...none, ...(JSON.parse(detail) as Partial<OrderView['terms']>) };
}
