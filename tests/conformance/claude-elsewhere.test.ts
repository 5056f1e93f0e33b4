// Claude at other suppliers: Amazon's framing and signatures, Google's URLs and tokens, and Anthropic's betas at both,
// against upstreams that check them.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { startRelay, type RelayHarness, type TestToken } from '#tests/integration/relay/calls/harness.ts';
import { behaviourMessage } from '#mock/upstream/index.ts';
import { DEFAULT_PIECES } from '#mock/upstream/openai/compose.ts';
import { providerFixtures } from './provider-fixtures.ts';

setDefaultTimeout(20_000);

const spoken = DEFAULT_PIECES.join('');
const messages = [{ role: 'user', content: 'Say hello.' }];

let relay: RelayHarness;
let token: TestToken;

beforeAll(async () => {
  const names = ['claude-at-amazon', 'claude-at-google'] as const;
  relay = await startRelay({
    settings: { ModelRatio: JSON.stringify(Object.fromEntries(names.map((name) => [name, 1]))) },
  });
  token = await relay.token();
  for (const [type, name, model] of [
    [33, names[0], 'claude-sonnet-4-5'],
    [41, names[1], 'claude-sonnet-4-5-20250929'],
  ] as const) {
    const fixture = providerFixtures[type];
    await relay.channel({
      type,
      name,
      models: [name],
      key: fixture?.key?.(relay.mock) ?? '',
      fields: { model_mapping: JSON.stringify({ [name]: model }), other: fixture?.other ?? '' },
    });
  }
});
afterAll(() => relay[Symbol.asyncDispose]());

function served() {
  const request = relay.mock.requests.at(-1);
  if (request === undefined) throw new Error('nothing was served');
  return request;
}

describe('Claude at Amazon', () => {
  test('a caller of Anthropic’s own format gets Anthropic’s events out of Amazon’s framing', async () => {
    const ask = (stream: boolean) =>
      relay.post('/v1/messages', token.key, {
        model: 'claude-at-amazon',
        max_tokens: 50,
        messages: messages,
        stream,
      });
    const whole = (await (await ask(false)).json()) as {
      content: { text: string }[];
      usage: { output_tokens: number };
    };
    expect([whole.content[0]?.text, whole.usage.output_tokens]).toEqual([
      spoken,
      served().usage.outputTokens,
    ]);
    const name = encodeURIComponent('eu.anthropic.claude-sonnet-4-5-20250929-v1:0');
    expect(served().path).toBe(`/model/${name}/invoke`);
    const text = await (await ask(true)).text();
    expect(served().path).toBe(`/model/${name}/invoke-with-response-stream`);
    const events = text.split('\n\n').filter((event) => event.includes('data: {'));
    const deltas = events
      .map(
        (event) =>
          JSON.parse(event.slice(event.indexOf('data: ') + 6)) as { type: string; delta?: { text?: string } },
      )
      .map(({ delta }) => delta?.text ?? '');
    expect(deltas.join('')).toBe(spoken);
    expect(text).toContain('event: message_stop');
  });

  test('a picture by its content is carried; one at an address inside the network is not read, and nothing is charged', async () => {
    const ask = (source: Record<string, string>) =>
      relay.post('/v1/messages', token.key, {
        model: 'claude-at-amazon',
        max_tokens: 50,
        messages: [{ role: 'user', content: [{ type: 'image', source }] }],
      });
    const inline = { type: 'base64', media_type: 'image/png', data: 'AAAA' };
    expect((await ask(inline)).status).toBe(200);
    expect(served().body).toMatchObject({ messages: [{ content: [{ source: inline }] }] });
    const before = relay.mock.requests.length;
    const response = await ask({ type: 'url', url: `${relay.mock.url}/1.png` });
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining('an address could not be read'),
    ]);
    expect([relay.mock.requests.length, await relay.holds()]).toEqual([before, 0]);
  });

  test('an exception inside the stream ends the answer as an error', async () => {
    const response = await relay.post('/v1/messages', token.key, {
      model: 'claude-at-amazon',
      max_tokens: 50,
      stream: true,
      messages: [{ role: 'user', content: behaviourMessage('error-mid') }],
    });
    const text = await response.text();
    expect(text).toContain('event: error');
    expect(text).not.toContain('message_stop');
    expect((await relay.lastLog(token.userId)).completion_tokens).toBeGreaterThan(0);
  });
});

describe('betas of Anthropic’s API', () => {
  const headers = (betas: string) => ({ 'anthropic-beta': betas, 'anthropic-version': '2023-06-01' });
  const claudeCode = 'claude-code-20250219, interleaved-thinking-2025-05-14,context-1m-2025-08-07';
  const notesOf = async () => {
    const row = await relay.lastLog(token.userId);
    const { conversion } = JSON.parse(row.other) as { conversion?: { notes: Record<string, string>[] } };
    return (conversion?.notes ?? []).map(({ field, what }) => [field, what]);
  };
  const ask = (model: string, betas: string, more: Record<string, unknown> = {}) =>
    relay.post(
      '/v1/messages',
      token.key,
      { model, max_tokens: 50, messages: messages, ...more },
      headers(betas),
    );

  test('stand in the body at Amazon, the known ones only, under a signature that fits', async () => {
    for (const stream of [false, true]) {
      const response = await ask('claude-at-amazon', `${claudeCode},advanced-tool-use-2025-11-20`, {
        stream,
      });
      expect([response.status, (await response.text()).includes(stream ? 'message_stop' : spoken)]).toEqual([
        200,
        true,
      ]);
      expect(served().body).toMatchObject({
        anthropic_version: 'bedrock-2023-05-31',
        anthropic_beta: [
          'interleaved-thinking-2025-05-14',
          'context-1m-2025-08-07',
          'tool-search-tool-2025-10-19',
        ],
      });
      expect(served().headers).not.toHaveProperty('anthropic-beta');
      expect(served().headers).not.toHaveProperty('anthropic-version');
      expect(await notesOf()).toEqual([['anthropic-beta.advanced-tool-use-2025-11-20', 'renamed']]);
    }
  });

  test('which the upstream does not have are left out and noted; a strict caller is refused', async () => {
    expect((await ask('claude-at-amazon', 'files-api-2025-04-14')).status).toBe(200);
    expect(served().body).not.toHaveProperty('anthropic_beta');
    expect(await notesOf()).toEqual([['anthropic-beta.files-api-2025-04-14', 'dropped']]);
    const before = relay.mock.requests.length;
    const strict = await relay.post(
      '/v1/messages',
      token.key,
      { model: 'claude-at-amazon', max_tokens: 50, messages: messages },
      { ...headers('files-api-2025-04-14'), 'x-tollgate-strict': 'true' },
    );
    expect([strict.status, await strict.text()]).toEqual([400, expect.stringContaining('files-api')]);
    expect(relay.mock.requests.length).toBe(before);
    // A beta that identifies the client is not a feature.
    expect((await ask('claude-at-amazon', 'claude-code-20250219')).status).toBe(200);
    expect(await notesOf()).toEqual([]);
  });

  test('that stand in the body by the caller’s own hand stay', async () => {
    const mine = { anthropic_beta: ['tool-search-tool-2025-10-19'] };
    expect((await ask('claude-at-amazon', 'interleaved-thinking-2025-05-14', mine)).status).toBe(200);
    expect(served().body).toMatchObject({
      anthropic_beta: ['tool-search-tool-2025-10-19', 'interleaved-thinking-2025-05-14'],
    });
  });

  test('stand in the body at Google, and in the header where it is read', async () => {
    for (const stream of [false, true]) {
      expect((await ask('claude-at-google', claudeCode, { stream })).status).toBe(200);
      expect(served().body).toMatchObject({
        anthropic_version: 'vertex-2023-10-16',
        anthropic_beta: ['interleaved-thinking-2025-05-14', 'context-1m-2025-08-07'],
      });
      expect(served().headers['anthropic-beta']).toBe('interleaved-thinking-2025-05-14');
    }
    const counted = await relay.post(
      '/v1/messages/count_tokens',
      token.key,
      { model: 'claude-at-google', messages: messages },
      headers(claudeCode),
    );
    expect([counted.status, served().status, served().path.endsWith('count-tokens:rawPredict')]).toEqual([
      200,
      200,
      true,
    ]);
  });
});

test('Vertex AI counts the tokens of a request to Claude, with its token and its own shape', async () => {
  const counted = await relay.post('/v1/messages/count_tokens', token.key, {
    model: 'claude-at-google',
    messages: messages,
  });
  expect([counted.status, served().path]).toEqual([
    200,
    '/v1/projects/mock-project/locations/europe-west1/publishers/anthropic/models/count-tokens:rawPredict',
  ]);
  expect(await counted.json()).toEqual({ input_tokens: expect.any(Number) as number });
  expect(served().status).toBe(200);
});
