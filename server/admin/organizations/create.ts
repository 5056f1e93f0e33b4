// Makes an organization: its account, the creator as owner, and the default project. The account gets no quota of a new user.
import type { organizations } from '#contract/admin/organizations.ts';
import { isAdmin } from '#contract/access.ts';
import { AppError } from '#contract/errors.ts';
import { unixSeconds } from '#contract/time.ts';
import { lockRow } from '#server/platform/store/locks.ts';
import { callerOf, type Caller, type Handler } from '#server/admin/context.ts';
import { insertUser } from '#server/admin/write-user.ts';
import { isUniqueViolation } from '#server/platform/store/errors.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import { sql, type Transaction } from 'kysely';
import type { OrganizationDependencies } from './dependencies.ts';

/** After so many of one name the next ones have letters by chance. */
const NUMBERED_HANDLES = 20;
const HANDLE_TRIES = NUMBERED_HANDLES + 3;
const LONGEST_HANDLE = 40;
export const DEFAULT_PROJECT = 'default';

type Parts = Pick<OrganizationDependencies, 'store' | 'settings'>;

export function mayCreate({ settings }: Pick<Parts, 'settings'>, caller: Caller): boolean {
  const { OrganizationsEnabled, OrganizationCreation, OrganizationCreationGroups } = settings.current;
  if (!OrganizationsEnabled) return false;
  if (isAdmin(caller.role) || OrganizationCreation === 'everybody') return true;
  return OrganizationCreation === 'groups' && OrganizationCreationGroups.includes(caller.group);
}

export function createOrganization(parts: Parts): Handler<typeof organizations.create> {
  const { store, settings } = parts;
  return async ({ body: { name } }, context) => {
    const caller = callerOf(context);
    if (!settings.current.OrganizationsEnabled) throw new AppError('organizations_disabled');
    if (!mayCreate(parts, caller)) throw new AppError('organization_creation_refused');
    for (let number = 1; ; number += 1) {
      const username = handleOf(name, number);
      try {
        const id = await store.db.transaction().execute(async (transaction) => {
          // Two creations at once would each count the same organizations.
          await lockRow(store, transaction, 'users', caller.id);
          if (!isAdmin(caller.role)) await refuseTooMany(parts, transaction, caller.id);
          const { id: owner, group } = caller;
          const made = await insertOrganization(transaction, { name, username, owner, group });
          await context.audit(transaction, 'organization.create', `organization:${made}`, undefined, {
            name,
            username,
          });
          return made;
        });
        await store.changes.announce('organizations', String(id));
        return { id, name, role: 'owner', suspended: false };
      } catch (error) {
        if (number >= HANDLE_TRIES || !isUniqueViolation(error, 'username')) throw error;
      }
    }
  };
}

/** The name of its account in logs and lists of the site: `@acme`, `@acme-2`. */
export function handleOf(name: string, number: number): string {
  const plain = name
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '');
  const short = Array.from(plain).slice(0, LONGEST_HANDLE).join('') || 'organization';
  if (number === 1) return `@${short}`;
  return number <= NUMBERED_HANDLES ? `@${short}-${number}` : `@${short}-${crypto.randomUUID().slice(0, 8)}`;
}

async function refuseTooMany({ settings }: Parts, transaction: Transaction<Schema>, userId: number) {
  const limit = settings.current.OrganizationsPerUser;
  const { owned } = await transaction
    .selectFrom('organization_members')
    .select(sql<number>`count(*)`.as('owned'))
    .where('user_id', '=', userId)
    .where('role', '=', 'owner')
    .where('left_at', '=', 0)
    .executeTakeFirstOrThrow();
  if (owned >= limit) throw new AppError('organization_limit_reached', { limit });
}

export async function insertOrganization(
  transaction: Transaction<Schema>,
  { name, username, owner, group }: { name: string; username: string; owner: number; group: string },
): Promise<number> {
  const now = unixSeconds();
  const display_name = Array.from(name).slice(0, 20).join('');
  const id = await insertUser(transaction, { kind: 'organization', username, display_name, group });
  await transaction
    .insertInto('organizations')
    .values({ id, name, created_at: now, created_by: owner, deleted_at: null })
    .execute();
  await transaction
    .insertInto('organization_members')
    .values({ organization_id: id, user_id: owner, role: 'owner', source: 'created', joined_at: now })
    .execute();
  await transaction
    .insertInto('projects')
    .values({ organization_id: id, name: DEFAULT_PROJECT, is_default: 1, created_at: now })
    .execute();
  return id;
}
