/** The locally stored user record: written at login, cleared by logout and by every 401. */
import { useSyncExternalStore } from 'react';
import { sessionUser, type SessionUser } from '#contract/session.ts';

const KEY = 'user';
const listeners = new Set<() => void>();
let cached: { text: string | null; user: SessionUser | undefined } = { text: null, user: undefined };

function parse(text: string | null): SessionUser | undefined {
  if (!text) return undefined;
  try {
    const result = sessionUser.safeParse(JSON.parse(text));
    return result.success ? result.data : undefined;
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
  localStorage.setItem(KEY, JSON.stringify(user));
  for (const listener of listeners) listener();
}

export function clearUser(): void {
  localStorage.removeItem(KEY);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  // A login or logout in another tab shows here too.
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
