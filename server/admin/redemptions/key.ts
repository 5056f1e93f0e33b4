// Codes: 128 random bits as hexadecimal digits. The database holds a digest for the lookup and a sealed copy for
// administrators, never the code in plain text.
import { randomBytes } from 'node:crypto';
import { REDEMPTION_KEY_LENGTH } from '#contract/money/redemptions.ts';
import type { Vault } from '#server/platform/store/vault.ts';

const SHOWN_SIDE = 4;

export function newCode(): string {
  return randomBytes(REDEMPTION_KEY_LENGTH / 2).toString('hex');
}

export function codeDigest(vault: Vault, code: string): string {
  return vault.digest('redemption', code);
}

/** Binds the sealed code to its row by the digest, which is unique: it does not open in another row. */
function sealPlace(digest: string): string {
  return `redemption:${digest}`;
}

export function sealCode(vault: Vault, code: string): string {
  return vault.seal(code, sealPlace(codeDigest(vault, code)));
}

export function openCode(vault: Vault, row: { key_digest: string; key_sealed: string }): string {
  return vault.open(row.key_sealed, sealPlace(row.key_digest));
}

export function maskedCode(code: string): string {
  return `${code.slice(0, SHOWN_SIDE)}…${code.slice(-SHOWN_SIDE)}`;
}
