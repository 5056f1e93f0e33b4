// Callers are known with their subscriptions: an order of a plan that was paid or refunded changes them.
import type { PaymentParts } from '#server/payments/index.ts';

export async function announcePlan(
  { store }: PaymentParts,
  { plan_id, user_id }: { plan_id: number; user_id: number },
): Promise<void> {
  if (plan_id > 0) await store.changes.announce('users', String(user_id));
}
