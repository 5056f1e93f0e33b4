// Removes an account's authenticator, recovery codes and passkeys. The caller ends the sessions and mails the owner.
import type { Kysely, Transaction } from 'kysely';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import type { WaysIn } from '#server/admin/accounts.ts';

export interface ForgottenKeys {
  two_factor: boolean;
  passkeys: number;
  /** Not removed, because the owner has no other way to sign in. */
  passkeys_kept: number;
}

/** All of them, for an account that is deleted or just got a password. */
export async function forgetKeys(db: Kysely<Schema>, userId: number): Promise<void> {
  await forgetPasskeys(db, userId);
  await forgetSecondFactor(db, userId);
}

/** All of them, except passkeys that are the only way to sign in. */
export type ResetKeys = (transaction: Transaction<Schema>, user: Row<'users'>) => Promise<ForgottenKeys>;

/** `user` is a locked row. */
export function createResetKeys(waysIn: Pick<WaysIn, 'hasOther'>): ResetKeys {
  return async (transaction, user) => {
    const two_factor = await forgetSecondFactor(transaction, user.id);
    if (await waysIn.hasOther(transaction, user, 'passkeys'))
      return { two_factor, passkeys: await forgetPasskeys(transaction, user.id), passkeys_kept: 0 };
    const kept = await transaction
      .selectFrom('passkeys')
      .select('id')
      .where('user_id', '=', user.id)
      .execute();
    return { two_factor, passkeys: 0, passkeys_kept: kept.length };
  };
}

/** Whether two-factor was on. */
export async function forgetSecondFactor(db: Kysely<Schema>, userId: number): Promise<boolean> {
  await db.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
  const secrets = await db
    .deleteFrom('totp_secrets')
    .where('user_id', '=', userId)
    .returning('enabled_at')
    .execute();
  return secrets.some(({ enabled_at }) => enabled_at > 0);
}

/** How many were removed. */
async function forgetPasskeys(db: Kysely<Schema>, userId: number): Promise<number> {
  const removed = await db.deleteFrom('passkeys').where('user_id', '=', userId).returning('id').execute();
  return removed.length;
}
