// Checks the password of a signed-in user again. A try counts like a sign-in, so that a session cannot be used to guess.
import type { IsOwnPassword } from '#server/admin/accounts.ts';
import { callerOf } from '#server/admin/context.ts';
import { AppError } from '#contract/errors.ts';
import { verifyPassword } from '#server/platform/store/passwords.ts';
import type { Attempts } from './attempts.ts';
import type { SessionDependencies } from './dependencies.ts';

export function ownPassword(
  { store }: Pick<SessionDependencies, 'store'>,
  attempts: Attempts,
): IsOwnPassword {
  return async (password, context) => {
    const { id, username } = callerOf(context);
    const seconds = await attempts.begin(username, context.address);
    if (seconds > 0) throw new AppError('too_many_attempts', { seconds });
    const row = await store.db
      .selectFrom('users')
      .select('password_hash')
      .where('id', '=', id)
      .executeTakeFirst();
    const isRight = await verifyPassword(password, row?.password_hash);
    if (isRight) await attempts.succeed(username, context.address);
    return isRight;
  };
}
