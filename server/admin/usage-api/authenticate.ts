// Whose calls a presented admin key may read. The row is read for every report, so a revoked key, a banned owner and a super
// admin who lost the role are refused at once.
import { isRoot } from '#contract/access.ts';
import { hasRight } from '#contract/admin/organization-rights.ts';
import type { Caller } from '#contract/context.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import type { OrganizationDependencies } from './dependencies.ts';
import { bareKey, keyDigest } from './key.ts';

export interface ReportScope {
  keyId: number;
  /** Undefined: everyone's calls. */
  userId: number | undefined;
  /** Of an organization's key: the member who made it, for whom it acts. */
  member?: { organizationId: number; caller: Caller } | undefined;
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
    .select(['admin_keys.organization_id', 'users.username', 'users.group'])
    .select(['users.role', 'users.status', 'users.deleted_at'])
    .where('admin_keys.key_digest', '=', keyDigest(store.vault, bare))
    .executeTakeFirst();
  if (row === undefined) return 'unknown';
  if (row.status !== ACTIVE_USER || row.deleted_at !== null) return 'owner_disabled';
  if (row.scope === 'site' && !isRoot(row.role)) return 'unknown';
  const { id: keyId, user_id: id, organization_id: organizationId, username, role, group } = row;
  if (organizationId > 0 && !(await mayManage(dependencies, organizationId, id))) return 'unknown';
  await noteUse(dependencies, row);
  if (organizationId === 0) return { keyId, userId: row.scope === 'site' ? undefined : id };
  return { keyId, userId: organizationId, member: { organizationId, caller: { id, username, role, group } } };
}

/** A key of somebody who left or got another role opens nothing, nor does one where organizations were turned off. */
async function mayManage(
  { store, settings }: OrganizationDependencies,
  organizationId: number,
  userId: number,
): Promise<boolean> {
  if (!settings.current.OrganizationsEnabled) return false;
  const member = await store.db
    .selectFrom('organization_members')
    .innerJoin('organizations', 'organizations.id', 'organization_members.organization_id')
    .select('organization_members.role')
    .where('organization_members.organization_id', '=', organizationId)
    .where('organization_members.user_id', '=', userId)
    .where('organization_members.left_at', '=', 0)
    .where('organizations.deleted_at', 'is', null)
    .executeTakeFirst();
  return member !== undefined && hasRight(member.role, 'organization.manage');
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
