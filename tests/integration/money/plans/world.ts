// Subscriptions for tests of the ledger: sold directly, and moved back in time instead of waiting.
import { sql } from 'kysely';
import type { PlanFields } from '#contract/money/plans.ts';
import { sellSubscription, type PlanTerms, type Subscription } from '#server/money/ledger/subscriptions.ts';
import type { Store } from '#server/platform/store/store.ts';
import type { World } from '#tests/integration/money/ledger/world.ts';

export const daySeconds = 86_400;

export function terms(change: Partial<PlanTerms> = {}): PlanTerms {
  return {
    plan_id: 1,
    plan_name: 'Daily',
    interval_unit: 'day',
    interval_count: 1,
    duration_unit: 'day',
    duration_count: 30,
    period_quota: 1000,
    models: '',
    group: '',
    price_quota: 0,
    price_minor: 0,
    currency: '',
    ...change,
  };
}

/** A plan of a month as an administrator defines it. */
export const planFields = (change: Partial<PlanFields> = {}): PlanFields => ({
  name: 'Monthly',
  name_en: '',
  description: '',
  description_en: '',
  price_minor: 3000,
  currency: 'CNY',
  price_quota: 400_000,
  duration_unit: 'month',
  duration_count: 1,
  quota: 1_000_000,
  reset: 'monthly',
  models: [],
  group: '',
  on_sale: true,
  limit_per_user: 0,
  sort_order: 0,
  ...change,
});

export async function subscribe(
  { store, ledger }: Pick<World, 'store' | 'ledger'>,
  userId: number,
  change: Partial<PlanTerms> = {},
): Promise<number> {
  return await store.db.transaction().execute(async (transaction) => {
    const source = (change.price_quota ?? 0) > 0 ? 'balance' : 'grant';
    const log = { type: 4, user_id: userId, content: 'test' };
    const sold = await sellSubscription({ store, ledger }, transaction, {
      userId,
      terms: terms(change),
      source,
      log,
    });
    if (!sold.ok) throw new Error(sold.reason);
    return sold.subscription.id;
  });
}

/** As if it had been bought so much earlier. */
export async function age({ db }: Store, id: number, seconds: number): Promise<void> {
  await sql`update subscriptions set started_at = started_at - ${seconds}, ends_at = ends_at - ${seconds},
    period_ends_at = period_ends_at - ${seconds} where id = ${id}`.execute(db);
}

export async function subscriptionRow({ db }: Store, id: number): Promise<Subscription> {
  return await db.selectFrom('subscriptions').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}

export const planFirst = (...ids: number[]) => ({ plans: { ids, isPlanFirst: true, isRequired: false } });
export const walletFirst = (...ids: number[]) => ({ plans: { ids, isPlanFirst: false, isRequired: false } });

/** The ledger rows of a call: what each account paid. */
export async function paidBy({ db }: Store, requestId: string): Promise<Record<string, number>> {
  const rows = await db
    .selectFrom('ledger')
    .select(['debit_account', 'amount'])
    .where('idem', 'in', [requestId, `${requestId}:plan`])
    .execute();
  return Object.fromEntries(rows.map(({ debit_account, amount }) => [debit_account, amount]));
}
