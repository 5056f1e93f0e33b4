// One user for an administrator: of a lower role, or themselves.
import type { users } from '#contract/admin/users.ts';
import { callerOf, type Handler } from '#server/admin/context.ts';
import { AppError } from '#contract/errors.ts';
import type { UserDependencies } from './dependencies.ts';
import { maySee } from './levels.ts';
import { managedUsers, managedView } from './managed-view.ts';

export function readUser({ store }: Pick<UserDependencies, 'store'>): Handler<typeof users.read> {
  return async ({ params }, context) => {
    const caller = callerOf(context);
    const row = await managedUsers(store.db).where('users.id', '=', params.id).executeTakeFirst();
    if (!row) throw new AppError('not_found');
    if (!maySee(caller, row)) throw new AppError('user_level_too_high');
    return managedView(caller, row);
  };
}
