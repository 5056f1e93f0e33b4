// Signing in and out through the real server, on both databases.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { USER_STATUS } from '#contract/admin/users.ts';
import { checkTrail } from '#server/admin/http/audit-check.ts';
import { digestOf } from '#server/admin/http/sessions.ts';
import {
  ROOT_PASSWORD,
  startApplication,
  USER_PASSWORD,
  type TestApplication,
} from '#tests/support/application.ts';
import { failure } from '#tests/support/failure.ts';
import { faultSeen } from '#tests/support/fault-report.ts';
import { startHumanCheckServer } from '#tests/support/human-check-server.ts';

for (const database of ['sqlite', 'postgres'] as const) {
  describe(database, () => {
    let app: TestApplication;
    beforeAll(async () => {
      app = await startApplication({ database });
    });
    afterAll(() => app.close());

    const logIn = (username: string, password: string, headers: Record<string, string> = {}) =>
      app.request('/api/user/login', { body: { username, password }, headers });

    test('ACC-7.35 ACC-7.59 a login answers the signed-in user and sets the session cookie', async () => {
      const reply = await logIn('root', ROOT_PASSWORD);
      expect(reply.status).toBe(200);
      expect(reply.body).toMatchObject({ success: true, message: '' });
      expect(reply.body.data).toEqual({
        id: 1,
        username: 'root',
        display_name: 'Root User',
        role: ROLE.root,
        status: USER_STATUS.activated,
        group: 'default',
        password_is_initial: false,
      });
      const [cookie] = reply.headers.getSetCookie();
      expect(cookie).toMatch(/^sid=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/);
    });

    test('ACC-5.15 an email is accepted in place of the username, in any case', async () => {
      const email = `Mail.${Bun.randomUUIDv7()}@Example.com`;
      const user = await app.createUser({ row: { email } });
      const reply = await logIn(email.toUpperCase(), USER_PASSWORD);
      expect(reply.body.data).toMatchObject({ id: user.id });
      expect((await logIn(user.username.toUpperCase(), USER_PASSWORD)).body.success).toBe(true);
    });

    test('a user whose name is another’s email does not lock the other out', async () => {
      const email = `${Bun.randomUUIDv7()}@example.com`;
      await app.createUser({
        username: email,
        row: { password_hash: await Bun.password.hash('another-password') },
      });
      const owner = await app.createUser({ row: { email } });
      expect((await logIn(email, USER_PASSWORD)).body.data).toMatchObject({ id: owner.id });
    });

    test.each([
      ['ACC-5.14', '', USER_PASSWORD],
      ['ACC-5.16', 'root', ''],
      ['ACC-8.08', '   ', ''],
    ])('%s a login without name or password is refused with one sentence', async (_, username, password) => {
      const reply = await logIn(username, password);
      expect(reply.status).toBe(200);
      expect(reply.body).toMatchObject({
        success: false,
        code: 'credentials_required',
        message: 'Username and password cannot be empty',
        data: null,
      });
    });

    test('ACC-8.41 ACC-3.024 ACC-3.027 wrong password, unknown, banned and deleted user get the same answer', async () => {
      const banned = await app.createUser({ row: { status: USER_STATUS.banned } });
      const deleted = await app.createUser({ row: { deleted_at: 1_700_000_000 } });
      const replies = [
        await logIn('root', 'not-the-password'),
        await logIn('nobody-of-that-name', USER_PASSWORD),
        await logIn(banned.username, USER_PASSWORD),
        await logIn(deleted.username, USER_PASSWORD),
      ];
      for (const reply of replies) {
        expect(reply.status).toBe(200);
        expect(reply.body.message).toBe('Wrong username or password, or the account is banned');
        expect(reply.headers.getSetCookie()).toEqual([]);
      }
    });

    test('A4 a login gets a new session id, also when the browser sent one (plan A4)', async () => {
      const planted = 'A'.repeat(43);
      const user = await app.createUser();
      const reply = await logIn(user.username, USER_PASSWORD, { Cookie: `sid=${planted}` });
      const cookie = reply.headers.getSetCookie()[0] ?? '';
      expect(cookie).not.toContain(planted);
      const withPlanted = { id: user.id, username: user.username, role: 1, cookie: `sid=${planted}` };
      expect((await app.request('/api/user/self', { as: withPlanted })).status).toBe(401);
      faultSeen('A4', 'a planted cookie at a login: new session, the planted one refused');
    });

    test('a second login in the same browser ends the first session', async () => {
      const first = await app.actor();
      const reply = await logIn(first.username, USER_PASSWORD, { Cookie: first.cookie });
      expect(reply.body.success).toBe(true);
      expect((await app.request('/api/user/self', { as: first })).status).toBe(401);
    });

    test('the database has a digest, not the session id', async () => {
      const user = await app.actor();
      const id = user.cookie.slice('sid='.length);
      const rows = await app.store.db
        .selectFrom('sessions')
        .select('id_digest')
        .where('user_id', '=', user.id)
        .execute();
      expect(rows).toEqual([{ id_digest: digestOf(id) }]);
    });

    test('ACC-7.26 logout ends the session at once; without a session it is no error', async () => {
      const user = await app.actor();
      expect((await app.request('/api/user/self', { as: user })).status).toBe(200);
      const out = await app.request('/api/user/logout', { as: user });
      expect(out.body).toEqual({ success: true, message: '', data: null });
      expect(out.headers.getSetCookie()[0]).toContain('Max-Age=0');
      expect((await app.request('/api/user/self', { as: user })).status).toBe(401);
      expect((await app.request('/api/user/logout')).body.success).toBe(true);
      expect((await app.request('/api/user/logout', { as: user })).body.success).toBe(true);
    });

    test('S6 N17 ACC-8.45 ACC-6.18 no session, a foreign header and a missing header are 401, each with its own reason', async () => {
      const user = await app.actor();
      const other = await app.actor();
      const none = await app.request('/api/user/self');
      expect([none.status, none.body.message]).toEqual([
        401,
        'You are not signed in or your session has expired. Please sign in again.',
      ]);
      const replies = [
        await app.request('/api/user/self', { headers: { Cookie: user.cookie } }),
        await app.request('/api/user/self', {
          headers: { Cookie: user.cookie, 'New-Api-User': String(other.id) },
        }),
        await app.request('/api/user/self', { headers: { Cookie: user.cookie, 'New-Api-User': 'x' } }),
      ];
      for (const reply of replies) {
        expect(reply.status).toBe(401);
        expect(reply.body.message).toBe(
          'The request header New-Api-User is missing or does not contain the ID of the signed-in user',
        );
      }
      const alias = { Cookie: user.cookie, 'Tollgate-User': String(user.id) };
      expect((await app.request('/api/user/self', { headers: alias })).status).toBe(200);
    });

    test('A5 a ban, a role change and a deletion end live sessions at the next call', async () => {
      const changes = [
        { status: USER_STATUS.banned },
        { auth_version: 2 },
        { deleted_at: Math.floor(Date.now() / 1000) },
      ];
      for (const change of changes) {
        const user = await app.actor();
        expect((await app.request('/api/user/self', { as: user })).status).toBe(200);
        await app.store.db.updateTable('users').set(change).where('id', '=', user.id).execute();
        await app.store.changes.announce('users', String(user.id));
        expect((await app.request('/api/user/self', { as: user })).status).toBe(401);
      }
    });

    test('a session expires by age and by idle time, sooner for admins', async () => {
      const now = Math.floor(Date.now() / 1000);
      const hour = 3600;
      const cases = [
        { role: ROLE.user, change: { expires_at: now - 1 }, alive: false },
        { role: ROLE.user, change: { seen_at: now - 13 * hour }, alive: true },
        { role: ROLE.admin, change: { seen_at: now - 13 * hour }, alive: false },
        { role: ROLE.user, change: { seen_at: now - 8 * 24 * hour }, alive: false },
      ];
      for (const { role, change, alive } of cases) {
        const user = await app.actor({ role });
        await app.store.db.updateTable('sessions').set(change).where('user_id', '=', user.id).execute();
        await app.store.changes.announce('sessions');
        expect((await app.request('/api/user/self', { as: user })).status).toBe(alive ? 200 : 401);
      }
    });

    test('a system access token works with and without Bearer, and only with the right user header', async () => {
      const token = 'system-access-token-of-a-test-user';
      const digest = app.store.vault.digest('access_token', `${token}${database}`);
      const user = await app.createUser({ row: { access_token_digest: digest } });
      const call = (authorization: string, id = user.id) =>
        app.request('/api/user/self', {
          headers: { Authorization: authorization, 'New-Api-User': String(id) },
        });
      expect((await call(`${token}${database}`)).body.data).toMatchObject({ id: user.id });
      expect((await call(`Bearer ${token}${database}`)).status).toBe(200);
      expect((await call(`Bearer ${token}${database}`, user.id + 1)).status).toBe(401);
      expect((await call(`Bearer ${token}`)).status).toBe(401);
      await app.store.db.updateTable('users').set({ status: 2 }).where('id', '=', user.id).execute();
      expect((await call(`Bearer ${token}${database}`)).status).toBe(401);
    });

    test('ACC-8.31 password login can be disabled', async () => {
      await app.settings.set('PasswordLoginEnabled', 'false', 1);
      const reply = await logIn('root', ROOT_PASSWORD);
      await app.settings.set('PasswordLoginEnabled', 'true', 1);
      expect(reply.body).toMatchObject({ success: false, code: 'password_login_disabled' });
    });

    test('A1 guesses are delayed per account and address, and the owner can sign in again', async () => {
      const user = await app.createUser();
      const codes: string[] = [];
      for (let round = 0; round < 7; round += 1)
        codes.push((await logIn(user.username, `guess-${round}`)).body.code ?? '');
      expect(codes.slice(0, 5)).toEqual(Array.from({ length: 5 }, () => 'wrong_credentials'));
      const refused = await logIn(user.username, USER_PASSWORD);
      expect(refused.status).toBe(429);
      expect(refused.body.code).toBe('too_many_attempts');
      const seconds = Number(refused.headers.get('retry-after'));
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(4);
      await Bun.sleep(seconds * 1000);
      expect((await logIn(user.username, USER_PASSWORD)).body.success).toBe(true);
    });

    test('a successful login updates last_login_at and the audit trail', async () => {
      const before = Math.floor(Date.now() / 1000);
      const { username } = await app.createUser();
      const user = await app.login(username);
      const self = await app.client(user).users.self();
      expect(self.last_login_at).toBeGreaterThanOrEqual(before);
      const rows = await app.store.db
        .selectFrom('audit')
        .select(['action', 'target', 'ip'])
        .where('target', '=', `user:${user.id}`)
        .execute();
      expect(rows).toEqual([{ action: 'session.start', target: `user:${user.id}`, ip: '127.0.0.1' }]);
      expect(await checkTrail(app.store)).toMatchObject({ fault: null });
    });
  });
}

test('parallel audit rows form one chain, and an inserted row breaks it', async () => {
  const app = await startApplication({ database: 'postgres' });
  try {
    const { writeAudit } = await import('#server/admin/http/audit.ts');
    const entry = {
      actorId: 1,
      actorName: 'root',
      address: '',
      action: 'job.run',
      target: 'job',
      requestId: '',
    } as const;
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        app.store.db
          .transaction()
          .execute((transaction) => writeAudit(app.store, transaction, { ...entry, after: index })),
      ),
    );
    expect(await checkTrail(app.store)).toMatchObject({ fault: null });
    const { id } = await app.store.db
      .insertInto('audit')
      .values({ created_at: 1, action: 'forged', previous_hash: '', hash: 'f'.repeat(64) })
      .returning('id')
      .executeTakeFirstOrThrow();
    expect(await checkTrail(app.store)).toMatchObject({ fault: 'altered', brokenId: id });
  } finally {
    await app.close();
  }
});

test('ACC-7.32 ACC-7.34 ACC-8.39 the human check is verified with the provider, and fails closed (plan S26)', async () => {
  const provider = startHumanCheckServer('turnstile-secret');
  const app = await startApplication({
    settings: {
      TurnstileSiteKey: 'site',
      TurnstileSecretKey: 'turnstile-secret',
      TurnstileServerAddress: provider.url,
      TurnstileCheckEnabled: 'true',
    },
  });
  try {
    const logIn = (token?: string) =>
      app.request(`/api/user/login${token === undefined ? '' : `?turnstile=${token}`}`, {
        body: { username: 'root', password: ROOT_PASSWORD },
      });
    expect((await logIn()).body.code).toBe('human_check_failed');
    expect((await logIn('robot')).body.code).toBe('human_check_failed');
    expect((await logIn('broken')).body.code).toBe('human_check_failed');
    const token = provider.solve();
    expect((await logIn(token)).body.success).toBe(true);
    // The provider accepts a token once, and so does the server.
    expect((await logIn(token)).body.code).toBe('human_check_failed');
    const register = (query: string) =>
      app.request(`/api/user/register${query}`, { body: { username: 'human', password: 'a-fine-password' } });
    expect((await register('')).body.code).toBe('human_check_failed');
    expect((await register(`?turnstile=${provider.solve()}`)).body.success).toBe(true);
    expect(provider.asked.at(-1)).toMatchObject({ secret: 'turnstile-secret', remoteip: '127.0.0.1' });
    await app.settings.set('TurnstileServerAddress', 'http://127.0.0.1:9', 1);
    expect((await logIn(provider.solve())).body.code).toBe('human_check_failed');
    // Its secret cannot be cleared while it is on, and if it is missing all the same, logins are refused.
    await app.settings.set('TurnstileServerAddress', provider.url, 1);
    expect((await failure(app.settings.reset('TurnstileSecretKey', 1))).message).toContain('setting_in_use');
    await app.store.db.deleteFrom('options').where('key', '=', 'TurnstileSecretKey').execute();
    await app.settings.reload();
    expect(app.settings.current.TurnstileSecretKey).toBe('');
    expect((await logIn(provider.solve())).body.code).toBe('human_check_failed');
    faultSeen('S26', 'the human check without its provider or its secret: logins are refused');
  } finally {
    await app.close();
    provider.close();
  }
});

test('A6 behind a trusted proxy on https the cookie is __Host- and Secure (plan A6)', async () => {
  const app = await startApplication({ environment: { TRUSTED_PROXIES: '127.0.0.1' } });
  try {
    const headers = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-For': '203.0.113.9, 198.51.100.7' };
    const reply = await app.request('/api/user/login', {
      body: { username: 'root', password: ROOT_PASSWORD },
      headers,
    });
    const cookie = reply.headers.getSetCookie()[0] ?? '';
    expect(cookie).toMatch(/^__Host-sid=[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax; Secure$/);
    expect(reply.headers.get('strict-transport-security')).toStartWith('max-age=');
    const [row] = await app.store.db.selectFrom('sessions').select('ip').execute();
    expect(row?.ip).toBe('198.51.100.7');
    const id = cookie.split(';')[0]?.split('=')[1] ?? '';
    // The same id under the cookie's plain name is refused on https.
    const self = await app.request('/api/user/self', {
      headers: { ...headers, Cookie: `sid=${id}`, 'New-Api-User': '1' },
    });
    expect(self.status).toBe(401);
    // Without TLS a browser would not store a Secure cookie; a script cannot read it and another site cannot send it either.
    const plain = await app.request('/api/user/login', {
      body: { username: 'root', password: ROOT_PASSWORD },
    });
    expect(plain.headers.getSetCookie()[0]).toMatch(
      /^sid=[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/,
    );
    faultSeen('A6', 'HTTPS: __Host-, Secure, HttpOnly, SameSite; its id under the plain name is refused');
  } finally {
    await app.close();
  }
});
