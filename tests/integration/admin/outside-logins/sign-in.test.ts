// Signing in and binding through every provider, on both databases; each provider is a local server.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { USER_STATUS } from '#contract/admin/users.ts';
import { checkTrail } from '#server/admin/http/audit-check.ts';
import { signedFields } from '#mock/logins/telegram.ts';
import {
  Browser,
  startScene,
  throughGitHub,
  throughLinuxDo,
  throughOidc,
  type OutsideScene,
} from './support.ts';

const query = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
let number = 1_000_000;
/** An unused id. */
const freshId = () => (number += 1);

for (const database of ['sqlite', 'postgres'] as const) {
  describe(database, () => {
    let scene: OutsideScene;
    beforeAll(async () => {
      scene = await startScene(database);
    });
    afterAll(() => scene.close());

    const rowOf = (id: number) =>
      scene.app.store.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    const newGitHubUser = () => {
      scene.github.user = { id: freshId(), login: `hub${number}`, name: 'Paper Boat' };
      return scene.github.user;
    };

    test('ACC-4.19 ACC-4.21 ACC-4.22 ACC-7.40 ACC-7.56 a state is answered, and the address of GitHub with client id and state', async () => {
      const { state, authorizeUrl } = await new Browser(scene.app).begin('github');
      expect(state).toMatch(/^[\w-]{43}$/);
      const url = new URL(authorizeUrl);
      expect(`${url.origin}${url.pathname}`).toBe(`${scene.github.url}/login/oauth/authorize`);
      expect(url.searchParams.get('client_id')).toBe(scene.github.clientId);
      expect(url.searchParams.get('state')).toBe(state);
      expect(url.searchParams.get('code_challenge_method')).toBe('S256');
    });

    test('ACC-7.57 the forum’s address carries client id and state, too', async () => {
      const { state, authorizeUrl } = await new Browser(scene.app).begin('linuxdo');
      const url = new URL(authorizeUrl);
      expect(`${url.origin}${url.pathname}`).toBe(`${scene.linuxdo.url}/oauth2/authorize`);
      expect(url.searchParams.get('client_id')).toBe(scene.linuxdo.clientId);
      expect(url.searchParams.get('state')).toBe(state);
    });

    test('ACC-4.23 ACC-4.24 a new user by GitHub gets an account under the numeric id, and signs in to it again', async () => {
      const user = newGitHubUser();
      const browser = new Browser(scene.app);
      const first = await throughGitHub(scene, browser);
      expect(first.body).toMatchObject({ success: true, message: '', data: { role: 1, status: 1 } });
      const { id, username } = first.body.data as { id: number; username: string };
      expect(username).toMatch(/^github_\d+$/);
      expect(await rowOf(id)).toMatchObject({
        github_id: String(user.id),
        display_name: 'Paper Boat',
        password_hash: '',
        email: '',
      });
      browser.userId = id;
      expect((await browser.get('/api/user/self')).body.data).toMatchObject({ id });
      // Renamed at GitHub: still the same account.
      scene.github.user = { ...user, login: 'another-name' };
      expect((await throughGitHub(scene, new Browser(scene.app))).body.data).toMatchObject({ id });
      const actions = await scene.app.store.db
        .selectFrom('audit')
        .select(['action', 'after'])
        .where('target', '=', `user:${id}`)
        .orderBy('id')
        .execute();
      expect(actions.map(({ action }) => action)).toEqual([
        'user.register',
        'session.start',
        'session.start',
      ]);
      expect(actions[0]?.after).toContain('github');
      expect(await checkTrail(scene.app.store)).toMatchObject({ fault: null });
    });

    test('a generated user name that is taken is skipped', async () => {
      const { id } = await scene.app.createUser();
      await scene.app.createUser({ username: `GitHub_${id + 2}` });
      newGitHubUser();
      const reply = await throughGitHub(scene, new Browser(scene.app));
      expect(reply.body.success).toBe(true);
      expect(reply.body.data).not.toMatchObject({ username: `github_${id + 2}` });
    });

    test('ACC-4.20 ACC-7.41 the invite code travels with the state; both users get the configured rewards', async () => {
      const { settings } = scene.app;
      await settings.set('QuotaForNewUser', '700', 1);
      await settings.set('QuotaForInvitee', '50', 1);
      await settings.set('QuotaForInviter', '30', 1);
      const inviter = await scene.app.actor();
      const { aff_code } = await scene.app.client(inviter).users.self();
      newGitHubUser();
      const reply = await throughGitHub(scene, new Browser(scene.app), aff_code);
      const made = await rowOf((reply.body.data as { id: number }).id);
      expect(made).toMatchObject({ inviter_id: inviter.id, quota: 750 });
      expect(await rowOf(inviter.id)).toMatchObject({ aff_count: 1, aff_quota: 30 });
      for (const key of ['QuotaForNewUser', 'QuotaForInvitee', 'QuotaForInviter'] as const)
        await settings.reset(key, 1);
    });

    test('the same new user in two concurrent tabs gets one account', async () => {
      const user = newGitHubUser();
      const replies = await Promise.all(
        Array.from({ length: 4 }, () => throughGitHub(scene, new Browser(scene.app))),
      );
      expect(replies.map(({ body }) => body.success)).toEqual([true, true, true, true]);
      const rows = await scene.app.store.db
        .selectFrom('users')
        .select('id')
        .where('github_id', '=', String(user.id))
        .execute();
      expect(rows).toHaveLength(1);
    });

    test('ACC-8.29 a banned user is refused; a deleted user’s outside account can register again', async () => {
      newGitHubUser();
      const { id } = (await throughGitHub(scene, new Browser(scene.app))).body.data as { id: number };
      const change = (row: { status?: number; deleted_at?: number }) =>
        scene.app.store.db.updateTable('users').set(row).where('id', '=', id).execute();
      await change({ status: USER_STATUS.banned });
      const banned = await throughGitHub(scene, new Browser(scene.app));
      expect(banned.body).toMatchObject({ success: false, code: 'user_unavailable' });
      expect(banned.body.message).toBe('The user does not exist or is banned');
      await change({ status: USER_STATUS.activated, deleted_at: 1_700_000_000 });
      const again = await throughGitHub(scene, new Browser(scene.app));
      expect(again.body.success).toBe(true);
      expect((again.body.data as { id: number }).id).not.toBe(id);
    });

    test('ACC-8.30 with registration off new users are refused and existing users sign in', async () => {
      newGitHubUser();
      const known = await throughGitHub(scene, new Browser(scene.app));
      await scene.app.settings.set('RegisterEnabled', 'false', 1);
      const again = await throughGitHub(scene, new Browser(scene.app));
      expect(again.body.data).toMatchObject({ id: (known.body.data as { id: number }).id });
      newGitHubUser();
      const newcomer = await throughGitHub(scene, new Browser(scene.app));
      await scene.app.settings.set('RegisterEnabled', 'true', 1);
      expect(newcomer.body).toMatchObject({ success: false, code: 'register_disabled' });
    });

    test('ACC-1.03 ACC-4.25 ACC-6.03 a signed-in user binds; the answer says so and no user is created', async () => {
      const actor = await scene.app.actor();
      const user = newGitHubUser();
      const bound = await throughGitHub(scene, new Browser(scene.app, actor));
      expect(bound.body).toMatchObject({ success: true, message: 'bind', data: null });
      expect(bound.headers.getSetCookie()).toEqual([]);
      expect(await rowOf(actor.id)).toMatchObject({ github_id: String(user.id) });
      const signedIn = await throughGitHub(scene, new Browser(scene.app));
      expect(signedIn.body).toMatchObject({ message: '', data: { id: actor.id } });
    });

    test('ACC-8.34 an outside account bound to one user cannot be bound to another', async () => {
      const owner = await scene.app.actor();
      newGitHubUser();
      await throughGitHub(scene, new Browser(scene.app, owner));
      const other = await scene.app.actor();
      const reply = await throughGitHub(scene, new Browser(scene.app, other));
      expect(reply.body).toMatchObject({
        success: false,
        code: 'outside_already_bound',
        message: 'This GitHub account is already linked to another user. Unlink it there first.',
      });
      expect(await rowOf(other.id)).toMatchObject({ github_id: '' });
      // Binding again by its owner changes nothing.
      expect((await throughGitHub(scene, new Browser(scene.app, owner))).body.message).toBe('bind');
    });

    test('the forum’s members sign in by their numeric id, from the configured trust level', async () => {
      scene.linuxdo.member = { ...scene.linuxdo.member, id: freshId(), trust_level: 1 };
      await scene.app.settings.set('LinuxDOMinimumTrustLevel', '2', 1);
      const low = await throughLinuxDo(scene, new Browser(scene.app));
      expect(low.body).toMatchObject({
        success: false,
        code: 'linuxdo_trust_too_low',
        message: 'Your LinuxDO trust level is too low: level 2 is needed',
      });
      scene.linuxdo.member = { ...scene.linuxdo.member, trust_level: 2 };
      const reply = await throughLinuxDo(scene, new Browser(scene.app));
      await scene.app.settings.reset('LinuxDOMinimumTrustLevel', 1);
      expect(reply.body.success).toBe(true);
      expect(await rowOf((reply.body.data as { id: number }).id)).toMatchObject({
        linux_do_id: String(scene.linuxdo.member.id),
        display_name: 'Red Kite',
      });
      scene.linuxdo.member = { ...scene.linuxdo.member, id: freshId(), active: false };
      const inactive = await throughLinuxDo(scene, new Browser(scene.app));
      scene.linuxdo.member = { ...scene.linuxdo.member, active: true };
      expect(inactive.body).toMatchObject({ success: false, code: 'outside_refused' });
    });

    test('an OIDC provider is discovered by its issuer; its verified address is taken over when it is unused', async () => {
      scene.oidc.user = {
        ...scene.oidc.user,
        sub: `sub-${freshId()}`,
        email: `ada${number}@company.example`,
      };
      const reply = await throughOidc(scene, new Browser(scene.app));
      expect(reply.body).toMatchObject({ success: true, message: '' });
      const { id } = reply.body.data as { id: number };
      expect(await rowOf(id)).toMatchObject({
        oidc_id: `${scene.oidc.url} ${scene.oidc.user.sub}`,
        display_name: 'Ada Kestrel',
        email: `ada${number}@company.example`,
      });
      expect((await throughOidc(scene, new Browser(scene.app))).body.data).toMatchObject({ id });
    });

    test('the same email address never joins an outside account to an existing user', async () => {
      const email = `shared${freshId()}@company.example`;
      const owner = await scene.app.createUser({ row: { email } });
      scene.oidc.user = { ...scene.oidc.user, sub: `sub-${number}`, email: email.toUpperCase() };
      const reply = await throughOidc(scene, new Browser(scene.app));
      const { id } = reply.body.data as { id: number };
      expect(id).not.toBe(owner.id);
      expect(await rowOf(id)).toMatchObject({ email: '' });
      scene.oidc.user = {
        ...scene.oidc.user,
        sub: `sub-${freshId()}`,
        email: `x${number}@a.example`,
        email_verified: false,
      };
      const unverified = await throughOidc(scene, new Browser(scene.app));
      scene.oidc.user = { ...scene.oidc.user, email_verified: true };
      expect(await rowOf((unverified.body.data as { id: number }).id)).toMatchObject({ email: '' });
    });

    test('ACC-7.42 ACC-4.33 ACC-8.37 a code of the WeChat account signs in, once; a wrong code gets an error that says so', async () => {
      scene.wechat.tell('4711', `wx-${freshId()}`);
      const reply = await new Browser(scene.app).get('/api/oauth/wechat?code=4711');
      expect(reply.body.success).toBe(true);
      const { id, username } = reply.body.data as { id: number; username: string };
      expect(username).toMatch(/^wechat_\d+$/);
      expect(await rowOf(id)).toMatchObject({ wechat_id: `wx-${number}` });
      expect(scene.wechat.seen.at(-1)).toMatchObject({
        path: '/api/wechat/user',
        query: { code: '4711' },
        headers: { authorization: scene.wechat.token },
      });
      for (const code of ['4711', '9999', '']) {
        const refused = await new Browser(scene.app).get(`/api/oauth/wechat?code=${code}`);
        expect(refused.body).toMatchObject({
          success: false,
          message: 'The verification code is wrong or expired. Request a new one.',
        });
      }
      scene.wechat.tell('4712', `wx-${number}`);
      const again = await new Browser(scene.app).get('/api/oauth/wechat?code=4712');
      expect(again.body.data).toMatchObject({ id });
    });

    test('ACC-7.43 a code of the WeChat account binds', async () => {
      const actor = await scene.app.actor();
      scene.wechat.tell('5001', `wx-${freshId()}`);
      const reply = await new Browser(scene.app, actor).get('/api/oauth/wechat/bind?code=5001');
      expect(reply.body).toMatchObject({ success: true, data: null });
      expect(await rowOf(actor.id)).toMatchObject({ wechat_id: `wx-${number}` });
      scene.wechat.tell('5002', `wx-${number}`);
      const other = new Browser(scene.app, await scene.app.actor());
      expect((await other.get('/api/oauth/wechat/bind?code=5002')).body.code).toBe('outside_already_bound');
    });

    test('ACC-7.45 ACC-7.46 Telegram signs in a user who bound it before, by the fields of the widget', async () => {
      const user = { id: freshId(), first_name: 'Paper', last_name: 'Boat', username: 'paperboat' };
      const unbound = await new Browser(scene.app).get(
        `/api/oauth/telegram/login?${query(signedFields(user))}`,
      );
      expect(unbound.body).toMatchObject({
        success: false,
        code: 'outside_not_bound',
        message:
          'This Telegram account is not linked to any user. Sign in another way, then link it in your personal settings.',
      });
      const owner = await scene.app.createUser({ row: { telegram_id: String(user.id) } });
      const fields = signedFields({ ...user, first_name: 'Paper & Co' });
      const reply = await new Browser(scene.app).get(
        `/api/oauth/telegram/login?${query({ ...fields, lang: 'zh' })}`,
      );
      expect(reply.body).toMatchObject({ success: true, data: { id: owner.id } });
    });

    test('ACC-7.47 the widget redirects to /api/oauth/telegram/bind, which passes its fields to the page; the page binds', async () => {
      const actor = await scene.app.actor();
      const browser = new Browser(scene.app, actor);
      const { state } = await browser.begin('telegram');
      const fields = signedFields({ id: freshId(), first_name: 'Paper' });
      const address = `/api/oauth/telegram/bind?${query({ state, ...fields })}`;
      // The request of a browser that Telegram's page redirects: no user-id header, and another site as the origin.
      const moved = await scene.app.request(address, {
        headers: { Cookie: actor.cookie, 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate' },
      });
      expect(moved.status).toBe(302);
      expect(moved.headers.get('location')).toBe(`/oauth/telegram/bind?${query({ state, ...fields })}`);
      expect(await rowOf(actor.id)).toMatchObject({ telegram_id: '' });
      const reply = await browser.post('/api/oauth/telegram/bind', { ...fields, state });
      expect(reply.body).toMatchObject({ success: true, data: null });
      expect(await rowOf(actor.id)).toMatchObject({ telegram_id: fields.id });
    });

    test('ACC-8.33 a disabled provider is refused on every endpoint', async () => {
      const { settings } = scene.app;
      const endpoints = [
        ['GitHubOAuthEnabled', '/api/oauth/github?code=a&state=b', 'GitHub'],
        ['LinuxDOOAuthEnabled', '/api/oauth/linuxdo?code=a&state=b', 'LinuxDO'],
        ['OIDCEnabled', '/api/oauth/oidc?code=a&state=b', 'Company ID'],
        ['WeChatAuthEnabled', '/api/oauth/wechat?code=a', 'WeChat'],
        ['TelegramOAuthEnabled', '/api/oauth/telegram/login?id=1', 'Telegram'],
        ['GitHubOAuthEnabled', '/api/oauth/state?provider=github', 'GitHub'],
      ] as const;
      for (const [key, path, name] of endpoints) {
        await settings.set(key, 'false', 1);
        const reply = await new Browser(scene.app).get(path);
        await settings.set(key, 'true', 1);
        expect(reply.body).toMatchObject({
          success: false,
          code: 'outside_login_disabled',
          message: `Sign-in with ${name} is off. Use another way to sign in.`,
        });
      }
    });

    test('ACC-8.44 the error for a provider that is down or broken says that it is unreachable', async () => {
      const states = await Promise.all(
        [1, 2].map(async () => {
          const browser = new Browser(scene.app);
          return { browser, ...(await browser.begin('github')) };
        }),
      );
      const answers = [
        () => new Response('', { status: 503 }),
        () => new Response('<html>', { status: 200 }),
      ];
      const codes: (string | undefined)[] = [];
      for (const [index, { browser, state }] of states.entries()) {
        scene.github.fault = answers[index] ?? null;
        const reply = await browser.get(`/api/oauth/github?code=x&state=${state}`);
        codes.push(reply.body.code);
      }
      scene.github.fault = null;
      expect(codes).toEqual(['outside_unreachable', 'outside_refused']);
      // An error answer is an error, even with other fields in it.
      scene.wechat.fault = () => Response.json({ success: true, data: 'wx-of-nobody' }, { status: 401 });
      const unauthorised = await new Browser(scene.app).get('/api/oauth/wechat?code=1');
      scene.wechat.fault = null;
      expect(unauthorised.body.code).toBe('outside_refused');
      await scene.app.settings.set('LinuxDOAddress', 'http://127.0.0.1:1', 1);
      const away = await throughLinuxDo(scene, new Browser(scene.app));
      await scene.app.settings.set('LinuxDOAddress', scene.linuxdo.url, 1);
      expect(away.body.message).toBe('Unable to connect to LinuxDO. Try again later.');
    });

    test('an account with two-factor needs its code after an outside login, too', async () => {
      newGitHubUser();
      const { id } = (await throughGitHub(scene, new Browser(scene.app))).body.data as { id: number };
      await scene.app.store.db
        .insertInto('totp_secrets')
        .values({ user_id: id, secret_sealed: scene.app.store.vault.seal('x', 'y'), enabled_at: 1 })
        .execute();
      const browser = new Browser(scene.app);
      const reply = await throughGitHub(scene, browser);
      expect(reply.body.data).toEqual({ require_2fa: true });
      browser.userId = id;
      expect((await browser.get('/api/user/self')).status).toBe(401);
    });
  });
}
