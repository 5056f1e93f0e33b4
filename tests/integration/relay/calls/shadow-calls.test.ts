// Shadow calls: which calls are copied, that the caller sees and pays nothing of it, what the copy costs and where that stands, and who
// allows it.
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { unixSeconds } from '#contract/time.ts';
import { cleanSamples, removeSamplesOf } from '#server/relay/shadow-calls/samples.ts';
import { databaseLabels } from '#tests/support/databases.ts';
import { eventually } from './harness.ts';
import { BUY_UNITS, expectBooks, QUOTA, RATIO, shadowScene, type ShadowScene } from './shadow-scene.ts';

setDefaultTimeout(60_000);

for (const database of databaseLabels)
  describe(database, () => {
    let scene: ShadowScene;

    beforeAll(async () => {
      scene = await shadowScene(database);
    });
    afterAll(() => scene[Symbol.asyncDispose]());
    afterEach(async () => {
      await scene.settings.set('ShadowCallsForEveryone', 'false', 0);
      await scene.settle();
      await expectBooks(scene);
    });

    for (const stream of [false, true])
      test(`a ${stream ? 'streamed' : 'whole'} call is copied, and charged once as without the copy`, async () => {
        const { id, model, target, channels, copies } = await scene.pair(
          { text: 'mine', usage: { outputTokens: 7 } },
          { text: 'the copy', usage: { outputTokens: 9 } },
        );
        const caller = await scene.caller();
        const response = await scene.ask(model, caller, { stream });
        expect(await response.text()).toContain('mine');
        await eventually(
          () => scene.samples(id),
          (found) => found.length === 1,
        );
        await scene.settle();
        const [sample] = await scene.samples(id);
        expect(sample).toMatchObject({
          request_id: response.headers.get('x-request-id'),
          user_id: caller.userId,
          model,
          channel_id: channels.model,
          copy_model: target,
          copy_channel_id: channels.target,
          copy_ending: 'complete',
          is_stream: stream ? 1 : 0,
          texts: { prompt: 'what is the time?', answer: 'mine', copy: 'the copy', isCut: false },
        });
        expect(sample?.sealed).not.toContain('time');
        expect(sample?.first_token_ms !== 0).toBe(stream);
        expect(sample?.copy_first_token_ms !== 0).toBe(stream);
        expect(copies()).toHaveLength(1);

        const [row] = await scene.logs(caller.userId);
        const charge = ((row?.prompt_tokens ?? 0) + (row?.completion_tokens ?? 0) * 4) * RATIO;
        expect(row).toMatchObject({ model_name: model, quota: charge, completion_tokens: 7 });
        expect(await scene.ledgerOf(caller.userId)).toEqual([{ kind: 'use', amount: charge }]);
        expect(await scene.userRow(caller.userId)).toMatchObject({
          quota: QUOTA - charge,
          held_quota: 0,
          used_quota: charge,
          request_count: 1,
        });
        expect(await scene.logs(caller.userId)).toHaveLength(1);

        const cost = ((sample?.copy_prompt_tokens ?? 0) + 9) * BUY_UNITS;
        expect(sample?.copy_cost).toBe(cost);
        expect(await scene.spentOf(id)).toBe(cost);
        const margins = await scene.margins(target);
        expect(margins.shadows).toEqual({ calls: 1, cost, unknown_calls: 0 });
        expect(margins.total).toMatchObject({ calls: 0, revenue: 0, cost });
        expect(margins.rows.map(({ key }) => key)).toEqual([String(channels.target)]);
        expect(await scene.countsOf(id)).toEqual({ made: 1 });
      });

    test('the copy is sent after the answer has ended and was charged', async () => {
      const { model, keys } = await scene.pair({ text: 'mine' }, {});
      const caller = await scene.caller();
      const order: string[] = [];
      const charged = Promise.withResolvers<void>();
      scene.mock.behave({
        when: { key: keys.target },
        behaviour: () => {
          order.push('copy');
          void scene.logs(caller.userId).then((rows) => {
            order.push(`rows ${rows.length}`);
            charged.resolve();
          });
          return { text: 'copy' };
        },
      });
      const response = await scene.ask(model, caller, { stream: true });
      await response.text();
      order.push('answer');
      await charged.promise;
      expect(order).toEqual(['answer', 'copy', 'rows 1']);
    });

    test('a target that never answers keeps no caller waiting', async () => {
      const { id, model } = await scene.pair({ text: 'mine' }, { headersDelayMilliseconds: 3000 });
      const caller = await scene.caller();
      for (let at = 0; at < 3; at += 1)
        expect(await (await scene.ask(model, caller)).text()).toContain('mine');
      expect(await scene.samples(id)).toEqual([]);
      expect(await scene.logs(caller.userId)).toHaveLength(3);
      await scene.settle();
      expect((await scene.samples(id)).length).toBe(3);
    });

    test('every format is copied, and what the upstream keeps, runs or holds is not', async () => {
      const { id, model, copies } = await scene.pair({ text: 'mine' }, { text: 'copy' });
      const caller = await scene.caller();
      const said = 'what is the time?';
      const send = async (path: string, body: object, headers = {}) => {
        const before = copies().length;
        const response = await scene.post(path, caller.key, body, headers);
        await response.text();
        // Its copy would be chosen, wait and run before this one's.
        const last = await scene.ask(model, caller);
        await last.text();
        await scene.settle();
        return { status: response.status, copied: copies().length - before - 1 };
      };
      const messages = [{ role: 'user', content: said }];
      const ok = { status: 200, copied: 1 };
      expect(await send('/v1/messages', { model, messages, max_tokens: 50 })).toEqual(ok);
      expect(await send('/v1/messages', { model, messages, max_tokens: 50, stream: true })).toEqual(ok);
      expect(await send('/v1/responses', { model, input: said })).toEqual(ok);
      expect(await send('/v1/responses', { model, input: said, stream: true })).toEqual(ok);
      const contents = [{ role: 'user', parts: [{ text: said }] }];
      expect(await send(`/v1beta/models/${model}:generateContent`, { contents })).toEqual(ok);
      expect(await send(`/v1beta/models/${model}:streamGenerateContent`, { contents })).toEqual(ok);
      const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }];
      expect(await send('/v1/chat/completions', { model, messages, tools })).toEqual(ok);
      const texts = (await scene.samples(id)).map((sample) => sample.texts);
      expect(new Set(texts.map(({ prompt }) => prompt))).toContain(said);
      expect(texts.filter(({ answer, copy }) => answer !== 'mine' || copy !== 'copy')).toEqual([]);
      for (const { body } of copies()) expect(body).not.toHaveProperty('store', true);

      const not = { status: 200, copied: 0 };
      expect(await send('/v1/responses', { model, input: said, store: false })).toEqual(not);
      expect(await send('/v1/chat/completions', { model, messages, store: false })).toEqual(not);
      for (const header of [{ 'X-Tollgate-No-Store': '1' }, { 'Cache-Control': 'max-age=0, no-store' }])
        expect(await send('/v1/chat/completions', { model, messages }, header)).toEqual(not);
      expect(await send('/v1/chat/completions', { model, messages, n: 2 })).toEqual(not);
      expect(await send('/v1/chat/completions', { model, messages, web_search_options: {} })).toEqual(not);
      const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
      const seen = [{ role: 'user', content: [{ type: 'text', text: said }, picture] }];
      expect(await send('/v1/chat/completions', { model, messages: seen })).toEqual(not);
    });

    test('only those who allow it are copied, unless the site says so for those who said nothing', async () => {
      const { id, model, copies } = await scene.pair({ text: 'mine' }, {});
      const [silent, refusing] = [await scene.caller('unsaid'), await scene.caller('refused')];
      for (const caller of [silent, refusing]) await (await scene.ask(model, caller)).text();
      await scene.settle();
      expect(copies()).toHaveLength(0);
      await scene.settings.set('ShadowCallsForEveryone', 'true', 0);
      for (const caller of [silent, refusing]) await (await scene.ask(model, caller)).text();
      await scene.settle();
      expect((await scene.samples(id)).map(({ user_id }) => user_id)).toEqual([silent.userId]);
      // A refusal takes what was kept with it.
      await scene.store.db
        .transaction()
        .execute((transaction) => removeSamplesOf(transaction, silent.userId));
      expect(await scene.samples(id)).toEqual([]);
      expect(await scene.keptOf(id)).toBe(0);
    });

    test('a user who is deleted or refuses while the copy runs leaves no sample', async () => {
      const { id, model, target, copies } = await scene.pair(
        { text: 'mine' },
        { headersDelayMilliseconds: 300 },
      );
      for (const change of [{ deleted_at: 5 }, { shadow_consent: 2 }]) {
        const caller = await scene.caller();
        const before = copies().length;
        await (await scene.ask(model, caller)).text();
        await eventually(copies, (found) => found.length > before);
        await scene.store.db.updateTable('users').set(change).where('id', '=', caller.userId).execute();
        await scene.settle();
      }
      expect(await scene.samples(id)).toEqual([]);
      expect(await scene.keptOf(id)).toBe(0);
      expect((await scene.margins(target)).shadows.calls).toBe(2);
    });

    test('a job removes old samples and those of users who are gone, and counts the places anew', async () => {
      const { id, model } = await scene.pair({ text: 'mine' }, {});
      const [old, gone, staying] = [await scene.caller(), await scene.caller(), await scene.caller()];
      for (const caller of [old, gone, staying]) await (await scene.ask(model, caller)).text();
      await scene.settle();
      const { db } = scene.store;
      await db
        .updateTable('shadow_samples')
        .set({ created_at: unixSeconds() - 15 * 86_400 })
        .where('user_id', '=', old.userId)
        .execute();
      await db.updateTable('users').set({ deleted_at: 5 }).where('id', '=', gone.userId).execute();
      await db.updateTable('shadow_counts').set({ kept: 77 }).where('shadow_id', '=', id).execute();
      await cleanSamples(scene.store, scene.settings.current.ShadowKeepDays);
      expect((await scene.samples(id)).map(({ user_id }) => user_id)).toEqual([staying.userId]);
      expect(await scene.keptOf(id)).toBe(1);
    });

    test('a failure of the copy is kept as one, costs nothing, and pauses no channel', async () => {
      const { id, model, target, channels } = await scene.pair({ text: 'mine' }, { status: 500 });
      const caller = await scene.caller();
      for (let at = 0; at < 7; at += 1) await (await scene.ask(model, caller)).text();
      await scene.settle();
      const samples = await scene.samples(id);
      expect(samples).toHaveLength(7);
      expect(samples[0]).toMatchObject({ copy_ending: 'http_500', copy_cost: 0, copy_completion_tokens: 0 });
      expect(await scene.spentOf(id)).toBe(0);
      expect(await scene.countsOf(id)).toEqual({ failed: 7 });
      expect((await scene.margins(target)).shadows).toEqual({ calls: 0, cost: 0, unknown_calls: 0 });
      expect(scene.relay.core.breaker.coolingSeconds(channels.target, target)).toBe(0);
      expect(
        await scene.store.db
          .selectFrom('channels')
          .select('status')
          .where('id', '=', channels.target)
          .executeTakeFirst(),
      ).toEqual({ status: 1 });
      const health = await scene.store.db
        .selectFrom('channel_hours')
        .selectAll()
        .where('channel_id', '=', channels.target)
        .execute();
      expect(health).toEqual([]);
    });
  });
