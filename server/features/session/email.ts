// Which email addresses may sign up: a well-formed one, on the operator's list of domains and without alias tricks where
// those rules are on, and not in use by anybody.
import { z } from 'zod';
import { AppError } from '#contract/errors.ts';
import type { Settings } from '#contract/settings.ts';
import type { Store } from '#server/store/store.ts';
import { sql } from 'kysely';

const wellFormed = z.email().max(254);

export function usableEmail(text: string, settings: Settings): string {
  const parsed = wellFormed.safeParse(text);
  if (!parsed.success) throw new AppError('email_not_accepted');
  const [local = '', domain = ''] = parsed.data.split('@');
  const { EmailDomainRestrictionEnabled, EmailDomainWhitelist, EmailAliasRestrictionEnabled } = settings;
  const listed = EmailDomainWhitelist.some((allowed) => allowed.toLowerCase() === domain.toLowerCase());
  if (EmailDomainRestrictionEnabled && !listed) throw new AppError('email_not_accepted');
  if (EmailAliasRestrictionEnabled && /[+.]/.test(local)) throw new AppError('email_not_accepted');
  return parsed.data;
}

export async function refuseEmail(store: Store, email: string): Promise<void> {
  const taken = await store.db
    .selectFrom('users')
    .select('id')
    .where(sql`lower(email)`, '=', sql`lower(${email})`)
    .executeTakeFirst();
  if (taken) throw new AppError('email_taken');
}
