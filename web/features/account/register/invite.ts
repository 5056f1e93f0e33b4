/** The invite code of a shared link, kept under `aff` until it is used. */

const KEY = 'aff';

export function storeInvite(code: string): void {
  localStorage.setItem(KEY, code);
}

export function storedInvite(): string {
  return localStorage.getItem(KEY) ?? '';
}
