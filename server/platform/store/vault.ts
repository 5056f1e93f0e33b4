// Secrets at rest: AES-256-GCM under keys derived from one master key, and keyed digests for lookups. A copy of the
// database alone opens nothing and does not allow guessing a key offline.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import { MasterKeyError } from './errors.ts';
import { loadMasterKey, type MasterKeyOptions } from './master-key.ts';
import type { Schema } from './schema.ts';

export interface Vault {
  /** `aad` binds the ciphertext to its place (table, id, column): moved elsewhere it does not open. */
  seal(plaintext: string, aad: string): string;
  /** Throws when the text was altered, moved, or sealed under another master key. */
  open(sealed: string, aad: string): string;
  /** HMAC-SHA256 in hex, one key per purpose: what the database stores to look a secret up. */
  digest(purpose: string, value: string): string;
}

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const SENTINEL_TEXT = 'tollgate master key';
const SENTINEL_PLACE = 'vault_sentinel:1:sealed';

export class SealedTextError extends Error {
  override name = 'SealedTextError';
}

export function createVault(masterKey: Buffer): Vault {
  const sealingKey = subkey(masterKey, 'seal');
  // Shows without decrypting that a text was sealed under another master key.
  const keyId = subkey(masterKey, 'key id').subarray(0, 6).toString('base64url');
  const hashers = new Map<string, Bun.CryptoHasher>();

  function hasher(purpose: string): Bun.CryptoHasher {
    const known = hashers.get(purpose);
    if (known !== undefined) return known;
    const created = new Bun.CryptoHasher('sha256', subkey(masterKey, `digest:${purpose}`));
    hashers.set(purpose, created);
    return created;
  }

  return {
    seal(plaintext, aad) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(ALGORITHM, sealingKey, iv, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(aad, 'utf8'));
      const text = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
      return ['v1', keyId, ...[iv, cipher.getAuthTag(), text].map((part) => part.toString('base64url'))].join(
        '.',
      );
    },
    open(sealed, aad) {
      const [version, sealedKeyId, ivText, tagText, text, ...rest] = sealed.split('.');
      if (
        version !== 'v1' ||
        ivText === undefined ||
        tagText === undefined ||
        text === undefined ||
        rest.length > 0
      ) {
        throw new SealedTextError('The text is not a sealed secret.');
      }
      if (sealedKeyId !== keyId) throw new SealedTextError('The secret was sealed under another master key.');
      const iv = Buffer.from(ivText, 'base64url');
      const tag = Buffer.from(tagText, 'base64url');
      if (iv.length !== IV_BYTES || tag.length !== TAG_BYTES)
        throw new SealedTextError('The text is not a sealed secret.');
      try {
        const decipher = createDecipheriv(ALGORITHM, sealingKey, iv, { authTagLength: TAG_BYTES });
        decipher.setAAD(Buffer.from(aad, 'utf8'));
        decipher.setAuthTag(tag);
        return decipher.update(Buffer.from(text, 'base64url'), undefined, 'utf8') + decipher.final('utf8');
      } catch {
        throw new SealedTextError('The secret was altered or belongs to another place.');
      }
    },
    digest: (purpose, value) => hasher(purpose).copy().update(value).digest('hex'),
  };
}

function subkey(masterKey: Buffer, info: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, 'tollgate', info, 32));
}

/** Loads the master key and proves against the database that it is the one its secrets were sealed under. */
export async function unlockVault(
  db: Kysely<Schema>,
  options: Omit<MasterKeyOptions, 'mayCreate'>,
): Promise<Vault> {
  const internal = db as unknown as Kysely<{ vault_sentinel: { id: number; sealed: string } }>;
  const read = () =>
    internal.selectFrom('vault_sentinel').select('sealed').where('id', '=', 1).executeTakeFirst();
  const known = await read();
  const vault = createVault(loadMasterKey({ ...options, mayCreate: known === undefined }));
  if (known === undefined) {
    const row = { id: 1, sealed: vault.seal(SENTINEL_TEXT, SENTINEL_PLACE) };
    await internal
      .insertInto('vault_sentinel')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  // Read again: another node may have been first.
  const sentinel = await read();
  if (sentinel === undefined || !opens(vault, sentinel.sealed)) throw wrongKey();
  return vault;
}

/** Refuses a master key that does not open `sealed`, the content of the table `vault_sentinel`. */
export function requireMasterKeyOf(sealed: string, options: Omit<MasterKeyOptions, 'mayCreate'>): void {
  const vault = createVault(loadMasterKey({ ...options, mayCreate: false }));
  if (!opens(vault, sealed)) throw wrongKey();
}

function wrongKey(): MasterKeyError {
  return new MasterKeyError(
    'The master key is not the one this database was created with, so its secrets cannot be opened. ' +
      'Set MASTER_KEY to the key of the first start or bring back its master.key file; every node needs the same key.',
  );
}

function opens(vault: Vault, sealed: string): boolean {
  try {
    return vault.open(sealed, SENTINEL_PLACE) === SENTINEL_TEXT;
  } catch {
    return false;
  }
}
