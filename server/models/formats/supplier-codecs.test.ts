// Codecs of single suppliers: what they ask, what they understand, and that no answer whatever makes them throw anything
// but a FormatError.
import { describe, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { aiproxyLibrary } from './aiproxy-library/index.ts';
import { baidu } from './baidu/index.ts';
import { bedrockConverse } from './bedrock-converse/index.ts';
import type { CanonicalEvent, ConversionNote } from './canonical.ts';
import type { UpstreamCodec } from './codec.ts';
import { cohere } from './cohere/index.ts';
import { coze } from './coze/index.ts';
import { dify } from './dify/index.ts';
import { codecs } from './index.ts';
import { FormatError } from './json.ts';
import { replicate } from './replicate/index.ts';
import { spark } from './spark/index.ts';
import { tencent } from './tencent/index.ts';

const all: [string, UpstreamCodec][] = [
  ['aiproxy-library', aiproxyLibrary],
  ['baidu', baidu],
  ['bedrock-converse', bedrockConverse],
  ['cohere', cohere],
  ['coze', coze],
  ['dify', dify],
  ['replicate', replicate],
  ['spark', spark],
  ['tencent', tencent],
];

const weather = {
  type: 'function',
  function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
};

const conversation = [
  { role: 'system', content: 'Be kind.' },
  { role: 'user', content: 'Weather?' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [
      { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } },
    ],
  },
  { role: 'tool', tool_call_id: 'call_1', content: 'sunny' },
];

function encode(codec: UpstreamCodec, chat: Record<string, unknown>, notes: ConversionNote[] = []) {
  const request = codecs['openai-chat']?.decodeRequest({ model: 'm', ...chat }, notes);
  if (request === undefined) throw new Error('no codec');
  return codec.encodeRequest(request, notes) as Record<string, unknown>;
}

function decode(codec: UpstreamCodec, frames: readonly unknown[], event = ''): CanonicalEvent[] {
  const decoder = codec.decodeStream();
  return [...frames.flatMap((frame) => decoder.push(event, JSON.stringify(frame))), ...decoder.end()];
}

const textOf = (events: readonly CanonicalEvent[]) =>
  events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');

const names = [
  'event',
  'answer',
  'message',
  'content',
  'text',
  'choices',
  'Choices',
  'Delta',
  'delta',
  'usage',
  'Usage',
  'type',
  'tool_calls',
  'function',
  'arguments',
  'header',
  'payload',
  'code',
  'status',
  'result',
  'output',
  'error',
  'Response',
  'Error',
  'metadata',
  'documents',
  'finish',
  'is_end',
  'function_call',
  'toolUse',
  'contentBlockIndex',
  'start',
];

const anyJson = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<unknown>(null, true, false, 0, 1, -1, 200, 2, '', 'x', 'answer', 'tool_use', '[DONE]'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 4 }),
  ),
})).value;

const eventNames = fc.constantFrom(
  '',
  'error',
  'contentBlockStart',
  'contentBlockDelta',
  'contentBlockStop',
  'messageStop',
  'metadata',
  'conversation.message.delta',
  'conversation.chat.completed',
  'conversation.chat.failed',
  'done',
);

describe.each(all)('%s', (_name, codec) => {
  test('no answer makes it throw anything but a FormatError', () => {
    fc.assert(
      fc.property(anyJson, fc.array(fc.tuple(eventNames, anyJson), { maxLength: 6 }), (whole, frames) => {
        codec.decodeResponse(whole);
        codec.decodeError(whole);
        const decoder = codec.decodeStream();
        for (const [event, data] of frames) {
          try {
            decoder.push(event, JSON.stringify(data));
          } catch (error) {
            if (!(error instanceof FormatError)) throw error;
          }
        }
        decoder.end();
      }),
      { numRuns: 300 },
    );
  });

  test('every field of a request is sent or noted', () => {
    const notes: ConversionNote[] = [];
    const body = encode(
      codec,
      { messages: conversation, tools: [weather], seed: 7, temperature: 0.3 },
      notes,
    );
    const sent = JSON.stringify(body);
    expect(sent).toContain('Weather?');
    expect(sent).toContain('Be kind.');
    expect(sent).toContain('sunny');
    const noted = notes.map(({ field }) => field);
    expect(noted.includes('tools') || sent.includes('"weather"') || sent.includes('weather(')).toBe(true);
    expect(noted.includes('seed') || /seed/i.test(sent)).toBe(true);
    expect(noted.includes('temperature') || /temperature/i.test(sent)).toBe(true);
  });
});

describe('requests', () => {
  test('Baidu: instructions apart, a call and its result by the name of the function', () => {
    expect(encode(baidu, { messages: conversation, tools: [weather], temperature: 0 })).toMatchObject({
      system: 'Be kind.',
      temperature: 0.01,
      messages: [
        { role: 'user', content: 'Weather?' },
        { role: 'assistant', function_call: { name: 'weather', arguments: '{"city":"Rome"}' } },
        { role: 'function', name: 'weather', content: 'sunny' },
      ],
      functions: [{ name: 'weather' }],
    });
  });

  test('Tencent: names in capitals, schemas as text, a named tool by its description', () => {
    const tool_choice = { type: 'function', function: { name: 'weather' } };
    const body = encode(tencent, { messages: conversation, tools: [weather], tool_choice, top_p: 0.4 });
    expect(body).toMatchObject({
      TopP: 0.4,
      ToolChoice: 'custom',
      CustomTool: { Function: { Name: 'weather' } },
      Messages: [
        { Role: 'system' },
        { Role: 'user', Content: 'Weather?' },
        {
          Role: 'assistant',
          ToolCalls: [{ Id: 'call_1', Function: { Name: 'weather', Arguments: '{"city":"Rome"}' } }],
        },
        { Role: 'tool', ToolCallId: 'call_1', Content: 'sunny' },
      ],
    });
    const [tool] = body['Tools'] as { Function: { Parameters: string } }[];
    expect(JSON.parse(tool?.Function.Parameters ?? '')).toEqual(weather.function.parameters);
  });

  test('Cohere: other names for what is common, a plan before a call, a schema', () => {
    const body = encode(cohere, {
      messages: conversation,
      tools: [weather],
      tool_choice: 'required',
      top_p: 0.5,
      stop: ['x'],
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } },
    });
    expect(body).toMatchObject({
      p: 0.5,
      stop_sequences: ['x'],
      tool_choice: 'REQUIRED',
      response_format: { type: 'json_object', json_schema: { type: 'object' } },
    });
    expect((body['messages'] as { role: string }[]).map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
    ]);
    expect(body).not.toHaveProperty('top_p');
  });

  test('an application is asked one question: a single one as it is, a conversation as one text, with a note', () => {
    const notes: ConversionNote[] = [];
    expect(encode(dify, { messages: [{ role: 'user', content: 'Hi?' }] }, notes)).toMatchObject({
      query: 'Hi?',
      inputs: {},
    });
    expect(notes).toEqual([]);
    expect(encode(dify, { messages: conversation.slice(0, 2) }, notes)['query']).toBe(
      'system: Be kind.\n\nuser: Weather?',
    );
    expect(notes.map(({ field, what }) => [field, what])).toEqual([['messages', 'approximated']]);
    const image = { type: 'image_url', image_url: { url: 'https://x.example/1.png' } };
    const body = encode(dify, {
      messages: [{ role: 'user', content: [image, { type: 'text', text: 'see' }] }],
    });
    expect(body).toMatchObject({ query: 'see', files: [{ type: 'image', url: 'https://x.example/1.png' }] });
  });
});

describe('answers', () => {
  test('Spark: pieces, a call, the end with usage; errors with the status they stand for', () => {
    const piece = (status: number, text: unknown[], usage?: unknown) => ({
      header: { code: 0, sid: 's', status },
      payload: { choices: { status, text }, ...(usage === undefined ? {} : { usage: { text: usage } }) },
    });
    const events = decode(spark, [
      piece(0, [{ content: 'Hi' }]),
      piece(1, [{ function_call: { name: 'weather', arguments: '{"city":"Rome"}' } }]),
      piece(2, [{ content: '' }], { prompt_tokens: 3, completion_tokens: 4 }),
    ]);
    expect(textOf(events)).toBe('Hi');
    expect(events.at(-2)).toMatchObject({ type: 'finish', reason: 'tool_calls' });
    expect(events.at(-1)).toMatchObject({ usage: { input: 3, output: 4 } });
    const refused = (code: number) => decode(spark, [{ header: { code, message: 'no', status: 2 } }])[0];
    expect(
      [refused(10_013), refused(11_200), refused(11_202), refused(10_110)].map(
        (event) => event?.type === 'error' && event.status,
      ),
    ).toEqual([400, 401, 429, 502]);
  });

  test('Coze: only answers count, a failed chat is an error', () => {
    const decoder = coze.decodeStream();
    const push = (event: string, data: unknown) => decoder.push(event, JSON.stringify(data));
    expect(push('conversation.message.delta', { type: 'verbose', content: 'no' })).toEqual([]);
    expect(
      push('conversation.message.delta', { type: 'answer', content: 'yes', reasoning_content: 'hm' }),
    ).toHaveLength(2);
    expect(push('conversation.chat.failed', { last_error: { code: 5000, msg: 'broken' } })).toEqual([
      { type: 'error', message: 'broken', code: '5000', status: 502 },
    ]);
    expect(decoder.push('done', '"[DONE]"')).toEqual([]);
  });

  test('Dify: workflow events are left out, an error is reported', () => {
    const events = decode(dify, [
      { event: 'workflow_started' },
      { event: 'agent_thought', thought: 'hm' },
      { event: 'agent_message', answer: 'A', message_id: 'm1', created_at: 5 },
      { event: 'message_replace', answer: 'B' },
      { event: 'message_end', metadata: { usage: { prompt_tokens: 1, completion_tokens: 2 } } },
    ]);
    expect(events[0]).toEqual({ type: 'start', id: 'm1', model: '', created: 5 });
    expect(textOf(events)).toBe('A');
    expect(decode(dify, [{ event: 'error', status: 503, code: 'busy', message: 'later' }])).toEqual([
      { type: 'error', message: 'later', code: 'busy', status: 503 },
    ]);
  });

  test('Baidu: the last usage is the bill, a truncated answer is one', () => {
    const events = decode(baidu, [
      { id: 'a', created: 1, result: 'x', is_end: false, usage: { prompt_tokens: 1, completion_tokens: 1 } },
      {
        id: 'a',
        result: 'y',
        is_end: true,
        is_truncated: true,
        usage: { prompt_tokens: 1, completion_tokens: 9 },
      },
    ]);
    expect(textOf(events)).toBe('xy');
    expect(events.filter(({ type }) => type === 'usage')).toHaveLength(1);
    expect(events.find((event) => event.type === 'finish')).toMatchObject({ reason: 'length' });
    expect(events.at(-1)).toMatchObject({ usage: { output: 9 } });
  });

  test('Cohere: what is billed counts, cached input apart', () => {
    const events = cohere.decodeResponse({
      id: 'x',
      finish_reason: 'COMPLETE',
      message: {
        content: [
          { type: 'thinking', thinking: 'hm' },
          { type: 'text', text: 'hi' },
        ],
      },
      usage: {
        billed_units: { input_tokens: 10, output_tokens: 2 },
        tokens: { input_tokens: 90 },
        cached_tokens: 4,
      },
    });
    expect(events.map(({ type }) => type)).toEqual([
      'start',
      'reasoning-delta',
      'text-delta',
      'finish',
      'usage',
    ]);
    expect(events.at(-1)).toMatchObject({ usage: { input: 6, cacheRead: 4, output: 2 } });
  });

  test('Replicate: pieces or one text; AIProxy: sources as a list of links', () => {
    expect(textOf(replicate.decodeResponse({ output: ['a', 'b'], status: 'succeeded' }))).toBe('ab');
    expect(textOf(replicate.decodeResponse({ output: 'ab', status: 'succeeded' }))).toBe('ab');
    const answer = { success: true, answer: 'A', documents: [{ title: 'T', url: 'https://d.example' }] };
    expect(textOf(aiproxyLibrary.decodeResponse(answer))).toBe('A\n\n1. [T](https://d.example)');
  });
});
