// The page of one order: of the caller, or any order for administrators. Another user's order is not found.
import { isAdmin } from '#contract/access.ts';
import type { OrderPageView } from '#contract/admin/order-page.ts';
import { AppError } from '#contract/errors.ts';
import type { orders } from '#contract/money/orders.ts';
import { unixSeconds } from '#contract/time.ts';
import { accountOf, type Handler } from '#server/admin/context.ts';
import type { PaymentParts } from '#server/money/payments/index.ts';
import type { Store } from '#server/platform/store/store.ts';
import { readOrder } from './list.ts';

export function orderPage(parts: PaymentParts): Handler<typeof orders.page> {
  return async ({ params: { id } }, context) => {
    const account = accountOf(context);
    const can_manage = isAdmin(account.role);
    if (!can_manage) await requireOwn(parts.store, id, account.id);
    const [{ events, refunds, refundable_quota, ...order }, subscription] = await Promise.all([
      readOrder(parts, id, context.language),
      subscriptionOf(parts.store, id),
    ]);
    const view = { now: unixSeconds(), order, events, refunds, refundable_quota, can_manage, subscription };
    return can_manage ? view : forBuyer(view);
  };
}

async function requireOwn({ db }: Store, id: number, userId: number): Promise<void> {
  const own = await db
    .selectFrom('orders')
    .select('id')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  if (own === undefined) throw new AppError('not_found');
}

async function subscriptionOf({ db }: Store, orderId: number): Promise<OrderPageView['subscription']> {
  const row = await db
    .selectFrom('subscriptions')
    .select(['id', 'started_at', 'ends_at', 'ended_at'])
    .where('order_id', '=', orderId)
    .executeTakeFirst();
  return row ?? null;
}

/** The words of events name administrators and what a provider said to the operator; reasons of refunds are internal too. */
function forBuyer({ order, events, refunds, ...view }: OrderPageView): OrderPageView {
  return {
    ...view,
    order: { ...order, payer: '', lost_quota: 0 },
    events: events.map((event) => ({ ...event, detail: event.kind === 'credited' ? event.detail : '' })),
    refunds: refunds.map((refund) => ({ ...refund, reason: '', can_end: false })),
    refundable_quota: 0,
  };
}
