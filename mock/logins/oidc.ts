// A fake OpenID Connect provider: discovery, keys, authorize page, token endpoint with PKCE and client authentication,
// userinfo. Tests may change the id token's claims, sign it with another key, or rotate the keys.
import { createHash, createHmac, createPublicKey } from 'node:crypto';
import { unixSeconds } from '#contract/time.ts';
import { Codes, consentPage, serveLocally, withQuery, type LocalServer, type SeenRequest } from './serve.ts';

export interface OidcUser {
  sub: string;
  name: string;
  email: string;
  email_verified: boolean;
}

export type SigningAlgorithm = 'RS256' | 'ES256' | 'EdDSA';

export interface OidcServer extends LocalServer {
  clientId: string;
  clientSecret: string;
  user: OidcUser;
  /** Override claims and header of the next id tokens. */
  claims: Record<string, unknown>;
  header: Record<string, unknown>;
  /** Overrides the discovery document. */
  document: Record<string, unknown>;
  /** Overrides the answer of userinfo. */
  userinfo: Partial<OidcUser>;
  /** Rotates the key; the key set then contains only the new one. */
  rotate(algorithm?: SigningAlgorithm): Promise<void>;
  /** Signs with a foreign key under the id of the real one, until `signWithOwn`. */
  signWithStranger(): Promise<void>;
  /** Signs with HMAC under the text of the published key (algorithm confusion), until `signWithOwn`. */
  signWithPublicKeyAsSecret: () => void;
  /** Sends no signature (`alg: none`), until `signWithOwn`. */
  signWithNothing: () => void;
  /** Answers userinfo as a JWT with these claims added; undefined: as JSON. */
  signedUserinfo: Record<string, unknown> | undefined;
  signWithOwn(): void;
  /** A code as the authorize page gives it for that redirect URL. */
  code(authorizeUrl: string): string;
}

interface Grant {
  nonce: string;
  challenge: string;
  redirectUri: string;
  user: OidcUser;
}

const PARAMETERS = {
  RS256: {
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
  },
  ES256: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  EdDSA: { name: 'Ed25519' },
} as const;

interface Key {
  kid: string;
  algorithm: SigningAlgorithm;
  privateKey: CryptoKey;
  published: Record<string, unknown>;
}

async function makeKey(algorithm: SigningAlgorithm): Promise<Key> {
  const pair = (await crypto.subtle.generateKey(PARAMETERS[algorithm], true, [
    'sign',
    'verify',
  ])) as CryptoKeyPair;
  const kid = Bun.randomUUIDv7();
  const exported = await crypto.subtle.exportKey('jwk', pair.publicKey);
  const { kty, n, e, crv, x, y } = exported as Record<string, unknown>;
  const published = { kty, n, e, crv, x, y, kid, use: 'sig', alg: algorithm };
  return { kid, algorithm, privateKey: pair.privateKey, published };
}

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

export async function startOidc(): Promise<OidcServer> {
  const codes = new Codes<Grant>();
  const tokens = new Map<string, OidcUser>();
  let key = await makeKey('RS256');
  let signing = key;
  let mode: 'key' | 'hmac' | 'none' = 'key';

  async function idToken({ nonce, user }: Grant): Promise<string> {
    const now = unixSeconds();
    const claims = {
      iss: oidc.url,
      sub: user.sub,
      aud: oidc.clientId,
      exp: now + 300,
      iat: now,
      nonce,
      ...oidc.claims,
    };
    return await signed(claims);
  }

  async function signed(claims: Record<string, unknown>): Promise<string> {
    const alg = { key: signing.algorithm, hmac: 'HS256', none: 'none' }[mode];
    const text = `${encoded({ alg, kid: key.kid, typ: 'JWT', ...oidc.header })}.${encoded(claims)}`;
    if (mode === 'none') return `${text}.`;
    if (mode === 'hmac') {
      const pem = createPublicKey({ key: key.published, format: 'jwk' }).export({
        type: 'spki',
        format: 'pem',
      });
      return `${text}.${createHmac('sha256', pem).update(text).digest('base64url')}`;
    }
    const signature = await crypto.subtle.sign(
      PARAMETERS[signing.algorithm],
      signing.privateKey,
      Buffer.from(text),
    );
    return `${text}.${Buffer.from(signature).toString('base64url')}`;
  }

  function grantOf(query: Record<string, string>): Grant {
    return {
      nonce: query.nonce ?? '',
      challenge: query.code_challenge ?? '',
      redirectUri: query.redirect_uri ?? '',
      user: oidc.user,
    };
  }

  function authorize(query: Record<string, string>): Response {
    const isGood =
      query.client_id === oidc.clientId &&
      query.response_type === 'code' &&
      query.scope?.split(' ').includes('openid') &&
      query.code_challenge_method === 'S256';
    if (!isGood) return new Response('bad authorization request', { status: 400 });
    const back = { state: query.state ?? '' };
    const redirectUri = query.redirect_uri ?? '';
    return consentPage(
      'Company sign-in',
      withQuery(redirectUri, { code: codes.give(grantOf(query)), iss: oidc.url, ...back }),
      withQuery(redirectUri, { error: 'access_denied', ...back }),
    );
  }

  async function exchange({ headers, body }: SeenRequest): Promise<Response> {
    const form = new URLSearchParams(body);
    const basic = `Basic ${btoa(`${encodeURIComponent(oidc.clientId)}:${encodeURIComponent(oidc.clientSecret)}`)}`;
    const isPosted =
      form.get('client_id') === oidc.clientId && form.get('client_secret') === oidc.clientSecret;
    if (headers.authorization !== basic && !isPosted)
      return Response.json({ error: 'invalid_client' }, { status: 401 });
    const grant = codes.take(form.get('code') ?? '');
    const proven = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (!grant || proven !== grant.challenge || form.get('redirect_uri') !== grant.redirectUri)
      return Response.json({ error: 'invalid_grant' }, { status: 400 });
    const token = Bun.randomUUIDv7();
    tokens.set(token, grant.user);
    return Response.json({
      access_token: token,
      token_type: 'Bearer',
      expires_in: 300,
      id_token: await idToken(grant),
    });
  }

  async function userinfo(authorization: string | undefined): Promise<Response> {
    const user = tokens.get((authorization ?? '').replace('Bearer ', ''));
    if (!user) return Response.json({ error: 'invalid_token' }, { status: 401 });
    const answer = { ...user, ...oidc.userinfo };
    if (!oidc.signedUserinfo) return Response.json(answer);
    const claims = { iss: oidc.url, aud: oidc.clientId, ...answer, ...oidc.signedUserinfo };
    return new Response(await signed(claims), { headers: { 'Content-Type': 'application/jwt' } });
  }

  function discovery(own: string): Response {
    return Response.json({
      issuer: own,
      authorization_endpoint: `${own}/authorize`,
      token_endpoint: `${own}/token`,
      jwks_uri: `${own}/keys`,
      userinfo_endpoint: `${own}/me`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256', 'ES256', 'EdDSA'],
      code_challenge_methods_supported: ['S256'],
      ...oidc.document,
    });
  }

  const oidc: OidcServer = Object.assign(
    serveLocally((request, own) => {
      const { path, query, headers } = request;
      if (path === '/.well-known/openid-configuration') return discovery(own);
      if (path === '/authorize') return authorize(query);
      if (path === '/token') return exchange(request);
      if (path === '/keys') return Response.json({ keys: [key.published] });
      if (path === '/me') return userinfo(headers.authorization);
      return undefined;
    }),
    {
      clientId: 'oidc-client',
      clientSecret: 'oidc-secret:of/tests',
      user: { sub: 'user-77', name: 'Ada Kestrel', email: 'ada@company.example', email_verified: true },
      claims: {},
      header: {},
      document: {},
      userinfo: {},
      async rotate(algorithm: SigningAlgorithm = 'RS256') {
        key = await makeKey(algorithm);
        signing = key;
      },
      signedUserinfo: undefined,
      signWithPublicKeyAsSecret() {
        mode = 'hmac';
      },
      signWithNothing() {
        mode = 'none';
      },
      async signWithStranger() {
        signing = await makeKey(key.algorithm);
      },
      signWithOwn() {
        mode = 'key';
        signing = key;
      },
      code: (authorizeUrl: string) =>
        codes.give(grantOf(Object.fromEntries(new URL(authorizeUrl).searchParams))),
    },
  );
  return oidc;
}
