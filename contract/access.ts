// Roles, with their numbers in the database and the API, and the access levels of endpoints.

export const ROLE = { guest: 0, user: 1, admin: 10, root: 100 } as const;

/**
 * `public`: no sign-in; the session is not read.
 * `visitor`: no sign-in; a session, if present, changes the answer.
 * `user`, `admin`, `root`: signed in with at least that role.
 */
export type Access = 'public' | 'visitor' | 'user' | 'admin' | 'root';

export const REQUIRED_ROLE: Record<Access, number> = {
  public: ROLE.guest,
  visitor: ROLE.guest,
  user: ROLE.user,
  admin: ROLE.admin,
  root: ROLE.root,
};

export function isAdmin(role: number): boolean {
  return role >= ROLE.admin;
}

export function isRoot(role: number): boolean {
  return role >= ROLE.root;
}
