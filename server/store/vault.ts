// Secrets at rest: AES-256-GCM under keys derived from one master key, and keyed digests for lookups.

export interface Vault {
  /** `aad` binds the ciphertext to its place (table, id, column): moved elsewhere it does not open. */
  seal(plaintext: string, aad: string): string;
  /** Throws when the text was altered, moved, or sealed under another master key. */
  open(sealed: string, aad: string): string;
  /** HMAC-SHA256 in hex, one key per purpose: what the database stores to look a secret up. */
  digest(purpose: string, value: string): string;
}
