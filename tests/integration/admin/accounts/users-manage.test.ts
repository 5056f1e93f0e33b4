// User management through the real server, on both databases: who may change whom, and the effects.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { MANAGE_ACTIONS, type ManageAction } from '#contract/admin/user-management.ts';
import { checkTrail } from '#server/admin/http/audit-check.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import {
  ROOT_PASSWORD,
  startApplication,
  USER_PASSWORD,
  type Actor,
  type TestApplication,
} from '#tests/support/application.ts';
import { faultSeen } from '#tests/support/fault-report.ts';

const PASSWORD = 'a-fine-password';
let count = 0;
const newName = () => `m${Date.now().toString(36).slice(-6)}${(count += 1)}`;

for (const database of ['sqlite', 'postgres'] as const) {
  describe(database, () => {
    let app: TestApplication;
    let root: Actor;
    let admin: Actor;
    let user: Actor;
    beforeAll(async () => {
      app = await startApplication({
        database,
        settings: { GroupRatio: '{"default":1,"vip":0.5,"svip":2}' },
      });
      root = await app.login('root', ROOT_PASSWORD);
      admin = await app.actor({ role: ROLE.admin });
      user = await app.actor();
    }, 30_000);
    afterAll(() => app.close());

    const manage = (as: Actor, id: number, action: string) =>
      app.request('/api/user/manage', { as, body: { id, action } });
    const change = (as: Actor, body: object) => app.request('/api/user/', { method: 'PUT', as, body });
    const create = (as: Actor, body: object) => app.request('/api/user/', { as, body });
    const rowOf = (id: number) =>
      app.store.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    const lastAudit = (id: number) =>
      app.store.db
        .selectFrom('audit')
        .selectAll()
        .where('target', '=', `user:${id}`)
        // The user's own sign-ins are between these rows.
        .where('action', 'not like', 'session.%')
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirst();
    /** Authenticator, a recovery code and a passkey. */
    const giveKeys = async (id: number) => {
      const { db } = app.store;
      await db
        .insertInto('totp_secrets')
        .values({ user_id: id, secret_sealed: 'sealed', enabled_at: 1_700_000_000 })
        .execute();
      await db.insertInto('recovery_codes').values({ user_id: id, code_digest: 'd' }).execute();
      await db
        .insertInto('passkeys')
        .values({ user_id: id, credential_id: newName(), public_key: 'k', created_at: 1 })
        .execute();
    };
    /** Opens the session before the time that a sensitive call accepts. */
    async function stale(actor: Actor): Promise<Actor> {
      await app.store.db
        .updateTable('sessions')
        .set({ verified_at: 1_700_000_000 })
        .where('user_id', '=', actor.id)
        .execute();
      await app.store.changes.announce('sessions');
      return actor;
    }

    describe('S4 levels', () => {
      test('ACC-2.17 ACC-6.15 ACC-8.40 an ordinary user is refused on every endpoint (plan S4)', async () => {
        for (const [method, path] of [
          ['GET', '/api/user/'],
          ['GET', '/api/user/search'],
          ['GET', `/api/user/${user.id}`],
          ['POST', '/api/user/'],
          ['PUT', '/api/user/'],
          ['POST', '/api/user/manage'],
          ['GET', `/api/user/${user.id}/usage`],
        ] as const) {
          const body = method === 'GET' ? {} : { body: {} };
          const reply = await app.request(path, { method, as: user, ...body });
          expect([path, reply.status, reply.body.code]).toEqual([path, 403, 'no_permission']);
        }
        faultSeen('S4', 'a user on 7 endpoints of administrators: 403');
      });

      test('ACC-1.14 an admin also manages channels, which an ordinary user cannot', async () => {
        const body = {
          name: 'by-admin',
          type: CHANNEL_TYPE.openAi,
          key: 'sk-upstream',
          base_url: 'http://127.0.0.1:9',
          models: 'm',
          groups: 'default',
        };
        const refused = await app.request('/api/channel/', { as: user, body });
        expect([refused.status, refused.body.code]).toEqual([403, 'no_permission']);
        expect((await app.request('/api/channel/', { as: admin, body })).body.success).toBe(true);
        const listed = await app.request('/api/channel/', { as: admin });
        expect(JSON.stringify(listed.body.data)).toContain('by-admin');
      });

      test('ACC-6.21 ACC-7.14 a user is read by higher roles and by themselves', async () => {
        expect((await app.client(admin).users.read({ params: { id: user.id } })).username).toBe(
          user.username,
        );
        expect((await app.client(admin).users.read({ params: { id: admin.id } })).id).toBe(admin.id);
        const equal = await app.createUser({ role: ROLE.admin });
        const second = await app.createUser({ role: ROLE.root });
        for (const [as, id] of [
          [admin, equal.id],
          [admin, root.id],
          [root, second.id],
        ] as const) {
          const reply = await app.request(`/api/user/${id}`, { as });
          expect([reply.status, reply.body.code]).toEqual([403, 'user_level_too_high']);
          const usage = await app.request(`/api/user/${id}/usage`, { as });
          expect([usage.status, usage.body.code]).toEqual([403, 'user_level_too_high']);
        }
      });

      test('ACC-6.22 an admin cannot change users of the same or a higher role, nor themselves here (plan S4)', async () => {
        const equal = await app.createUser({ role: ROLE.admin });
        for (const [as, id] of [
          [admin, equal.id],
          [admin, root.id],
          [admin, admin.id],
          [root, root.id],
        ] as const) {
          const reply = await change(as, { id, display_name: 'taken', quota_change: 5, password: PASSWORD });
          expect([reply.status, reply.body.code]).toEqual([403, 'user_not_manageable']);
        }
        expect((await rowOf(equal.id)).display_name).not.toBe('taken');
        faultSeen('S4', 'changes of equal and higher roles: refused');
      });

      test('ACC-6.23 ACC-6.26 ACC-6.27 ACC-6.28 no action applies to the same role, oneself or the super admin (plan S4)', async () => {
        const equal = await app.createUser({ role: ROLE.admin });
        for (const action of MANAGE_ACTIONS)
          expect((await manage(admin, equal.id, action)).body.code).toBe('user_not_manageable');
        for (const action of MANAGE_ACTIONS)
          expect((await manage(admin, admin.id, action)).body.success).toBe(false);
        const refused: Record<ManageAction, string> = {
          promote: 'user_not_manageable',
          demote: 'root_not_demoted',
          disable: 'root_not_disabled',
          enable: 'user_not_manageable',
          delete: 'root_not_deleted',
        };
        const second = await app.createUser({ role: ROLE.root });
        for (const [as, id] of [
          [admin, root.id],
          [root, root.id],
          [root, second.id],
        ] as const)
          for (const action of MANAGE_ACTIONS)
            expect([action, (await manage(as, id, action)).body.code]).toEqual([action, refused[action]]);
        expect(await rowOf(root.id)).toMatchObject({ role: 100, status: 1, deleted_at: null });
        expect((await app.request('/api/user/self', { as: root })).status).toBe(200);
        faultSeen('S4', `${MANAGE_ACTIONS.length} actions on equals, oneself and the super admin: refused`);
      });

      test('ACC-6.24 an admin cannot create users of the same or a higher role (plan S4)', async () => {
        for (const [as, role] of [
          [admin, 10],
          [admin, 100],
          [root, 100],
          [root, 1000],
        ] as const) {
          const reply = await create(as, { username: newName(), password: PASSWORD, role });
          expect([reply.status, reply.body.code]).toEqual([403, 'user_create_level']);
        }
        const made = await create(root, { username: newName(), password: PASSWORD, role: 10 });
        expect(made.body.data).toMatchObject({ role: 10 });
        faultSeen('S4', 'creating an equal or a higher role: refused');
      });

      test('ACC-6.25 a regular admin cannot promote (plan S4)', async () => {
        const target = await app.createUser();
        const reply = await manage(admin, target.id, 'promote');
        expect([reply.status, reply.body.code]).toEqual([403, 'promotion_needs_root']);
        expect((await rowOf(target.id)).role).toBe(1);
        faultSeen('S4', 'a promotion by an admin: refused');
      });
    });

    describe('create', () => {
      test('ACC-7.04 ACC-7.05 ACC-1.13 ACC-6.08 an admin creates a user who can sign in', async () => {
        const username = newName();
        const reply = await create(admin, { username, display_name: 'New One', password: PASSWORD });
        expect(reply.body).toMatchObject({
          success: true,
          data: { username, display_name: 'New One', role: 1 },
        });
        expect((await app.login(username, PASSWORD)).role).toBe(1);
        const { id } = reply.body.data as { id: number };
        expect(await lastAudit(id)).toMatchObject({ action: 'user.create', actor_id: admin.id });
      });

      test('ACC-8.07 ACC-5.01 ACC-5.02 name and password are required, a password has 8 characters', async () => {
        const code = async (body: object) => (await create(admin, body)).body.code;
        expect(await code({ username: ' ', password: PASSWORD })).toBe('credentials_required');
        expect(await code({ username: newName(), password: '' })).toBe('credentials_required');
        expect(await code({ username: newName(), password: 'seven77' })).toBe('password_too_short');
        expect(await code({ username: user.username.toUpperCase(), password: PASSWORD })).toBe(
          'username_taken',
        );
        expect(await code({ username: 'a\u200Bb', password: PASSWORD })).toBe('invalid_parameter');
        expect(await code({ username: newName(), password: PASSWORD, group: 'nowhere' })).toBe(
          'group_unknown',
        );
      });

      test('of several concurrent creations one gets the name; each new user starts with the initial quota, booked', async () => {
        await app.settings.set('QuotaForNewUser', '1234', 1);
        try {
          const username = newName();
          const replies = await Promise.all(
            Array.from({ length: 5 }, () => create(admin, { username, password: PASSWORD, quota: 1e9 })),
          );
          expect(replies.filter(({ body }) => body.success)).toHaveLength(1);
          expect(replies.filter(({ body }) => body.code === 'username_taken')).toHaveLength(4);
          const made = await app.store.db
            .selectFrom('users')
            .select(['id', 'quota'])
            .where('username', '=', username)
            .executeTakeFirstOrThrow();
          expect(made.quota).toBe(1234);
          const entries = await app.store.db
            .selectFrom('ledger')
            .select(['kind', 'amount'])
            .where('user_id', '=', made.id)
            .execute();
          expect(entries).toEqual([{ kind: 'signup', amount: 1234 }]);
        } finally {
          await app.settings.reset('QuotaForNewUser', 1);
        }
      });
    });

    describe('change', () => {
      test('ACC-7.16 name, display name and group change; nothing else does', async () => {
        const target = await app.createUser({ quota: 10 });
        const username = newName();
        const reply = await change(admin, {
          id: target.id,
          username,
          display_name: '新名字',
          group: 'vip',
          used_quota: 99,
          request_count: 99,
        });
        expect(reply.body).toMatchObject({
          success: true,
          data: { username, display_name: '新名字', group: 'vip' },
        });
        expect(await rowOf(target.id)).toMatchObject({
          role: 1,
          status: 1,
          aff_quota: 0,
          used_quota: 0,
          email: '',
          quota: 10,
        });
        const { action, before, after } = (await lastAudit(target.id)) ?? {};
        expect([action, JSON.parse(before ?? ''), JSON.parse(after ?? '')]).toEqual([
          'user.change',
          { username: target.username, display_name: '', group: 'default' },
          { username, display_name: '新名字', group: 'vip' },
        ]);
        expect((await change(admin, { id: target.id, group: 'nowhere' })).body.code).toBe('group_unknown');
        expect((await change(admin, { id: target.id, username: user.username })).body.code).toBe(
          'username_taken',
        );
        expect((await change(admin, { id: 999_999_999, display_name: 'x' })).body.code).toBe(
          'user_unavailable',
        );
      });

      test('ACC-5.22 a new password ends all sessions of the user; a blank one changes nothing', async () => {
        const target = await app.actor();
        expect((await change(admin, { id: target.id, password: '' })).body.success).toBe(true);
        expect((await app.request('/api/user/self', { as: target })).status).toBe(200);
        expect((await change(admin, { id: target.id, password: 'short' })).body.code).toBe(
          'password_too_short',
        );
        expect((await change(admin, { id: target.id, password: PASSWORD })).body.success).toBe(true);
        expect((await app.request('/api/user/self', { as: target })).status).toBe(401);
        expect((await app.login(target.username, PASSWORD)).id).toBe(target.id);
        expect(await lastAudit(target.id)).toMatchObject({
          action: 'user.set_password',
          before: '',
          after: '',
        });
      });

      test('ACC-6.29 ACC-6.30 ACC-0.04 quota is added and removed through the ledger, with its reason in the log', async () => {
        const target = await app.createUser({ quota: 1000 });
        const added = await change(admin, {
          id: target.id,
          quota_change: 500,
          quota_reason: 'bank transfer',
        });
        expect(added.body.data).toMatchObject({ quota: 1500 });
        const taken = await change(admin, { id: target.id, quota_change: -600, quota_reason: 'refunded' });
        expect(taken.body.data).toMatchObject({ quota: 900 });
        const entries = await app.store.db
          .selectFrom('ledger')
          .select(['kind', 'amount', 'debit_account', 'credit_account', 'reference'])
          .where('user_id', '=', target.id)
          .where('kind', '=', 'admin')
          .orderBy('id')
          .execute();
        expect(entries).toEqual([
          {
            kind: 'admin',
            amount: 500,
            debit_account: 'world:admin',
            credit_account: `user:${target.id}`,
            reference: `admin:${admin.id} bank transfer`,
          },
          {
            kind: 'admin',
            amount: 600,
            debit_account: `user:${target.id}`,
            credit_account: 'world:admin',
            reference: `admin:${admin.id} refunded`,
          },
        ]);
        const logs = await app.store.db
          .selectFrom('logs')
          .select(['type', 'quota', 'content', 'other'])
          .where('user_id', '=', target.id)
          .orderBy('id')
          .execute();
        expect(logs.map(({ type, quota }) => [type, quota])).toEqual([
          [3, 500],
          [3, 600],
        ]);
        expect(logs[0]?.content).toContain('bank transfer');
        expect(logs[0]?.content).not.toContain(admin.username);
        expect(JSON.parse(logs[0]?.other ?? '')).toEqual({
          admin_info: { admin_id: admin.id, admin_username: admin.username },
        });
        const { action, after } = (await lastAudit(target.id)) ?? {};
        expect([action, JSON.parse(after ?? '')]).toEqual([
          'user.quota',
          { quota: 900, difference: -600, reason: 'refunded' },
        ]);
      });

      test('ACC-8.27 more than the free balance cannot be removed; holds of running calls stay', async () => {
        const target = await app.createUser({ quota: 100 });
        const all = await change(admin, { id: target.id, quota_change: -101 });
        expect(all.body).toMatchObject({ success: false, code: 'user_quota_short' });
        expect(all.body.message).toContain('100');
        expect((await rowOf(target.id)).quota).toBe(100);
        expect((await change(admin, { id: target.id, quota_change: -100 })).body.data).toMatchObject({
          quota: 0,
        });
      });

      test('a form sent twice books once; a whole balance is applied as the difference to the loaded one', async () => {
        const target = await app.createUser({ quota: 100 });
        const body = { id: target.id, quota_change: 50, quota_key: 'one-press' };
        await Promise.all([change(admin, body), change(admin, body), change(admin, body)]);
        expect((await rowOf(target.id)).quota).toBe(150);
        await change(admin, { id: target.id, quota: 130, loaded_quota: 100 });
        expect((await rowOf(target.id)).quota).toBe(180);
        await change(admin, { id: target.id, quota: 20 });
        expect((await rowOf(target.id)).quota).toBe(20);
      });

      test('the key of a form is of one administrator, one user and one amount: another of them is another booking (M21)', async () => {
        const [one, other] = [await app.createUser({ quota: 100 }), await app.createUser({ quota: 100 })];
        const send = (as: Actor, { id }: { id: number }, quota_change: number) =>
          change(as, { id, quota_change, quota_key: 'the-same-key' });
        for (const _again of ['first', 'second']) {
          for (const reply of [
            await send(admin, one, 50),
            await send(admin, one, -20),
            await send(admin, other, 50),
            await send(root, one, 50),
          ])
            expect(reply.body.success).toBe(true);
          expect([(await rowOf(one.id)).quota, (await rowOf(other.id)).quota]).toEqual([180, 150]);
        }
      });

      test('ACC-5.23 a quota that is no whole number is refused', async () => {
        const target = await app.createUser({ quota: 100 });
        for (const quota_change of [1.5, 'ten', null, 1e300])
          expect((await change(admin, { id: target.id, quota_change })).body.code).toBe('invalid_parameter');
      });
    });

    describe('manage', () => {
      test('ACC-7.18 ACC-7.19 ACC-7.20 ACC-4.04 ACC-4.05 promote and demote by the super admin', async () => {
        const target = await app.createUser();
        const up = await manage(root, target.id, 'promote');
        expect(up.body).toMatchObject({ success: true, data: { role: 10, status: 1 } });
        expect((await manage(root, target.id, 'promote')).body.code).toBe('user_already_admin');
        const down = await manage(root, target.id, 'demote');
        expect(down.body.data).toMatchObject({ role: 1, status: 1 });
        expect((await manage(root, target.id, 'demote')).body.code).toBe('user_already_ordinary');
        const { action, before, after } = (await lastAudit(target.id)) ?? {};
        expect([action, JSON.parse(before ?? '').role, JSON.parse(after ?? '').role]).toEqual([
          'user.demote',
          10,
          1,
        ]);
      });

      test('ACC-7.21 ACC-7.22 ACC-7.24 ACC-4.01 ACC-4.02 ACC-3.023 ACC-3.024 ACC-8.29 disable ends sessions and refuses logins, enable allows logins again', async () => {
        const target = await app.actor();
        const banned = await manage(admin, target.id, 'disable');
        expect(banned.body.data).toMatchObject({ status: 2, role: 1 });
        expect((await app.request('/api/user/self', { as: target })).status).toBe(401);
        const login = { username: target.username, password: USER_PASSWORD };
        expect((await app.request('/api/user/login', { body: login })).body.code).toBe('wrong_credentials');
        const enabled = await manage(admin, target.id, 'enable');
        expect(enabled.body.data).toMatchObject({ status: 1, role: 1 });
        // The old session stays ended; a new login works.
        expect((await app.request('/api/user/self', { as: target })).status).toBe(401);
        expect((await app.login(target.username)).id).toBe(target.id);
      });

      test('ACC-7.23 a deleted user cannot sign in, keeps the name, and no further action applies', async () => {
        const target = await app.actor();
        const gone = await manage(admin, target.id, 'delete');
        expect(gone.body.data).toMatchObject({ status: 1, role: 1 });
        expect((gone.body.data as { DeletedAt: number }).DeletedAt).toBeGreaterThan(0);
        expect((await app.request('/api/user/self', { as: target })).status).toBe(401);
        for (const action of MANAGE_ACTIONS)
          expect((await manage(root, target.id, action)).body.code).toBe('user_is_deleted');
        expect((await change(admin, { id: target.id, display_name: 'x' })).body.code).toBe('user_is_deleted');
        const again = await create(admin, { username: target.username, password: PASSWORD });
        expect(again.body.code).toBe('username_taken');
      });

      test('ACC-4.03 ACC-3.025 only the super admin can lift a suspension, with a reason', async () => {
        const target = await app.createUser({ row: { status: 3, suspended_reason: 'balance: off by 5' } });
        expect((await manage(root, target.id, 'enable')).body.code).toBe('user_suspended');
        expect((await manage(root, target.id, 'disable')).body.code).toBe('user_suspended');
        const lift = (as: Actor, body: object) => app.request(`/api/user/${target.id}/lift`, { as, body });
        expect((await lift(admin, { reason: 'x' })).status).toBe(403);
        expect((await lift(root, { reason: ' ' })).body.code).toBe('invalid_parameter');
        expect((await lift(root, { reason: 'books repaired' })).body.data).toMatchObject({ status: 1 });
        expect((await lift(root, { reason: 'again' })).body.code).toBe('user_not_suspended');
        expect(await rowOf(target.id)).toMatchObject({ status: 1, suspended_reason: '' });
        expect((await lastAudit(target.id))?.after).toContain('books repaired');
      });

      test('unknown actions and unknown users are refused', async () => {
        expect((await manage(root, user.id, 'explode')).body.code).toBe('invalid_parameter');
        expect((await manage(root, 999_999_999, 'disable')).body.code).toBe('user_unavailable');
      });

      test('two-factor is reset: authenticator, recovery codes and passkeys are removed, sessions end', async () => {
        const target = await app.actor();
        await giveKeys(target.id);
        expect((await app.client(admin).users.read({ params: { id: target.id } })).two_factor).toBe(true);
        const path = `/api/user/${target.id}/reset_two_factor`;
        expect((await app.request(path, { as: user, body: {} })).status).toBe(403);
        const reply = await app.request(path, { as: admin, body: {} });
        expect(reply.body.data).toMatchObject({ two_factor: false });
        for (const table of ['totp_secrets', 'recovery_codes', 'passkeys', 'sessions'] as const) {
          const rows = await app.store.db
            .selectFrom(table)
            .selectAll()
            .where('user_id', '=', target.id)
            .execute();
          expect([table, rows.length]).toEqual([table, 0]);
        }
        expect(await lastAudit(target.id)).toMatchObject({ action: 'user.reset_two_factor' });
      });

      test.each([
        ['a passkey without anything else stays', { password_hash: '' }, 1],
        [
          'an outside account of a disabled provider does not count',
          { password_hash: '', github_id: '7' },
          1,
        ],
        ['with a password it goes', {}, 0],
      ])('two-factor is reset, but not the last way to sign in: %s', async (_, row, left) => {
        const target = await app.createUser({ row });
        await giveKeys(target.id);
        const reply = await app.request(`/api/user/${target.id}/reset_two_factor`, { as: admin, body: {} });
        expect(reply.body.data).toMatchObject({ two_factor: left === 1 });
        for (const [table, rows] of [
          ['totp_secrets', 0],
          ['recovery_codes', 0],
          ['passkeys', left],
        ] as const) {
          const found = await app.store.db
            .selectFrom(table)
            .selectAll()
            .where('user_id', '=', target.id)
            .execute();
          expect([table, found.length]).toEqual([table, rows]);
        }
        const { after } = (await lastAudit(target.id)) ?? {};
        expect(JSON.parse(String(after))).toEqual({
          two_factor: true,
          passkeys: 1 - left,
          passkeys_kept: left,
        });
      });
    });

    test('A13 an old session needs a step-up for roles, deletion, passwords, two-factor and large sums', async () => {
      const target = await app.createUser({ quota: 10 });
      const old = await stale(await app.login('root', ROOT_PASSWORD));
      const asks = async (call: Promise<{ status: number; body: { code?: string } }>) => {
        const { status, body } = await call;
        return status === 403 && body.code === 'step_up_required';
      };
      for (const action of ['promote', 'delete'])
        expect(await asks(manage(old, target.id, action))).toBe(true);
      expect(await asks(change(old, { id: target.id, password: PASSWORD }))).toBe(true);
      expect(await asks(change(old, { id: target.id, quota_change: 50_000_001 }))).toBe(true);
      expect(await asks(app.request(`/api/user/${target.id}/reset_two_factor`, { as: old, body: {} }))).toBe(
        true,
      );
      expect((await change(old, { id: target.id, quota_change: 50_000_000 })).body.success).toBe(true);
      expect((await manage(old, target.id, 'disable')).body.success).toBe(true);
      root = await app.login('root', ROOT_PASSWORD);
    });

    test('the card shows thirty days of calls, the costliest models and the movements of the balance', async () => {
      const target = await app.createUser({ quota: 100 });
      const hour = Math.floor(Date.now() / 3_600_000) * 3600;
      const cell = (at: number, model_name: string, quota: number) => ({
        hour: at,
        user_id: target.id,
        token_id: 0,
        channel_id: 1,
        model_name,
        count: 2,
        quota,
        prompt_tokens: 10,
        completion_tokens: 5,
        error_count: 1,
      });
      await app.store.db
        .insertInto('usage_hours')
        .values([
          cell(hour, 'cheap', 10),
          cell(hour, 'dear', 90),
          cell(hour - 86_400, 'dear', 40),
          cell(hour - 40 * 86_400, 'old', 7777),
        ])
        .execute();
      await change(admin, { id: target.id, quota_change: -30, quota_reason: 'correction' });
      const usage = await app.client(admin).userManagement.usage({ params: { id: target.id } });
      expect(usage.days).toHaveLength(30);
      expect(usage.days.at(-1)).toMatchObject({ quota: 100, count: 4, error_count: 2, tokens: 30 });
      expect(usage.days.reduce((sum, day) => sum + day.quota, 0)).toBe(140);
      expect(usage.models).toEqual([
        { model_name: 'dear', quota: 130, count: 4 },
        { model_name: 'cheap', quota: 10, count: 2 },
      ]);
      expect(usage.entries.map(({ kind, amount }) => [kind, amount])).toEqual([
        ['admin', -30],
        ['test', 100],
      ]);
      expect(usage.last_call_at).toBe(hour);
      expect(usage.tokens).toEqual({ total: 0, enabled: 0 });
      // Figures without charges would count as a breach below.
      await app.store.db.deleteFrom('usage_hours').where('user_id', '=', target.id).execute();
    });

    test('ACC-0.03 after all of this the books balance and the audit chain is intact', async () => {
      expect(await checkInvariants(app.store)).toEqual([]);
      expect(await checkTrail(app.store)).toMatchObject({ fault: null });
    });
  });
}
