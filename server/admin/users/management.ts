// User management, one file per verb.
import type { Handlers } from '#server/admin/context.ts';
import type { userManagement } from '#contract/admin/user-management.ts';
import { changeUser } from './change.ts';
import { createUser } from './create.ts';
import { liftSuspension } from './lift.ts';
import { listUsers } from './list.ts';
import { manageUser, readLeft } from './manage.ts';
import type { ManagementDependencies } from './management-dependencies.ts';
import { userPage } from './page.ts';
import { resetTwoFactor } from './reset-two-factor.ts';
import { userUsage } from './usage.ts';

export type { ManagementDependencies } from './management-dependencies.ts';

export function createUserManagementHandlers(
  dependencies: ManagementDependencies,
): Handlers<typeof userManagement> {
  return {
    list: listUsers(dependencies),
    search: listUsers(dependencies),
    create: createUser(dependencies),
    change: changeUser(dependencies),
    manage: manageUser(dependencies),
    left: readLeft(dependencies),
    usage: userUsage(dependencies),
    page: userPage(dependencies),
    resetTwoFactor: resetTwoFactor(dependencies),
    lift: liftSuspension(dependencies),
  };
}
