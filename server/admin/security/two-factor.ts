// Switches two-factor on and off. A new secret is not in force until a first code shows that the device has it. Switching
// off and new recovery codes need a code, whatever the age of the session.
import { unixSeconds } from '#contract/time.ts';
import { callerOf, type RequestContext } from '#server/admin/context.ts';
import type { Input } from '#contract/endpoint.ts';
import { AppError } from '#contract/errors.ts';
import type { security } from '#contract/admin/security.ts';
import type { Transaction } from 'kysely';
import type { Schema } from '#server/platform/store/schema.ts';
import type { Vault } from '#server/platform/store/vault.ts';
import type { SecurityDependencies } from './dependencies.ts';
import { forgetSecondFactor } from './forget-keys.ts';
import { replaceRecoveryCodes } from './recovery-codes.ts';
import { secretPlace } from './second-factor.ts';
import { matchingStep, newTotpSecret, otpauthUri } from './totp.ts';

export function twoFactorHandlers(dependencies: SecurityDependencies) {
  const { store, secondFactor, ownerLetters } = dependencies;
  const { db, vault } = store;

  async function enable({ body }: Input<typeof security.twoFactorEnable>, context: RequestContext) {
    const { id } = callerOf(context);
    const row = await db
      .selectFrom('totp_secrets')
      .select(['secret_sealed', 'enabled_at'])
      .where('user_id', '=', id)
      .executeTakeFirst();
    if (!row) throw new AppError('two_factor_setup_missing');
    if (row.enabled_at > 0) throw new AppError('two_factor_already_on');
    const code = body.code.replaceAll(/\s/g, '');
    const step = await matchingStep(vault.open(row.secret_sealed, secretPlace(id)), code, unixSeconds());
    if (step === null) throw new AppError('two_factor_code_wrong', {}, { field: 'code' });
    const recovery_codes = await db.transaction().execute(async (transaction) => {
      const enabled = await transaction
        .updateTable('totp_secrets')
        .set({ enabled_at: unixSeconds(), last_step: step })
        .where('user_id', '=', id)
        .where('enabled_at', '=', 0)
        // The secret the code was checked against, not a newer one from another tab.
        .where('secret_sealed', '=', row.secret_sealed)
        .returning('user_id')
        .executeTakeFirst();
      if (!enabled) throw new AppError('two_factor_setup_missing');
      await ownerLetters.put(transaction, id, 'two_factor_on', context.address);
      const codes = await replaceRecoveryCodes(store, transaction, id);
      await context.audit(transaction, 'two_factor.enable', `user:${id}`);
      return codes;
    });
    ownerLetters.wake();
    await store.changes.announce('users', String(id));
    return { recovery_codes };
  }

  async function disable({ body }: Input<typeof security.twoFactorDisable>, context: RequestContext) {
    const { id } = callerOf(context);
    await secondFactor.spend(id, body.code, context);
    await db.transaction().execute(async (transaction) => {
      await forgetSecondFactor(transaction, id);
      await ownerLetters.put(transaction, id, 'two_factor_off', context.address);
      await context.audit(transaction, 'two_factor.disable', `user:${id}`);
    });
    ownerLetters.wake();
    await store.changes.announce('users', String(id));
    return null;
  }

  async function renew({ body }: Input<typeof security.recoveryCodes>, context: RequestContext) {
    const { id } = callerOf(context);
    await secondFactor.spend(id, body.code, context);
    const recovery_codes = await db.transaction().execute(async (transaction) => {
      await ownerLetters.put(transaction, id, 'recovery_codes_renewed', context.address);
      const codes = await replaceRecoveryCodes(store, transaction, id);
      await context.audit(transaction, 'two_factor.recovery_codes', `user:${id}`);
      return codes;
    });
    ownerLetters.wake();
    return { recovery_codes };
  }

  return {
    twoFactorSetup: (_: unknown, context: RequestContext) => setUpSecret(dependencies, context),
    twoFactorEnable: enable,
    twoFactorDisable: disable,
    recoveryCodes: renew,
  };
}

/** Not in force until a first code shows that the device has it. */
async function setUpSecret({ store, settings }: SecurityDependencies, context: RequestContext) {
  const { db, vault } = store;
  const { id, username } = callerOf(context);
  const secret = newTotpSecret();
  const fresh = {
    secret_sealed: vault.seal(secret, secretPlace(id)),
    last_step: 0,
    failures: 0,
    blocked_until: 0,
  };
  await db.transaction().execute(async (transaction) => {
    const kept = await transaction
      .insertInto('totp_secrets')
      .values({ user_id: id, ...fresh })
      .onConflict((conflict) =>
        conflict.column('user_id').doUpdateSet(fresh).where('totp_secrets.enabled_at', '=', 0),
      )
      .returning('user_id')
      .executeTakeFirst();
    if (!kept) throw new AppError('two_factor_already_on');
    await context.audit(transaction, 'two_factor.setup', `user:${id}`);
  });
  return { secret, uri: otpauthUri(settings.current.SystemName, username, secret) };
}

/** A secret that another installation had switched on for the user. */
export async function insertEnabledSecret(
  { vault }: { vault: Vault },
  transaction: Transaction<Schema>,
  userId: number,
  secret: string,
): Promise<void> {
  const secret_sealed = vault.seal(secret, secretPlace(userId));
  await transaction
    .insertInto('totp_secrets')
    .values({ user_id: userId, secret_sealed, enabled_at: unixSeconds() })
    .execute();
}
