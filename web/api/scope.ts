/**
 * The account that the console acts for: the reader's own, or one of their organizations. It stands in the address (`?org=7`) and
 * is kept per browser. It stays as long as the document: a switch loads the page anew, so that no answer, no form and no state of
 * one account is shown in another.
 */
import { useSyncExternalStore } from 'react';
import {
  hasRight,
  type OrganizationRight,
  type OrganizationRole,
} from '#contract/admin/organization-rights.ts';

const KEY = 'organization';
export const SCOPE_PARAMETER = 'org';

export interface Scope {
  id: number;
  /** Blank until it was read once. */
  name: string;
  /** Undefined until it was read once. */
  role: OrganizationRole | undefined;
  suspended: boolean;
  /** Its price group. */
  group: string;
}

/** With the user whose choice it is: another user of this browser has another. */
type Kept = Scope & { user: number };

let current: Scope | undefined;
let isKept = false;
const listeners = new Set<() => void>();

function set(scope: Scope | undefined): void {
  current = scope;
  for (const listener of listeners) listener();
}

function readKept(userId: number | undefined): Scope | undefined {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? 'null') as Kept | null;
    if (kept === null || kept.user !== userId || !Number.isInteger(kept.id)) return undefined;
    const { id, name, role, suspended, group } = kept;
    return { id, name, role, suspended, group };
  } catch {
    return undefined;
  }
}

function keep(scope: Scope, userId: number): void {
  localStorage.setItem(KEY, JSON.stringify({ ...scope, user: userId } satisfies Kept));
}

/** Also in the address to go back to after signing in. */
export function scopeInAddress(search: string): number | undefined {
  const parameters = new URLSearchParams(search);
  const next = parameters.get('next') ?? '';
  const named =
    parameters.get(SCOPE_PARAMETER) ?? new URLSearchParams(next.split('?')[1]).get(SCOPE_PARAMETER);
  return named !== null && /^[1-9]\d{0,14}$/.test(named) ? Number(named) : undefined;
}

/** Once, before the first address is read. `isPersonal`: the page has no meaning in an organization. */
export function startScope(search: string, userId: number | undefined, isPersonal: boolean): void {
  const named = scopeInAddress(search);
  const kept = readKept(userId);
  if (named !== undefined)
    set(kept?.id === named ? kept : { id: named, name: '', role: undefined, suspended: false, group: '' });
  else if (!isPersonal) set(kept);
}

/** A sign-in: the choice of this user, unless the address names another. */
export function enterKeptScope(userId: number): void {
  if (current === undefined) set(readKept(userId));
}

/** Signing out: the next user of this document begins with their own account. */
export function leaveScope(): void {
  isKept = false;
  set(undefined);
}

/** What the server says of the organization; the first answer makes it the choice of this browser. */
export function updateScope(scope: Scope, userId: number): void {
  if (current?.id !== scope.id) return;
  if (!isKept || readKept(userId)?.id === scope.id) keep(scope, userId);
  isKept = true;
  if (JSON.stringify(scope) !== JSON.stringify(current)) set(scope);
}

/** Loads the page anew. Without a scope: the reader's own account. */
export function openScope(scope: Scope | undefined, userId: number, path: string): void {
  if (scope === undefined) localStorage.removeItem(KEY);
  else keep(scope, userId);
  window.location.assign(scope === undefined ? path : `${path}?${SCOPE_PARAMETER}=${scope.id}`);
}

export const currentScope = (): Scope | undefined => current;

export function subscribeScope(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function useScope(): Scope | undefined {
  return useSyncExternalStore(subscribeScope, currentScope);
}

/** Whether the reader's role may change something there. A suspended organization can only be viewed. */
export const mayChange = (scope: Scope | undefined, right: OrganizationRight): boolean =>
  scope?.role !== undefined && !scope.suspended && hasRight(scope.role, right);
