// What a new batch of OpenAI's API is: the request that its upstream gets, its row, its deadline, and the bounds of its fields.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { acceptedIn } from '#server/relay/tasks/batches/openai-routes.ts';
import { ask, booksOf, ended, taskRow } from '#tests/integration/relay/drawing/support.ts';
import { databaseLabels } from '#tests/support/databases.ts';
import {
  CLAUDE,
  finished,
  line,
  logOf,
  MODEL,
  newBatch,
  openStation,
  START,
  upload,
  type Station,
} from './support.ts';

setDefaultTimeout(60_000);
const HOUR = 3600;
const PATH = '/v1/chat/completions';

test('the id of an accepted batch is a word of at most 200 characters', () => {
  const idOf = (id: unknown) => acceptedIn({ id, status: 'validating', other: 1 }, ['status']);
  for (const id of ['batch_1', 'a.b-c', 'x'.repeat(200)])
    expect(idOf(id)).toEqual({ id, batch: { status: 'validating' } });
  for (const id of ['x'.repeat(201), '', 'a b', ' a', 'a/b', 17, undefined]) expect(idOf(id).id).toBe('');
  expect(acceptedIn('batch_1', ['status'])).toEqual({ id: '', batch: {} });
});

describe.each([...databaseLabels])('%s', (database) => {
  let station: Station;
  beforeAll(async () => {
    station = await openStation(database);
  });
  afterAll(() => station.close());

  const now = () => Date.now() / 1000;
  const create = (key: string, body: object) => ask(station.app.url, key, '/v1/batches', body);
  async function ready() {
    const caller = await station.caller();
    const file = await upload(caller.openai, [line('one'), line('two', { max_tokens: 50 })]);
    return { caller, file, body: { input_file_id: file.id, endpoint: PATH, completion_window: '24h' } };
  }

  test('its upstream gets the caller’s fields, with its own id of the file', async () => {
    const { caller, body } = await ready();
    const { files, batches } = station.openai;
    const asked: unknown[] = [];
    station.openai.plan(/^POST \/v1\/batches$/, async (request) => {
      asked.push(await request.json());
      return Response.json({ id: 'batch_up.1', status: 'validating', input_file_id: 'theirs', secret: 1 });
    });
    const { status, body: answer } = await create(caller.key, { ...body, metadata: { night: 'yes' } });
    const upstreamFile = [...files.keys()].at(-1);
    expect(asked).toEqual([{ ...body, input_file_id: upstreamFile, metadata: { night: 'yes' } }]);
    expect([status, batches.length, answer['id']]).toEqual([
      200,
      0,
      expect.stringMatching(/^batch_[\da-f]{32}$/),
    ]);
    const row = await taskRow(station.app.store, String(answer['id']));
    expect(JSON.parse(row.properties)).toEqual({
      upstream: 'batch_up.1',
      batch: { status: 'validating' },
      input: expect.objectContaining({ model: MODEL, path: PATH, requests: 2, outputTokens: 150 }),
      inputFile: body.input_file_id,
    });
  });

  test('its row says what was asked for, and it may take 48 hours more than its window', async () => {
    const { caller, body } = await ready();
    for (const [completion_window, hours] of [
      ['1h', 1],
      ['72h', 72],
      ['024h', 24],
    ] as const) {
      const began = now();
      const { body: answer } = await create(caller.key, { ...body, completion_window });
      const row = await taskRow(station.app.store, String(answer['id']));
      expect(row).toMatchObject({
        platform: 'openai-batch',
        action: 'BATCH',
        status: 'QUEUED',
        model: MODEL,
        user_id: caller.id,
        channel_id: station.channelId,
        prompt: `in.jsonl (2 × ${PATH})`,
        money: 'open',
      });
      const left = row.deadline_at - (hours + 48) * HOUR;
      expect([left >= Math.floor(began), left <= Math.ceil(now())]).toEqual([true, true]);
    }
  });

  test('a field that is not possible is named, and nothing is held', async () => {
    const { caller, body } = await ready();
    const refusal = async (change: object) => {
      const reply = await create(caller.key, { ...body, ...change });
      const { code, param } = reply.body['error'] as Record<string, unknown>;
      return [reply.status, code, param];
    };
    for (const completion_window of ['0h', '73h', '0024h', '24', '24hh', 'x24h', '-1h', 24, undefined])
      expect(await refusal({ completion_window })).toEqual([400, 'invalid_field', 'completion_window']);
    for (const input_file_id of [undefined, 7])
      expect(await refusal({ input_file_id })).toEqual([400, 'invalid_field', 'input_file_id']);
    expect((await refusal({ endpoint: '/v1/embeddings' }))[1]).toBe('batch_other_endpoint');
    expect((await refusal({ endpoint: '/v1/nothing' }))[1]).toBe('batch_endpoint');
    expect(await booksOf(station.app, caller.id)).toMatchObject({ quota: START, held: 0, holds: 0 });
  });

  test('an answer without an id is not sent again, and nothing is charged', async () => {
    const { caller, body } = await ready();
    let asked = 0;
    station.openai.plan(/^POST \/v1\/batches$/, () => {
      asked += 1;
      return Response.json({ status: 'validating' });
    });
    expect((await create(caller.key, body)).status).toBeGreaterThanOrEqual(500);
    expect([asked, await booksOf(station.app, caller.id)]).toMatchObject([
      1,
      { quota: START, held: 0, holds: 0 },
    ]);
    expect(station.openai.batches.some(({ id }) => id === '')).toBe(false);
  });

  test('a file that was not made for batches is refused by its name', async () => {
    const { caller, file, body } = await ready();
    await station.app.store.db
      .updateTable('files')
      .set({ batch: '' })
      .where('file_id', '=', file.id)
      .execute();
    const reply = await create(caller.key, body);
    expect(reply.body['error']).toMatchObject({ code: 'file_not_for_batches', param: 'input_file_id' });
  });

  test('pages of a caller’s batches have 20 of them, or as many as asked for up to 100', async () => {
    const { openai: client, key } = await station.caller();
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) ids.unshift((await newBatch(client, ['one'])).id);
    const page = async (query: string) => (await ask(station.app.url, key, `/v1/batches${query}`)).body;
    const idsOf = (body: Record<string, unknown>) => (body['data'] as { id: string }[]).map(({ id }) => id);
    const first = await page('?limit=2');
    expect(first).toMatchObject({ object: 'list', first_id: ids[0], last_id: ids[1], has_more: true });
    const rest = await page(`?limit=2&after=${ids[1]}`);
    expect([idsOf(rest), rest['has_more']]).toEqual([[ids[2]!], false]);
    expect(idsOf(await page('?limit=100'))).toEqual(ids);
    for (const limit of ['0', '101', '1.5', 'x'])
      expect((await page(`?limit=${limit}`))['error']).toMatchObject({
        code: 'invalid_field',
        param: 'limit',
      });
  });

  test('a cancelled batch shows at once that it is being cancelled, and so does its row', async () => {
    const { openai: client, id: userId } = await station.caller();
    const batch = await newBatch(client, ['one']);
    const { upstream } = JSON.parse((await taskRow(station.app.store, batch.id)).properties) as {
      upstream: string;
    };
    const cancelled = await client.batches.cancel(batch.id);
    expect([cancelled.id, cancelled.status]).toEqual([batch.id, 'cancelling']);
    const state = JSON.parse((await taskRow(station.app.store, batch.id)).properties) as Record<
      string,
      unknown
    >;
    expect(state).toMatchObject({ upstream, input: { requests: 1 }, batch: { status: 'cancelling' } });
    const kept = station.openai.batches.find(({ id }) => id === upstream)!;
    station.openai.end('cancelled', 1, kept);
    expect((await finished(client, batch.id)).status).toBe('cancelled');
    await ended(station.app.store, batch.id);
    expect(await logOf(station.app, userId)).toMatchObject({
      model_name: MODEL,
      upstream_model: 'upstream-model',
    });
  });

  test('so does one of Anthropic, whose row keeps what the upstream said of it', async () => {
    const { anthropic: client } = await station.caller();
    const params = { model: CLAUDE, max_tokens: 64, messages: [{ role: 'user' as const, content: 'gate?' }] };
    const batch = await client.messages.batches.create({ requests: [{ custom_id: 'one', params }] });
    const stateOf = async () =>
      JSON.parse((await taskRow(station.app.store, batch.id)).properties) as {
        upstream: string;
        batch: Record<string, unknown>;
      };
    const { upstream, batch: before } = await stateOf();
    expect(before).toMatchObject({ processing_status: 'in_progress' });
    expect(before['cancel_initiated_at'] ?? null).toBeNull();
    const cancelled = await client.messages.batches.cancel(batch.id);
    expect(cancelled).toMatchObject({ id: batch.id, processing_status: 'canceling' });
    expect(await stateOf()).toMatchObject({
      upstream,
      batch: { cancel_initiated_at: cancelled.cancel_initiated_at },
    });
    expect(cancelled.cancel_initiated_at).toBeString();
  });

  test('a caller who reads or cancels a running batch brings its next question forward, with both APIs', async () => {
    const { store } = station.app;
    const { openai: client, anthropic } = await station.caller();
    const one = await newBatch(client, ['one']);
    const params = { model: CLAUDE, max_tokens: 64, messages: [{ role: 'user' as const, content: 'gate?' }] };
    const other = await anthropic.messages.batches.create({ requests: [{ custom_id: 'one', params }] });
    const later = () => now() + 500;
    /** How long until the batch is asked for, when that was long and its caller has done this. */
    const waitAfter = async (id: string, act: () => Promise<unknown>) => {
      const { id: row } = await taskRow(store, id);
      await store.db
        .updateTable('tasks')
        .set({ next_poll_at: Math.floor(later()), poll_failures: 0 })
        .where('id', '=', row)
        .execute();
      await act();
      return (await taskRow(store, id)).next_poll_at - now();
    };
    expect(await waitAfter(one.id, async () => {})).toBeGreaterThan(400);
    for (const [id, act] of [
      [one.id, () => client.batches.retrieve(one.id)],
      [other.id, () => anthropic.messages.batches.retrieve(other.id)],
      [one.id, () => client.batches.cancel(one.id)],
      [other.id, () => anthropic.messages.batches.cancel(other.id)],
    ] as const)
      expect(await waitAfter(id, act)).toBeLessThan(100);
  });
});
