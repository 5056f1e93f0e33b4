// Who may do what in an organization: one table. The server asks it at each call, the console for its menus, and the tests for the
// access matrix.
export const ORGANIZATION_ROLES = ['owner', 'admin', 'billing', 'member', 'viewer'] as const;
export type OrganizationRole = (typeof ORGANIZATION_ROLES)[number];

const EVERYBODY = ORGANIZATION_ROLES;
const MANAGERS = ['owner', 'admin'] as const;

const TABLE = {
  /** Its name, one's own role, the names of its projects. */
  'organization.read': EVERYBODY,
  /** Name and settings. */
  'organization.manage': MANAGERS,
  'organization.delete': ['owner'],
  'ownership.hand_over': ['owner'],
  'members.read': EVERYBODY,
  /** Invite, change roles, remove; `mayManage` says whom. */
  'members.manage': MANAGERS,
  'projects.manage': MANAGERS,
  'service_accounts.manage': MANAGERS,
  /** Make, change and delete one's own keys. */
  'tokens.own': ['owner', 'admin', 'member'],
  /** Change and delete the keys of all, and read those of service accounts. */
  'tokens.all': MANAGERS,
  /** See the keys of all, masked. */
  'tokens.read_all': ['owner', 'admin', 'viewer'],
  /** One's own calls, tasks and figures. */
  'usage.own': EVERYBODY,
  'usage.all': ['owner', 'admin', 'billing', 'viewer'],
  /** Balance, orders, statements, plans. */
  'billing.read': ['owner', 'admin', 'billing', 'viewer'],
  /** Top up, redeem, buy plans, company data. */
  'billing.manage': ['owner', 'admin', 'billing'],
  /** Accept that money leaves it. */
  'billing.release': ['owner'],
  /** The budgets of all, and what is spent of them. */
  'budgets.read': ['owner', 'admin', 'billing', 'viewer'],
  /** Those that bound one's own calls. */
  'budgets.own': EVERYBODY,
  /** Make, change and delete budgets, and grant more. */
  'budgets.manage': ['owner', 'admin', 'billing'],
  /** Ask for more of a budget. */
  'budgets.ask': ['owner', 'admin', 'member'],
  'audit.read': MANAGERS,
  'sign_on.read': MANAGERS,
  /** Whoever sets the provider decides who can sign in, so an admin could sign in as the owner. */
  'sign_on.manage': ['owner'],
} as const satisfies Record<string, readonly OrganizationRole[]>;

export type OrganizationRight = keyof typeof TABLE;

export const ORGANIZATION_RIGHTS: Readonly<Record<OrganizationRight, readonly OrganizationRole[]>> = TABLE;

/**
 * What an endpoint needs in an organization: one right; or `own` for what belongs to the caller and `all` for what belongs to
 * everybody. With either of the two the call is open; without `all` it reaches the caller's own rows only.
 */
export type OrganizationAccess =
  | OrganizationRight
  | { readonly own: OrganizationRight; readonly all: OrganizationRight };

/** One's own calls, or those of all: log, tasks, figures. */
export const USAGE_READING = { own: 'usage.own', all: 'usage.all' } as const satisfies OrganizationAccess;

export function hasRight(role: OrganizationRole, right: OrganizationRight): boolean {
  return ORGANIZATION_RIGHTS[right].includes(role);
}

/** Undefined: the role may not call it at all. */
export function reachOf(role: OrganizationRole, access: OrganizationAccess): 'own' | 'all' | undefined {
  if (typeof access === 'string') return hasRight(role, access) ? 'all' : undefined;
  if (hasRight(role, access.all)) return 'all';
  return hasRight(role, access.own) ? 'own' : undefined;
}

/** The roles that may call it, for the sentence of a refusal. */
export function rolesFor(access: OrganizationAccess): readonly OrganizationRole[] {
  return ORGANIZATION_ROLES.filter((role) => reachOf(role, access) !== undefined);
}

/** Owners are changed by owners only. */
export function mayManage(role: OrganizationRole, other: OrganizationRole): boolean {
  return hasRight(role, 'members.manage') && (other !== 'owner' || role === 'owner');
}
