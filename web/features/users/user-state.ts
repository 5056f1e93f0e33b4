/** What a user is, and which actions are open on them. */
import { isAdmin, isRoot } from '#contract/access.ts';
import type { ManageAction } from '#contract/user-management.ts';
import { USER_STATUS, type ManagedUser } from '#contract/users.ts';
import type { StatusKind } from '#web/ui/badge/status.tsx';

export type UserState = 'activated' | 'banned' | 'suspended' | 'deleted';
export type RoleName = 'user' | 'admin' | 'root';

export function userState(user: Pick<ManagedUser, 'status' | 'DeletedAt'>): UserState {
  if (user.DeletedAt !== null) return 'deleted';
  if (user.status === USER_STATUS.banned) return 'banned';
  return user.status === USER_STATUS.suspended ? 'suspended' : 'activated';
}

export const STATE_MARK: Record<UserState, StatusKind> = {
  activated: 'enabled',
  banned: 'failed',
  suspended: 'auto-disabled',
  deleted: 'failed',
};

export function roleName(role: number): RoleName {
  if (isRoot(role)) return 'root';
  return isAdmin(role) ? 'admin' : 'user';
}

export interface Me {
  id: number;
  role: number;
}

/** Why nothing can be done with a user; undefined when something can. */
export type Closed = 'own' | 'level' | 'deleted';

export function closedBy(user: Pick<ManagedUser, 'id' | 'role' | 'DeletedAt'>, me: Me): Closed | undefined {
  if (user.DeletedAt !== null) return 'deleted';
  if (user.id === me.id) return 'own';
  return user.role >= me.role ? 'level' : undefined;
}

/** Money and bindings of equals and of those above are not told. */
export function isHidden(user: Pick<ManagedUser, 'id' | 'role'>, me: Me): boolean {
  return user.role >= me.role && user.id !== me.id;
}

/** The same rules as the server's; what it would refuse is not offered. */
export function openActions(user: ManagedUser, me: Me): ManageAction[] {
  if (closedBy(user, me)) return [];
  const actions: ManageAction[] = [];
  if (isRoot(me.role)) actions.push(isAdmin(user.role) ? 'demote' : 'promote');
  if (user.status === USER_STATUS.activated) actions.push('disable');
  if (user.status === USER_STATUS.banned) actions.push('enable');
  actions.push('delete');
  return actions;
}
