// The sign-on of an organization as those who manage it see it.
import {
  DOMAIN_GRACE_SECONDS,
  DOMAIN_PROOF_LABEL,
  DOMAIN_PROOF_PREFIX,
  SCIM_ROOT,
  type ScimToken,
  type SignOnDomain,
  type SignOnGroup,
  type SignOnView,
} from '#contract/admin/sign-on.ts';
import { AppError } from '#contract/errors.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import type { Kysely } from 'kysely';
import { isSignOnOn } from './allowed.ts';
import type { SignOnDependencies } from './dependencies.ts';
import { redirectUri } from './flow.ts';
import { projectIdsIn } from './mapping.ts';

type Parts = Pick<SignOnDependencies, 'store' | 'settings'>;

export async function signOnView({ store, settings }: Parts, id: number): Promise<SignOnView> {
  const { db } = store;
  const [provider, domains, groups, tokens, { people }] = await Promise.all([
    db.selectFrom('sign_on_providers').selectAll().where('organization_id', '=', id).executeTakeFirst(),
    db
      .selectFrom('sign_on_domains')
      .selectAll()
      .where('organization_id', '=', id)
      .orderBy('domain')
      .execute(),
    groupViews(db, id),
    tokenViews(db, id),
    db
      .selectFrom('sign_on_people')
      .select((builder) => builder.fn.countAll<number>().as('people'))
      .where('organization_id', '=', id)
      .executeTakeFirstOrThrow(),
  ]);
  const redirect_uri = redirectUri(settings.current, id);
  return {
    available: isSignOnOn(settings.current),
    provider:
      provider === undefined
        ? null
        : { ...fieldsOf(provider), created_at: provider.created_at, redirect_uri },
    redirect_uri,
    scim_url: `${settings.current.ServerAddress}${SCIM_ROOT}`,
    domains: domains.map(domainView),
    groups,
    tokens,
    people,
  };
}

/** What a save can change, without the secret. */
export const fieldsOf = (row: Row<'sign_on_providers'>) => ({
  issuer: row.issuer,
  client_id: row.client_id,
  scopes: row.scopes,
  groups_claim: row.groups_claim,
  default_role: row.default_role,
  enabled: row.enabled === 1,
  required: row.required === 1,
});

export const domainView = ({
  id,
  domain,
  proof,
  verified_at,
  created_at,
  missing_since,
}: Row<'sign_on_domains'>): SignOnDomain => ({
  id,
  domain,
  verified_at,
  created_at,
  missing_since,
  ends_at: verified_at > 0 && missing_since > 0 ? missing_since + DOMAIN_GRACE_SECONDS : 0,
  record_name: `${DOMAIN_PROOF_LABEL}.${domain}`,
  record_value: DOMAIN_PROOF_PREFIX + proof,
});

export async function groupViews(db: Kysely<Schema>, organizationId: number): Promise<SignOnGroup[]> {
  const rows = await db
    .selectFrom('sign_on_groups')
    .selectAll()
    .select((builder) =>
      builder
        .selectFrom('sign_on_group_people')
        .select((count) => count.fn.countAll<number>().as('members'))
        .whereRef('sign_on_group_people.group_id', '=', 'sign_on_groups.id')
        .as('members'),
    )
    .where('organization_id', '=', organizationId)
    .orderBy('name')
    .orderBy('id')
    .execute();
  return rows.map((row) => ({
    ...groupFieldsOf(row),
    id: row.id,
    members: row.members ?? 0,
    by_scim: row.by_scim === 1,
    created_at: row.created_at,
  }));
}

export const groupFieldsOf = ({ name, role, project_ids }: Row<'sign_on_groups'>) => ({
  name,
  role,
  project_ids: projectIdsIn(project_ids),
});

export async function oneGroup(db: Kysely<Schema>, organizationId: number, id: number): Promise<SignOnGroup> {
  const view = (await groupViews(db, organizationId)).find((group) => group.id === id);
  if (view === undefined) throw new AppError('not_found');
  return view;
}

export async function tokenViews(db: Kysely<Schema>, organizationId: number): Promise<ScimToken[]> {
  const rows = await db
    .selectFrom('scim_tokens')
    .leftJoin('users', 'users.id', 'scim_tokens.created_by')
    .select(['scim_tokens.id', 'scim_tokens.name', 'scim_tokens.hint', 'scim_tokens.created_at'])
    .select(['scim_tokens.last_used_at', 'users.username'])
    .where('scim_tokens.organization_id', '=', organizationId)
    .where('scim_tokens.revoked_at', '=', 0)
    .orderBy('scim_tokens.id')
    .execute();
  return rows.map(({ username, ...row }) => ({ ...row, created_by_name: username ?? '' }));
}
