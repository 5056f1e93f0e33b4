// What callers try with the name of a virtual model, and what one caller's calls must not do to those of others.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { picturePieces } from '#contract/money/pricing.ts';
import { databaseLabels } from '#tests/support/databases.ts';
import { eventually, type RelayHarness } from './harness.ts';
import { answeredBy, costOf, PRICES, virtualScene, type VirtualScene } from './virtual-scene.ts';

setDefaultTimeout(60_000);

const message = { messages: [{ role: 'user', content: 'hi' }] };

for (const database of databaseLabels)
  describe(database, () => {
    let scene: VirtualScene;
    let relay: RelayHarness;

    beforeAll(async () => {
      scene = await virtualScene(database);
      ({ relay } = scene);
    });
    afterAll(() => relay[Symbol.asyncDispose]());

    const get = (path: string, key: string) =>
      fetch(relay.url + path, { headers: { Authorization: `Bearer ${key}` } });

    test('a name is matched to the letter, and never by what it looks like', async () => {
      const { fast, cheap } = scene.models();
      await scene.channel(cheap);
      await scene.virtual(fast, [{ model: cheap }]);
      const sent = relay.mock.requests.length;
      for (const [name, status] of [
        [fast.toUpperCase(), 404],
        [` ${fast}`, 400],
        [`${fast}\u200B`, 404],
        [fast.replace('f', '\uFF46'), 404],
        [`models/${fast}`, 404],
        [`${fast}-high`, 404],
      ] as const) {
        const response = await scene.chat(name);
        await response.text();
        expect([name, response.status]).toEqual([name, status]);
      }
      expect(relay.mock.requests.length).toBe(sent);
    });

    test('every way to name the model reaches its targets: the paths of Azure and Google, embeddings, an upload', async () => {
      const { fast, cheap } = scene.models();
      await scene.channel(cheap);
      await scene.virtual(fast, [{ model: cheap }]);
      const { key } = scene.token;
      const azure = `/openai/deployments/${fast}/chat/completions?api-version=2024-10-21`;
      const form = new FormData();
      form.set('model', fast);
      form.set('file', new File(['x'], 'a.mp3', { type: 'audio/mpeg' }));
      const upload = { method: 'POST', headers: { Authorization: `Bearer ${key}` }, body: form };
      for (const response of [
        await relay.post(azure, key, message),
        await relay.post(azure, key, { ...message, stream: true }),
        await relay.post(`/v1beta/models/${fast}:embedContent`, key, {
          content: { parts: [{ text: 'hi' }] },
        }),
        await relay.post('/v1/embeddings', key, { model: fast, input: 'hi' }),
        await relay.post('/v1/responses/compact', key, { model: fast, input: 'hi' }),
        await fetch(`${relay.url}/v1/audio/transcriptions`, upload),
      ]) {
        expect([response.url, response.status, answeredBy(response)]).toEqual([response.url, 200, cheap]);
        expect(await response.text()).not.toContain(cheap);
      }
      // Realtime takes models of channels only.
      expect((await get(`/v1/realtime?model=${fast}`, key)).status).toBeGreaterThanOrEqual(400);
    });

    test('what a call can cost counts every answer that it asks for, and the largest one where it sets no limit', async () => {
      const { fast, cheap, dear } = scene.models();
      await scene.channel(cheap);
      await scene.channel(dear);
      // 10,000 units: the prompt and 2,500 tokens of answer.
      await scene.virtual(fast, [{ model: cheap, when: { max_cost: 0.02 } }, { model: dear }]);
      const { key } = scene.token;
      const contents = [{ parts: [{ text: 'hi' }] }];
      const gemini = (generationConfig: object) =>
        relay.post(`/v1beta/models/${fast}:generateContent`, key, { contents, generationConfig });
      const old = (more: object) =>
        relay.post('/v1/completions', key, { model: fast, prompt: 'hi', ...more });
      for (const [response, model] of [
        [await scene.chat(fast, { max_tokens: 2000 }), cheap],
        [await scene.chat(fast, { max_tokens: 2000, n: 2 }), dear],
        [await scene.chat(fast, { max_tokens: undefined }), dear],
        [await scene.chat(fast, { max_tokens: 10, max_completion_tokens: 5000 }), dear],
        [await scene.chat(fast, { max_tokens: 10, web_search_options: {} }), dear],
        [await old({ max_tokens: 2000 }), cheap],
        [await old({ max_tokens: 2000, best_of: 2 }), dear],
        [await gemini({ maxOutputTokens: 2000 }), cheap],
        [await gemini({ maxOutputTokens: 2000, candidateCount: 2 }), dear],
        [await relay.post('/v1/responses', key, { model: fast, input: 'hi' }), dear],
      ] as const) {
        await response.text();
        expect([response.status, answeredBy(response)]).toEqual([200, model]);
      }
    });

    test('a fixed price of its own is paid for every picture, as the model that drew it counts them', async () => {
      const { fast } = scene.models();
      const paint = `paint-${fast}`;
      await relay.settings.set('ModelPrice', JSON.stringify({ [paint]: 0.04 }), 0);
      await scene.channel('dall-e-3', { status: 500 });
      await scene.channel('dall-e-2');
      await scene.virtual(paint, [{ model: 'dall-e-3' }, { model: 'dall-e-2' }], { price: 'own' });
      const wish = { model: paint, prompt: 'a cat', n: 3, size: '1024x1024', quality: 'hd' };
      const response = await relay.post('/v1/images/generations', scene.token.key, wish);
      expect([response.status, answeredBy(response)]).toEqual([200, 'dall-e-2']);
      const pieces = picturePieces('dall-e-2', 3, wish.size, wish.quality);
      expect(picturePieces('dall-e-3', 3, wish.size, wish.quality)).not.toBe(pieces);
      const row = await scene.rowOf(response);
      expect([row.model_name, row.quota]).toEqual([paint, Math.round(pieces * 0.04 * 500_000)]);
    });

    test('a header that is sent twice is neither of its values', async () => {
      const { fast, cheap, dear } = scene.models();
      await scene.channel(cheap);
      await scene.channel(dear);
      const when = { header: { name: 'x-tier', values: ['gold'] } };
      await scene.virtual(fast, [{ model: dear, when }, { model: cheap }]);
      const headers = new Headers({
        Authorization: `Bearer ${scene.token.key}`,
        'Content-Type': 'application/json',
      });
      for (const tier of ['gold', 'silver']) headers.append('X-Tier', tier);
      const body = JSON.stringify({ model: fast, ...message });
      const response = await fetch(`${relay.url}/v1/chat/completions`, { method: 'POST', headers, body });
      expect(answeredBy(response)).toBe(cheap);
    });

    test('a key that lists only the virtual model reads, counts and keeps what it made', async () => {
      const { fast, cheap } = scene.models();
      await scene.channel(cheap);
      await scene.virtual(fast, [{ model: cheap }]);
      const { key } = await relay.token({ model_limits_enabled: 1, model_limits: fast });
      const made = await relay.post('/v1/responses', key, { model: fast, input: 'hi', store: true });
      const { id } = (await made.json()) as { id: string };
      const read = await get(`/v1/responses/${id}`, key);
      expect([read.status, await read.json()]).toEqual([200, expect.objectContaining({ id, model: fast })]);
      const gone = await fetch(`${relay.url}/v1/responses/${id}`, {
        method: 'DELETE',
        headers: { Authorization: `Bearer ${key}` },
      });
      expect(gone.status).toBe(200);
      expect((await relay.post('/v1/conversations', key, {})).status).toBe(200);
      // Another key of the user, which lists the target alone, reads nothing of the virtual model.
      const again = await relay.post('/v1/responses', key, { model: fast, input: 'hi', store: true });
      const other = (await again.json()) as { id: string };
      const { user_id } = await relay.store.db
        .selectFrom('tokens')
        .select('user_id')
        .where('model_limits', '=', fast)
        .executeTakeFirstOrThrow();
      const target = await relay.token({ user_id, model_limits_enabled: 1, model_limits: cheap });
      expect((await get(`/v1/responses/${other.id}`, target.key)).status).toBe(403);
    });

    test('tokens are counted where only the name has a price', async () => {
      const { fast } = scene.models();
      const unpriced = `unpriced-${fast}`;
      await scene.channel(unpriced);
      await scene.virtual(fast, [{ model: unpriced }], { price: 'own' });
      const { key } = scene.token;
      expect((await scene.chat(fast)).status).toBe(200);
      const counted = await relay.post('/v1/messages/count_tokens', key, { model: fast, ...message });
      expect(counted.status).toBe(200);
    });

    test('an error in the words of an upstream names the model that was asked for', async () => {
      const { fast, cheap } = scene.models();
      await scene.channel(cheap, {
        status: 400,
        errorCode: 'bad',
        errorMessage: `${cheap} does not like this`,
      });
      await scene.virtual(fast, [{ model: cheap }]);
      const response = await scene.chat(fast);
      const text = await response.text();
      expect(response.status).toBe(400);
      expect(text).toContain(`${fast} does not like this`);
      expect(text).not.toContain(cheap);
    });

    test('a target that is given little time is not paused for callers who wait', async () => {
      const { fast, cheap, dear } = scene.models();
      const id = await scene.channel(cheap, { firstTokenDelayMilliseconds: 1500 });
      await scene.channel(dear);
      await scene.virtual(fast, [{ model: cheap, firstTokenSeconds: 1 }, { model: dear }]);
      const hurried = await Promise.all(Array.from({ length: 6 }, () => scene.chat(fast, { stream: true })));
      for (const response of hurried) {
        await response.text();
        expect(answeredBy(response)).toBe(dear);
      }
      expect(relay.relay.core.breaker.pauses(id)).toEqual([]);
      const patient = await scene.chat(cheap, { stream: true });
      await patient.text();
      expect([patient.status, answeredBy(patient)]).toEqual([200, null]);
    });

    test('a virtual model that is deleted while its calls run: they end as they began', async () => {
      const { fast, cheap, dear } = scene.models();
      await scene.channel(cheap, { status: 500, headersDelayMilliseconds: 700 });
      await scene.channel(dear);
      await scene.virtual(fast, [{ model: cheap }, { model: dear }]);
      const running = scene.chat(fast);
      await eventually(
        () => relay.mock.requests.some(({ model }) => model === cheap),
        (isSent) => isSent,
      );
      await relay.store.db.deleteFrom('virtual_models').where('name', '=', fast).execute();
      await relay.store.changes.announce('virtual_models');
      expect((await scene.chat(fast)).status).toBe(404);
      const response = await running;
      const row = await scene.rowOf(response);
      expect([response.status, answeredBy(response)]).toEqual([200, dear]);
      expect(row.quota).toBe(costOf(PRICES.dear, row));
    });

    test('what a stream at a price of its own has cost so far is the cost of the model that answers', async () => {
      const { fast, cheap } = scene.models();
      const table = { kind: 'table', models: { [cheap]: { input: 1, output: 1 } } };
      await scene.channel(
        cheap,
        { outputTokens: 200, chunkDelayMilliseconds: 30 },
        {
          fields: {
            model_mapping: JSON.stringify({ [cheap]: 'real-name' }),
            buy_price: JSON.stringify(table),
          },
        },
      );
      await scene.virtual(fast, [{ model: cheap }], { price: 'own' });
      const leaving = new AbortController();
      const reading = fetch(`${relay.url}/v1/chat/completions`, {
        method: 'POST',
        signal: leaving.signal,
        headers: { Authorization: `Bearer ${scene.token.key}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ model: fast, ...message, stream: true }),
      })
        .then((response) => response.text())
        .catch(() => '');
      const hold = await eventually(
        () => relay.store.db.selectFrom('holds').select('checkpoint').executeTakeFirst(),
        (found) => found?.checkpoint.includes('completionTokens') === true,
      );
      leaving.abort();
      await reading;
      expect(JSON.parse(hold?.checkpoint ?? '{}')).toMatchObject({ cost: expect.any(Number) });
      await eventually(
        () => relay.holds(),
        (count) => count === 0,
      );
    });
  });
