// Registration and the user's own account through the real server, on both databases.
import { existsSync, statSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { codeDigest } from '#server/admin/session/codes.ts';
import { createApplication } from '#server/app/app.ts';
import { initialPasswordFile } from '#server/app/initial-password.ts';
import { readEnvironment } from '#server/platform/env.ts';
import { temporaryPlace } from '#tests/support/databases.ts';
import { faultSeen } from '#tests/support/fault-report.ts';
import {
  ROOT_PASSWORD,
  startApplication,
  USER_PASSWORD,
  type TestApplication,
} from '#tests/support/application.ts';

const PASSWORD = 'a-fine-password';
let count = 0;
const newName = () => `n${Date.now().toString(36).slice(-6)}${(count += 1)}`;

/** Codes are planted, so no mail has to arrive. */
const VERIFYING = {
  SMTPServer: '127.0.0.1',
  SMTPFrom: 'gate@example.com',
  EmailVerificationEnabled: 'true',
};

for (const database of ['sqlite', 'postgres'] as const) {
  describe(database, () => {
    let app: TestApplication;
    beforeAll(async () => {
      app = await startApplication({ database });
    }, 30_000);
    afterAll(() => app.close());

    const register = (body: Record<string, unknown>) => app.request('/api/user/register', { body });

    async function withSettings(settings: Record<string, string>, run: () => Promise<void>) {
      for (const [key, text] of Object.entries(settings)) await app.settings.set(key, text, 1);
      try {
        await run();
      } finally {
        for (const key of Object.keys(settings).toReversed())
          await app.settings.reset(key as 'RegisterEnabled', 1);
      }
    }

    const userOf = (username: string) =>
      app.store.db.selectFrom('users').selectAll().where('username', '=', username).executeTakeFirst();

    async function plantCode(email: string, code: string, seconds = 600) {
      const now = Math.floor(Date.now() / 1000);
      await app.store.db
        .insertInto('verification_codes')
        .values({
          purpose: 'email',
          subject: email.toLowerCase(),
          code_digest: codeDigest(app.store, 'email', email, code),
          created_at: now,
          expires_at: now + seconds,
        })
        .execute();
    }

    test('ACC-1.01 ACC-1.02 ACC-7.33 ACC-3.028 ACC-3.029 ACC-3.030 a registration makes an ordinary user who can sign in', async () => {
      const username = newName();
      const reply = await register({ username, password: PASSWORD, password2: PASSWORD });
      expect(reply.body).toEqual({ success: true, message: '', data: null });
      const user = await userOf(username);
      expect(user).toMatchObject({ role: 1, status: 1, group: 'default', quota: 0, inviter_id: 0 });
      expect(user?.password_hash).toStartWith('$argon2id$');
      const actor = await app.login(username, PASSWORD);
      expect((await app.client(actor).users.self()).username).toBe(username);
    });

    test('ACC-5.03 ACC-9.12 a password of 7 characters is refused, of 8 accepted', async () => {
      const short = await register({ username: newName(), password: 'seven77' });
      expect(short.body).toMatchObject({ success: false, code: 'password_too_short' });
      expect((await register({ username: newName(), password: 'eight888' })).body.success).toBe(true);
    });

    test('ACC-5.08 a password over 20 characters is accepted; over 128 bytes it is refused', async () => {
      expect((await register({ username: newName(), password: 'x1'.repeat(30) })).body.success).toBe(true);
      const long = await register({ username: newName(), password: '密'.repeat(43) });
      expect(long.body.code).toBe('password_too_long');
    });

    test('ACC-5.04 the two passwords must be equal', async () => {
      const reply = await register({ username: newName(), password: PASSWORD, password2: `${PASSWORD}!` });
      expect(reply.body).toMatchObject({ success: false, code: 'passwords_differ' });
    });

    test('ACC-5.05 ACC-5.06 username and password are required', async () => {
      expect((await register({ username: '  ', password: PASSWORD })).body.code).toBe('credentials_required');
      expect((await register({ username: newName(), password: '' })).body.code).toBe('credentials_required');
    });

    test('common passwords, the user name as password and invisible characters are refused', async () => {
      expect((await register({ username: newName(), password: 'Password123' })).body.code).toBe(
        'password_too_common',
      );
      expect((await register({ username: 'longname123', password: 'LongName123' })).body.code).toBe(
        'password_too_common',
      );
      expect((await register({ username: 'ro\u200Bot', password: PASSWORD })).body.code).toBe(
        'invalid_parameter',
      );
      const refused = (await register({ username: 'a\u0007b', password: PASSWORD })).body;
      expect(refused).toMatchObject({ success: false, code: 'control_characters', field: 'username' });
      expect(await userOf('a\u0007b')).toBeUndefined();
    });

    test('names are trimmed, compared without case, and never reused, not even after a deletion', async () => {
      const username = newName();
      expect((await register({ username: `  ${username} `, password: PASSWORD })).body.success).toBe(true);
      expect((await userOf(username))?.username).toBe(username);
      await app.store.db
        .updateTable('users')
        .set({ deleted_at: 1_700_000_000 })
        .where('username', '=', username)
        .execute();
      const again = await register({ username: username.toUpperCase(), password: PASSWORD });
      expect(again.body.code).toBe('username_taken');
    });

    test('of many simultaneous registrations of one name exactly one succeeds', async () => {
      const username = newName();
      const replies = await Promise.all(
        Array.from({ length: 8 }, () => register({ username, password: PASSWORD })),
      );
      expect(replies.filter((reply) => reply.body.success)).toHaveLength(1);
      expect(replies.filter((reply) => reply.body.code === 'username_taken')).toHaveLength(7);
    });

    test('S3 extra fields in the body grant no rights', async () => {
      const username = newName();
      const body = { username, password: PASSWORD, role: 100, quota: 1e9, group: 'svip', status: 1, id: 1 };
      expect((await register(body)).body.success).toBe(true);
      expect(await userOf(username)).toMatchObject({ role: 1, quota: 0, group: 'default' });
    });

    test('ACC-8.30 ACC-8.32 registration, or only that by password, can be disabled', async () => {
      const body = { username: newName(), password: PASSWORD };
      await withSettings({ RegisterEnabled: 'false' }, async () => {
        expect((await register(body)).body.code).toBe('register_disabled');
      });
      await withSettings({ PasswordRegisterEnabled: 'false' }, async () => {
        expect((await register(body)).body.code).toBe('password_register_disabled');
      });
    });

    test('ACC-3.031 ACC-3.032 ACC-8.37 email verification: code needed, single use, right address', async () => {
      await withSettings(VERIFYING, async () => {
        const email = `${newName()}@example.com`;
        const base = { username: newName(), password: PASSWORD };
        expect((await register(base)).body.code).toBe('email_required');
        expect((await register({ ...base, email })).body.code).toBe('email_code_required');
        await plantCode(email, 'ABC123');
        const wrong = await register({ ...base, email, verification_code: 'ABC124' });
        expect(wrong.body.code).toBe('email_code_wrong');
        const elsewhere = await register({ ...base, email: `x${email}`, verification_code: 'ABC123' });
        expect(elsewhere.body.code).toBe('email_code_wrong');
        const right = await register({ ...base, email: email.toUpperCase(), verification_code: 'ABC123' });
        expect(right.body.success).toBe(true);
        const reused = await register({
          username: newName(),
          password: PASSWORD,
          email,
          verification_code: 'ABC123',
        });
        expect(reused.body.code).toBe('email_code_wrong');
      });
    });

    test('a code becomes invalid after five tries and when it expires', async () => {
      await withSettings(VERIFYING, async () => {
        const email = `${newName()}@example.com`;
        const send = (verification_code: string) =>
          register({ username: newName(), password: PASSWORD, email, verification_code });
        await plantCode(email, 'GOOD42');
        for (let round = 0; round < 5; round += 1)
          expect((await send(`BAD00${round}`)).body.code).toBe('email_code_wrong');
        expect((await send('GOOD42')).body.code).toBe('email_code_wrong');
        await plantCode(email, 'LATE42', -1);
        expect((await send('LATE42')).body.code).toBe('email_code_wrong');
      });
    });

    test('ACC-8.35 an email in use, an unlisted domain and an alias are refused', async () => {
      const email = `${newName()}@gmail.com`;
      await app.createUser({ row: { email } });
      const send = async (address: string) => {
        await plantCode(address, 'CODE42');
        const body = { username: newName(), password: PASSWORD, email: address, verification_code: 'CODE42' };
        return (await register(body)).body.code;
      };
      await withSettings(VERIFYING, async () => {
        expect(await send(email.toUpperCase())).toBe('email_taken');
        await withSettings({ EmailDomainRestrictionEnabled: 'true' }, async () => {
          expect(await send(`${newName()}@unlisted.example`)).toBe('email_not_accepted');
        });
        await withSettings({ EmailAliasRestrictionEnabled: 'true' }, async () => {
          expect(await send(`a+b${newName()}@gmail.com`)).toBe('email_not_accepted');
        });
      });
    });

    test('ACC-1.11 ACC-3.033 an invited user and the inviter get their grants, booked once each', async () => {
      const inviter = await app.createUser({ quota: 5 });
      const { aff_code } = await app.store.db
        .selectFrom('users')
        .select('aff_code')
        .where('id', '=', inviter.id)
        .executeTakeFirstOrThrow();
      const grants = { QuotaForNewUser: '1000', QuotaForInvitee: '200', QuotaForInviter: '30' };
      await withSettings(grants, async () => {
        const username = newName();
        expect((await register({ username, password: PASSWORD, aff_code })).body.success).toBe(true);
        const user = await userOf(username);
        expect(user).toMatchObject({ quota: 1200, inviter_id: inviter.id });
        expect(await userOf(inviter.username)).toMatchObject({
          quota: 5,
          aff_count: 1,
          aff_quota: 30,
          aff_history_quota: 30,
        });
        const entries = await app.store.db
          .selectFrom('ledger')
          .select(['idem', 'amount', 'credit_account', 'debit_account'])
          .where('reference', '=', `user:${user?.id}`)
          .orderBy('id')
          .execute();
        expect(entries).toEqual([
          {
            idem: `signup:${user?.id}`,
            amount: 1000,
            debit_account: 'world:signup',
            credit_account: `user:${user?.id}`,
          },
          {
            idem: `invitee:${user?.id}`,
            amount: 200,
            debit_account: 'world:signup',
            credit_account: `user:${user?.id}`,
          },
          {
            idem: `inviter:${user?.id}`,
            amount: 30,
            debit_account: 'world:signup',
            credit_account: `aff:${inviter.id}`,
          },
        ]);
        const logs = await app.store.db
          .selectFrom('logs')
          .select(['type', 'user_id', 'quota'])
          .where('user_id', 'in', [user?.id ?? 0, inviter.id])
          .orderBy('id')
          .execute();
        expect(logs).toEqual([
          { type: 4, user_id: user?.id ?? 0, quota: 1000 },
          { type: 4, user_id: user?.id ?? 0, quota: 200 },
          { type: 4, user_id: inviter.id, quota: 30 },
        ]);
      });
    });

    test('an unknown invite code is ignored', async () => {
      const username = newName();
      expect((await register({ username, password: PASSWORD, aff_code: 'nobody' })).body.success).toBe(true);
      expect(await userOf(username)).toMatchObject({ inviter_id: 0 });
    });

    test('ACC-7.15 GET /api/user/self answers the current user without secrets', async () => {
      const user = await app.actor({ quota: 4200, group: 'vip' });
      const self = await app.client(user).users.self();
      expect(self).toMatchObject({
        id: user.id,
        username: user.username,
        role: 1,
        status: 1,
        group: 'vip',
        quota: 4200,
        held_quota: 0,
        DeletedAt: null,
      });
      expect(JSON.stringify(self)).not.toMatch(/argon2|password_hash|digest|auth_version/);
    });

    test.each([
      ['ACC-3.001', 'id'],
      ['ACC-3.002', 'username'],
      ['ACC-3.003', 'display_name'],
      ['ACC-3.005', 'email'],
      ['ACC-3.006', 'github_id'],
      ['ACC-3.007', 'wechat_id'],
      ['ACC-3.008', 'telegram_id'],
      ['ACC-3.009', 'linux_do_id'],
      ['ACC-3.010', 'group'],
      ['ACC-3.011', 'quota'],
      ['ACC-3.012', 'used_quota'],
      ['ACC-3.013', 'request_count'],
      ['ACC-3.014', 'aff_count'],
      ['ACC-3.015', 'aff_quota'],
      ['ACC-3.016', 'aff_history_quota'],
      ['ACC-3.017', 'inviter_id'],
      ['ACC-3.018', 'role'],
      ['ACC-3.022', 'status'],
      ['ACC-3.026', 'DeletedAt'],
    ])('%s the user has %s', async (_, field) => {
      const root = await app.login('root', ROOT_PASSWORD);
      const self: Record<string, unknown> = await app.client(root).users.self();
      expect(self[field]).not.toBeUndefined();
    });

    test('A3 ACC-1.09 ACC-7.17 ACC-3.004 a password change needs the old one and another new one, keeps this session and ends all others', async () => {
      const here = await app.actor();
      const elsewhere = await app.login(here.username);
      const change = (body: object) => app.request('/api/user/self', { method: 'PUT', as: here, body });
      const wrong = await change({ original_password: 'not-it', password: PASSWORD });
      expect(wrong.body.code).toBe('original_password_wrong');
      const same = await change({ original_password: USER_PASSWORD, password: USER_PASSWORD });
      expect(same.body).toMatchObject({ success: false, code: 'password_unchanged', field: 'password' });
      const short = await change({ original_password: USER_PASSWORD, password: 'short' });
      expect(short.body.code).toBe('password_too_short');
      const done = await change({ original_password: USER_PASSWORD, password: PASSWORD });
      expect(done.body.success).toBe(true);
      const cookie = done.headers.getSetCookie()[0]?.split(';')[0] ?? '';
      expect((await app.request('/api/user/self', { as: { ...here, cookie } })).status).toBe(200);
      expect((await app.request('/api/user/self', { as: here })).status).toBe(401);
      expect((await app.request('/api/user/self', { as: elsewhere })).status).toBe(401);
      const old = await app.request('/api/user/login', {
        body: { username: here.username, password: USER_PASSWORD },
      });
      expect(old.body.code).toBe('wrong_credentials');
      expect((await app.login(here.username, PASSWORD)).id).toBe(here.id);
    });

    test('a user’s own edit changes the display name and nothing else', async () => {
      const user = await app.actor({ quota: 10 });
      const body = {
        display_name: '  新名字 ',
        password: '',
        username: 'stolen',
        role: 100,
        quota: 1e9,
        group: 'svip',
        status: 3,
        aff_quota: 7,
      };
      expect((await app.request('/api/user/self', { method: 'PUT', as: user, body })).body.success).toBe(
        true,
      );
      expect(await app.client(user).users.self()).toMatchObject({
        display_name: '新名字',
        username: user.username,
        role: 1,
        quota: 10,
        group: 'default',
        status: 1,
        aff_quota: 0,
      });
    });

    test('N21: usable groups are the offered ones and the user’s own, with ratios, described in the language of the caller', async () => {
      await withSettings({ GroupRatio: '{"default":1,"vip":0.5,"staff":0}' }, async () => {
        const user = await app.actor({ group: 'staff' });
        expect(await app.client(user).users.selfGroups()).toEqual({
          staff: { ratio: 0, desc: 'user group' },
          default: { ratio: 1, desc: 'Default group' },
          vip: { ratio: 0.5, desc: 'vip group' },
        });
        const zh = await app.request('/api/user/self/groups', { as: user, language: 'zh' });
        expect(zh.body.data).toMatchObject({ default: { desc: '默认分组' } });
      });
    });

    test('ACC-7.30 usable models come from enabled abilities of usable groups in enabled channels', async () => {
      const channel = async (status: number) =>
        (
          await app.store.db
            .insertInto('channels')
            .values({ name: 'c', status })
            .returning('id')
            .executeTakeFirstOrThrow()
        ).id;
      const on = await channel(1);
      const off = await channel(2);
      const ability = (group: string, model: string, channel_id: number, enabled: 0 | 1 = 1) => ({
        group,
        model,
        channel_id,
        enabled,
      });
      await app.store.db
        .insertInto('abilities')
        .values([
          ability('default', 'b-model', on),
          ability('vip', 'b-model', on),
          ability('vip', 'a-model', on),
          ability('default', 'off-model', on, 0),
          ability('default', 'dead-channel-model', off),
          ability('secret-group', 'hidden-model', on),
        ])
        .execute();
      // Without a price of model and group a call would be refused (O40).
      const prices = {
        'a-model': 1,
        'b-model': 1,
        'off-model': 1,
        'dead-channel-model': 1,
        'hidden-model': 1,
      };
      await app.settings.set('ModelRatio', JSON.stringify(prices), 0);
      const groups = { default: 1, vip: 1, 'secret-group': 1 };
      await app.settings.set('GroupRatio', JSON.stringify(groups), 0);
      const user = await app.actor();
      expect(await app.client(user).users.models()).toEqual(['a-model', 'b-model']);
      const insider = await app.actor({ group: 'secret-group' });
      expect(await app.client(insider).users.models()).toEqual(['a-model', 'b-model', 'hidden-model']);
    });
  });
}

test('A14 the first start makes root with a random password in a 0600 file, which is deleted when it is changed (plan A14)', async () => {
  const place = await temporaryPlace('sqlite');
  const environment = readEnvironment({ DATA_DIR: place.dataDir, PORT: '0', LOG_LEVEL: 'error' });
  const application = await createApplication(environment);
  const file = initialPasswordFile(place.dataDir);
  expect(application.firstStart?.username).toBe('root');
  const password = application.firstStart?.password ?? '';
  expect(password).toHaveLength(16);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect((await Bun.file(file).text()).trim()).toBe(password);
  await application.close();

  const app = await startApplication({ place });
  try {
    expect(app.firstStart).toBeNull();
    const root = await app.login('root', password);
    const self = await app.client(root).users.self();
    expect(self).toMatchObject({
      role: 100,
      quota: 100_000_000,
      display_name: 'Root User',
      password_is_initial: true,
    });
    await app.client(root).users.changeSelf({ body: { original_password: password, password: PASSWORD } });
    expect(existsSync(file)).toBe(false);
    const again = await app.login('root', PASSWORD);
    expect((await app.client(again).users.self()).password_is_initial).toBe(false);
    faultSeen('A14', 'a fresh installation: 16 random characters in a 0600 file, which the change deletes');
  } finally {
    await app.close();
    await place.remove();
  }
});
