// Which organization, if any, lets a person sign in only through its provider. Owners keep their other ways, so that a provider that
// fails locks nobody out of the organization; each use of them is audited. The rule does not apply to administrators of the site.
import { ROLE } from '#contract/access.ts';
import { USER_STATUS } from '#contract/admin/users.ts';
import { endOtherSessions, type RequiredSignOn } from '#server/admin/accounts.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import { sql, type Kysely, type Transaction } from 'kysely';
import { isSignOnOn } from './allowed.ts';
import type { SignOnDependencies } from './dependencies.ts';

/** Members of a verified domain, by the address of their account or by the one that the provider knows. */
const boundMembers = (db: Kysely<Schema>) =>
  db
    .selectFrom('organization_members as member')
    .innerJoin('sign_on_domains as domain', 'domain.organization_id', 'member.organization_id')
    .innerJoin('users as person', 'person.id', 'member.user_id')
    .leftJoin('sign_on_people as known', (join) =>
      join
        .onRef('known.organization_id', '=', 'member.organization_id')
        .onRef('known.user_id', '=', 'member.user_id'),
    )
    .where('member.left_at', '=', 0)
    .where('domain.verified_at', '>', 0)
    .where('person.role', '=', ROLE.user)
    .where(
      sql<boolean>`(lower(person.email) like '%@' || domain.domain or known.email like '%@' || domain.domain)`,
    );

export function requiredSignOn({
  store,
  settings,
}: Pick<SignOnDependencies, 'store' | 'settings'>): RequiredSignOn {
  return async (userId) => {
    if (!isSignOnOn(settings.current)) return undefined;
    const rows = await boundMembers(store.db)
      .innerJoin('sign_on_providers as provider', 'provider.organization_id', 'member.organization_id')
      .innerJoin('organizations', 'organizations.id', 'member.organization_id')
      .innerJoin('users as account', 'account.id', 'organizations.id')
      .select(['organizations.id as organizationId', 'organizations.name', 'member.role'])
      .where('member.user_id', '=', userId)
      .where('provider.enabled', '=', 1)
      .where('provider.required', '=', 1)
      .where('organizations.deleted_at', 'is', null)
      // A suspended organization signs nobody in, so it may not require it.
      .where('account.status', '=', USER_STATUS.activated)
      .execute();
    // One that binds is named before one that does not.
    return rows.find(({ role }) => role !== 'owner') ?? rows[0];
  };
}

/** Ends the sessions of bound members that came in another way. Announce the ids under `users` after the commit. */
export async function endUnboundSessions(
  transaction: Transaction<Schema>,
  organizationId: number,
): Promise<number[]> {
  const rows = await boundMembers(transaction)
    .select('member.user_id')
    .distinct()
    .where('member.organization_id', '=', organizationId)
    .where('member.role', '<>', 'owner')
    .execute();
  const ids = rows.map(({ user_id }) => user_id);
  await endOtherSessions(transaction, organizationId, ids);
  return ids;
}
