// Which account a call acts for: the caller's own, or the organization that the header names. A call in the personal scope
// reads nothing here.
import { reachOf, rolesFor } from '#contract/admin/organization-rights.ts';
import { ROLE_WORDS, rolesWords } from '#contract/admin/organization-role-words.ts';
import { ORGANIZATION_HEADER } from '#contract/admin/organizations.ts';
import type { OrganizationScope } from '#contract/context.ts';
import type { AnyEndpoint } from '#contract/endpoint.ts';
import { AppError } from '#contract/errors.ts';
import type { Settings } from '#contract/settings.ts';
import { organizationSuspended } from '#server/admin/organization-suspended.ts';
import type { Caller } from './context.ts';
import type { Memberships } from './memberships.ts';

interface ScopeParts {
  memberships: Memberships;
  settings: { readonly current: Pick<Settings, 'OrganizationsEnabled'> };
}

/** Undefined: the call acts for its caller. Throws when the caller may not act for the named organization. */
export async function scopeOf(
  endpoint: AnyEndpoint,
  request: Request,
  user: Caller | null,
  { memberships, settings }: ScopeParts,
): Promise<OrganizationScope | undefined> {
  const named = request.headers.get(ORGANIZATION_HEADER)?.trim();
  if (named === undefined || named === '') {
    if (endpoint.organizationOnly) throw new AppError('organization_required');
    return undefined;
  }
  if (endpoint.organization === undefined) throw new AppError('not_in_organization');
  if (user === null) throw new AppError('not_signed_in');
  if (!settings.current.OrganizationsEnabled) throw new AppError('organizations_disabled');
  const id = /^\d{1,15}$/.test(named) ? Number(named) : 0;
  const membership = id > 0 ? await memberships.find(id, user.id) : null;
  if (membership === null) throw new AppError('organization_missing');
  const { role, name, username, group, isSuspended, suspendedReason } = membership;
  const reach = reachOf(role, endpoint.organization);
  if (reach === undefined) {
    const roles = rolesWords(rolesFor(endpoint.organization));
    throw new AppError('organization_right_missing', { role: ROLE_WORDS[role], roles });
  }
  const changes = endpoint.method !== 'GET' || endpoint.acts === true;
  if (isSuspended && changes) throw organizationSuspended(suspendedReason);
  return { id, name, username, group, role, seesAll: reach === 'all' };
}
