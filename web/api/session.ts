/** The locally stored user record: written at login, cleared by logout and by every 401. */
import { useSyncExternalStore } from 'react';
import { ROLE } from '#contract/access.ts';
import type { SessionUser } from '#contract/admin/session.ts';
import { keepDraftsOf } from '#web/ui/input/draft.ts';
import { currentScope, enterKeptScope, subscribeScope, type Scope } from './scope.ts';

const KEY = 'user';
const listeners = new Set<() => void>();
let cached: { text: string | null; scope: Scope | undefined; user: SessionUser | undefined } = {
  text: null,
  scope: undefined,
  user: undefined,
};

/** Checks only the fields the console reads. */
function isUser(value: unknown): value is SessionUser {
  if (typeof value !== 'object' || value === null) return false;
  const { id, username, role } = value as Partial<SessionUser>;
  return Number.isInteger(id) && typeof username === 'string' && typeof role === 'number';
}

function parse(text: string | null): SessionUser | undefined {
  if (!text) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isUser(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The record itself, also while the reader acts for an organization. */
export function storedAccount(): SessionUser | undefined {
  return parse(localStorage.getItem(KEY));
}

/** An organization has the rights of an ordinary user on the site, also for people who have more, and its own price group. */
export function storedUser(): SessionUser | undefined {
  const text = localStorage.getItem(KEY);
  const scope = currentScope();
  if (text !== cached.text || scope !== cached.scope) {
    const user = parse(text);
    cached = { text, scope, user: user && scope ? { ...user, role: ROLE.user, group: scope.group } : user };
  }
  return cached.user;
}

export function storeUser(user: SessionUser): void {
  const isSignIn = storedAccount() === undefined;
  localStorage.setItem(KEY, JSON.stringify(user));
  if (isSignIn) enterKeptScope(user.id);
  keepDraftsOf(user.id, currentScope()?.id);
  for (const listener of listeners) listener();
}

export function clearUser(): void {
  localStorage.removeItem(KEY);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  // Another tab signed in or out.
  const onStorage = (event: StorageEvent) => {
    if (event.key === KEY || event.key === null) listener();
  };
  window.addEventListener('storage', onStorage);
  const unsubscribe = subscribeScope(listener);
  return () => {
    unsubscribe();
    listeners.delete(listener);
    window.removeEventListener('storage', onStorage);
  };
}

export function useUser(): SessionUser | undefined {
  return useSyncExternalStore(subscribe, storedUser);
}
