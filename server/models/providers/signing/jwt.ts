// JSON Web Tokens: signed with a shared secret, or with a private key in PEM.
import { hmacSha256 } from './hashes.ts';

type Claims = Readonly<Record<string, string | number>>;

export function hmacToken(header: Claims, claims: Claims, secret: string): string {
  const signed = `${part({ alg: 'HS256', ...header })}.${part(claims)}`;
  return `${signed}.${hmacSha256(secret, signed).toString('base64url')}`;
}

export async function rsaToken(header: Claims, claims: Claims, privateKeyPem: string): Promise<string> {
  const signed = `${part({ alg: 'RS256', typ: 'JWT', ...header })}.${part(claims)}`;
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('pkcs8', derOf(privateKeyPem), algorithm, false, ['sign']);
  const signature = await crypto.subtle.sign(algorithm, key, new TextEncoder().encode(signed));
  return `${signed}.${Buffer.from(signature).toString('base64url')}`;
}

function part(value: Claims): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** Pasted keys may contain `\n` as two characters. */
function derOf(pem: string): Uint8Array<ArrayBuffer> {
  const base64 = pem.replaceAll('\\n', '\n').replaceAll(/-----[^-]+-----|\s/g, '');
  return new Uint8Array(Buffer.from(base64, 'base64'));
}
