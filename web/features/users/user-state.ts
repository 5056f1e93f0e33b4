/** Role, state and allowed actions of a user. */
import { isAdmin, isRoot } from '#contract/access.ts';
import type { ManageAction } from '#contract/admin/user-management.ts';
import { USER_STATUS, type ManagedUser } from '#contract/admin/users.ts';
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

/** Why there are no actions on a user; undefined when there are some. */
export type Closed = 'own' | 'level' | 'deleted';

export function closedBy(user: Pick<ManagedUser, 'id' | 'role' | 'DeletedAt'>, me: Me): Closed | undefined {
  if (user.DeletedAt !== null) return 'deleted';
  if (user.id === me.id) return 'own';
  return user.role >= me.role ? 'level' : undefined;
}

/** Balance and bindings of users with the same or a higher role are hidden. */
export function isHidden(user: Pick<ManagedUser, 'id' | 'role'>, me: Me): boolean {
  return user.role >= me.role && user.id !== me.id;
}

/** The same rules as on the server: refused actions are not offered. */
export function openActions(user: ManagedUser, me: Me): ManageAction[] {
  if (closedBy(user, me)) return [];
  const actions: ManageAction[] = [];
  if (isRoot(me.role)) actions.push(isAdmin(user.role) ? 'demote' : 'promote');
  if (user.status === USER_STATUS.activated) actions.push('disable');
  if (user.status === USER_STATUS.banned) actions.push('enable');
  actions.push('delete');
  return actions;
}
