// A user's own changes, column by column: money, role and group are never in reach. A new password needs the old one, or
// where there is none yet a session that has just proven itself, and ends every other session.
import { callerOf, type RequestContext } from '#contract/context.ts';
import type { Input } from '#contract/endpoint.ts';
import { AppError } from '#contract/errors.ts';
import { passwordProblem } from '#contract/passwords.ts';
import type { users } from '#contract/users.ts';
import { hashPassword } from '#server/store/passwords.ts';
import type { UserDependencies } from './dependencies.ts';
import { requireStepUp } from './step-up.ts';

export function changeSelf({ store, ownerLetters, isOwnPassword, forgetInitialPassword }: UserDependencies) {
  return async ({ body }: Input<typeof users.changeSelf>, context: RequestContext): Promise<null> => {
    const { id } = callerOf(context);
    const wantsPassword = body.password !== undefined && body.password !== '';
    // Checked before anything is written: a refused password must not leave half of the form saved.
    const password_hash = wantsPassword
      ? await acceptedHash(context, body.original_password ?? '', body.password ?? '')
      : undefined;
    if (body.display_name !== undefined) await rename(id, body.display_name, context);
    if (password_hash !== undefined) await replacePassword(id, password_hash, context);
    return null;
  };

  async function acceptedHash(context: RequestContext, original: string, next: string): Promise<string> {
    const { id, username } = callerOf(context);
    const row = await store.db
      .selectFrom('users')
      .select('password_hash')
      .where('id', '=', id)
      .executeTakeFirst();
    // An account made by an outside login has no password to ask for.
    if (row?.password_hash === '') requireFreshSession(context);
    else if (!(await isOwnPassword(original, context))) throw new AppError('original_password_wrong');
    const problem = passwordProblem(next, username);
    if (problem) throw new AppError(problem);
    return await hashPassword(next);
  }

  async function rename(id: number, display_name: string, context: RequestContext): Promise<void> {
    await store.db.updateTable('users').set({ display_name }).where('id', '=', id).execute();
    await context.audit('user.rename', `user:${id}`, undefined, { display_name });
  }

  async function replacePassword(id: number, password_hash: string, context: RequestContext): Promise<void> {
    const before = await store.db
      .selectFrom('users')
      .select('password_is_initial')
      .where('id', '=', id)
      .executeTakeFirst();
    await store.db.transaction().execute(async (transaction) => {
      await transaction
        .updateTable('users')
        .set((column) => ({
          password_hash,
          password_is_initial: 0 as const,
          auth_version: column('auth_version', '+', 1),
        }))
        .where('id', '=', id)
        .execute();
      await transaction.deleteFrom('sessions').where('user_id', '=', id).execute();
      await ownerLetters.put(transaction, id, 'password_changed', context.address);
    });
    ownerLetters.wake();
    await store.changes.announce('users', String(id));
    if (before?.password_is_initial === 1) await forgetInitialPassword();
    if (context.via === 'session') await context.startSession(id);
    await context.audit('user.password', `user:${id}`);
  }
}

/** An access token must not become a password. */
function requireFreshSession(context: RequestContext): void {
  if (context.via !== 'session') throw new AppError('session_only');
  requireStepUp(context);
}
