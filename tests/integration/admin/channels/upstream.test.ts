// Calls to upstreams from the console, against a real HTTP server: tests of one and of all channels, balances, model
// lists.
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { channelOtherInfo } from '#contract/relay/channel-fields.ts';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import type { TestRun } from '#contract/relay/channel-upstream.ts';
import { eventually } from '#tests/integration/relay/calls/harness.ts';
import { forEachScene, uniqueName, type ChannelScene } from './support.ts';

setDefaultTimeout(60_000);

forEachScene((scene) => {
  const upstream = () => scene().application.client(scene().admin).channelUpstream;
  /** A row that a newer version wrote. */
  const ofNewerVersion = (id: number) =>
    scene().application.store.db.updateTable('channels').set({ type: 9999 }).where('id', '=', id).execute();
  const request = (path: string, options: { method?: string; body?: unknown } = {}) =>
    scene().application.request(path, { as: scene().admin, language: 'zh', ...options });
  const lastRequest = () => {
    // Questions for formats have no content and are refused.
    const served = scene().upstream.requests.findLast(({ status }) => status !== 400);
    if (!served) throw new Error('the upstream was not called');
    return served;
  };

  describe('testing one', () => {
    test('REL-7.13 a test answers its seconds at the top level and stores duration and time', async () => {
      const channel = await scene().create({ model_mapping: '{"gpt-4o-mini":"gpt-4o"}' });
      const reply = await request(`/api/channel/test/${channel.id}?model=gpt-4o-mini`);
      expect(reply.body.success).toBe(true);
      expect(reply.body['time']).toBeGreaterThan(0);
      expect(reply.body['time']).toBeLessThan(30);
      expect(lastRequest().path).toBe('/v1/chat/completions');
      expect(lastRequest().model).toBe('gpt-4o');
      const row = await scene().row(channel.id);
      expect(row.response_time).toBe(Math.round((reply.body['time'] as number) * 1000));
      expect(row.test_time).toBeGreaterThan(1_700_000_000);
    });

    test('W2 a new address and a test ask the upstream which formats it has', async () => {
      const paths = new Set(['/v1/chat/completions']);
      const compatible = Bun.serve({
        hostname: '127.0.0.1',
        port: 0,
        async fetch(asked) {
          if (!paths.has(new URL(asked.url).pathname)) return new Response('Not Found', { status: 404 });
          const body = (await asked.json()) as { messages?: unknown };
          if (body.messages === undefined) return Response.json({ error: 'messages' }, { status: 422 });
          return Response.json({ choices: [{ message: { content: 'hi' }, finish_reason: 'stop' }] });
        },
      });
      const channel = await scene().create({ base_url: `http://127.0.0.1:${compatible.port}` });
      const learned = async () => (await scene().row(channel.id)).refused_formats;
      expect(await eventually(learned, (formats) => formats !== '')).toBe('openai-responses');
      paths.add('/v1/responses');
      await upstream().test({ params: { id: channel.id }, query: {} });
      expect(await learned()).toBe('');
      // What was learned of the old address does not hold for a new one.
      const kept = [{ model: 'gpt-4o', until: 4e9, lesson: { kind: 'tools', isAsked: false } }];
      await scene()
        .application.store.db.updateTable('channels')
        .set({ lessons: JSON.stringify(kept) })
        .execute();
      const moved = { id: channel.id, base_url: `http://127.0.0.1:${compatible.port}/v1`, key: 'sk-moved' };
      await request('/api/channel/', { method: 'PUT', body: moved });
      expect((await scene().row(channel.id)).lessons).toBe('');
      await compatible.stop(true);
      await upstream()
        .test({ params: { id: channel.id }, query: {} })
        .catch(() => undefined);
      expect(await learned()).toBe('');
    });

    test('without a model the test model is used, else the first that can be tested', async () => {
      const named = await scene().create({ models: 'gpt-4o,gpt-4.1', test_model: 'gpt-4.1' });
      expect((await upstream().test({ params: { id: named.id }, query: {} })).data.model).toBe('gpt-4.1');
      const first = await scene().create({ models: 'dall-e-3,text-embedding-3-small,gpt-4o' });
      expect((await upstream().test({ params: { id: first.id }, query: {} })).data.model).toBe(
        'text-embedding-3-small',
      );
      expect(lastRequest().path).toBe('/v1/embeddings');
    });

    test('a refusal is answered with its message and duration, without the key, and keeps the last stored time', async () => {
      await scene().set('AutomaticDisableChannelEnabled', 'false');
      const channel = await scene().create({ key: 'sk-wrong-key.mock-401' });
      const reply = await request(`/api/channel/test/${channel.id}`);
      expect(reply.body.success).toBe(false);
      expect(reply.body.message).toStartWith('测试失败：上游返回 401：');
      expect(reply.body['time']).toBeGreaterThan(0);
      expect(JSON.stringify(reply.body)).not.toContain('sk-wrong-key.mock-401');
      const row = await scene().row(channel.id);
      expect(row.response_time).toBe(0);
      expect(channelOtherInfo(row.other_info).test_error).toStartWith('{"fact":"upstreamSaid","status":401,');
      expect(row.status).toBe(1);
    });

    test('an error inside a 200, an unreachable upstream and a late answer all fail', async () => {
      const polite = await scene().create({ models: 'gpt-4o@error-200' });
      expect((await request(`/api/channel/test/${polite.id}`)).body.code).toBe('channel_test_failed');
      const gone = await scene().create({ base_url: 'http://127.0.0.1:1' });
      expect((await request(`/api/channel/test/${gone.id}`)).body.code).toBe('channel_test_failed');
      const late = await scene().create({ models: 'gpt-4o@stall-headers' });
      const reply = await request(`/api/channel/test/${late.id}?timeout_seconds=1`);
      expect([reply.body.code, (reply.body['time'] as number) < 10]).toEqual(['channel_test_failed', true]);
    });

    test('why a test failed is read in one language, by its dialog, its list and its log row (O46)', async () => {
      await scene().set('AutomaticDisableChannelEnabled', 'false');
      const empty = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => Response.json({ ok: true }) });
      const useless = await scene().create({ base_url: `http://127.0.0.1:${empty.port}` });
      const gone = await scene().create({ base_url: 'http://127.0.0.1:1' });
      const read = (language: 'zh' | 'en', path: string) =>
        scene().application.request(path, { as: scene().admin, language });
      const both = async (id: number) => [
        (await read('zh', `/api/channel/test/${id}`)).body.message,
        (await read('en', `/api/channel/test/${id}`)).body.message,
      ];
      expect(await both(useless.id)).toEqual([
        '测试失败：上游返回了 200，但缺少 choices',
        'The test failed: The upstream answered 200, but without choices',
      ]);
      expect(await both(gone.id)).toEqual([
        '测试失败：无法连接上游',
        'The test failed: The upstream cannot be reached',
      ]);
      const row = async (language: 'zh' | 'en') => {
        const { body } = await read(language, `/api/log/?type=4&channel=${gone.id}`);
        return (body.data as { items: { content: string }[] }).items[0]?.content;
      };
      expect([await row('zh'), await row('en')]).toEqual([
        `渠道测试 #${gone.id} ${gone.name}：无法连接上游`,
        `Channel test #${gone.id} ${gone.name}: The upstream cannot be reached`,
      ]);
      await empty.stop(true);
    });

    test('the error for an untestable kind and for a type the relay does not support names it', async () => {
      const picture = await scene().create({ models: 'dall-e-3' });
      expect((await request(`/api/channel/test/${picture.id}`)).body.code).toBe('channel_test_unsupported');
      const newer = await scene().create({ models: 'gpt-4o' });
      await ofNewerVersion(newer.id);
      const reply = await request(`/api/channel/test/${newer.id}`);
      expect([reply.body.code, reply.body.message]).toEqual([
        'channel_type_not_ready',
        '网关暂不支持调用 9999 类型的渠道',
      ]);
    });

    test('a test charges no user and writes a system log row of the administrator', async () => {
      const channel = await scene().create();
      const { db } = scene().application.store;
      const quota = () =>
        db.selectFrom('users').select('used_quota').where('id', '=', scene().admin.id).executeTakeFirst();
      const before = await quota();
      await upstream().test({ params: { id: channel.id }, query: {} });
      expect(await quota()).toEqual(before);
      const logs = await db.selectFrom('logs').selectAll().where('channel_id', '=', channel.id).execute();
      expect(logs).toHaveLength(1);
      expect(logs[0]).toMatchObject({
        type: CHANNEL_TYPE.ollama,
        quota: 0,
        user_id: scene().admin.id,
        model_name: 'gpt-4o-mini',
      });
      expect(logs[0]?.prompt_tokens).toBeGreaterThan(0);
      expect((await scene().row(channel.id)).used_quota).toBe(0);
    });

    test('a streamed test measures its first token; the others do not', async () => {
      const channel = await scene().create({ models: 'slow-end' });
      const stop = scene().upstream.behave({
        when: { model: 'slow-end' },
        behaviour: { text: 'one two three four', chunkDelayMilliseconds: 120 },
      });
      const timed = await upstream().test({ params: { id: channel.id }, query: { stream: 'true' } });
      const whole = await upstream().test({ params: { id: channel.id }, query: {} });
      stop();
      expect(timed.data.first_token_ms).toBeGreaterThan(0);
      expect(timed.data.first_token_ms).toBeLessThan(timed.data.milliseconds - 100);
      expect(whole.data.first_token_ms).toBe(0);
    });

    test('form values can be tested before they are saved; a stored key is sent only to the stored address', async () => {
      const draft = {
        type: CHANNEL_TYPE.openAi,
        base_url: scene().upstream.url,
        key: 'sk-draft',
        model: 'gpt-4o',
      };
      expect((await upstream().testDraft({ body: draft })).data.model).toBe('gpt-4o');
      const channel = await scene().create();
      const kept = { ...draft, key: '', id: channel.id };
      expect((await upstream().testDraft({ body: kept })).data.model).toBe('gpt-4o');
      const moved = await request('/api/channel/test', { body: { ...kept, base_url: 'http://127.0.0.1:9' } });
      expect(moved.body.code).toBe('channel_key_needed_for_address');
    });
  });

  describe('monitoring', () => {
    const monitored = async (work: (scene: ChannelScene) => Promise<void>, enable = 'false') => {
      await scene().set('AutomaticDisableChannelEnabled', 'true');
      await scene().set('AutomaticEnableChannelEnabled', enable);
      await scene().set('ChannelDisableThreshold', '5');
      try {
        await work(scene());
      } finally {
        await scene().set('AutomaticDisableChannelEnabled', 'false');
        await scene().set('AutomaticEnableChannelEnabled', 'false');
      }
    };

    test('REL-4.03 REL-4.11 REL-3.27 REL-3.28 a failed test disables the channel with reason and time', async () => {
      await monitored(async ({ create, row, abilities }) => {
        const channel = await create({ key: 'sk-1.mock-401' });
        await request(`/api/channel/test/${channel.id}`);
        const after = await row(channel.id);
        expect(after.status).toBe(3);
        const info = channelOtherInfo(after.other_info);
        expect(info.status_reason).toStartWith('test {"fact":"upstreamSaid","status":401,');
        expect(info.status_time).toBeGreaterThan(1_700_000_000);
        expect((await abilities(channel.id)).map(({ enabled }) => enabled)).toEqual([0]);
      });
    });

    test('REL-4.14 a test of a named model changes no status, and a channel that opted out stays enabled', async () => {
      await monitored(async ({ create, row }) => {
        const channel = await create({ key: 'sk-1.mock-401' });
        await request(`/api/channel/test/${channel.id}?model=gpt-4o-mini`);
        expect((await row(channel.id)).status).toBe(1);
        const opted = await create({ key: 'sk-1.mock-401', auto_ban: 0 });
        await request(`/api/channel/test/${opted.id}`);
        expect((await row(opted.id)).status).toBe(1);
      });
    });

    test('REL-4.12 a channel slower than the threshold is disabled', async () => {
      await monitored(async ({ create, row, set, upstream: mock }) => {
        await set('ChannelDisableThreshold', '0.2');
        const channel = await create({ models: 'slow-model' });
        const stop = mock.behave({
          when: { model: 'slow-model' },
          behaviour: { headersDelayMilliseconds: 400 },
        });
        await request(`/api/channel/test/${channel.id}`);
        stop();
        const after = await row(channel.id);
        expect(after.status).toBe(3);
        expect(channelOtherInfo(after.other_info).status_reason).toMatch(/^slow 0\.\d+ s > 0\.2 s$/);
      });
    });

    test('REL-4.13 success enables an automatically disabled channel if configured, never one disabled by hand', async () => {
      const off = async (status: number) => {
        const channel = await scene().create();
        await scene()
          .application.store.db.updateTable('channels')
          .set({ status, other_info: '{"status_reason":"status 401","status_time":1}' })
          .where('id', '=', channel.id)
          .execute();
        return channel.id;
      };
      const automatic = await off(3);
      await monitored(async () => {
        await request(`/api/channel/test/${automatic}`);
        expect((await scene().row(automatic)).status).toBe(3);
      });
      await monitored(async () => {
        await request(`/api/channel/test/${automatic}`);
        expect(await scene().row(automatic)).toMatchObject({ status: 1, other_info: '' });
        expect((await scene().abilities(automatic)).map(({ enabled }) => enabled)).toEqual([1]);
        const manual = await off(2);
        await request(`/api/channel/test/${manual}`);
        expect((await scene().row(manual)).status).toBe(2);
      }, 'true');
    });
  });

  describe('testing all', () => {
    const until = async (holds: (run: TestRun) => boolean): Promise<TestRun> => {
      for (let attempt = 0; attempt < 300; attempt += 1) {
        const run = await upstream().testRun();
        if (holds(run)) return run;
        await Bun.sleep(50);
      }
      throw new Error('the run did not get there');
    };

    // Otherwise channels of other tests would be tested too, the stalling ones among them.
    const forgetOthers = () =>
      scene().application.store.db.updateTable('channels').set({ deleted_at: 1 }).execute();

    test('REL-7.14 all channels are tested in the background, with results', async () => {
      await forgetOthers();
      const good = await scene().create();
      const bad = await scene().create({ key: 'sk-1.mock-500' });
      const unknown = await scene().create();
      await ofNewerVersion(unknown.id);
      const reply = await request('/api/channel/test');
      expect(reply.body.success).toBe(true);
      const run = await until(({ running }) => !running);
      const resultOf = (id: number) => run.results.find((each) => each.id === id);
      expect(resultOf(good.id)?.result).toBe('passed');
      expect(resultOf(good.id)?.milliseconds).toBeGreaterThan(0);
      expect(resultOf(bad.id)).toMatchObject({ result: 'failed', milliseconds: 0 });
      expect(resultOf(bad.id)?.error).toStartWith('The upstream answered 500: ');
      expect(resultOf(unknown.id)?.result).toBe('untestable');
      expect([run.done, run.stopped]).toEqual([run.total, false]);
    });

    test('O21: channels are tested at once, so one that does not answer holds up no other', async () => {
      await forgetOthers();
      const stalled = await scene().create({ models: 'stalled' });
      const good = await scene().create();
      const release = scene().upstream.behave({
        when: { model: 'stalled' },
        behaviour: { headersDelayMilliseconds: 30_000 },
      });
      await request('/api/channel/test');
      const during = await until(({ done }) => done === 1);
      const resultOf = (id: number) => during.results.find((each) => each.id === id)?.result;
      expect([resultOf(stalled.id), resultOf(good.id)]).toEqual(['waiting', 'passed']);
      await request('/api/channel/test/stop', { body: {} });
      await until(({ running }) => !running);
      release();
    });

    test('only one run at a time; a stop ends it at once, stopped channels count as not tested, and another run may begin', async () => {
      await forgetOthers();
      for (let index = 0; index < 3; index += 1) await scene().create({ models: 'held' });
      const release = scene().upstream.behave({
        when: { model: 'held' },
        behaviour: { headersDelayMilliseconds: 30_000 },
      });
      await request('/api/channel/test');
      const second = await request('/api/channel/test');
      expect(second.body.code).toBe('channel_tests_running');
      const stop = await request('/api/channel/test/stop', { body: {} });
      expect(stop.body.success).toBe(true);
      const run = await until(({ running }) => !running);
      expect(run.stopped).toBe(true);
      expect([run.done, run.total]).toEqual([0, 3]);
      release();
      expect((await request('/api/channel/test')).body.success).toBe(true);
      await until(({ running }) => !running);
    });
  });

  describe('balances', () => {
    test('REL-7.15 the balance is at the top level and in the row: limit minus usage', async () => {
      const channel = await scene().create();
      const reply = await request(`/api/channel/update_balance/${channel.id}/`);
      expect(reply.body['balance']).toBeCloseTo(120 - 20.505, 6);
      const row = await scene().row(channel.id);
      expect(row.balance).toBeCloseTo(99.495, 6);
      expect(row.balance_updated_time).toBeGreaterThan(1_700_000_000);
    });

    test('the error for a type without a balance call and for a refusing upstream says so', async () => {
      const mistral = await scene().create({ type: CHANNEL_TYPE.mistral });
      const none = await request(`/api/channel/update_balance/${mistral.id}`);
      expect(none.body.message).toBe('Mistral 类型的渠道不支持查询余额');
      const refused = await scene().create({ key: 'sk-1.mock-401' });
      const reply = await request(`/api/channel/update_balance/${refused.id}`);
      expect(reply.body.code).toBe('channel_balance_failed');
    });

    test('REL-7.16 REL-2.48 O20 updating all balances calls enabled channels only, and names each failure', async () => {
      const on = await scene().create();
      const off = await scene().create();
      await scene()
        .application.client(scene().admin)
        .channels.setStatus({ body: { ids: [off.id], status: 2 } });
      const refused = await scene().create({ key: 'sk-1.mock-401' });
      const reply = await request('/api/channel/update_balance');
      expect(reply.body.success).toBe(true);
      const { updated, failures } = reply.body.data as {
        updated: number;
        failures: { id: number; name: string; error: string }[];
      };
      expect(updated).toBeGreaterThanOrEqual(1);
      const failure = failures.find(({ id }) => id === refused.id);
      expect(failure?.name).toBe(refused.name);
      expect(failure?.error).toContain('401');
      expect((await scene().row(on.id)).balance_updated_time).toBeGreaterThan(0);
      expect((await scene().row(off.id)).balance_updated_time).toBe(0);
    });
  });

  describe('models', () => {
    test('the upstream’s list is answered by id and by form values', async () => {
      const channel = await scene().create();
      const byId = await upstream().fetchModels({ params: { id: channel.id } });
      expect(byId.length).toBeGreaterThan(1);
      expect(byId).toEqual([...byId].sort());
      const body = { type: CHANNEL_TYPE.openAi, base_url: `${scene().upstream.url}/v1`, key: 'sk-x' };
      expect(await upstream().fetchDraftModels({ body })).toEqual(byId);
    });

    test('a custom channel with a full URL lists models from its origin', async () => {
      const channel = await scene().create({
        type: CHANNEL_TYPE.custom,
        base_url: `${scene().upstream.url}/v1/chat/completions`,
        name: uniqueName(),
      });
      expect((await upstream().fetchModels({ params: { id: channel.id } })).length).toBeGreaterThan(1);
    });

    test('REL-7.24 REL-7.25 ACC-7.49 ACC-7.60 known models, models by type and group names', async () => {
      const flat = (await request('/api/channel/models')).body.data as { id: string; object: string }[];
      expect(new Set(flat.map(({ id }) => id)).size).toBe(flat.length);
      expect(flat).toContainEqual(
        expect.objectContaining({ id: 'gpt-4o', object: 'model', owned_by: 'OpenAI' }) as never,
      );
      const byType = (await request('/api/models')).body.data as Record<string, string[]>;
      expect(byType['43']).toContain('deepseek-chat');
      expect((await request('/api/group/')).body.data).toEqual(['default', 'vip', 'svip']);
    });
  });
});
