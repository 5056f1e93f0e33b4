// The names of the plans that paid part of a call, in the reader's language. A row keeps the id of the subscription only.
import { inLanguage, type Language } from '#contract/language.ts';
import type { LogView } from '#contract/admin/logs.ts';
import type { Store } from '#server/platform/store/store.ts';

/** As the ledger writes it; a row without it is not parsed. */
const PLAN_MARK = '"plan":{"subscription":';

/** Undefined where the balance paid all. */
function subscriptionOf({ other }: Pick<LogView, 'other'>): number | undefined {
  if (!other.includes(PLAN_MARK)) return undefined;
  const { plan } = JSON.parse(other) as { plan?: { subscription?: unknown } };
  return typeof plan?.subscription === 'number' ? plan.subscription : undefined;
}

export async function withPlanNames(
  { db }: Pick<Store, 'db'>,
  language: Language,
  views: LogView[],
): Promise<LogView[]> {
  const ids = [...new Set(views.map(subscriptionOf))].filter((id) => id !== undefined);
  if (ids.length === 0) return views;
  const found = await db
    .selectFrom('subscriptions')
    .leftJoin('plans', 'plans.id', 'subscriptions.plan_id')
    .select(['subscriptions.id', 'subscriptions.plan_name', 'plans.name_en'])
    .where('subscriptions.id', 'in', ids)
    .execute();
  const names = new Map(
    found.map(({ id, plan_name, name_en }) => [id, inLanguage(language, plan_name, name_en ?? '')]),
  );
  return views.map((view) => {
    const id = subscriptionOf(view);
    const plan_name = id === undefined ? undefined : names.get(id);
    return plan_name === undefined ? view : { ...view, plan_name };
  });
}
