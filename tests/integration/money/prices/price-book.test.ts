// The price book on both databases: every change of a price is a version, drafts overwrite nothing unseen, scheduled drafts are
// published once, outside lists change nothing by themselves, and a call is charged by the rules it began with.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { pricesText, readPrices } from '#contract/money/price-keys.ts';
import { builtInPrice } from '#server/money/prices/price-list/index.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import type { ListPrice } from '#server/money/prices/price.ts';
import { createEgress } from '#server/platform/egress/index.ts';
import { proposeFromAddresses } from '#server/money/price-book/fetch-list.ts';
import { impactOf } from '#server/money/price-book/impact.ts';
import { publishDue } from '#server/money/price-book/publish.ts';
import { chargeUnder } from '#server/money/price-book/recompute.ts';
import { newestVersion, pricesOf, readVersion, runningVersionAt } from '#server/money/price-book/versions.ts';
import { openSettings } from '#server/platform/settings/settings.ts';
import type { NewRow } from '#server/platform/store/schema.ts';
import { startRelay } from '#tests/integration/relay/calls/harness.ts';
import {
  ApiRefusal,
  startApplication,
  type Actor,
  type TestApplication,
} from '#tests/support/application.ts';
import { addChannel } from '#tests/support/channels.ts';
import { failure } from '#tests/support/failure.ts';
import { behaviourMessage } from '#mock/upstream/index.ts';

const now = () => Math.floor(Date.now() / 1000);
const noAudit = async () => {};
const signal = new AbortController().signal;

for (const database of ['sqlite', 'postgres'] as const) {
  describe(database, () => {
    let app: TestApplication;
    let root: Actor;
    beforeAll(async () => {
      app = await startApplication({ database });
      root = await app.actor({ role: ROLE.root });
    }, 60_000);
    afterAll(() => app.close());

    const book = () => app.client(root).priceBook;
    const versions = async () =>
      (await app.store.db.selectFrom('price_versions').select('id').execute()).length;
    const refusalOf = async (call: Promise<unknown>) => {
      const error = await failure(call);
      return error instanceof ApiRefusal ? error.body.code : error;
    };
    const save = (key: string, value: unknown) =>
      app.client(root).options.save({ body: { key, value: JSON.stringify(value) } });
    const draftOf = async (prices: Record<string, unknown>, reason = '') => {
      const { id, revision } = await book().createDraft({ body: { reason } });
      return await book().changeDraft({ params: { id }, body: { revision, prices } });
    };
    const running = async () => (await newestVersion(app.store.db)).id;

    test('every change of a price option is a version of all of them, any other change is none', async () => {
      const first = await newestVersion(app.store.db);
      expect(readPrices(first.prices).GroupRatio).toEqual({ default: 1, vip: 1, svip: 1 });
      expect(app.settings.current.priceVersion).toBe(first.id);
      await save('ModelRatio', { a: 2 });
      const second = await newestVersion(app.store.db);
      expect(second).toMatchObject({ source: 'settings', created_by: root.id });
      expect(readPrices(second.prices).ModelRatio).toEqual({ a: 2 });
      expect(app.settings.current.priceVersion).toBe(second.id);
      const count = await versions();
      await save('ModelRatio', { a: 2 });
      await app.settings.set('RetryTimes', '1', 1);
      expect(await versions()).toBe(count);
      await app.settings.reset('ModelRatio', 1);
      expect(await versions()).toBe(count + 1);
      expect(pricesText(pricesOf(await newestVersion(app.store.db)))).toBe(first.prices);
      expect(await runningVersionAt(app.store.db, first.effective_at - 1)).toBeUndefined();
      expect((await runningVersionAt(app.store.db, now()))?.id).toBe(await running());
    });

    test('changes at the same time make versions that miss nothing', async () => {
      const keys = ['ModelRatio', 'CompletionRatio', 'CacheRatio', 'ImageRatio', 'AudioRatio'] as const;
      await Promise.all(keys.map((key) => app.settings.set(key, '{"together":3}', 1)));
      const prices = readPrices((await newestVersion(app.store.db)).prices);
      for (const key of keys) expect(prices[key]).toEqual({ together: 3 });
      for (const key of keys) await app.settings.reset(key, 1);
    });

    test('a version is made with the options or not at all, and is never changed', async () => {
      const count = await versions();
      const audit = async () => {
        throw new Error('no audit row');
      };
      await failure(app.settings.set('ModelRatio', '{"x":1}', 1, { audit }));
      expect(await versions()).toBe(count);
      expect(app.settings.current.ModelRatio).toEqual({});
      const change = app.store.db.updateTable('price_versions').set({ reason: 'other' }).execute();
      expect(String(await failure(change))).toContain('append-only');
    });

    test('prices that changed while no server ran are a version of the next start', async () => {
      await app.store.db.insertInto('options').values({ key: 'ModelPrice', value: '{"b":0.5}' }).execute();
      const settings = await openSettings(app.store, app.log, { priceList: 'of another release' });
      const version = await newestVersion(app.store.db);
      expect(version).toMatchObject({ source: 'start', list: 'of another release' });
      expect(settings.current).toMatchObject({ priceVersion: version.id, ModelPrice: { b: 0.5 } });
      settings.close();
      await app.settings.reload();
      await app.settings.reset('ModelPrice', 1);
    });

    test('a draft changes nothing until it is published, and a published one names who, why and what', async () => {
      const draft = await draftOf(
        { ModelRatio: { c: 4 }, GroupRatio: { default: 1, vip: 0.8, svip: 1 } },
        'dearer',
      );
      expect(app.settings.current.ModelRatio).toEqual({});
      const shown = await book().draft({ params: { id: draft.id } });
      expect(shown.changes).toEqual([
        { key: 'GroupRatio', name: 'vip', before: 1, after: 0.8 },
        { key: 'ModelRatio', name: 'c', before: null, after: 4 },
      ]);
      const body = { revision: draft.revision, over: shown.running };
      const version = await book().publish({ params: { id: draft.id }, body });
      expect(version).toMatchObject({
        source: 'draft',
        reason: 'dearer',
        actor_name: root.username,
        change_count: 2,
      });
      expect(app.settings.current).toMatchObject({ ModelRatio: { c: 4 }, priceVersion: version.id });
      expect(await refusalOf(book().publish({ params: { id: draft.id }, body }))).toBe(
        'price_draft_outdated',
      );
      const again = { ...body, over: version.id };
      expect(await refusalOf(book().publish({ params: { id: draft.id }, body: again }))).toBe(
        'price_draft_closed',
      );
      expect((await book().draft({ params: { id: draft.id } })).version_id).toBe(version.id);
    });

    test('a draft of an older version says what changed since, keeps it, and overwrites only what the operator saw', async () => {
      const draft = await draftOf({ ModelRatio: { c: 5, d: 1 } });
      const over = await running();
      await save('ModelRatio', { c: 6, e: 2 });
      const publish = (seen: number) =>
        book().publish({ params: { id: draft.id }, body: { revision: draft.revision, over: seen } });
      expect(await refusalOf(publish(over))).toBe('price_draft_outdated');
      const shown = await book().draft({ params: { id: draft.id } });
      expect(shown.since.map(({ name }) => name)).toEqual(['c', 'e']);
      expect(shown.conflicts).toEqual([{ key: 'ModelRatio', name: 'c', before: 6, after: 5 }]);
      await publish(shown.running);
      expect(app.settings.current.ModelRatio).toEqual({ c: 5, d: 1, e: 2 });
    });

    test('a draft that is stored with its first prices stands on the version that the operator saw', async () => {
      const seen = await running();
      await save('ModelRatio', { ...app.settings.current.ModelRatio, meanwhile: 3 });
      const { id, based_on } = await book().createDraft({
        body: { based_on: seen, prices: { ModelPrice: { stored: 2 } }, reason: 'first' },
      });
      const draft = await book().draft({ params: { id } });
      expect([based_on, draft.reason]).toEqual([seen, 'first']);
      expect(draft.changes.map(({ key, name }) => `${key} ${name}`)).toEqual(['ModelPrice stored']);
      expect(draft.since.map(({ name }) => name)).toEqual(['meanwhile']);
      expect(await refusalOf(book().createDraft({ body: { based_on: 1_000_000, reason: '' } }))).toBe(
        'not_found',
      );
      await book().withdraw({ params: { id }, body: { revision: draft.revision } });
    });

    test('drafts are listed by pages, the newest first', async () => {
      const ids = [(await draftOf({ BatchRatio: 0.41 })).id, (await draftOf({ BatchRatio: 0.42 })).id];
      const page = async (p: number) => {
        const { items, total } = await book().drafts({ query: { p, page_size: 1 } });
        expect(total).toBeGreaterThanOrEqual(2);
        return items.map(({ id }) => id);
      };
      expect([await page(1), await page(2)]).toEqual([[ids[1] ?? 0], [ids[0] ?? 0]]);
    });

    test('of two operators who edit one draft the second one is refused; bad prices and strange options too', async () => {
      const draft = await draftOf({ BatchRatio: 0.4 });
      const change = (body: { revision: number; prices: Record<string, unknown> }) =>
        book().changeDraft({ params: { id: draft.id }, body });
      const both = await Promise.allSettled([
        change({ revision: draft.revision, prices: { BatchRatio: 0.3 } }),
        change({ revision: draft.revision, prices: { BatchRatio: 0.2 } }),
      ]);
      expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      const { revision } = await book().draft({ params: { id: draft.id } });
      expect(await refusalOf(change({ revision, prices: { ModelRatio: { x: -1 } } }))).toBe(
        'invalid_setting',
      );
      expect(await refusalOf(change({ revision, prices: { QuotaPerUnit: 1 } }))).toBe('unknown_setting');
      expect(await refusalOf(change({ revision, prices: { GroupRatio: {} } }))).toBe('group_required');
      const withdrawn = await book().withdraw({ params: { id: draft.id }, body: { revision } });
      expect(withdrawn.status).toBe('withdrawn');
      expect(await refusalOf(change({ revision: revision + 1, prices: {} }))).toBe('price_draft_closed');
    });

    test('a group that users are in cannot be removed by a draft', async () => {
      await app.createUser({ group: 'svip' });
      const draft = await draftOf({ GroupRatio: { default: 1, vip: 0.8 } });
      const body = { revision: draft.revision, over: await running() };
      expect(await refusalOf(book().publish({ params: { id: draft.id }, body }))).toBe('group_in_use');
    });

    test('a group that a published draft removes is no longer offered to users (M21)', async () => {
      const ratios = app.settings.current.GroupRatio;
      const offered = app.settings.current.UserUsableGroups;
      await save('GroupRatio', { ...ratios, leaving: 2 });
      await save('UserUsableGroups', { ...offered, leaving: 'soon gone' });
      const draft = await draftOf({ GroupRatio: ratios });
      const body = { revision: draft.revision, over: await running() };
      await book().publish({ params: { id: draft.id }, body });
      expect(app.settings.current.GroupRatio).toEqual(ratios);
      expect(app.settings.current.UserUsableGroups).toEqual(offered);
    });

    test('a scheduled draft is published once when its time has come, whichever node comes first', async () => {
      const draft = await draftOf({ BatchRatio: 0.35 }, 'autumn');
      const at = (publish_at: number) =>
        book().schedule({ params: { id: draft.id }, body: { revision: draft.revision, publish_at } });
      expect(await refusalOf(at(now() - 1))).toBe('price_time_past');
      await at(now() + 3600);
      await publishDue(app, noAudit, signal);
      expect(app.settings.current.BatchRatio).toBe(0.5);
      await app.store.db
        .updateTable('price_drafts')
        .set({ publish_at: now() - 5 })
        .where('id', '=', draft.id)
        .execute();
      const count = await versions();
      await Promise.all([1, 2, 3].map(() => publishDue(app, noAudit, signal)));
      expect(await versions()).toBe(count + 1);
      expect(app.settings.current.BatchRatio).toBe(0.35);
      expect(await newestVersion(app.store.db)).toMatchObject({
        source: 'scheduled',
        reason: 'autumn',
        created_by: root.id,
      });
    });

    test('drafts that are due together are published in the order of their times (M21)', async () => {
      const late = await draftOf({ BatchRatio: 0.4 }, 'late');
      const early = await draftOf({ ImageRatio: { ordered: 2 } }, 'early');
      for (const [{ id }, ago] of [
        [late, 5],
        [early, 50],
      ] as const)
        await app.store.db
          .updateTable('price_drafts')
          .set({ status: 'scheduled', publish_at: now() - ago })
          .where('id', '=', id)
          .execute();
      await publishDue(app, noAudit, signal);
      expect(await newestVersion(app.store.db)).toMatchObject({ source: 'scheduled', reason: 'late' });
    });

    test('a scheduled draft keeps what changed meanwhile, and one that would undo a change goes back with the reason', async () => {
      const [kept, undone] = [await draftOf({ CacheRatio: { k: 0.1 } }), await draftOf({ BatchRatio: 0.1 })];
      await app.settings.set('BatchRatio', '0.45', 1);
      for (const { id, revision } of [kept, undone])
        await book().schedule({ params: { id }, body: { revision, publish_at: now() + 3600 } });
      await app.store.db
        .updateTable('price_drafts')
        .set({ publish_at: 1 })
        .where('status', '=', 'scheduled')
        .execute();
      await publishDue(app, noAudit, signal);
      expect(app.settings.current).toMatchObject({ BatchRatio: 0.45, CacheRatio: { k: 0.1 } });
      expect(await book().draft({ params: { id: undone.id } })).toMatchObject({
        status: 'draft',
        error: expect.stringContaining('BatchRatio'),
      });
    });

    test('a rollback is a new version with the old prices', async () => {
      const old = await newestVersion(app.store.db);
      await save('ModelRatio', { z: 9 });
      const over = await running();
      const call = (seen: number) =>
        book().rollBack({ params: { id: old.id }, body: { over: seen, reason: 'mistyped' } });
      expect(await refusalOf(call(old.id))).toBe('price_draft_outdated');
      const version = await call(over);
      expect(version).toMatchObject({ source: 'rollback', reason: 'mistyped' });
      expect((await readVersion(app.store.db, version.id))?.prices).toBe(old.prices);
      expect(app.settings.current.ModelRatio).toEqual(readPrices(old.prices).ModelRatio);
      expect(await refusalOf(call(version.id))).toBe('price_draft_empty');
    });

    test('a rollback leaves the unit of quota alone: a version that differs in nothing else is refused (M21)', async () => {
      const old = await newestVersion(app.store.db);
      const { QuotaPerUnit } = app.settings.current;
      await save('QuotaPerUnit', QuotaPerUnit * 2);
      const before = await versions();
      const back = { over: await running(), reason: 'the unit is no price' };
      expect(await refusalOf(book().rollBack({ params: { id: old.id }, body: back }))).toBe(
        'price_draft_empty',
      );
      expect(await versions()).toBe(before);
      await save('ModelRatio', { z: 9 });
      await book().rollBack({ params: { id: old.id }, body: { ...back, over: await running() } });
      expect(app.settings.current.QuotaPerUnit).toBe(QuotaPerUnit * 2);
      expect(app.settings.current.ModelRatio).toEqual(readPrices(old.prices).ModelRatio);
      await save('QuotaPerUnit', QuotaPerUnit);
    });

    test('prices of an outside list wait for review; an accepted one goes into a draft, a refused one does not come back', async () => {
      await addChannel(app.store, {
        base_url: 'http://127.0.0.1:9',
        models: ['listed-a', 'listed-b', 'gpt-4o'],
      });
      const gpt: ListPrice | undefined = builtInPrice('gpt-4o');
      const text = JSON.stringify({
        'listed-a': {
          litellm_provider: 'openai',
          input_cost_per_token: 2e-6,
          output_cost_per_token: 8e-6,
          input_cost_per_token_above_200k_tokens: 4e-6,
        },
        'listed-b': { litellm_provider: 'openai', input_cost_per_token: 1e-6, output_cost_per_token: 1e-6 },
        'gpt-4o': {
          input_cost_per_token: (gpt?.input ?? 0) / 1e6,
          output_cost_per_token: (gpt?.output ?? 0) / 1e6,
        },
        unknown: { input_cost_per_token: 1e-6 },
      });
      using list = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response(text) });
      const egress = createEgress({ allowedPrivateAddresses: ['127.0.0.1'] });
      const url = `http://127.0.0.1:${list.port}/prices.json`;
      await app.settings.set('PriceListUrls', url, 1);
      const before = app.settings.current.priceVersion;
      await proposeFromAddresses({ store: app.store, egress }, app.settings.current.PriceListUrls, signal);
      await proposeFromAddresses({ store: app.store, egress }, app.settings.current.PriceListUrls, signal);
      const open = (await book().proposals({ query: { p: 1, status: 'open' } })).items;
      expect(open.map(({ model }) => model).toSorted()).toEqual(['listed-a', 'listed-b']);
      expect(open.find(({ model }) => model === 'listed-a')).toMatchObject({
        before: null,
        after: { input: 2, output: 8, has_rules: true },
      });
      const idOf = (model: string) => open.find((each) => each.model === model)?.id ?? 0;
      const refused = await book().decide({ body: { ids: [idOf('listed-b')], decision: 'refuse' } });
      expect(refused).toEqual({ decided: 1, draft_id: 0 });
      const accepted = await book().decide({ body: { ids: open.map(({ id }) => id), decision: 'accept' } });
      expect(accepted.decided).toBe(1);
      await proposeFromAddresses({ store: app.store, egress }, app.settings.current.PriceListUrls, signal);
      expect(
        (await book().proposals({ query: { p: 1, status: 'open' } })).items.map(({ model }) => model),
      ).toEqual(['listed-a']);
      expect(app.settings.current.priceVersion).toBe(before);
      const draft = await book().draft({ params: { id: accepted.draft_id } });
      expect(draft.prices).toMatchObject({
        ModelRatio: { 'listed-a': 1 },
        CompletionRatio: { 'listed-a': 4 },
        PriceRules: { 'listed-a': { tiers: [{ above: 200_000, input: 2 }] } },
      });
      egress.close();
    });

    test('two lists with different prices of a model both wait for review, however often they are read (M21)', async () => {
      await addChannel(app.store, { base_url: 'http://127.0.0.1:9', models: ['listed-twice'] });
      const listed = (cost: number) => ({
        port: 0,
        hostname: '127.0.0.1',
        fetch: () =>
          Response.json({
            'listed-twice': {
              litellm_provider: 'openai',
              input_cost_per_token: cost,
              output_cost_per_token: cost,
            },
          }),
      });
      using cheap = Bun.serve(listed(1e-6));
      using dear = Bun.serve(listed(2e-6));
      const egress = createEgress({ allowedPrivateAddresses: ['127.0.0.1'] });
      const urls = [cheap, dear].map(({ port }) => `http://127.0.0.1:${port}/prices.json`);
      for (let reading = 0; reading < 2; reading += 1)
        await proposeFromAddresses({ store: app.store, egress }, urls, signal);
      egress.close();
      const rows = await app.store.db
        .selectFrom('price_proposals')
        .select(['origin', 'status'])
        .where('model', '=', 'listed-twice')
        .orderBy('id')
        .execute();
      expect(rows).toEqual(urls.map((origin) => ({ origin, status: 'open' })));
    });

    test('the preview of a draft sums the calls of the last week under both prices', async () => {
      await save('ModelRatio', { seen: 1 });
      const row = (created_at: number, tokens: number): NewRow<'logs'> => ({
        type: 2,
        created_at,
        model_name: 'seen',
        group: 'vip',
        quota: tokens,
        other: JSON.stringify({ usage: { input: tokens }, use_ms: 1000 }),
      });
      const rows = [row(now() - 60, 100), row(now() - 7200, 1000), row(now() - 8 * 86_400, 5000)];
      await app.store.db.insertInto('logs').values(rows).execute();
      const draft = await draftOf({ ModelRatio: { seen: 3 } });
      const impact = await book().impact({ params: { id: draft.id } });
      expect(impact).toMatchObject({ read: 2, calls: 2, not_rated: 0 });
      const ratio = app.settings.current.GroupRatio['vip'] ?? 1;
      expect(impact.parts).toEqual([
        { model: 'seen', group: 'vip', calls: 2, charged: 1100, running: 1100 * ratio, draft: 3300 * ratio },
      ]);
    });

    test('hours with more calls than are read are scaled to their number, with those that are not rated (M21)', async () => {
      const HOUR = 3600;
      const to = now() - (now() % HOUR) - 30 * 86_400;
      const [busy, quiet] = [to - 5 * HOUR, to - 6 * 86_400];
      const row = (created_at: number, other: object): NewRow<'logs'> => ({
        type: 2,
        created_at,
        model_name: 'scaled',
        group: 'default',
        quota: 70,
        other: JSON.stringify(other),
      });
      const call = { usage: { input: 100 } };
      const rows = [call, call, call, {}].map((other, index) => row(busy + index, other));
      // Read only where every call is: a fifth row of the busy hour, and a week that is over.
      rows.push(row(busy + 9, call), row(quiet, call), row(to - 8 * 86_400, call));
      await app.store.db.insertInto('logs').values(rows).execute();
      const hour = { user_id: root.id, token_id: 0, channel_id: 0, model_name: 'scaled', quota: 0 };
      await app.store.db
        .insertInto('usage_hours')
        .values([
          { ...hour, hour: busy, count: 40 },
          // Removed rows of an hour that is read whole are not made up for.
          { ...hour, hour: quiet, count: 9 },
        ])
        .execute();
      const usual = readPrices((await newestVersion(app.store.db)).prices);
      const textOf = (ratio: number) =>
        pricesText({ ...usual, GroupRatio: { default: 1 }, ModelRatio: { scaled: ratio } });
      const prices = { running: textOf(1), draft: textOf(3) };
      const impact = await impactOf(app.store, prices, { to, rowsPerHour: 4 });
      expect(impact).toMatchObject({ read: 5, calls: 41, not_rated: 10, to });
      const sums = { calls: 31, charged: 31 * 70, running: 3100, draft: 9300 };
      expect(impact.parts).toEqual([{ model: 'scaled', group: 'default', ...sums }]);
    });

    test('models say where their price comes from and whether it was verified', async () => {
      const models = await book().models();
      expect(models.find(({ model }) => model === 'gpt-4o')).toMatchObject({
        source: 'list',
        is_verified: false,
      });
      expect(models.find(({ model }) => model === 'seen')).toMatchObject({
        source: 'operator',
        is_verified: true,
      });
      expect(models.find(({ model }) => model === 'listed-b')).toMatchObject({
        source: 'none',
        figures: null,
      });
    });
  });

  test(`${database}: a call is held and charged by the rules it began with, and its row explains the charge`, async () => {
    const rules = {
      'gpt-4o': {
        tiers: [{ above: 500, input: 2, output: 3 }],
        hours: [{ from: '00:00', to: '00:00', timeZone: 'UTC', ratio: 0.5 }],
        classes: { flex: 0.4 },
        fee: 0.001,
      },
      'gpt-4o-mini': { minimum: 0.01 },
    };
    const settings = {
      ModelRatio: JSON.stringify({ 'gpt-4o': 1, 'gpt-4o-mini': 0.1 }),
      CompletionRatio: JSON.stringify({ 'gpt-4o': 4, 'gpt-4o-mini': 1 }),
      PriceRules: JSON.stringify(rules),
    };
    const relay = await startRelay({ database, settings });
    try {
      await relay.channel();
      const token = await relay.token();
      const rowOf = async (body: Record<string, unknown>) => {
        await relay.post('/v1/chat/completions', token.key, body);
        const rows = relay.store.db
          .selectFrom('logs')
          .selectAll()
          .where('type', '=', 2)
          .orderBy('id', 'desc');
        return await rows.limit(1).executeTakeFirstOrThrow();
      };
      const messages = (inputTokens: number) => [
        behaviourMessage({ usage: { inputTokens, outputTokens: 10 } }),
      ];
      const short = await rowOf({ model: 'gpt-4o', messages: messages(500) });
      expect(short.quota).toBe((500 + 40 + 500) / 2);
      const flex = await rowOf({ model: 'gpt-4o', service_tier: 'flex', messages: messages(501) });
      expect(flex.quota).toBe(Math.round((1002 + 120 + 500) * 0.2));
      expect(JSON.parse(flex.other)).toMatchObject({
        price_version: relay.settings.current.priceVersion,
        class_ratio: 0.4,
        hour_ratio: 0.5,
        request_class: 'flex',
        tier: { above: 500, input: 2, output: 3 },
        surcharges: [{ name: 'call_fee', count: 1, dollarsEach: 0.001 }],
      });
      const least = await rowOf({ model: 'gpt-4o-mini', messages: messages(10) });
      expect(least.quota).toBe(5000);
      for (const row of [short, flex, least])
        expect(chargeUnder(relay.settings.current, builtInPrice, row)).toBe(row.quota);
      // The call is charged by the prices of its hold, also when the operator saves others meanwhile.
      const running = relay.post('/v1/chat/completions', token.key, {
        model: 'gpt-4o-mini',
        messages: [
          behaviourMessage({ usage: { inputTokens: 10, outputTokens: 10 }, headersDelayMilliseconds: 300 }),
        ],
      });
      while ((await relay.holds()) === 0) await Bun.sleep(5);
      await relay.settings.set('PriceRules', '{}', 0);
      await running;
      const held = await relay.store.db
        .selectFrom('logs')
        .selectAll()
        .orderBy('id', 'desc')
        .executeTakeFirstOrThrow();
      expect(held.quota).toBe(5000);
      expect(JSON.parse(held.other)).toMatchObject({ minimum_price: 0.01 });
      expect(await relay.holds()).toBe(0);
      expect(await checkInvariants(relay.store)).toEqual([]);
    } finally {
      await relay[Symbol.asyncDispose]();
    }
  }, 60_000);
}
