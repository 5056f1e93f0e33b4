// Limits of shadow calls: the share, the money of a day, the number of samples, the places of the target, a busy node, what waits in
// memory; and attacks on them.
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { bookCopy } from '#server/relay/shadow-calls/spending.ts';
import { takePlace } from '#server/relay/shadow-calls/samples.ts';
import type { Behaviour } from '#mock/upstream/index.ts';
import { databaseLabels } from '#tests/support/databases.ts';
import { eventually } from './harness.ts';
import { BUY_UNITS, expectBooks, shadowScene, type ShadowScene } from './shadow-scene.ts';

setDefaultTimeout(60_000);

const SLOW: Behaviour = { headersDelayMilliseconds: 1500, text: 'slow copy' };

for (const database of databaseLabels)
  describe(database, () => {
    let scene: ShadowScene;

    beforeAll(async () => {
      scene = await shadowScene(database);
    });
    afterAll(() => scene[Symbol.asyncDispose]());
    afterEach(async () => {
      scene.relay.core.gate.left = Number.MAX_SAFE_INTEGER;
      await scene.settings.set('ShadowCallsAtOnce', '2', 0);
      await scene.settle();
      await expectBooks(scene);
    });

    /** So many calls of one caller, read to their ends. */
    async function calls(model: string, count: number, extra: object = {}): Promise<void> {
      const caller = await scene.caller();
      for (let at = 0; at < count; at += 1) await (await scene.ask(model, caller, extra)).text();
    }

    test('about the share is copied, and a call by one comparison only', async () => {
      const { id, model, target, copies } = await scene.pair(
        { text: 'mine' },
        {},
        { rules: { share_percent: 50 } },
      );
      const second = await scene.saveShadow({
        name: `second of ${model}`,
        model,
        target_model: target,
        share_percent: 100,
      });
      await scene.settings.set('ShadowCallsAtOnce', '20', 0);
      for (let round = 0; round < 8; round += 1) {
        await calls(model, 5);
        await scene.settle();
      }
      const [first, other] = [await scene.samples(id), await scene.samples(second)];
      expect(first.length).toBeGreaterThan(5);
      expect(first.length).toBeLessThan(35);
      expect(first.length + other.length).toBe(40);
      expect(copies()).toHaveLength(40);
    });

    test('a comparison that is off, over, of other groups or of another model copies nothing', async () => {
      for (const rules of [{ enabled: false }, { until: 5 }, { from: 9_999_999_999 }, { groups: ['vip'] }]) {
        const { model, copies } = await scene.pair({}, {}, { rules });
        await calls(model, 2);
        await scene.settle();
        expect(copies()).toHaveLength(0);
      }
    });

    test('the copies of a day cost no more than they may', async () => {
      const { id, model, copies } = await scene.pair({ text: 'mine' }, { text: 'copy' });
      const { QuotaPerUnit } = scene.settings.current;
      await calls(model, 1);
      await scene.settle();
      const each = await scene.spentOf(id);
      // Booked before it is sent: the prompt and the longest answer, which the caller limited to 100 tokens.
      const most = each + 100 * BUY_UNITS;
      const rules = {
        share_percent: 100,
        groups: [],
        target_group: '',
        most_samples: 200,
        from: 0,
        until: 0,
      };
      const dollars_per_day = (each * 2 + most) / QuotaPerUnit;
      await scene.store.db
        .updateTable('shadows')
        .set({ rules: JSON.stringify({ ...rules, dollars_per_day }) })
        .where('id', '=', id)
        .execute();
      await scene.store.changes.announce('shadows');
      for (let at = 0; at < 6; at += 1) {
        await calls(model, 1);
        await scene.settle();
      }
      const spent = await scene.spentOf(id);
      expect(spent).toBeLessThanOrEqual(dollars_per_day * QuotaPerUnit);
      expect(copies().length * each).toBe(spent);
      const { money = 0, made = 0 } = await scene.countsOf(id);
      expect(money).toBeGreaterThan(0);
      expect(made + money).toBe(7);
    });

    test('all nodes together stay within money and number at the same time', async () => {
      const { id } = await scene.pair({}, {});
      const { QuotaPerUnit } = scene.settings.current;
      const shadow = { id, dollars_per_day: 730 / QuotaPerUnit };
      const bought = { channelId: 1, model: 'm', group: 'default', userId: 1 };
      const expected = { cost: 60, spent: 60 };
      const booked = await Promise.all(
        Array.from({ length: 20 }, () => bookCopy(scene, shadow, bought, { expected, most: 100 })),
      );
      const bookings = booked.filter((booking) => booking !== undefined);
      expect(bookings).toHaveLength(7);
      await Promise.all(bookings.map((booking) => booking.end({ cost: 30, spent: 30 })));
      expect(await scene.spentOf(id)).toBe(210);
      const places = await Promise.all(Array.from({ length: 20 }, () => takePlace(scene.store.db, id, 6)));
      expect(places.filter(Boolean)).toHaveLength(6);
    });

    test('no more samples are kept than may be', async () => {
      const { id, model, copies } = await scene.pair({ text: 'mine' }, {}, { rules: { most_samples: 2 } });
      await calls(model, 5);
      await scene.settle();
      expect(await scene.samples(id)).toHaveLength(2);
      expect(await scene.keptOf(id)).toBe(2);
      expect(copies()).toHaveLength(2);
      expect(await scene.countsOf(id)).toEqual({ made: 2, full: 3 });
    });

    test('a copy takes no last place of a channel, no trial call, and no reserve', async () => {
      const { breaker } = scene.relay.core;
      const only = await scene.pair({}, {}, { target: { max_concurrency: 1 } });
      const two = await scene.pair({}, {}, { target: { max_concurrency: 2 } });
      const open = await scene.pair({}, {});
      breaker.begin(two.channels.target, two.target);
      breaker.failed(open.channels.target, { retryAfterSeconds: 0.001, model: open.target });
      await Bun.sleep(20);
      for (const { model, id, copies } of [only, two, open]) {
        await calls(model, 1);
        await scene.settle();
        expect(copies()).toHaveLength(0);
        expect(await scene.countsOf(id)).toEqual({ no_channel: 1 });
      }
      breaker.end(two.channels.target);
      breaker.succeeded(open.channels.target, open.target);
      for (const { model, copies } of [two, open]) {
        await calls(model, 1);
        await scene.settle();
        expect(copies()).toHaveLength(1);
      }
    });

    test('a target without a channel or without any price gets no copy', async () => {
      const { id, model } = await scene.pair({}, {});
      const missing = await scene.saveShadow({
        name: `missing of ${model}`,
        model: `${model}-other`,
        target_model: 'nobody-has-it',
        share_percent: 100,
      });
      await scene.channel({ models: [`${model}-other`] });
      await scene.settings.set(
        'ModelRatio',
        JSON.stringify({ ...scene.settings.current.ModelRatio, [`${model}-other`]: 1 }),
        0,
      );
      await calls(`${model}-other`, 1);
      await scene.settle();
      expect(await scene.countsOf(missing)).toEqual({ no_channel: 1 });
      expect(await scene.countsOf(id)).toEqual({});
    });

    test('a busy node and one that is stopping drop copies and count them', async () => {
      const { core } = scene.relay;
      const { id, model, copies } = await scene.pair({ text: 'mine' }, {});
      core.gate.left = 500;
      await calls(model, 3);
      await scene.settle();
      expect(copies()).toHaveLength(0);
      expect(await scene.countsOf(id)).toEqual({ busy: 3 });
      core.gate.left = Number.MAX_SAFE_INTEGER;
      const caller = await scene.caller();
      await (await scene.ask(model, caller)).text();
      core.isDraining = true;
      await scene.settle();
      core.isDraining = false;
      expect(copies().length).toBeLessThanOrEqual(1);
    });

    test('a caller who sends many calls and long ones fills no memory: what waits is bounded', async () => {
      const { id, model, copies } = await scene.pair({ text: 'mine' }, SLOW);
      const caller = await scene.caller();
      const long = [{ role: 'user', content: 'x'.repeat(300 * 1024) }];
      await (await scene.ask(model, caller, { messages: long })).text();
      expect(scene.relay.shadows.open).toBe(0);
      await Promise.all(Array.from({ length: 60 }, async () => (await scene.ask(model, caller)).text()));
      // Two at once, and sixteen that wait.
      expect(scene.relay.shadows.open).toBeLessThanOrEqual(18);
      await scene.settle();
      const counts = await scene.countsOf(id);
      expect(counts['too_long']).toBe(1);
      expect(counts['made']).toBe(copies().length);
      expect((counts['made'] ?? 0) + (counts['busy'] ?? 0)).toBe(60);
      expect(counts['busy']).toBeGreaterThan(0);
    });

    test('a caller makes no copy dear: not by the length of an answer, nor by a dearer class of service', async () => {
      const { model, copies } = await scene.pair({ text: 'mine' }, {});
      await calls(model, 1, {
        max_tokens: 100_000,
        service_tier: 'priority',
        user: 'somebody',
        metadata: { a: 'b' },
      });
      await scene.settle();
      const [copy] = copies();
      const sent = copy?.body as Record<string, unknown>;
      expect(sent['max_tokens']).toBe(4000);
      for (const name of ['service_tier', 'user', 'metadata', 'store']) expect(sent).not.toHaveProperty(name);
    });

    test('a caller who leaves, and an answer that breaks off, are not copied', async () => {
      const { model, copies } = await scene.pair({ outputTokens: 20, resetAfterEvents: 4 }, {});
      await calls(model, 1, { stream: true });
      const refused = await scene.pair({ status: 400 }, {});
      await calls(refused.model, 1);
      const left = await scene.pair({ outputTokens: 200, chunkDelayMilliseconds: 50 }, {});
      const caller = await scene.caller();
      const response = await scene.ask(left.model, caller, { stream: true });
      const reader = response.body?.getReader();
      await reader?.read();
      await reader?.cancel();
      await eventually(
        () => scene.relay.calls,
        (count) => count === 0,
      );
      await scene.settle();
      expect([copies, refused.copies, left.copies].map((each) => each().length)).toEqual([0, 0, 0]);
    });
  });
