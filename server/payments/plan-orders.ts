// Orders for plans: a paid one becomes a subscription with the terms of the order, a refunded one ends it.
import type { Transaction } from 'kysely';
import { logNote } from '#contract/log-notes.ts';
import { LOG_TYPE } from '#contract/logs.ts';
import {
  endSubscription,
  lockUser,
  reopenSubscription,
  sellSubscription,
  type PlanTerms,
} from '#server/billing/subscriptions.ts';
import type { Row, Schema } from '#server/store/schema.ts';
import type { Order } from './order-rows.ts';
import type { PaymentParts } from './parts.ts';

/** What the order froze. */
export function planOf({ detail }: Order): { plan: PlanTerms; follows_id: number } {
  return JSON.parse(detail) as { plan: PlanTerms; follows_id: number };
}

/** Returns the words of the order's event. */
export async function deliverPlan(
  parts: PaymentParts,
  transaction: Transaction<Schema>,
  order: Order,
  { username, price }: { username: string; price: string },
): Promise<string> {
  const { plan, follows_id } = planOf(order);
  const { user_id: userId } = order;
  await lockUser(parts, transaction, userId);
  const follows = await transaction
    .selectFrom('subscriptions')
    .select(['id', 'ends_at'])
    .where('id', '=', follows_id)
    .where('user_id', '=', userId)
    .where('status', '=', 'active')
    .executeTakeFirst();
  const sold = await sellSubscription(parts, transaction, {
    userId,
    terms: plan,
    source: 'order',
    orderId: order.id,
    follows,
    log: {
      type: LOG_TYPE.topUp,
      user_id: userId,
      username,
      quota: 0,
      content: logNote('planOrder', plan.plan_name, price, order.trade_no),
    },
  });
  if (!sold.ok) throw new Error(`the order ${order.trade_no} could not be delivered: ${sold.reason}`);
  return `${plan.plan_name} #${sold.subscription.id}`;
}

const refundReason = (requestId: string) => `refund:${requestId}`;

/** A refund of any amount ends the subscription; a refund that failed opens it again. */
export async function changePlanOfRefund(
  parts: PaymentParts,
  transaction: Transaction<Schema>,
  order: Order,
  { request_id, amount_minor }: Pick<Row<'refunds'>, 'request_id' | 'amount_minor'>,
  direction: 'back' | 'again',
): Promise<void> {
  // Another refund of the same order stays: the subscription stays ended.
  if (direction === 'again' && order.refunded_minor > amount_minor) return;
  const subscription = await transaction
    .selectFrom('subscriptions')
    .select('id')
    .where('order_id', '=', order.id)
    .where('order_id', '>', 0)
    .executeTakeFirst();
  if (subscription === undefined) return;
  const change = direction === 'back' ? endSubscription : reopenSubscription;
  await change(parts, transaction, subscription.id, refundReason(request_id));
}
