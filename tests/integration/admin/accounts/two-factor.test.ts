// Two-factor codes, passkeys, the list of sessions and the step-up, through the real server on both databases.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { STEP_UP_SECONDS } from '#contract/admin/security.ts';
import { stepAt, totpCode } from '#server/admin/security/totp.ts';
import {
  startApplication,
  USER_PASSWORD,
  type Actor,
  type TestApplication,
} from '#tests/support/application.ts';
import { faultSeen } from '#tests/support/fault-report.ts';
import { createPasskeyDevice, type Lie, type PasskeyDevice } from '#tests/support/passkey-device.ts';

const ORIGIN = 'https://gate.example';
const nowSeconds = () => Math.floor(Date.now() / 1000);

for (const database of ['sqlite', 'postgres'] as const) {
  describe(database, () => {
    let app: TestApplication;
    beforeAll(async () => {
      app = await startApplication({ database, settings: { ServerAddress: ORIGIN } });
    });
    afterAll(() => app.close());

    const post = (path: string, as: Actor | undefined, body: unknown = {}, cookie?: string) =>
      app.request(path, { as, body, ...(cookie === undefined ? {} : { headers: { Cookie: cookie } }) });
    const cookieOf = (headers: Headers) => headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const actionsOf = async (userId: number) =>
      (
        await app.store.db
          .selectFrom('audit')
          .select('action')
          .where('target', '=', `user:${userId}`)
          .orderBy('id')
          .execute()
      ).map(({ action }) => action);

    /** Sets the session's last proof into the past. */
    async function grow(actor: Actor): Promise<void> {
      await app.store.db
        .updateTable('sessions')
        .set({ verified_at: nowSeconds() - STEP_UP_SECONDS - 1 })
        .where('user_id', '=', actor.id)
        .execute();
      await app.store.changes.announce('sessions');
    }

    /** A code is valid for one step: the tests use steps the server has not seen. */
    const forgetStep = (userId: number) =>
      app.store.db.updateTable('totp_secrets').set({ last_step: 0 }).where('user_id', '=', userId).execute();
    const codeNow = (secret: string) => totpCode(secret, stepAt(nowSeconds()));
    /** A code of a distant step, so that it is wrong at any time. */
    const wrongCode = (secret: string) => totpCode(secret, stepAt(nowSeconds()) + 1000);

    async function withTwoFactor() {
      const actor = await app.actor();
      const client = app.client(actor);
      const { secret, uri } = await client.security.twoFactorSetup();
      const { recovery_codes } = await client.security.twoFactorEnable({
        body: { code: await codeNow(secret) },
      });
      await forgetStep(actor.id);
      return { actor, client, secret, uri, recoveryCodes: recovery_codes };
    }

    async function firstStep(username: string) {
      const reply = await post('/api/user/login', undefined, { username, password: USER_PASSWORD });
      expect(reply.body.data).toEqual({ require_2fa: true });
      return cookieOf(reply.headers);
    }
    const secondStep = (cookie: string, code: string) =>
      post('/api/user/login/2fa', undefined, { code }, cookie);

    describe('two-factor', () => {
      test('enabled by a first code, it turns a login into two steps', async () => {
        const { actor, client, secret, uri } = await withTwoFactor();
        expect(uri).toContain(`otpauth://totp/Tollgate:${actor.username}?secret=${secret}`);
        expect((await client.security.overview()).two_factor).toMatchObject({
          enabled: true,
          recovery_codes_left: 10,
        });
        const cookie = await firstStep(actor.username);
        // The half-finished sign-in grants no access.
        const half = { ...actor, cookie };
        expect((await app.request('/api/user/self', { as: half })).status).toBe(401);
        const done = await secondStep(cookie, await codeNow(secret));
        expect(done.body.data).toMatchObject({ id: actor.id, username: actor.username });
        const signedIn = { ...actor, cookie: cookieOf(done.headers) };
        expect(signedIn.cookie).not.toBe(cookie);
        expect((await app.request('/api/user/self', { as: signedIn })).status).toBe(200);
        expect((await app.request('/api/user/self', { as: half })).status).toBe(401);
        expect(await actionsOf(actor.id)).toEqual(['two_factor.setup', 'two_factor.enable', 'session.start']);
      });

      test('A12 the code of a step is valid once (plan A12)', async () => {
        const { actor, secret } = await withTwoFactor();
        const code = await codeNow(secret);
        expect((await secondStep(await firstStep(actor.username), code)).body.success).toBe(true);
        const again = await secondStep(await firstStep(actor.username), code);
        expect(again.body).toMatchObject({ success: false, code: 'two_factor_code_wrong' });
        faultSeen('A12', 'a used one-time code: refused');
      });

      test('A12 the same code in parallel signs in once', async () => {
        const { actor, secret } = await withTwoFactor();
        const cookies = [await firstStep(actor.username), await firstStep(actor.username)];
        const code = await codeNow(secret);
        const replies = await Promise.all(cookies.map((cookie) => secondStep(cookie, code)));
        expect(replies.filter(({ body }) => body.success)).toHaveLength(1);
      });

      test('A12 five wrong codes end the sign-in, and more of them delay the account (plan A12)', async () => {
        const { actor, secret } = await withTwoFactor();
        const cookie = await firstStep(actor.username);
        const wrong = await wrongCode(secret);
        const codes: string[] = [];
        for (let round = 0; round < 6; round += 1)
          codes.push((await secondStep(cookie, wrong)).body.code ?? '');
        expect(codes).toEqual([
          ...Array.from({ length: 5 }, () => 'two_factor_code_wrong'),
          'second_step_expired',
        ]);
        const next = await firstStep(actor.username);
        const blocked = await secondStep(next, await codeNow(secret));
        expect([blocked.status, blocked.body.code]).toEqual([429, 'too_many_attempts']);
        expect(Number(blocked.headers.get('retry-after'))).toBeLessThanOrEqual(5);
        await app.store.db
          .updateTable('totp_secrets')
          .set({ blocked_until: 0 })
          .where('user_id', '=', actor.id)
          .execute();
        expect((await secondStep(next, await codeNow(secret))).body.success).toBe(true);
        faultSeen('A12', '5 guessed codes end the sign-in, the next one waits');
      });

      test('A12 parallel guesses are counted one by one', async () => {
        const { actor, secret } = await withTwoFactor();
        const cookies: string[] = [];
        for (let index = 0; index < 12; index += 1) cookies.push(await firstStep(actor.username));
        const wrong = await wrongCode(secret);
        const replies = await Promise.all(cookies.map((cookie) => secondStep(cookie, wrong)));
        const compared = replies.filter(({ body }) => body.code === 'two_factor_code_wrong');
        expect(compared.length).toBeLessThanOrEqual(5);
      });

      test('a second step without a first, and after a password change, is refused', async () => {
        expect((await post('/api/user/login/2fa', undefined, { code: '000000' })).body.code).toBe(
          'second_step_expired',
        );
        const { actor, secret } = await withTwoFactor();
        const cookie = await firstStep(actor.username);
        await app.store.db
          .updateTable('users')
          .set((column) => ({ auth_version: column('auth_version', '+', 1) }))
          .where('id', '=', actor.id)
          .execute();
        expect((await secondStep(cookie, await codeNow(secret))).body.code).toBe('second_step_expired');
      });

      test('A12 a recovery code is valid once, in any spelling; the database has digests (plan A12)', async () => {
        const { actor, recoveryCodes } = await withTwoFactor();
        expect(new Set(recoveryCodes).size).toBe(10);
        const [first = ''] = recoveryCodes;
        const spelled = first.toUpperCase().replace('-', ' ');
        expect((await secondStep(await firstStep(actor.username), spelled)).body.success).toBe(true);
        const again = await secondStep(await firstStep(actor.username), first);
        expect(again.body.code).toBe('two_factor_code_wrong');
        faultSeen('A12', 'a used recovery code: refused');
        const rows = await app.store.db
          .selectFrom('recovery_codes')
          .select('code_digest')
          .where('user_id', '=', actor.id)
          .execute();
        expect(JSON.stringify(rows)).not.toContain(first.replace('-', ''));
        const sealed = await app.store.db
          .selectFrom('totp_secrets')
          .select('secret_sealed')
          .where('user_id', '=', actor.id)
          .executeTakeFirstOrThrow();
        expect(sealed.secret_sealed).toStartWith('v1.');
        expect(await actionsOf(actor.id)).toContain('two_factor.recovery_used');
      });

      test('new recovery codes invalidate the old ones; disabling needs a code', async () => {
        const { actor, client, secret, recoveryCodes } = await withTwoFactor();
        const refused = await post('/api/user/2fa/disable', actor, { code: await wrongCode(secret) });
        expect(refused.body.code).toBe('two_factor_code_wrong');
        const renewed = await client.security.recoveryCodes({ body: { code: await codeNow(secret) } });
        expect(renewed.recovery_codes).not.toEqual(recoveryCodes);
        const old = await post('/api/user/2fa/disable', actor, { code: recoveryCodes[0] });
        expect(old.body.code).toBe('two_factor_code_wrong');
        await client.security.twoFactorDisable({ body: { code: renewed.recovery_codes[0] ?? '' } });
        expect((await client.security.overview()).two_factor).toEqual({
          enabled: false,
          enabled_at: 0,
          recovery_codes_left: 0,
        });
        expect((await app.login(actor.username)).id).toBe(actor.id);
      });

      test('setting up twice, enabling without setup and with a wrong code are refused with a message', async () => {
        const { actor } = await withTwoFactor();
        expect((await post('/api/user/2fa/setup', actor)).body.code).toBe('two_factor_already_on');
        expect((await post('/api/user/2fa/enable', actor, { code: '000000' })).body.code).toBe(
          'two_factor_already_on',
        );
        const other = await app.actor();
        expect((await post('/api/user/2fa/enable', other, { code: '000000' })).body.code).toBe(
          'two_factor_setup_missing',
        );
        expect((await post('/api/user/2fa/disable', other, { code: '000000' })).body.code).toBe(
          'two_factor_off',
        );
        const { secret } = await app.client(other).security.twoFactorSetup();
        expect((await post('/api/user/2fa/enable', other, { code: await wrongCode(secret) })).body.code).toBe(
          'two_factor_code_wrong',
        );
        expect((await app.login(other.username)).id).toBe(other.id);
      });
    });

    describe('administrators who must have two-factor', () => {
      test('reach their own account and nothing else until they have it', async () => {
        const admin = await app.actor({ role: ROLE.admin });
        const client = app.client(admin);
        const token = await client.self.accessToken();
        const statuses = async () => {
          const headers = { Authorization: token, 'New-Api-User': String(admin.id) };
          const replies = [
            await app.request('/api/user/', { as: admin }),
            await app.request('/api/user/', { headers }),
            await app.request('/api/user/self', { as: admin }),
          ];
          return replies.map(({ status }) => status);
        };
        expect(await statuses()).toEqual([200, 200, 200]);
        await app.settings.set('AdminTwoFactorRequired', 'true', 1);
        try {
          expect(await statuses()).toEqual([403, 403, 200]);
          const refused = await app.request('/api/channel/', { as: admin });
          expect(refused.body.code).toBe('two_factor_required');
          const ordinary = await app.actor();
          expect((await app.request('/api/user/self', { as: ordinary })).status).toBe(200);
          const { secret } = await client.security.twoFactorSetup();
          await client.security.twoFactorEnable({ body: { code: await codeNow(secret) } });
          expect(await statuses()).toEqual([200, 200, 200]);
          await forgetStep(admin.id);
          await client.security.twoFactorDisable({ body: { code: await codeNow(secret) } });
          expect(await statuses()).toEqual([403, 403, 200]);
          const device = await createPasskeyDevice(ORIGIN);
          const credential = await device.create(await client.security.passkeyRegisterBegin());
          expect((await post('/api/user/passkey/register/finish', admin, { credential })).body.success).toBe(
            true,
          );
          expect(await statuses()).toEqual([200, 200, 200]);
        } finally {
          await app.settings.reset('AdminTwoFactorRequired', 1);
        }
      });
    });

    describe('the step-up', () => {
      test('A13 an old session is confirmed by password, and only by the right one', async () => {
        const actor = await app.actor();
        await grow(actor);
        expect((await post('/api/user/2fa/setup', actor)).body.code).toBe('step_up_required');
        const confirm = (body: object) => post('/api/user/security/confirm', actor, body);
        expect((await confirm({ password: 'not-the-password' })).body.message).toBe('The password is wrong');
        expect((await confirm({})).body.code).toBe('password_wrong');
        expect((await post('/api/user/2fa/setup', actor)).status).toBe(403);
        const reply = await confirm({ password: USER_PASSWORD });
        const { verified_until } = reply.body.data as { verified_until: number };
        expect(verified_until).toBeGreaterThan(nowSeconds() + STEP_UP_SECONDS - 60);
        expect((await post('/api/user/2fa/setup', actor)).body.success).toBe(true);
        expect(await actionsOf(actor.id)).toContain('session.confirm');
      });

      test('A13 an account with two-factor is not confirmed by its password alone', async () => {
        const { actor, secret } = await withTwoFactor();
        await grow(actor);
        const confirm = (body: object) => post('/api/user/security/confirm', actor, body);
        expect((await confirm({ password: USER_PASSWORD })).body.code).toBe('two_factor_code_wrong');
        expect((await confirm({ code: await codeNow(secret) })).body.success).toBe(true);
      });

      test('guesses at the password in an open session are delayed like a sign-in', async () => {
        const actor = await app.actor();
        const codes: string[] = [];
        for (let round = 0; round < 6; round += 1)
          codes.push(
            (await post('/api/user/security/confirm', actor, { password: `guess-${round}` })).body.code ?? '',
          );
        expect(codes.at(-1)).toBe('too_many_attempts');
      });
    });

    describe('passkeys', () => {
      async function withPasskey() {
        const actor = await app.actor();
        const client = app.client(actor);
        const device = await createPasskeyDevice(ORIGIN);
        const options = await client.security.passkeyRegisterBegin();
        const made = await post('/api/user/passkey/register/finish', actor, {
          name: 'Key ring',
          credential: await device.create(options),
        });
        expect(made.body.data).toMatchObject({ name: 'Key ring', last_used_at: 0 });
        return { actor, client, device, id: (made.body.data as { id: number }).id };
      }

      async function begin() {
        const reply = await post('/api/user/passkey/login/begin', undefined);
        return { options: reply.body.data as Record<string, unknown>, cookie: cookieOf(reply.headers) };
      }

      async function signIn(device: PasskeyDevice, lie?: Lie) {
        const { options, cookie } = await begin();
        const credential = await device.get(options, lie);
        return await post('/api/user/passkey/login/finish', undefined, { credential }, cookie);
      }

      test('the options name this site, require user verification and no name', async () => {
        const { options } = await begin();
        expect(options).toMatchObject({ rpId: 'gate.example', userVerification: 'required' });
        expect(options['allowCredentials'] ?? []).toEqual([]);
      });

      test('a passkey signs in without name, password or second factor', async () => {
        const { actor, client, device } = await withPasskey();
        const reply = await signIn(device);
        expect(reply.body.data).toMatchObject({ id: actor.id, username: actor.username });
        const self = await app.request('/api/user/self', {
          as: { ...actor, cookie: cookieOf(reply.headers) },
        });
        expect(self.status).toBe(200);
        const [key] = (await client.security.overview()).passkeys;
        expect(key?.last_used_at).toBeGreaterThan(0);
      });

      test.each<[string, Lie]>([
        ['of another site', { origin: 'https://evil.example' }],
        ['to another challenge', { challenge: Buffer.alloc(32).toString('base64url') }],
        ['of an unverified person', { unverified: true }],
        ['of another key', { forged: true }],
      ])('an answer %s is refused', async (_, lie) => {
        const { actor, device } = await withPasskey();
        const reply = await signIn(device, lie);
        expect(reply.body.code).toBe('passkey_refused');
        expect(reply.headers.getSetCookie()).toEqual([]);
        expect(await actionsOf(actor.id)).toContain('passkey.refused');
        expect((await signIn(device)).body.success).toBe(true);
      });

      test('A12 a cloned key is detected by its counter (plan A12)', async () => {
        const { device } = await withPasskey();
        device.counter = 40;
        expect((await signIn(device)).body.success).toBe(true);
        device.counter = 7;
        expect((await signIn(device)).body.code).toBe('passkey_refused');
        faultSeen('A12', 'a passkey whose counter goes back: refused');
      });

      test('a challenge is valid once, in the browser that requested it', async () => {
        const { device } = await withPasskey();
        const { options, cookie } = await begin();
        const first = await device.get(options);
        const finish = (credential: unknown, from: string) =>
          post('/api/user/passkey/login/finish', undefined, { credential }, from);
        expect((await finish(first, (await begin()).cookie)).body.code).toBe('passkey_refused');
        expect((await finish(first, cookie)).body.success).toBe(true);
        expect((await finish(await device.get(options), cookie)).body.code).toBe('passkey_refused');
      });

      test('rename and remove; a removed key is refused, and those of others are not found', async () => {
        const { actor, client, device, id } = await withPasskey();
        const stranger = await app.actor();
        const path = `/api/user/passkey/${id}`;
        expect(
          (await app.request(path, { method: 'PUT', as: stranger, body: { name: 'mine' } })).status,
        ).toBe(404);
        expect((await app.request(path, { method: 'DELETE', as: stranger })).status).toBe(404);
        expect((await client.security.passkeyRename({ params: { id }, body: { name: 'Desk' } })).name).toBe(
          'Desk',
        );
        await client.security.passkeyRemove({ params: { id } });
        expect((await client.security.overview()).passkeys).toEqual([]);
        expect((await signIn(device)).body.code).toBe('passkey_refused');
        expect(await actionsOf(actor.id)).toEqual(
          expect.arrayContaining(['passkey.add', 'passkey.rename', 'passkey.remove']),
        );
      });

      test('a banned user cannot sign in by a passkey', async () => {
        const { actor, device } = await withPasskey();
        await app.store.db.updateTable('users').set({ status: 2 }).where('id', '=', actor.id).execute();
        expect((await signIn(device)).body.code).toBe('user_unavailable');
      });

      test('A13 a passkey confirms only its owner', async () => {
        const { actor, device } = await withPasskey();
        await grow(actor);
        const finish = async (as: Actor, from: PasskeyDevice) => {
          const begun = await post('/api/user/security/confirm/passkey/begin', as);
          const credential = await from.get(begun.body.data as Record<string, unknown>);
          return await post('/api/user/security/confirm/passkey/finish', as, { credential });
        };
        const other = await app.actor();
        expect((await finish(other, device)).body.code).toBe('passkey_refused');
        expect((await finish(actor, device)).body.success).toBe(true);
        expect((await post('/api/user/2fa/setup', actor)).body.success).toBe(true);
      });
    });

    describe('the list of sessions', () => {
      const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

      test('shows device, address and times, marks this one, and shows no digest', async () => {
        const actor = await app.actor();
        const other = await app.request('/api/user/login', {
          body: { username: actor.username, password: USER_PASSWORD },
          headers: { 'User-Agent': FIREFOX },
        });
        expect(other.body.success).toBe(true);
        const sessions = await app.client(actor).security.sessions();
        expect(sessions).toHaveLength(2);
        expect(sessions.filter(({ current }) => current)).toHaveLength(1);
        expect(sessions.find(({ current }) => !current)).toMatchObject({
          browser: 'Firefox',
          system: 'Linux',
          ip: '127.0.0.1',
        });
        const digests = await app.store.db
          .selectFrom('sessions')
          .select('id_digest')
          .where('user_id', '=', actor.id)
          .execute();
        for (const { id_digest } of digests) expect(JSON.stringify(sessions)).not.toContain(id_digest);
      });

      test('one session, the others, and this one can be ended', async () => {
        const actor = await app.actor();
        const second = await app.login(actor.username);
        const third = await app.login(actor.username);
        const fourth = await app.login(actor.username);
        const client = app.client(actor);
        const alive = async (as: Actor) => (await app.request('/api/user/self', { as })).status === 200;
        const ofSecond = (await app.client(second).security.sessions()).find(({ current }) => current);
        await client.security.endSession({ params: { id: ofSecond?.id ?? '' } });
        expect(await Promise.all([actor, second, third, fourth].map(alive))).toEqual([
          true,
          false,
          true,
          true,
        ]);
        expect(await client.security.endOtherSessions()).toBe(2);
        expect(await Promise.all([actor, third, fourth].map(alive))).toEqual([true, false, false]);
        const [own] = await client.security.sessions();
        await client.security.endSession({ params: { id: own?.id ?? '' } });
        expect(await alive(actor)).toBe(false);
      });

      test('S2 the session of another user is not found', async () => {
        const victim = await app.actor();
        const [session] = await app.client(victim).security.sessions();
        const stranger = await app.actor();
        const reply = await app.request(`/api/user/sessions/${session?.id}`, {
          method: 'DELETE',
          as: stranger,
        });
        expect(reply.status).toBe(404);
        expect((await app.request('/api/user/self', { as: victim })).status).toBe(200);
      });
    });
  });
}
