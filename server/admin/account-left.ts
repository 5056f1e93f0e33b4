// What an account still has when it is deleted: named before and in the answer, and its plans end with it.
import type { Kysely, Transaction } from 'kysely';
import type { AccountLeft } from '#contract/admin/users.ts';
import { unixSeconds } from '#contract/time.ts';
import { endSubscription, noteNotice, type SubscriptionParts } from '#server/money/ledger/subscriptions.ts';
import { currencyDigits } from '#server/money/payments/index.ts';
import type { Schema } from '#server/platform/store/schema.ts';

export async function readAccountLeft(db: Kysely<Schema>, userId: number): Promise<AccountLeft> {
  const now = unixSeconds();
  const user = await db
    .selectFrom('users')
    .select(['quota', 'aff_quota'])
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  const plans = await db
    .selectFrom('subscriptions')
    .select(['plan_name', 'started_at', 'ends_at', 'period_ends_at', 'period_quota', 'quota', 'held'])
    .where('user_id', '=', userId)
    .where('status', '=', 'active')
    .where('ends_at', '>', now)
    .orderBy('ends_at')
    .execute();
  const orders = await db
    .selectFrom('orders')
    .select(['trade_no', 'amount_minor', 'currency'])
    .where('user_id', '=', userId)
    .where('status', '=', 'pending')
    .orderBy('id')
    .execute();
  return {
    quota: user.quota,
    aff_quota: user.aff_quota,
    plans: plans.map(({ plan_name, started_at, ends_at, period_ends_at, period_quota, quota, held }) => ({
      plan_name,
      ends_at,
      left: started_at > now ? 0 : period_ends_at > now ? quota - held : period_quota,
    })),
    open_orders: orders.map((order) => ({ ...order, currency_digits: currencyDigits(order.currency) })),
  };
}

/** In the transaction of the deletion, with the user locked. Calls that run settle from the parts that they hold. */
export async function endPlansOf(
  parts: SubscriptionParts,
  transaction: Transaction<Schema>,
  userId: number,
): Promise<void> {
  const active = await transaction
    .selectFrom('subscriptions')
    .select('id')
    .where('user_id', '=', userId)
    .where('status', '=', 'active')
    .orderBy('id')
    .execute();
  for (const { id } of active) {
    await endSubscription(parts, transaction, id, 'deleted');
    // The deletion itself was confirmed: no notice of each plan follows.
    await noteNotice(transaction, id, 'subscription_ended');
  }
}
