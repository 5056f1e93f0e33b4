// The step-up: whoever sits at a browser that was left open must prove again who they are before anything that could take
// the account over. An account with two-factor is not confirmed by its password alone.
import { callerOf, type RequestContext } from '#contract/context.ts';
import type { Input } from '#contract/endpoint.ts';
import { AppError } from '#contract/errors.ts';
import { STEP_UP_SECONDS, type security } from '#contract/security.ts';
import { unixSeconds, type SecurityDependencies } from './dependencies.ts';

export function confirmed(dependencies: SecurityDependencies) {
  const { secondFactor, isOwnPassword } = dependencies;

  return async ({ body }: Input<typeof security.confirm>, context: RequestContext) => {
    const { id } = callerOf(context);
    if (await secondFactor.isOn(id)) {
      if (!body.code) throw new AppError('two_factor_code_wrong');
      await secondFactor.spend(id, body.code, context);
    } else if (!body.password || !(await isOwnPassword(body.password, context))) {
      await context.audit('session.confirm_refused', `user:${id}`);
      throw new AppError('password_wrong');
    }
    return await finishConfirmation(context);
  };
}

export async function finishConfirmation(context: RequestContext) {
  await context.confirmSession();
  await context.audit('session.confirm', `user:${callerOf(context).id}`);
  return { verified_until: unixSeconds() + STEP_UP_SECONDS };
}
