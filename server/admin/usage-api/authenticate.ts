// Whose calls a presented admin key may read. The row is read for every report, so a revoked key, a banned owner and a super
// admin who lost the role are refused at once.
import { isRoot } from '#contract/access.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import type { OrganizationDependencies } from './dependencies.ts';
import { bareKey, keyDigest } from './key.ts';

export interface ReportScope {
  keyId: number;
  /** Undefined: everyone's calls. */
  userId: number | undefined;
}

/** `not_admin`: the text is a token or anything else that does not begin like an admin key. */
export type Refused = 'not_admin' | 'unknown' | 'owner_disabled';

const ACTIVE_USER = 1;
/** The time of the last use is written once in so many seconds. */
const SEEN_EVERY_SECONDS = 60;

export async function scopeOf(
  dependencies: OrganizationDependencies,
  presented: string,
): Promise<ReportScope | Refused> {
  const { store } = dependencies;
  const bare = bareKey(presented);
  if (bare === undefined) return 'not_admin';
  const row = await store.db
    .selectFrom('admin_keys')
    .innerJoin('users', 'users.id', 'admin_keys.user_id')
    .select(['admin_keys.id', 'admin_keys.scope', 'admin_keys.user_id', 'admin_keys.last_used_at'])
    .select(['users.role', 'users.status', 'users.deleted_at'])
    .where('admin_keys.key_digest', '=', keyDigest(store.vault, bare))
    .executeTakeFirst();
  if (row === undefined) return 'unknown';
  if (row.status !== ACTIVE_USER || row.deleted_at !== null) return 'owner_disabled';
  if (row.scope === 'site' && !isRoot(row.role)) return 'unknown';
  await noteUse(dependencies, row);
  return { keyId: row.id, userId: row.scope === 'site' ? undefined : row.user_id };
}

async function noteUse(
  dependencies: OrganizationDependencies,
  { id, last_used_at }: { id: number; last_used_at: number },
): Promise<void> {
  const now = nowSeconds(dependencies);
  if (now - last_used_at < SEEN_EVERY_SECONDS) return;
  // A database that takes no write at the moment still answers reports.
  await dependencies.store.db
    .updateTable('admin_keys')
    .set({ last_used_at: now })
    .where('id', '=', id)
    .execute()
    .catch(() => undefined);
}
