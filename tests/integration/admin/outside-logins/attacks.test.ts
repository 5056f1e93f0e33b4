// Attacks on outside logins, against the wired server: foreign states, codes, signatures and tokens.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { faultSeen } from '#tests/support/fault-report.ts';
import { providerSettings } from '#mock/logins/index.ts';
import { signedFields } from '#mock/logins/telegram.ts';
import { startApplication } from '#tests/support/application.ts';
import { Browser, startScene, throughGitHub, throughOidc, type OutsideScene } from './support.ts';

let scene: OutsideScene;
beforeAll(async () => {
  scene = await startScene();
});
afterAll(() => scene.close());

const query = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
let number = 9_000_000;
const freshId = () => (number += 1);

describe('A8 states', () => {
  const INVALID = { success: false, code: 'outside_state_invalid', data: null };
  /** A valid code for the state's address, and the call that would use both. */
  async function prepared(browser: Browser) {
    scene.github.user = { ...scene.github.user, id: freshId() };
    const { state, authorizeUrl } = await browser.begin('github');
    const challenge = new URL(authorizeUrl).searchParams.get('code_challenge') ?? '';
    return { state, code: scene.github.code(challenge) };
  }
  const finish = (browser: Browser, code: string, state: string, provider = 'github') =>
    browser.get(`/api/oauth/${provider}?${query({ code, state })}`);

  test('missing, invented and used states are refused with 403, and the code is not sent to the provider (plan A8)', async () => {
    const browser = new Browser(scene.app);
    const { state, code } = await prepared(browser);
    const asked = scene.github.seen.length;
    for (const wrong of ['', 'made-up', `${state}x`]) {
      const reply = await finish(browser, code, wrong);
      expect([reply.status, reply.body]).toMatchObject([403, INVALID]);
    }
    expect(scene.github.seen.length).toBe(asked);
    expect((await finish(browser, code, state)).body.success).toBe(true);
    const again = await finish(browser, scene.github.code(), state);
    expect([again.status, again.body]).toMatchObject([403, INVALID]);
    faultSeen('A8', 'states missing, invented and used twice: 403, the code is not sent on');
  });

  test('of two concurrent calls with one state one succeeds (plan A8)', async () => {
    const browser = new Browser(scene.app);
    const { state, code } = await prepared(browser);
    const { cookie } = browser;
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => {
        const tab = new Browser(scene.app);
        tab.cookie = cookie;
        return finish(tab, code, state);
      }),
    );
    expect(replies.filter(({ status }) => status === 403)).toHaveLength(4);
    faultSeen('A8', '5 calls at once with one state: 4 refused');
  });

  test('a state of another browser does not sign in: neither without a session nor with the attacker’s own (plan A8)', async () => {
    const attacker = new Browser(scene.app);
    const { state, code } = await prepared(attacker);
    const victim = new Browser(scene.app);
    expect((await finish(victim, code, state)).body).toMatchObject(INVALID);
    await victim.begin('github');
    expect((await finish(victim, code, state)).body).toMatchObject(INVALID);
    expect((await finish(attacker, code, state)).body.success).toBe(true);
    faultSeen('A8', 'a state of another browser: refused');
  });

  test('a state for signing in cannot bind, one for binding cannot sign in or bind another user (plan A8)', async () => {
    const actor = await scene.app.actor();
    const visitor = new Browser(scene.app);
    const signIn = await prepared(visitor);
    // The visitor signs in meanwhile; a foreign code would be bound to the account.
    const bound = new Browser(scene.app, actor);
    expect((await finish(bound, signIn.code, signIn.state)).body).toMatchObject(INVALID);
    const binding = await prepared(bound);
    const other = new Browser(scene.app, await scene.app.actor());
    expect((await finish(other, binding.code, binding.state)).body).toMatchObject(INVALID);
    // The same session without its user-id header counts as a visitor.
    const headless = new Browser(scene.app);
    headless.cookie = actor.cookie;
    expect((await finish(headless, binding.code, binding.state)).body).toMatchObject(INVALID);
    const row = await scene.app.store.db
      .selectFrom('users')
      .select('github_id')
      .where('id', '=', actor.id)
      .executeTakeFirstOrThrow();
    expect(row.github_id).toBe('');
    faultSeen('A8', 'sign-in and binding exchanged: refused');
  });

  test('a state of one provider is invalid at another (mix-up) (plan A8)', async () => {
    const browser = new Browser(scene.app);
    const { state, code } = await prepared(browser);
    expect((await finish(browser, code, state, 'linuxdo')).body).toMatchObject(INVALID);
    const unnamed = await browser.begin();
    expect((await finish(browser, code, unnamed.state, 'oidc')).body).toMatchObject(INVALID);
    faultSeen('A8', 'providers exchanged: refused');
  });

  test('a state of a client that names no provider works for the API family’s two providers', async () => {
    scene.github.user = { ...scene.github.user, id: freshId() };
    const browser = new Browser(scene.app);
    const { state, authorizeUrl } = await browser.begin();
    expect(authorizeUrl).toBe('');
    expect((await finish(browser, scene.github.code(), state)).body.success).toBe(true);
  });

  test('a state expires after ten minutes (plan A8)', async () => {
    const browser = new Browser(scene.app);
    const { state, code } = await prepared(browser);
    const row = await scene.app.store.db
      .selectFrom('sessions')
      .select(['id_digest', 'flow'])
      .where('flow', 'like', `%${state}%`)
      .executeTakeFirstOrThrow();
    const kept = JSON.parse(row.flow) as Record<string, { until: number }>;
    const entry = Object.values(kept)[0] ?? { until: 0 };
    const left = entry.until - Date.now() / 1000;
    expect(left).toBeGreaterThan(590);
    expect(left).toBeLessThanOrEqual(600);
    entry.until = Math.floor(Date.now() / 1000) - 1;
    await scene.app.store.db
      .updateTable('sessions')
      .set({ flow: JSON.stringify(kept) })
      .where('id_digest', '=', row.id_digest)
      .execute();
    expect((await finish(browser, code, state)).body).toMatchObject(INVALID);
    faultSeen('A8', 'a state of more than ten minutes: refused');
  });

  test('a code that was begun in another sign-in does not fit the PKCE verifier (plan A8)', async () => {
    const browser = new Browser(scene.app);
    const { state } = await prepared(browser);
    const stolen = scene.github.code('challenge-of-another-sign-in');
    expect((await finish(browser, stolen, state)).body).toMatchObject({ code: 'outside_refused' });
    faultSeen('A8', 'a code of another sign-in: refused');
  });

  test('A7 pages of other sites can neither begin nor finish, with a session or without', async () => {
    const paths = [
      '/api/oauth/state',
      '/api/oauth/github?code=a&state=b',
      '/api/oauth/wechat?code=1',
      `/api/oauth/telegram/login?${query(signedFields({ id: 1, first_name: 'x' }))}`,
    ];
    for (const path of paths) {
      const reply = await new Browser(scene.app).get(path, { 'Sec-Fetch-Site': 'cross-site' });
      expect([path, reply.status, reply.body.code]).toEqual([path, 403, 'cross_site']);
    }
  });

  test('A13 binding needs a step-up, and a system access token can do neither', async () => {
    const actor = await scene.app.actor();
    await scene.app.store.db
      .updateTable('sessions')
      .set({ verified_at: Math.floor(Date.now() / 1000) - 301 })
      .where('user_id', '=', actor.id)
      .execute();
    await scene.app.store.changes.announce('sessions');
    const browser = new Browser(scene.app, actor);
    for (const path of ['/api/oauth/state?provider=github', '/api/oauth/wechat/bind?code=1'])
      expect((await browser.get(path)).body.code).toBe('step_up_required');
    const digest = scene.app.store.vault.digest('access_token', 'access-token-of-an-attack');
    const holder = await scene.app.createUser({ row: { access_token_digest: digest } });
    const headers = { Authorization: 'access-token-of-an-attack', 'New-Api-User': String(holder.id) };
    for (const path of [
      '/api/oauth/state',
      '/api/oauth/github?code=a&state=b',
      '/api/oauth/wechat/bind?code=1',
    ])
      expect((await scene.app.request(path, { headers })).body.code).toBe('session_only');
  });
});

describe('A9 Telegram', () => {
  const login = (text: string) => new Browser(scene.app).get(`/api/oauth/telegram/login?${text}`);
  const owner = async () => {
    const id = freshId();
    await scene.app.createUser({ row: { telegram_id: String(id) } });
    return { id, first_name: 'Paper' };
  };

  test('forged, altered, foreign, expired and future fields are refused (plan A9)', async () => {
    const user = await owner();
    const good = signedFields(user);
    const now = Math.floor(Date.now() / 1000);
    const wrong: Record<string, string>[] = [
      { ...good, hash: '0'.repeat(64) },
      { ...good, hash: '' },
      { ...good, id: String(user.id - 1) },
      { ...good, first_name: 'Somebody else' },
      signedFields(user, { token: '' }),
      signedFields(user, { token: '7000000002:of-another-bot' }),
      signedFields(user, { authDate: now - 301 }),
      signedFields(user, { authDate: now + 120 }),
    ];
    for (const fields of wrong)
      expect((await login(query(fields))).body).toMatchObject({ success: false, code: 'outside_refused' });
    expect((await login(query(good))).body.success).toBe(true);
    faultSeen('A9', `${wrong.length} forged, altered, foreign, old and future sign-ins: refused`);
  });

  test('the same fields sign in once (plan A9)', async () => {
    const good = query(signedFields(await owner()));
    const replies = await Promise.all([login(good), login(good), login(good)]);
    expect(replies.filter(({ body }) => body.success)).toHaveLength(1);
    expect((await login(good)).body.code).toBe('outside_refused');
    faultSeen('A9', 'one sign-in sent 4 times: accepted once');
  });

  test('of a repeated field the first counts, for the signature and for the sign-in (plan A9)', async () => {
    const attacker = await owner();
    const victim = await owner();
    const good = query(signedFields(attacker));
    const planted = await login(`id=${victim.id}&${good}`);
    expect(planted.body.code).toBe('outside_refused');
    const behind = await login(`${good}&id=${victim.id}`);
    expect(behind.body.success).toBe(true);
    expect(behind.body.data).not.toMatchObject({ id: victim.id });
    faultSeen('A9', 'a doubled id: the signed one counts');
  });

  test('binding needs a state of this session, once', async () => {
    const browser = new Browser(scene.app, await scene.app.actor());
    const fields = signedFields({ id: freshId(), first_name: 'x' });
    const bind = (state: string) => browser.post('/api/oauth/telegram/bind', { ...fields, state });
    expect((await bind('')).body.code).toBe('outside_state_invalid');
    const github = await browser.begin('github');
    expect((await bind(github.state)).body.code).toBe('outside_state_invalid');
    const { state } = await browser.begin('telegram');
    expect((await bind(state)).body.success).toBe(true);
    expect((await bind(state)).body.code).toBe('outside_state_invalid');
  });
});

test('A10 guesses at codes of the WeChat account are delayed after five tries (plan A10)', async () => {
  const codes: (string | undefined)[] = [];
  for (let guess = 0; guess < 7; guess += 1)
    codes.push((await new Browser(scene.app).get(`/api/oauth/wechat?code=guess${guess}`)).body.code);
  expect(codes.slice(0, 5)).toEqual(Array.from({ length: 5 }, () => 'wechat_code_wrong'));
  expect(codes.slice(5)).toContain('too_many_attempts');
  faultSeen('A10', '7 guesses at WeChat codes: 5 compared');
});

describe('A8 id tokens', () => {
  const now = () => Math.floor(Date.now() / 1000);
  const REFUSED = { success: false, code: 'outside_refused' };

  /** Refused when altered, accepted unaltered: so the alteration is the only reason for the refusal. */
  async function expectRefused(): Promise<void> {
    expect((await throughOidc(scene, new Browser(scene.app))).body).toMatchObject(REFUSED);
    Object.assign(scene.oidc, {
      claims: {},
      header: {},
      userinfo: {},
      document: {},
      signedUserinfo: undefined,
    });
    scene.oidc.signWithOwn();
    expect((await throughOidc(scene, new Browser(scene.app))).body.success).toBe(true);
  }

  test.each<[string, () => Record<string, unknown>]>([
    ['of another issuer', () => ({ iss: 'https://evil.example' })],
    ['for another client', () => ({ aud: 'somebody-else' })],
    ['for several clients without saying which', () => ({ aud: [scene.oidc.clientId, 'other'] })],
    [
      'for several clients, another of which asked',
      () => ({ aud: [scene.oidc.clientId, 'other'], azp: 'other' }),
    ],
    ['of another sign-in', () => ({ nonce: 'of-another-sign-in' })],
    ['without a nonce', () => ({ nonce: undefined })],
    ['that is over', () => ({ exp: now() - 120 })],
    ['without an end', () => ({ exp: undefined })],
    ['not valid yet', () => ({ nbf: now() + 600 })],
    ['for this client by name but meant for another', () => ({ azp: 'other' })],
    ['from the future', () => ({ iat: now() + 600 })],
    ['without a subject', () => ({ sub: '' })],
  ])('%s are refused', async (_, claims) => {
    scene.oidc.claims = claims();
    await expectRefused();
  });

  test.each([
    ['no algorithm', { alg: 'none' }],
    ['a shared secret', { alg: 'HS256' }],
    ['an unknown critical extension', { crit: ['b64'], b64: false }],
    ['a key the provider does not have', { kid: 'unknown' }],
  ])('with %s are refused', async (_, header) => {
    scene.oidc.header = header;
    await expectRefused();
  });

  /** A provider whose document names every algorithm, so that only the check of the signature can refuse. */
  const anyAlgorithm = async () => {
    await scene.close();
    scene = await startScene();
    scene.oidc.document = {
      id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
      userinfo_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
    };
  };

  test('HMAC under the public key (algorithm confusion) and no signature are refused with any document', async () => {
    await anyAlgorithm();
    for (const forge of [scene.oidc.signWithPublicKeyAsSecret, scene.oidc.signWithNothing]) {
      forge();
      await expectRefused();
    }
  });

  test('an id token that the provider issued to another client, with its own key, is refused', async () => {
    const { claims } = scene.oidc;
    scene.oidc.claims = { ...claims, aud: ['other-client'], azp: 'other-client' };
    await expectRefused();
  });

  test('a signed profile is accepted; forged, of another client or of another person it is refused', async () => {
    await anyAlgorithm();
    scene.oidc.signedUserinfo = {};
    expect((await throughOidc(scene, new Browser(scene.app))).body.success).toBe(true);
    for (const claims of [{ aud: 'other' }, { iss: 'https://evil.example' }, { sub: 'somebody-else' }]) {
      scene.oidc.signedUserinfo = claims;
      expect((await throughOidc(scene, new Browser(scene.app))).body).toMatchObject(REFUSED);
    }
    scene.oidc.signedUserinfo = {};
    scene.oidc.header = { alg: 'HS256' };
    await expectRefused();
  });

  test('signed with an unknown key under the right key id are refused', async () => {
    await scene.oidc.signWithStranger();
    await expectRefused();
  });

  test('a profile of another person is refused', async () => {
    scene.oidc.userinfo = { sub: 'somebody-else' };
    await expectRefused();
  });

  test('an answer with another issuer’s iss is refused', async () => {
    const browser = new Browser(scene.app);
    const { state, authorizeUrl } = await browser.begin('oidc');
    const fields = { code: scene.oidc.code(authorizeUrl), state, iss: 'https://evil.example' };
    expect((await browser.get(`/api/oauth/oidc?${query(fields)}`)).body).toMatchObject(REFUSED);
    const again = await browser.begin('oidc');
    const own = { code: scene.oidc.code(again.authorizeUrl), state: again.state, iss: scene.oidc.url };
    expect((await browser.get(`/api/oauth/oidc?${query(own)}`)).body.success).toBe(true);
  });
});

test('a document that names another issuer is refused', async () => {
  const fresh = await startScene();
  try {
    fresh.oidc.document = { issuer: 'https://evil.example' };
    const reply = await new Browser(fresh.app).get('/api/oauth/state?provider=oidc');
    expect(reply.body).toMatchObject({ success: false, code: 'outside_refused' });
  } finally {
    await fresh.close();
  }
});

test('a provider that redirects does not receive code or secret a second time', async () => {
  const elsewhere: string[] = [];
  const trap = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      elsewhere.push(request.url);
      return Response.json({ access_token: 'x' });
    },
  });
  const browser = new Browser(scene.app);
  const { state } = await browser.begin('github');
  scene.github.fault = () => Response.redirect(trap.url.href, 307);
  const reply = await browser.get(`/api/oauth/github?code=x&state=${state}`);
  scene.github.fault = null;
  await trap.stop(true);
  expect(reply.body.code).toBe('outside_refused');
  expect(elsewhere).toEqual([]);
});

test('without the operator’s permission a provider in a private network is not called', async () => {
  const closed = await startApplication({
    environment: { ALLOWED_PRIVATE_ADDRESSES: '' },
    settings: providerSettings(scene),
  });
  try {
    const asked = scene.oidc.seen.length;
    const reply = await new Browser(closed).get('/api/oauth/state?provider=oidc');
    expect(reply.body.code).toBe('outside_unreachable');
    expect(scene.oidc.seen.length).toBe(asked);
  } finally {
    await closed.close();
  }
});

test('no secret, code or state of these tests is in the log', async () => {
  scene.github.user = { ...scene.github.user, id: freshId() };
  const browser = new Browser(scene.app);
  const { state } = await browser.begin('github');
  await browser.get(`/api/oauth/github?code=code-that-must-not-be-logged&state=${state}`);
  await throughGitHub(scene, new Browser(scene.app));
  const log = scene.app.logged.join('\n');
  expect(log).toContain('/api/oauth/github');
  const secrets = [
    'code-that-must-not-be-logged',
    state,
    scene.github.clientSecret,
    scene.linuxdo.clientSecret,
    scene.oidc.clientSecret,
    scene.wechat.token,
    'telegram-bot-token',
  ];
  for (const secret of secrets) expect(log).not.toContain(secret);
});
