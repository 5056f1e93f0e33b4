// Equal requests get the cached answer: one charge for each, none of them reaches the upstream, and everything that may refuse a call does so first.
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { databaseLabels } from '#tests/support/databases.ts';
import {
  cacheScene,
  CHAT,
  EMBEDDING,
  expectBooks,
  FORMATS,
  GEMINI,
  type CacheScene,
} from './answer-cache-scene.ts';
import { eventually } from './harness.ts';

setDefaultTimeout(60_000);

for (const database of databaseLabels)
  describe(database, () => {
    let scene: CacheScene;
    beforeAll(async () => {
      scene = await cacheScene(database);
    });
    afterEach(() => expectBooks(scene));
    afterAll(() => scene[Symbol.asyncDispose]());

    for (const { name, path, body } of FORMATS)
      for (const stream of [false, true])
        test(`${name}, ${stream ? 'streamed' : 'whole'}: the second call gets the same bytes at a tenth, and the upstream is not called`, async () => {
          const token = await scene.keeping({ quota: 5_000_000 });
          const ask = () =>
            scene.send(token, path(stream), {
              ...body(`what is ${name}?`),
              ...(stream && name !== 'gemini' ? { stream: true } : {}),
            });
          const first = await ask();
          expect([first.status, first.state]).toEqual([200, 'miss']);
          const before = scene.sent();
          const second = await ask();
          expect([second.status, second.state, second.age !== null]).toEqual([200, 'hit', true]);
          expect(second.text).toBe(first.text);
          expect(second.key).toBe(first.key);
          expect(scene.sent()).toBe(before);
          const [anew, kept] = [await scene.rowOf(first), await scene.rowOf(second)];
          expect(kept.other.hit_ratio).toBe(0.1);
          expect(kept.other.answer_cache).toMatchObject({ key: second.key, saved: anew.quota - kept.quota });
          expect(kept.quota).toBe(Math.max(1, Math.round(anew.quota / 10)));
          expect(kept).toMatchObject({
            prompt_tokens: anew.prompt_tokens,
            completion_tokens: anew.completion_tokens,
            model_name: anew.model_name,
            channel_id: 0,
            cost: 0,
            estimated: 0,
          });
          expect(kept.other.usage).toEqual(anew.other.usage);
          expect(kept.other.admin_info.attempts).toEqual([]);
          expect(await scene.entriesOf(token.userId)).toEqual([anew.quota, kept.quota]);
          const user = await scene.userRow(token.userId);
          expect(user.quota).toBe(5_000_000 - anew.quota - kept.quota);
        });

    test('embeddings and a stream of Gemini as one JSON array are kept too', async () => {
      const token = await scene.keeping();
      const embed = () => scene.send(token, '/v1/embeddings', { model: EMBEDDING, input: 'a b c' });
      const [one, two] = [await embed(), await embed()];
      expect([one.state, two.state, two.text === one.text]).toEqual(['miss', 'hit', true]);
      const array = () =>
        scene.send(token, `/v1beta/models/${GEMINI}:streamGenerateContent`, {
          contents: [{ role: 'user', parts: [{ text: 'as an array' }] }],
        });
      const [first, second] = [await array(), await array()];
      expect([first.state, second.state]).toEqual(['miss', 'hit']);
      expect(JSON.parse(second.text)).toEqual(JSON.parse(first.text));
      expect(second.headers.get('content-type')).toBe(first.headers.get('content-type'));
    });

    test('whole and streamed answers are two entries; order of members and white space make none', async () => {
      const token = await scene.keeping();
      const body = { model: CHAT, messages: [{ role: 'user', content: 'two' }], temperature: 1 };
      const send = (text: unknown) => scene.send(token, '/v1/chat/completions', text);
      expect((await send(body)).state).toBe('miss');
      expect((await send({ ...body, stream: true })).state).toBe('miss');
      const other =
        '{ "temperature":1,\n"messages":[ {"content":"tw\\u006f","role":"user"}],"model":"gpt-4o"}';
      expect((await send(other)).state).toBe('hit');
      expect((await send({ ...body, seed: 1 })).state).toBe('miss');
      expect((await send({ ...body, temperature: 0.9 })).state).toBe('miss');
    });

    test('without opt-in there is no header and no entry; a key can refuse what the site offers', async () => {
      const plain = await scene.token();
      for (let at = 0; at < 2; at += 1) expect((await scene.ask(plain, 'plain')).state).toBeNull();
      await scene.set({ AnswerCache: 'on' });
      const refusing = await scene.token({ answer_cache: 'off' });
      for (let at = 0; at < 2; at += 1) expect((await scene.ask(refusing, 'plain')).state).toBeNull();
      expect((await scene.ask(plain, 'plain')).state).toBe('miss');
      expect((await scene.ask(plain, 'plain')).state).toBe('hit');
      await scene.set({ AnswerCache: 'off' });
      expect(scene.cache().state).toMatchObject({ entries: 0, bytes: 0 });
      await scene.set({ AnswerCache: 'opt_in' });
    });

    test('headers: bypass, refresh, times, no-store, no-cache, max-age', async () => {
      const token = await scene.keeping({ answer_cache_seconds: 500 });
      const state = async (headers: Record<string, string> = {}) =>
        (await scene.ask(token, 'headers', {}, headers)).state;
      expect(await state({ 'Tollgate-Cache': 'bypass' })).toBe('bypass');
      expect(await state({ 'Cache-Control': 'no-store' })).toBe('bypass');
      expect(await state({ 'Tollgate-Cache': 'ttl=0' })).toBe('bypass');
      expect(await state()).toBe('miss');
      expect(await state({ 'Tollgate-Cache': 'refresh' })).toBe('miss');
      expect(await state({ 'Cache-Control': 'no-cache' })).toBe('miss');
      expect(await state({ 'Cache-Control': 'max-age=100' })).toBe('hit');
      await Bun.sleep(1100);
      expect(await state({ 'Cache-Control': 'max-age=1' })).toBe('miss');
      expect(await state({ 'Tollgate-Cache': 'TTL=400 , nonsense' })).toBe('hit');
      await Bun.sleep(1100);
      expect(await state({ 'Tollgate-Cache': 'ttl=1' })).toBe('miss');
      await Bun.sleep(1100);
      // Kept for a second only, by the call that made it.
      expect(await state()).toBe('miss');
      await scene.set({ AnswerCacheMostSeconds: '1' });
      await Bun.sleep(1100);
      expect(await state({ 'Tollgate-Cache': 'ttl=99999' })).toBe('miss');
      await scene.set({ AnswerCacheMostSeconds: '86400', AnswerCacheSeconds: '1' });
      const usual = await scene.keeping();
      await scene.ask(usual, 'as long as the site says');
      await Bun.sleep(1100);
      expect((await scene.ask(usual, 'as long as the site says')).state).toBe('miss');
      await scene.set({ AnswerCacheSeconds: '3600' });
    });

    test('the price is a part of what the answer costs now, at least one unit; a free model stays free', async () => {
      const token = await scene.keeping();
      const first = await scene.ask(token, 'price', { model: 'm-second' });
      await scene.set({ AnswerCachePricePercent: '50', ModelRatio: '{"m-second":6,"m-free":0,"m-third":3}' });
      const second = await scene.rowOf(await scene.ask(token, 'price', { model: 'm-second' }));
      expect(second.quota).toBe(Math.round(((await scene.rowOf(first)).quota * 3) / 2));
      await scene.set({ AnswerCachePricePercent: '0.0001' });
      expect((await scene.rowOf(await scene.ask(token, 'price', { model: 'm-second' }))).quota).toBe(1);
      await scene.set({ AnswerCachePricePercent: '0' });
      expect((await scene.rowOf(await scene.ask(token, 'price', { model: 'm-second' }))).quota).toBe(0);
      await scene.set({ AnswerCachePricePercent: '10' });
      for (const state of ['miss', 'hit']) {
        const free = await scene.ask(token, 'price', { model: 'm-free' });
        expect([free.state, (await scene.rowOf(free)).quota]).toEqual([state, 0]);
      }
    });

    test('an answer that is broken, filtered, refused, estimated or cut by the balance is not kept', async () => {
      const odd = [
        { finishReason: 'content_filter' },
        { usageReport: 'missing' },
        { status: 500 },
        { resetAfterEvents: 2 },
        { cutAfterEvents: 2 },
        { errorAfterEvents: 2 },
      ] as const;
      for (const [number, behaviour] of odd.entries())
        for (const stream of [false, true]) {
          const token = await scene.keeping();
          const text = `odd ${number} ${String(stream)}`;
          const extra = stream ? { stream: true, stream_options: { include_usage: true } } : {};
          const off = scene.mock.behave({ behaviour });
          await scene.ask(token, text, extra).catch(() => undefined);
          scene.endCooling();
          off();
          const again = await scene.ask(token, text, extra);
          const isPlain =
            !stream &&
            ('resetAfterEvents' in behaviour ||
              'cutAfterEvents' in behaviour ||
              'errorAfterEvents' in behaviour);
          if (!isPlain) expect([text, again.state]).toEqual([text, 'miss']);
        }
      // The limit of the answer is lowered to what the balance pays.
      const poor = await scene.keeping({ quota: 3000 });
      const first = await scene.ask(poor, 'cut', { max_tokens: 4000 });
      expect(first.headers.get('x-tollgate-output-limit')).not.toBeNull();
      expect(scene.cache().state.entries).toBeGreaterThan(0);
      expect((await scene.ask(poor, 'cut', { max_tokens: 4000 })).state).not.toBe('hit');
    });

    test('what the upstream keeps, continues or runs is bypassed', async () => {
      const token = await scene.keeping();
      const post = async (path: string, body: object) => (await scene.send(token, path, body)).state;
      const chat = { model: CHAT, messages: [{ role: 'user', content: 'state' }] };
      expect(await post('/v1/chat/completions', { ...chat, store: true })).toBe('bypass');
      expect(await post('/v1/chat/completions', { ...chat, web_search_options: {} })).toBe('bypass');
      expect(await post('/v1/responses', { model: CHAT, input: 'state' })).toBe('bypass');
      expect(
        await post('/v1/responses', {
          model: CHAT,
          input: 'x',
          store: false,
          tools: [{ type: 'web_search' }],
        }),
      ).toBe('bypass');
      const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }];
      expect(await post('/v1/chat/completions', { ...chat, tools })).toBe('miss');
      expect(await post('/v1/chat/completions', { ...chat, tools })).toBe('hit');
    });

    test('a caller who asks for cost and balance gets them with the cached answer', async () => {
      const token = await scene.keeping({ quota: 1_000_000 });
      const report = { 'X-Tollgate-Report': '1' };
      await scene.ask(token, 'report');
      const whole = await scene.ask(token, 'report', {}, report);
      const row = await scene.rowOf(whole);
      expect(whole.headers.get('x-tollgate-cost')).toBe(String(row.quota));
      const first = await scene.ask(token, 'report', { stream: true }, report);
      const again = await scene.ask(token, 'report', { stream: true }, report);
      const plain = await scene.ask(token, 'report', { stream: true });
      const comment = /: tollgate cost=(\d+) balance=(\d+)\n\n/;
      expect([first.state, again.state, plain.state]).toEqual(['miss', 'hit', 'hit']);
      expect(comment.exec(again.text)?.[1]).toBe(String((await scene.rowOf(again)).quota));
      expect(plain.text).toBe(first.text.replace(comment, ''));
      expect(again.text.replace(comment, '')).toBe(plain.text);
    });

    test('memory is bounded: the least used go first, a large answer is not kept, one account has a quarter', async () => {
      await scene.cache().purge({});
      await scene.set({ AnswerCacheEntries: '3' });
      const token = await scene.keeping();
      for (const text of ['one', 'two', 'three']) await scene.ask(token, text);
      expect((await scene.ask(token, 'one')).state).toBe('hit');
      await scene.ask(token, 'four');
      expect(scene.cache().state.entries).toBe(3);
      expect((await scene.ask(token, 'one')).state).toBe('hit');
      expect((await scene.ask(token, 'two')).state).toBe('miss');
      await scene.set({
        AnswerCacheEntries: '10000',
        AnswerCacheMegabytes: '1',
        AnswerCacheEntryKilobytes: '64',
      });
      const off = scene.mock.behave({ behaviour: { text: 'long '.repeat(8000), outputTokens: 8000 } });
      for (let at = 0; at < 12; at += 1) await scene.ask(token, `long ${at}`);
      const { bytes } = scene.cache().state;
      expect(bytes).toBeGreaterThan(100_000);
      expect(bytes).toBeLessThanOrEqual((1024 * 1024) / 4);
      await scene.set({ AnswerCacheEntryKilobytes: '16' });
      for (let at = 0; at < 2; at += 1) expect((await scene.ask(token, 'too long')).state).toBe('miss');
      off();
      await scene.set({ AnswerCacheMegabytes: '64', AnswerCacheEntryKilobytes: '256' });
    });

    test('what refuses a call refuses a cached answer too', async () => {
      const refused = async (row: object, wanted: number, change?: (id: number) => Promise<unknown>) => {
        const token = await scene.keeping(row);
        expect((await scene.ask(token, 'refused')).state).toBe('miss');
        await change?.(token.id);
        const second = await scene.ask(token, 'refused');
        expect([JSON.stringify(row), second.status]).toEqual([JSON.stringify(row), wanted]);
        expect((await scene.entriesOf(token.userId)).length).toBe(1);
      };
      const update = (values: object) => async (id: number) => {
        await scene.store.db.updateTable('tokens').set(values).where('id', '=', id).execute();
        await scene.store.changes.announce('tokens', String(id));
      };
      await refused({ requests_per_minute: 1 }, 429);
      await refused({}, 401, update({ status: 2 }));
      await refused({}, 403, update({ model_limits_enabled: 1, model_limits: 'gpt-4o-mini' }));
      await refused({}, 403, update({ allow_ips: '192.0.2.1' }));
      await refused(
        { unlimited_quota: 0, remain_quota: 1_000_000 },
        403,
        update({ unlimited_quota: 0, remain_quota: 0 }),
      );
      // More than nothing, and less than the cached answer costs.
      await refused(
        { unlimited_quota: 0, remain_quota: 1_000_000 },
        403,
        update({ unlimited_quota: 0, remain_quota: 2 }),
      );
      const { key, ...words } = { key: 'CheckSensitiveEnabled', SensitiveWords: 'refused' } as const;
      await refused({}, 400, () =>
        scene.set({ [key]: 'true', CheckSensitiveOnPromptEnabled: 'true', ...words }),
      );
      await scene.set({ [key]: 'false' });
    });

    test('the entries of a deleted key, of a withdrawn wish and of a banned account go', async () => {
      await scene.cache().purge({});
      const left = (count: number) =>
        eventually(
          () => scene.cache().state.entries,
          (entries) => entries === count,
        );
      const [one, two, three] = [await scene.keeping(), await scene.keeping(), await scene.keeping()];
      for (const token of [one, two, three]) await scene.ask(token, 'mine');
      expect(scene.cache().state.entries).toBe(3);
      const change = async (values: object, { id }: { id: number }) => {
        await scene.store.db.updateTable('tokens').set(values).where('id', '=', id).execute();
        await scene.store.changes.announce('tokens', String(id));
      };
      await change({ deleted_at: 1 }, one);
      expect(await left(2)).toBe(2);
      await change({ answer_cache: '' }, two);
      expect(await left(1)).toBe(1);
      await scene.store.db.updateTable('users').set({ status: 2 }).where('id', '=', three.userId).execute();
      await scene.store.changes.announce('users', String(three.userId));
      expect(await left(0)).toBe(0);
    });

    test('a purge by key, model, token or all; an answer that comes during one is not kept', async () => {
      const [one, two] = [await scene.keeping(), await scene.keeping()];
      const state = async (token: typeof one, extra: object = {}) =>
        (await scene.ask(token, 'purge', extra)).state;
      const { key } = await scene.ask(one, 'purge');
      await state(two);
      expect(await scene.cache().purge({ key })).toBe(1);
      expect([await state(one), await state(two)]).toEqual(['miss', 'hit']);
      expect(await scene.cache().purge({ token_id: two.id, model: 'other' })).toBe(0);
      expect(await scene.cache().purge({ token_id: two.id })).toBe(1);
      expect([await state(one), await state(two)]).toEqual(['hit', 'miss']);
      await state(one, { model: 'gpt-4o-mini' });
      await scene.cache().purge({ model: CHAT });
      expect([await state(one, { model: 'gpt-4o-mini' }), await state(one)]).toEqual(['hit', 'miss']);
      const off = scene.mock.behave({ behaviour: { headersDelayMilliseconds: 500 } });
      const before = scene.sent();
      const running = scene.ask(one, 'while it is purged');
      await eventually(
        () => scene.sent(),
        (sent) => sent > before,
      );
      await scene.cache().purge({});
      expect((await running).state).toBe('miss');
      off();
      expect((await scene.ask(one, 'while it is purged')).state).toBe('miss');
    });
  });
