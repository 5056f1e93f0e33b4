// A channel in a private network: the refusal, and the super admin's one click that allows the address on every node.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { channelOtherInfo } from '#contract/relay/channel-fields.ts';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { factText } from '#contract/facts.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { forEachDatabase, temporaryPlace, type TemporaryPlace } from '#tests/support/databases.ts';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';
import { startPatience } from '#tests/support/machine.ts';

setDefaultTimeout(60_000);
const NO_PRIVATE = { ALLOWED_PRIVATE_ADDRESSES: '' };
const PATIENCE_MS = 5000;

const channelOf = (upstream: MockUpstream, address = upstream.url) => ({
  name: 'ollama',
  type: CHANNEL_TYPE.openAi,
  key: 'sk-local-0123456789',
  base_url: address,
  models: 'gpt-4o-mini',
  groups: 'default',
});

forEachDatabase((database) => {
  let app: TestApplication;
  let root: Actor;
  let admin: Actor;
  let upstream: MockUpstream;
  let entry: string;

  beforeAll(async () => {
    upstream = startMockUpstream();
    entry = new URL(upstream.url).host;
    app = await startApplication({ database, environment: NO_PRIVATE });
    root = await app.actor({ role: ROLE.root });
    admin = await app.actor({ role: ROLE.admin });
  });
  afterAll(async () => {
    await app.close();
    await upstream.stop();
  });

  const create = (as: Actor, language: 'zh' | 'en', address?: string) =>
    app.request('/api/channel/', { as, language, body: channelOf(upstream, address) });
  const allow = (as: Actor, addresses: string[]) =>
    app.request('/api/option/allowed_addresses', { as, body: { addresses } });

  test('the refusal is one sentence in the language of the reader, with what would allow it (N28)', async () => {
    const [zh, en] = [await create(admin, 'zh'), await create(admin, 'en')];
    expect(zh.body).toMatchObject({
      code: 'channel_address_private',
      field: 'base_url',
      private_addresses: [entry],
    });
    expect(zh.body.message).toBe(
      `${entry} 在内网中，默认不允许访问。如需使用（例如本机的 Ollama），超级管理员可以在这里允许它，或把它加入设置“渠道可以访问的内网地址”`,
    );
    expect(en.body.message).toBe(
      `${entry} is in a private network, which is not allowed by default. To use it (for example a local Ollama), the super admin can allow it here or add it to the setting “Private addresses that channels may reach”.`,
    );
  });

  test('a test of a draft, the list of its models and the test of a stored channel say the same (N28)', async () => {
    const draft = {
      ...channelOf(upstream),
      other: '',
      setting: '',
      openai_organization: '',
      header_override: '',
    };
    for (const path of ['/api/channel/test', '/api/channel/fetch_models']) {
      const reply = await app.request(path, {
        as: admin,
        language: 'en',
        body: { ...draft, model: 'gpt-4o-mini' },
      });
      expect(reply.body).toMatchObject({ code: 'channel_address_private', private_addresses: [entry] });
      expect(reply.body.message).toStartWith(`${entry} is in a private network`);
      expect(reply.body.message).toEndWith('channels may reach”.');
    }
    await app.settings.set('AllowedPrivateAddresses', entry, 0);
    const [{ id } = { id: 0 }] = await app.client(admin).channels.create({ body: channelOf(upstream) });
    await app.settings.reset('AllowedPrivateAddresses', 0);
    const tested = await app.request(`/api/channel/test/${id}`, { as: admin, language: 'zh' });
    expect(tested.body).toMatchObject({ code: 'channel_address_private', private_addresses: [entry] });
    expect(tested.body.message).toStartWith(`${entry} 在内网中`);
    const row = await app.store.db
      .selectFrom('channels')
      .select('other_info')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(channelOtherInfo(row.other_info).test_error).toBe(
      factText('egress_private_address', { name: entry }),
    );
  });

  test('only the super admin allows an address, after a step-up, and the audit has it (N28)', async () => {
    expect((await allow(admin, [entry])).status).toBe(403);
    const stale = await app.actor({ role: ROLE.root });
    await app.store.db
      .updateTable('sessions')
      .set({ verified_at: 5 })
      .where('user_id', '=', stale.id)
      .execute();
    expect((await allow(stale, [entry])).body.code).toBe('step_up_required');
    for (const never of [
      '169.254.169.254',
      '169.254.169.254:80',
      '[fd00:ec2::254]:80',
      '0.0.0.0/0',
      '8.8.8.8',
      'x',
    ])
      expect([never, (await allow(root, [entry, never])).body.code]).toEqual([never, 'invalid_setting']);
    expect((await create(admin, 'en')).body.code).toBe('channel_address_private');
    const allowed = await allow(root, [entry]);
    expect(allowed.body).toMatchObject({ success: true, data: [entry] });
    const audited = await app.store.db
      .selectFrom('audit')
      .selectAll()
      .where('action', '=', 'option.allow_address')
      .execute();
    expect(audited).toHaveLength(1);
    expect(JSON.stringify(audited[0])).toContain(entry);
    expect((await create(admin, 'en')).body.success).toBe(true);
  });

  test('another admin who moves the channel reaches no other port and no other address by it (N28)', async () => {
    for (const address of ['http://127.0.0.1:1', 'http://127.0.0.2'])
      expect((await create(admin, 'en', address)).body.code).toBe('channel_address_private');
    expect((await create(admin, 'en', 'http://169.254.169.254')).body.code).toBe('channel_base_url_invalid');
    const { data } = await app.client(admin).channels.list({ query: {} });
    const id = data.find(({ base_url }) => base_url === upstream.url)?.id ?? 0;
    const moved = await app.request('/api/channel/', {
      as: admin,
      method: 'PUT',
      body: { id, base_url: 'http://127.0.0.1:1', key: 'sk-local-0123456789' },
    });
    expect(moved.body.code).toBe('channel_address_private');
  });

  test('taking the address back closes it for channels that exist (N28)', async () => {
    const { data } = await app.client(admin).channels.list({ query: {} });
    const id = data.find(({ base_url }) => base_url === upstream.url)?.id ?? 0;
    await app.client(root).options.reset({ body: { key: 'AllowedPrivateAddresses' } });
    expect((await app.request(`/api/channel/test/${id}`, { as: admin })).body.code).toBe(
      'channel_address_private',
    );
  });
});

test('what is allowed on one node is allowed on the other (N28)', async () => {
  const place: TemporaryPlace = await temporaryPlace('postgres');
  const upstream = startMockUpstream();
  const shared = {
    dataDir: place.dataDir,
    ...(place.databaseUrl === undefined ? {} : { databaseUrl: place.databaseUrl }),
  };
  const here = await startApplication({ place: shared, environment: NO_PRIVATE });
  const there = await startApplication({ place: shared, environment: NO_PRIVATE });
  try {
    const root = await here.actor({ role: ROLE.root });
    const create = () => there.request('/api/channel/', { as: root, body: channelOf(upstream) });
    expect((await create()).body.code).toBe('channel_address_private');
    await here.client(root).options.allowAddresses({ body: { addresses: [new URL(upstream.url).host] } });
    const isOver = startPatience(PATIENCE_MS);
    let reply = await create();
    while (!reply.body.success && !isOver()) {
      await Bun.sleep(20);
      reply = await create();
    }
    expect(reply.body.success).toBe(true);
  } finally {
    await here.close();
    await there.close();
    await upstream.stop();
    await place.remove();
  }
});
