// Discovery and keys of an OIDC provider over time: caching, refetching, and which signatures are valid.
import { afterAll, beforeAll, beforeEach, expect, setSystemTime, test } from 'bun:test';
import type { Settings } from '#contract/settings.ts';
import { createExchange } from '#server/admin/outside-logins/exchange.ts';
import { createOidc, type Oidc } from '#server/admin/outside-logins/oidc.ts';
import { createLog } from '#server/platform/log.ts';
import { failure } from '#tests/support/failure.ts';
import { startOidc, type OidcServer, type SigningAlgorithm } from '#mock/logins/oidc.ts';

let oidc: OidcServer;
beforeAll(async () => {
  oidc = await startOidc();
});
afterAll(async () => {
  setSystemTime();
  await oidc.close();
});

const START = Date.UTC(2030, 0, 1);
const at = (seconds: number) => setSystemTime(START + seconds * 1000);
const logged: string[] = [];
const log = createLog({ level: 'info', write: (line) => logged.push(line) });
let settings: { current: Settings };
let client: Oidc;
/** `rewrite` changes the address that is really called. */
const newClient = (rewrite = (url: string) => url) =>
  createOidc(
    createExchange(
      {
        fetch: (_, url, { timeoutSeconds: _seconds, limitBytes: _bytes, ...init } = {}) =>
          fetch(rewrite(url), { ...init, redirect: 'manual' }),
      },
      log,
    ).send,
    settings,
    log,
  );

beforeEach(() => {
  at(0);
  oidc.seen.length = 0;
  oidc.document = {};
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
  client = newClient();
});

const asked = (path: string) => oidc.seen.filter((request) => request.path === path).length;
const verifier = 'v'.repeat(43);
const challenge = new Bun.CryptoHasher('sha256').update(verifier).digest('base64url');
const flow = { userId: 0, provider: 'oidc', aff: '', nonce: 'n', verifier };
const begin = () => client.authorizeUrl({ ...flow, state: 's', challenge });

/** A whole sign-in; returns its subject. */
async function signIn(sub: string): Promise<string> {
  oidc.user = { ...oidc.user, sub };
  return (await client.identity({ code: oidc.code(await begin()) }, flow)).id;
}

test('concurrent sign-ins fetch the document once an hour together, the keys every five minutes', async () => {
  await oidc.rotate();
  await Promise.all([begin(), begin(), begin()]);
  await signIn('a');
  at(299);
  await signIn('b');
  expect([asked('/.well-known/openid-configuration'), asked('/keys')]).toEqual([1, 1]);
  at(301);
  await signIn('c');
  expect([asked('/.well-known/openid-configuration'), asked('/keys')]).toEqual([1, 2]);
  at(3601);
  await signIn('d');
  expect([asked('/.well-known/openid-configuration'), asked('/keys')]).toEqual([2, 3]);
});

test('a new key is accepted after a minute; forged key ids do not make the server fetch keys in a loop', async () => {
  await oidc.rotate();
  await signIn('a');
  await oidc.rotate();
  for (let tries = 0; tries < 3; tries += 1)
    expect((await failure(signIn('b'))).message).toContain('outside_refused');
  expect(asked('/keys')).toBe(1);
  at(61);
  expect(await signIn('b')).toBe(`${oidc.url} b`);
  expect(asked('/keys')).toBe(2);
});

test.each<[SigningAlgorithm]>([['RS256'], ['ES256'], ['EdDSA']])('%s signatures count', async (algorithm) => {
  await oidc.rotate(algorithm);
  expect(await signIn(algorithm)).toBe(`${oidc.url} ${algorithm}`);
});

test('the client secret is sent in the form when the provider accepts it only there', async () => {
  await oidc.rotate();
  await signIn('in-the-header');
  const header = oidc.seen.find((request) => request.path === '/token');
  expect(header?.headers.authorization).toStartWith('Basic ');
  expect(header?.body).not.toContain('client_secret');
  oidc.seen.length = 0;
  oidc.document = { token_endpoint_auth_methods_supported: ['client_secret_post'] };
  at(3600);
  await signIn('in-the-form');
  const form = oidc.seen.find((request) => request.path === '/token');
  expect(form?.headers.authorization).toBeUndefined();
  expect(new URLSearchParams(form?.body).get('client_secret')).toBe(oidc.clientSecret);
});

test('the authorization address has openid, the operator’s scopes, PKCE and the nonce', async () => {
  const url = new URL(await client.authorizeUrl({ ...flow, nonce: 'nonce', state: 's', challenge: 'c' }));
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
  expect(client.origins()).toEqual([oidc.url]);
  oidc.document = {
    token_endpoint: 'http://tokens.example/token',
    jwks_uri: 'http://keys.example:8080/keys',
  };
  await begin();
  expect(new Set(client.origins())).toEqual(
    new Set([oidc.url, 'http://tokens.example', 'http://keys.example:8080']),
  );
  settings.current = { ...settings.current, OIDCIssuer: 'https://other.example/realm' };
  expect(client.origins()).toEqual(['https://other.example']);
});

test('a document of another issuer is refused, as is an http address in the document of an https issuer', async () => {
  oidc.document = { issuer: 'https://evil.example' };
  expect((await failure(begin())).message).toContain('outside_refused');
  settings.current = { ...settings.current, OIDCIssuer: 'https://id.example' };
  client = newClient((url) => url.replace('https://id.example', oidc.url));
  const secure = Object.fromEntries(
    ['authorization', 'token', 'userinfo'].map((name) => [`${name}_endpoint`, `https://id.example/${name}`]),
  );
  const good = { issuer: 'https://id.example', jwks_uri: 'https://id.example/keys', ...secure };
  for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri', 'userinfo_endpoint']) {
    oidc.document = { ...good, [name]: `${oidc.url}/x` };
    expect([name, (await failure(begin())).message]).toEqual([
      name,
      expect.stringContaining('outside_refused'),
    ]);
  }
  oidc.document = good;
  expect(await begin()).toStartWith('https://id.example/authorization?');
});

test('an issuer with a trailing slash matches the setting without it', async () => {
  settings.current = { ...settings.current, OIDCIssuer: `${oidc.url}/realm` };
  client = newClient((url) => url.replace('/realm/', '/'));
  oidc.document = { issuer: `${oidc.url}/realm/` };
  oidc.claims = { iss: `${oidc.url}/realm/` };
  await oidc.rotate();
  expect(await signIn('slash')).toBe(`${oidc.url}/realm/ slash`);
  oidc.claims = {};
});

test('a code of another sign-in is refused by its verifier, a code is valid once, and no token is logged', async () => {
  await oidc.rotate();
  const code = oidc.code(await begin());
  const other = { ...flow, verifier: 'w'.repeat(43) };
  expect((await failure(client.identity({ code }, other))).message).toContain('outside_refused');
  const used = oidc.code(await begin());
  await client.identity({ code: used }, flow);
  expect((await failure(client.identity({ code: used }, flow))).message).toContain('outside_refused');
  oidc.claims = { aud: 'somebody-else' };
  expect((await failure(signIn('a'))).message).toContain('outside_refused');
  oidc.claims = {};
  const lines = logged.join('\n');
  expect(lines).toContain('login provider refused');
  for (const secret of [code, used, verifier, oidc.clientSecret, 'eyJ']) expect(lines).not.toContain(secret);
});

test('a provider that announces the iss parameter must send it (mix-up)', async () => {
  await oidc.rotate();
  oidc.document = { authorization_response_iss_parameter_supported: true };
  const url = await begin();
  expect((await failure(client.identity({ code: oidc.code(url) }, flow))).message).toContain(
    'outside_refused',
  );
  const answer = { code: oidc.code(url), iss: oidc.url };
  expect((await client.identity(answer, flow)).id).toContain(oidc.user.sub);
});
