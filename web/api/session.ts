/** The locally stored user record: written at login, cleared by logout and by every 401. */
import { useSyncExternalStore } from 'react';
import type { SessionUser } from '#contract/admin/session.ts';
import { keepDraftsOf } from '#web/ui/input/draft.ts';

const KEY = 'user';
const listeners = new Set<() => void>();
let cached: { text: string | null; user: SessionUser | undefined } = { text: null, user: undefined };

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

export function storedUser(): SessionUser | undefined {
  const text = localStorage.getItem(KEY);
  if (text !== cached.text) cached = { text, user: parse(text) };
  return cached.user;
}

export function storeUser(user: SessionUser): void {
  keepDraftsOf(user.id);
  localStorage.setItem(KEY, JSON.stringify(user));
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
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', onStorage);
  };
}

export function useUser(): SessionUser | undefined {
  return useSyncExternalStore(subscribe, storedUser);
}
