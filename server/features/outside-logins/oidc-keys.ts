// The signature algorithms an id token may use, as WebCrypto names them. Anything else, `none` and shared secrets before all,
// is not in the table and therefore refused.
import type { WebKey } from './oidc-directory.ts';

export interface Algorithm {
  readonly kty: 'RSA' | 'EC' | 'OKP';
  readonly importAs: { name: string; hash: string } | { name: string; namedCurve: string } | { name: string };
  readonly verifyAs: { name: string; hash?: string; saltLength?: number };
}

const rsa = (name: string, hash: string, saltLength?: number): Algorithm => ({
  kty: 'RSA',
  importAs: { name, hash },
  verifyAs: saltLength === undefined ? { name } : { name, saltLength },
});
const ec = (namedCurve: string, hash: string): Algorithm => ({
  kty: 'EC',
  importAs: { name: 'ECDSA', namedCurve },
  verifyAs: { name: 'ECDSA', hash },
});

export const ALGORITHMS: ReadonlyMap<string, Algorithm> = new Map([
  ['RS256', rsa('RSASSA-PKCS1-v1_5', 'SHA-256')],
  ['RS384', rsa('RSASSA-PKCS1-v1_5', 'SHA-384')],
  ['RS512', rsa('RSASSA-PKCS1-v1_5', 'SHA-512')],
  ['PS256', rsa('RSA-PSS', 'SHA-256', 32)],
  ['PS384', rsa('RSA-PSS', 'SHA-384', 48)],
  ['PS512', rsa('RSA-PSS', 'SHA-512', 64)],
  ['ES256', ec('P-256', 'SHA-256')],
  ['ES384', ec('P-384', 'SHA-384')],
  ['EdDSA', { kty: 'OKP', importAs: { name: 'Ed25519' }, verifyAs: { name: 'Ed25519' } }],
]);

const SHORTEST_RSA_BITS = 2048;

/** Undefined when the key does not fit the algorithm or is too weak to prove anything. */
export async function importKey(key: WebKey, algorithm: Algorithm): Promise<CryptoKey | undefined> {
  try {
    // `alg`, `use` and `key_ops` of the set are the provider's notes; what the key may do is decided here.
    const { kty, n, e, crv, x, y } = key as Record<string, unknown>;
    const bare = Object.fromEntries(
      Object.entries({ kty, n, e, crv, x, y }).filter(([, value]) => value !== undefined),
    );
    const imported = await crypto.subtle.importKey('jwk', bare, algorithm.importAs, false, ['verify']);
    const { modulusLength } = imported.algorithm as { modulusLength?: number };
    return modulusLength !== undefined && modulusLength < SHORTEST_RSA_BITS ? undefined : imported;
  } catch {
    return undefined;
  }
}
