// Virtual models: which target gets a call, what happens when it fails, and what is held and charged.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import type { TargetConditions } from '#contract/relay/virtual-models.ts';
import { FALLBACK_KINDS, type FallbackKind } from '#contract/relay/virtual-reasons.ts';
import { databaseLabels } from '#tests/support/databases.ts';
import type { Behaviour } from '#mock/upstream/index.ts';
import type { RelayHarness, TestToken } from './harness.ts';
import { answeredBy, costOf, PRICES, virtualScene, type VirtualScene } from './virtual-scene.ts';

for (const database of databaseLabels) {
  describe(database, () => {
    let scene: VirtualScene;
    let relay: RelayHarness;
    let token: TestToken;

    beforeAll(async () => {
      scene = await virtualScene(database);
      ({ relay, token } = scene);
    });
    afterAll(() => relay[Symbol.asyncDispose]());

    const models = () => scene.models();
    const channel: VirtualScene['channel'] = (...given) => scene.channel(...given);
    const virtual: VirtualScene['virtual'] = (...given) => scene.virtual(...given);
    const chat: VirtualScene['chat'] = (...given) => scene.chat(...given);
    const rowOf: VirtualScene['rowOf'] = (response) => scene.rowOf(response);

    test('the first target answers; the caller reads the name it asked for, header and log name the model', async () => {
      const { fast, cheap, dear } = models();
      await channel(cheap);
      await channel(dear);
      await virtual(fast, [{ model: cheap }, { model: dear }]);
      const response = await chat(fast);
      expect(response.status).toBe(200);
      expect(answeredBy(response)).toBe(cheap);
      expect(await response.json()).toMatchObject({ model: fast });
      const row = await rowOf(response);
      expect(row).toMatchObject({ model_name: cheap, other: { asked_model: fast, answered_model: cheap } });
      expect(row.quota).toBe(costOf(PRICES.cheap, row));
      expect(row.other.admin_info.attempts).toMatchObject([{ model: cheap, status: 200 }]);
      expect(relay.mock.requests.filter(({ body }) => JSON.stringify(body).includes(fast))).toEqual([]);
    });

    test('the body names the model that answered where that is chosen, also in a stream', async () => {
      const { fast, cheap } = models();
      await channel(cheap);
      await virtual(fast, [{ model: cheap }], { body_model: 'answered' });
      expect(await (await chat(fast)).json()).toMatchObject({ model: cheap });
      const other = models();
      await channel(other.cheap);
      await virtual(other.fast, [{ model: other.cheap }]);
      const text = await (await chat(other.fast, { stream: true })).text();
      expect(text).toContain(`"model":"${other.fast}"`);
      expect(text).not.toContain(other.cheap);
    });

    const failures: [FallbackKind, Behaviour][] = [
      ['down', { status: 500 }],
      ['overloaded', { status: 503 }],
      ['rate_limit', { status: 429 }],
      ['context_too_long', { status: 400, errorCode: 'context_length_exceeded', errorMessage: 'too long' }],
      ['content_filter', { status: 400, errorCode: 'content_filter', errorMessage: 'filtered' }],
      ['unsupported', { status: 400, errorCode: 'unsupported_parameter', errorMessage: 'no top_k' }],
    ];
    for (const [kind, behaviour] of failures)
      for (const stream of [false, true])
        test(`${kind}: the next target answers and is charged alone, where the first one names it (stream: ${stream})`, async () => {
          const { fast, cheap, dear } = models();
          await channel(cheap, behaviour);
          await channel(dear);
          await virtual(fast, [{ model: cheap, on: [kind] }, { model: dear }]);
          const before = await relay.userRow(token.userId);
          const response = await chat(fast, { stream });
          expect(response.status).toBe(200);
          await response.text();
          expect(answeredBy(response)).toBe(dear);
          const row = await rowOf(response);
          expect(row).toMatchObject({ model_name: dear, route: [`${cheap} ${kind}`] });
          expect(row.quota).toBe(costOf(PRICES.dear, row));
          const after = await relay.userRow(token.userId);
          expect(before.quota - after.quota).toBe(row.quota);
          expect(await relay.holds()).toBe(0);
          expect(relay.alerts.filter(({ kind: alert }) => alert !== 'available')).toEqual([]);

          // Any other kind is the caller's to read.
          const other = models();
          await channel(other.cheap, behaviour);
          await channel(other.dear);
          const rest = FALLBACK_KINDS.filter((each) => each !== kind);
          await virtual(other.fast, [{ model: other.cheap, on: rest }, { model: other.dear }]);
          const refused = await chat(other.fast, { stream });
          expect(refused.status).not.toBe(200);
          expect((await relay.userRow(token.userId)).quota).toBe(after.quota);
        });

    test('a target that sends nothing in its time is left for the next one', async () => {
      const { fast, cheap, dear } = models();
      await channel(cheap, { firstTokenDelayMilliseconds: 20_000 });
      await channel(dear);
      await virtual(fast, [{ model: cheap, firstTokenSeconds: 1 }, { model: dear }]);
      const response = await chat(fast, { stream: true });
      await response.text();
      const row = await rowOf(response);
      expect(row).toMatchObject({ model_name: dear, route: [`${cheap} first_token_timeout`] });
      expect(row.quota).toBe(costOf(PRICES.dear, row));
    });

    test('an answer that has begun is not begun again by another model', async () => {
      const { fast, cheap, dear } = models();
      await channel(cheap, { resetAfterEvents: 2 });
      await channel(dear);
      await virtual(fast, [{ model: cheap }, { model: dear }]);
      const response = await chat(fast, { stream: true });
      await response.text().catch(() => '');
      expect(answeredBy(response)).toBe(cheap);
      expect(await rowOf(response)).toMatchObject({ model_name: cheap });
    });

    test('all targets fail: one error, nothing charged or held, and the row names what was tried', async () => {
      const { fast, cheap, dear } = models();
      await channel(cheap, { status: 500 });
      await channel(dear, { status: 429 });
      await virtual(fast, [{ model: cheap }, { model: dear }]);
      const before = await relay.userRow(token.userId);
      const response = await chat(fast);
      expect(response.status).toBe(429);
      const row = await rowOf(response);
      expect(row).toMatchObject({ quota: 0, route: [`${cheap} down`, `${dear} rate_limit`] });
      expect(row.other.admin_info.attempts.map(({ model }) => model)).toEqual([cheap, dear]);
      expect((await relay.userRow(token.userId)).quota).toBe(before.quota);
      expect(await relay.holds()).toBe(0);
    });

    test('a balance that pays only the cheaper target falls back to no dearer one, and is never overdrawn', async () => {
      const { fast, cheap, plain, dear } = models();
      await channel(cheap, { status: 500 });
      await channel(dear);
      await channel(plain);
      await virtual(fast, [{ model: cheap }, { model: dear }, { model: plain }]);
      // 100 tokens of answer cost 8,000 units at the dear one and 800 at the plain one.
      const poor = await relay.token({ quota: 2000 });
      await relay.settings.set('LowerAnswerLimits', 'false', 0);
      const response = await chat(fast, {}, poor.key);
      await relay.settings.set('LowerAnswerLimits', 'true', 0);
      expect(response.status).toBe(200);
      const row = await rowOf(response);
      expect(row).toMatchObject({ model_name: plain, route: [`${cheap} down`, `${dear} hold`] });
      expect((await relay.userRow(poor.userId)).quota).toBe(2000 - row.quota);
    });

    test('the hold covers the dearest target, and an answer of that one never costs more than its hold', async () => {
      for (const stream of [false, true]) {
        const { fast, cheap, dear } = models();
        await channel(cheap, { status: 500 });
        // A stream shows what it writes; a whole answer may be all thoughts.
        await channel(dear, stream ? { outputTokens: 4000 } : { fillsLimit: true });
        await virtual(fast, [{ model: cheap }, { model: dear }]);
        const response = await chat(fast, { stream, max_tokens: 5000 });
        await response.text();
        const row = await rowOf(response);
        expect(row.model_name).toBe(dear);
        expect(row.quota).toBe(costOf(PRICES.dear, row));
        expect(row.completion_tokens).toBeGreaterThanOrEqual(4000);
      }
      expect(relay.alerts).toEqual([]);
    });

    test('at a price of its own the call costs the same whoever answers, and its row has the name', async () => {
      const { fast, cheap, dear } = models();
      const failing = await channel(cheap, { status: 429, headers: { 'retry-after': '60' } });
      // The operator buys the model that answered, under the name that it has here.
      const table = { kind: 'table', models: { [dear]: { input: 1, output: 1 } } };
      await channel(
        dear,
        {},
        {
          fields: {
            model_mapping: JSON.stringify({ [dear]: 'real-name' }),
            buy_price: JSON.stringify(table),
          },
        },
      );
      await virtual(fast, [{ model: cheap }, { model: dear }], { price: 'own' });
      const response = await chat(fast);
      const row = await rowOf(response);
      expect(row).toMatchObject({ model_name: fast, other: { asked_model: fast, answered_model: dear } });
      expect(row.quota).toBe(costOf(PRICES.fast, row));
      expect(row.cost).toBeGreaterThan(0);
      expect(answeredBy(response)).toBe(dear);
      // The limit is that of the model, not of the name.
      expect(relay.relay.core.breaker.coolingSeconds(failing, cheap)).toBeGreaterThan(0);
      expect(relay.relay.core.breaker.coolingSeconds(failing, fast)).toBe(0);
    });

    test('a model whose channels are at their limit is passed over at once', async () => {
      const { fast, cheap, dear } = models();
      await channel(cheap, { status: 500, headers: { 'retry-after': '60' } });
      await channel(dear);
      await virtual(fast, [{ model: cheap }, { model: dear }]);
      // Enough failures for the channel to cool down.
      for (let at = 0; at < 12; at += 1) await (await chat(fast)).text();
      const sent = relay.mock.requests.length;
      const response = await chat(fast);
      expect(await rowOf(response)).toMatchObject({ model_name: dear });
      expect(relay.mock.requests.length).toBe(sent + 1);
    });

    test('any client format reaches a target in any format, and a failed one is asked in its own', async () => {
      const { fast, cheap, dear } = models();
      await channel(cheap, { status: 503 }, { type: CHANNEL_TYPE.anthropic });
      await channel(dear);
      await virtual(fast, [{ model: cheap }, { model: dear }]);
      const asked = [
        ['/v1/messages', { model: fast, max_tokens: 50, messages: [{ role: 'user', content: 'hi' }] }],
        ['/v1/responses', { model: fast, input: 'hi' }],
        [`/v1beta/models/${fast}:generateContent`, { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }],
        ['/v1/chat/completions', { model: fast, messages: [{ role: 'user', content: 'hi' }] }],
      ] as const;
      for (const [path, body] of asked) {
        const response = await relay.post(path, token.key, body);
        expect([path, response.status]).toEqual([path, 200]);
        const text = await response.text();
        expect(text).toContain(fast);
        expect(text).not.toContain(dear);
        expect(await rowOf(response)).toMatchObject({ model_name: dear });
        relay.endCooling();
      }
    });

    /** A virtual model that sends the calls with these conditions to one model and all others to another. */
    async function sorting(when: TargetConditions) {
      const { fast, cheap, dear } = models();
      await channel(cheap);
      await channel(dear);
      await virtual(fast, [{ model: dear, when }, { model: cheap }]);
      return async (extra: object = {}, headers: Record<string, string> = {}, key = token.key) => {
        const response = await chat(fast, extra, key, headers);
        expect(response.status).toBe(200);
        const isMatch = answeredBy(response) === dear;
        expect((await rowOf(response)).route).toEqual(isMatch ? [] : [`${dear} ${Object.keys(when)[0]}`]);
        return isMatch;
      };
    }
    const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
    const message = (...content: object[]) => ({ messages: [{ role: 'user', content }] });
    const words = (count: number) => ({ messages: [{ role: 'user', content: 'word '.repeat(count) }] });
    const tool = { type: 'function', function: { name: 'now', parameters: { type: 'object' } } };
    const schema = { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } };

    test('conditions: length of the prompt, and the context of the model', async () => {
      const long = await sorting({ prompt_at_least: 500 });
      expect([await long(words(1000)), await long(words(10))]).toEqual([true, false]);
      const short = await sorting({ prompt_at_most: 500 });
      expect([await short(words(1000)), await short(words(10))]).toEqual([false, true]);
      const { fast, cheap, dear } = models();
      await relay.settings.set('ModelLimits', JSON.stringify({ [dear]: { context: 300 } }), 0);
      await channel(cheap);
      await channel(dear);
      await virtual(fast, [{ model: dear, when: { fits_context: true } }, { model: cheap }]);
      expect(answeredBy(await chat(fast, words(10)))).toBe(dear);
      expect(answeredBy(await chat(fast, words(1000)))).toBe(cheap);
    });

    test('conditions: pictures, files, tools, structured output, reasoning effort', async () => {
      const pictures = await sorting({ pictures: true });
      expect([await pictures(message(picture)), await pictures()]).toEqual([true, false]);
      const noPictures = await sorting({ pictures: false });
      expect([await noPictures(message(picture)), await noPictures()]).toEqual([false, true]);
      const files = await sorting({ files: true });
      const file = {
        type: 'file',
        file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' },
      };
      expect([await files(message(file)), await files(message(picture))]).toEqual([true, false]);
      const tools = await sorting({ tools: true });
      expect([await tools({ tools: [tool] }), await tools({ tools: [] }), await tools()]).toEqual([
        true,
        false,
        false,
      ]);
      const structured = await sorting({ structured_output: true });
      expect([
        await structured({ response_format: schema }),
        await structured({ response_format: { type: 'text' } }),
      ]).toEqual([true, false]);
      const effort = await sorting({ reasoning_efforts: ['high', 'xhigh'] });
      expect([await effort({ reasoning_effort: 'high' }), await effort({ reasoning_effort: 'low' })]).toEqual(
        [true, false],
      );
      const none = await sorting({ reasoning_efforts: ['none'] });
      expect([await none(), await none({ reasoning_effort: 'low' })]).toEqual([true, false]);
    });

    test('conditions: header, tag, group, price of the call, what can still be spent', async () => {
      const header = await sorting({ header: { name: 'x-tier', values: ['gold'] } });
      expect([
        await header({}, { 'X-Tier': 'gold' }),
        await header({}, { 'X-Tier': 'silver' }),
        await header(),
      ]).toEqual([true, false, false]);
      const present = await sorting({ header: { name: 'x-tier' } });
      expect([await present({}, { 'X-Tier': 'any' }), await present()]).toEqual([true, false]);
      const tag = await sorting({ tag: { key: 'team', values: ['search'] } });
      expect([
        await tag({}, { 'Tollgate-Tags': 'team=search' }),
        await tag({ metadata: { team: 'search' } }),
        await tag({}, { 'Tollgate-Tags': 'team=other' }),
      ]).toEqual([true, true, false]);
      const group = await sorting({ groups: ['default'] });
      expect(await group()).toBe(true);
      const others = await sorting({ groups: ['vip'] });
      expect(await others()).toBe(false);
      // 100 tokens of an answer cost 8,000 units, which are 0.016 dollars; the prompt is a few tokens.
      const price = await sorting({ max_cost: 0.02 });
      expect([await price({ max_tokens: 100 }), await price({ max_tokens: 1000 })]).toEqual([true, false]);
      const rich = await relay.token({ quota: 5_000_000 });
      const poor = await relay.token({ quota: 400_000 });
      const limited = await relay.token({ quota: 5_000_000, unlimited_quota: 0, remain_quota: 400_000 });
      const budget = await sorting({ budget_below: 1 });
      expect([
        await budget({}, {}, rich.key),
        await budget({}, {}, poor.key),
        await budget({}, {}, limited.key),
      ]).toEqual([false, true, true]);
    });

    test('conditions: the hours of the site', async () => {
      const { hour, minute } = ((date: Date) => ({ hour: date.getUTCHours(), minute: date.getUTCMinutes() }))(
        new Date(),
      );
      const at = (hours: number) =>
        `${String((hour + hours + 24) % 24).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
      const now = await sorting({ hours: { from: at(-2), to: at(2) } });
      expect(await now()).toBe(true);
      const later = await sorting({ hours: { from: at(2), to: at(4) } });
      expect(await later()).toBe(false);
    });

    test('shares of conversations: each one stays with its target, and all together are as many as asked', async () => {
      const { fast, cheap, plain, dear } = models();
      for (const model of [cheap, plain, dear]) await channel(model);
      await virtual(fast, [
        { model: cheap, when: { share_percent: 30 } },
        { model: plain, when: { share_percent: 50 } },
        { model: dear },
      ]);
      const served = new Map<string | null, number>();
      for (let at = 0; at < 60; at += 1) {
        const first = { role: 'user', content: `conversation ${at}` };
        const response = await chat(fast, { messages: [first] });
        const model = answeredBy(response);
        served.set(model, (served.get(model) ?? 0) + 1);
        const next = await chat(fast, { messages: [first, { role: 'assistant', content: 'a' }, first] });
        expect(answeredBy(next)).toBe(model);
      }
      // Together they are all conversations.
      const other = models();
      for (const model of [other.cheap, other.plain]) await channel(model);
      await virtual(other.fast, [
        { model: other.cheap, when: { share_percent: 50 } },
        { model: other.plain, when: { share_percent: 50 } },
      ]);
      for (let at = 0; at < 12; at += 1)
        expect((await chat(other.fast, { messages: [{ role: 'user', content: `half ${at}` }] })).status).toBe(
          200,
        );
      // The draws depend on the names alone; bounds that a fair draw misses once in a thousand million.
      for (const [model, least, most] of [
        [cheap, 2, 40],
        [plain, 8, 52],
        [dear, 1, 35],
      ] as const) {
        expect(served.get(model) ?? 0).toBeGreaterThanOrEqual(least);
        expect(served.get(model) ?? 0).toBeLessThanOrEqual(most);
      }
    });

    test('a call that no target takes reads so, and costs nothing', async () => {
      const { fast, cheap } = models();
      await channel(cheap);
      await virtual(fast, [{ model: cheap, when: { tools: true } }]);
      const response = await chat(fast);
      expect(response.status).toBe(400);
      expect(await response.text()).toContain('no_target');
    });

    const list = async (key: string) => {
      const response = await fetch(`${relay.url}/v1/models`, {
        headers: { Authorization: `Bearer ${key}` },
      });
      const { data } = (await response.json()) as { data: { id: string }[] };
      return data.map(({ id }) => id);
    };

    test('a key that is limited to models names the virtual one; its targets need not be listed, and do not allow it', async () => {
      const { fast, cheap } = models();
      await channel(cheap);
      await virtual(fast, [{ model: cheap }]);
      const named = await relay.token({ model_limits_enabled: 1, model_limits: fast });
      expect((await chat(fast, {}, named.key)).status).toBe(200);
      expect((await chat(cheap, {}, named.key)).status).toBe(403);
      const target = await relay.token({ model_limits_enabled: 1, model_limits: cheap });
      expect((await chat(fast, {}, target.key)).status).toBe(403);
      expect(await list(named.key)).toEqual([fast]);
      expect(await list(target.key)).toEqual([cheap]);
      const all = await list(token.key);
      expect(all).toContain(fast);
      expect(all.filter((id) => id === fast)).toHaveLength(1);
    });

    test('a group that reaches no target neither sees the name nor can call it', async () => {
      const { fast, cheap } = models();
      await channel(cheap, {}, { groups: ['vip'] });
      await virtual(fast, [{ model: cheap }]);
      expect((await chat(fast)).status).toBe(404);
      const response = await fetch(`${relay.url}/v1/models/${fast}`, {
        headers: { Authorization: `Bearer ${token.key}` },
      });
      expect(response.status).toBe(404);
    });

    test('a virtual model with the name of a plain one goes by its targets, of which that one can be the first', async () => {
      const { cheap, dear } = models();
      await channel(cheap, { status: 500 });
      await channel(dear);
      await virtual(cheap, [{ model: cheap }, { model: dear }]);
      const response = await chat(cheap);
      expect(answeredBy(response)).toBe(dear);
      expect((await list(token.key)).filter((id) => id === cheap)).toHaveLength(1);
      expect(relay.mock.requests.at(-1)?.body).toMatchObject({ model: dear });
    });

    test('Claude Code counts the tokens of a virtual model', async () => {
      const { fast, cheap } = models();
      await channel(cheap);
      await virtual(fast, [{ model: cheap }]);
      const response = await relay.post('/v1/messages/count_tokens', token.key, {
        model: fast,
        messages: [{ role: 'user', content: 'hi' }],
      });
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({ input_tokens: expect.any(Number) });
    });
  });
}
