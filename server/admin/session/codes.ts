// Codes and links that verify an email address: stored as a keyed digest, valid once and for some minutes. The digest
// includes the address, so a code is valid for one address only. A code of six digits ends after five tries. The token of a
// link has 256 bits, which no one guesses: its tries are not counted, or anyone who knows the address could end it.
import { randomInt, timingSafeEqual } from 'node:crypto';
import type { Transaction } from 'kysely';
import { AppError } from '#contract/errors.ts';
import { RESEND_SECONDS } from '#contract/admin/session.ts';
import { HOUR_SECONDS, unixSeconds } from '#contract/time.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';

/** `email`: registering and binding. `reset`: a new password. */
export type CodePurpose = 'email' | 'reset';

const MOST_TRIES = 5;
const CODE_DIGITS = 6;
/** Per address, so that this server cannot be used to flood a mailbox. */
const MOST_PER_HOUR = 10;
const KEEP_SECONDS = 86_400;

export function newEmailCode(): string {
  return String(randomInt(10 ** CODE_DIGITS)).padStart(CODE_DIGITS, '0');
}

export function codeDigest(store: Store, purpose: CodePurpose, email: string, code: string): string {
  return store.vault.digest('verification_code', `${purpose}\n${email.toLowerCase()}\n${code}`);
}

/** Throws when a code was sent to the address recently, or too many were. */
export async function refuseTooMany(store: Store, purpose: CodePurpose, email: string): Promise<void> {
  const now = unixSeconds();
  const sent = await store.db
    .selectFrom('verification_codes')
    .select('created_at')
    .where('purpose', '=', purpose)
    .where('subject', '=', email.toLowerCase())
    .where('created_at', '>', now - HOUR_SECONDS)
    .orderBy('id', 'desc')
    .limit(MOST_PER_HOUR)
    .execute();
  const newest = sent[0]?.created_at ?? 0;
  const waits = [newest + RESEND_SECONDS - now];
  const oldest = sent[MOST_PER_HOUR - 1];
  if (oldest) waits.push(oldest.created_at + HOUR_SECONDS - now);
  const seconds = Math.max(...waits);
  if (seconds > 0) throw new AppError('code_sent_recently', { seconds });
}

export async function removeOldCodes({ db }: Store): Promise<void> {
  await db
    .deleteFrom('verification_codes')
    .where('expires_at', '<', unixSeconds() - KEEP_SECONDS)
    .execute();
}

/** A newer code of the same purpose ends the older ones. */
export async function keepCode(
  store: Store,
  transaction: Transaction<Schema>,
  {
    purpose,
    email,
    code,
    expiresAt,
  }: { purpose: CodePurpose; email: string; code: string; expiresAt: number },
): Promise<void> {
  await transaction
    .insertInto('verification_codes')
    .values({
      purpose,
      subject: email.toLowerCase(),
      code_digest: codeDigest(store, purpose, email, code),
      created_at: unixSeconds(),
      expires_at: expiresAt,
    })
    .execute();
}

/** Uses the newest code of the address; false when it is another, expired, used, or tried too often. */
export async function spendCode(
  store: Store,
  purpose: CodePurpose,
  email: string,
  code: string,
): Promise<boolean> {
  const now = unixSeconds();
  const newest = await store.db
    .selectFrom('verification_codes')
    .select('id')
    .where('purpose', '=', purpose)
    .where('subject', '=', email.toLowerCase())
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  // The try is counted before the comparison, so that parallel guesses cannot share one.
  const counted = purpose === 'email' ? 1 : 0;
  const tried = await store.db
    .updateTable('verification_codes')
    .set((column) => ({ tries: column('tries', '+', counted) }))
    .where('id', '=', newest?.id ?? 0)
    .where('tries', '<', MOST_TRIES)
    .where('used_at', '=', 0)
    .where('expires_at', '>', now)
    .returning('code_digest')
    .executeTakeFirst();
  const given = Buffer.from(codeDigest(store, purpose, email, code));
  const stored = Buffer.from(tried?.code_digest ?? '');
  if (given.length !== stored.length || !timingSafeEqual(given, stored)) return false;
  const spent = await store.db
    .updateTable('verification_codes')
    .set({ used_at: now })
    .where('id', '=', newest?.id ?? 0)
    .where('used_at', '=', 0)
    .returning('id')
    .executeTakeFirst();
  return spent !== undefined;
}
