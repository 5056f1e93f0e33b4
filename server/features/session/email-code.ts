// Codes that prove an email address: stored as a keyed digest, good once, for five tries.
import { AppError } from '#contract/errors.ts';
import type { Store } from '#server/store/store.ts';
import { timingSafeEqual } from 'node:crypto';
import { unixSeconds } from './dependencies.ts';

export const EMAIL_CODE_PURPOSE = 'register';
const MOST_TRIES = 5;

/** What is stored in place of a code; the address is part of it, so a code proves one address only. */
export function emailCodeDigest(store: Store, email: string, code: string): string {
  return store.vault.digest('verification_code', `${EMAIL_CODE_PURPOSE}\n${email.toLowerCase()}\n${code}`);
}

/** Uses the newest code of the address up, or throws. */
export async function spendEmailCode(store: Store, email: string, code: string): Promise<void> {
  const now = unixSeconds();
  // The try is counted before the comparison, so that parallel guesses cannot share one.
  const newest = await store.db
    .selectFrom('verification_codes')
    .select('id')
    .where('purpose', '=', EMAIL_CODE_PURPOSE)
    .where('subject', '=', email.toLowerCase())
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  const tried = await store.db
    .updateTable('verification_codes')
    .set((column) => ({ tries: column('tries', '+', 1) }))
    .where('id', '=', newest?.id ?? 0)
    .where('tries', '<', MOST_TRIES)
    .where('used_at', '=', 0)
    .where('expires_at', '>', now)
    .returning('code_digest')
    .executeTakeFirst();
  const given = Buffer.from(emailCodeDigest(store, email, code));
  const stored = Buffer.from(tried?.code_digest ?? '');
  if (given.length !== stored.length || !timingSafeEqual(given, stored))
    throw new AppError('email_code_wrong');
  const spent = await store.db
    .updateTable('verification_codes')
    .set({ used_at: now })
    .where('id', '=', newest?.id ?? 0)
    .where('used_at', '=', 0)
    .returning('id')
    .executeTakeFirst();
  if (!spent) throw new AppError('email_code_wrong');
}
