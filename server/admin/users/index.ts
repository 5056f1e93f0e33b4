// A user's own account: read, change, usable groups and models.
import { readAccountLeft } from '#server/admin/account-left.ts';
import { callerOf, type Handlers } from '#server/admin/context.ts';
import type { users } from '#contract/admin/users.ts';
import { changeSelf } from './change-self.ts';
import type { UserDependencies } from './dependencies.ts';
import { readUser } from './read.ts';
import { readSelf } from './self.ts';
import { usableGroups } from './groups.ts';
import { usableModels } from './models.ts';

export type { UserDependencies } from './dependencies.ts';

export function createUserHandlers(dependencies: UserDependencies): Handlers<typeof users> {
  return {
    self: readSelf(dependencies),
    selfLeft: (_, context) => readAccountLeft(dependencies.store.db, callerOf(context).id),
    read: readUser(dependencies),
    changeSelf: changeSelf(dependencies),
    selfGroups: usableGroups(dependencies),
    models: usableModels(dependencies),
  };
}
