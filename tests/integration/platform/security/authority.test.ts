// Attempts to gain rights: the password of a fresh install, calls without a step-up, ids and fields of other users, and
// unknown options. The ids are those of the attack list.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { REQUIRED_ROLE, ROLE } from '#contract/access.ts';
import { api } from '#contract/api.ts';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { fillPath, type AnyEndpoint } from '#contract/endpoint.ts';
import { SECRET_MARK } from '#contract/options.ts';
import { STEP_UP_SECONDS } from '#contract/admin/security.ts';
import { SETTING_KEYS, settingOf } from '#contract/settings.ts';
import {
  startApplication,
  USER_PASSWORD,
  type Actor,
  type TestApplication,
} from '#tests/support/application.ts';
import { faultSeen } from '#tests/support/fault-report.ts';
import { createPasskeyDevice } from '#tests/support/passkey-device.ts';

const ORIGIN = 'https://gate.example';
const PASSWORD = 'another-fine-password';

test('A14 a fresh install has a random password, which allows only its own change (plan A14)', async () => {
  const environment = { INITIAL_ROOT_PASSWORD: '' };
  const app = await startApplication({ environment });
  const other = await startApplication({ environment });
  try {
    const password = app.firstStart?.password ?? '';
    expect(password).toHaveLength(16);
    expect(other.firstStart?.password).not.toBe(password);
    for (const guess of ['123456', 'root', 'admin', 'password', ''])
      expect(
        (await app.request('/api/user/login', { body: { username: 'root', password: guess } })).body.success,
      ).toBe(false);
    const root = await app.login('root', password);
    const accessToken = await app.client(root).self.accessToken();
    const byToken = { Authorization: accessToken, 'New-Api-User': String(root.id) };
    const members = Object.values(api).flatMap((group) =>
      Object.values(group as Record<string, AnyEndpoint>),
    );
    const administrative = members.filter(({ access }) => REQUIRED_ROLE[access] >= ROLE.admin);
    expect(administrative.length).toBeGreaterThan(40);
    for (const { method, path } of administrative) {
      const call = { method, ...(method === 'GET' ? {} : { body: {} }) };
      const url = fillPath(path, { id: 1 });
      for (const who of [{ as: root }, { headers: byToken }]) {
        const reply = await app.request(url, { ...call, ...who });
        expect([method, path, reply.status, reply.body.code]).toEqual([
          method,
          path,
          403,
          'initial_password',
        ]);
      }
    }
    expect((await app.request('/api/option/', { as: root, language: 'zh' })).body.message).toBe(
      '请先修改初始密码，再继续操作',
    );
    const changed = await app.request('/api/user/self', {
      method: 'PUT',
      as: root,
      body: { original_password: password, password: PASSWORD },
    });
    expect(changed.body.success).toBe(true);
    const cookie = changed.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const renewed = { ...root, cookie };
    expect((await app.request('/api/option/', { as: renewed })).status).toBe(200);
    // The token of the old password ends with it; one of the new password has all rights.
    expect((await app.request('/api/option/', { headers: byToken })).status).toBe(401);
    const byNewToken = { ...byToken, Authorization: await app.client(renewed).self.accessToken() };
    expect((await app.request('/api/option/', { headers: byNewToken })).status).toBe(200);
    expect(
      (await app.request('/api/user/login', { body: { username: 'root', password } })).body.success,
    ).toBe(false);
    faultSeen(
      'A14',
      `5 common passwords refused; ${administrative.length} calls of administrators refused until the random one is changed`,
    );
  } finally {
    await app.close();
    await other.close();
  }
}, 60_000);

test('A1 a thousand guesses from one address at fifty accounts: few are compared, and the owners sign in from other addresses (plan A1)', async () => {
  const app = await startApplication({ environment: { TRUSTED_PROXIES: '127.0.0.1' } });
  try {
    const owner = await app.createUser();
    const logIn = (username: string, password: string, address: string) =>
      app.request('/api/user/login', {
        body: { username, password },
        headers: { 'X-Forwarded-For': address },
      });
    let compared = 0;
    for (let round = 0; round < 20; round += 1) {
      const names = Array.from({ length: 50 }, (_, index) =>
        index === 0 ? owner.username : `nobody${index}`,
      );
      const replies = await Promise.all(names.map((name) => logIn(name, `guess-${round}`, '203.0.113.5')));
      compared += replies.filter(({ body }) => body.code !== 'too_many_attempts').length;
      for (const { body } of replies) expect(body.success).toBe(false);
    }
    expect(compared).toBeLessThan(80);
    expect((await logIn(owner.username, USER_PASSWORD, '203.0.113.5')).body.code).toBe('too_many_attempts');
    expect((await logIn(owner.username, USER_PASSWORD, '198.51.100.20')).body.success).toBe(true);
    faultSeen(
      'A1',
      `1,000 guesses from one address at 50 accounts: ${compared} compared, the owner signs in`,
    );
  } finally {
    await app.close();
  }
}, 60_000);

for (const database of ['sqlite', 'postgres'] as const) {
  describe(database, () => {
    let app: TestApplication;
    let root: Actor;
    beforeAll(async () => {
      app = await startApplication({ database, settings: { ServerAddress: ORIGIN } });
      root = await app.actor({ role: ROLE.root });
    }, 30_000);
    afterAll(() => app.close());

    const put = (path: string, as: Actor, body: unknown) => app.request(path, { method: 'PUT', as, body });
    const saveOption = (key: unknown, value: unknown) => put('/api/option/', root, { key, value });

    /** Signed in, longer ago than a sensitive call accepts. */
    async function stale(role: number): Promise<Actor> {
      const actor = await app.actor({ role });
      const verified_at = Math.floor(Date.now() / 1000) - STEP_UP_SECONDS - 1;
      await app.store.db
        .updateTable('sessions')
        .set({ verified_at })
        .where('user_id', '=', actor.id)
        .execute();
      await app.store.changes.announce('sessions');
      return actor;
    }

    test('A13 calls that could take over accounts, money or secrets need a step-up, one by one (plan A13)', async () => {
      const old = await stale(ROLE.root);
      const target = await app.createUser();
      const assistant = await app.createUser({ role: ROLE.admin });
      const rows = () =>
        app.store.db
          .selectFrom('users')
          .selectAll()
          .where('id', 'in', [old.id, target.id, assistant.id])
          .orderBy('id')
          .execute();
      const before = await rows();
      const secrets = SETTING_KEYS.filter((key) => settingOf(key).kind === 'secret');
      const addresses = SETTING_KEYS.filter((key) => settingOf(key).kind === 'address');
      const calls: (readonly [string, string, unknown?])[] = [
        ['POST', '/api/user/2fa/setup', {}],
        ['POST', '/api/user/2fa/enable', { code: '123456' }],
        ['POST', '/api/user/2fa/disable', { code: '123456' }],
        ['POST', '/api/user/2fa/backup_codes', { code: '123456' }],
        ['POST', '/api/user/passkey/register/begin', {}],
        ['DELETE', '/api/user/passkey/1'],
        ['GET', '/api/user/token'],
        ['GET', '/api/oauth/email/bind?email=a@example.com&code=123456'],
        ['GET', '/api/oauth/wechat/bind?code=1'],
        ['GET', '/api/oauth/state?provider=telegram'],
        ['DELETE', '/api/user/self'],
        ['DELETE', '/api/log/?target_timestamp=1'],
        ['POST', '/api/user/manage', { id: target.id, action: 'promote' }],
        ['POST', '/api/user/manage', { id: assistant.id, action: 'demote' }],
        ['POST', '/api/user/manage', { id: target.id, action: 'delete' }],
        ['PUT', '/api/user/', { id: target.id, password: PASSWORD }],
        ['PUT', '/api/user/', { id: target.id, quota_change: 1_000_000_000, reason: 'gift' }],
        ['POST', `/api/user/${target.id}/reset_two_factor`, {}],
        ['PUT', '/api/option/', { key: 'PasswordLoginEnabled', value: 'false' }],
        ['PUT', '/api/option/', { key: 'AdminTwoFactorRequired', value: 'false' }],
        ['PUT', '/api/option/', { key: 'OIDCIssuer', value: 'https://evil.example' }],
        ['PUT', '/api/option/', { key: 'WorkerUrl', value: 'https://evil.example' }],
        ['PUT', '/api/option/', { key: 'SMTPServer', value: 'evil.example' }],
        ...secrets.map((key) => ['PUT', '/api/option/', { key, value: 'x' }] as const),
        ...addresses.map((key) => ['PUT', '/api/option/', { key, value: 'https://evil.example' }] as const),
        ['POST', '/api/option/reset', { key: 'SMTPToken' }],
      ];
      for (const [method, path, body] of calls) {
        const reply = await app.request(path, { method, as: old, ...(body === undefined ? {} : { body }) });
        const outcome = [method, path, JSON.stringify(body), reply.status, reply.body.code];
        expect(outcome).toEqual([method, path, JSON.stringify(body), 403, 'step_up_required']);
      }
      expect(await rows()).toEqual(before);
      expect(app.settings.current.ServerAddress).toBe(ORIGIN);
      faultSeen('A13', `${calls.length} calls of an old session: 403, nothing changed`);
    });

    test('S2 tokens, sessions and passkeys of one user are not found by another, on every endpoint with an id (plan S2)', async () => {
      const owner = await app.actor({ quota: 1000 });
      const client = app.client(owner);
      const [token] = await client.tokens.create({ body: { name: 'mine' } });
      const id = token?.id ?? 0;
      const device = await createPasskeyDevice(ORIGIN);
      const credential = await device.create(await client.security.passkeyRegisterBegin());
      const key = await app.request('/api/user/passkey/register/finish', { as: owner, body: { credential } });
      const passkey = (key.body.data as { id: number }).id;
      const [session] = await client.security.sessions();
      const stored = () =>
        Promise.all([
          app.store.db.selectFrom('tokens').selectAll().where('id', '=', id).execute(),
          app.store.db.selectFrom('passkeys').selectAll().where('id', '=', passkey).execute(),
          app.store.db.selectFrom('sessions').select('id_digest').where('user_id', '=', owner.id).execute(),
        ]);
      const before = await stored();
      for (const as of [await app.actor(), await app.actor({ role: ROLE.admin }), root]) {
        const refused = [
          await app.request(`/api/token/${id}`, { as }),
          await put('/api/token/', as, { id, name: 'taken', remain_quota: 5 }),
          await put('/api/token/?status_only=true', as, { id, status: 2 }),
          await app.request(`/api/token/${id}/`, { method: 'DELETE', as }),
          await app.request(`/api/token/${id}/restore`, { as, body: {} }),
          await put(`/api/user/passkey/${passkey}`, as, { name: 'taken' }),
          await app.request(`/api/user/passkey/${passkey}`, { method: 'DELETE', as }),
          await app.request(`/api/user/sessions/${session?.id}`, { method: 'DELETE', as }),
        ];
        expect(refused.map(({ status, body }) => [status, body.code])).toEqual(
          refused.map(() => [404, 'not_found']),
        );
        for (const action of ['disable', 'delete', 'restore'] as const) {
          const batch = await app.request('/api/token/batch', { as, body: { ids: [id], action } });
          expect(batch.body.data).toEqual({ changed: [], refused: [] });
        }
        for (const path of [
          '/api/token/',
          `/api/token/search?keyword=mine`,
          '/api/log/self/',
          '/api/user/sessions',
        ])
          expect(JSON.stringify((await app.request(path, { as })).body)).not.toContain(
            token?.key ?? 'no key',
          );
      }
      expect(await stored()).toEqual(before);
      faultSeen(
        'S2',
        'ids of tokens, sessions and passkeys in 11 calls of a user, an admin and a super admin: not found',
      );
    });

    test('S2 the log of another user is not shown to a user who filters by name, id or token (plan S2)', async () => {
      const owner = await app.actor();
      const spy = await app.actor();
      const content = `secret-line-of-${owner.username}`;
      await app.store.db
        .insertInto('logs')
        .values({ user_id: owner.id, username: owner.username, created_at: 1_700_000_000, type: 4, content })
        .execute();
      const everything = `start_timestamp=0&end_timestamp=4000000000&user_id=${owner.id}&username=${owner.username}`;
      for (const path of ['/api/log/self/', '/api/log/self/search', '/api/log/self/export']) {
        const reply = await app.request(`${path}?${everything}&keyword=secret-line`, { as: spy });
        expect(JSON.stringify(reply.body)).not.toContain(content);
      }
      const own = await app.request(`/api/log/self/?${everything}`, { as: owner });
      expect(JSON.stringify(own.body)).toContain(content);
      faultSeen('S2', 'the log filtered by name and id of another user: nothing shown');
    });

    test('S3 creating or changing a token or a user sets only the fields the caller may set (plan S3)', async () => {
      const user = await app.actor({ quota: 1000 });
      const stranger = await app.createUser();
      const smuggled = {
        user_id: stranger.id,
        used_quota: -5_000_000,
        held_quota: -1,
        key: 'sk-chosen-by-the-attacker-chosen-by-the-attacker',
        key_digest: 'x',
        created_time: 1,
        deleted_at: 1,
        day_used: -1,
      };
      const made = await app.request('/api/token/', {
        as: user,
        body: { ...smuggled, id: 77_777, name: 'mine' },
      });
      expect(made.body.success).toBe(true);
      const rows = () =>
        app.store.db.selectFrom('tokens').selectAll().where('user_id', '=', user.id).execute();
      const [token] = await rows();
      expect(token).toMatchObject({ used_quota: 0, held_quota: 0, deleted_at: null });
      expect(token?.id).not.toBe(77_777);
      expect(token?.created_time).toBeGreaterThan(1_700_000_000);
      const views = await app.client(user).tokens.list({ query: {} });
      expect(JSON.stringify(views)).not.toContain('chosen-by-the-attacker');
      const changed = await put('/api/token/', user, { ...smuggled, id: token?.id, name: 'renamed' });
      expect(changed.body.success).toBe(true);
      expect(await rows()).toEqual([{ ...token, name: 'renamed' } as never]);

      const admin = await app.actor({ role: ROLE.admin });
      const fields = {
        quota: 5_000_000,
        used_quota: -1,
        aff_quota: 9,
        status: 2,
        id: 88_888,
        access_token_digest: 'x',
      };
      const username = `s3${database}`;
      const created = await app.request('/api/user/', {
        as: admin,
        body: { ...fields, username, password: PASSWORD },
      });
      expect(created.body.success).toBe(true);
      const person = await app.store.db
        .selectFrom('users')
        .select(['id', 'role', 'quota', 'used_quota', 'aff_quota', 'status', 'access_token_digest'])
        .where('username', '=', username)
        .executeTakeFirstOrThrow();
      expect(person).toMatchObject({
        role: 1,
        quota: 0,
        used_quota: 0,
        aff_quota: 0,
        status: 1,
        access_token_digest: null,
      });
      expect(person.id).not.toBe(88_888);
      faultSeen(
        'S3',
        `${Object.keys(smuggled).length} fields of tokens and ${Object.keys(fields).length} of users: ignored`,
      );
    });

    test('S21 unknown options, names of JavaScript properties, wrong types and huge texts change nothing (plan S21)', async () => {
      const before = app.settings.current;
      const stored = () => app.store.db.selectFrom('options').select('key').execute();
      const rows = await stored();
      for (const key of [
        'NoSuchOption',
        '__proto__',
        'constructor',
        'prototype',
        'toString',
        'hasOwnProperty',
        '',
      ])
        expect([key, (await saveOption(key, 'x')).body.success]).toEqual([key, false]);
      for (const key of [null, 7, ['Notice'], { key: 'Notice' }, undefined])
        expect((await saveOption(key, 'x')).body.success).toBe(false);
      for (const value of [null, ['x'], { toString: 'x' }, undefined])
        expect((await saveOption('Notice', value)).body.success).toBe(false);
      for (const [key, value] of [
        ['RetryTimes', 'many'],
        ['RetryTimes', 1.5],
        ['RetryTimes', -1],
        ['RetryTimes', 1e308],
        ['RegisterEnabled', 'perhaps'],
        ['ModelRatio', '{"gpt-4o":{"deep":1}}'],
        ['ModelRatio', '{"gpt-4o":1e999}'],
        ['GroupRatio', '['.repeat(100_000)],
        ['Notice', 'x'.repeat(2_000_001)],
        ['SystemName', 'x'.repeat(100_000)],
      ] as const) {
        const reply = await saveOption(key, value);
        expect([key, String(value).slice(0, 40), reply.body.success]).toEqual([
          key,
          String(value).slice(0, 40),
          false,
        ]);
        expect(reply.status).toBeLessThan(500);
      }
      expect(app.settings.current).toEqual(before);
      // Inside a table of ratios such a name is dropped, and changes no object.
      await saveOption(
        'ModelRatio',
        '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
      );
      await saveOption('ModelRatio', '{"__proto__":{"polluted":1}}');
      expect(Object.keys(app.settings.current.ModelRatio)).toEqual([]);
      expect(Object.getPrototypeOf(app.settings.current.ModelRatio)).toBe(Object.prototype);
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
      await app.settings.reset('ModelRatio', 1);
      expect(await stored()).toEqual(rows);
      faultSeen(
        'S21',
        'unknown keys, prototype keys, wrong types, huge and nested texts: refused, nothing stored',
      );
    });

    test('S25 a masked secret sent back by a form keeps the stored one (plan S25)', async () => {
      const secrets = SETTING_KEYS.filter((key) => settingOf(key).kind === 'secret');
      for (const key of secrets) expect((await saveOption(key, `real-${key}`)).body.success).toBe(true);
      for (const key of secrets)
        for (const masked of ['sk-****', '********', '••••••••', 'real****oken', SECRET_MARK, '']) {
          expect([key, masked, (await saveOption(key, masked)).body.success]).toEqual([key, masked, true]);
          expect(app.settings.current[key]).toBe(`real-${key}`);
        }
      const created = await app.request('/api/channel/', {
        as: root,
        body: {
          name: 's25',
          type: CHANNEL_TYPE.openAi,
          key: 'sk-the-real-key-of-the-channel',
          base_url: 'http://127.0.0.1:9',
          models: 'm',
          groups: 'default',
        },
      });
      expect(created.body.success).toBe(true);
      const sealed = () =>
        app.store.db
          .selectFrom('channels')
          .select(['id', 'key_sealed', 'key_digest', 'key_hint'])
          .where('name', '=', 's25')
          .executeTakeFirstOrThrow();
      const before = await sealed();
      for (const key of ['sk-****', `****${before.key_hint}`, '••••••', SECRET_MARK, '']) {
        expect((await put('/api/channel/', root, { id: before.id, key })).body.success).toBe(true);
        expect(await sealed()).toEqual(before);
      }
      faultSeen('S25', `6 masks on ${secrets.length} secrets, 5 on the key of a channel: stored value kept`);
      // A mask is also refused as the key that a new address needs.
      const moved = await put('/api/channel/', root, {
        id: before.id,
        key: 'sk-****',
        base_url: 'http://127.0.0.1:10',
      });
      expect(moved.body.code).toBe('channel_key_needed_for_address');
      expect(
        (await put('/api/channel/', root, { id: before.id, key: 'sk-another-real-key' })).body.success,
      ).toBe(true);
      expect(await sealed()).not.toEqual(before);
    });
  });
}
