// The official SDKs of Anthropic and Google accept the mock's dialects.
import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import Anthropic, { BadRequestError } from '@anthropic-ai/sdk';
import { ApiError, GoogleGenAI } from '@google/genai';
import { behaviourMessage, startMockUpstream } from './index.ts';

const mock = startMockUpstream();
const claude = new Anthropic({ apiKey: 'sk-test', baseURL: mock.url, maxRetries: 0 });
const gemini = new GoogleGenAI({ apiKey: 'sk-test', httpOptions: { baseUrl: mock.url } });
const sentence = 'Hello! I am a mock model, and this is a steady answer.';

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

describe('messages', () => {
  const question = {
    model: 'claude-mock',
    max_tokens: 4096,
    messages: [{ role: 'user' as const, content: 'Say hello' }],
  };
  const tool = {
    name: 'weather',
    input_schema: { type: 'object' as const, properties: { city: { type: 'string' } } },
  };

  test('whole and streamed say the same, and the books agree', async () => {
    const whole = await claude.messages.create(question);
    expect(whole.content).toMatchObject([{ type: 'text', text: sentence }]);
    expect(whole.stop_reason).toBe('end_turn');
    const streamed = await claude.messages.stream(question).finalMessage();
    expect(streamed.content).toMatchObject([{ type: 'text', text: sentence }]);
    expect(streamed.usage.output_tokens).toBe(whole.usage.output_tokens);
    const totals = mock.books.ofKey('sk-test');
    expect(totals.outputTokens).toBe(whole.usage.output_tokens * 2);
    expect(totals.inputTokens).toBe(whole.usage.input_tokens * 2);
  });

  test('a thought comes back with its signature or not at all', async () => {
    const asked = {
      ...question,
      thinking: { type: 'enabled' as const, budget_tokens: 1024 },
      tools: [tool],
      messages: [{ role: 'user' as const, content: behaviourMessage({ reasoning: 'Let me see' }) }],
    };
    const first = await claude.messages.stream(asked).finalMessage();
    expect(first.content.map(({ type }) => type)).toEqual(['thinking', 'tool_use']);
    const call = first.content[1];
    if (call?.type !== 'tool_use') throw new Error('no call');
    const answer = { type: 'tool_result' as const, tool_use_id: call.id, content: 'rain' };
    const next = (content: Anthropic.ContentBlockParam[]) => ({
      ...asked,
      messages: [
        ...asked.messages,
        { role: 'assistant' as const, content },
        { role: 'user' as const, content: [answer] },
      ],
    });
    expect((await claude.messages.create(next(first.content))).stop_reason).toBe('end_turn');
    const bare = await errorOf(claude.messages.create(next(first.content.slice(1))));
    expect(bare).toBeInstanceOf(BadRequestError);
    expect(String(bare)).toContain('Expected `thinking`');
    const forged = first.content.map((block) =>
      block.type === 'thinking' ? { ...block, signature: 'forged' } : block,
    );
    expect(String(await errorOf(claude.messages.create(next(forged))))).toContain('Invalid `signature`');
  });

  test('two tools in a stream are two blocks; a call without arguments is an empty object', async () => {
    const bare = { name: 'now', input_schema: { type: 'object' as const, properties: {} } };
    const message = await claude.messages.stream({ ...question, tools: [tool, bare] }).finalMessage();
    expect(message.content).toMatchObject([
      { type: 'tool_use', name: 'weather', input: { city: 'sample' } },
      { type: 'tool_use', name: 'now', input: {} },
    ]);
    expect(message.stop_reason).toBe('tool_use');
  });

  test('cache classes, counting and refusals', async () => {
    const usage = {
      inputTokens: 100,
      cachedInputTokens: 40,
      cacheWriteInputTokens: 30,
      cacheWriteHourInputTokens: 10,
    };
    const messages = [{ role: 'user' as const, content: behaviourMessage({ usage }) }];
    const reported = (await claude.messages.create({ ...question, messages })).usage;
    expect(reported).toMatchObject({
      input_tokens: 30,
      cache_read_input_tokens: 40,
      cache_creation_input_tokens: 30,
      cache_creation: { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 10 },
    });
    expect((await claude.messages.countTokens(question)).input_tokens).toBeGreaterThan(3);
    const strange = { ...question, frequency_penalty: 1 };
    expect(String(await errorOf(claude.messages.create(strange)))).toContain('Extra inputs');
    mock.behave({ errorAfterEvents: 4 });
    expect(String(await errorOf(claude.messages.stream(question).finalMessage()))).toContain('Overloaded');
  });
});

describe('generateContent', () => {
  const question = { model: 'gemini-2.5-flash', contents: 'Say hello' };
  const parameters = { type: 'object', properties: { city: { type: 'string' } } };

  test('whole and streamed say the same; the last chunk has the usage', async () => {
    const whole = await gemini.models.generateContent(question);
    expect(whole.text).toBe(sentence);
    let text = '';
    let last: typeof whole | undefined;
    for await (const chunk of await gemini.models.generateContentStream(question)) {
      text += chunk.text ?? '';
      last = chunk;
    }
    expect(text).toBe(sentence);
    expect(last?.usageMetadata).toEqual(whole.usageMetadata);
    expect(last?.candidates?.[0]?.finishReason as string).toBe('STOP');
  });

  test('without alt=sse the stream is one JSON array', async () => {
    const response = await fetch(`${mock.url}/v1beta/models/gemini-2.5-flash:streamGenerateContent`, {
      method: 'POST',
      headers: { 'x-goog-api-key': 'sk-test' },
      body: JSON.stringify({ contents: [{ parts: [{ text: 'Hi' }] }] }),
    });
    const chunks = (await response.json()) as { candidates: { finishReason?: string }[] }[];
    expect(chunks.length).toBeGreaterThan(3);
    expect(chunks.at(-1)?.candidates[0]?.finishReason).toBe('STOP');
  });

  test('a function call must bring its thought signature back', async () => {
    const config = {
      tools: [{ functionDeclarations: [{ name: 'weather', parametersJsonSchema: parameters }] }],
    };
    const model = 'gemini-3-pro-preview';
    const first = await gemini.models.generateContent({ ...question, model, config });
    const content = first.candidates?.[0]?.content;
    if (content?.parts === undefined) throw new Error('no content');
    expect(content.parts[0]).toMatchObject({ functionCall: { name: 'weather' } });
    const contents = (parts: typeof content.parts) => [
      { role: 'user', parts: [{ text: 'Say hello' }] },
      { role: 'model', parts },
      { role: 'user', parts: [{ functionResponse: { name: 'weather', response: { output: 'rain' } } }] },
    ];
    const good = await gemini.models.generateContent({
      model,
      config,
      contents: contents(content.parts ?? []),
    });
    expect(good.text).toBe(sentence);
    const stripped = (content.parts ?? []).map(({ thoughtSignature: _gone, ...part }) => part);
    const error = await errorOf(
      gemini.models.generateContent({ model, config, contents: contents(stripped) }),
    );
    expect(error).toBeInstanceOf(ApiError);
    expect(String(error)).toContain('missing a `thought_signature`');
  });

  test('schema keywords it does not know are refused, and a blocked prompt has no candidate', async () => {
    const strict = { type: 'object', properties: {}, additionalProperties: false };
    // The SDK itself would move such a schema to another field.
    const refused = await fetch(`${mock.url}/v1beta/models/gemini-2.5-flash:generateContent`, {
      method: 'POST',
      headers: { 'x-goog-api-key': 'sk-test' },
      body: JSON.stringify({
        contents: [{ parts: [{ text: 'Hi' }] }],
        tools: [{ functionDeclarations: [{ name: 'weather', parameters: strict }] }],
      }),
    });
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain('additionalProperties');
    mock.behave({ blocksPrompt: true });
    const blocked = await gemini.models.generateContent(question);
    expect(blocked.candidates).toBeUndefined();
    expect(blocked.promptFeedback?.blockReason as string).toBe('PROHIBITED_CONTENT');
  });

  test('counting and embedding', async () => {
    expect((await gemini.models.countTokens(question)).totalTokens).toBeGreaterThan(3);
    const found = await gemini.models.embedContent({ model: 'gemini-embedding-001', contents: ['a', 'b'] });
    expect(found.embeddings).toHaveLength(2);
  });
});
