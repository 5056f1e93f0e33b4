// When a call of a virtual model is passed on and when it is not, and what is left of the target before.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { databaseLabels } from '#tests/support/databases.ts';
import type { RelayHarness } from './harness.ts';
import { answeredBy, virtualScene, type VirtualScene } from './virtual-scene.ts';

for (const database of databaseLabels) {
  describe(database, () => {
    let scene: VirtualScene;
    let relay: RelayHarness;

    beforeAll(async () => {
      scene = await virtualScene(database);
      ({ relay } = scene);
    });
    afterAll(() => relay[Symbol.asyncDispose]());

    test('a target at its limit passes the call on only where it names that', async () => {
      const { fast, cheap, plain, dear } = scene.models();
      const busy = await scene.channel(cheap);
      await scene.channel(dear);
      await scene.virtual(fast, [{ model: cheap, on: ['down'] }, { model: dear }]);
      await scene.virtual(plain, [{ model: cheap, on: ['rate_limit'] }, { model: dear }]);
      relay.relay.core.breaker.failed(busy, { retryAfterSeconds: 60, model: cheap, isLimit: true });
      const sent = relay.mock.requests.length;
      const refused = await scene.chat(fast);
      expect([refused.status, await relay.holds()]).toEqual([429, 0]);
      expect(relay.mock.requests.length).toBe(sent);
      expect(answeredBy(await scene.chat(plain))).toBe(dear);
    });

    test('the upstream’s own status says how a target failed, whatever the channel makes of it for callers', async () => {
      const { fast, cheap, dear } = scene.models();
      await scene.channel(cheap, { status: 500 }, { fields: { status_code_mapping: '{"500":"400"}' } });
      await scene.channel(dear);
      await scene.virtual(fast, [{ model: cheap, on: ['down'] }, { model: dear }]);
      const response = await scene.chat(fast);
      expect([response.status, answeredBy(response)]).toEqual([200, dear]);
      expect((await scene.rowOf(response)).route).toEqual([`${cheap} down`]);
    });

    test('a limit that was lowered for a dear target is not told of a cheap one', async () => {
      const { fast, cheap, dear } = scene.models();
      await scene.channel(dear, { status: 500 });
      await scene.channel(cheap);
      await scene.virtual(fast, [{ model: dear }, { model: cheap }]);
      // A thousand tokens cost 80,000 units at the dear one and 4,000 at the cheap one.
      const poor = await relay.token({ quota: 60_000 });
      const response = await scene.chat(fast, { max_tokens: 1000 }, poor.key);
      expect([response.status, response.headers.get('x-tollgate-output-limit')]).toEqual([200, null]);
      expect((await scene.rowOf(response)).other).not.toHaveProperty('output_limit');
      const [first, second] = relay.mock.requests.slice(-2).map(({ body }) => body);
      expect(first).toHaveProperty('max_tokens', expect.any(Number));
      expect(second).toMatchObject({ model: cheap, max_tokens: 1000 });
    });

    test('at a price of its own a virtual model is offered though its target has none', async () => {
      const { fast, plain } = scene.models();
      const target = `${fast}-without-a-price`;
      await scene.channel(target);
      await scene.virtual(fast, [{ model: target }], { price: 'own' });
      await scene.virtual(plain, [{ model: target }]);
      const response = await fetch(`${relay.url}/v1/models`, {
        headers: { Authorization: `Bearer ${scene.token.key}` },
      });
      const { data } = (await response.json()) as { data: { id: string }[] };
      const listed = data.map(({ id }) => id).filter((id) => [fast, plain].includes(id));
      expect(listed).toEqual([fast]);
      expect((await scene.chat(fast)).status).toBe(200);
      expect((await scene.chat(plain)).status).not.toBe(200);
    });
  });
}
