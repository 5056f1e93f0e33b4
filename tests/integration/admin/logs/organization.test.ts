// Usage and cost reports in the formats of OpenAI and Anthropic, read by their official SDKs, on both databases.
import Anthropic from '@anthropic-ai/sdk';
import OpenAI, { BadRequestError } from 'openai';
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { costDays, readReport, usageCells } from '#server/admin/usage-api/index.ts';
import { follow, forgetSums, positionOf, sumPeriods } from '#server/money/sums/engine.ts';
import { eventually } from '#tests/integration/relay/calls/harness.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { databaseLabels } from '#tests/support/databases.ts';
import { call, DAY, first, HOUR, now, organizationCalls } from './organization-calls.ts';
import { logScene, type LogScene } from './support.ts';

setDefaultTimeout(60_000);

const PER_DOLLAR = 500_000;

/** Of either API, as far as a test reads it. */
interface Found extends Record<string, unknown> {
  num_model_requests: number;
  amount: { value: number; currency: string };
}
interface Answer {
  data: { start_time: number; results: Found[] }[];
  has_more: boolean;
  next_page: string;
  type: string;
  error: { param: string; type: string; code: string };
}
const found = (results: readonly object[]) => results as Found[];

for (const database of databaseLabels) {
  describe(database, () => {
    let app: TestApplication;
    let scene: LogScene;
    let root: Actor;
    let alice: Actor;
    let bob: Actor;
    let tokens: { alice: number; bob: number };
    let keys: { site: string; alice: string };
    const openai = (key: string) =>
      new OpenAI({ adminAPIKey: key, apiKey: 'none', baseURL: `${app.url}/v1`, maxRetries: 0 });
    const usageOf = (key: string) => openai(key).admin.organization.usage;
    const get = async (path: string, key: string, headers: Record<string, string> = {}) => {
      const response = await fetch(app.url + path, {
        headers: { Authorization: `Bearer ${key}`, ...headers },
      });
      return { status: response.status, json: (await response.json()) as Answer };
    };

    beforeAll(async () => {
      app = await startApplication({ database, limits: { api: { most: 1500, seconds: 600 } } });
      await app.store.db.deleteFrom('logs').execute();
      scene = logScene(app.store);
      root = await app.actor({ role: ROLE.root });
      [alice, bob] = [await app.actor(), await app.actor()];
      tokens = { alice: await scene.token(alice.id, 'a'), bob: await scene.token(bob.id, 'b') };
      // The application's own job sums days that are over in its first seconds. The rows of this test are of such days, which no call
      // is: those written after the job would be missing until it runs again.
      await eventually(
        async () => (await app.client(root).jobs.list()).find(({ name }) => name === 'cost-days')?.state,
        (state) => state === 'ok',
      );
      await scene.write(organizationCalls({ alice: alice.id, bob: bob.id }, tokens));
      // Several slices. A transaction of another test on the same server may hold the last rows back, so until a run finds nothing.
      const lastId = app.store.db.selectFrom('logs').select(({ fn }) => fn.max('id').as('id'));
      const { id } = await lastId.executeTakeFirstOrThrow();
      await eventually(
        async () => {
          await follow(app.store, usageCells(app.store, 4));
          return await positionOf(app.store, 'cells');
        },
        (position) => position === id,
      );
      expect(await follow(app.store, usageCells(app.store))).toBe(0);
      const created = await app.client(root).adminKeys.createForSite({ body: { name: 'finance' } });
      keys = {
        site: created.key,
        alice: (await app.client(alice).adminKeys.create({ body: { name: 'own' } })).key,
      };
    });
    afterAll(() => app.close());

    test('two nodes that add log rows to the cells at once count every call once (M21)', async () => {
      const { db } = app.store;
      const cells = async () =>
        (await db.selectFrom('usage_cells').selectAll().execute())
          .map((row) => JSON.stringify(row))
          .toSorted();
      const [before, end] = [await cells(), await positionOf(app.store, 'cells')];
      await db.deleteFrom('usage_cells').execute();
      await forgetSums(db, ['cells']);
      const foldMeanwhile = async () => {
        await follow(app.store, usageCells(app.store, 4));
        return true;
      };
      await eventually(
        async () => {
          await follow(app.store, usageCells(app.store, 2), foldMeanwhile);
          return await positionOf(app.store, 'cells');
        },
        (position) => position === end,
      );
      expect(before.length).toBeGreaterThan(2);
      expect(await cells()).toEqual(before);
    });

    test('the usage calls of the openai SDK read the calls of the account, every class of tokens in its field', async () => {
      const page = await usageOf(keys.alice).completions({ start_time: first, bucket_width: '1h', limit: 3 });
      expect([page.object, page.has_more, page.data.map(({ start_time }) => start_time)]).toEqual([
        'page',
        true,
        [first, first + HOUR, first + 2 * HOUR],
      ]);
      expect(page.data[0]?.results).toEqual([]);
      expect(page.data[1]).toEqual({
        object: 'bucket',
        start_time: first + HOUR,
        end_time: first + 2 * HOUR,
        results: [
          {
            object: 'organization.usage.completions.result',
            input_tokens: 1007,
            output_tokens: 203,
            num_model_requests: 2,
            input_cached_tokens: 300,
            input_cache_write_tokens: 0,
            input_uncached_tokens: 707,
            input_text_tokens: 607,
            input_image_tokens: 0,
            input_audio_tokens: 100,
            input_cached_text_tokens: 300,
            input_cached_image_tokens: 0,
            input_cached_audio_tokens: 0,
            output_text_tokens: 183,
            output_image_tokens: 0,
            output_audio_tokens: 20,
            project_id: null,
            user_id: null,
            api_key_id: null,
            model: null,
            batch: null,
            service_tier: null,
          },
        ],
      });
    });

    test('results are grouped and filtered by project, user, key, model, batch and service tier', async () => {
      const day = { start_time: first, end_time: first + 2 * DAY };
      const grouped = await usageOf(keys.site).completions({
        ...day,
        group_by: ['user_id', 'project_id', 'api_key_id', 'model', 'batch', 'service_tier'],
      });
      const results = grouped.data.flatMap((bucket) => found(bucket.results));
      const shown = results.map((one) => [
        one.user_id,
        one.project_id,
        one.api_key_id,
        one.model,
        one.batch,
        one.service_tier,
        one.num_model_requests,
      ]);
      const name = (actor: Actor) => [`user-${actor.id}`, `proj_${actor.id}`] as const;
      expect(shown).toEqual([
        [...name(alice), null, 'claude', false, 'priority', 1],
        [...name(alice), `key_${tokens.alice}`, 'gpt-5', false, 'default', 2],
        [...name(bob), `key_${tokens.bob}`, 'gpt-5', false, 'default', 3],
        [...name(alice), `key_${tokens.alice}`, 'gpt-5', true, 'default', 1],
      ]);
      const total = async (filter: object) => {
        const page = await usageOf(keys.site).completions({ ...day, ...filter });
        return page.data
          .flatMap(({ results: all }) => found(all))
          .reduce((sum, one) => sum + one.num_model_requests, 0);
      };
      expect(await total({ user_ids: [`user-${bob.id}`] })).toBe(3);
      expect(await total({ project_ids: [`proj_${alice.id}`], user_ids: [`user-${bob.id}`] })).toBe(0);
      expect(await total({ api_key_ids: [`key_${tokens.alice}`] })).toBe(3);
      expect(await total({ models: ['claude', 'other'] })).toBe(1);
      expect(await total({ batch: true })).toBe(1);
      expect(await total({ batch: false })).toBe(6);
      const batches = await usageOf(keys.site).completions({ ...day, group_by: ['batch'] });
      expect(
        batches.data.map(({ results: all }) => found(all).map((one) => [one.batch, one.num_model_requests])),
      ).toEqual([[[false, 6]], [[true, 1]]]);
    });

    test('the other usage reports count their own calls', async () => {
      const usage = usageOf(keys.alice);
      const day = { start_time: first + DAY, end_time: first + 2 * DAY };
      const one = ({ data }: { data: { results: object[] }[] }) => data.map(({ results }) => results[0]);
      expect(one(await usage.embeddings(day))).toMatchObject([
        { object: 'organization.usage.embeddings.result', input_tokens: 17, num_model_requests: 1 },
      ]);
      expect(one(await usage.moderations(day))).toMatchObject([{ input_tokens: 5 }]);
      expect(one(await usage.images(day))).toMatchObject([{ images: 4, num_model_requests: 2 }]);
      expect((await usage.images({ ...day, group_by: ['source', 'size'] })).data[0]?.results).toMatchObject([
        { source: 'image.edit', size: null, images: 1 },
        { source: 'image.generation', images: 3 },
      ]);
      expect((await usage.images({ ...day, sources: ['image.edit'] })).data[0]?.results).toMatchObject([
        { images: 1 },
      ]);
      expect(one(await usage.audioSpeeches(day))).toMatchObject([{ characters: 44 }]);
      expect(one(await usage.audioTranscriptions(day))).toMatchObject([{ seconds: 60 }]);
      expect(one(await usage.webSearchCalls({ start_time: first, end_time: first + DAY }))).toMatchObject([
        { num_requests: 3 },
      ]);
      for (const empty of [
        await usage.vectorStores(day),
        await usage.codeInterpreterSessions(day),
        await usage.fileSearchCalls(day),
      ])
        expect(empty.data).toEqual([
          { object: 'bucket', start_time: day.start_time, end_time: day.end_time, results: [] },
        ]);
    });

    test('costs are the charges in dollars, the same before and after a day is summed', async () => {
      const read = async () => {
        const page = await usageOf(keys.site).costs({
          start_time: first,
          end_time: first + 3 * DAY,
          group_by: ['project_id', 'line_item', 'api_key_id'],
        });
        return page.data.map(({ results }) =>
          found(results).map((one) => [
            one.project_id,
            one.line_item,
            one.api_key_id,
            Math.round(one.amount.value * PER_DOLLAR),
            one.amount.currency,
          ]),
        );
      };
      const expected = [
        [
          [`proj_${alice.id}`, 'claude', null, 700, 'usd'],
          [`proj_${alice.id}`, 'gpt-5', `key_${tokens.alice}`, 5011, 'usd'],
          [`proj_${bob.id}`, 'gpt-5', `key_${tokens.bob}`, 201, 'usd'],
        ],
        [
          [`proj_${alice.id}`, 'embed', `key_${tokens.alice}`, 2, 'usd'],
          [`proj_${alice.id}`, 'gpt-5', `key_${tokens.alice}`, 20, 'usd'],
          [`proj_${alice.id}`, 'pic', `key_${tokens.alice}`, 80, 'usd'],
          [`proj_${alice.id}`, 'rank', `key_${tokens.alice}`, 1, 'usd'],
        ],
        [],
      ];
      const byName = (rows: unknown[][][]) =>
        rows.map((day) => day.toSorted((left, right) => String(left).localeCompare(String(right))));
      expect(byName(await read())).toEqual(byName(expected));
      await sumPeriods({ store: app.store }, costDays);
      expect(byName(await read())).toEqual(byName(expected));
      // A charge that comes late is in the next sum.
      await scene.write([call(bob.id, 2 * DAY, { model_name: 'gpt-5', token_id: tokens.bob, quota: 9 })]);
      await app.store.db
        .updateTable('usage_positions')
        .set({ position: first + 3 * DAY })
        .where('name', '=', 'costs')
        .execute();
      await sumPeriods({ store: app.store }, costDays);
      expect((await read())[2]).toEqual([[`proj_${bob.id}`, 'gpt-5', `key_${tokens.bob}`, 9, 'usd']]);
      const own = await usageOf(keys.alice).costs({ start_time: first, limit: 180 });
      expect(own.data.length).toBe(6);
      expect(
        own.data
          .flatMap(({ results }) => found(results))
          .map(({ amount }) => Math.round(amount.value * PER_DOLLAR)),
      ).toEqual([5711, 103]);
    });

    test('Anthropic’s reports by its SDK: token classes, groups, filters and decimal cents', async () => {
      const client = new Anthropic({
        apiKey: keys.alice.replace('sk-admin-', 'sk-ant-admin01-'),
        baseURL: app.url,
        maxRetries: 0,
      });
      const at = (seconds: number) => new Date((first + seconds) * 1000).toISOString();
      const groups = [
        'api_key_id',
        'workspace_id',
        'model',
        'service_tier',
        'context_window',
        'account_id',
        'inference_geo',
      ];
      const read = (path: string, query: object) =>
        client.get<Answer>(`/v1/organizations/${path}`, { query });
      const day = { starting_at: at(0), ending_at: at(DAY) };
      const usage = await read('usage_report/messages', {
        ...day,
        group_by: groups,
        models: ['claude'],
      });
      expect(usage).toMatchObject({
        data: [
          {
            starting_at: at(0).replace('.000', ''),
            ending_at: at(DAY).replace('.000', ''),
            results: [
              {
                uncached_input_tokens: 199_950,
                cache_read_input_tokens: 0,
                cache_creation: { ephemeral_1h_input_tokens: 20, ephemeral_5m_input_tokens: 50 },
                output_tokens: 9,
                server_tool_use: { web_search_requests: 3 },
                api_key_id: null,
                workspace_id: `wrkspc_${alice.id}`,
                account_id: `user_${alice.id}`,
                model: 'claude',
                service_tier: 'priority',
                context_window: '200k-1M',
                inference_geo: 'not_available',
                speed: null,
                service_account_id: null,
              },
            ],
          },
        ],
        has_more: false,
        next_page: null,
      });
      const short = await read('usage_report/messages', {
        ...day,
        context_window: ['0-200k'],
        service_tiers: ['standard'],
      });
      expect(short.data[0]?.results).toMatchObject([
        { uncached_input_tokens: 707, cache_read_input_tokens: 300, output_tokens: 203, model: null },
      ]);
      expect(
        (await read('usage_report/messages', { ...day, workspace_ids: [`wrkspc_${bob.id}`] })).data[0]
          ?.results,
      ).toEqual([]);
      const costs = await read('cost_report', { ...day, group_by: ['description', 'workspace_id'] });
      expect(
        costs.data[0]?.results.map((one) => [
          one.amount,
          one.currency,
          one.model,
          one.cost_type,
          one.workspace_id,
        ]),
      ).toEqual([
        ['0.14', 'USD', 'claude', 'tokens', `wrkspc_${alice.id}`],
        ['1.0022', 'USD', 'gpt-5', 'tokens', `wrkspc_${alice.id}`],
      ]);
    });

    test('pages go on where the last one ended, and every call is in one of them', async () => {
      for (const [width, limit, usage] of [
        ['1m', 50, 1440],
        ['1h', 7, 168],
        ['1d', 1, 31],
      ] as const) {
        const starts: number[] = [];
        let requests = 0;
        let page: string | undefined;
        do {
          const answer = await usageOf(keys.site).completions({
            start_time: first,
            end_time: first + (width === '1m' ? 3 * HOUR : 2 * DAY),
            bucket_width: width,
            limit,
            ...(page === undefined ? {} : { page }),
          });
          for (const { start_time, results } of answer.data) {
            starts.push(start_time);
            requests += found(results).reduce((sum, one) => sum + one.num_model_requests, 0);
          }
          page = answer.next_page ?? undefined;
          expect(answer.has_more).toBe(page !== undefined);
        } while (page !== undefined);
        expect([width, starts.length, new Set(starts).size]).toEqual([
          width,
          width === '1m' ? 180 : width === '1h' ? 48 : 2,
          starts.length,
        ]);
        expect([width, requests, usage > limit]).toEqual([width, width === '1m' ? 6 : 7, true]);
      }
    });

    test('a page reads and returns a bounded amount: it ends earlier, and one bucket that is too large is refused', async () => {
      const scope = { keyId: 0, userId: undefined };
      const ask = (query: string, bounds: { mostRows?: number; mostResults?: number }) =>
        readReport({ store: app.store, settings: app.settings, ...bounds }, scope, {
          path: '/v1/organization/usage/completions',
          query: new URLSearchParams(query),
        }) as Promise<Answer>;
      const minutes = `start_time=${first + HOUR}&end_time=${first + 2 * HOUR}&bucket_width=1m`;
      const short = await ask(minutes, { mostRows: 1 });
      expect([short.data.length, short.has_more]).toEqual([12, true]);
      expect((await ask(minutes, { mostRows: 5 })).data.length).toBe(60);
      const groups = `start_time=${first}&end_time=${first + 2 * DAY}&group_by=model&group_by=user_id`;
      const cut = await ask(groups, { mostResults: 3 });
      expect([cut.data.length, cut.has_more]).toEqual([1, true]);
      const refusal: unknown = await ask(groups, { mostResults: 2 }).catch((error: unknown) => error);
      expect(String(refusal)).toContain('more than 2 results');
      // Tools that ask from 1970 on get to the first call at once.
      const all = await ask('start_time=0&limit=1', {});
      expect([all.data[0]?.start_time, all.has_more]).toEqual([first, true]);
    });

    test('what cannot be read is refused in the format of the API', async () => {
      const good = `start_time=${first}`;
      const cursor = (await get(`/v1/organization/usage/completions?${good}&limit=1`, keys.site)).json
        .next_page;
      const wrong: [query: string, param: string][] = [
        ['', 'start_time'],
        ['start_time=-1', 'start_time'],
        ['start_time=1e9', 'start_time'],
        [`${good}&end_time=${first}`, 'end_time'],
        [`${good}&bucket_width=2h`, 'bucket_width'],
        [`${good}&limit=0`, 'limit'],
        [`${good}&limit=32`, 'limit'],
        [`${good}&limit=1441&bucket_width=1m`, 'limit'],
        [`${good}&group_by[]=password_hash`, 'group_by'],
        [`${good}&batch=maybe`, 'batch'],
        [`${good}&models=${'x'.repeat(400)}`, 'models'],
        [`${good}&page=page_AAAA`, 'page'],
        [`${good}&page=${cursor}&group_by=model`, 'page'],
        [`${good}&page=${'z'.repeat(5000)}`, 'page'],
      ];
      for (const [query, param] of wrong) {
        const { status, json } = await get(`/v1/organization/usage/completions?${query}`, keys.site);
        expect([query, status, json.error.param, json.error.type]).toEqual([
          query,
          400,
          param,
          'invalid_request_error',
        ]);
      }
      // A cursor of the site does not open its page with another key.
      expect(
        (await get(`/v1/organization/usage/completions?${good}&page=${cursor}`, keys.alice)).status,
      ).toBe(400);
      for (const query of [
        '',
        'starting_at=yesterday',
        'starting_at=2026-02-30T00:00:00Zx',
        `starting_at=2026-01-01T00:00:00Z&ending_at=2025-01-01T00:00:00Z`,
      ]) {
        const { status, json } = await get(`/v1/organizations/cost_report?${query}`, keys.site);
        expect([query, status, json.type, json.error.type]).toEqual([
          query,
          400,
          'error',
          'invalid_request_error',
        ]);
      }
      const tooMany = usageOf(keys.site).costs({ start_time: first, limit: 181 }).asResponse();
      expect(await tooMany.catch((error: unknown) => error)).toBeInstanceOf(BadRequestError);
      // Only a key of an organization manages one.
      expect((await get('/v1/organization/projects', keys.site)).status).toBe(403);
    });

    test('a token opens no report, an admin key calls no model, and a key reads its own scope only', async () => {
      const path = `/v1/organization/costs?start_time=${first}&limit=180`;
      const [token] = await app.client(alice).tokens.create({ body: { name: 'relay' } });
      const relayKey = `sk-${token?.key}`;
      expect(await get(path, relayKey)).toMatchObject({
        status: 401,
        json: { error: { code: 'admin_key_required' } },
      });
      expect((await get(path, `sk-admin-${token?.key}`)).json.error.code).toBe('invalid_api_key');
      expect((await fetch(app.url + path)).status).toBe(401);
      expect((await fetch(`${app.url}${path}&key=${keys.site}`)).status).toBe(401);
      for (const open of ['/v1/models', '/v1/dashboard/billing/usage']) {
        expect((await get(open, relayKey)).status).toBe(200);
        expect((await get(open, keys.site)).status).toBe(401);
      }
      const chat = {
        method: 'POST',
        headers: { Authorization: `Bearer ${keys.alice}` },
        body: JSON.stringify({ model: 'gpt-5', messages: [] }),
      };
      expect((await fetch(`${app.url}/v1/chat/completions`, chat)).status).toBe(401);
      const asAccessToken = await app.request('/api/user/self', {
        headers: { Authorization: keys.site, 'New-Api-User': String(root.id) },
      });
      expect(asAccessToken.status).toBe(401);
      for (const filter of [
        `user_ids=user-${bob.id}`,
        `project_ids=${bob.id}`,
        `api_key_ids=key_${tokens.bob}`,
        'user_ids=-1 or 1=1',
      ])
        for (const report of ['costs', 'usage/completions']) {
          const { json } = await get(`/v1/organization/${report}?start_time=${first}&${filter}`, keys.alice);
          expect([filter, json.data.flatMap(({ results }) => results)]).toEqual([filter, []]);
        }
    });

    test('keys are shown once, listed masked with their last use, and end with a revocation or their owner', async () => {
      const [view] = await app.client(alice).adminKeys.list();
      expect(view?.key).toBe(`sk-admin-${keys.alice.slice(9, 13)}…${keys.alice.slice(-4)}`);
      expect(view?.last_used_at).toBeGreaterThan(now - 60);
      expect(JSON.stringify(await app.store.db.selectFrom('admin_keys').selectAll().execute())).not.toContain(
        keys.alice.slice(9),
      );
      expect((await app.request('/api/admin_key/site', { as: alice, body: { name: 'x' } })).status).toBe(403);
      const accessToken = await app.client(alice).self.accessToken();
      const byToken = { Authorization: accessToken, 'New-Api-User': String(alice.id) };
      expect(
        (await app.request('/api/admin_key/', { headers: byToken, body: { name: 'x' } })).body.code,
      ).toBe('session_only');
      // Others neither see nor revoke it; the super admin sees keys of the site.
      expect((await app.client(bob).adminKeys.list()).length).toBe(0);
      expect((await app.request(`/api/admin_key/${view?.id}/`, { method: 'DELETE', as: bob })).status).toBe(
        404,
      );
      expect((await app.client(root).adminKeys.list()).map(({ scope }) => scope)).toEqual(['site']);
      const path = `/v1/organization/costs?start_time=${first}`;
      const change = (id: number, row: object) =>
        app.store.db.updateTable('users').set(row).where('id', '=', id).execute();
      await change(alice.id, { status: 2 });
      expect((await get(path, keys.alice)).status).toBe(403);
      await change(alice.id, { status: 1 });
      await change(root.id, { role: ROLE.admin });
      expect((await get(path, keys.site)).status).toBe(401);
      await change(root.id, { role: ROLE.root });
      expect((await get(path, keys.site)).status).toBe(200);
      expect((await get(path, keys.alice)).status).toBe(200);
      await app.client(alice).adminKeys.remove({ params: { id: view?.id ?? 0 } });
      expect((await get(path, keys.alice)).status).toBe(401);
      for (let made = 0; made < 20; made += 1)
        await app.client(bob).adminKeys.create({ body: { name: `k${made}` } });
      expect((await app.request('/api/admin_key/', { as: bob, body: { name: 'one more' } })).body.code).toBe(
        'admin_key_limit_reached',
      );
    });

    test('an address that asks too often is refused before its key is looked up', async () => {
      let answer = await get('/v1/organization/costs', 'sk-admin-guess');
      for (let tries = 0; tries < 1600 && answer.status === 401; tries += 1)
        answer = await get('/v1/organization/costs', 'sk-admin-guess');
      expect([answer.status, answer.json.error.code]).toEqual([429, 'rate_limited']);
    });
  });
}
