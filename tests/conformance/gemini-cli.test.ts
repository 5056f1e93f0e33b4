// Gemini CLI on a model behind Chat, by its wire: its tools, its thinking config, many calls at once. The upstream sends each
// event only after the caller has read the one before, so that anything held back between them ends in a stall.
// A run of the program that gave no answer within 100 seconds on a loaded machine was not seen again: Gemini CLI 0.61.0 answered
// all ten trials of `npm run test:clients` on 2026-11-17 (load 9 on two cores, no network) in 7 to 12 seconds, most of it its own
// start; it asked for play.googleapis.com twenty times meanwhile.
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
  relay = await startRelay({ settings: { ModelRatio: '{"gpt-4o":1}', RetryTimes: '0' } });
  token = await relay.token();
  await addChannel(relay.store, {
    type: CHANNEL_TYPE.openAi,
    base_url: upstream.url,
    models: ['gpt-4o'],
    key: 'sk-key',
  });
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
