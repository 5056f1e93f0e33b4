// Whether sign-on may be used now: the operator's settings, and the state of the organization's account.
import type { Settings } from '#contract/settings.ts';
import { USER_STATUS } from '#contract/admin/users.ts';
import { AppError } from '#contract/errors.ts';
import { organizationSuspended } from '#server/admin/organization-suspended.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import type { Kysely } from 'kysely';

type Switches = Pick<Settings, 'OrganizationsEnabled' | 'OrganizationSignOn'>;

export const isSignOnOn = ({ OrganizationsEnabled, OrganizationSignOn }: Switches): boolean =>
  OrganizationsEnabled && OrganizationSignOn;

export function requireSignOn(settings: Switches): void {
  if (!isSignOnOn(settings)) throw new AppError('sign_on_disabled');
}

export async function requireActive(db: Kysely<Schema>, organizationId: number): Promise<void> {
  const account = await db
    .selectFrom('users')
    .select('status')
    .where('id', '=', organizationId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (account === undefined) throw new AppError('organization_missing');
  if (account.status !== USER_STATUS.activated) throw organizationSuspended();
}

/** In lower case; blank for what is no address. */
export const domainOf = (email: string): string =>
  email.slice(email.lastIndexOf('@') + 1 || email.length).toLowerCase();

export async function isVerifiedDomain(
  db: Kysely<Schema>,
  organizationId: number,
  domain: string,
): Promise<boolean> {
  if (domain === '') return false;
  const row = await db
    .selectFrom('sign_on_domains')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('domain', '=', domain)
    .where('verified_at', '>', 0)
    .executeTakeFirst();
  return row !== undefined;
}
