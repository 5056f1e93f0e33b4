// An expired Codex login is renewed once, stored encrypted, audited, and used by all later calls.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { createKeyRenewal } from '#server/relay/channel-choice/key-renewal.ts';
import type { Row } from '#server/platform/store/schema.ts';
import { startApplication, type TestApplication } from '#tests/support/application.ts';
import { addChannel } from '#tests/support/channels.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { expiredLogin } from '#mock/upstream/compatible/codex-logins.ts';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';
import { eventually } from '#tests/integration/relay/calls/harness.ts';

setDefaultTimeout(60_000);

let application: TestApplication;
let mock: MockUpstream;
let key = '';

beforeAll(async () => {
  mock = startMockUpstream();
  application = await startApplication({ settings: { SelfUseModeEnabled: 'true', RetryTimes: '0' } });
  const user = await application.actor({ quota: 100_000_000 });
  const [token] = await application
    .client(user)
    .tokens.create({ body: { name: 'it', unlimited_quota: true } });
  key = `sk-${token?.key}`;
});
afterAll(async () => {
  await application.close();
  await mock.stop();
});

async function channelFor(name: string, fields: Record<string, string | number> = {}): Promise<number> {
  const id = await addChannel(application.store, {
    base_url: mock.url,
    type: CHANNEL_TYPE.codex,
    models: [name],
    key: JSON.stringify(expiredLogin(name, mock.url)),
    fields,
  });
  await eventually(
    async () => (await ask('nothing-at-all', name, 'GET')).status,
    (status) => status === 200,
  );
  return id;
}

const ask = (input: string, model: string, method = 'POST') =>
  method === 'GET'
    ? fetch(`${application.url}/v1/models/${model}`, { headers: { Authorization: `Bearer ${key}` } })
    : fetch(`${application.url}/v1/responses`, {
        method,
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ model, input }),
      });

const rowOf = (id: number): Promise<Row<'channels'>> =>
  application.store.db.selectFrom('channels').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const keptKey = async (id: number) =>
  JSON.parse(application.store.vault.open((await rowOf(id)).key_sealed, `channels:${id}:key_sealed`)) as {
    tokens: Record<string, string>;
    token_uri: string;
    last_refresh: string;
  };
const renewals = () => mock.requests.filter(({ path }) => path === '/mock-codex/oauth/token').length;
const audited = (id: number) =>
  application.store.db
    .selectFrom('audit')
    .selectAll()
    .where('action', '=', 'channel.renew_key')
    .where('target', '=', `channel:${id}`)
    .execute();

test('ten concurrent calls renew it once; the new login is stored in the shape of the old one', async () => {
  const id = await channelFor('gpt-5-codex');
  const before = renewals();
  const answers = await Promise.all(Array.from({ length: 10 }, () => ask('hi', 'gpt-5-codex')));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
  expect(renewals() - before).toBe(1);
  const { sealed, plain } = { sealed: (await rowOf(id)).key_sealed, plain: await keptKey(id) };
  expect(plain).toMatchObject({
    tokens: { refresh_token: 'rt.gpt-5-codex.1', id_token: 'mock-id-renewed', account_id: 'mock-account' },
    token_uri: `${mock.url}/mock-codex/oauth/token`,
    last_refresh: expect.any(String) as string,
  });
  expect(sealed).not.toContain('rt.gpt-5-codex');
  const rows = await audited(id);
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain('rt.');
  // The next calls read the renewed login from the row.
  expect((await ask('again', 'gpt-5-codex')).status).toBe(200);
  expect(renewals() - before).toBe(1);
  expect(application.logged.join('\n')).not.toContain('rt.gpt-5-codex');
});

test('a test of the channel renews it too, and the calls after it succeed', async () => {
  const id = await channelFor('gpt-5-tested');
  const root = await application.login('root', 'root-password-of-tests');
  const reply = await application.request(`/api/channel/test/${id}?model=gpt-5-tested`, { as: root });
  expect([reply.status, reply.body.success]).toEqual([200, true]);
  expect((await keptKey(id)).tokens['refresh_token']).toBe('rt.gpt-5-tested.1');
  expect((await ask('hi', 'gpt-5-tested')).status).toBe(200);
  expect((await keptKey(id)).tokens['refresh_token']).toBe('rt.gpt-5-tested.1');
});

test('a revoked login is an upstream’s refusal, and the row stays unchanged', async () => {
  const id = await channelFor('revoked');
  const before = (await rowOf(id)).key_sealed;
  expect((await ask('hi', 'revoked')).status).toBe(502);
  expect((await rowOf(id)).key_sealed).toBe(before);
  expect(await audited(id)).toHaveLength(0);
});

forEachDatabase((_label, open) => {
  test('renewals of one channel are serialised, and an operator’s concurrent edit stays', async () => {
    const store = await open();
    const id = await addChannel(store, { base_url: 'http://127.0.0.1', models: ['m'], key: 'old' });
    const audited: number[] = [];
    // Two instances, as two nodes would have.
    const made = () => createKeyRenewal(store, async (_, channel) => void audited.push(channel));
    const [one, two] = [made(), made()];
    let running = 0;
    const renew = async (current: string) => {
      running += 1;
      expect(running).toBe(1);
      await Bun.sleep(30);
      running -= 1;
      return current === 'old' ? 'new' : current;
    };
    const pair = store.dialect === 'postgres' ? [one, two] : [one, one];
    expect(await Promise.all(pair.map((renewKey) => renewKey(id, renew)))).toEqual(['new', 'new']);
    expect(audited).toEqual([id]);
    const row = () =>
      store.db.selectFrom('channels').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    const place = `channels:${id}:key_sealed`;
    expect(store.vault.open((await row()).key_sealed, place)).toBe('new');
    const typed = store.vault.seal('typed', place);
    await one(id, async () => {
      await store.db.updateTable('channels').set({ key_sealed: typed }).where('id', '=', id).execute();
      return 'too late';
    });
    expect((await row()).key_sealed).toBe(typed);
    expect(audited).toEqual([id]);
  });

  test('renewals hold no connection while the provider answers, so that a full pool of them does not lock up (R20)', async () => {
    const store = await open();
    const renewKey = createKeyRenewal(store, async () => {});
    // More than a node has connections.
    const ids = await Promise.all(
      Array.from({ length: 12 }, () =>
        addChannel(store, { base_url: 'http://127.0.0.1', models: ['m'], key: 'old' }),
      ),
    );
    const answer = Promise.withResolvers<void>();
    const allAsked = Promise.withResolvers<void>();
    let asked = 0;
    const renewals = ids.map((id) =>
      renewKey(id, async () => {
        if ((asked += 1) === ids.length) allAsked.resolve();
        await answer.promise;
        return 'new';
      }),
    );
    await allAsked.promise;
    // Every connection of the pool is free for others meanwhile.
    const channels = store.db.selectFrom('channels').select('id');
    expect(await Promise.all(ids.map(() => channels.execute()))).toHaveLength(ids.length);
    answer.resolve();
    expect(await Promise.all(renewals)).toEqual(ids.map(() => 'new'));
    expect(await store.db.selectFrom('leases').selectAll().execute()).toEqual([]);
  });
});
