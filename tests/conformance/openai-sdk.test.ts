// The official SDK calls the mock directly and through the relay; both answers must be equal.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import OpenAI, { NotFoundError, toFile } from 'openai';
import { OpenAIRealtimeWebSocket } from 'openai/realtime/websocket';
import { ResponsesWS } from 'openai/resources/responses/ws';
import type { RealtimeServerEvent } from 'openai/resources/realtime/realtime';
import { startRelay, type RelayHarness, type TestToken } from '#tests/integration/relay/calls/harness.ts';
import { behaviourMessage } from '#mock/upstream/index.ts';

let relay: RelayHarness;
let token: TestToken;
let direct: OpenAI;
let through: OpenAI;

beforeAll(async () => {
  relay = await startRelay();
  await relay.channel();
  token = await relay.token();
  direct = new OpenAI({ baseURL: `${relay.mock.url}/v1`, apiKey: 'sk-upstream', maxRetries: 0 });
  through = relay.sdk(token);
});
afterAll(() => relay[Symbol.asyncDispose]());

/** Ids, times and signatures differ between two calls; everything else must not. */
function comparable(value: unknown): unknown {
  const volatile = new Set([
    'id',
    'created',
    'created_at',
    'completed_at',
    'item_id',
    'call_id',
    'tool_call_id',
    'event_id',
    'response_id',
    'expires_at',
    '_request_id',
    'obfuscation',
    'session_id',
  ]);
  const text = JSON.stringify(value, (key, inner: unknown) => (volatile.has(key) ? undefined : inner));
  return text === undefined ? undefined : JSON.parse(text);
}

async function same<T>(call: (client: OpenAI) => Promise<T>): Promise<T> {
  const [expected, actual] = [await call(direct), await call(through)];
  expect(comparable(actual)).toEqual(comparable(expected));
  return actual;
}

async function collect<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

const messages = [{ role: 'user' as const, content: 'Say hello.' }];
const weather = {
  type: 'function' as const,
  function: {
    name: 'weather',
    parameters: { type: 'object', properties: { city: { type: 'string' }, days: { type: 'integer' } } },
  },
};
const time = {
  type: 'function' as const,
  function: { name: 'time', parameters: { type: 'object', properties: { zone: { type: 'string' } } } },
};

describe('the official SDK gets the same through the relay', () => {
  test('chat', async () => {
    const answer = await same((client) => client.chat.completions.create({ model: 'gpt-4o', messages }));
    expect(answer.choices[0]?.message.content).toContain('Hello');
  });

  test('chat as a stream, usage not requested: no chunk has usage', async () => {
    const chunks = await same(async (client) =>
      collect(await client.chat.completions.create({ model: 'gpt-4o', messages, stream: true })),
    );
    expect(chunks.length).toBeGreaterThan(3);
    for (const chunk of chunks) expect(chunk).not.toHaveProperty('usage');
  });

  test('chat as a stream with usage: the last chunk has it', async () => {
    const chunks = await same(async (client) =>
      collect(
        await client.chat.completions.create({
          model: 'gpt-4o',
          messages,
          stream: true,
          stream_options: { include_usage: true },
        }),
      ),
    );
    expect(chunks.at(-1)?.choices).toEqual([]);
    expect(chunks.at(-1)?.usage?.total_tokens).toBeGreaterThan(0);
  });

  test('tools, one after another and in parallel, whole and streamed', async () => {
    const answer = await same((client) =>
      client.chat.completions.create({ model: 'gpt-4o', messages, tools: [weather, time] }),
    );
    expect(answer.choices[0]?.message.tool_calls).toHaveLength(2);
    const chunks = await same(async (client) =>
      collect(
        await client.chat.completions.create({
          model: 'gpt-4o',
          messages,
          tools: [weather, time],
          stream: true,
        }),
      ),
    );
    const indexes = chunks.flatMap(
      (chunk) => chunk.choices[0]?.delta.tool_calls?.map((call) => call.index) ?? [],
    );
    expect(new Set(indexes)).toEqual(new Set([0, 1]));
  });

  test('structured output parsed by the SDK', async () => {
    const schema = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] };
    await same((client) =>
      client.chat.completions.parse({
        model: 'gpt-4o',
        messages,
        response_format: { type: 'json_schema', json_schema: { name: 'x', schema, strict: true } },
      }),
    );
  });

  test('the streaming helper of the SDK', async () => {
    await same(async (client) =>
      client.chat.completions.stream({ model: 'gpt-4o', messages }).finalChatCompletion(),
    );
  });

  test('text that is not ASCII, whole and streamed', async () => {
    const content = behaviourMessage({ text: '你好，世界 🌍 — “quoted” \\ back' });
    const odd = [{ role: 'user' as const, content }];
    const answer = await same((client) => client.chat.completions.create({ model: 'gpt-4o', messages: odd }));
    expect(answer.choices[0]?.message.content).toContain('🌍');
    await same(async (client) =>
      collect(await client.chat.completions.create({ model: 'gpt-4o', messages: odd, stream: true })),
    );
  });

  test('completions', async () => {
    await same((client) => client.completions.create({ model: 'gpt-4o', prompt: 'Once' }));
    await same(async (client) =>
      collect(await client.completions.create({ model: 'gpt-4o', prompt: 'Once', stream: true })),
    );
  });

  test('embeddings, as numbers and as base64', async () => {
    const answer = await same((client) =>
      client.embeddings.create({ model: 'text-embedding-3-small', input: ['one', 'two'] }),
    );
    expect(answer.data).toHaveLength(2);
    await same((client) =>
      client.embeddings.create({ model: 'text-embedding-3-small', input: 'one', encoding_format: 'float' }),
    );
  });

  test('moderations, and the default model when none is named', async () => {
    await same((client) =>
      client.moderations.create({ model: 'text-moderation-stable', input: 'something' }),
    );
    const answer = await through.moderations.create({ input: 'something' });
    expect(answer.model).toBe('text-moderation-stable');
  });

  test('images: generations, edits and variations', async () => {
    await same((client) =>
      client.images.generate({ model: 'dall-e-3', prompt: 'a cat', response_format: 'b64_json' }),
    );
    const image = () => toFile(new Uint8Array([137, 80, 78, 71, 1, 2, 3]), 'cat.png', { type: 'image/png' });
    await same(async (client) =>
      client.images.edit({ model: 'gpt-image-1', image: await image(), prompt: 'a hat' }),
    );
    await same(async (client) =>
      client.images.createVariation({ image: await image(), response_format: 'b64_json' }),
    );
  });

  test('audio: speech, transcription and translation', async () => {
    const sound = await same(async (client) => {
      const response = await client.audio.speech.create({
        model: 'tts-1',
        voice: 'alloy',
        input: 'Hello there',
      });
      return [...new Uint8Array(await response.arrayBuffer())];
    });
    expect(sound.length).toBeGreaterThan(0);
    const file = () => toFile(new Uint8Array(32_000), 'speech.wav', { type: 'audio/wav' });
    await same(async (client) =>
      client.audio.transcriptions.create({ model: 'whisper-1', file: await file() }),
    );
    await same(async (client) =>
      client.audio.translations.create({ model: 'whisper-1', file: await file() }),
    );
    await same(async (client) =>
      collect(
        await client.audio.transcriptions.create({
          model: 'gpt-4o-transcribe',
          file: await file(),
          stream: true,
        }),
      ),
    );
  });

  test('responses, whole and as a stream of typed events', async () => {
    const answer = await same((client) => client.responses.create({ model: 'gpt-4o', input: 'Say hello.' }));
    expect(answer.output_text).toContain('Hello');
    const events = await same(async (client) =>
      collect(await client.responses.create({ model: 'gpt-4o', input: 'Say hello.', stream: true })),
    );
    expect(events.at(-1)?.type).toBe('response.completed');
  });

  test('rerank', async () => {
    const body = { model: 'rerank-1', query: 'cat', documents: ['dog', 'cat'] };
    await same((client) => client.post('/rerank', { body }));
  });

  test('realtime over WebSocket', async () => {
    const talk = async (client: OpenAI): Promise<string[]> => {
      const socket = new OpenAIRealtimeWebSocket(
        {
          model: 'gpt-realtime',
          dangerouslyAllowBrowser: true,
          // The SDK supports only TLS; the test server has none.
          onURL: (url) => {
            url.protocol = 'ws:';
          },
        },
        client,
      );
      const events: RealtimeServerEvent[] = [];
      const done = Promise.withResolvers<void>();
      socket.on('event', (event) => {
        events.push(event);
        if (event.type === 'session.created') {
          socket.send({
            type: 'conversation.item.create',
            item: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
          });
          socket.send({ type: 'response.create' });
        }
        if (event.type === 'response.done') done.resolve();
      });
      socket.on('error', (error) => done.reject(error));
      await done.promise;
      socket.close();
      const types: string[] = events.map((event) => event.type);
      return types.slice(0, types.indexOf('response.done') + 1);
    };
    const types = await same(talk);
    expect(types).toContain('response.done');
  });

  test('Responses over WebSocket ends with one error that names the status, and the refusal says to post (W30)', async () => {
    const socket = new ResponsesWS(through);
    const errors: string[] = [];
    const closed = Promise.withResolvers<void>();
    socket.on('error', (error) => void errors.push(String(error)));
    socket.on('close', () => closed.resolve());
    socket.send({ type: 'response.create', model: 'gpt-4o', input: 'Say hello.' });
    await closed.promise;
    expect(errors).toEqual([expect.stringContaining('426')]);
    const refusal = await fetch(`${relay.url}/v1/responses`, {
      headers: { Upgrade: 'websocket', Connection: 'Upgrade', Authorization: `Bearer ${token.key}` },
    });
    expect([refusal.status, await refusal.json()]).toEqual([
      426,
      {
        error: {
          message: expect.stringContaining('Send a POST with "stream": true'),
          type: 'tollgate_error',
          param: null,
          code: 'websocket_not_served',
        },
      },
    ]);
  });

  test('models: every model of the key, one by one, and a 404 in the same dialect', async () => {
    const list = await collect(through.models.list());
    expect(list.map((model) => model.id)).toContain('gpt-4o');
    const one = await through.models.retrieve('gpt-4o');
    expect(one).toMatchObject({ id: 'gpt-4o', object: 'model', type: 'model', display_name: 'gpt-4o' });
    const missing = await through.models.retrieve('no-such-model').catch((error: unknown) => error);
    expect(missing).toBeInstanceOf(NotFoundError);
  });
});
