// Which email addresses may be used: a well-formed one, on the operator's list of domains and without alias tricks where
// those rules are on, and not in use by anybody else.
import { z } from 'zod';
import { AppError } from '#contract/errors.ts';
import type { Settings } from '#contract/settings.ts';
import type { Store } from '#server/store/store.ts';
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
  if (EmailDomainRestrictionEnabled && !listed)
    throw new AppError('email_not_accepted', {}, { field: 'email' });
  if (EmailAliasRestrictionEnabled && /[+.]/.test(local))
    throw new AppError('email_not_accepted', {}, { field: 'email' });
  return email;
}

/** Deleted accounts keep their address: a newcomer must not inherit what others know it by. */
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
