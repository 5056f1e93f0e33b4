// The names of things that rows of the trail mention, also of deleted ones; one query for each kind.
import type { AuditView } from '#contract/admin/audit.ts';
import { namedTarget, referenceOf, type NamedTarget } from '#contract/admin/audit-references.ts';
import type { Store } from '#server/platform/store/store.ts';

/** Databases take lists of this length; a page of the trail has fewer. */
const MOST_OF_A_KIND = 500;

type NamedTable =
  | 'admin_keys'
  | 'budgets'
  | 'channels'
  | 'organizations'
  | 'plans'
  | 'projects'
  | 'service_accounts'
  | 'tokens';

export async function namesIn(
  { db }: Pick<Store, 'db'>,
  rows: readonly Pick<AuditView, 'target' | 'before' | 'after'>[],
): Promise<Record<string, string>> {
  const wanted = new Map<NamedTarget, Set<number>>();
  for (const target of rows.flatMap(mentionedIn)) {
    const named = namedTarget(target);
    if (named) wanted.set(named.kind, (wanted.get(named.kind) ?? new Set()).add(named.id));
  }
  const idsOf = (kind: NamedTarget) => [...(wanted.get(kind) ?? [])].slice(0, MOST_OF_A_KIND);
  const readNames = async (kind: NamedTarget, table: NamedTable) => {
    const ids = idsOf(kind);
    if (ids.length === 0) return [];
    const found = await db.selectFrom(table).select(['id', 'name']).where('id', 'in', ids).execute();
    return found.map(({ id, name }) => [`${kind}:${id}`, name] as const);
  };
  const users = async () => {
    const ids = idsOf('user');
    if (ids.length === 0) return [];
    const found = await db.selectFrom('users').select(['id', 'username']).where('id', 'in', ids).execute();
    return found.map(({ id, username }) => [`user:${id}`, username] as const);
  };
  const orders = async () => {
    const ids = idsOf('order');
    if (ids.length === 0) return [];
    const found = await db.selectFrom('orders').select(['id', 'trade_no']).where('id', 'in', ids).execute();
    return found.map(({ id, trade_no }) => [`order:${id}`, trade_no] as const);
  };
  const subscriptions = async () => {
    const ids = idsOf('subscription');
    if (ids.length === 0) return [];
    const found = await db
      .selectFrom('subscriptions')
      .select(['id', 'plan_name'])
      .where('id', 'in', ids)
      .execute();
    return found.map(({ id, plan_name }) => [`subscription:${id}`, plan_name] as const);
  };
  const all = await Promise.all([
    readNames('admin_key', 'admin_keys'),
    readNames('budget', 'budgets'),
    readNames('channel', 'channels'),
    readNames('organization', 'organizations'),
    readNames('plan', 'plans'),
    readNames('project', 'projects'),
    readNames('service_account', 'service_accounts'),
    readNames('token', 'tokens'),
    users(),
    orders(),
    subscriptions(),
  ]);
  return Object.fromEntries(all.flat().filter(([, name]) => name !== ''));
}

function mentionedIn({ target, before, after }: Pick<AuditView, 'target' | 'before' | 'after'>): string[] {
  const references = [before, after].flatMap((text) =>
    Object.entries(fieldsOf(text)).flatMap(([field, value]) => {
      const reference = referenceOf(field, String(value));
      return reference === undefined ? [] : [reference];
    }),
  );
  return [target, ...references];
}

function fieldsOf(text: string): Record<string, unknown> {
  if (text === '') return {};
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}
