// The Responses API beyond one call: compaction by upstreams with and without it, and stored responses.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { APIError } from 'openai';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { startRelay, type RelayHarness, type TestToken } from './harness.ts';

type Json = Record<string, unknown>;

let relay: RelayHarness;
let token: TestToken;
let native: number;

beforeAll(async () => {
  relay = await startRelay({ settings: { RetryTimes: '1' } });
  native = await relay.channel({ type: CHANNEL_TYPE.openAi, models: ['gpt-5'] });
  await relay.channel({ type: CHANNEL_TYPE.anthropic, models: ['claude-opus-4-5'] });
  token = await relay.token();
});
afterEach(() => relay.mock.reset());
afterAll(() => relay[Symbol.asyncDispose]());

async function call(path: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await relay.post(path, token.key, body, headers);
  return { status: response.status, headers: response.headers, json: (await response.json()) as Json };
}

const paths = () => relay.mock.requests.map(({ path }) => path);

describe('compaction', () => {
  const compact = '/v1/responses/compact';
  const input = [
    { role: 'user', content: 'Build me a bridge.' },
    { type: 'function_call', call_id: 'c1', name: 'shell', arguments: '{"cmd":"ls"}' },
    { type: 'function_call_output', call_id: 'c1', output: 'bridge.ts' },
  ];
  const conversionOf = async () =>
    (JSON.parse((await relay.lastLog(token.userId)).other) as { conversion?: Json }).conversion;

  test('by an upstream that supports it: the upstream’s answer, unchanged', async () => {
    const { status, json } = await call(compact, { model: 'gpt-5', input });
    expect([status, json['object']]).toEqual([200, 'response.compaction']);
    expect((json['output'] as Json[]).at(-1)).toMatchObject({ type: 'compaction' });
    expect(paths()).toEqual([compact]);
    expect(await conversionOf()).toBeUndefined();
  });

  test.each([404, 405])(
    'by an upstream that answers %p: a summary by the model in items of a kind, charged once and reported (W41)',
    async (status) => {
      relay.mock.behave({ when: { path: compact }, behaviour: { status } });
      const { json, headers, ...answer } = await call(
        compact,
        { model: 'gpt-5', input },
        { 'x-tollgate-report': '1' },
      );
      expect([answer.status, json['object']]).toEqual([200, 'response.compaction']);
      expect(json['output']).toMatchObject([
        { type: 'message', role: 'user', content: 'Build me a bridge.' },
        { type: 'message', role: 'user', content: [{ type: 'input_text' }] },
      ]);
      expect(JSON.stringify(json['output'])).toContain('I am a mock model');
      expect(paths()).toEqual([compact, '/v1/responses']);
      const note = { field: 'compaction', what: 'approximated' };
      expect(await conversionOf()).toMatchObject({ from: 'openai-responses', notes: [note] });
      expect(headers.get('x-tollgate-conversion')).toContain('charged as a call of its own');
      const row = await relay.lastLog(token.userId);
      const { usage } = relay.mock.requests.at(-1) ?? {};
      expect([row.prompt_tokens, row.completion_tokens]).toEqual([
        usage?.inputTokens ?? -1,
        usage?.outputTokens ?? -1,
      ]);
      expect(Number(headers.get('x-tollgate-cost'))).toBe(row.quota);
      // Both requests are in the call's path, and the channel is free again.
      const { attempts } = (JSON.parse(row.other) as { admin_info: { attempts: Json[] } }).admin_info;
      expect(attempts.map((attempt) => [attempt['channel'], attempt['status']])).toEqual([
        [native, status],
        [native, 200],
      ]);
      expect(await relay.holds()).toBe(0);
    },
  );

  test('by a summary is refused to a strict caller, and not charged', async () => {
    relay.mock.behave({ when: { path: compact }, behaviour: { status: 404 } });
    const before = (await relay.userRow(token.userId)).quota;
    const strict = { 'x-tollgate-strict': 'true' };
    for (const model of ['gpt-5', 'claude-opus-4-5']) {
      const { status, json } = await call(compact, { model, input }, strict);
      expect([status, json['error']]).toMatchObject([400, { code: 'lossy_conversion' }]);
    }
    expect(paths()).toEqual([compact]);
    expect([(await relay.userRow(token.userId)).quota, await relay.holds()]).toEqual([before, 0]);
  });

  test('of a model the upstream does not know is refused with the upstream’s error', async () => {
    relay.mock.behave({ behaviour: { status: 404 } });
    const { status } = await call(compact, { model: 'gpt-5', input });
    expect(status).toBe(404);
    expect(paths()).toEqual([compact, '/v1/responses']);
    expect(await relay.holds()).toBe(0);
  });
});

describe('stored responses', () => {
  const sdk = () => relay.sdk(token);
  const said = async (act: PromiseLike<unknown>) => {
    const error = await act.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof APIError)) throw new Error('not refused');
    return { status: error.status, code: error.code, message: error.message };
  };

  test('by the gateway: read, listed and deleted by the official SDK, and continued until then', async () => {
    const made = await sdk().responses.create({
      model: 'claude-opus-4-5',
      instructions: 'Be brief.',
      input: [
        { role: 'user', content: 'First.' },
        { role: 'user', content: 'Second.' },
      ],
    });
    expect(await sdk().responses.retrieve(made.id)).toEqual(made);
    const listed = await sdk().responses.inputItems.list(made.id, { order: 'asc' });
    expect(listed.data).toMatchObject([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'First.' }] },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Second.' }] },
    ]);
    const texts: string[] = [];
    for await (const item of sdk().responses.inputItems.list(made.id, { limit: 1 }))
      texts.push(JSON.stringify(item));
    expect(texts.map((text) => /First|Second/.exec(text)?.[0])).toEqual(['Second', 'First']);
    expect(await said(sdk().responses.cancel(made.id))).toMatchObject({
      status: 400,
      code: 'response_finished',
    });
    const next = await sdk().responses.create({
      model: 'claude-opus-4-5',
      input: 'Third.',
      previous_response_id: made.id,
    });
    const all = await sdk().responses.inputItems.list(next.id, { order: 'asc' });
    expect(JSON.stringify(all.data)).toMatch(/First.*Second.*I am a mock model.*Third/);
    // None of these calls reached an upstream.
    expect(paths()).toEqual(['/v1/messages', '/v1/messages']);
    await sdk().responses.delete(made.id);
    expect(await said(sdk().responses.retrieve(made.id))).toMatchObject({
      status: 404,
      code: 'response_not_found',
    });
  });

  test('a streamed one equals its last event', async () => {
    const stream = await sdk().responses.create({ model: 'claude-opus-4-5', input: 'Hi', stream: true });
    let completed: Json = {};
    for await (const event of stream)
      if (event.type === 'response.completed') completed = event.response as unknown as Json;
    expect(await sdk().responses.retrieve(String(completed['id']))).toMatchObject({
      output: completed['output'],
      usage: completed['usage'],
      status: 'completed',
    });
  });

  test.each([false, true])(
    'by the upstream: read from the channel that made it (streamed: %p)',
    async (stream) => {
      const asked = { model: 'gpt-5', input: 'Hello there' };
      let id = '';
      if (stream) {
        for await (const event of await sdk().responses.create({ ...asked, stream }))
          if (event.type === 'response.completed') id = event.response.id;
      } else id = (await sdk().responses.create(asked)).id;
      expect(await sdk().responses.retrieve(id)).toMatchObject({
        id,
        object: 'response',
        status: 'completed',
      });
      expect((await sdk().responses.inputItems.list(id)).data).toMatchObject([{ content: 'Hello there' }]);
      expect(await said(sdk().responses.cancel(id))).toMatchObject({
        status: 400,
        code: 'upstream_refused',
        message: expect.stringContaining('Cannot cancel a synchronous response') as string,
      });
      await sdk().responses.delete(id);
      expect(await said(sdk().responses.retrieve(id))).toMatchObject({
        status: 404,
        code: 'response_not_found',
      });
      expect(paths()).toEqual([
        '/v1/responses',
        `/v1/responses/${id}`,
        `/v1/responses/${id}/input_items`,
        `/v1/responses/${id}/cancel`,
        `/v1/responses/${id}`,
      ]);
      expect(await relay.holds()).toBe(0);
    },
  );

  test('are not found by another user, by a token without the model, or when they were not to be stored', async () => {
    for (const model of ['claude-opus-4-5', 'gpt-5']) {
      const { id } = await sdk().responses.create({ model, input: 'mine' });
      const other = relay.sdk(await relay.token());
      const acts: (() => PromiseLike<unknown>)[] = [
        () => other.responses.retrieve(id),
        () => other.responses.delete(id),
        () => other.responses.cancel(id),
        () => other.responses.inputItems.list(id),
      ];
      for (const act of acts)
        expect(await said(act())).toMatchObject({ status: 404, code: 'response_not_found' });
      const limited = await relay.token({
        user_id: token.userId,
        model_limits_enabled: 1,
        model_limits: 'gpt-4o',
      });
      expect(await said(relay.sdk(limited).responses.retrieve(id))).toMatchObject({
        status: 403,
        code: 'model_not_allowed',
      });
      const unstored = await sdk().responses.create({ model, input: 'gone', store: false });
      const { status, code, message } = await said(sdk().responses.retrieve(unstored.id));
      expect([status, code]).toEqual([404, 'response_not_found']);
      expect(message).toContain('store: false');
    }
    expect(await said(sdk().responses.retrieve('resp_unknown'))).toMatchObject({
      status: 404,
      code: 'response_not_found',
    });
    for (const id of ['..%2Fmodels', 'a%20b', '%2e%2e'])
      expect((await fetch(`${relay.url}/v1/responses/${id}/cancel`, bearer('POST'))).status).toBe(404);
  });

  const bearer = (method: string) => ({ method, headers: { Authorization: `Bearer ${token.key}` } });

  test('count in the limits of the token, and are free', async () => {
    const limited = await relay.token({ requests_per_minute: 3 });
    const client = relay.sdk(limited);
    const { id } = await client.responses.create({ model: 'claude-opus-4-5', input: 'hi' });
    const before = (await relay.userRow(limited.userId)).quota;
    await client.responses.retrieve(id);
    await client.responses.retrieve(id);
    expect(await said(client.responses.retrieve(id))).toMatchObject({ status: 429, code: 'rate_limited' });
    expect((await relay.userRow(limited.userId)).quota).toBe(before);
  });

  test('a response in the background, or of a disabled channel, is refused with the reason', async () => {
    expect(
      await said(sdk().responses.create({ model: 'gpt-5', input: 'later', background: true })),
    ).toMatchObject({ status: 400, code: 'background_unsupported' });
    const { id } = await sdk().responses.create({ model: 'gpt-5', input: 'hi' });
    const status = async (value: number) => {
      await relay.store.db.updateTable('channels').set({ status: value }).where('id', '=', native).execute();
      await relay.relay.reload();
    };
    await status(2);
    expect(await said(sdk().responses.retrieve(id))).toMatchObject({ status: 503, code: 'response_away' });
    await status(1);
    expect(await sdk().responses.retrieve(id)).toMatchObject({ id });
    const streamed = await fetch(`${relay.url}/v1/responses/${id}?stream=true`, bearer('GET'));
    expect([streamed.status, await streamed.text()]).toEqual([400, expect.stringContaining('stream')]);
    expect((await fetch(`${relay.url}/v1/responses/${id}`, bearer('PUT'))).status).toBe(405);
    expect((await fetch(`${relay.url}/v1/responses/${id}`)).status).toBe(401);
  });
});
