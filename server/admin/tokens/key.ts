// API keys: 48 base62 characters from the system's random source. The database holds a digest for the lookup, a sealed copy
// for the owner and eight characters as a hint, never the key in plain text.
import { TOKEN_KEY_LENGTH, TOKEN_KEY_PREFIX } from '#contract/admin/tokens.ts';
import type { Vault } from '#server/platform/store/vault.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
/** The largest multiple of 62 in a byte; larger bytes are rejected, or the first letters would be more frequent. */
const FAIR_BYTES = Math.floor(256 / ALPHABET.length) * ALPHABET.length;
const HINT_SIDE = 4;

export function randomAlphanumeric(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length + 8))) {
      if (byte < FAIR_BYTES && text.length < length) text += ALPHABET[byte % ALPHABET.length];
    }
  }
  return text;
}

export function newKey(): string {
  return randomAlphanumeric(TOKEN_KEY_LENGTH);
}

export function keyDigest(vault: Vault, key: string): string {
  return vault.digest('token', key);
}

export function keyHint(key: string): string {
  return key.slice(0, HINT_SIDE) + key.slice(-HINT_SIDE);
}

/** `abcd…wxyz`, from the hint, so that the key is not unsealed. */
export function maskedKey(hint: string): string {
  return `${hint.slice(0, HINT_SIDE)}…${hint.slice(-HINT_SIDE)}`;
}

/** Binds the sealed key to its row and owner: it does not open in another row. */
function sealPlace(id: number, userId: number): string {
  return `token:${id}:${userId}`;
}

export function sealKey(vault: Vault, key: string, id: number, userId: number): string {
  return vault.seal(key, sealPlace(id, userId));
}

export function openKey(vault: Vault, row: { id: number; user_id: number; key_sealed: string }): string {
  return vault.open(row.key_sealed, sealPlace(row.id, row.user_id));
}

/** A search text read as a key: the whole key, or what it shows of the first and the last four characters. */
export type KeySearch = { digest: string } | { first?: string; last?: string } | { side: string } | null;

const MASK = /…|\.{2,}|\*+/;

export function keySearch(vault: Vault, text: string): KeySearch {
  const hasPrefix = text.startsWith(TOKEN_KEY_PREFIX);
  const bare = hasPrefix ? text.slice(TOKEN_KEY_PREFIX.length) : text;
  const [start = '', end = '', more] = bare.split(MASK);
  if (more !== undefined || !/^[A-Za-z\d]*$/.test(start + end)) return null;
  const first = start.length >= HINT_SIDE ? { first: start.slice(0, HINT_SIDE) } : {};
  const last = end.length >= HINT_SIDE ? { last: end.slice(-HINT_SIDE) } : {};
  if (MASK.test(bare)) return 'first' in first || 'last' in last ? { ...first, ...last } : null;
  if (bare.length === TOKEN_KEY_LENGTH) return { digest: keyDigest(vault, bare) };
  // With the prefix it is the beginning of a key, however much of it was copied.
  if (hasPrefix) return 'first' in first ? first : null;
  return bare.length === HINT_SIDE ? { side: bare } : null;
}
