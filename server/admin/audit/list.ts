// One page of the trail, and the actions that occur in it.
import type { Handler } from '#server/admin/context.ts';
import type { audit } from '#contract/admin/audit.ts';
import { pageSizeOf } from '#contract/lists.ts';
import type { AuditDependencies } from './dependencies.ts';
import { namesIn } from './names.ts';
import { auditRows, countAudit } from './rows.ts';
import { auditViewOf } from './view.ts';

type Parts = Pick<AuditDependencies, 'store'>;
type Page = Handler<typeof audit.list>;

/** Of the site, or in the scope of an organization of that one. */
export function listAudit({ store }: Parts): Page {
  return async ({ query }, { organization }) => {
    const place = { before: query.before_id, after: query.after_id, limit: pageSizeOf(query) };
    const filter = { ...query, organizationId: organization?.id };
    const [rows, total] = await Promise.all([auditRows(store, filter, place), countAudit(store, filter)]);
    const items = rows.map(auditViewOf);
    return { items, total, names: await namesIn(store, items) };
  };
}

export function listActions({ store }: Parts) {
  return async (): Promise<string[]> => {
    const rows = await store.db.selectFrom('audit').select('action').distinct().orderBy('action').execute();
    return rows.map(({ action }) => action);
  };
}
