// Why a call failed and which channel is to blame: what callers read, and what operators find of attempts and refusals.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { AdminLogFilter } from '#contract/admin/log-filter.ts';
import { LOG_TYPE, logs } from '#contract/admin/logs.ts';
import type { RequestContext } from '#server/admin/context.ts';
import { failuresOfAll, failuresOfSelf } from '#server/admin/dashboard/failures.ts';
import { exportLogs } from '#server/admin/logs/export.ts';
import { histogramOfLogs } from '#server/admin/logs/histogram.ts';
import { listLogs } from '#server/admin/logs/list.ts';
import { createLogReading } from '#server/admin/logs/reading.ts';
import { searchLogs } from '#server/admin/logs/search.ts';
import { statOfLogs } from '#server/admin/logs/stat.ts';
import { refusalSentence } from '#server/relay/errors/relay-error.ts';
import { databaseLabels } from '#tests/support/databases.ts';
import { behaviourKey, type Behaviour } from '#mock/upstream/index.ts';
import { eventually, startRelay, type RelayHarness, type TestToken } from './harness.ts';

const failing = (behaviour: Behaviour) => ({ key: behaviourKey('sk-up', behaviour) });
const balance = 'Your credit balance is too low to access the API. Please go to Plans & Billing.';

for (const database of databaseLabels) {
  describe(database, () => {
    let relay: RelayHarness;
    let token: TestToken;
    let made = 0;

    beforeAll(async () => {
      // One model for each test, so that the channels of one are not used by another.
      const ModelRatio = JSON.stringify(
        Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`m${at}`, 1])),
      );
      relay = await startRelay({
        database,
        settings: { RetryTimes: '1', AutomaticDisableChannelEnabled: 'true', ModelRatio },
      });
      token = await relay.token();
    });
    afterAll(() => relay[Symbol.asyncDispose]());

    const newModel = () => `m${(made += 1)}`;
    const chat = (model: string, extra: object = {}, key = token.key) =>
      relay.post('/v1/chat/completions', key, {
        model,
        messages: [{ role: 'user', content: 'hi' }],
        ...extra,
      });
    const idOf = (response: Response) => response.headers.get('x-request-id') ?? '';
    const channelRow = (id: number) =>
      relay.store.db.selectFrom('channels').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    const rowOf = async (requestId: string) => {
      const row = await eventually(
        () =>
          relay.store.db
            .selectFrom('logs')
            .selectAll()
            .where('request_id', '=', requestId)
            .executeTakeFirst(),
        (found) => found !== undefined,
      );
      const { admin_info: info, ending } = JSON.parse(row?.other ?? '{}') as {
        admin_info: { attempts: { channel: number; status: number; error?: string }[] };
        ending?: string;
      };
      return { row, attempts: info.attempts, ending };
    };
    const hoursOf = async (id: number) => {
      await relay.relay.core.health.flush();
      const rows = await relay.store.db
        .selectFrom('channel_hours')
        .selectAll()
        .where('channel_id', '=', id)
        .execute();
      const sum = (name: 'attempts' | 'failures' | 'broken') =>
        rows.reduce((total, row) => total + row[name], 0);
      return { attempts: sum('attempts'), failures: sum('failures'), broken: sum('broken') };
    };

    test('O1: a keyword counts in a 400 too: another channel answers and the caller reads nothing of it', async () => {
      const model = newModel();
      const dry = await relay.channel({
        ...failing({ status: 400, errorMessage: balance }),
        models: [model],
        priority: 5,
      });
      await relay.channel({ key: 'sk-good', models: [model] });
      expect((await chat(model)).status).toBe(200);
      const row = await eventually(
        () => channelRow(dry),
        ({ status }) => status === 3,
      );
      // O7: the operator reads the upstream's words beside the reason.
      expect(JSON.parse(row.other_info)).toMatchObject({
        status_reason: expect.stringMatching(/^keyword /),
        status_words: balance,
      });
    });

    test('O1: without another channel the caller reads our sentence; a keyword of the request decides nothing', async () => {
      const model = newModel();
      const dry = await relay.channel({
        ...failing({ status: 400, errorMessage: balance }),
        models: [model],
        fields: { auto_ban: 0 },
      });
      const refused = await chat(model);
      expect(refused.status).toBe(502);
      expect(await refused.text()).not.toMatch(/credit|billing/i);
      const quoted = await chat(model, { messages: [{ role: 'user', content: `Say: ${balance}` }] });
      expect(quoted.status).toBe(400);
      expect((await channelRow(dry)).status).toBe(1);
    });

    test('O3 O12 O14: every attempt counts for its channel, with the upstream’s words masked of keys', async () => {
      const model = newModel();
      const bad = await relay.channel({
        ...failing({ status: 500, errorMessage: 'disk of sk-abcdefgh12345678 is full' }),
        models: [model],
        priority: 5,
      });
      const cut = await relay.channel({
        ...failing({ errorInside200: true }),
        models: [model],
        priority: 4,
      });
      const good = await relay.channel({ key: 'sk-good', models: [model] });
      await relay.settings.set('RetryTimes', '2', 0);
      const response = await chat(model, { stream: true });
      await response.text();
      const { attempts } = await rowOf(idOf(response));
      expect(attempts.map(({ channel, status }) => [channel, status])).toEqual([
        [bad, 500],
        [cut, 200],
        [good, 200],
      ]);
      expect(attempts[0]?.error).toStartWith('status 500');
      expect(attempts[0]?.error).toEndWith(': disk of *** is full');
      // An attempt that failed after a 200 is no success.
      expect(attempts[1]?.error).toContain('The server had an error');
      expect(attempts[2]?.error).toBeUndefined();
      expect(await hoursOf(bad)).toEqual({ attempts: 1, failures: 1, broken: 0 });
      expect(await hoursOf(cut)).toEqual({ attempts: 1, failures: 1, broken: 0 });
      expect(await hoursOf(good)).toEqual({ attempts: 1, failures: 0, broken: 0 });
      const last = await relay.store.db
        .selectFrom('channel_errors')
        .selectAll()
        .where('channel_id', '=', bad)
        .executeTakeFirst();
      expect(last).toMatchObject({ request_id: idOf(response), words: attempts[0]?.error });
      // A second flush adds to the hour.
      await chat(model);
      expect(await hoursOf(bad)).toEqual({ attempts: 2, failures: 2, broken: 0 });
      await relay.settings.set('RetryTimes', '1', 0);
    });

    test('O13: a stream that broke off counts against its channel and is marked in its row', async () => {
      const model = newModel();
      const id = await relay.channel({ ...failing({ resetAfterEvents: 3 }), models: [model] });
      const response = await chat(model, { stream: true });
      await response.text();
      const { attempts, ending, row } = await rowOf(idOf(response));
      expect([row?.type, ending]).toEqual([2, 'broken']);
      expect(attempts[0]).toMatchObject({ status: 200, error: expect.stringMatching(/^stream broken/) });
      expect(await hoursOf(id)).toEqual({ attempts: 1, failures: 1, broken: 1 });
    });

    test('a caller’s mistake is an attempt, but no failure of the channel', async () => {
      const model = newModel();
      const id = await relay.channel({
        ...failing({ status: 400, errorMessage: 'max_tokens is too large' }),
        models: [model],
      });
      expect((await chat(model)).status).toBe(400);
      expect(await hoursOf(id)).toEqual({ attempts: 1, failures: 0, broken: 0 });
    });

    test('O16: the caller reads the requested name of a mapped model, in answers, streams and errors', async () => {
      const model = newModel();
      const model_mapping = JSON.stringify({ [model]: 'secret-real-model' });
      await relay.channel({ key: 'sk-good', models: [model], fields: { model_mapping } });
      const whole = await (await chat(model)).text();
      expect(whole).toContain(`"model":"${model}"`);
      const stream = await (await chat(model, { stream: true })).text();
      expect(stream).toContain(`"model":"${model}"`);
      const failed = newModel();
      await relay.channel({
        ...failing({ status: 404, errorMessage: 'The model secret-real-model does not exist' }),
        models: [failed],
        fields: { model_mapping: JSON.stringify({ [failed]: 'secret-real-model' }) },
      });
      const error = await (await chat(failed)).text();
      expect(error).toContain(`The model ${failed} does not exist`);
      for (const text of [whole, stream, error]) expect(text).not.toContain('secret-real-model');
    });

    test('O33: a 429 with a Retry-After is called once, and the caller reads when to come back', async () => {
      const model = newModel();
      const limited = await relay.channel({
        ...failing({ status: 429, headers: { 'retry-after': '30' }, tag: 'limited' }),
        models: [model],
        priority: 5,
      });
      const good = await relay.channel({ key: 'sk-good', models: [model] });
      for (let round = 0; round < 20; round += 1) expect((await chat(model)).status).toBe(200);
      expect((await hoursOf(limited)).attempts).toBe(1);
      await relay.store.db.deleteFrom('abilities').where('channel_id', '=', good).execute();
      await relay.relay.reload();
      const busy = await chat(model);
      expect(busy.status).toBe(429);
      const seconds = Number(busy.headers.get('retry-after'));
      expect(seconds).toBeGreaterThan(5);
      expect(seconds).toBeLessThanOrEqual(30);
    });

    describe('refused calls', () => {
      const reading = () =>
        createLogReading({
          store: relay.store,
          settings: relay.settings,
          endedTasks: { count: async () => 0, removeOldest: async () => 0 },
          describeRefusal: refusalSentence,
        });
      const context = (id: number) => ({ user: { id }, language: 'en' }) as unknown as RequestContext;
      const input = (filter: Partial<Record<keyof AdminLogFilter, string | number>>) => ({
        params: undefined,
        query: logs.list.query.parse(filter),
        body: undefined,
      });
      const listed = (filter: Parameters<typeof input>[0]) =>
        listLogs(reading(), 'all')(input(filter), context(0));

      test('O15: each is found by its request id, with its sentence, and counted', async () => {
        const poor = await relay.token({ quota: 0 });
        const model = newModel();
        await relay.channel({ key: 'sk-good', models: [model, 'unheard-of'] });
        const responses = {
          no_channel: await chat('m29'),
          no_price: await chat('unheard-of'),
          insufficient_quota: await chat(model, {}, poor.key),
          invalid_json: await relay.post('/v1/chat/completions', token.key, '{'),
          invalid_api_key: await chat(model, {}, 'sk-nothing'),
        };
        await relay.relay.core.refusals.flush();
        for (const [code, response] of Object.entries(responses)) {
          expect(response.status).toBeGreaterThanOrEqual(400);
          const { items, total } = await listed({ request_id: idOf(response) });
          expect([total, items.length, items[0]?.type]).toEqual([1, 1, LOG_TYPE.refused]);
          expect(items[0]?.request_id).toBe(idOf(response));
          expect(JSON.parse(items[0]?.other ?? '')).toMatchObject({
            refused: { code, count: 1, is_listed: true },
          });
        }
        const [found] = await searchLogs(reading(), 'all')(
          { params: undefined, query: { keyword: idOf(responses.no_channel) }, body: undefined },
          context(0),
        );
        expect(found).toMatchObject({
          model_name: 'm29',
          user_id: token.userId,
          content:
            'No channel is available for the model m29 in the group default. Try again later or use another model.',
        });
        // A user finds the own call only.
        const own = await listLogs(reading(), 'self')(
          input({ request_id: idOf(responses.insufficient_quota) }),
          context(poor.userId),
        );
        expect(own.total).toBe(1);
        const foreign = await listLogs(reading(), 'self')(
          input({ request_id: idOf(responses.no_channel) }),
          context(poor.userId),
        );
        expect(foreign.total).toBe(0);

        const now = Math.floor(Date.now() / 1000);
        const span = { start_timestamp: now - 3600, end_timestamp: now + 60 };
        const self = await failuresOfSelf(relay.store)(
          { params: undefined, query: span, body: undefined },
          context(poor.userId),
        );
        expect(self).toMatchObject({ total: 1, refused: 1 });
        expect(self.contents).toEqual([{ content: 'refused insufficient_quota', count: 1 }]);
        const everybody = await failuresOfAll(relay.store)(
          { params: undefined, query: { ...span, username: '' }, body: undefined },
          context(0),
        );
        // The wrong key belongs to no user.
        const codes = everybody.contents.map(({ content }) => content);
        for (const code of ['no_channel', 'no_price', 'insufficient_quota', 'invalid_json'])
          expect(codes).toContain(`refused ${code}`);
        expect(codes).not.toContain('refused invalid_api_key');
      });

      test('O15: a flood is counted in few rows, and every id still leads to its reason', async () => {
        const loud = await relay.token();
        const responses: Response[] = [];
        for (let round = 0; round < 15; round += 1)
          responses.push(
            ...(await Promise.all(
              Array.from({ length: 20 }, (_, at) => chat(`x-${round}-${at}`, {}, loud.key)),
            )),
          );
        await relay.relay.core.refusals.flush();
        const rows = await relay.store.db
          .selectFrom('refused_calls')
          .selectAll()
          .where('user_id', '=', loud.userId)
          .execute();
        expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(300);
        // Twenty with a model and one without, for each minute that the test touches.
        const minutes = new Set(rows.map(({ minute }) => minute)).size;
        expect(rows.length).toBeLessThanOrEqual(21 * minutes);
        for (const row of rows) expect(row.request_ids.length).toBeLessThanOrEqual(20 * 37);
        const last = responses.at(-1);
        const { items } = await listed({ request_id: last === undefined ? '' : idOf(last) });
        const mine = items.find(({ user_id }) => user_id === loud.userId);
        const one = input({ request_id: last === undefined ? '' : idOf(last) });
        expect(await statOfLogs(reading(), 'all')(one, context(0))).toMatchObject({ refused_count: 1 });
        expect(JSON.parse(mine?.other ?? '')).toMatchObject({ refused: { code: 'no_channel' } });

        const user = await relay.userRow(loud.userId);
        const filter = { type: LOG_TYPE.refused, username: user.username };
        const stat = await statOfLogs(reading(), 'all')(input(filter), context(0));
        expect(stat).toMatchObject({ refused_count: 300, count: 0, error_count: 0, quota: 0 });
        const { buckets } = await histogramOfLogs(reading(), 'all')(input(filter), context(0));
        expect(buckets.reduce((sum, { errors }) => sum + errors, 0)).toBe(300);
        const all = await listed({ ...filter, page_size: 100 } as typeof filter);
        expect([all.total, all.items.length]).toEqual([rows.length, Math.min(rows.length, 100)]);
        const quiet = { ...context(1), auditEvent: async () => {} } as unknown as RequestContext;
        const file = await exportLogs(reading(), 'all')(
          { query: { ...logs.list.query.parse(filter), format: 'jsonl' } },
          quiet,
        );
        expect((await file.text()).trim().split('\n')).toHaveLength(rows.length);
      });

      test('O15: a call that failed on a channel has its log row and is not counted again', async () => {
        const model = newModel();
        await relay.channel({ ...failing({ status: 500 }), models: [model] });
        const failed = await chat(model);
        await relay.relay.core.refusals.flush();
        const { items } = await listed({ request_id: idOf(failed) });
        expect(items.map(({ type }) => type)).toEqual([5]);
        const counted = await relay.store.db
          .selectFrom('refused_calls')
          .select('code')
          .where('request_ids', 'like', `%${idOf(failed)}%`)
          .execute();
        expect(counted).toEqual([]);
      });

      test('O16: a user reads that the upstream failed, the operator that our key was refused', async () => {
        const model = newModel();
        const guest = await relay.token();
        await relay.channel({
          ...failing({ status: 401, errorMessage: 'Incorrect API key', errorCode: 'invalid_api_key' }),
          models: [model],
          fields: { auto_ban: 0 },
        });
        const response = await chat(model, {}, guest.key);
        const id = idOf(response);
        await rowOf(id);
        const [shown] = (await listLogs(reading(), 'self')(input({ request_id: id }), context(guest.userId)))
          .items;
        expect(shown?.code).toBe('upstream_failed');
        expect(JSON.stringify(shown)).not.toMatch(/status 401|api_key|Incorrect/);
        const [full] = (await listed({ request_id: id })).items;
        expect(full?.code).toBe('status 401 invalid_api_key');
        expect(full?.other).toContain('Incorrect API key');
        const byCause = async (cause: string) =>
          (await listLogs(reading(), 'self')(input({ cause }), context(guest.userId))).items.length;
        expect([await byCause('upstream'), await byCause('credentials')]).toEqual([1, 0]);
      });
    });
  });
}
