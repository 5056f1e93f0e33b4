// Attacks on accounts, on a wired server: guessing, enumerating users, keeping access after a ban, extra fields, and
// reading secrets. The ids are those of the attack list.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { api } from '#contract/api.ts';
import { fillPath, type AnyEndpoint } from '#contract/endpoint.ts';
import { SETTINGS } from '#contract/settings.ts';
import { stepAt, totpCode } from '#server/admin/security/totp.ts';
import {
  ROOT_PASSWORD,
  startApplication,
  USER_PASSWORD,
  type Actor,
  type TestApplication,
} from '#tests/support/application.ts';
import { temporaryPlace, type TemporaryPlace } from '#tests/support/databases.ts';
import { faultSeen } from '#tests/support/fault-report.ts';
import { startHumanCheckServer } from '#tests/support/human-check-server.ts';
import { codeIn, linkIn, startMailServer, type MailServer } from '#tests/support/mail-server.ts';

const nowSeconds = () => Math.floor(Date.now() / 1000);
let count = 0;
const newEmail = () => `attack${Date.now().toString(36)}${(count += 1)}@example.com`;

describe('one server behind a proxy', () => {
  let app: TestApplication;
  let mails: MailServer;
  beforeAll(async () => {
    mails = await startMailServer();
    app = await startApplication({
      environment: { TRUSTED_PROXIES: '127.0.0.1' },
      settings: { ...mails.settings, ServerAddress: 'https://gate.example' },
    });
  });
  afterAll(async () => {
    await app.close();
    await mails.close();
  });

  const from = (address: string) => ({ 'X-Forwarded-For': address });
  const logIn = (username: string, password: string, address = '198.51.100.1') =>
    app.request('/api/user/login', { body: { username, password }, headers: from(address) });

  test('A1 a thousand guesses at one account: few are compared, and the owner is not locked out (plan A1)', async () => {
    const owner = await app.createUser();
    expect((await logIn(owner.username, USER_PASSWORD, '192.0.2.77')).body.success).toBe(true);
    let compared = 0;
    for (let round = 0; round < 20; round += 1) {
      const replies = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          logIn(owner.username, `guess-${round}-${index}`, `203.0.113.${index}`),
        ),
      );
      for (const reply of replies) {
        expect(['wrong_credentials', 'too_many_attempts', 'server_busy']).toContain(reply.body.code ?? '');
        if (reply.body.code !== 'too_many_attempts') compared += 1;
      }
    }
    expect(compared).toBeLessThan(100);
    expect((await logIn(owner.username, USER_PASSWORD, '192.0.2.77')).body.success).toBe(true);
    faultSeen(
      'A1',
      `1,000 guesses at one account from 50 addresses: ${compared} compared, the owner signs in`,
    );
  });

  test('A4 a planted session cookie is invalid after a login, both after the first step and after the second (plan A4)', async () => {
    const actor = await app.actor();
    const client = app.client(actor);
    const { secret } = await client.security.twoFactorSetup();
    await client.security.twoFactorEnable({ body: { code: await totpCode(secret, stepAt(nowSeconds())) } });
    await app.store.db
      .updateTable('totp_secrets')
      .set({ last_step: 0 })
      .where('user_id', '=', actor.id)
      .execute();
    // The attacker's own half-finished sign-in, planted in the victim's browser.
    const begun = await app.request('/api/user/passkey/login/begin', { body: {} });
    const planted = begun.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    expect(planted).toStartWith('sid=');
    const headers = { Cookie: planted };
    const first = await app.request('/api/user/login', {
      body: { username: actor.username, password: USER_PASSWORD },
      headers,
    });
    expect(first.body.data).toEqual({ require_2fa: true });
    const second = await app.request('/api/user/login/2fa', {
      body: { code: await totpCode(secret, stepAt(nowSeconds())) },
      headers,
    });
    expect(second.body.success).toBe(true);
    const cookie = second.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    expect(cookie).not.toBe(planted);
    expect((await app.request('/api/user/self', { as: { ...actor, cookie: planted } })).status).toBe(401);
    expect((await app.request('/api/user/self', { as: { ...actor, cookie } })).status).toBe(200);
    faultSeen('A4', 'a planted cookie through both steps of a login: new session, the planted one refused');
  });

  test('A15 with the human check on, every public call that writes needs a fresh token (plan A15)', async () => {
    const provider = startHumanCheckServer('turnstile-secret-canary');
    const settings = {
      TurnstileSiteKey: 'site',
      TurnstileSecretKey: 'turnstile-secret-canary',
      TurnstileServerAddress: provider.url,
      TurnstileCheckEnabled: 'true',
    };
    for (const [key, text] of Object.entries(settings)) await app.settings.set(key, text, 1);
    try {
      const calls = (token: string) => [
        () => logIn('root', `${ROOT_PASSWORD}${token}`),
        () => app.request(`/api/verification?email=${newEmail()}&turnstile=${token}`),
        () => app.request(`/api/reset_password?email=${newEmail()}&turnstile=${token}`),
        () =>
          app.request(`/api/user/register?turnstile=${token}`, {
            body: { username: `a15${(count += 1)}`, password: 'a-fine-password' },
          }),
      ];
      for (const call of calls('')) expect((await call()).body.code).toBe('human_check_failed');
      for (const call of calls('invented')) expect((await call()).body.code).toBe('human_check_failed');
      const token = provider.solve();
      const ask = () =>
        app.request(`/api/verification?email=${newEmail()}&turnstile=${token}`, {
          headers: from('203.0.113.200'),
        });
      expect((await ask()).body.success).toBe(true);
      expect(provider.asked.at(-1)?.['remoteip']).toBe('203.0.113.200');
      expect((await ask()).body.code).toBe('human_check_failed');
      faultSeen('A15', 'no token and an invented one on 4 calls, and a used one: refused');
    } finally {
      await app.settings.set('TurnstileCheckEnabled', 'false', 1);
      provider.close();
    }
  });

  test('S3 fields a user may not set change nothing, on every endpoint (plan S3)', async () => {
    const user = await app.actor({ row: { display_name: 'Anna' } });
    const before = await app.store.db
      .selectFrom('users')
      .selectAll()
      .where('id', '=', user.id)
      .executeTakeFirstOrThrow();
    const smuggled = {
      role: 100,
      quota: 1_000_000_000,
      aff_quota: 1_000_000_000,
      group: 'vip',
      id: 1,
      user_id: 1,
      status: 1,
      auth_version: 99,
      email: 'root@example.com',
      inviter_id: 1,
      password_hash: 'x',
      display_name: before.display_name,
    };
    const endpoints = Object.values(api).flatMap((group) =>
      Object.values(group as Record<string, AnyEndpoint>),
    );
    const written = endpoints.filter(
      ({ method, path, access }) =>
        method !== 'GET' &&
        access !== 'admin' &&
        access !== 'root' &&
        !(method === 'DELETE' && path === '/api/user/self'),
    );
    expect(written.length).toBeGreaterThan(20);
    for (const { method, path } of written) {
      const url = fillPath(path, { id: user.id });
      const reply = await app.request(url, { method, as: user, body: smuggled });
      expect(reply.status).not.toBe(500);
    }
    const after = await app.store.db
      .selectFrom('users')
      .selectAll()
      .where('id', '=', user.id)
      .executeTakeFirstOrThrow();
    expect(after).toEqual(before);
    faultSeen(
      'S3',
      `${Object.keys(smuggled).length} forbidden fields on ${written.length} endpoints: nothing changed`,
    );
    const created = await app.request('/api/user/register', {
      body: { ...smuggled, username: 'smuggler', password: 'a-fine-password' },
    });
    expect(created.body.success).toBe(true);
    const row = await app.store.db
      .selectFrom('users')
      .select(['role', 'quota', 'aff_quota', 'group', 'status', 'email', 'inviter_id'])
      .where('username', '=', 'smuggler')
      .executeTakeFirstOrThrow();
    expect(row).toEqual({
      role: ROLE.user,
      quota: 0,
      aff_quota: 0,
      group: 'default',
      status: 1,
      email: '',
      inviter_id: 0,
    });
  });

  test('S11 markup in the system name is text in mails', async () => {
    await app.settings.set('SystemName', '<img src=x onerror=alert(1)>', 1);
    const email = newEmail();
    await app.request(`/api/verification?email=${email}`);
    const mail = await mails.mailTo(email);
    await app.settings.set('SystemName', 'Tollgate', 1);
    expect(mail.html).toContain('&lt;img src=x');
    expect(mail.html).not.toContain('<img');
    // A name cannot add headers either.
    expect([...mail.headers.keys()].toSorted()).not.toContain('bcc');
  });

  test('S17 no code, link, password, token or secret of an account is in the log or the audit trail (plan S17)', async () => {
    const email = newEmail();
    const user = await app.actor({ row: { email } });
    const client = app.client(user);
    const secrets: string[] = [USER_PASSWORD, user.cookie.slice('sid='.length)];
    secrets.push(await client.self.accessToken());
    const { secret } = await client.security.twoFactorSetup();
    const code = await totpCode(secret, stepAt(nowSeconds()));
    const { recovery_codes } = await client.security.twoFactorEnable({ body: { code } });
    secrets.push(secret, ...recovery_codes);
    const other = newEmail();
    await app.request(`/api/verification?email=${other}`, { as: user });
    const emailCode = codeIn(await mails.mailTo(other));
    await app.request(`/api/oauth/email/bind?email=${other}&code=${emailCode}`, { as: user });
    await app.request(`/api/reset_password?email=${other}`);
    const token = linkIn(await mails.mailTo(other, { count: 2 })).searchParams.get('token') ?? '';
    const reset = await app.request('/api/user/reset', { body: { email: other, token } });
    expect(reset.body.success).toBe(true);
    secrets.push(token, reset.body.data as string);
    const audit = JSON.stringify(await app.store.db.selectFrom('audit').selectAll().execute());
    const log = app.logged.join('\n');
    for (const value of secrets) {
      expect(value.length).toBeGreaterThan(7);
      expect(log).not.toContain(value);
      expect(audit).not.toContain(value);
    }
    // Six digits could be part of any time stamp; the code as a separate word could not.
    expect(new RegExp(`\\b${emailCode}\\b`).test(log)).toBe(false);
    expect(new RegExp(`code\\W+${emailCode}`).test(audit)).toBe(false);
    faultSeen(
      'S17',
      `${secrets.length} passwords, tokens, links and codes of an account: 0 in log and audit trail`,
    );
  });
});

test('S24 sign-ups, code requests and guesses from one address are limited (plan S24)', async () => {
  const app = await startApplication({ limits: 'of the settings' });
  try {
    const codes: (string | undefined)[] = [];
    for (let round = 0; round <= SETTINGS.SensitiveCallsPerTwentyMinutes.fallback; round += 1) {
      const reply = await app.request('/api/user/register', {
        body: { username: `farm${round}`, password: 'x' },
      });
      codes.push(reply.body.code);
    }
    expect(codes.slice(0, -1)).not.toContain('too_many_requests');
    expect(codes.at(-1)).toBe('too_many_requests');
    const others = ['/api/verification?email=a@example.com', '/api/reset_password?email=a@example.com'];
    for (const path of others) {
      const reply = await app.request(path);
      expect([reply.status, reply.body.message]).toEqual([429, 'Too many requests, please try later']);
    }
    // More of them are refused as well, and make no account.
    for (let round = 0; round < 100; round += 1)
      expect(
        (
          await app.request('/api/user/register', {
            body: { username: `farmed${round}`, password: 'a-fine-password' },
          })
        ).status,
      ).toBe(429);
    const farmed = await app.store.db
      .selectFrom('users')
      .select('id')
      .where('username', 'like', 'farm%')
      .execute();
    expect(farmed).toEqual([]);
    faultSeen(
      'S24',
      `${codes.length + 100} sign-ups from one address: ${codes.length - 1} looked at, the rest 429`,
    );
  } finally {
    await app.close();
  }
});

describe('A5 two nodes: a session ended on one is refused on the other within five seconds', () => {
  let place: TemporaryPlace;
  let here: TestApplication;
  let there: TestApplication;

  beforeAll(async () => {
    place = await temporaryPlace('postgres');
    const { dataDir, databaseUrl } = place;
    const shared = { dataDir, ...(databaseUrl === undefined ? {} : { databaseUrl }) };
    here = await startApplication({ place: shared });
    there = await startApplication({ place: shared });
  });
  afterAll(async () => {
    await here.close();
    await there.close();
    await place.remove();
  });

  const statusThere = async (as: Actor) => (await there.request('/api/user/self', { as })).status;

  async function untilOut(look: () => Promise<number>): Promise<number> {
    const startedAt = performance.now();
    while ((await look()) === 200 && performance.now() - startedAt < 6000) await Bun.sleep(20);
    return performance.now() - startedAt;
  }

  const ways: readonly [string, (user: Actor, root: Actor) => Promise<unknown>][] = [
    ['logout', (user) => here.request('/api/user/logout', { as: user })],
    [
      'ending the session from another browser',
      async (user) => {
        const other = await here.login(user.username);
        return await here.client(other).security.endOtherSessions();
      },
    ],
    [
      'a ban',
      (user, root) =>
        here.request('/api/user/manage', { as: root, body: { id: user.id, action: 'disable' } }),
    ],
    [
      'a promotion',
      (user, root) =>
        here.request('/api/user/manage', { as: root, body: { id: user.id, action: 'promote' } }),
    ],
    [
      'a deletion',
      (user, root) => here.request('/api/user/manage', { as: root, body: { id: user.id, action: 'delete' } }),
    ],
    ['leaving', (user) => here.request('/api/user/self', { method: 'DELETE', as: user })],
    [
      'a new password',
      (user) =>
        here.request('/api/user/self', {
          method: 'PUT',
          as: user,
          body: { original_password: USER_PASSWORD, password: 'another-fine-password' },
        }),
    ],
  ];

  test.each(ways)('%s (plan A5)', async (_, putOut) => {
    const root = await here.login('root', ROOT_PASSWORD);
    const user = await here.actor();
    expect(await statusThere(user)).toBe(200);
    await putOut(user, root);
    expect(await untilOut(() => statusThere(user))).toBeLessThan(5000);
    faultSeen('A5', `${ways.length} ways to end a session on one node: refused on the other within 5 s`);
  });

  test('an API key and an access token cached on the other node stop with their owner (plan A5)', async () => {
    const user = await here.actor({ quota: 1000 });
    const client = here.client(user);
    const accessToken = await client.self.accessToken();
    const [token] = await client.tokens.create({ body: { name: 'mine' } });
    const byKey = async () =>
      (await fetch(`${there.url}/v1/models`, { headers: { Authorization: `Bearer ${token?.key}` } })).status;
    const byAccessToken = async () =>
      (
        await there.request('/api/user/self', {
          headers: { Authorization: accessToken, 'New-Api-User': String(user.id) },
        })
      ).status;
    expect([await byKey(), await byAccessToken()]).toEqual([200, 200]);
    await here.request('/api/user/self', { method: 'DELETE', as: user });
    expect(await untilOut(byKey)).toBeLessThan(5000);
    expect(await untilOut(byAccessToken)).toBeLessThan(5000);
    faultSeen('A5', 'an API key and an access token cached on the other node: refused within 5 s');
  });

  test('A1 guesses are counted on all nodes together (plan A1)', async () => {
    const owner = await here.createUser();
    const guess = async (node: TestApplication) =>
      (
        await node.request('/api/user/login', {
          body: { username: owner.username, password: 'not-the-password' },
        })
      ).body.code;
    for (let round = 0; round < 5; round += 1)
      expect(await guess(round % 2 ? here : there)).toBe('wrong_credentials');
    expect([await guess(here), await guess(there)]).toEqual(['too_many_attempts', 'too_many_attempts']);
    faultSeen('A1', '7 guesses over two nodes: 5 compared');
  });

  test('A12 a code and a second step begun on one node can be finished on the other, once', async () => {
    const user = await here.actor();
    const client = here.client(user);
    const { secret } = await client.security.twoFactorSetup();
    await client.security.twoFactorEnable({ body: { code: await totpCode(secret, stepAt(nowSeconds())) } });
    await here.store.db
      .updateTable('totp_secrets')
      .set({ last_step: 0 })
      .where('user_id', '=', user.id)
      .execute();
    const begin = async () => {
      const reply = await here.request('/api/user/login', {
        body: { username: user.username, password: USER_PASSWORD },
      });
      return reply.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    };
    const [first, second] = [await begin(), await begin()];
    const code = await totpCode(secret, stepAt(nowSeconds()));
    const finish = (node: TestApplication, Cookie: string) =>
      node.request('/api/user/login/2fa', { body: { code }, headers: { Cookie } });
    const replies = await Promise.all([finish(here, first), finish(there, second)]);
    expect(replies.filter(({ body }) => body.success)).toHaveLength(1);
  });
});
