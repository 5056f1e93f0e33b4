// One user for an administrator. Users of the same level or above are not read, except by the super admin.
import { isRoot } from '#contract/access.ts';
import { callerOf, type RequestContext } from '#contract/context.ts';
import { AppError } from '#contract/errors.ts';
import type { UserView } from '#contract/users.ts';
import type { UserDependencies } from './dependencies.ts';

export function readUser({ store }: Pick<UserDependencies, 'store'>) {
  return async ({ params }: { params: { id: number } }, context: RequestContext): Promise<UserView> => {
    const caller = callerOf(context);
    const row = await store.db
      .selectFrom('users')
      .selectAll()
      .select('deleted_at as DeletedAt')
      .where('id', '=', params.id)
      .executeTakeFirst();
    if (!row) throw new AppError('not_found');
    if (row.role >= caller.role && !isRoot(caller.role)) throw new AppError('user_level_too_high');
    return row;
  };
}
