// How an account is protected: two-factor codes, passkeys, sessions and the step-up.
import { callerOf, type RequestContext, type Handlers } from '#server/admin/context.ts';
import type { Input } from '#contract/endpoint.ts';
import { STEP_UP_SECONDS, type security, type SecurityView } from '#contract/admin/security.ts';
import type { signIn } from '#contract/admin/session.ts';
import { confirmStepUp, finishConfirmation } from './confirm.ts';
import type { SecurityDependencies } from './dependencies.ts';
import { createResetKeys, type ResetKeys } from './forget-keys.ts';
import { passkeyHandlers } from './passkeys.ts';
import { recoveryCodesLeft } from './recovery-codes.ts';
import { sessionListHandlers } from './sessions.ts';
import { twoFactorHandlers } from './two-factor.ts';

export { forgetKeys, forgetSecondFactor } from './forget-keys.ts';
export { createSecondFactor } from './second-factor.ts';
export type { SecurityDependencies } from './dependencies.ts';

export interface SecurityFeature {
  security: Handlers<typeof security>;
  passkeySignIn: Handlers<Omit<typeof signIn, 'loginSecondStep'>>;
  /** For an administrator who helps a user that lost them. */
  resetKeys: ResetKeys;
}

export function createSecurity(dependencies: SecurityDependencies): SecurityFeature {
  const { store } = dependencies;
  const passkeys = passkeyHandlers(dependencies);

  async function overview(_: unknown, context: RequestContext): Promise<SecurityView> {
    const { id } = callerOf(context);
    const user = await store.db
      .selectFrom('users')
      .leftJoin('totp_secrets', 'totp_secrets.user_id', 'users.id')
      .select(['users.password_hash', 'users.access_token_digest', 'totp_secrets.enabled_at'])
      .where('users.id', '=', id)
      .executeTakeFirstOrThrow();
    const enabled_at = user.enabled_at ?? 0;
    return {
      two_factor: {
        enabled: enabled_at > 0,
        enabled_at,
        recovery_codes_left: enabled_at > 0 ? await recoveryCodesLeft(store.db, id) : 0,
      },
      passkeys: await passkeys.list(id),
      has_password: user.password_hash !== '',
      has_access_token: user.access_token_digest !== null,
      verified_until: context.verifiedAt + STEP_UP_SECONDS,
    };
  }

  return {
    security: {
      overview,
      confirm: confirmStepUp(dependencies),
      confirmPasskeyBegin: passkeys.confirmBegin,
      async confirmPasskeyFinish({ body }: Input<typeof security.confirmPasskeyFinish>, context) {
        await passkeys.confirm(body.credential, context);
        return await finishConfirmation(store, context);
      },
      ...twoFactorHandlers(dependencies),
      ...passkeys.handlers,
      ...sessionListHandlers(dependencies),
    },
    passkeySignIn: passkeys.signIn,
    resetKeys: createResetKeys(dependencies.waysIn),
  };
}
