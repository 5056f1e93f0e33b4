// A call whose caller and upstream speak two formats: how its events are counted, how its stream ends, and what the caller is told.
import { describe, expect, test } from 'bun:test';
import type { CanonicalEvent, ConversionNote } from '#server/models/formats/canonical.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { answerId, closingOf, receiptText, refuseLosses, reshaperOf, tokensOfEvent } from './conversion.ts';

const event = (fields: object) => fields as unknown as CanonicalEvent;

describe('an event', () => {
  test.each([
    ['text', { type: 'text-delta', choice: 0, text: 'two words' }, 2],
    ['reasoning', { type: 'reasoning-delta', choice: 0, text: 'two words' }, 2],
    ['a refusal', { type: 'refusal-delta', choice: 0, text: 'two words' }, 2],
    ['arguments of a tool', { type: 'tool-call-delta', arguments: 'two words' }, 2],
    ['words of speech', { type: 'audio-delta', transcript: 'two words' }, 2],
    ['a space', { type: 'text-delta', text: ' ' }, 1],
    ['a space of arguments', { type: 'tool-call-delta', arguments: ' ' }, 1],
    ['a space of speech', { type: 'audio-delta', transcript: ' ' }, 1],
    ['no text', { type: 'text-delta', text: '' }, 0],
    ['no arguments', { type: 'tool-call-delta', arguments: '' }, 0],
    ['sound alone', { type: 'audio-delta' }, 0],
    ['no words of speech', { type: 'audio-delta', transcript: '' }, 0],
    ['the beginning', { type: 'start', text: 'two words' }, 0],
  ])('of %s counts for its tokens, at least one', (_what, fields, tokens) => {
    expect(tokensOfEvent(event(fields))).toBe(tokens);
  });
});

describe('the end of a stream', () => {
  const data = (type: string) => JSON.stringify({ type });

  test('is named by the event, or inside of it', () => {
    const responses = closingOf('openai-responses');
    for (const type of ['response.completed', 'response.incomplete', 'response.failed', 'response.cancelled'])
      expect([responses(type, ''), responses('', data(type)), responses('', `"${type}" {`)]).toEqual([
        true,
        true,
        false,
      ]);
    expect([responses('response.created', data('response.created')), responses('', '[DONE]')]).toEqual([
      false,
      false,
    ]);
    expect(responses('', JSON.stringify({ type: 'text', text: 'response.completed' }))).toBe(false);
    const messages = closingOf('anthropic-messages');
    expect([
      messages('message_stop', ''),
      messages('', data('message_stop')),
      messages('message_delta', ''),
    ]).toEqual([true, true, false]);
    expect(messages('response.completed', data('response.completed'))).toBe(false);
    const chat = closingOf('openai-chat');
    expect([chat('', '[DONE]'), chat('message_stop', data('message_stop'))]).toEqual([true, false]);
  });
});

test('the id of an answer is in the style of its format', () => {
  const id = (format: Parameters<typeof answerId>[0]) => answerId(format, 'a-b-c');
  expect([
    id('openai-chat'),
    id('openai-responses'),
    id('anthropic-messages'),
    id('gemini-generate'),
  ]).toEqual(['chatcmpl-abc', 'resp_abc', 'msg_abc', 'abc']);
});

describe('events for a caller', () => {
  test('begin with our id and the caller’s name of the model', () => {
    const shape = reshaperOf('id-1', 'mine', false)();
    expect(shape(event({ type: 'start', id: 'theirs', model: 'up', created: 5 }))).toEqual([
      event({ type: 'start', id: 'id-1', model: 'mine', created: 5 }),
    ]);
    const [begun] = shape(event({ type: 'start', created: 0 })) as readonly { created?: number }[];
    expect(Math.abs((begun?.created ?? 0) - Date.now() / 1000)).toBeLessThan(60);
    const thought = event({ type: 'reasoning-delta', choice: 0, text: 'hm' });
    expect(shape(thought)).toEqual([thought]);
  });

  test('have thoughts as text between tags, in each choice for itself', () => {
    const shape = reshaperOf('id-1', 'mine', true)();
    const text = (choice: number, words: string) => event({ type: 'text-delta', choice, text: words });
    const thought = (choice: number, words: string) =>
      event({ type: 'reasoning-delta', choice, text: words });
    expect(shape(thought(0, 'a'))).toEqual([text(0, '<think>\na')]);
    expect(shape(thought(1, 'x'))).toEqual([text(1, '<think>\nx')]);
    expect(shape(thought(0, 'b'))).toEqual([text(0, 'b')]);
    for (const type of ['reasoning-signature', 'reasoning-redacted'])
      expect(shape(event({ type, choice: 0 }))).toEqual([]);
    expect(shape(text(0, 'c'))).toEqual([text(0, '\n</think>\n\n'), text(0, 'c')]);
    expect(shape(text(0, 'd'))).toEqual([text(0, 'd')]);
    expect(shape(thought(1, 'y'))).toEqual([text(1, 'y')]);
    expect(shape(event({ type: 'usage' }))).toEqual([event({ type: 'usage' })]);
  });
});

describe('what was changed', () => {
  const note = (field: string, what: ConversionNote['what'] = 'dropped', detail = 'why') => ({
    field,
    what,
    detail,
  });

  test('is told with bounded names, the first fifty of them', () => {
    const notes = Array.from({ length: 51 }, () => note('f'.repeat(101), 'dropped', 'd'.repeat(301)));
    const receipt = JSON.parse(receiptText('openai-chat', 'gemini-generate', notes)) as { notes: object[] };
    expect(receipt).toMatchObject({ from: 'openai-chat', to: 'gemini-generate' });
    expect([receipt.notes.length, receipt.notes[0]]).toEqual([
      50,
      note('f'.repeat(100), 'dropped', 'd'.repeat(300)),
    ]);
  });

  test('is refused in strict mode where something is lost', () => {
    const refusal = (notes: ConversionNote[]) => {
      try {
        refuseLosses(notes);
        return undefined;
      } catch (error) {
        return error instanceof RelayError ? [error.code, error.parameters, error.options.param] : error;
      }
    };
    expect([refusal([]), refusal([note('a', 'renamed')])]).toEqual([undefined, undefined]);
    expect(refusal([note('a', 'renamed'), note('b'), note('c', 'approximated')])).toEqual([
      'lossy_conversion',
      { detail: 'b (dropped: why); c (approximated: why)' },
      'b',
    ]);
    const [, parameters] = refusal([note('b', 'dropped', 'x'.repeat(2000))]) as [string, { detail: string }];
    expect(parameters.detail).toHaveLength(1000);
  });
});
