// Everything that proves an account's owner beyond the password goes at once: authenticator, recovery codes, passkeys.
// Whoever calls it ends the sessions and tells the owner.
import type { Kysely } from 'kysely';
import type { Schema } from '#server/store/schema.ts';

export interface ForgottenKeys {
  two_factor: boolean;
  passkeys: number;
}

/** In the caller's transaction. */
export async function forgetKeys(db: Kysely<Schema>, userId: number): Promise<ForgottenKeys> {
  const passkeys = await db.deleteFrom('passkeys').where('user_id', '=', userId).returning('id').execute();
  await db.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
  const secrets = await db
    .deleteFrom('totp_secrets')
    .where('user_id', '=', userId)
    .returning('enabled_at')
    .execute();
  return { two_factor: secrets.some(({ enabled_at }) => enabled_at > 0), passkeys: passkeys.length };
}
