// One page of the trail, and the actions that occur in it.
import type { Handler } from '#server/admin/context.ts';
import type { audit } from '#contract/admin/audit.ts';
import { pageSizeOf } from '#contract/lists.ts';
import type { AuditDependencies } from './dependencies.ts';
import { namesIn } from './names.ts';
import { auditRows, countAudit } from './rows.ts';
import { auditViewOf } from './view.ts';

export function listAudit({ store }: AuditDependencies): Handler<typeof audit.list> {
  return async ({ query }) => {
    const place = { before: query.before_id, after: query.after_id, limit: pageSizeOf(query) };
    const [rows, total] = await Promise.all([auditRows(store, query, place), countAudit(store, query)]);
    const items = rows.map(auditViewOf);
    return { items, total, names: await namesIn(store, items) };
  };
}

export function listActions({ store }: AuditDependencies) {
  return async (): Promise<string[]> => {
    const rows = await store.db.selectFrom('audit').select('action').distinct().orderBy('action').execute();
    return rows.map(({ action }) => action);
  };
}
