/** The way somebody signed in last in this browser, for the mark on its button. */
import type { OutsideProvider } from '#contract/outside-logins.ts';

export type LoginWay = OutsideProvider | 'passkey' | 'password';

const KEY = 'last-login';

export function storeWay(way: LoginWay): void {
  localStorage.setItem(KEY, way);
}

export function lastWay(): string | null {
  return localStorage.getItem(KEY);
}
