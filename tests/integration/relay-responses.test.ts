// The Responses API beyond one call: compaction by upstreams with and without it, and what is kept of a response.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { startRelay, type RelayHarness, type TestToken } from './relay-harness.ts';

type Json = Record<string, unknown>;

let relay: RelayHarness;
let token: TestToken;
let native: number;

beforeAll(async () => {
  relay = await startRelay({ settings: { RetryTimes: '1' } });
  native = await relay.channel({ type: 1, models: ['gpt-5'] });
  await relay.channel({ type: 14, models: ['claude-opus-4-5'] });
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

  test('by an upstream that has it: its own answer, as it came', async () => {
    const { status, json } = await call(compact, { model: 'gpt-5', input });
    expect([status, json['object']]).toEqual([200, 'response.compaction']);
    expect((json['output'] as Json[]).at(-1)).toMatchObject({ type: 'compaction' });
    expect(paths()).toEqual([compact]);
    expect(await conversionOf()).toBeUndefined();
  });

  test.each([404, 405])(
    'by an upstream that answers %p: a summary by the model, charged once and said',
    async (status) => {
      relay.mock.behave({ when: { path: compact }, behaviour: { status } });
      const { json, headers, ...answer } = await call(
        compact,
        { model: 'gpt-5', input },
        { 'x-tollgate-report': '1' },
      );
      expect([answer.status, json['object']]).toEqual([200, 'response.compaction']);
      expect(json['output']).toMatchObject([
        { role: 'user', content: 'Build me a bridge.' },
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
      // Both requests stand in the path the call took, and the channel is free again.
      const { attempts } = (JSON.parse(row.other) as { admin_info: { attempts: Json[] } }).admin_info;
      expect(attempts.map((attempt) => [attempt['channel'], attempt['status']])).toEqual([
        [native, status],
        [native, 200],
      ]);
      expect(await relay.holds()).toBe(0);
    },
  );

  test('that would be a summary is refused to a strict caller, and nothing is charged', async () => {
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

  test('of a model the upstream does not know is refused with the upstream’s word', async () => {
    relay.mock.behave({ behaviour: { status: 404 } });
    const { status } = await call(compact, { model: 'gpt-5', input });
    expect(status).toBe(404);
    expect(paths()).toEqual([compact, '/v1/responses']);
    expect(await relay.holds()).toBe(0);
  });
});
