// Hedged calls: the quicker of two attempts answers, the caller pays once, and what the other one cost is the operator's.
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Behaviour } from '#mock/upstream/index.ts';
import { databaseLabels } from '#tests/support/databases.ts';
import { eventually } from './harness.ts';
import {
  callOnce,
  expectBooks,
  expectOneCharge,
  hedgeScene,
  LATE_MILLISECONDS,
  QUOTA,
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
      await expectBooks(scene);
    });

    test('the second attempt answers for a late first one, which is ended, and the caller pays once', async () => {
      const { model, ids, served } = await scene.pair(SLOW, { text: 'it is noon' });
      const { response, text, token } = await callOnce(scene, model);
      expect(response.status).toBe(200);
      expect(text).toContain('noon');
      const row = await expectOneCharge(scene, token, requestIdOf(response));
      expect(row).toMatchObject({
        channel_id: ids.second,
        cost: 2 * (row.prompt_tokens + row.completion_tokens),
      });
      const { hedge, attempts } = row.other.admin_info;
      expect(hedge).toMatchObject({ channel: ids.second });
      expect(hedge?.after).toBeGreaterThanOrEqual(LATE_MILLISECONDS - 5);
      expect(attempts).toMatchObject([
        { channel: ids.first, status: 0, lost: true },
        { channel: ids.second, status: 200 },
      ]);
      expect(attempts[1]).not.toHaveProperty('lost');
      await eventually(
        () =>
          served()
            .map(({ ending }) => ending)
            .toSorted(),
        (endings) => endings.length === 2 && endings[0] === 'aborted',
      );
      expect(
        served()
          .map(({ ending }) => ending)
          .toSorted(),
      ).toEqual(['aborted', 'complete']);
      // The prompt as estimated, at the buy price of the channel that lost: no failure of it, and part of the margins.
      const [loss] = await scene.losses(model);
      expect(loss).toEqual({ channel_id: ids.first, count: 1, cost: expect.any(Number), costed_count: 1 });
      const cost = loss?.cost ?? 0;
      expect(cost).toBeGreaterThan(0);
      expect(scene.relay.core.breaker.pauses(ids.first)).toEqual([]);
      const report = await scene.margins(model);
      expect(report.hedges).toEqual({ calls: 1, cost, unknown_calls: 0 });
      expect(report.total).toMatchObject({
        calls: 1,
        revenue: row.quota,
        cost: (row.cost ?? 0) + cost,
        margin: row.quota - (row.cost ?? 0) - cost,
      });
      expect(report.rows.find(({ key }) => key === String(ids.first))).toMatchObject({
        calls: 0,
        cost,
        margin: -cost,
      });
      expect((await scene.margins(model, 'day')).rows).toMatchObject([
        { calls: 1, cost: (row.cost ?? 0) + cost },
      ]);
    });

    test('the first attempt answers when it is quicker after all', async () => {
      const late: Behaviour = { headersDelayMilliseconds: LATE_MILLISECONDS + 250, text: 'here' };
      const { model, ids, served } = await scene.pair(late, SLOW);
      const { response, text, token } = await callOnce(scene, model);
      expect(text).toContain('here');
      const row = await expectOneCharge(scene, token, requestIdOf(response));
      expect(row.channel_id).toBe(ids.first);
      expect(row.other.admin_info.attempts).toMatchObject([
        { channel: ids.second, lost: true },
        { channel: ids.first, status: 200 },
      ]);
      expect(await scene.losses(model)).toMatchObject([
        { channel_id: ids.second, count: 1, costed_count: 1 },
      ]);
      expect(served()).toHaveLength(2);
    });

    test('an answer in time, a call that is not streamed, and a group that is not named are not hedged', async () => {
      const { model, served } = await scene.pair({}, {});
      // More than an answer in time takes on a busy machine.
      await scene.settings.set('HedgeLeastMilliseconds', '10000', 0);
      const { response, token } = await callOnce(scene, model);
      const row = await expectOneCharge(scene, token, requestIdOf(response));
      await scene.settings.set('HedgeLeastMilliseconds', String(LATE_MILLISECONDS), 0);
      expect(row.other.admin_info.hedge).toBeUndefined();
      const slow = await scene.pair({ headersDelayMilliseconds: 400 }, {});
      await callOnce(scene, slow.model, { stream: false, stream_options: undefined });
      await callOnce(scene, slow.model, { store: true });
      await scene.settings.set('HedgeGroups', 'vip', 0);
      await callOnce(scene, slow.model);
      expect(served()).toHaveLength(1);
      expect(slow.served()).toHaveLength(3);
      expect(await scene.losses(slow.model)).toEqual([]);
    });

    test('a failure waits for the other attempt, whichever it is', async () => {
      const failing: Behaviour = { headersDelayMilliseconds: 300, status: 500 };
      const one = await scene.pair(failing, { headersDelayMilliseconds: 500, text: 'second' });
      const first = await callOnce(scene, one.model);
      expect(first.text).toContain('second');
      const row = await expectOneCharge(scene, first.token, requestIdOf(first.response));
      expect(row.other.admin_info.attempts).toMatchObject([
        { channel: one.ids.first, status: 500, error: expect.any(String) },
        { channel: one.ids.second, status: 200 },
      ]);
      // What failed by itself costs nothing, as elsewhere.
      expect(await scene.losses(one.model)).toMatchObject([{ channel_id: one.ids.first, count: 1, cost: 0 }]);
      const two = await scene.pair({ headersDelayMilliseconds: 500, text: 'first' }, { status: 503 });
      const second = await callOnce(scene, two.model);
      expect(second.text).toContain('first');
      await expectOneCharge(scene, second.token, requestIdOf(second.response));
      expect(await scene.losses(two.model)).toMatchObject([
        { channel_id: two.ids.second, count: 1, cost: 0 },
      ]);
    });

    test('both fail: the caller gets the failure and pays nothing', async () => {
      const { model, ids, served } = await scene.pair(
        { headersDelayMilliseconds: 300, status: 500 },
        { headersDelayMilliseconds: 400, status: 502 },
      );
      const { response, token } = await callOnce(scene, model);
      expect(response.status).toBeGreaterThanOrEqual(500);
      const row = await scene.rowOf(requestIdOf(response));
      expect(row).toMatchObject({ type: 5, quota: 0, channel_id: ids.second });
      expect(row.other.admin_info.attempts.map(({ channel, status }) => [channel, status])).toEqual([
        [ids.first, 500],
        [ids.second, 502],
      ]);
      expect(await scene.userRow(token.userId)).toMatchObject({ quota: QUOTA, used_quota: 0 });
      expect(served()).toHaveLength(2);
      expect(await scene.losses(model)).toMatchObject([{ cost: 0 }]);
    });

    test('both channels break off: each stream counts for its own channel', async () => {
      const { model, served } = await scene.pair(
        { headersDelayMilliseconds: 300, resetAfterEvents: 0 },
        { headersDelayMilliseconds: 300, cutAfterEvents: 2 },
      );
      const { text } = await callOnce(scene, model);
      expect(text).not.toBe('');
      expect(served()).toHaveLength(2);
    });

    test('a caller who leaves pays for one prompt, and both attempts end', async () => {
      const { model, ids, served } = await scene.pair(SLOW, SLOW);
      const token = await scene.token({ quota: QUOTA });
      const leaving = new AbortController();
      const asked = scene.ask(model, token, {}, leaving.signal).catch(() => undefined);
      await eventually(
        () => served().length,
        (count) => count === 2,
      );
      leaving.abort();
      await asked;
      const [row] = await eventually(
        () => scene.logs(token.userId),
        (rows) => rows.length > 0,
      );
      if (row === undefined) throw new Error('no log row');
      const charged = await expectOneCharge(scene, token, row.request_id);
      expect(charged).toMatchObject({ channel_id: ids.first, completion_tokens: 0 });
      expect(charged.other.ending).toBe('client_left');
      await eventually(
        () => served().filter(({ ending }) => ending === 'aborted').length,
        (count) => count === 2,
      );
      expect(served().map(({ ending }) => ending)).toEqual(['aborted', 'aborted']);
      const losses = await eventually(
        () => scene.losses(model),
        (found) => found.length > 0,
      );
      expect(losses).toMatchObject([{ channel_id: ids.second, count: 1, cost: 2 * charged.prompt_tokens }]);
    });
  });
