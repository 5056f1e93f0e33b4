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

/** Ends that a refund made, and that are undone when nothing of the price is claimed back any more. */
const isClaimReason = (reason: string) => reason.startsWith('refund:');

/** A refund of any amount ends the subscription; when the last one has failed, it is opened again. */
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
    .select(['id', 'end_reason'])
    .where('order_id', '=', order.id)
    .where('order_id', '>', 0)
    .executeTakeFirst();
  if (subscription === undefined) return;
  const { id, end_reason: reason } = subscription;
  if (direction === 'back') await endSubscription(parts, transaction, id, refundReason(request_id));
  // The refund that ended it may be another one than the last that failed.
  else if (isClaimReason(reason)) await reopenSubscription(parts, transaction, id, reason);
}
