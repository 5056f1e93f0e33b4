// The texts of a row, sealed. Each is bound to its row and column: a text that is moved to another user does not open.
import type { Vault } from '#server/platform/store/vault.ts';

export type Column = 'head' | 'content';

export const chatPlace = (userId: number, id: string, column: Column): string =>
  `kept_chats:${userId}:${id}:${column}`;

export const sharePlace = (digest: string, column: Column): string => `chat_shares:${digest}:${column}`;

export const sealJson = (vault: Vault, value: unknown, place: string): string =>
  vault.seal(JSON.stringify(value), place);

/** What was written by `sealJson`, so its form is known. */
export const openJson = <Value>(vault: Vault, sealed: string, place: string): Value =>
  JSON.parse(vault.open(sealed, place)) as Value;
