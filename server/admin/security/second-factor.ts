// Checks two-factor codes. A TOTP step and a recovery code work once. Each try is counted in the database, for all nodes,
// and committed before the code is compared, so that parallel guesses cannot share one count.
import { sql, type Transaction } from 'kysely';
import { AppError } from '#contract/errors.ts';
import { unixSeconds } from '#contract/time.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import type { SecondFactor } from '#server/admin/accounts.ts';
import { recoveryCodesLeft, spendRecoveryCode } from './recovery-codes.ts';
import { matchingStep } from './totp.ts';

/** Waits after this many wrong codes in a row. They are bounded, so that the owner is never locked out for good. */
const WAITS = [
  { failures: 20, seconds: 900 },
  { failures: 10, seconds: 60 },
  { failures: 5, seconds: 5 },
] as const;

export const secretPlace = (userId: number) => `totp_secrets:${userId}:secret`;

export function createSecondFactor(store: Store): SecondFactor {
  const { db, vault } = store;

  /** Counts a try; throws while the account must wait. */
  async function begin(userId: number) {
    const now = unixSeconds();
    const [long, middle, short] = WAITS;
    const row = await db
      .updateTable('totp_secrets')
      .set({
        failures: sql<number>`failures + 1`,
        blocked_until: sql<number>`case
          when failures + 1 >= ${sql.lit(long.failures)} then ${sql.lit(now + long.seconds)}
          when failures + 1 >= ${sql.lit(middle.failures)} then ${sql.lit(now + middle.seconds)}
          when failures + 1 >= ${sql.lit(short.failures)} then ${sql.lit(now + short.seconds)}
          else 0 end`,
      })
      .where('user_id', '=', userId)
      .where('enabled_at', '>', 0)
      .where('blocked_until', '<=', now)
      .returning(['secret_sealed'])
      .executeTakeFirst();
    if (row) return row;
    const blocked = await db
      .selectFrom('totp_secrets')
      .select('blocked_until')
      .where('user_id', '=', userId)
      .where('enabled_at', '>', 0)
      .executeTakeFirst();
    if (!blocked) throw new AppError('two_factor_off');
    throw new AppError('too_many_attempts', { seconds: Math.max(1, blocked.blocked_until - now) });
  }

  return {
    async isOn(userId) {
      const row = await db
        .selectFrom('totp_secrets')
        .select('user_id')
        .where('user_id', '=', userId)
        .where('enabled_at', '>', 0)
        .executeTakeFirst();
      return row !== undefined;
    },
    async spend(userId, given, context) {
      const { secret_sealed } = await begin(userId);
      const code = given.replaceAll(/\s/g, '');
      const isTotp = /^\d{6}$/.test(code);
      const secret = vault.open(secret_sealed, secretPlace(userId));
      const step = isTotp ? await matchingStep(secret, code, unixSeconds()) : null;
      const isGood = await db.transaction().execute(async (transaction) => {
        const isSpent = isTotp
          ? await spendTotp(transaction, userId, step)
          : await spendRecoveryCode(store, transaction, userId, code);
        if (!isSpent) return false;
        await transaction
          .updateTable('totp_secrets')
          .set({ failures: 0, blocked_until: 0 })
          .where('user_id', '=', userId)
          .execute();
        if (isTotp) return true;
        const left = await recoveryCodesLeft(transaction, userId);
        await context.audit(transaction, 'two_factor.recovery_used', `user:${userId}`, undefined, { left });
        return true;
      });
      if (isGood) return;
      await context.auditEvent('two_factor.refused', `user:${userId}`);
      throw new AppError('two_factor_code_wrong', {}, { field: 'code' });
    },
  };
}

async function spendTotp(
  transaction: Transaction<Schema>,
  userId: number,
  step: number | null,
): Promise<boolean> {
  if (step === null) return false;
  const used = await transaction
    .updateTable('totp_secrets')
    .set({ last_step: step })
    .where('user_id', '=', userId)
    .where('last_step', '<', step)
    .returning('user_id')
    .executeTakeFirst();
  return used !== undefined;
}
