// Roles as they stand in the database and on the wire, and who may call an endpoint.

export const ROLE = { guest: 0, user: 1, admin: 10, root: 100 } as const;

/**
 * `public`: nobody has to be signed in, the session is not read.
 * `visitor`: a session is read when there is one, and answered differently.
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
