// The step-up: the user authenticates again before a call that could take the account over, because the browser may have
// been left open. An account with two-factor needs a code; its password alone does not confirm it.
import { unixSeconds } from '#contract/time.ts';
import { callerOf, type RequestContext, type Handler } from '#server/admin/context.ts';
import { AppError } from '#contract/errors.ts';
import { STEP_UP_SECONDS, type security } from '#contract/admin/security.ts';
import type { Store } from '#server/platform/store/store.ts';
import type { SecurityDependencies } from './dependencies.ts';

export function confirmStepUp(dependencies: SecurityDependencies): Handler<typeof security.confirm> {
  const { store, secondFactor, isOwnPassword } = dependencies;

  return async ({ body }, context) => {
    const { id } = callerOf(context);
    if (await secondFactor.isOn(id)) {
      if (!body.code) throw new AppError('two_factor_code_wrong', {}, { field: 'code' });
      await secondFactor.spend(id, body.code, context);
    } else if (!body.password || !(await isOwnPassword(body.password, context))) {
      await context.auditEvent('session.confirm_refused', `user:${id}`);
      throw new AppError('password_wrong', {}, { field: 'password' });
    }
    return await finishConfirmation(store, context);
  };
}

export async function finishConfirmation({ db }: Pick<Store, 'db'>, context: RequestContext) {
  await db.transaction().execute(async (transaction) => {
    await context.confirmSession(transaction);
    await context.audit(transaction, 'session.confirm', `user:${callerOf(context).id}`);
  });
  return { verified_until: unixSeconds() + STEP_UP_SECONDS };
}
