// A user changes their own name or password; never money, role or group. A new password needs the old one, or, where there
// is none yet, a session with a recent step-up; it ends every other session.
import { callerOf, type RequestContext, type Handler } from '#server/admin/context.ts';
import { changeAndSignOut, requireStepUp } from '#server/admin/accounts.ts';
import { changeUser } from '#server/admin/write-user.ts';
import { AppError } from '#contract/errors.ts';
import { passwordProblem } from '#contract/admin/passwords.ts';
import { DISPLAY_NAME_MAX } from '#contract/admin/user-management.ts';
import type { users } from '#contract/admin/users.ts';
import type { Transaction } from 'kysely';
import { hashPassword } from '#server/platform/store/passwords.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import type { UserDependencies } from './dependencies.ts';

export function changeSelf({
  store,
  ownerLetters,
  isOwnPassword,
  forgetInitialPassword,
}: UserDependencies): Handler<typeof users.changeSelf> {
  return async ({ body }, context) => {
    const { id, username } = callerOf(context);
    const wantsPassword = body.password !== undefined && body.password !== '';
    // Checked before the transaction: hashing is slow and must not hold it open.
    const password_hash = wantsPassword
      ? await acceptPassword(context, body.original_password ?? '', body.password ?? '')
      : undefined;
    if (body.display_name === undefined && password_hash === undefined) return null;
    const wasInitial = await store.db.transaction().execute(async (transaction) => {
      // A blank name is the user name, as it is for a new account.
      const display_name = body.display_name === '' ? username.slice(0, DISPLAY_NAME_MAX) : body.display_name;
      if (display_name !== undefined) await changeUser(transaction, id, { display_name });
      const isInitial =
        password_hash === undefined ? false : await replacePassword(transaction, password_hash, context);
      if (display_name !== undefined)
        await context.audit(transaction, 'user.rename', `user:${id}`, undefined, { display_name });
      if (password_hash !== undefined) await context.audit(transaction, 'user.password', `user:${id}`);
      return isInitial;
    });
    if (password_hash === undefined) return null;
    ownerLetters.wake();
    await store.changes.announce('users', String(id));
    if (wasInitial) await forgetInitialPassword();
    return null;
  };

  async function acceptPassword(context: RequestContext, original: string, next: string): Promise<string> {
    const { id, username } = callerOf(context);
    const row = await store.db
      .selectFrom('users')
      .select('password_hash')
      .where('id', '=', id)
      .executeTakeFirst();
    // An account created by an outside login has no password yet.
    if (row?.password_hash === '') requireFreshSession(context);
    else if (!(await isOwnPassword(original, context)))
      throw new AppError('original_password_wrong', {}, { field: 'original_password' });
    else if (next === original) throw new AppError('password_unchanged', {}, { field: 'password' });
    const problem = passwordProblem(next, username);
    if (problem) throw new AppError(problem, {}, { field: 'password' });
    return await hashPassword(next);
  }

  /** Whether the old password was the one generated at the first start. */
  async function replacePassword(
    transaction: Transaction<Schema>,
    password_hash: string,
    context: RequestContext,
  ): Promise<boolean> {
    const caller = callerOf(context);
    const { id } = caller;
    const before = await transaction
      .selectFrom('users')
      .select('password_is_initial')
      .where('id', '=', id)
      .executeTakeFirst();
    await changeAndSignOut(transaction, id, { password_hash, password_is_initial: 0 });
    await ownerLetters.put(transaction, id, 'password_changed', context.address);
    if (context.via === 'session') await context.startSession(transaction, caller);
    return before?.password_is_initial === 1;
  }
}

/** An access token must not be enough to set a password. */
function requireFreshSession(context: RequestContext): void {
  if (context.via !== 'session') throw new AppError('session_only');
  requireStepUp(context);
}
