// Parts of a call's context that every folder of the server may use: its log, its caller, its flow. Types and one helper.
import type { OrganizationRole } from './admin/organization-rights.ts';
import { ROLE } from './access.ts';
import { AppError } from './errors.ts';

/** One JSON line per call. Secrets are taken out by field name and by known value before it is written. */
export interface Log {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
  /** The same log; each line also has these fields. */
  child(fields: Record<string, unknown>): Log;
}

export interface Caller {
  readonly id: number;
  readonly username: string;
  readonly role: number;
  readonly group: string;
}

/** The organization that a call acts for, and how the caller belongs to it. */
export interface OrganizationScope {
  readonly id: number;
  readonly name: string;
  /** Of its account. */
  readonly username: string;
  readonly group: string;
  readonly role: OrganizationRole;
  /** False: the call reaches what belongs to the caller, not what belongs to other members. */
  readonly seesAll: boolean;
}

/** Whose data a call is about: the caller's own, or an organization's. */
export interface Account extends Caller {
  readonly organization: OrganizationScope | null;
}

/**
 * Values of a sign-in of several steps (outside login, second factor, passkey), stored in the browser's session row; a
 * visitor gets an empty session for it. Each value has a name and a time to live.
 */
export interface Flow {
  /** Leaves the value in place. Null when there is none or it has expired. */
  read(name: string): Promise<unknown>;
  /** Replaces the value of that name. */
  keep(name: string, value: unknown, seconds: number): Promise<void>;
  /** Removes the value and returns it: of two concurrent calls one gets it. */
  take(name: string): Promise<unknown>;
}

/** The signed-in user of an endpoint whose access is `user` or above. */
export function callerOf(context: { readonly user: Caller | null }): Caller {
  if (!context.user) throw new AppError('not_signed_in');
  return context.user;
}

interface Scoped {
  readonly user: Caller | null;
  readonly organization?: OrganizationScope | undefined;
}

/** Whose data the call is about; `callerOf` says who acts. An organization has the rights of an ordinary user on the site. */
export function accountOf(context: Scoped): Account {
  const caller = callerOf(context);
  const { organization } = context;
  if (organization === undefined) return { ...caller, organization: null };
  const { id, username, group } = organization;
  return { id, username, group, role: ROLE.user, organization };
}

/** The member that the call is limited to; undefined in the personal scope and for those who see all. */
export function onlyMemberOf(context: Scoped): number | undefined {
  const { organization } = context;
  return organization === undefined || organization.seesAll ? undefined : callerOf(context).id;
}
