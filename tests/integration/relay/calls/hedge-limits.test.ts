// Limits of hedged calls: of the balance, the channel, the share, the money of a day, the time of a target, and a node that stops.
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, spyOn, test } from 'bun:test';
import { createLog } from '#server/platform/log.ts';
import { createHedgeBook } from '#server/relay/money/hedge-book.ts';
import type { Behaviour } from '#mock/upstream/index.ts';
import { databaseLabels } from '#tests/support/databases.ts';
import { eventually } from './harness.ts';
import {
  callOnce,
  chargeOf,
  expectBooks,
  expectOneCharge,
  hedgeScene,
  QUOTA,
  RATIO,
  requestIdOf,
  SLOW,
  type HedgeScene,
} from './hedge-scene.ts';

setDefaultTimeout(60_000);

for (const database of databaseLabels)
  describe(database, () => {
    let scene: HedgeScene;

    beforeAll(async () => {
      scene = await hedgeScene(database);
    });
    afterAll(() => scene[Symbol.asyncDispose]());
    afterEach(async () => {
      await scene.settings.set('HedgeGroups', 'default', 0);
      await scene.settings.set('HedgeSharePercent', '50', 0);
      await scene.settings.set('HedgeDollarsPerDay', '5', 0);
      await expectBooks(scene);
    });

    test('a balance that pays for one hold is enough', async () => {
      const brief: Behaviour = { text: 'x', outputTokens: 10 };
      const tightest = async (): Promise<number> => {
        const { model } = await scene.pair(brief, brief);
        for (const quota of [200, 400, 800, 1600, 3200, 6400]) {
          const response = await scene.ask(model, await scene.token({ quota }), { max_tokens: 20 });
          await response.text();
          if (response.status === 200) return quota;
        }
        throw new Error('no balance is enough');
      };
      const quota = await tightest();
      const { model, ids } = await scene.pair(SLOW, brief);
      const poor = await scene.token({ quota });
      const response = await scene.ask(model, poor, { max_tokens: 20 });
      await response.text();
      expect(response.status).toBe(200);
      const row = await scene.rowOf(requestIdOf(response));
      expect(row).toMatchObject({ channel_id: ids.second, quota: chargeOf(row) });
      expect(await scene.userRow(poor.userId)).toMatchObject({
        quota: quota - row.quota,
        used_quota: row.quota,
      });
      expect(scene.alerts.filter(({ kind }) => kind === 'suspense' || kind === 'above_hold')).toEqual([]);
    });

    test('a channel at its limit of one call takes no second attempt', async () => {
      const { model, ids, served } = await scene.pair(
        { headersDelayMilliseconds: 500 },
        {},
        { second: { max_concurrency: 1 } },
      );
      scene.relay.core.breaker.begin(ids.second, model);
      const { response, token } = await callOnce(scene, model);
      scene.relay.core.breaker.end(ids.second);
      const row = await expectOneCharge(scene, token, requestIdOf(response));
      expect(row.other.admin_info.hedge).toMatchObject({ refused: 'no_channel' });
      expect(served()).toHaveLength(1);
    });

    test('neither the share nor the money of the day is passed', async () => {
      const { model, served } = await scene.pair({ headersDelayMilliseconds: 400 }, {});
      await scene.settings.set('HedgeSharePercent', '0', 0);
      const first = await callOnce(scene, model);
      expect(
        (await expectOneCharge(scene, first.token, requestIdOf(first.response))).other.admin_info.hedge,
      ).toMatchObject({
        refused: 'share',
      });
      await scene.settings.set('HedgeSharePercent', '50', 0);
      await scene.settings.set('HedgeDollarsPerDay', '0', 0);
      const before = await scene.spentToday();
      const second = await callOnce(scene, model);
      expect(
        (await expectOneCharge(scene, second.token, requestIdOf(second.response))).other.admin_info.hedge,
      ).toMatchObject({
        refused: 'money',
      });
      expect(await scene.spentToday()).toBe(before);
      expect(served()).toHaveLength(2);
      expect(await scene.losses(model)).toEqual([]);
    });

    for (const costs of [
      { first: 8, second: 2 },
      { first: 2, second: 8 },
    ])
      test(`the day must pay for the dearer loss: buying at ${costs.first} dollars, then at ${costs.second}`, async () => {
        const raced = await scene.pair(SLOW, {}, { costs });
        const { response, token } = await callOnce(scene, raced.model);
        const { prompt_tokens } = await expectOneCharge(scene, token, requestIdOf(response));
        // Half a unit for each dollar and token.
        const dearer = prompt_tokens * 4;
        const before = await scene.spentToday();
        for (const [left, refused] of [
          [dearer - 1, 'money'],
          [dearer, undefined],
        ] as const) {
          const { model, served } = await scene.pair({ headersDelayMilliseconds: 500 }, {}, { costs });
          const dollars = (before + left) / scene.settings.current.QuotaPerUnit;
          await scene.settings.set('HedgeDollarsPerDay', String(dollars), 0);
          const late = await callOnce(scene, model);
          const row = await expectOneCharge(scene, late.token, requestIdOf(late.response));
          expect(row.other.admin_info.hedge?.refused).toBe(refused);
          expect(served()).toHaveLength(refused === undefined ? 2 : 1);
          if (refused === undefined) continue;
          expect(await scene.spentToday()).toBe(before);
          expect(await scene.losses(model)).toEqual([]);
        }
      });

    for (const what of ['the first one answers', 'the caller leaves', 'the node begins to stop'] as const)
      test(`a second attempt is not sent and costs nothing when, while its money is booked, ${what}`, async () => {
        const { core } = scene.relay;
        const { hedges, breaker, running } = core;
        const first = what === 'the caller leaves' ? SLOW : { headersDelayMilliseconds: 1000 };
        const { model, ids, served } = await scene.pair(first, {}, { second: { max_concurrency: 1 } });
        const before = await scene.spentToday();
        const [isBooked, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
        const begin = hedges.begin.bind(hedges);
        const waiting = spyOn(hedges, 'begin').mockImplementation(async (...given) => {
          const booking = await begin(...given);
          isBooked.resolve();
          await gate.promise;
          return booking;
        });
        try {
          const leaving = new AbortController();
          const token = await scene.token({ quota: QUOTA });
          const asked = scene.ask(model, token, {}, leaving.signal).catch(() => undefined);
          await isBooked.promise;
          expect(await scene.spentToday()).toBeGreaterThan(before);
          if (what === 'the caller leaves') leaving.abort();
          if (what === 'the node begins to stop') core.isDraining = true;
          // The call runs, and its first attempt beside it.
          else
            await eventually(
              () => running.size,
              (count) => count === 1,
            );
          gate.resolve();
          const response = await asked;
          await response?.text();
          if (response !== undefined) {
            const row = await expectOneCharge(scene, token, requestIdOf(response));
            expect(row.channel_id).toBe(ids.first);
            expect(row.other.admin_info.hedge).toBeUndefined();
          }
          await eventually(
            () => breaker.admits(ids.second, 1, model),
            (isFree) => isFree,
          );
        } finally {
          waiting.mockRestore();
          core.isDraining = false;
        }
        expect(served()).toHaveLength(1);
        expect(await scene.spentToday()).toBe(before);
        expect(await scene.losses(model)).toEqual([]);
        expect(breaker.admits(ids.second, 1, model)).toBe(true);
        // The pair had earned the most that is kept.
        expect(Array.from({ length: 20 }, () => hedges.take()).filter(Boolean)).toHaveLength(10);
      });

    test('all nodes together stay within the money of the day, at the same time', async () => {
      await scene.settings.set('HedgeDollarsPerDay', '0', 0);
      const { QuotaPerUnit } = scene.settings.current;
      const each = 100;
      const left = 7;
      const limit = (await scene.spentToday()) + each * left + 30;
      await scene.settings.set('HedgeDollarsPerDay', String(limit / QuotaPerUnit), 0);
      const log = createLog({ level: 'error', write: () => {} });
      const one = createHedgeBook(scene.store, scene.settings, log);
      const other = createHedgeBook(scene.store, scene.settings, log);
      const begun = await Promise.all(
        Array.from({ length: 40 }, (_, at) =>
          (at % 2 === 0 ? one : other).begin(
            { model: 'of two nodes', group: 'default', userId: 1 },
            { channelId: at % 3, cost: 60, spent: 60 },
            each,
          ),
        ),
      );
      const booked = begun.filter((booking) => booking !== undefined);
      expect(booked).toHaveLength(left);
      expect(limit - (await scene.spentToday())).toBe(30);
      // What was less than expected is free again, and what was more is known.
      for (const [at, booking] of booked.entries())
        booking.end({ channelId: 9, cost: at === 0 ? 160 : 0, spent: at === 0 ? 160 : 0 });
      await Promise.all([one.flush(), other.flush()]);
      expect(limit - (await scene.spentToday())).toBe(30 + each * left - 160);
      expect(await scene.losses('of two nodes')).toEqual([
        { channel_id: 9, count: left, cost: 160, costed_count: left },
      ]);
    });

    test('what has no buy price counts in the limit at the selling price, and in the margins as unknown', async () => {
      const { model, ids } = await scene.pair(SLOW, {}, { hasNoCost: true });
      const before = await scene.spentToday();
      const { response, token } = await callOnce(scene, model);
      const row = await expectOneCharge(scene, token, requestIdOf(response));
      expect(await scene.losses(model)).toEqual([
        { channel_id: ids.first, count: 1, cost: 0, costed_count: 0 },
      ]);
      expect((await scene.margins(model)).hedges).toEqual({ calls: 1, cost: 0, unknown_calls: 1 });
      expect((await scene.spentToday()) - before).toBe(row.prompt_tokens * RATIO);
    });

    test('a late call of a virtual model is hedged at the same target, whose time ends both attempts', async () => {
      const { model, ids } = await scene.pair(SLOW, { text: 'hedged' });
      const backup = await scene.pair({ text: 'elsewhere' }, {});
      await scene.settings.set('HedgeGroups', '', 0);
      const saved = (targets: object[], name: string) =>
        scene.store.db
          .insertInto('virtual_models')
          .values({ name, hedge: 1, targets: JSON.stringify(targets), created_at: 1, updated_at: 1 })
          .execute();
      const target = (name: string) => ({ model: name, when: {}, fall_back_on: ['first_token_timeout'] });
      await saved([target(model)], `v-${model}`);
      const both = await scene.pair(SLOW, SLOW);
      await saved(
        [{ ...target(both.model), first_token_seconds: 1 }, target(backup.model)],
        `v-${both.model}`,
      );
      await scene.store.changes.announce('virtual_models');
      await eventually(
        () => scene.relay.core.virtualModels.current.has(`v-${both.model}`),
        (isThere) => isThere,
      );
      const { response, text, token } = await callOnce(scene, `v-${model}`);
      expect(text).toContain('hedged');
      expect(await expectOneCharge(scene, token, requestIdOf(response))).toMatchObject({
        channel_id: ids.second,
      });
      const moved = await callOnce(scene, `v-${both.model}`);
      expect(moved.text).toContain('elsewhere');
      const row = await expectOneCharge(scene, moved.token, requestIdOf(moved.response));
      expect(row.other.admin_info.attempts).toHaveLength(3);
      expect(
        await eventually(
          () => scene.losses(both.model),
          (found) => found.length > 0,
        ),
      ).toMatchObject([{ channel_id: both.ids.second, count: 1 }]);
    });

    test('a node that is stopping begins no second attempt, and one that has begun goes on', async () => {
      const { core } = scene.relay;
      const late = await scene.pair({ headersDelayMilliseconds: 400, text: 'last' }, {});
      const begun = await scene.pair(SLOW, { headersDelayMilliseconds: 400, text: 'racing' });
      const raced = callOnce(scene, begun.model);
      await eventually(
        () => begun.served().length,
        (count) => count === 2,
      );
      const other = await scene.token({ quota: QUOTA });
      const waiting = scene.ask(late.model, other);
      await eventually(
        () => late.served().length,
        (count) => count === 1,
      );
      scene.relay.drain();
      try {
        const { text, response, token } = await raced;
        expect(text).toContain('racing');
        expect(await (await waiting).text()).toContain('last');
        expect(late.served()).toHaveLength(1);
        await expectOneCharge(scene, token, requestIdOf(response));
      } finally {
        core.isDraining = false;
      }
    });
  });
