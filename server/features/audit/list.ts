// One page of the trail, and the actions that occur in it.
import type { Input, Output } from '#contract/endpoint.ts';
import type { audit } from '#contract/audit.ts';
import { pageSizeOf } from '#contract/lists.ts';
import type { AuditDependencies } from './dependencies.ts';
import { auditRows } from './rows.ts';
import { auditViewOf } from './view.ts';

export function listAudit({ store }: AuditDependencies) {
  return async ({ query }: Input<typeof audit.list>): Promise<Output<typeof audit.list>> => {
    const limit = pageSizeOf(query);
    // One more than asked for says whether there is another page.
    const rows = await auditRows(store, query, { before: query.before_id, limit: limit + 1 });
    const shown = rows.slice(0, limit);
    return { items: shown.map(auditViewOf), next: rows.length > limit ? (shown.at(-1)?.id ?? null) : null };
  };
}

export function listActions({ store }: AuditDependencies) {
  return async (): Promise<string[]> => {
    const rows = await store.db.selectFrom('audit').select('action').distinct().orderBy('action').execute();
    return rows.map(({ action }) => action);
  };
}
