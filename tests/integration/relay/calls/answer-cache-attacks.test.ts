// What outsiders, other tenants and revoked keys get of cached answers: nothing. And no request makes another one get a wrong answer.
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { gzipSync } from 'node:zlib';
import { databaseLabels } from '#tests/support/databases.ts';
import { cacheScene, CHAT, CLAUDE, expectBooks, type CacheScene } from './answer-cache-scene.ts';
import type { TestToken } from './harness.ts';

setDefaultTimeout(60_000);

for (const database of databaseLabels)
  describe(database, () => {
    let scene: CacheScene;
    beforeAll(async () => {
      scene = await cacheScene(database, {
        settings: { GroupRatio: '{"default":1,"vip":0.5}', UserUsableGroups: '{"vip":"vip"}' },
      });
      await scene.channel({ models: [CHAT], groups: ['vip'], key: 'sk-vip' });
    });
    afterEach(async () => {
      await scene.set({ AnswerCacheShared: 'false' });
      await expectBooks(scene);
    });
    afterAll(() => scene[Symbol.asyncDispose]());

    const state = async (
      token: TestToken,
      text: string,
      extra: object = {},
      headers: Record<string, string> = {},
    ) => (await scene.ask(token, text, extra, headers)).state;

    async function organization(answer_cache: 0 | 1) {
      const id = await scene.user({ kind: 'organization' });
      const { db } = scene.store;
      await db
        .insertInto('organizations')
        .values({ id, name: `org ${id}`, created_at: 1, created_by: 0, deleted_at: null, answer_cache })
        .execute();
      const project = await db
        .insertInto('projects')
        .values({ organization_id: id, name: 'p', created_at: 1 })
        .returning('id')
        .executeTakeFirstOrThrow();
      const key = (row: object = {}) =>
        scene.token({ user_id: id, project_id: project.id, service_account_id: 1, ...row });
      return { id, key };
    }

    test('keys of other accounts, and other keys of one account, share nothing and name other entries', async () => {
      const userId = await scene.user();
      const keys = [
        await scene.keeping(),
        await scene.keeping(),
        await scene.keeping({ user_id: userId }),
        await scene.keeping({ user_id: userId }),
      ];
      const before = scene.sent();
      const replies = [];
      for (const key of keys) replies.push(await scene.ask(key, 'a secret'));
      expect(replies.map((reply) => reply.state)).toEqual(['miss', 'miss', 'miss', 'miss']);
      expect(new Set(replies.map(({ key }) => key)).size).toBe(4);
      expect(scene.sent()).toBe(before + 4);
    });

    test('keys of an organization that keeps answers share them, and nobody else does', async () => {
      const [acme, other, without] = [await organization(1), await organization(1), await organization(0)];
      const [one, two, refusing] = [
        await acme.key(),
        await acme.key({ service_account_id: 2 }),
        await acme.key({ answer_cache: 'off' }),
      ];
      expect([await state(one, 'ours'), await state(two, 'ours')]).toEqual(['miss', 'hit']);
      expect(await state(refusing, 'ours')).toBeNull();
      expect(await state(await other.key(), 'ours')).toBe('miss');
      const [own, owned] = [
        await without.key({ answer_cache: 'on' }),
        await without.key({ answer_cache: 'on' }),
      ];
      expect([await state(own, 'ours'), await state(owned, 'ours'), await state(own, 'ours')]).toEqual([
        'miss',
        'miss',
        'hit',
      ]);
      // The organization is suspended.
      await scene.store.db.updateTable('users').set({ status: 2 }).where('id', '=', acme.id).execute();
      await scene.store.changes.announce('users', String(acme.id));
      expect((await scene.ask(one, 'ours')).status).toBe(403);
      await scene.store.db.updateTable('users').set({ status: 1 }).where('id', '=', acme.id).execute();
      await scene.store.changes.announce('users', String(acme.id));
      expect(await state(two, 'ours')).toBe('miss');
    });

    test('the operator may share among accounts: only plain requests, only within a group, at the price of each', async () => {
      await scene.set({ AnswerCacheShared: 'true' });
      const [a, b] = [await scene.keeping(), await scene.keeping()];
      const vip = await scene.keeping({ group: 'vip' });
      const first = await scene.ask(a, 'weather');
      const second = await scene.ask(b, 'weather');
      expect([first.state, second.state]).toEqual(['miss', 'hit']);
      expect(await scene.entriesOf(b.userId)).toEqual([(await scene.rowOf(second)).quota]);
      expect(await state(vip, 'weather')).toBe('miss');
      for (const extra of [{ user: 'alice' }, { metadata: { user_id: 'alice' } }, { prompt_cache_key: 'k' }])
        expect([
          extra,
          await state(a, 'weather', extra),
          await state(b, 'weather', extra),
          await state(a, 'weather', extra),
        ]).toEqual([extra, 'miss', 'miss', 'hit']);
      for (const headers of [{ session_id: 's' }, { 'Tollgate-Tags': 'user=alice' }] as Record<
        string,
        string
      >[])
        expect([
          await state(a, JSON.stringify(headers), {}, headers),
          await state(b, JSON.stringify(headers), {}, headers),
        ]).toEqual(['miss', 'miss']);
      // A caller who keeps nothing reads nothing either.
      expect(await state(await scene.token(), 'weather')).toBeNull();
    });

    test('a body that an upstream could read otherwise is neither answered from memory nor kept', async () => {
      await scene.set({ AnswerCacheShared: 'true' });
      const [attacker, victim] = [await scene.keeping(), await scene.keeping()];
      const post = async (token: TestToken, text: string, headers: Record<string, string> = {}) =>
        await scene.send(token, '/v1/chat/completions', text, headers);
      const evil = '{"model":"gpt-4o","messages":[{"role":"user","content":"EVIL","content":"good"}]}';
      const good = '{"model":"gpt-4o","messages":[{"role":"user","content":"good"}]}';
      expect((await post(attacker, evil)).state).toBe('bypass');
      expect((await post(victim, good)).state).toBe('miss');
      expect((await post(attacker, evil)).state).toBe('bypass');
      expect((await post(attacker, evil.replace('"content":"EVIL"', '"cont\\u0065nt":"EVIL"'))).state).toBe(
        'bypass',
      );
      // At the top the call is refused.
      expect((await post(attacker, good.replace('{"model"', '{"model":"x","model"'))).status).toBe(400);
      const near = [
        good.replace('"good"', '"go\u200bod"'),
        good.replace('"good"', '"good "'),
        good.replace('"good"', '"g\u043eod"'),
        good.replace('"role"', '"__proto__":{"x":1},"role"'),
        good.replace('}]', '}],"seed":9007199254740993'),
        good.replace('}]', '}],"seed":9007199254740992'),
        good.replace('}]', '}],"temperature":1'),
        good.replace('}]', '}],"temperature":1.0'),
        good.replace('}]', '}],"stop":null'),
      ];
      for (const text of near) {
        const { state: found } = await post(victim, text);
        expect([text, found === 'hit']).toEqual([text, false]);
      }
      // The same bytes in another coat are the same.
      const packed = await fetch(`${scene.url}/v1/chat/completions`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${attacker.key}`,
          'Content-Type': 'text/plain',
          'Content-Encoding': 'gzip',
        },
        body: gzipSync(good),
      });
      expect(packed.headers.get('x-tollgate-cache')).toBe('hit');
      await packed.text();
    });

    test('headers that change the answer make entries of their own', async () => {
      const token = await scene.keeping();
      const body = { model: CLAUDE, messages: [{ role: 'user', content: 'x' }], max_tokens: 50 };
      const claude = async (headers: Record<string, string>) =>
        (await scene.send(token, '/v1/messages', body, headers)).state;
      expect(await claude({})).toBe('miss');
      expect(await claude({ 'anthropic-version': '2023-06-01' })).toBe('miss');
      expect(await claude({ 'anthropic-beta': 'context-1m-2025-08-07' })).toBe('miss');
      expect(await claude({ 'anthropic-beta': 'output-128k-2025-02-19' })).toBe('miss');
      expect(await claude({ 'anthropic-beta': 'context-1m-2025-08-07' })).toBe('hit');
      expect(await claude({ 'X-Tollgate-Strict': '1' })).toBe('miss');
      const chat = (headers: Record<string, string>) => state(token, 'beta', {}, headers);
      expect([
        await chat({}),
        await chat({ 'OpenAI-Beta': 'x=1' }),
        await chat({ 'OpenAI-Beta': 'x=2' }),
      ]).toEqual(['miss', 'miss', 'miss']);
      // Chat and completions of the same text are not one.
      const completion = await scene.send(token, '/v1/responses', {
        model: CHAT,
        input: 'beta',
        store: false,
      });
      expect(completion.state).toBe('miss');
    });

    test('a virtual model is answered from memory only by the model that would answer now', async () => {
      const virtual = async (name: string, targets: object[]) => {
        await scene.store.db
          .insertInto('virtual_models')
          .values({ name, targets: JSON.stringify(targets), created_at: 1, updated_at: 1 })
          .onConflict((conflict) => conflict.column('name').doUpdateSet({ targets: JSON.stringify(targets) }))
          .execute();
        await scene.store.changes.announce('virtual_models');
      };
      const target = (model: string, when: object = {}) => ({ model, when, fall_back_on: ['down'] });
      await virtual('fast', [target('m-second', { header: { name: 'x-lane' } }), target('m-third')]);
      const token = await scene.keeping();
      const ask = (headers: Record<string, string> = {}) =>
        scene.ask(token, 'virtual', { model: 'fast' }, headers);
      const first = await ask();
      const second = await ask();
      expect([first.state, second.state]).toEqual(['miss', 'hit']);
      expect(second.headers.get('x-tollgate-model')).toBe('m-third');
      const [anew, kept] = [await scene.rowOf(first), await scene.rowOf(second)];
      expect([kept.model_name, kept.quota]).toEqual(['m-third', Math.max(1, Math.round(anew.quota / 10))]);
      expect((await ask({ 'x-lane': '1' })).state).toBe('miss');
      expect((await ask({ 'x-lane': '1' })).state).toBe('hit');
      // The plain models have entries of their own.
      expect(await state(token, 'virtual', { model: 'm-third' })).toBe('miss');
      await virtual('fast', [target('m-second')]);
      await virtual('other', [target('m-second')]);
      expect((await ask()).headers.get('x-tollgate-model')).toBe('m-second');
      expect(await state(token, 'virtual', { model: 'other' })).toBe('miss');
    });

    test('the answer of a fallback is not kept', async () => {
      await scene.store.db
        .insertInto('virtual_models')
        .values({
          name: 'safe',
          targets: JSON.stringify([
            { model: 'm-second', when: {}, fall_back_on: ['down'] },
            { model: 'm-third', when: {}, fall_back_on: [] },
          ]),
          created_at: 1,
          updated_at: 1,
        })
        .execute();
      await scene.store.changes.announce('virtual_models');
      const token = await scene.keeping();
      const off = scene.mock.behave({ when: { model: 'm-second' }, behaviour: { status: 500 } });
      const fallen = await scene.ask(token, 'fallen', { model: 'safe' });
      off();
      scene.endCooling();
      expect(fallen.headers.get('x-tollgate-model')).toBe('m-third');
      const again = await scene.ask(token, 'fallen', { model: 'safe' });
      expect([again.state, again.headers.get('x-tollgate-model')]).toEqual(['miss', 'm-second']);
    });

    test('a model that is taken from the group, a channel that is named, and a wrong key get nothing', async () => {
      const token = await scene.keeping();
      await state(token, 'taken', { model: 'm-second' });
      expect(await state(token, 'taken', { model: 'm-second' })).toBe('hit');
      const abilities = scene.store.db.updateTable('abilities').where('model', '=', 'm-second');
      await abilities.set({ enabled: 0 }).execute();
      await scene.relay.reload();
      const refused = await scene.ask(token, 'taken', { model: 'm-second' });
      expect([refused.status >= 400, refused.state]).toEqual([true, null]);
      await abilities.set({ enabled: 1 }).execute();
      await scene.relay.reload();
      const wrong = await scene.ask({ ...token, key: `${token.key.slice(0, -1)}_` }, 'taken');
      expect(wrong.status).toBe(401);
      const administrator = await scene.user({ role: 100 });
      const root = await scene.keeping({ user_id: administrator });
      const [channel] = await scene.store.db.selectFrom('channels').select('id').execute();
      const named = { ...root, key: `${root.key}-${channel?.id ?? 0}` };
      for (let at = 0; at < 2; at += 1) expect(await state(named, 'named')).toBeNull();
    });

    test('a revoked key gets no cached answer, and comes back to none', async () => {
      const token = await scene.keeping();
      await state(token, 'revoked');
      expect(await state(token, 'revoked')).toBe('hit');
      const change = async (values: object) => {
        await scene.store.db.updateTable('tokens').set(values).where('id', '=', token.id).execute();
        await scene.store.changes.announce('tokens', String(token.id));
      };
      await change({ status: 2 });
      expect((await scene.ask(token, 'revoked')).status).toBe(401);
      await change({ status: 1 });
      expect(await state(token, 'revoked')).toBe('miss');
    });

    test('a caller who leaves a kept stream has paid for it once', async () => {
      const token = await scene.keeping();
      await state(token, 'leaving', { stream: true });
      const leaving = new AbortController();
      const response = await fetch(`${scene.url}/v1/chat/completions`, {
        method: 'POST',
        signal: leaving.signal,
        headers: { Authorization: `Bearer ${token.key}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ model: CHAT, messages: [{ role: 'user', content: 'leaving' }], stream: true }),
      });
      expect(response.headers.get('x-tollgate-cache')).toBe('hit');
      leaving.abort();
      expect((await scene.entriesOf(token.userId)).length).toBe(2);
    });
  });
