// Discovery and keys of an OIDC provider over time: what is kept, what is asked for again, and which signatures count.
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import type { Settings } from '#contract/settings.ts';
import { createAsk } from '#server/features/outside-logins/exchange.ts';
import { createOidc } from '#server/features/outside-logins/oidc.ts';
import { createOidcDirectory, type OidcDirectory } from '#server/features/outside-logins/oidc-directory.ts';
import { createLog } from '#server/http/log.ts';
import { failure } from '#tests/support/failure.ts';
import { startOidc, type OidcServer, type SigningAlgorithm } from '#tests/support/login-providers/oidc.ts';

let oidc: OidcServer;
beforeAll(async () => {
  oidc = await startOidc();
});
afterAll(() => oidc.close());

const clock = { now: 0 };
let settings: { current: Settings };
let directory: OidcDirectory;
const ask = createAsk(
  { fetch: (_, url, { timeoutSeconds: _seconds, limitBytes: _bytes, ...init } = {}) => fetch(url, init) },
  createLog({ level: 'error', write: () => {} }),
);

beforeEach(() => {
  oidc.seen.length = 0;
  oidc.document = {};
  clock.now = 1_000_000;
  settings = {
    current: {
      ServerAddress: 'https://gate.example',
      OIDCName: 'Company ID',
      OIDCIssuer: oidc.url,
      OIDCClientId: oidc.clientId,
      OIDCClientSecret: oidc.clientSecret,
      OIDCScopes: 'email',
    } as Settings,
  };
  directory = createOidcDirectory(ask, settings, () => clock.now);
});

const asked = (path: string) => oidc.seen.filter((request) => request.path === path).length;

/** A whole sign-in; the subject it ends with. */
async function signIn(sub: string): Promise<string> {
  oidc.user = { ...oidc.user, sub };
  const client = createOidc(ask, settings, directory);
  const verifier = 'v'.repeat(43);
  const challenge = Buffer.from(
    await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier)),
  ).toString('base64url');
  const flow = { userId: 0, provider: 'oidc', aff: '', nonce: 'n', verifier };
  const url = await client.authorizeUrl({ ...flow, state: 's', challenge });
  return (await client.identity({ code: oidc.code(url) }, flow)).id;
}

test('the document is asked for once an hour, by however many at once; the keys when one is unknown', async () => {
  await oidc.rotate();
  await Promise.all([directory.document(), directory.document(), directory.document()]);
  await signIn('a');
  clock.now += 3599;
  await signIn('b');
  expect([asked('/.well-known/openid-configuration'), asked('/keys')]).toEqual([1, 1]);
  clock.now += 2;
  await signIn('c');
  expect([asked('/.well-known/openid-configuration'), asked('/keys')]).toEqual([2, 2]);
});

test('a new key is picked up, but forged key ids do not make the server ask in a loop', async () => {
  await oidc.rotate();
  await signIn('a');
  await oidc.rotate();
  // Half a minute after the last question the next one is allowed.
  expect((await failure(signIn('b'))).message).toContain('outside_refused');
  expect((await failure(signIn('b'))).message).toContain('outside_refused');
  expect(asked('/keys')).toBe(1);
  clock.now += 30;
  expect(await signIn('b')).toBe(`${oidc.url} b`);
  expect(asked('/keys')).toBe(2);
});

test.each<[SigningAlgorithm]>([['RS256'], ['ES256'], ['EdDSA']])('%s signatures count', async (algorithm) => {
  await oidc.rotate(algorithm);
  expect(await signIn(algorithm)).toBe(`${oidc.url} ${algorithm}`);
});

test('the secret goes into the form where the provider takes it only there', async () => {
  await oidc.rotate();
  await signIn('in-the-header');
  const header = oidc.seen.find((request) => request.path === '/token');
  expect(header?.headers.authorization).toStartWith('Basic ');
  expect(header?.body).not.toContain('client_secret');
  oidc.seen.length = 0;
  oidc.document = { token_endpoint_auth_methods_supported: ['client_secret_post'] };
  clock.now += 3600;
  await signIn('in-the-form');
  const form = oidc.seen.find((request) => request.path === '/token');
  expect(form?.headers.authorization).toBeUndefined();
  expect(new URLSearchParams(form?.body).get('client_secret')).toBe(oidc.clientSecret);
});

test('the address asks for openid, the operator’s scopes, PKCE and the nonce', async () => {
  const flow = {
    userId: 0,
    provider: 'oidc',
    aff: '',
    nonce: 'nonce',
    verifier: 'v',
    state: 's',
    challenge: 'c',
  };
  const url = new URL(await createOidc(ask, settings, directory).authorizeUrl(flow));
  expect(Object.fromEntries(url.searchParams)).toEqual({
    response_type: 'code',
    client_id: oidc.clientId,
    redirect_uri: 'https://gate.example/oauth/oidc',
    scope: 'openid email',
    state: 's',
    nonce: 'nonce',
    code_challenge: 'c',
    code_challenge_method: 'S256',
  });
});

test('only the issuer’s origin and those its document names may be called', async () => {
  expect(directory.origins()).toEqual([oidc.url]);
  oidc.document = {
    token_endpoint: 'http://tokens.example/token',
    jwks_uri: 'http://keys.example:8080/keys',
  };
  await directory.document();
  expect(new Set(directory.origins())).toEqual(
    new Set([oidc.url, 'http://tokens.example', 'http://keys.example:8080']),
  );
  settings.current = { ...settings.current, OIDCIssuer: 'https://other.example/realm' };
  expect(directory.origins()).toEqual(['https://other.example']);
});

test('a document that speaks for another issuer, or sends secrets over plain http, is not believed', async () => {
  oidc.document = { issuer: 'https://evil.example' };
  expect((await failure(directory.document())).message).toContain('outside_refused');
  // The same document under an issuer on https: every endpoint of it is on http.
  settings.current = { ...settings.current, OIDCIssuer: 'https://id.example' };
  const viaLocal = createAsk(
    { fetch: (_, url) => fetch(url.replace('https://id.example', oidc.url)) },
    createLog({ level: 'error', write: () => {} }),
  );
  oidc.document = { issuer: 'https://id.example' };
  const secure = createOidcDirectory(viaLocal, settings, () => clock.now);
  expect((await failure(secure.document())).message).toContain('outside_refused');
});
