// What a call of a virtual model leaves behind while it goes from one target to the next: its hold, its limit, its conversation.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { considerTargets } from '#server/relay/virtual-models/plan.ts';
import { compile } from '#server/relay/virtual-models/book.ts';
import { relayEndpoints } from '#server/relay/request/endpoints.ts';
import { prepareJsonBody } from '#server/relay/upstream-body/prepare.ts';
import { databaseLabels } from '#tests/support/databases.ts';
import { eventually, type RelayHarness } from './harness.ts';
import { answeredBy, costOf, PRICES, virtualScene, type VirtualScene } from './virtual-scene.ts';

for (const database of databaseLabels) {
  describe(database, () => {
    let scene: VirtualScene;
    let relay: RelayHarness;

    beforeAll(async () => {
      scene = await virtualScene(database);
      ({ relay } = scene);
    });
    afterAll(() => relay[Symbol.asyncDispose]());

    test('after a fallback the hold is that of a call of the next model, and lasts for both', async () => {
      const { fast, cheap, dear } = scene.models();
      // The first one is noted as sent before it fails.
      await scene.channel(cheap, { status: 500, headersDelayMilliseconds: 1500 });
      await scene.channel(dear, { headersDelayMilliseconds: 60_000 });
      await scene.virtual(fast, [{ model: cheap }, { model: dear }]);
      const leaving = new AbortController();
      const began = Math.floor(Date.now() / 1000);
      const asked = fetch(`${relay.url}/v1/chat/completions`, {
        method: 'POST',
        signal: leaving.signal,
        headers: { Authorization: `Bearer ${scene.token.key}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ model: fast, messages: [{ role: 'user', content: 'hi' }] }),
      }).catch(() => undefined);
      const holdOf = () => relay.store.db.selectFrom('holds').selectAll().executeTakeFirst();
      const first = await eventually(holdOf, (hold) => hold?.snapshot.includes(cheap) === true);
      const { totalSeconds } = relay.relay.core.timeouts;
      expect(first?.expires_at).toBeGreaterThanOrEqual(began + 2 * totalSeconds);
      const next = await eventually(holdOf, (hold) => hold?.snapshot.includes(dear) === true);
      const snapshot = JSON.parse(next?.snapshot ?? '{}') as {
        log: { model_name: string };
        price: { modelRatio: number };
      };
      expect(snapshot.log.model_name).toBe(dear);
      expect(snapshot.price.modelRatio).toBe(PRICES.dear);
      leaving.abort();
      await asked;
      await eventually(
        () => relay.holds(),
        (count) => count === 0,
      );
    });

    test('the next model is asked for no more than the hold pays, and the balance is never overdrawn', async () => {
      const { fast, cheap, dear } = scene.models();
      await scene.channel(cheap, { status: 500 });
      await scene.channel(dear, { fillsLimit: true });
      await scene.virtual(fast, [{ model: cheap }, { model: dear }]);
      // A thousand tokens cost 80,000 units there.
      const poor = await relay.token({ quota: 60_000 });
      const response = await scene.chat(fast, { max_tokens: 1000 }, poor.key);
      expect(response.status).toBe(200);
      const limit = Number(response.headers.get('x-tollgate-output-limit'));
      expect(limit).toBeGreaterThan(600);
      expect(limit).toBeLessThan(750);
      const row = await scene.rowOf(response);
      expect(row).toMatchObject({ model_name: dear, completion_tokens: limit });
      expect(row.quota).toBe(costOf(PRICES.dear, row));
      expect((await relay.userRow(poor.userId)).quota).toBe(60_000 - row.quota);
      expect(relay.alerts).toEqual([]);
    });

    test('a conversation that the upstream of one target keeps goes on there, whatever the conditions say', async () => {
      const { fast, cheap, dear } = scene.models();
      await scene.channel(cheap);
      await scene.channel(dear);
      const when = { header: { name: 'x-cheap' } };
      await scene.virtual(fast, [{ model: cheap, when }, { model: dear }]);
      const ask = (body: object, headers = {}) =>
        relay.post(
          '/v1/responses',
          scene.token.key,
          { model: fast, input: 'hi', store: true, ...body },
          headers,
        );
      const first = await ask({});
      expect(answeredBy(first)).toBe(dear);
      const { id } = (await first.json()) as { id: string };
      const next = await ask({ previous_response_id: id }, { 'X-Cheap': '1' });
      expect([next.status, answeredBy(next)]).toEqual([200, dear]);
      expect((await scene.rowOf(next)).route).toEqual([`${cheap} other_channel`]);
      expect(answeredBy(await ask({}, { 'X-Cheap': '1' }))).toBe(cheap);
    });

    test('a call that cannot be converted without loss in strict mode goes to a target that takes it', async () => {
      const { fast, cheap, dear } = scene.models();
      await scene.channel(cheap, {}, { type: CHANNEL_TYPE.anthropic });
      await scene.channel(dear);
      const lossy = { logit_bias: { 5: 1 }, presence_penalty: 1 };
      const strict = { 'X-Tollgate-Strict': '1' };
      await scene.virtual(fast, [{ model: cheap }, { model: dear }]);
      const response = await scene.chat(fast, lossy, scene.token.key, strict);
      expect([response.status, answeredBy(response)]).toEqual([200, dear]);
      expect((await scene.rowOf(response)).route).toEqual([`${cheap} unsupported`]);
      const other = scene.models();
      await scene.channel(other.cheap, {}, { type: CHANNEL_TYPE.anthropic });
      await scene.channel(other.dear);
      await scene.virtual(other.fast, [{ model: other.cheap, on: ['down'] }, { model: other.dear }]);
      const refused = await scene.chat(other.fast, lossy, scene.token.key, strict);
      expect(refused.status).toBe(400);
      expect(await relay.holds()).toBe(0);
    });

    test('channels of a target are tried before the next target, each target anew', async () => {
      const { fast, cheap, dear } = scene.models();
      const both = [cheap, dear];
      // One channel has both models, and fails only for the first one's sake.
      const first = await relay.channel({ models: both, key: 'sk-bad-models', priority: 9 });
      await scene.virtual(fast, [{ model: cheap }, { model: dear }]);
      relay.relay.core.breaker.failed(first, { retryAfterSeconds: 60, model: cheap, isLimit: true });
      const response = await scene.chat(fast);
      expect([response.status, answeredBy(response)]).toEqual([200, dear]);
      expect((await scene.rowOf(response)).route).toEqual([`${cheap} rate_limit`]);
    });

    test('a target that other budgets of the organization would count is passed over', async () => {
      const { fast, cheap, plain, dear } = scene.models();
      for (const model of [cheap, plain, dear]) await scene.channel(model);
      const { core } = relay.relay;
      const targets = [cheap, dear, plain].map((model) => ({ model, when: {}, fall_back_on: ['down'] }));
      const virtual = compile({
        name: fast,
        price: 'answered',
        body_model: 'asked',
        hedge: 0,
        targets: JSON.stringify(targets),
      });
      const [endpoint] = relayEndpoints;
      if (endpoint === undefined) throw new Error('no endpoint');
      const value = { model: fast, messages: [] };
      const prepared = prepareJsonBody(endpoint, { text: JSON.stringify(value), value });
      const organization = { id: 1, memberId: 1, serviceAccountId: 0, projectId: 1 };
      const caller = {
        userId: scene.token.userId,
        username: '',
        role: 1,
        group: 'default',
        tokenId: scene.token.id,
        tokenName: '',
        models: undefined,
        channelId: undefined,
        rateLimitMessage: '',
        isStrict: false,
        organization,
      };
      const budgets = {
        ...core.budgets,
        attribute: (_: unknown, model: string) => ({ budgets: model === dear ? '1,2' : '1', tags: '' }),
      };
      const call = { headers: new Headers(), caller, prepared, began: { at: Date.now() } };
      const considered = await considerTargets({ ...core, budgets }, virtual, call);
      expect(considered.map(({ model, skipped }) => [model, skipped])).toEqual([
        [cheap, undefined],
        [dear, 'other_budget'],
        [plain, undefined],
      ]);
    });
  });
}
