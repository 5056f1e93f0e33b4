// Redeeming a code: credited once under every race, refused with the sentences of the specification, limited for guessers.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { ROLE } from '#contract/access.ts';
import { redemptionIdem } from '#server/money/ledger/idempotency.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import {
  startApplication,
  type Actor,
  type Reply,
  type TestApplication,
} from '#tests/support/application.ts';
import { temporaryPlace, type TemporaryPlace } from '#tests/support/databases.ts';
import { faultSeen } from '#tests/support/fault-report.ts';

setDefaultTimeout(120_000);

/** Requests name their own address, as a proxy in front would. */
const environment = { TRUSTED_PROXIES: '127.0.0.1' };
let addresses = 0;
const nextAddress = () => `203.0.${Math.floor((addresses += 1) / 250)}.${(addresses % 250) + 1}`;

describe.each(['sqlite', 'postgres'] as const)('%s', (database) => {
  let place: TemporaryPlace;
  /** SQLite serves one process; on PostgreSQL two nodes share the database. */
  let nodes: TestApplication[];
  let app: TestApplication;
  let admin: Actor;
  beforeAll(async () => {
    place = await temporaryPlace(database);
    // Without `remove`: the place ends after both nodes.
    const { dataDir, databaseUrl } = place;
    const start = (nodeId: string) =>
      startApplication({ place: databaseUrl ? { dataDir, databaseUrl } : { dataDir }, environment, nodeId });
    app = await start('node-1');
    nodes = [app];
    if (database === 'postgres') nodes.push(await start('node-2'));
    admin = await app.actor({ role: ROLE.admin });
  });
  afterAll(async () => {
    expect(await checkInvariants(app.store)).toEqual([]);
    for (const node of nodes) await node.close();
    await place.remove();
  });

  const codesOf = (count: number, fields: Record<string, number> = {}) =>
    app.client(admin).redemptions.create({ body: { name: 'gift', quota: 700, count, ...fields } });
  const oneCode = async (fields: Record<string, number> = {}) => (await codesOf(1, fields))[0] ?? '';
  const redeem = (
    key: string,
    as: Actor,
    { node = app, address = nextAddress(), language = 'en' as const } = {},
  ) =>
    node.request('/api/user/topup', { as, body: { key }, language, headers: { 'X-Forwarded-For': address } });
  const rowOf = async (code: string) =>
    (await app.client(admin).redemptions.search({ query: { keyword: code } })).items[0];

  test('REL-7.47 REL-4.32 REL-1.06 the answer is the added quota; ledger, log, audit trail and code agree', async () => {
    const user = await app.actor({ quota: 50 });
    const code = await oneCode();
    const reply = await redeem(code, user);
    expect([reply.status, reply.body.success, reply.body.data]).toEqual([200, true, 700]);
    expect(await app.ledger.balance(user.id)).toBe(750);
    const row = await rowOf(code);
    expect(row).toMatchObject({ status: 3, used_user_id: user.id });
    const { db } = app.store;
    const entry = await db
      .selectFrom('ledger')
      .selectAll()
      .where('idem', '=', redemptionIdem(row?.id ?? 0))
      .executeTakeFirstOrThrow();
    expect(entry).toMatchObject({
      amount: 700,
      user_id: user.id,
      debit_account: 'world:redeem',
      kind: 'redeem',
    });
    const logs = await db
      .selectFrom('logs')
      .selectAll()
      .where('user_id', '=', user.id)
      .where('type', '=', 1)
      .execute();
    expect(logs).toHaveLength(1);
    expect(logs[0]).toMatchObject({ quota: 700, username: user.username });
    const trail = db.selectFrom('audit').selectAll().where('target', '=', `redemption:${row?.id}`);
    expect(await trail.execute()).toMatchObject([{ action: 'redemption.redeem', actor_id: user.id }]);
    // No log or trail has the code itself.
    expect(JSON.stringify([logs, await trail.execute(), app.logged])).not.toContain(code);
  });

  test('spaces, line breaks, hyphens and capitals in pasted text make no difference', async () => {
    const user = await app.actor();
    for (const disguise of [
      (code: string) => `  ${code}\n`,
      (code: string) => code.toUpperCase().replaceAll(/.{8}/g, '$& '),
      (code: string) => `\u200B${code.slice(0, 16)}-${code.slice(16)}`,
    ])
      expect((await redeem(disguise(await oneCode()), user)).body.data).toBe(700);
  });

  test('REL-8.40 REL-8.41 REL-8.42 invalid, used and missing codes are refused with their sentences', async () => {
    const user = await app.actor();
    const used = await oneCode();
    await redeem(used, user);
    const said = async (key: string, language: 'zh' | 'en') =>
      (
        await app.request('/api/user/topup', {
          as: user,
          body: { key },
          language,
          headers: { 'X-Forwarded-For': nextAddress() },
        })
      ).body.message;
    const unknown = randomBytes(16).toString('hex');
    expect([await said(unknown, 'zh'), await said(unknown, 'en')]).toEqual([
      '兑换码无效，请检查是否复制完整',
      'This redemption code is not valid. Check that it was copied in full.',
    ]);
    expect([await said(used, 'zh'), await said(used, 'en')]).toEqual([
      '该兑换码已被使用',
      'This redemption code has been used',
    ]);
    for (const blank of ['', '  \n'])
      expect([await said(blank, 'zh'), await said(blank, 'en')]).toEqual([
        '未提供兑换码',
        'No redemption code provided',
      ]);
    expect((await app.request('/api/user/topup', { as: user, body: {} })).body.code).toBe(
      'redemption_key_missing',
    );
  });

  test('disabled and expired codes are refused and stay as they are', async () => {
    const user = await app.actor();
    const [disabled, expired] = [await oneCode(), await oneCode()];
    const client = app.client(admin);
    await client.redemptions.change({
      query: { status_only: 'true' },
      body: { id: (await rowOf(disabled))?.id ?? 0, status: 2 },
    });
    await app.store.db
      .updateTable('redemptions')
      .set({ expired_time: Math.floor(Date.now() / 1000) })
      .where('id', '=', (await rowOf(expired))?.id ?? 0)
      .execute();
    expect((await redeem(disabled, user)).body.code).toBe('redemption_disabled');
    expect((await redeem(expired, user)).body.code).toBe('redemption_expired');
    expect(await app.ledger.balance(user.id)).toBe(0);
    expect([(await rowOf(disabled))?.status, (await rowOf(expired))?.status]).toEqual([2, 1]);
  });

  test('a code that would take the balance over its limit is refused and stays unused', async () => {
    const user = await app.actor({ quota: Number.MAX_SAFE_INTEGER - 100 });
    const code = await oneCode();
    expect((await redeem(code, user)).body.code).toBe('redemption_over_limit');
    expect((await rowOf(code))?.status).toBe(1);
  });

  test('M4 200 parallel tries of 20 users on one code over all nodes: one success, one ledger row (plan M4)', async () => {
    const users = await Promise.all(Array.from({ length: 20 }, () => app.actor()));
    const code = await oneCode();
    /** On a slow machine a node may be too busy for a try; it is sent again. */
    async function answered(index: number): Promise<Reply> {
      const as = users[index % users.length] as Actor;
      const node = nodes[index % nodes.length] as TestApplication;
      const reply = await redeem(code, as, { node });
      return reply.status === 503 ? await answered(index) : reply;
    }
    const replies = await Promise.all(Array.from({ length: 200 }, (_, index) => answered(index)));
    const won = replies.filter(({ body }) => body.success);
    expect(won.map(({ body }) => body.data)).toEqual([700]);
    // Every other try reached the code: none was stopped by the limit on guessing.
    const refused = replies.filter(({ body }) => !body.success);
    expect(new Set(refused.map(({ body }) => body.code))).toEqual(new Set(['redemption_used']));
    faultSeen(
      'M4',
      `${database}, nodes: ${nodes.length}: ${won.length} of ${replies.length} tries succeeded`,
    );
    const row = await rowOf(code);
    const balances = await Promise.all(users.map(({ id }) => app.ledger.balance(id)));
    expect(balances.reduce((sum, balance) => sum + balance, 0)).toBe(700);
    expect(balances[users.findIndex(({ id }) => id === row?.used_user_id)]).toBe(700);
    const entries = app.store.db
      .selectFrom('ledger')
      .select('id')
      .where('idem', '=', redemptionIdem(row?.id ?? 0));
    expect(await entries.execute()).toHaveLength(1);
  });

  test('a code is edited, disabled or deleted while it is redeemed: either the change or the redemption is first', async () => {
    const client = app.client(admin);
    const user = await app.actor();
    const codes = await codesOf(30);
    await Promise.all(
      codes.map(async (code, index) => {
        const id = (await rowOf(code))?.id ?? 0;
        const edit = client.redemptions.change({ query: {}, body: { id, quota: 900 } });
        const disable = client.redemptions.change({
          query: { status_only: 'true' },
          body: { id, status: 2 },
        });
        const rival = [edit, disable, client.redemptions.remove({ params: { id } })][index % 3];
        await Promise.allSettled([rival, edit, disable, redeem(code, user)]);
      }),
    );
    const used = await app.store.db
      .selectFrom('redemptions')
      .select('quota')
      .where('used_user_id', '=', user.id)
      .execute();
    expect(await app.ledger.balance(user.id)).toBe(used.reduce((sum, { quota }) => sum + quota, 0));
    expect(await checkInvariants(app.store)).toEqual([]);
  });

  test('a guesser waits: per user and address, on every node; other users and a right code do not', async () => {
    const guesser = await app.actor();
    const address = nextAddress();
    const guess = (node: TestApplication) =>
      redeem(randomBytes(16).toString('hex'), guesser, { node, address });
    const codes: (string | undefined)[] = [];
    for (let index = 0; index < 8; index += 1)
      codes.push((await guess(nodes[index % nodes.length] as TestApplication)).body.code);
    expect(codes.slice(0, 5)).toEqual(Array.from({ length: 5 }, () => 'redemption_invalid'));
    expect(codes).toContain('too_many_attempts');
    const blocked = await redeem(await oneCode(), guesser, { address });
    expect([blocked.status, blocked.body.field]).toEqual([429, 'key']);
    const neighbour = await app.actor();
    expect((await redeem(await oneCode(), neighbour, { address })).body.success).toBe(true);
    const trail = await app.store.db
      .selectFrom('audit')
      .select('id')
      .where('action', '=', 'redemption.refused')
      .where('target', '=', `user:${guesser.id}`)
      .execute();
    expect(trail.length).toBe(codes.filter((code) => code === 'redemption_invalid').length);
  });

  test('an address that guesses as many users waits as a whole', async () => {
    const users = await Promise.all(Array.from({ length: 14 }, () => app.actor()));
    const address = nextAddress();
    const refusals: (string | undefined)[] = [];
    for (let index = 0; index < 56; index += 1) {
      const reply = await redeem(randomBytes(16).toString('hex'), users[index % users.length] as Actor, {
        address,
      });
      refusals.push(reply.body.code);
    }
    expect(refusals).toContain('too_many_attempts');
    expect(refusals.filter((code) => code === 'redemption_invalid').length).toBeLessThan(56);
  });

  test('failed sign-ins and failed codes are counted separately', async () => {
    const user = await app.actor({ username: '777' });
    const address = nextAddress();
    for (let index = 0; index < 7; index += 1)
      await app.request('/api/user/login', {
        body: { username: String(user.id), password: 'wrong-password' },
        headers: { 'X-Forwarded-For': address },
      });
    expect((await redeem(await oneCode(), user, { address })).body.success).toBe(true);
  });
});
