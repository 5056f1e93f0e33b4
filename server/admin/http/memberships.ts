// Who is a member of which organization, as calls of the admin API ask it. Kept in memory like sessions and dropped when an
// organization or its account changes.
import type { OrganizationRole } from '#contract/admin/organization-rights.ts';
import { USER_STATUS } from '#contract/admin/users.ts';
import type { Store } from '#server/platform/store/store.ts';

export interface Membership {
  readonly organizationId: number;
  readonly name: string;
  /** Of its account. */
  readonly username: string;
  readonly group: string;
  readonly role: OrganizationRole;
  readonly isSuspended: boolean;
  /** May be blank. */
  readonly suspendedReason: string;
}

export interface Memberships {
  /** Null for strangers and where there is no such organization: the two are not told apart. */
  find(organizationId: number, userId: number): Promise<Membership | null>;
  close(): void;
}

/** A change on another node counts here after this time even if its announcement was lost. */
const CACHE_SECONDS = 3;
const CACHE_ENTRIES = 10_000;

interface Entry {
  membership: Membership | null;
  checkedAt: number;
}

export function openMemberships({ db, changes }: Pick<Store, 'db' | 'changes'>): Memberships {
  const cache = new Map<string, Entry>();
  // Rises with every change: a lookup that began before a change must not put its row into the cache.
  let generation = 0;
  const forget = (organizationId: string | undefined): void => {
    generation += 1;
    if (organizationId === undefined) cache.clear();
    else for (const key of cache.keys()) if (key.startsWith(`${organizationId}:`)) cache.delete(key);
  };
  // The account of an organization is a user: its group and its suspension are announced there.
  const unsubscribe = [changes.subscribe('organizations', forget), changes.subscribe('users', forget)];

  return {
    async find(organizationId, userId) {
      const key = `${organizationId}:${userId}`;
      const now = performance.now();
      const known = cache.get(key);
      if (known && now - known.checkedAt < CACHE_SECONDS * 1000) return known.membership;
      const startedIn = generation;
      const membership = await load(db, organizationId, userId);
      cache.delete(key);
      if (generation === startedIn) {
        cache.set(key, { membership, checkedAt: now });
        if (cache.size > CACHE_ENTRIES) cache.delete(cache.keys().next().value ?? '');
      }
      return membership;
    },
    close: () => unsubscribe.forEach((end) => end()),
  };
}

async function load(db: Store['db'], organizationId: number, userId: number): Promise<Membership | null> {
  const row = await db
    .selectFrom('organization_members')
    .innerJoin('organizations', 'organizations.id', 'organization_members.organization_id')
    .innerJoin('users', 'users.id', 'organizations.id')
    .select(['organizations.name', 'users.username', 'users.group', 'users.status'])
    .select('users.suspended_reason as suspendedReason')
    .select('organization_members.role')
    .where('organization_members.organization_id', '=', organizationId)
    .where('organization_members.user_id', '=', userId)
    .where('organization_members.left_at', '=', 0)
    .where('organizations.deleted_at', 'is', null)
    .where('users.deleted_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { status, ...known } = row;
  return Object.freeze({ ...known, organizationId, isSuspended: status !== USER_STATUS.activated });
}
