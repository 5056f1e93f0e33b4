// Channels over HTTP on both databases: create, read, change, copy, delete, lists and search, and the abilities derived
// from them.
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { sql } from 'kysely';
import { ApiRefusal } from '#tests/support/application.ts';
import { forEachScene, uniqueName } from './support.ts';

setDefaultTimeout(60_000);

forEachScene((scene) => {
  const client = () => scene().application.client(scene().admin).channels;
  const request = (path: string, options: { method?: string; body?: unknown } = {}) =>
    scene().application.request(path, { as: scene().admin, language: 'zh', ...options });

  describe('create', () => {
    test('ACC-0.02 REL-0.03 REL-1.01 REL-7.07 REL-3.01 REL-3.02 REL-3.03 REL-3.05 REL-3.06 REL-3.07 REL-3.08 REL-3.09 REL-3.10 REL-3.11 REL-3.12 REL-3.13 REL-3.14 REL-3.15 REL-3.16 REL-3.17 REL-3.18 REL-3.19 REL-3.20 REL-3.21 REL-3.22 REL-3.23 REL-3.24 REL-3.25 REL-3.26 a channel is created and answered with all its fields, without its key', async () => {
      const name = uniqueName();
      const reply = await request('/api/channel/', {
        body: {
          name,
          type: CHANNEL_TYPE.openAi,
          key: 'sk-secret-of-the-upstream-0001',
          base_url: `${scene().upstream.url}/`,
          other: 'v1',
          models: 'gpt-4o-mini, gpt-4o,gpt-4o',
          groups: 'default,vip',
          model_mapping: '{"gpt-4o":"gpt-4o-2024-08-06"}',
          tag: 'pool',
          priority: 7,
          weight: 3,
          setting: '{"force_format":true}',
          openai_organization: 'org-1',
          test_model: 'gpt-4o-mini',
          auto_ban: 0,
          status_code_mapping: '{"400":"500"}',
        },
      });
      expect(reply.body.success).toBe(true);
      const [channel] = reply.body.data as Record<string, unknown>[];
      expect(channel).toMatchObject({
        name,
        type: CHANNEL_TYPE.openAi,
        base_url: scene().upstream.url,
        other: 'v1',
        models: 'gpt-4o-mini,gpt-4o',
        group: 'default,vip',
        model_mapping: '{"gpt-4o":"gpt-4o-2024-08-06"}',
        tag: 'pool',
        priority: 7,
        weight: 3,
        setting: '{"force_format":true}',
        openai_organization: 'org-1',
        test_model: 'gpt-4o-mini',
        auto_ban: 0,
        status_code_mapping: '{"400":"500"}',
        status: 1,
        response_time: 0,
        used_quota: 0,
        balance: 0,
        balance_updated_time: 0,
        test_time: 0,
        other_info: '',
        key_hint: '0001',
      });
      expect(channel?.['id']).toBeNumber();
      expect(channel?.['created_time']).toBeGreaterThan(1_700_000_000);
      expect(JSON.stringify(reply.body)).not.toContain('secret-of-the-upstream');
      expect(JSON.stringify(reply.body)).not.toContain('sealed');
      const stored = await scene().row(channel?.['id'] as number);
      expect(JSON.stringify(stored)).not.toContain('secret-of-the-upstream');
    });

    test('REL-3.04 one key per line makes one channel per key, blank and repeated lines are dropped', async () => {
      const created = await client().create({
        body: {
          name: uniqueName(),
          type: CHANNEL_TYPE.openAi,
          key: 'sk-a-0123456789abcdef\n\n  sk-b-0123456789abcdee \r\nsk-a-0123456789abcdef',
          models: 'gpt-4o',
          groups: 'default',
        },
      });
      expect(created.map((channel) => channel.key_hint)).toEqual(['cdef', 'cdee']);
    });

    test('REL-3.42 JSON credentials are one key, also on several lines', async () => {
      const created = await client().create({
        body: {
          name: uniqueName(),
          type: CHANNEL_TYPE.vertex,
          key: '{\n  "type": "service_account",\n  "project_id": "p"\n}',
          other: 'us-central1',
          models: 'gemini-2.5-pro',
          groups: 'default',
        },
      });
      expect(created).toHaveLength(1);
    });

    test.each([
      ['name', { name: ' ' }, 'channel_name_required'],
      ['key', { key: ' \n ' }, 'channel_key_required'],
      ['groups', { groups: '' }, 'channel_groups_required'],
      ['models', { models: ' , ' }, 'channel_models_required'],
      ['the account id of Cloudflare', { type: CHANNEL_TYPE.cloudflare }, 'channel_other_required'],
      ['the region of Vertex', { type: CHANNEL_TYPE.vertex }, 'channel_other_required'],
      [
        'the address of a custom channel',
        { type: CHANNEL_TYPE.custom, base_url: '' },
        'channel_base_url_required',
      ],
    ])(
      'REL-5.02 REL-5.03 REL-5.04 REL-5.05 REL-3.39 REL-3.43 %s is required',
      async (_field, fields, code) => {
        const body = {
          name: 'x',
          type: CHANNEL_TYPE.openAi,
          key: 'k',
          models: 'm',
          groups: 'default',
          ...fields,
        };
        const reply = await request('/api/channel/', { body });
        expect([reply.body.success, reply.body.code]).toEqual([false, code]);
      },
    );

    test('N11: models of an enabled channel without a price are listed until they have one', async () => {
      const [channel] = await client().create({
        body: {
          name: uniqueName(),
          type: CHANNEL_TYPE.openAi,
          key: 'sk-unpriced-0123456789',
          models: 'gpt-4o,house-model-7b,o3-mini-high',
          groups: 'default',
        },
      });
      expect(await client().unpriced()).toContain('house-model-7b');
      expect(await client().unpriced()).not.toContain('gpt-4o');
      // A reasoning suffix makes no other model: its calls have the price of the model.
      expect(await client().unpriced()).not.toContain('o3-mini-high');
      await scene().set('ModelRatio', '{"house-model-7b":1}');
      expect(await client().unpriced()).not.toContain('house-model-7b');
      await scene().set('ModelRatio', '{}');
      await client().remove({ params: { id: channel?.id ?? 0 } });
      expect(await client().unpriced()).not.toContain('house-model-7b');
    });

    test('REL-5.01 a type is required and must be a known one', async () => {
      const body = { name: 'x', key: 'k', models: 'm', groups: 'default' };
      expect((await request('/api/channel/', { body })).body.code).toBe('invalid_parameter');
      const unknown = await request('/api/channel/', { body: { ...body, type: 28 } });
      expect(unknown.body.code).toBe('channel_type_unknown');
    });

    test('REL-5.06 REL-8.02 a model mapping that is no JSON object is refused with its message', async () => {
      for (const model_mapping of ['{', '[1]', '"x"']) {
        const body = {
          name: 'x',
          type: CHANNEL_TYPE.openAi,
          key: 'k',
          models: 'm',
          groups: 'default',
          model_mapping,
        };
        const reply = await request('/api/channel/', { body });
        expect(reply.body.message).toBe('模型映射必须是合法的 JSON 格式！');
      }
    });

    test('N7 O10: an address outside the egress policy is refused with a sentence, a private one with the remedy', async () => {
      const body = { name: 'x', type: CHANNEL_TYPE.openAi, key: 'k', models: 'm', groups: 'default' };
      for (const base_url of ['http://169.254.169.254', 'ftp://example.com', 'nonsense']) {
        const reply = await request('/api/channel/', { body: { ...body, base_url } });
        expect([base_url, reply.body.code]).toEqual([base_url, 'channel_base_url_invalid']);
        expect(reply.body.message).not.toMatch(/forbidden|bad_url|unresolved|not http/);
      }
      const local = await request('/api/channel/', { body: { ...body, base_url: 'http://10.0.0.1:11434' } });
      expect(local.body).toMatchObject({ code: 'channel_address_private', field: 'base_url' });
      expect(local.body.message).toStartWith('10.0.0.1:11434 在内网中');
    });

    test('a model name over 255 characters and a key that is invalid in a header are refused', async () => {
      const body = { name: 'x', type: CHANNEL_TYPE.openAi, key: 'k', models: 'm', groups: 'default' };
      const long = await request('/api/channel/', { body: { ...body, models: `ok,${'m'.repeat(256)}` } });
      expect(long.body.code).toBe('channel_model_too_long');
      for (const key of ['sk-全角', 'sk-a b']) {
        const reply = await request('/api/channel/', { body: { ...body, key } });
        expect([key, reply.body.code]).toEqual([key, 'channel_key_invalid']);
      }
    });

    test('REL-5.11 REL-9.36 a weight below 0 becomes 0', async () => {
      const channel = await scene().create({ weight: -5 });
      expect(channel.weight).toBe(0);
    });

    test('REL-9.35 a priority is at least -999', async () => {
      const channel = await scene().create({ priority: -999 });
      expect(channel.priority).toBe(-999);
      const change = { id: channel.id, priority: -1000 };
      const reply = await request('/api/channel/', { method: 'PUT', body: change });
      expect(reply.body.success).toBe(false);
      expect((await scene().row(channel.id)).priority).toBe(-999);
    });
  });

  describe('change', () => {
    test('REL-7.09 REL-4.06 REL-4.07 REL-4.01 REL-4.02 status 2 disables and 1 enables, abilities follow', async () => {
      const channel = await scene().create();
      await request('/api/channel/', { method: 'PUT', body: { id: channel.id, status: 2 } });
      expect((await scene().row(channel.id)).status).toBe(2);
      expect((await scene().abilities(channel.id)).map((ability) => ability.enabled)).toEqual([0]);
      await request('/api/channel/', { method: 'PUT', body: { id: channel.id, status: 1 } });
      expect((await scene().row(channel.id)).status).toBe(1);
      expect((await scene().abilities(channel.id)).map((ability) => ability.enabled)).toEqual([1]);
    });

    test('REL-7.10 REL-7.11 priority and weight can change alone and update the abilities', async () => {
      const channel = await scene().create({ model_mapping: '{"a":"b"}' });
      await request('/api/channel/', { method: 'PUT', body: { id: channel.id, priority: -3 } });
      await request('/api/channel/', { method: 'PUT', body: { id: channel.id, weight: 12 } });
      expect(await scene().row(channel.id)).toMatchObject({
        priority: -3,
        weight: 12,
        model_mapping: '{"a":"b"}',
      });
      expect(await scene().abilities(channel.id)).toMatchObject([{ priority: -3, weight: 12 }]);
    });

    test('models and groups rebuild the abilities: every model for every group', async () => {
      const channel = await scene().create();
      await client().change({ body: { id: channel.id, models: 'a,b', groups: ['default', 'vip'] } });
      const pairs = (await scene().abilities(channel.id)).map(({ model, group }) => `${model}/${group}`);
      expect(pairs).toEqual(['a/default', 'a/vip', 'b/default', 'b/vip']);
    });

    test('a new address needs the key again, so that a stored key cannot be sent to another host', async () => {
      const channel = await scene().create();
      const moved = { id: channel.id, base_url: 'http://127.0.0.1:9' };
      const refused = await request('/api/channel/', { method: 'PUT', body: moved });
      expect(refused.body.code).toBe('channel_key_needed_for_address');
      const kept = await request('/api/channel/', { method: 'PUT', body: { ...moved, key: 'sk-new-key' } });
      expect(kept.body.success).toBe(true);
    });

    test('REL-8.09 REL-8.46 a deleted channel is not found, with the specified message', async () => {
      const channel = await scene().create();
      await client().remove({ params: { id: channel.id } });
      for (const [path, options] of [
        [`/api/channel/${channel.id}`, {}],
        ['/api/channel/', { method: 'PUT', body: { id: channel.id, weight: 1 } }],
        [`/api/channel/test/${channel.id}`, {}],
      ] as const) {
        const reply = await request(path, options);
        expect([reply.status, reply.body.message]).toEqual([404, '渠道未找到，请刷新页面后重试。']);
      }
    });
  });

  describe('copy', () => {
    test('REL-7.08 a copy has every field but the statistics, its key included, and starts disabled', async () => {
      const channel = await scene().create({ models: 'a,b', tag: 'pool', priority: 4, test_model: 'a' });
      const copy = await client().copy({ params: { id: channel.id } });
      expect(copy).toMatchObject({ models: 'a,b', tag: 'pool', priority: 4, test_model: 'a', status: 2 });
      expect(copy.name).toBe(`${channel.name}_copy`);
      const reveal = await request(`/api/channel/${copy.id}/key`, {
        body: { password: 'user-password-of-tests' },
      });
      const original = await request(`/api/channel/${channel.id}/key`, {
        body: { password: 'user-password-of-tests' },
      });
      expect(reveal.body.data).toEqual(original.body.data);
    });
  });

  describe('key', () => {
    test('a key is revealed only with the right password, and both tries are audited', async () => {
      const channel = await scene().create({ key: 'sk-the-key-itself-42' });
      const wrong = await request(`/api/channel/${channel.id}/key`, { body: { password: 'not-mine' } });
      expect([wrong.body.success, JSON.stringify(wrong.body).includes('itself')]).toEqual([false, false]);
      const right = await request(`/api/channel/${channel.id}/key`, {
        body: { password: 'user-password-of-tests' },
      });
      expect(right.body.data).toEqual({ key: 'sk-the-key-itself-42' });
      const trail = await scene()
        .application.store.db.selectFrom('audit')
        .select('action')
        .where('target', '=', `channel:${channel.id}`)
        .orderBy('id')
        .execute();
      expect(trail.map(({ action }) => action)).toEqual([
        'channel.create',
        'channel.reveal_refused',
        'channel.reveal',
      ]);
    });
  });

  describe('lists', () => {
    test('REL-7.03 REL-7.04 the list is paged from 0, by priority, or by id with id_sort', async () => {
      const tag = uniqueName('page');
      const low = await scene().create({ tag, priority: 1 });
      const high = await scene().create({ tag, priority: 9 });
      const last = await scene().create({ tag, priority: 5 });
      const ids = async (query: string) =>
        ((await request(`/api/channel/?tag=${tag}&${query}`)).body.data as { id: number }[]).map(
          ({ id }) => id,
        );
      expect(await ids('p=0&page_size=2')).toEqual([high.id, last.id]);
      expect(await ids('p=1&page_size=2')).toEqual([low.id]);
      expect(await ids('id_sort=true')).toEqual([last.id, high.id, low.id]);
    });

    test('REL-7.05 REL-4.15 tag mode pages tags: all channels of each, untagged ones after them', async () => {
      const name = uniqueName('find');
      const first = await scene().create({ name: `${name}-1`, tag: `${name}-t`, priority: 1 });
      const single = await scene().create({ name: `${name}-2`, priority: 9 });
      const second = await scene().create({ name: `${name}-3`, tag: `${name}-t`, priority: 2 });
      const page = await client().search({ query: { keyword: name, tag_mode: 'true', page_size: 1 } });
      expect(page.data.map(({ id }) => id)).toEqual([second.id, first.id]);
      expect(page.total).toBe(2);
      const next = await client().search({ query: { keyword: name, tag_mode: 'true', page_size: 1, p: 1 } });
      expect(next.data.map(({ id }) => id)).toEqual([single.id]);
    });

    test('REL-7.06 REL-2.38 REL-2.39 REL-2.40 REL-2.41 REL-2.42 search finds by id, part of the name, whole key, part of a model name and group', async () => {
      const name = uniqueName('needle');
      const key = `sk-${crypto.randomUUID()}`;
      const model = `model-${crypto.randomUUID()}`;
      const channel = await scene().create({ name, key, models: `x,${model}`, groups: 'default,svip' });
      const other = await scene().create({ models: model, groups: 'default' });
      const found = async (query: Record<string, string>) => {
        const { data } = await client().search({ query: { ...query, page_size: 100 } });
        return data.map(({ id }) => id);
      };
      expect(await found({ keyword: String(channel.id) })).toContain(channel.id);
      expect(await found({ keyword: `#${channel.id}` })).toEqual([channel.id]);
      expect(await found({ keyword: name.slice(2) })).toEqual([channel.id]);
      expect(await found({ keyword: key })).toEqual([channel.id]);
      expect(await found({ keyword: key.slice(0, -1) })).toEqual([]);
      // O6: the last characters as the form shows them.
      expect(await found({ keyword: key.slice(-4) })).toContain(channel.id);
      expect(await found({ keyword: `sk-…${key.slice(-4)}` })).toContain(channel.id);
      expect(await found({ model: model.slice(3, 30) })).toEqual([other.id, channel.id]);
      expect(await found({ model, group: 'svip' })).toEqual([channel.id]);
      expect(await found({ model, group: 'svi' })).toEqual([]);
      expect(await found({ keyword: '%' })).toEqual([]);
    });

    test('O12 the last 24 hours are answered as good and failed attempts per hour, with the last error', async () => {
      const channel = await scene().create();
      const { db } = scene().application.store;
      const hour = Math.floor(Date.now() / 3_600_000) * 3600;
      const { id: channel_id } = channel;
      await sql`insert into channel_hours (channel_id, hour, attempts, failures, broken, first_2, first_5) values
        (${channel_id}, ${hour}, 8, 1, 1, 6, 1), (${channel_id}, ${hour - 23 * 3600}, 2, 0, 0, 0, 0),
        (${channel_id}, ${hour - 24 * 3600}, 9, 0, 0, 9, 0)`.execute(db);
      const words = 'status 500: no room';
      await db.insertInto('channel_errors').values({ channel_id, at: hour, words }).execute();
      const view = await client().read({ params: { id: channel_id } });
      expect(view.health).toHaveLength(24);
      expect(view.health[23]).toEqual({ calls: 7, errors: 1 });
      expect(view.health[0]).toEqual({ calls: 2, errors: 0 });
      expect(view).toMatchObject({
        broken_streams: 1,
        first_token_p50: 250,
        first_token_p95: 1000,
        last_error: { at: hour, words },
        cooling_until: 0,
        problem: '',
      });
    });

    test('O17 a list is sorted by the asked column; channels without a figure come last', async () => {
      const tag = `sort-${crypto.randomUUID()}`;
      const made = [];
      for (const [name, used_quota] of [
        ['b', 5],
        ['a', 7],
        ['c', 1],
      ] as const) {
        const { id } = await scene().create({ name: `${tag}-${name}` });
        made.push(id);
        await scene()
          .application.store.db.updateTable('channels')
          .set({ used_quota, balance: -used_quota })
          .where('id', '=', id)
          .execute();
      }
      const [b, a, c] = made as [number, number, number];
      const hour = Math.floor(Date.now() / 3_600_000) * 3600;
      await sql`insert into channel_hours (channel_id, hour, attempts, failures, first_1, first_9) values
        (${a}, ${hour}, 10, 9, 0, 1), (${b}, ${hour}, 10, 1, 1, 0)`.execute(scene().application.store.db);
      const sorted = async (sort: string, order: 'asc' | 'desc') => {
        const { data } = await client().search({ query: { keyword: tag, sort: sort as 'id', order } });
        return data.map(({ id }) => id);
      };
      expect(await sorted('name', 'asc')).toEqual([a, b, c]);
      expect(await sorted('used_quota', 'desc')).toEqual([a, b, c]);
      expect(await sorted('balance', 'desc')).toEqual([c, b, a]);
      expect(await sorted('id', 'asc')).toEqual([b, a, c]);
      expect(await sorted('success', 'asc')).toEqual([a, b, c]);
      expect(await sorted('success', 'desc')).toEqual([b, a, c]);
      expect(await sorted('first_token', 'asc')).toEqual([b, a, c]);
    });

    test('O2 what cannot be sent or mapped is refused with its field, and an unusable channel says why', async () => {
      const field = async (values: Record<string, string>) => {
        const error = await scene()
          .create(values)
          .catch((refused: unknown) => refused);
        return error instanceof ApiRefusal ? error.body['field'] : error;
      };
      expect(await field({ header_override: '{"bad header":1}' })).toBe('header_override');
      expect(await field({ header_override: '{"X-A":"line\\nbreak"}' })).toBe('header_override');
      expect(await field({ header_override: '{"X-A":{}}' })).toBe('header_override');
      expect(await field({ status_code_mapping: '{"400":"abc"}' })).toBe('status_code_mapping');
      expect(await field({ status_code_mapping: '{"x":500}' })).toBe('status_code_mapping');
      expect(await field({ model_mapping: '{"m":1}' })).toBe('model_mapping');
      const good = await scene().create({
        header_override: '{"X-A":"b","X-N":7}',
        status_code_mapping: '{"429":503}',
        model_mapping: '{"m":"n"}',
      });
      // Saved by an older version.
      await scene()
        .application.store.db.updateTable('channels')
        .set({ header_override: '{"bad header":1}' })
        .where('id', '=', good.id)
        .execute();
      await scene().application.store.changes.announce('channels', String(good.id));
      for (;;) {
        const { problem } = await client().read({ params: { id: good.id } });
        if (problem !== '') {
          expect(problem).toContain('bad header');
          break;
        }
        await Bun.sleep(10);
      }
    });
  });

  describe('several at once', () => {
    test('REL-7.12 a deleted channel serves no calls until it is restored', async () => {
      const channel = await scene().create();
      const removed = await request(`/api/channel/${channel.id}/`, { method: 'DELETE' });
      expect(removed.body.success).toBe(true);
      expect(await scene().abilities(channel.id)).toEqual([]);
      expect(await client().restore({ body: { ids: [channel.id] } })).toBe(1);
      expect(await scene().abilities(channel.id)).toHaveLength(1);
    });

    test('REL-7.17 REL-7.18 deleting disabled and chosen channels answers the count', async () => {
      const kept = await scene().create();
      const off = await scene().create();
      await client().setStatus({ body: { ids: [off.id], status: 2 } });
      const disabled = await request('/api/channel/disabled', { method: 'DELETE' });
      expect(disabled.body.data).toBeGreaterThanOrEqual(1);
      expect((await scene().row(off.id)).deleted_at).not.toBeNull();
      expect((await scene().row(kept.id)).deleted_at).toBeNull();
      const more = [await scene().create(), await scene().create()].map(({ id }) => id);
      const batch = await request('/api/channel/batch', { body: { ids: [...more, 999_999_999] } });
      expect(batch.body.data).toBe(2);
    });

    test('REL-7.19 REL-8.47 fix removes orphaned abilities, adds missing ones and answers the count', async () => {
      const channel = await scene().create({ models: 'a,b' });
      const { db } = scene().application.store;
      await client().fix();
      expect(await client().fix()).toBe(0);
      await db
        .deleteFrom('abilities')
        .where('channel_id', '=', channel.id)
        .where('model', '=', 'a')
        .execute();
      await db
        .insertInto('abilities')
        .values({ group: 'default', model: 'ghost', channel_id: 987_654_321, tag: null })
        .execute();
      expect((await request('/api/channel/fix', { body: {} })).body.data).toBeGreaterThanOrEqual(1);
      expect((await scene().abilities(channel.id)).map(({ model }) => model)).toEqual(['a', 'b']);
      expect(await scene().abilities(987_654_321)).toEqual([]);
    });

    test('the impact names models that lose their last enabled channel, per group', async () => {
      const shared = `shared-${crypto.randomUUID()}`;
      const lonely = `lonely-${crypto.randomUUID()}`;
      const channel = await scene().create({ models: `${shared},${lonely}`, groups: 'default,vip' });
      await scene().create({ models: shared, groups: 'default' });
      expect(await client().impact({ body: { ids: [channel.id] } })).toEqual([
        { group: 'default', models: [lonely] },
        { group: 'vip', models: [lonely, shared].sort() },
      ]);
      const impactOf = (change: { models?: string; groups?: string }) =>
        client().impact({ body: { ids: [channel.id], ...change } });
      expect(await impactOf({ groups: 'default' })).toEqual([
        { group: 'vip', models: [lonely, shared].sort() },
      ]);
      expect(await impactOf({ models: lonely })).toEqual([{ group: 'vip', models: [shared] }]);
      expect(await impactOf({ models: `${lonely},${shared}`, groups: 'vip,default' })).toEqual([]);
    });
  });

  describe('access', () => {
    test('REL-2.37 REL-6.02 ACC-6.09 ACC-6.16 an ordinary user is refused on every endpoint', async () => {
      expect((await request('/api/channel/')).body.success).toBe(true);
      const user = await scene().application.actor({ role: ROLE.user });
      for (const path of [
        '/api/channel/',
        '/api/channel/search',
        '/api/channel/1',
        '/api/group/',
        '/api/channel/test',
      ]) {
        const reply = await scene().application.request(path, { as: user });
        expect([path, reply.status, reply.body.code]).toEqual([path, 403, 'no_permission']);
      }
    });
  });
});
