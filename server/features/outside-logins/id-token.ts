// An id token is believed only when the provider's own key signed it, for this client, for this sign-in, and now.
import { timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { OidcDirectory } from './oidc-directory.ts';
import { ALGORITHMS } from './oidc-keys.ts';

const header = z.object({
  alg: z.string(),
  kid: z.string().optional(),
  /** Extensions that must be understood: none is. */
  crit: z.undefined().optional(),
});
const claims = z.object({
  iss: z.string(),
  sub: z.string().min(1).max(255),
  aud: z.union([z.string(), z.array(z.string())]),
  azp: z.string().optional(),
  exp: z.number(),
  iat: z.number(),
  nonce: z.string().optional(),
});
export type IdTokenClaims = z.output<typeof claims>;

export interface Expected {
  /** As the provider's document spells it. */
  issuer: string;
  clientId: string;
  nonce: string;
}

const SKEW_SECONDS = 60;
const LONGEST = 20_000;

/** The claims of a genuine token; null otherwise. */
export async function verifyIdToken(
  token: string,
  expected: Expected,
  directory: Pick<OidcDirectory, 'key'>,
  now = Date.now() / 1000,
): Promise<IdTokenClaims | null> {
  const parts = token.length <= LONGEST ? token.split('.') : [];
  const [headerText = '', claimsText = '', signature = ''] = parts;
  const head = header.safeParse(decoded(headerText));
  if (parts.length !== 3 || !head.success) return null;
  const algorithm = ALGORITHMS.get(head.data.alg);
  const key = algorithm && (await directory.key(head.data.kid, algorithm));
  if (!key) return null;
  const isGenuine = await crypto.subtle.verify(
    algorithm.verifyAs,
    key,
    Buffer.from(signature, 'base64url'),
    Buffer.from(`${headerText}.${claimsText}`),
  );
  const said = claims.safeParse(decoded(claimsText));
  return isGenuine && said.success && isFor(said.data, expected, now) ? said.data : null;
}

function isFor(said: IdTokenClaims, { issuer, clientId, nonce }: Expected, now: number): boolean {
  const audiences = Array.isArray(said.aud) ? said.aud : [said.aud];
  const isOurs = audiences.includes(clientId) && (audiences.length === 1 || said.azp !== undefined);
  const isNow = said.exp > now - SKEW_SECONDS && said.iat < now + SKEW_SECONDS;
  return (
    said.iss === issuer &&
    isOurs &&
    (said.azp === undefined || said.azp === clientId) &&
    isNow &&
    isEqual(said.nonce ?? '', nonce)
  );
}

function isEqual(left: string, right: string): boolean {
  const [one, other] = [Buffer.from(left), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function decoded(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}
