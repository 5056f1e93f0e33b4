// The official SDK accepts the mock on every endpoint.
import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import OpenAI, { toFile } from 'openai';
import { OpenAIRealtimeWebSocket } from 'openai/realtime/websocket';
import { behaviourMessage, startMockUpstream } from './index.ts';

const mock = startMockUpstream();
const client = new OpenAI({ apiKey: 'sk-test', baseURL: `${mock.url}/v1`, maxRetries: 0 });
const sentence = 'Hello! I am a mock model, and this is a steady answer.';
const question = { model: 'gpt-4o', messages: [{ role: 'user' as const, content: 'Say hello' }] };

/** The error of a call that must fail. */
async function errorOf(promise: PromiseLike<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('the call succeeded');
}

beforeEach(() => mock.reset());
afterAll(() => mock.stop());

const weatherTools = ['get_weather', 'get_time'].map((name) => ({
  type: 'function' as const,
  function: {
    name,
    parameters: { type: 'object', properties: { city: { type: 'string' }, days: { type: 'integer' } } },
  },
}));

describe('chat completions', () => {
  test('an answer carries text, usage and the request id header, and the books agree', async () => {
    const { data, response } = await client.chat.completions.create(question).withResponse();
    expect(data.choices[0]?.message.content).toBe(sentence);
    expect(data.choices[0]?.finish_reason).toBe('stop');
    expect(response.headers.get('x-request-id')).toStartWith('req_');
    expect(response.headers.get('openai-version')).toBe('2020-10-01');
    const totals = mock.books.ofKey('sk-test');
    expect(totals.complete).toBe(1);
    expect(totals.inputTokens).toBe(data.usage?.prompt_tokens ?? -1);
    expect(totals.outputTokens).toBe(data.usage?.completion_tokens ?? -1);
    expect(mock.requests.at(-1)?.body).toEqual(question);
  });

  test('max_tokens cuts the answer with finish reason length', async () => {
    const answer = await client.chat.completions.create({ ...question, max_tokens: 3 });
    expect(answer.choices[0]?.message.content).toBe('Hello! I');
    expect(answer.choices[0]?.finish_reason).toBe('length');
    expect(answer.usage?.completion_tokens).toBe(3);
  });

  test('n choices, logprobs and a JSON schema are honoured', async () => {
    const answer = await client.chat.completions.create({
      ...question,
      n: 2,
      logprobs: true,
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'a', schema: { type: 'object', properties: { age: { type: 'integer' } } } },
      },
    });
    expect(answer.choices.map((choice) => choice.index)).toEqual([0, 1]);
    expect(JSON.parse(answer.choices[1]?.message.content ?? '')).toEqual({ age: 7 });
    expect(answer.choices[0]?.logprobs?.content?.[0]?.top_logprobs).toHaveLength(1);
  });

  test('a stream has no usage unless asked, and every chunk has a choice with finish_reason', async () => {
    const stream = await client.chat.completions.create({ ...question, stream: true });
    let text = '';
    for await (const chunk of stream) {
      expect(chunk.choices).toHaveLength(1);
      expect(chunk.choices[0]).toHaveProperty('finish_reason');
      expect(chunk).not.toHaveProperty('usage');
      text += chunk.choices[0]?.delta.content ?? '';
    }
    expect(text).toBe(sentence);
    expect(mock.requests[0]).toMatchObject({ ending: 'complete', usageReports: 0, outputTokensWritten: 15 });
  });

  test('with include_usage the last chunk has empty choices and usage, all others usage null', async () => {
    const stream = await client.chat.completions.create({
      ...question,
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = await Array.fromAsync(stream);
    expect(chunks.at(-1)?.choices).toEqual([]);
    expect(chunks.at(-1)?.usage?.completion_tokens).toBe(15);
    expect(chunks.slice(0, -1).every((chunk) => chunk.usage === null)).toBe(true);
  });

  test('parallel tool calls stream interleaved under their own index; the SDK puts them together', async () => {
    const stream = client.chat.completions.stream({ ...question, tools: weatherTools });
    const order: number[] = [];
    stream.on('chunk', (chunk) => {
      for (const call of chunk.choices[0]?.delta.tool_calls ?? []) order.push(call.index);
    });
    const { choices } = await stream.finalChatCompletion();
    const calls = choices[0]?.message.tool_calls ?? [];
    expect(calls.map((call) => call.type === 'function' && call.function.name)).toEqual([
      'get_weather',
      'get_time',
    ]);
    expect(calls.map((call) => call.type === 'function' && call.function.arguments)).toEqual([
      '{"city":"sample","days":7}',
      '{"city":"sample","days":7}',
    ]);
    expect(choices[0]?.finish_reason).toBe('tool_calls');
    expect(order.slice(0, 6)).toEqual([0, 1, 0, 1, 0, 1]);
  });

  test('after a tool result the model talks', async () => {
    const first = await client.chat.completions.create({ ...question, tools: weatherTools });
    const message = first.choices[0]?.message;
    if (!message) throw new Error('no message');
    const results = (message.tool_calls ?? []).map((call) => ({
      role: 'tool' as const,
      tool_call_id: call.id,
      content: 'sunny',
    }));
    const messages = [...question.messages, message, ...results];
    const second = await client.chat.completions.create({ model: 'gpt-4o', messages, tools: weatherTools });
    expect(second.choices[0]?.message.content).toBe(sentence);
  });

  test('a directive sets text, reasoning and usage', async () => {
    const directive = behaviourMessage({
      tag: 'classes',
      text: 'yes, sure',
      reasoning: 'let me think',
      usage: { inputTokens: 2000, cachedInputTokens: 1500 },
    });
    const messages = [{ role: 'user' as const, content: directive }];
    const answer = await client.chat.completions.create({ model: 'deepseek-chat', messages });
    expect(answer.choices[0]?.message.content).toBe('yes, sure');
    expect(answer.choices[0]?.message).toHaveProperty('reasoning_content', 'let me think');
    expect(answer.usage?.prompt_tokens_details?.cached_tokens).toBe(1500);
    expect(answer.usage?.completion_tokens_details?.reasoning_tokens).toBe(3);
    expect(mock.requests[0]).toMatchObject({ tag: 'classes', usage: { inputTokens: 2000, outputTokens: 5 } });
  });

  test('reasoning models count hidden reasoning tokens inside the completion and refuse max_tokens', async () => {
    const answer = await client.chat.completions.create({ ...question, model: 'o3' });
    expect(answer.usage?.completion_tokens).toBe(15 + 16);
    expect(answer.usage?.completion_tokens_details?.reasoning_tokens).toBe(16);
    expect(
      await errorOf(client.chat.completions.create({ ...question, model: 'o3', max_tokens: 5 })),
    ).toMatchObject({
      status: 400,
      code: 'unsupported_parameter',
    });
  });

  test('audio modality answers with audio and counts audio tokens', async () => {
    const answer = await client.chat.completions.create({
      ...question,
      modalities: ['text', 'audio'],
      audio: { voice: 'alloy', format: 'wav' },
    });
    expect(answer.choices[0]?.message.audio?.transcript).toBe(sentence);
    expect(answer.usage?.completion_tokens_details?.audio_tokens).toBe(15);
  });

  test('a field OpenAI does not know is refused, as is stream_options without stream', async () => {
    const unknown = { ...question, group: 'vip' } as typeof question;
    expect(await errorOf(client.chat.completions.create(unknown))).toMatchObject({
      message: '400 Unrecognized request argument supplied: group',
    });
    const options = { ...question, stream_options: { include_usage: true } };
    expect(await errorOf(client.chat.completions.create(options))).toMatchObject({
      status: 400,
      param: 'stream_options',
    });
  });
});

describe('responses', () => {
  test('an answer carries output text and usage', async () => {
    const answer = await client.responses.create({ model: 'gpt-4o', input: 'Say hello' });
    expect(answer.output_text).toBe(sentence);
    expect(answer.usage?.total_tokens).toBe(15 + mock.books.totals.inputTokens);
  });

  test('the stream follows the whole life of a message with rising sequence numbers', async () => {
    const stream = await client.responses.create({ model: 'gpt-4o', input: 'Say hello', stream: true });
    const events = await Array.fromAsync(stream);
    const types = events.map((event) => event.type);
    expect(types.filter((type) => type !== 'response.output_text.delta')).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
    const last = events.at(-1);
    expect(last?.type === 'response.completed' && last.response.usage?.output_tokens).toBe(15);
  });

  test('the SDK accumulates reasoning and two function calls from the stream', async () => {
    const tools = weatherTools.map(({ function: { name, parameters } }) => ({
      type: 'function' as const,
      name,
      parameters,
      strict: false,
    }));
    const final = await client.responses
      .stream({ model: 'gpt-5.4', input: behaviourMessage({ reasoning: 'think hard' }), tools })
      .finalResponse();
    expect(final.output.map((item) => item.type)).toEqual(['reasoning', 'function_call', 'function_call']);
    expect(final.usage?.output_tokens_details.reasoning_tokens).toBe(2);
  });

  test.each(['incomplete', 'failed'] as const)(
    'a stream may end %s and still reports usage',
    async (ending) => {
      const stream = await client.responses.create({ model: `gpt-4o@${ending}`, input: 'x', stream: true });
      const last: unknown = (await Array.fromAsync(stream)).at(-1);
      expect(last).toMatchObject({ type: `response.${ending}`, response: { usage: { output_tokens: 15 } } });
    },
  );
});

test('legacy completions answer and stream', async () => {
  const answer = await client.completions.create({
    model: 'gpt-3.5-turbo-instruct',
    prompt: 'Hi',
    max_tokens: 4,
  });
  expect(answer.choices[0]?.text).toBe('Hello! I am');
  const stream = await client.completions.create({
    model: 'gpt-3.5-turbo-instruct',
    prompt: 'Hi',
    stream: true,
    stream_options: { include_usage: true },
  });
  const chunks = await Array.fromAsync(stream);
  expect(chunks.at(-1)?.usage?.completion_tokens).toBe(15);
});

test('embeddings come as numbers, by way of base64 too', async () => {
  const input = ['one', 'two'];
  const answer = await client.embeddings.create({ model: 'text-embedding-3-small', input, dimensions: 4 });
  expect(answer.data.map((entry) => entry.embedding)).toEqual([
    [0.25, -0.5, 0.25, -0.5],
    [0.25, -0.5, 0.25, -0.5],
  ]);
  const floats = await client.embeddings.create({ model: 'x', input: 'one', encoding_format: 'float' });
  expect(floats.data[0]?.embedding).toHaveLength(8);
  expect(floats.usage.prompt_tokens).toBe(1);
});

test('moderations flag what the behaviour names', async () => {
  const answer = await client.moderations.create({ input: ['a kitten', 'graphic violence'] });
  expect(answer.results.map((result) => result.flagged)).toEqual([false, true]);
});

test('images: generation with usage, dall-e with a URL, edit, variation, stream', async () => {
  const generated = await client.images.generate({ model: 'gpt-image-1', prompt: 'a cat', n: 2 });
  expect(generated.data).toHaveLength(2);
  expect(generated.usage?.output_tokens).toBe(544);
  const drawn = await client.images.generate({ model: 'dall-e-3', prompt: 'a cat' });
  expect(drawn.data?.[0]?.url).toStartWith('https://');
  const image = await toFile(Buffer.from('png'), 'cat.png', { type: 'image/png' });
  const edited = await client.images.edit({ model: 'gpt-image-1', image, prompt: 'a dog' });
  expect(edited.usage?.input_tokens_details.image_tokens).toBe(194);
  const varied = await client.images.createVariation({ model: 'dall-e-2', image });
  expect(varied.data).toHaveLength(1);
  const stream = await client.images.generate({
    model: 'gpt-image-1',
    prompt: 'x',
    stream: true,
    partial_images: 2,
  });
  const events = await Array.fromAsync(stream);
  expect(events.map((event) => event.type)).toEqual([
    'image_generation.partial_image',
    'image_generation.partial_image',
    'image_generation.completed',
  ]);
});

test('audio: speech, transcriptions in every format, translations', async () => {
  const speech = await client.audio.speech.create({
    model: 'tts-1',
    voice: 'alloy',
    input: 'Hello',
    response_format: 'wav',
  });
  expect(speech.headers.get('content-type')).toBe('audio/wav');
  expect((await speech.arrayBuffer()).byteLength).toBe(4844);
  const file = await toFile(await Bun.file(import.meta.path).bytes(), 'clip.wav');
  const byTokens = await client.audio.transcriptions.create({ model: 'gpt-4o-transcribe', file });
  expect(byTokens.usage).toMatchObject({ type: 'tokens', input_tokens: 90 });
  const byTime = await client.audio.transcriptions.create({
    model: 'whisper-1',
    file,
    response_format: 'verbose_json',
  });
  expect(byTime.duration).toBe(9);
  const srt = await client.audio.transcriptions.create({ model: 'whisper-1', file, response_format: 'srt' });
  expect(srt).toContain('00:00:00,000 --> 00:00:09,000');
  const stream = await client.audio.transcriptions.create({ model: 'gpt-4o-transcribe', file, stream: true });
  const events = await Array.fromAsync(stream);
  expect(events.at(-1)).toMatchObject({ type: 'transcript.text.done', usage: { input_tokens: 90 } });
  const translated = await client.audio.translations.create({ model: 'whisper-1', file });
  expect(translated.text).toContain('quick brown fox');
});

test('models: list, one, and the 404 of an unknown one', async () => {
  const list = await client.models.list();
  expect(list.data.map((model) => model.id)).toContain('gpt-4o');
  expect((await client.models.retrieve('gpt-4o')).owned_by).toBe('system');
  expect(await errorOf(client.models.retrieve('nope'))).toMatchObject({
    status: 404,
    code: 'model_not_found',
  });
});

test('rerank and billing answer in the shapes their clients read', async () => {
  const body = { model: 'jina-reranker-v3', query: 'q', documents: ['a', 'b', 'c'], top_n: 2 };
  const reranked = await client.post<{ results: { index: number }[] }>('/rerank', { body });
  expect(reranked.results.map((result) => result.index)).toEqual([0, 1]);
  const authorization = { headers: { authorization: 'Bearer sk-test' } };
  const subscription = await fetch(`${mock.url}/dashboard/billing/subscription`, authorization);
  expect(await subscription.json()).toMatchObject({ object: 'billing_subscription', hard_limit_usd: 120 });
  const usage = await fetch(`${mock.url}/v1/dashboard/billing/usage?start_date=2026-01-01`, authorization);
  expect(await usage.json()).toMatchObject({ object: 'list', total_usage: 2050.5 });
});

test('realtime: the session opens, an item is accepted, the response is spoken and usage is reported', async () => {
  const realtime = new OpenAIRealtimeWebSocket(
    { model: 'gpt-realtime', dangerouslyAllowBrowser: true, onURL: (url) => void (url.protocol = 'ws:') },
    client,
  );
  const types: string[] = [];
  const usage = await new Promise<unknown>((resolve, reject) => {
    realtime.on('error', reject);
    realtime.on('event', (event) => {
      types.push(event.type);
      if (event.type === 'session.created') {
        const content = [{ type: 'input_text' as const, text: 'Say hello' }];
        realtime.send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } });
        realtime.send({ type: 'response.create', response: { output_modalities: ['text'] } });
      }
      if (event.type === 'response.done') resolve(event.response.usage);
    });
  });
  realtime.close();
  expect(types[0]).toBe('session.created');
  expect(types).toContain('response.output_text.delta');
  expect(usage).toMatchObject({
    output_tokens: 15,
    output_token_details: { text_tokens: 15, audio_tokens: 0 },
  });
});
