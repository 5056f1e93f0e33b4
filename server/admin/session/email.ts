// Which email addresses are accepted: well-formed, of a listed domain and without an alias part where the operator asks for
// that, and not used by another account.
import { z } from 'zod';
import { AppError } from '#contract/errors.ts';
import type { Settings } from '#contract/settings.ts';
import type { Store } from '#server/platform/store/store.ts';
import { sql } from 'kysely';

const wellFormed = z.email().max(254);

export function wellFormedEmail(text: string): string {
  const parsed = wellFormed.safeParse(text);
  if (!parsed.success) throw new AppError('email_not_accepted', {}, { field: 'email' });
  return parsed.data;
}

export function usableEmail(text: string, settings: Settings): string {
  const email = wellFormedEmail(text);
  const [local = '', domain = ''] = email.split('@');
  const { EmailDomainRestrictionEnabled, EmailDomainWhitelist, EmailAliasRestrictionEnabled } = settings;
  const listed = EmailDomainWhitelist.some((allowed) => allowed.toLowerCase() === domain.toLowerCase());
  const isAlias = /[+.]/.test(local);
  if ((EmailDomainRestrictionEnabled && !listed) || (EmailAliasRestrictionEnabled && isAlias))
    throw new AppError('email_not_accepted', {}, { field: 'email' });
  return email;
}

/** Deleted accounts keep their address, so that a new user cannot pose as the old one. */
export async function isTaken(store: Store, email: string, exceptUserId = 0): Promise<boolean> {
  const taken = await store.db
    .selectFrom('users')
    .select('id')
    .where(sql`lower(email)`, '=', sql`lower(${email})`)
    .where('id', '<>', exceptUserId)
    .executeTakeFirst();
  return taken !== undefined;
}

export async function refuseEmail(store: Store, email: string, exceptUserId = 0): Promise<void> {
  if (await isTaken(store, email, exceptUserId)) throw new AppError('email_taken', {}, { field: 'email' });
}
