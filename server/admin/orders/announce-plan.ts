// Every node knows callers with their subscriptions: an order for a plan that changed is announced.
import type { Store } from '#server/platform/store/store.ts';

export async function announcePlan(
  { changes }: Pick<Store, 'changes'>,
  { plan_id, user_id }: { plan_id: number; user_id: number },
): Promise<void> {
  if (plan_id > 0) await changes.announce('users', String(user_id));
}
