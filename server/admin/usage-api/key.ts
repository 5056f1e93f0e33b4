// Admin keys: 48 characters from the system's random source after a prefix. The database holds a digest under a purpose of
// its own, so an admin key is never found among tokens, nor a token among admin keys.
import { randomBytes } from 'node:crypto';
import { ADMIN_KEY_PREFIX, ANTHROPIC_ADMIN_KEY_PREFIX } from '#contract/admin/admin-keys.ts';
import type { Vault } from '#server/platform/store/vault.ts';

const KEY_BYTES = 36;
const HINT_SIDE = 4;
const PREFIXES = [ADMIN_KEY_PREFIX, ANTHROPIC_ADMIN_KEY_PREFIX];

/** Without a prefix. */
export const newKey = (): string => randomBytes(KEY_BYTES).toString('base64url');

export const keyDigest = (vault: Vault, bare: string): string => vault.digest('admin_key', bare);

export const keyHint = (bare: string): string => bare.slice(0, HINT_SIDE) + bare.slice(-HINT_SIDE);

export const maskedKey = (hint: string): string =>
  `${ADMIN_KEY_PREFIX}${hint.slice(0, HINT_SIDE)}…${hint.slice(-HINT_SIDE)}`;

/** Undefined for anything that does not look like an admin key. */
export function bareKey(text: string): string | undefined {
  const prefix = PREFIXES.find((known) => text.startsWith(known));
  return prefix === undefined || text.length > 100 ? undefined : text.slice(prefix.length);
}
