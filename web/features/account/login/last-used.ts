/** The login last used in this browser, for the mark on its button. */
import type { OutsideProvider } from '#contract/admin/outside-logins.ts';

export type LoginMethod = OutsideProvider | 'passkey' | 'password' | 'sign_on';

const KEY = 'last-login';

export function storeLastLogin(method: LoginMethod): void {
  localStorage.setItem(KEY, method);
}

export function lastLogin(): string | null {
  return localStorage.getItem(KEY);
}
