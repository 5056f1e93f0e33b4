// Orders for plans: a paid one becomes a subscription with the terms of the order, a refunded one ends it.
import { sql, type Transaction } from 'kysely';
import { factText } from '#contract/facts.ts';
import { LOG_TYPE } from '#contract/admin/logs.ts';
import { planAccount, PLAN_GRANT_KIND, PLAN_RETURN_KIND } from '#server/money/ledger/engine/subscriptions.ts';
import {
  endSubscription,
  lockUser,
  reopenSubscription,
  sellSubscription,
  type PlanTerms,
} from '#server/money/ledger/subscriptions.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
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
      content: factText('planOrder', { plan: plan.plan_name, price, order: order.trade_no }),
    },
  });
  if (!sold.ok) throw new Error(`the order ${order.trade_no} could not be delivered: ${sold.reason}`);
  return `${plan.plan_name} #${sold.subscription.id}`;
}

const refundReason = (requestId: string) => `refund:${requestId}`;

/** Ends that are undone when nothing of the price is claimed back any more. */
const isClaimReason = (reason: string) => reason.startsWith('refund:') || reason.startsWith('dispute:');

/** A refund of any amount ends the subscription; when the last one has failed, it is opened again. */
export async function changePlanOfRefund(
  parts: PaymentParts,
  transaction: Transaction<Schema>,
  order: Order,
  { request_id, amount_minor }: Pick<Row<'refunds'>, 'request_id' | 'amount_minor'>,
  direction: 'back' | 'again',
): Promise<void> {
  if (direction === 'back') await endPlan(parts, transaction, order, refundReason(request_id));
  else
    await reopenPlan(parts, transaction, { ...order, refunded_minor: order.refunded_minor - amount_minor });
}

export async function endPlan(
  parts: PaymentParts,
  transaction: Transaction<Schema>,
  order: Order,
  reason: string,
): Promise<void> {
  const subscription = await subscriptionOf(transaction, order);
  if (subscription !== undefined) await endSubscription(parts, transaction, subscription.id, reason);
}

/** Another refund or dispute of the same order stays: then the subscription stays ended. */
export async function reopenPlan(
  parts: PaymentParts,
  transaction: Transaction<Schema>,
  order: Order,
): Promise<void> {
  if (order.refunded_minor > 0 || order.disputed_minor > 0) return;
  const subscription = await subscriptionOf(transaction, order);
  // What ended it may be another one than the last that failed.
  if (subscription === undefined || !isClaimReason(subscription.end_reason)) return;
  await reopenSubscription(parts, transaction, subscription.id, subscription.end_reason);
}

/** What calls have used of the plan: all that was granted and neither given back nor is left. */
export async function planUse(transaction: Transaction<Schema>, order: Order): Promise<number> {
  const subscription = await subscriptionOf(transaction, order);
  if (subscription === undefined) return 0;
  const account = planAccount(subscription.id);
  const { granted } = await transaction
    .selectFrom('ledger')
    .select(
      sql<number>`coalesce(sum(case debit_account when ${account} then -amount else amount end), 0)`.as(
        'granted',
      ),
    )
    .where('user_id', '=', order.user_id)
    // As the index on what is no charge says.
    .where('kind', '<>', 'use')
    .where((entry) =>
      entry.or([
        entry('kind', '=', PLAN_RETURN_KIND).and('debit_account', '=', account),
        entry('kind', '=', PLAN_GRANT_KIND).and('credit_account', '=', account),
      ]),
    )
    .executeTakeFirstOrThrow();
  return Math.max(0, granted - subscription.quota);
}

async function subscriptionOf(transaction: Transaction<Schema>, { id }: Order) {
  return await transaction
    .selectFrom('subscriptions')
    .select(['id', 'end_reason', 'quota'])
    .where('order_id', '=', id)
    .where('order_id', '>', 0)
    .executeTakeFirst();
}
