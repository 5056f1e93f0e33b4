// A user's own account: system access token, invite earnings, deletion, on both databases.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import {
  startApplication,
  USER_PASSWORD,
  type Actor,
  type TestApplication,
} from '#tests/support/application.ts';
import { faultSeen } from '#tests/support/fault-report.ts';

const UNIT = 500_000;

for (const database of ['sqlite', 'postgres'] as const) {
  describe(database, () => {
    let app: TestApplication;
    beforeAll(async () => {
      app = await startApplication({ database });
    });
    afterAll(() => app.close());

    const rowOf = (id: number) =>
      app.store.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    const audited = (userId: number, action: string) =>
      app.store.db
        .selectFrom('audit')
        .select(['actor_id', 'before', 'after'])
        .where('target', '=', `user:${userId}`)
        .where('action', '=', action)
        .execute();

    describe('the system access token', () => {
      const byToken = (token: string, id: number, header = 'New-Api-User') =>
        app.request('/api/user/self', { headers: { Authorization: token, [header]: String(id) } });

      test('ACC-7.28 ACC-1.08 ACC-6.04 it is shown once, stored as a digest, and acts for its owner', async () => {
        const user = await app.actor();
        const token = await app.client(user).self.accessToken();
        expect(token).toMatch(/^[\dA-Za-z]{32}$/);
        const row = await rowOf(user.id);
        expect(row.access_token_digest).toMatch(/^[\da-f]{64}$/);
        expect(JSON.stringify(row)).not.toContain(token);
        expect(app.logged.join('\n')).not.toContain(token);
        expect((await byToken(token, user.id)).body.data).toMatchObject({ id: user.id });
        expect((await byToken(`Bearer ${token}`, user.id)).status).toBe(200);
        expect((await byToken(token, user.id, 'Tollgate-User')).status).toBe(200);
        expect((await byToken(token, user.id + 1)).status).toBe(401);
        expect((await app.request('/api/user/self', { headers: { Authorization: token } })).status).toBe(401);
        expect(await audited(user.id, 'user.access_token')).toHaveLength(1);
      });

      test('ACC-7.27 a new one invalidates the previous one', async () => {
        const user = await app.actor();
        const first = await app.client(user).self.accessToken();
        const second = await app.client(user).self.accessToken();
        expect((await byToken(first, user.id)).status).toBe(401);
        expect((await byToken(second, user.id)).status).toBe(200);
      });

      test('it cannot make another, change its owner’s credentials, or delete the account', async () => {
        const user = await app.actor();
        const token = await app.client(user).self.accessToken();
        const headers = { Authorization: token, 'New-Api-User': String(user.id) };
        const calls = [
          ['GET', '/api/user/token'],
          ['POST', '/api/user/2fa/setup'],
          ['POST', '/api/user/passkey/register/begin'],
          ['GET', '/api/oauth/email/bind'],
          ['GET', '/api/user/sessions'],
          ['DELETE', '/api/user/self'],
        ] as const;
        for (const [method, path] of calls) {
          const reply = await app.request(path, { method, headers });
          expect([path, reply.status, reply.body.code]).toEqual([path, 403, 'session_only']);
        }
      });
    });

    describe('the password', () => {
      const change = (as: Actor | undefined, body: object, headers: Record<string, string> = {}) =>
        app.request('/api/user/self', { method: 'PUT', as, body, headers });
      const NEXT = 'another-fine-password';

      test('guesses at the old one are delayed like guesses at the login', async () => {
        const user = await app.actor();
        const codes: string[] = [];
        for (let round = 0; round < 6; round += 1)
          codes.push(
            (await change(user, { original_password: `guess-${round}`, password: NEXT })).body.code ?? '',
          );
        expect(codes).toEqual([
          ...Array.from({ length: 5 }, () => 'original_password_wrong'),
          'too_many_attempts',
        ]);
      });

      test('an account without one gets its first from a session with a recent step-up, and from nothing else', async () => {
        const user = await app.actor();
        const token = await app.client(user).self.accessToken();
        await app.store.db
          .updateTable('users')
          .set({ password_hash: '' })
          .where('id', '=', user.id)
          .execute();
        expect((await app.client(user).security.overview()).has_password).toBe(false);
        const headers = { Authorization: token, 'New-Api-User': String(user.id) };
        expect((await change(undefined, { password: NEXT }, headers)).body.code).toBe('session_only');
        await app.store.db
          .updateTable('sessions')
          .set({ verified_at: 0 })
          .where('user_id', '=', user.id)
          .execute();
        await app.store.changes.announce('sessions');
        expect((await change(user, { password: NEXT })).body.code).toBe('step_up_required');
        await app.store.db
          .updateTable('sessions')
          .set({ verified_at: Math.floor(Date.now() / 1000) })
          .where('user_id', '=', user.id)
          .execute();
        await app.store.changes.announce('sessions');
        expect((await change(user, { password: NEXT })).body.success).toBe(true);
        expect((await app.login(user.username, NEXT)).id).toBe(user.id);
      });
    });

    describe('invite earnings', () => {
      /** A user with pending earnings, booked like real ones. */
      async function inviter(earned: number): Promise<Actor> {
        const actor = await app.actor();
        await app.store.db.transaction().execute(async (transaction) => {
          const booked = await app.ledger.transferWithin(transaction, {
            idem: `inviter:test:${actor.id}`,
            userId: actor.id,
            amount: earned,
            from: 'world:signup',
            to: 'aff',
            kind: 'inviter',
            reference: '',
          });
          expect(booked.ok).toBe(true);
        });
        return actor;
      }
      const transfer = (as: Actor, quota: unknown, request_id?: string) =>
        app.request('/api/user/aff_transfer', { as, body: { quota, request_id } });

      test('ACC-7.29 ACC-6.06 the invite code is the one in the account', async () => {
        const user = await app.actor();
        expect(await app.client(user).self.inviteCode()).toBe((await rowOf(user.id)).aff_code);
      });

      test('ACC-7.31 ACC-1.11 a transfer moves the amount and keeps the history', async () => {
        const user = await inviter(3 * UNIT);
        const reply = await transfer(user, UNIT);
        expect(reply.body.data).toEqual({ quota: UNIT, aff_quota: 2 * UNIT });
        expect(await rowOf(user.id)).toMatchObject({
          quota: UNIT,
          aff_quota: 2 * UNIT,
          aff_history_quota: 3 * UNIT,
        });
        const entry = await app.store.db
          .selectFrom('ledger')
          .select(['debit_account', 'credit_account', 'amount'])
          .where('user_id', '=', user.id)
          .where('kind', '=', 'aff_transfer')
          .execute();
        expect(entry).toEqual([
          { debit_account: `aff:${user.id}`, credit_account: `user:${user.id}`, amount: UNIT },
        ]);
        expect(await audited(user.id, 'user.aff_transfer')).toHaveLength(1);
      });

      test('ACC-5.21 ACC-8.12 less than one unit is refused, one unit is not', async () => {
        const user = await inviter(2 * UNIT);
        const small = await transfer(user, UNIT - 1);
        expect(small.body).toMatchObject({
          code: 'transfer_too_small',
          message: 'The transfer amount must be at least $1',
        });
        for (const bad of [-UNIT, 0, 0.5, '1', Number.MAX_SAFE_INTEGER + 10])
          expect((await transfer(user, bad)).body.success).toBe(false);
        expect((await transfer(user, UNIT)).body.success).toBe(true);
      });

      test('more than the earnings is refused', async () => {
        const user = await inviter(UNIT);
        expect((await transfer(user, UNIT + 1)).body.message).toBe(
          'Your invite earnings are too low for this transfer. Enter a smaller amount.',
        );
        expect(await rowOf(user.id)).toMatchObject({ quota: 0, aff_quota: UNIT });
      });

      test('repeated requests of one button press move the amount once', async () => {
        const user = await inviter(5 * UNIT);
        const replies = await Promise.all(
          Array.from({ length: 5 }, () => transfer(user, UNIT, 'press-0001')),
        );
        expect(replies.every(({ body }) => body.success)).toBe(true);
        expect(await rowOf(user.id)).toMatchObject({ quota: UNIT, aff_quota: 4 * UNIT });
      });

      test('M15 a hundred concurrent transfers keep the sum (plan M15)', async () => {
        const user = await inviter(30 * UNIT);
        const replies = await Promise.all(Array.from({ length: 100 }, () => transfer(user, UNIT)));
        expect(replies.filter(({ body }) => body.success)).toHaveLength(30);
        for (const bad of [-UNIT, UNIT - 1]) expect((await transfer(user, bad)).body.success).toBe(false);
        faultSeen(
          'M15',
          `${replies.length} transfers at once of rewards for 30; negative and too small refused`,
        );
        expect(await rowOf(user.id)).toMatchObject({ quota: 30 * UNIT, aff_quota: 0 });
        expect(await checkInvariants(app.store)).toEqual([]);
      });
    });

    describe('deletion', () => {
      test('ACC-7.25 ACC-1.10 ACC-6.05 ACC-3.026 the account is marked deleted and its sessions, tokens and keys stop', async () => {
        const user = await app.actor({ quota: UNIT });
        const client = app.client(user);
        const accessToken = await client.self.accessToken();
        const [token] = await client.tokens.create({ body: { name: 'mine' } });
        const key = token?.key ?? '';
        const model = (path = '/v1/models') =>
          fetch(app.url + path, { headers: { Authorization: `Bearer ${key}` } }).then(({ status }) => status);
        expect(await model()).toBe(200);
        const reply = await app.request('/api/user/self', { method: 'DELETE', as: user });
        const left = { quota: 500_000, aff_quota: 0, plans: [], open_orders: [] };
        expect(reply.body).toEqual({ success: true, message: '', data: left });
        expect(reply.headers.getSetCookie()[0]).toContain('Max-Age=0');

        expect([401, 403]).toContain(await model());
        expect((await app.request('/api/user/self', { as: user })).status).toBe(401);
        const headers = { Authorization: accessToken, 'New-Api-User': String(user.id) };
        expect((await app.request('/api/user/self', { headers })).status).toBe(401);
        const login = { username: user.username, password: USER_PASSWORD };
        expect((await app.request('/api/user/login', { body: login })).body.code).toBe('wrong_credentials');
        const register = await app.request('/api/user/register', {
          body: { username: user.username, password: 'another-password' },
        });
        expect(register.body.code).toBe('username_taken');

        const row = await rowOf(user.id);
        expect(row.deleted_at).toBeGreaterThan(0);
        expect(row.quota).toBe(UNIT);
        expect(await audited(user.id, 'user.leave')).toHaveLength(1);
      });

      test('the super admin cannot delete their account', async () => {
        const root = await app.actor({ role: ROLE.root });
        const reply = await app.request('/api/user/self', { method: 'DELETE', as: root });
        expect(reply.body.message).toBe('The super admin account cannot be deleted');
        expect((await app.request('/api/user/self', { as: root })).status).toBe(200);
      });
    });
  });
}
