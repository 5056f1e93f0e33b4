import { describe, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { dialectOf, type Dialect } from './index.ts';

const wire = (event: Record<string, unknown>, name: string, end: string): string =>
  `${name === '' ? '' : `event: ${name}${end}`}data: ${JSON.stringify(event)}${end}${end}`;

const words = fc.string({ maxLength: 12 });

const anthropicEvents = fc.oneof(
  words.map((text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })),
  words.map((thinking) => ({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'thinking_delta', thinking },
  })),
  words.map((partial_json) => ({
    type: 'content_block_delta',
    index: 1,
    delta: { type: 'input_json_delta', partial_json },
  })),
  fc.constant({ type: 'ping' }),
  fc.constant({ type: 'content_block_stop', index: 0 }),
);

const geminiEvents = fc.oneof(
  words.map((text) => ({ candidates: [{ content: { parts: [{ text }], role: 'model' }, index: 0 }] })),
  words.map((text) => ({ candidates: [{ content: { parts: [{ text, thought: true }] } }] })),
  fc.tuple(words, words).map(([left, right]) => ({
    candidates: [{ content: { parts: [{ text: left }, { text: right }] } }],
  })),
  words.map((city) => ({
    candidates: [{ content: { parts: [{ functionCall: { name: 'weather', args: { city } } }] } }],
  })),
);

describe.each([
  ['anthropic-messages', anthropicEvents],
  ['gemini-generate', geminiEvents],
] as const)('%s', (format, events: fc.Arbitrary<Record<string, unknown>>) => {
  const dialect = dialectOf(format);

  test('the short way over the bytes counts what the long way over the objects counts', () => {
    fc.assert(
      fc.property(fc.array(events, { maxLength: 6 }), fc.constantFrom('\n', '\r\n'), (list, end) => {
        const text = list
          .map((event) => wire(event, typeof event['type'] === 'string' ? event['type'] : '', end))
          .join('');
        const expected = list.reduce((sum, event) => sum + dialect.tokensOfContent(event), 0);
        expect(dialect.tokensOf(text)).toBe(expected);
      }),
      { numRuns: 400 },
    );
  });

  test('content passes unread, whatever words it holds', () => {
    const tricky = fc.constantFrom(
      '"usage":{}',
      '"message_stop"',
      '"error":{"a":1}',
      '"finishReason":"STOP"',
    );
    fc.assert(
      fc.property(tricky, (text) => {
        const event =
          format === 'gemini-generate'
            ? { candidates: [{ content: { parts: [{ text }] } }] }
            : { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } };
        expect(dialect.isPlain(wire(event, '', '\n'))).toBe(true);
      }),
    );
  });
});

describe('what is read is never plain', () => {
  const read: [string, Record<string, unknown>][] = [
    [
      'anthropic-messages',
      { type: 'message_start', message: { usage: { input_tokens: 1, output_tokens: 1 } } },
    ],
    ['anthropic-messages', { type: 'message_delta', delta: {}, usage: { output_tokens: 5 } }],
    ['anthropic-messages', { type: 'message_stop' }],
    ['anthropic-messages', { type: 'error', error: { type: 'overloaded_error', message: 'x' } }],
    ['gemini-generate', { candidates: [{ content: { parts: [{ text: 'x' }] }, finishReason: 'STOP' }] }],
    ['gemini-generate', { promptFeedback: { blockReason: 'SAFETY' } }],
    ['gemini-generate', { error: { code: 503, message: 'x' } }],
    ['openai-responses', { type: 'error', code: 'server_error', message: 'x', param: null }],
    ['openai-chat', { error: { message: 'x' } }],
  ];
  test.each(read)('%s %p', (format, event) => {
    expect(dialectOf(format).isPlain(wire(event, '', '\n'))).toBe(false);
  });
});

describe('facts', () => {
  const anthropic: Dialect = dialectOf('anthropic-messages');

  test('the prompt of the start and the output of the end are one usage', () => {
    const start = anthropic.facts({
      type: 'message_start',
      message: { usage: { input_tokens: 10, cache_read_input_tokens: 7, output_tokens: 1 } },
    }).usage;
    const end = anthropic.facts({ type: 'message_delta', delta: {}, usage: { output_tokens: 9 } }).usage;
    if (start === undefined || end === undefined) throw new Error('no usage');
    expect(anthropic.mergeUsage?.(start, end)).toMatchObject({ input: 10, cacheRead: 7, output: 9 });
  });

  test('an event that may be the last of Gemini’s is kept back', () => {
    const gemini = dialectOf('gemini-generate');
    expect(gemini.facts({ candidates: [{ finishReason: 'STOP' }] }).mayClose).toBe(true);
    expect(gemini.facts({ candidates: [{ content: { parts: [] } }] }).mayClose).toBe(false);
    expect(gemini.facts({ promptFeedback: { blockReason: 'SAFETY' } }).mayClose).toBe(true);
  });
});
