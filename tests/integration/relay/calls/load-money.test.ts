// Concurrent changes of money, through the public port of whole applications: calls that end in three ways at once,
// balances and profiles that are edited while they are spent, and one balance spent on two nodes.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import {
  ROOT_PASSWORD,
  startApplication,
  type Actor,
  type TestApplication,
} from '#tests/support/application.ts';
import { addChannel } from '#tests/support/channels.ts';
import { forEachDatabase, temporaryPlace } from '#tests/support/databases.ts';
import { faultSeen } from '#tests/support/fault-report.ts';
import type { Behaviour } from '#mock/upstream/behaviour.ts';
import { behaviourMessage } from '#mock/upstream/behaviours.ts';
import { startMockUpstream } from '#mock/upstream/index.ts';
import { dice } from '#tests/support/random.ts';
import { eventually } from './harness.ts';

setDefaultTimeout(60_000);

const model = 'gpt-4o';
const mock = startMockUpstream({ keepRequests: 0 });
afterAll(() => mock.stop());

interface Caller extends Actor {
  key: string;
  tokenId: number;
}

async function callerOf(application: TestApplication, quota: number, tokenQuota?: number): Promise<Caller> {
  const actor = await application.actor({ quota });
  const limit = tokenQuota === undefined ? { unlimited_quota: true } : { remain_quota: tokenQuota };
  const [token] = await application.client(actor).tokens.create({ body: { name: 'load', ...limit } });
  if (token === undefined) throw new Error('no token was made');
  return { ...actor, key: `sk-${token.key}`, tokenId: token.id };
}

interface Ask {
  behaviour?: Behaviour;
  stream?: boolean;
  maxTokens?: number;
  signal?: AbortSignal;
}

async function ask(url: string, key: string, { behaviour = {}, stream = false, maxTokens, signal }: Ask) {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      model,
      stream,
      ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
      messages: [{ role: 'user', content: behaviourMessage(behaviour, 'count me') }],
    }),
    ...(signal === undefined ? {} : { signal }),
  });
  return { status: answer.status, text: await answer.text() };
}

async function userRow({ store }: TestApplication, id: number) {
  return await store.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}

async function chargesOf({ store }: TestApplication, userId: number) {
  return await store.db
    .selectFrom('ledger')
    .select(['idem', 'amount'])
    .where('user_id', '=', userId)
    .where('kind', '=', 'use')
    .execute();
}

const sumOf = (rows: readonly { amount: number }[]) => rows.reduce((sum, { amount }) => sum + amount, 0);

async function expectNothingHeld(application: TestApplication, userId: number): Promise<void> {
  const left = await eventually(
    async () => {
      await application.ledger.writeHolds();
      return (
        await application.store.db.selectFrom('holds').select('id').where('user_id', '=', userId).execute()
      ).length;
    },
    (count) => count === 0,
    10_000,
  );
  expect(left).toBe(0);
}

forEachDatabase((database) => {
  let application: TestApplication;
  let root: Actor;

  beforeAll(async () => {
    application = await startApplication({ database });
    await addChannel(application.store, { base_url: mock.url, models: [model] });
    root = await application.login('root', ROOT_PASSWORD);
    const known = await callerOf(application, 1_000_000);
    const answered = await eventually(
      () => ask(application.url, known.key, {}),
      ({ status }) => status === 200,
    );
    expect(answered.status).toBe(200);
  });
  afterAll(() => application.close());

  const manage = (id: number, action: string) =>
    application.request('/api/user/manage', { as: root, body: { id, action } });

  test('M11 the caller leaves, the upstream ends and the account is banned, all at once: every call ends once', async () => {
    const caller = await callerOf(application, 100_000_000);
    const before = mock.books.totals.requests;
    const controllers = Array.from({ length: 60 }, () => new AbortController());
    const streams = controllers.map(({ signal }, index) => {
      const events = 20 + Math.floor(dice.next() * 60);
      const behaviour: Behaviour = {
        outputTokens: events,
        chunkDelayMilliseconds: 5,
        ...(index % 3 === 0 ? { resetAfterEvents: events } : {}),
      };
      return ask(application.url, caller.key, { behaviour, stream: true, signal }).catch(() => undefined);
    });
    await eventually(
      () => mock.books.totals.requests - before,
      (begun) => begun >= controllers.length,
    );
    // By now the first streams reach their normal end.
    await Bun.sleep(100);
    const leaving = controllers.filter((_, index) => index % 4 !== 3);
    await Promise.all([
      manage(caller.id, 'disable'),
      ...leaving.map(async (controller) => {
        await Bun.sleep(dice.next() * 60);
        controller.abort();
      }),
    ]);
    await Promise.all(streams);
    await expectNothingHeld(application, caller.id);

    const charges = await chargesOf(application, caller.id);
    expect(charges.length).toBeGreaterThan(10);
    expect(new Set(charges.map(({ idem }) => idem)).size).toBe(charges.length);
    const logs = await application.store.db
      .selectFrom('logs')
      .select(['request_id', 'type', 'quota'])
      .where('user_id', '=', caller.id)
      .where('type', 'in', [2, 5])
      .execute();
    const charged = logs.filter(({ type }) => type === 2);
    expect(charged.map(({ request_id }) => request_id).toSorted()).toEqual(
      charges.map(({ idem }) => idem).toSorted(),
    );
    // None was both charged and released.
    expect(new Set(logs.map(({ request_id }) => request_id)).size).toBe(logs.length);
    const user = await userRow(application, caller.id);
    expect(user.quota).toBe(100_000_000 - sumOf(charges));
    expect(await checkInvariants(application.store)).toEqual([]);
  });

  test('M16 an administrator edits the balance while fifty streams settle: edits are differences, none is lost (plan M16)', async () => {
    const quota = 50_000_000;
    const caller = await callerOf(application, quota);
    const behaviour = { outputTokens: 20, chunkDelayMilliseconds: 5 };
    let ended = 0;
    const spending = Promise.all(
      Array.from({ length: 50 }, () =>
        ask(application.url, caller.key, { behaviour, stream: true }).finally(() => (ended += 1)),
      ),
    );
    let given = 0;
    let whileRunning = 0;
    const change = async (body: object, amount: number) => {
      const answer = await application.request('/api/user/', {
        method: 'PUT',
        as: root,
        body: { id: caller.id, ...body },
      });
      if (!answer.body.success) return;
      given += amount;
      if (ended < 50) whileRunning += 1;
    };
    for (let edit = 0; edit < 10; edit += 1) {
      const amount = edit % 2 === 0 ? 1000 + edit : -500 - edit;
      // As the form sends it, and as older clients do: the loaded balance, and the new one.
      const loaded = (await userRow(application, caller.id)).quota;
      if (edit % 3 === 0) await change({ quota: loaded + amount, loaded_quota: loaded }, amount);
      else await change({ quota_change: amount, quota_key: `edit-${edit}` }, amount);
    }
    const answers = await spending;
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    await expectNothingHeld(application, caller.id);
    const charges = await chargesOf(application, caller.id);
    expect(charges).toHaveLength(50);
    expect(given).not.toBe(0);
    if (whileRunning > 0) faultSeen('M16', `${database}: ${whileRunning} edits while 50 streams ran`);
    expect((await userRow(application, caller.id)).quota).toBe(quota + given - sumOf(charges));
    expect(await checkInvariants(application.store)).toEqual([]);
  });

  test('M17 repeated saves of a profile while money is spent change no amount (plan M17)', async () => {
    const quota = 50_000_000;
    const tokenQuota = 20_000_000;
    const caller = await callerOf(application, quota, tokenQuota);
    const invited = 777;
    await application.ledger.credit({
      idem: `aff:${caller.id}`,
      userId: caller.id,
      amount: invited,
      from: 'world:signup',
      kind: 'test',
      reference: '',
    });
    const start = await userRow(application, caller.id);
    const behaviour = { outputTokens: 20, chunkDelayMilliseconds: 5 };
    let ended = 0;
    let whileRunning = 0;
    const spending = Promise.all(
      Array.from({ length: 40 }, () =>
        ask(application.url, caller.key, { behaviour, stream: true }).finally(() => (ended += 1)),
      ),
    );
    const client = application.client(caller);
    let accessToken = '';
    for (let edit = 0; edit < 10; edit += 1) {
      const body = { display_name: `name ${edit}`, quota: 1, aff_quota: 1, role: 100, remain_quota: 1 };
      const saved = await application.request('/api/user/self', { method: 'PUT', as: caller, body });
      expect(saved.body.success).toBe(true);
      accessToken = await client.self.accessToken();
      if (ended < 40) whileRunning += 1;
    }
    const answers = await spending;
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    await expectNothingHeld(application, caller.id);

    const spent = sumOf(await chargesOf(application, caller.id));
    expect(spent).toBeGreaterThan(0);
    if (whileRunning > 0) faultSeen('M17', `${database}: ${whileRunning} saves while 40 streams ran`);
    const user = await userRow(application, caller.id);
    expect(user).toMatchObject({
      display_name: 'name 9',
      quota: quota + invited - spent,
      used_quota: spent,
      aff_quota: start.aff_quota,
      aff_code: start.aff_code,
      role: start.role,
    });
    const token = await application.store.db
      .selectFrom('tokens')
      .select(['remain_quota', 'used_quota', 'status'])
      .where('id', '=', caller.tokenId)
      .executeTakeFirstOrThrow();
    expect(token).toEqual({ remain_quota: tokenQuota - spent, used_quota: spent, status: 1 });
    const headers = { Authorization: `Bearer ${accessToken}`, 'New-Api-User': String(caller.id) };
    expect((await application.request('/api/user/self', { headers })).status).toBe(200);
    expect(await checkInvariants(application.store)).toEqual([]);
  });
});

describe('two nodes', () => {
  test('M2 250 calls on each node at once, balance for ten: at most ten are sent, no negative balance, no hold left (plan M2)', async () => {
    const place = await temporaryPlace('postgres');
    const { dataDir, databaseUrl = '' } = place;
    const nodes: TestApplication[] = [];
    try {
      for (let node = 0; node < 2; node += 1)
        nodes.push(await startApplication({ place: { dataDir, databaseUrl } }));
      const [first] = nodes;
      if (first === undefined) throw new Error('no node');
      await addChannel(first.store, { base_url: mock.url, models: [model] });
      const known = await callerOf(first, 1_000_000);
      for (const node of nodes) {
        const ready = await eventually(
          () => ask(node.url, known.key, {}),
          ({ status }) => status === 200,
        );
        expect(ready.status).toBe(200);
      }
      // 1,000 output tokens at ratio 1.25 × 4 make 5,000 units, plus the prompt.
      const caller = await callerOf(first, 5060 * 10);
      const before = mock.books.totals.requests;
      const wish = { behaviour: { outputTokens: 1000, headersDelayMilliseconds: 50 }, maxTokens: 1000 };
      const answers = await Promise.all(
        nodes.flatMap((node) => Array.from({ length: 250 }, () => ask(node.url, caller.key, wish))),
      );
      const admitted = answers.filter(({ status }) => status === 200).length;
      expect(admitted).toBeGreaterThan(0);
      expect(admitted).toBeLessThanOrEqual(10);
      expect(answers.filter(({ status }) => status === 403)).toHaveLength(500 - admitted);
      expect(mock.books.totals.requests - before).toBe(admitted);
      faultSeen('M2', `${answers.length} calls at once on two nodes, ${admitted} admitted`);
      await expectNothingHeld(first, caller.id);
      const charges = await chargesOf(first, caller.id);
      expect(charges).toHaveLength(admitted);
      const user = await userRow(first, caller.id);
      expect(user.quota).toBeGreaterThanOrEqual(0);
      expect(user.quota).toBe(5060 * 10 - sumOf(charges));
      expect(await checkInvariants(first.store)).toEqual([]);
    } finally {
      for (const node of nodes) await node.close();
      await place.remove();
    }
  });
});
