// Gemini CLI on a model behind Chat, by its wire: its tools, its thinking config, many calls at once. The upstream sends each
// event only after the caller has read the one before, so that anything held back between them ends in a stall. So does an
// answer whose last event is not recognised while the upstream keeps the connection open.
// A run of the program that gave no answer within 100 seconds on a loaded machine was not seen again: Gemini CLI 0.61.0 answered
// ten trials of `npm run test:clients` on 2026-11-17 and twenty on 2026-11-18 (load 9 to 19 on two cores, no network) in 2 to 14 seconds,
// most of it its own start, and 18 runs more with its other addresses refused, silent or swallowed by the network.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { startRelay, type RelayHarness, type TestToken } from '#tests/integration/relay/calls/harness.ts';
import { addChannel } from '#tests/support/channels.ts';
import { event, startScriptedUpstream, type ScriptedUpstream } from './scripted-upstream.ts';

setDefaultTimeout(60_000);

let relay: RelayHarness;
let upstream: ScriptedUpstream;
let token: TestToken;

beforeAll(async () => {
  upstream = startScriptedUpstream();
  const prices = JSON.stringify({ 'gpt-4o': 1, 'm-responses': 1, 'm-claude': 1, 'm-codex': 1 });
  relay = await startRelay({ settings: { ModelRatio: prices, RetryTimes: '0' } });
  token = await relay.token();
  await addChannel(relay.store, {
    type: CHANNEL_TYPE.openAi,
    base_url: upstream.url,
    models: ['gpt-4o'],
    key: 'sk-key',
  });
  const setting = JSON.stringify({ formats: ['openai-responses'] });
  await addChannel(relay.store, { base_url: upstream.url, models: ['m-responses'], fields: { setting } });
  const claude = { type: CHANNEL_TYPE.anthropic, base_url: upstream.url, models: ['m-claude'] };
  await addChannel(relay.store, claude);
  const login = JSON.stringify({ tokens: { access_token: 'a', account_id: 'b' } });
  const codex = { type: CHANNEL_TYPE.codex, base_url: upstream.url, models: ['m-codex'], key: login };
  await addChannel(relay.store, codex);
  await relay.relay.reload();
});
afterAll(async () => {
  await relay[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

const request = (name: string) => ({
  systemInstruction: { role: 'user', parts: [{ text: 'You are an interactive CLI agent.' }] },
  contents: [{ role: 'user', parts: [{ text: name }] }],
  generationConfig: {
    temperature: 1,
    topP: 0.95,
    topK: 64,
    thinkingConfig: { includeThoughts: true, thinkingBudget: 8192 },
  },
  tools: [
    {
      functionDeclarations: ['list_directory', 'read_file', 'run_shell_command'].map((tool) => ({
        name: tool,
        description: 'A tool of the CLI',
        parametersJsonSchema: {
          type: 'object',
          properties: { path: { type: 'string' } },
          required: ['path'],
        },
      })),
    },
  ],
});

const chunk = (delta: object, finish: string | null = null) =>
  event({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] });

test('every event reaches the caller before the next one is sent, in forty calls at once (W43)', async () => {
  const steps = new Map<string, { wait: () => Promise<void>; release: () => void }>();
  const gate = (name: string) => {
    let { promise, resolve } = Promise.withResolvers<void>();
    steps.set(name, {
      wait: async () => {
        await promise;
        ({ promise, resolve } = Promise.withResolvers<void>());
      },
      release: () => resolve(),
    });
  };
  upstream.answer = ({ body }) => {
    const name = JSON.stringify(body).match(/call-\d+/)?.[0] ?? '';
    const step = steps.get(name);
    async function* stream() {
      yield chunk({ role: 'assistant', content: '' });
      for (let index = 0; index < 5; index += 1) {
        yield chunk({ content: `<${index}>` });
        await step?.wait();
      }
      const call = {
        index: 0,
        id: 'call_1',
        type: 'function',
        function: { name: 'read_file', arguments: '' },
      };
      yield chunk({ tool_calls: [call] });
      yield chunk({ tool_calls: [{ index: 0, function: { arguments: '{"path":"a"}' } }] });
      yield chunk({}, 'tool_calls');
      yield 'data: [DONE]\n\n';
    }
    return new Response(stream(), {
      headers: { 'Content-Type': 'text/event-stream' },
    });
  };
  const run = async (name: string) => {
    gate(name);
    const answer = await relay.post(
      '/v1beta/models/gpt-4o:streamGenerateContent?alt=sse',
      token.key,
      request(name),
      { 'x-goog-api-key': token.key },
    );
    expect(answer.status).toBe(200);
    let text = '';
    let read = 0;
    for await (const bytes of answer.body ?? []) {
      text += new TextDecoder().decode(bytes);
      while (text.includes(`<${read}>`)) {
        read += 1;
        steps.get(name)?.release();
      }
    }
    return [read, /"functionCall":\{[^{}]*"name":"read_file"/.test(text)];
  };
  const results = await Promise.all(Array.from({ length: 40 }, (_, index) => run(`call-${index}`)));
  expect(results).toEqual(results.map(() => [5, true]));
});

/** Sends the events without names and keeps the connection open. */
const keptOpen = (...events: object[]): Response => {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) =>
      controller.enqueue(
        new TextEncoder().encode(events.map((each) => `data: ${JSON.stringify(each)}\n\n`).join('')),
      ),
  });
  return new Response(body, { headers: { 'Content-Type': 'text/event-stream' } });
};

test('an answer ends with its last event, though its name stands only inside and the connection stays open (W43)', async () => {
  const ask = async (model: string) => {
    const path = `/v1beta/models/${model}:streamGenerateContent?alt=sse`;
    const headers = { 'x-goog-api-key': token.key };
    const answer = await relay.post(path, token.key, request(model), headers);
    const text = await Promise.race([answer.text(), Bun.sleep(5000).then(() => 'no end in five seconds')]);
    return [text.includes('"text":"Hello"'), /"finishReason":"STOP"/.test(text), text.slice(-300)];
  };
  const ended = [true, true, expect.any(String)];
  const item = { type: 'message', id: 'm', content: [{ type: 'output_text', text: 'Hello' }] };
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
  upstream.answer = () =>
    keptOpen(
      { type: 'response.created', response: { id: 'r', status: 'in_progress' } },
      { type: 'response.output_text.delta', output_index: 0, delta: 'Hello' },
      { response: { id: 'r', status: 'completed', output: [item], usage }, type: 'response.completed' },
    );
  expect(await ask('m-responses')).toEqual(ended);
  upstream.answer = () =>
    keptOpen(
      { type: 'message_start', message: { id: 'm', content: [], usage: { input_tokens: 1 } } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
      { type: 'message_stop', trace: 'of a proxy' },
    );
  expect(await ask('m-claude')).toEqual(ended);
});

test('a text that says the name of the last event does not end the answer (W43)', async () => {
  const quoted = '{"type":"response.completed"}';
  upstream.answer = () =>
    keptOpen(
      { type: 'response.output_text.delta', output_index: 0, delta: quoted, hint: 'response.completed' },
      { type: 'response.output_text.delta', output_index: 0, delta: ' Hello' },
      { type: 'response.completed', response: { id: 'r', status: 'completed', output: [] } },
    );
  const path = '/v1beta/models/m-responses:streamGenerateContent?alt=sse';
  const answer = await relay.post(path, token.key, request('x'), { 'x-goog-api-key': token.key });
  const text = await answer.text();
  expect([text.includes(JSON.stringify(quoted)), text.includes('" Hello"')]).toEqual([true, true]);
});

test('a stream that is collected for a caller who wants one answer ends with its last event too (W43)', async () => {
  const delta = { type: 'response.output_text.delta', output_index: 0, delta: 'Hello' };
  const response = { id: 'r', status: 'completed', output: [], usage: { input_tokens: 1, output_tokens: 1 } };
  upstream.answer = () => keptOpen(delta, { type: 'response.completed', response });
  const body = { model: 'm-codex', messages: [{ role: 'user', content: 'Hi' }] };
  const answer = await Promise.race([
    relay.post('/v1/chat/completions', token.key, body).then((reply) => reply.text()),
    Bun.sleep(5000).then(() => 'no answer in five seconds'),
  ]);
  expect(answer).toContain('"content":"Hello"');
});
