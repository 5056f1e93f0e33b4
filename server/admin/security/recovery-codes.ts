// Recovery codes for a lost device: stored as digests, each works once.
import { randomInt } from 'node:crypto';
import type { Kysely, Transaction } from 'kysely';
import { RECOVERY_CODES } from '#contract/admin/security.ts';
import { unixSeconds } from '#contract/time.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';

/** Without i, l, o and u, which look like other characters. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const CODE_LENGTH = 10;

/** A typed code may be in any case, with or without the dash. */
const normal = (code: string) => code.toLowerCase().replaceAll(/[\s-]/g, '');

const digestOf = (store: Store, userId: number, code: string) =>
  store.vault.digest('recovery_code', `${userId}\n${normal(code)}`);

/** Deletes the old codes. */
export async function replaceRecoveryCodes(
  store: Store,
  transaction: Transaction<Schema>,
  userId: number,
): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, newCode);
  await transaction.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
  await transaction
    .insertInto('recovery_codes')
    .values(codes.map((code) => ({ user_id: userId, code_digest: digestOf(store, userId, code) })))
    .execute();
  return codes;
}

export async function spendRecoveryCode(
  store: Store,
  transaction: Transaction<Schema>,
  userId: number,
  code: string,
): Promise<boolean> {
  const spent = await transaction
    .updateTable('recovery_codes')
    .set({ used_at: unixSeconds() })
    .where('user_id', '=', userId)
    .where('code_digest', '=', digestOf(store, userId, code))
    .where('used_at', '=', 0)
    .returning('id')
    .executeTakeFirst();
  return spent !== undefined;
}

export async function recoveryCodesLeft(db: Kysely<Schema>, userId: number): Promise<number> {
  const row = await db
    .selectFrom('recovery_codes')
    .select((build) => build.fn.countAll<number>().as('left'))
    .where('user_id', '=', userId)
    .where('used_at', '=', 0)
    .executeTakeFirst();
  return row?.left ?? 0;
}

function newCode(): string {
  const text = Array.from({ length: CODE_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return `${text.slice(0, CODE_LENGTH / 2)}-${text.slice(CODE_LENGTH / 2)}`;
}
