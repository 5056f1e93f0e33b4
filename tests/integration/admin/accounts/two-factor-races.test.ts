// Races for two-factor codes, on both databases: a TOTP step and a recovery code are each valid once, also for
// concurrent calls of several sessions.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { stepAt, totpCode } from '#server/admin/security/totp.ts';
import {
  startApplication,
  USER_PASSWORD,
  type Actor,
  type Reply,
  type TestApplication,
} from '#tests/support/application.ts';

const nowSeconds = () => Math.floor(Date.now() / 1000);
/** One below the number of tries that delays the account: a delay would hide a second success. */
const PARALLEL = 4;
const ROUNDS = 3;

describe.each(['sqlite', 'postgres'] as const)('%s', (database) => {
  let app: TestApplication;
  beforeAll(async () => {
    app = await startApplication({ database });
  });
  afterAll(() => app.close());

  const cookieOf = (reply: Reply) => reply.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const codeNow = (secret: string) => totpCode(secret, stepAt(nowSeconds()));
  const wins = (replies: readonly Reply[]) => replies.filter(({ body }) => body.success).length;
  const refusals = (replies: readonly Reply[]) =>
    replies.filter(({ body }) => body.code === 'two_factor_code_wrong').length;

  async function withTwoFactor() {
    const actor = await app.actor();
    const client = app.client(actor);
    const { secret } = await client.security.twoFactorSetup();
    const { recovery_codes } = await client.security.twoFactorEnable({
      body: { code: await codeNow(secret) },
    });
    await reset(actor);
    return { actor, secret, recoveryCodes: recovery_codes };
  }

  /** Resets the used steps and the counted tries. */
  const reset = ({ id }: Actor) =>
    app.store.db
      .updateTable('totp_secrets')
      .set({ last_step: 0, failures: 0, blocked_until: 0 })
      .where('user_id', '=', id)
      .execute();

  async function firstSteps({ username }: Actor): Promise<string[]> {
    const cookies: string[] = [];
    for (let count = 0; count < PARALLEL; count += 1) {
      const body = { username, password: USER_PASSWORD };
      cookies.push(cookieOf(await app.request('/api/user/login', { body })));
    }
    return cookies;
  }
  const secondStep = (cookie: string, code: string) =>
    app.request('/api/user/login/2fa', { body: { code }, headers: { Cookie: cookie } });

  test('A12 of concurrent sign-ins with one TOTP step exactly one succeeds', async () => {
    const { actor, secret } = await withTwoFactor();
    for (let round = 0; round < ROUNDS; round += 1) {
      await reset(actor);
      const cookies = await firstSteps(actor);
      const code = await codeNow(secret);
      const replies = await Promise.all(cookies.map((cookie) => secondStep(cookie, code)));
      expect([wins(replies), refusals(replies)]).toEqual([1, PARALLEL - 1]);
      const losers = cookies.filter((_, index) => replies[index]?.body.success === false);
      for (const cookie of losers)
        expect((await app.request('/api/user/self', { as: { ...actor, cookie } })).status).toBe(401);
    }
  });

  test('A12 of concurrent sign-ins with one recovery code, in any spelling, exactly one succeeds', async () => {
    const { actor, recoveryCodes } = await withTwoFactor();
    for (const code of recoveryCodes.slice(0, ROUNDS)) {
      await reset(actor);
      const cookies = await firstSteps(actor);
      const spelled = [code, code.toUpperCase(), code.replace('-', ''), ` ${code.replace('-', ' ')} `];
      const replies = await Promise.all(
        cookies.map((cookie, index) => secondStep(cookie, spelled[index] ?? '')),
      );
      expect([wins(replies), refusals(replies)]).toEqual([1, PARALLEL - 1]);
    }
    const left = await app.store.db
      .selectFrom('recovery_codes')
      .select('id')
      .where('user_id', '=', actor.id)
      .where('used_at', '=', 0)
      .execute();
    expect(left).toHaveLength(recoveryCodes.length - ROUNDS);
  });

  test('A12 one sign-in that sends its code several times concurrently gets one session', async () => {
    const { actor, secret } = await withTwoFactor();
    const [cookie = ''] = await firstSteps(actor);
    const code = await codeNow(secret);
    const replies = await Promise.all(Array.from({ length: PARALLEL }, () => secondStep(cookie, code)));
    expect(wins(replies)).toBe(1);
  });

  test('A12 one code sent concurrently for a sign-in, a step-up, new recovery codes and disabling is valid once', async () => {
    for (const kind of ['step', 'recovery'] as const) {
      const { actor, secret, recoveryCodes } = await withTwoFactor();
      const [cookie = ''] = await firstSteps(actor);
      const code = kind === 'step' ? await codeNow(secret) : (recoveryCodes[0] ?? '');
      const replies = await Promise.all([
        secondStep(cookie, code),
        app.request('/api/user/security/confirm', { as: actor, body: { code } }),
        app.request('/api/user/2fa/backup_codes', { as: actor, body: { code } }),
        app.request('/api/user/2fa/disable', { as: actor, body: { code } }),
      ]);
      expect([kind, wins(replies)]).toEqual([kind, 1]);
    }
  });

  test('A12 a step is invalid once a later one was used', async () => {
    const { actor, secret } = await withTwoFactor();
    const cookies = await firstSteps(actor);
    const step = stepAt(nowSeconds());
    const [now, before] = [await totpCode(secret, step), await totpCode(secret, step - 1)];
    expect((await secondStep(cookies[0] ?? '', now)).body.success).toBe(true);
    expect((await secondStep(cookies[1] ?? '', before)).body.code).toBe('two_factor_code_wrong');
  });

  test('A12 of two concurrent first codes that enable two-factor one succeeds, with one set of recovery codes', async () => {
    const actor = await app.actor();
    const { secret } = await app.client(actor).security.twoFactorSetup();
    const code = await codeNow(secret);
    const enable = () => app.request('/api/user/2fa/enable', { as: actor, body: { code } });
    const replies = await Promise.all([enable(), enable(), enable()]);
    expect(wins(replies)).toBe(1);
    const codes = await app.store.db
      .selectFrom('recovery_codes')
      .select('id')
      .where('user_id', '=', actor.id)
      .execute();
    expect(codes).toHaveLength(10);
  });
});
