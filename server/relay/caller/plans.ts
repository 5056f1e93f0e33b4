// The subscriptions of a caller that may pay for calls, as they were when the caller's rows were read. How much they have
// left is decided by the ledger, call by call.
import type { Store } from '#server/platform/store/store.ts';

export interface CallerPlan {
  readonly id: number;
  /** Unix seconds. */
  readonly startsAt: number;
  readonly endsAt: number;
  /** Undefined when every model is allowed. */
  readonly models: ReadonlySet<string> | undefined;
  /** Empty: the plan changes no group. */
  readonly group: string;
}

export interface CallerPlans {
  /** The one that ends first is first. */
  readonly list: readonly CallerPlan[];
  /** The balance pays before a subscription does. */
  readonly isWalletFirst: boolean;
  /** The token or the call names a group: no plan changes it. */
  readonly keepsGroup: boolean;
}

export async function loadPlans(
  { db }: Store,
  userId: number,
  keepsGroup: boolean,
): Promise<CallerPlans | undefined> {
  const rows = await db
    .selectFrom('subscriptions')
    .innerJoin('users', 'users.id', 'subscriptions.user_id')
    .select([
      'subscriptions.id',
      'subscriptions.started_at as startsAt',
      'subscriptions.ends_at as endsAt',
      'subscriptions.models',
      'subscriptions.group',
      'users.wallet_first',
    ])
    .where('subscriptions.user_id', '=', userId)
    .where('subscriptions.status', '=', 'active')
    .orderBy('subscriptions.ends_at')
    .orderBy('subscriptions.id')
    .execute();
  const [first] = rows;
  if (first === undefined) return undefined;
  const list = rows.map(({ models, wallet_first: _walletFirst, ...plan }) => ({
    ...plan,
    models: models === '' ? undefined : new Set(models.split(',')),
  }));
  return { list, isWalletFirst: first.wallet_first === 1, keepsGroup };
}
