import { describe, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { dialectOf } from './dialects/index.ts';
import { withoutNullUsage } from './event-text.ts';
import { EventShapes } from './event-shape.ts';

const asItIs = (text: string): string => text;

const words = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
  fc.constantFrom(
    '',
    ' the',
    '"',
    '\\',
    '\n\n',
    '[DONE]',
    '汉字',
    'ü',
    '"usage":{',
    '}\n\ndata: {"error":{}}',
  ),
);

const chat = (id: string, content: string, usage: boolean, more: object) => ({
  id,
  choices: [{ index: 0, delta: { content }, finish_reason: null }],
  ...(usage ? { usage: null } : {}),
  ...more,
});

const chatEvents = fc.array(
  fc
    .tuple(
      fc.constantFrom('a', 'b'),
      words,
      fc.boolean(),
      fc.oneof(
        { weight: 5, arbitrary: fc.constant({}) },
        { weight: 5, arbitrary: words.map((obfuscation) => ({ obfuscation })) },
        fc.constant({ usage: { prompt_tokens: 1 } }),
        fc.constant({ obfuscation: 'x', error: {} }),
      ),
    )
    .map(([id, content, usage, more]) => `data: ${JSON.stringify(chat(id, content, usage, more))}\n\n`),
  { maxLength: 30 },
);

const messageEvents = fc.array(
  fc.tuple(fc.nat(1), words).map(([index, text]) => {
    const event = { type: 'content_block_delta', index, delta: { type: 'text_delta', text } };
    return `event: content_block_delta\ndata: ${JSON.stringify(event)}\n\n`;
  }),
  { maxLength: 30 },
);

/** undefined: no match, and nothing was changed. */
function matched(shapes: EventShapes, event: string): string | undefined {
  const bytes = Buffer.from(event);
  const length = shapes.match(bytes);
  if (length < 0) expect(bytes.toString()).toBe(event);
  return length < 0 ? undefined : bytes.toString('utf8', 0, length);
}

/** Every event that matches must be plain, and shown and counted as parsing it would show and count it. */
function check(format: string, list: readonly string[], show: (text: string) => string): number {
  const dialect = dialectOf(format);
  const shapes = new EventShapes(dialect.textBegins ?? 'none', dialect.paddingBegins);
  let matches = 0;
  for (const text of list) {
    const event = text;
    const shown = matched(shapes, event);
    if (shown === undefined) {
      if (dialect.isPlain(event)) shapes.learn(event, show(event), dialect.tokensOf(event), show);
      continue;
    }
    matches += 1;
    expect(shown).toBe(show(event));
    expect(shapes.tokens).toBe(dialect.tokensOf(event));
    // Text that only looks like an end is text.
    if (!text.includes('[DONE]')) expect(dialect.isPlain(event)).toBe(true);
  }
  return matches;
}

describe('events like the one before', () => {
  test('are shown and counted as if each had been parsed', () => {
    for (const show of [asItIs, withoutNullUsage]) {
      fc.assert(
        fc.property(chatEvents, (list) => {
          check('openai-chat', list, show);
        }),
        { numRuns: 500 },
      );
    }
    fc.assert(
      fc.property(messageEvents, (list) => {
        check('anthropic-messages', list, asItIs);
      }),
      { numRuns: 500 },
    );
  });

  test('match in any language, once one was parsed', () => {
    const list = ['Hello', ' world', '你好', '，世界', ' \u{1F600}', 'a\nb'].map(
      (content) => `data: ${JSON.stringify(chat('a', content, true, {}))}\n\n`,
    );
    expect(check('openai-chat', list, withoutNullUsage)).toBe(list.length - 1);
  });

  test('match whatever letters pad them', () => {
    const list = ['aZ3', 'kQ81x', '', 'w'].map(
      (obfuscation) => `data: ${JSON.stringify(chat('a', 'word', true, { obfuscation }))}\n\n`,
    );
    for (const show of [asItIs, withoutNullUsage])
      expect(check('openai-chat', list, show)).toBe(list.length - 1);
  });

  test('match where the usage precedes the text, and not where it comes twice', () => {
    const event = (content: string, more = '') =>
      `data: {"usage":null,"choices":[{"delta":{"content":${JSON.stringify(content)}},"x":1}]${more}}\n\n`;
    const list = ['one', 'two', 'drei'];
    expect(
      check(
        'openai-chat',
        list.map((content) => event(content)),
        withoutNullUsage,
      ),
    ).toBe(2);
    const { textBegins = '' } = dialectOf('openai-chat');
    const shapes = new EventShapes(textBegins);
    const twice = event('one', ',"usage":null');
    shapes.learn(twice, twice.replace('"usage":null,', '').replace(',"usage":null', ''), 1, (part) =>
      withoutNullUsage(part),
    );
    expect(matched(shapes, event('two', ',"usage":null'))).toBeUndefined();
  });

  test('do not match if something follows the padding, or it does not end', () => {
    const event = (obfuscation: string, more = {}) =>
      `data: ${JSON.stringify(chat('a', 'word', false, { obfuscation, ...more }))}\n\n`;
    const { textBegins = '', paddingBegins } = dialectOf('openai-chat');
    const shapes = new EventShapes(textBegins, paddingBegins);
    shapes.learn(event('one'), event('one'), 1, asItIs);
    expect(matched(shapes, event('two'))).toBe(event('two'));
    for (const other of [
      event('two', { error: { message: 'x' } }),
      event('two', { usage: {} }),
      event('say "two"'),
      event('two').replace('two', 'two\\'),
      event('two').replace('two', 'two\n\ndata: [DONE]\n\n'),
      `${event('two')}${event('three')}`,
    ])
      expect(matched(shapes, other)).toBeUndefined();
  });

  test('two events, another member or a broken string are no match', () => {
    const event = (content: string, more = {}) =>
      `data: ${JSON.stringify(chat('a', content, false, more))}\n\n`;
    const shapes = new EventShapes(dialectOf('openai-chat').textBegins ?? '');
    shapes.learn(event('one'), event('one'), 1, asItIs);
    expect(matched(shapes, event('two'))).toBe(event('two'));
    for (const other of [
      `${event('two')}${event('three')}`,
      event('two', { usage: {} }),
      event('say "two"'),
      event('two').replace('two', 'two\n\ndata: [DONE]\n\n'),
      event('two').replace('two', 'tw\\'),
      event('two').replace('null', '"stop"'),
    ])
      expect(matched(shapes, other)).toBeUndefined();
  });

  test('are given up where every event differs', () => {
    const shapes = new EventShapes(dialectOf('openai-chat').textBegins ?? '');
    const list = Array.from(
      { length: 30 },
      (_, index) => `data: ${JSON.stringify(chat('a', 'word', false, { noise: index }))}\n\n`,
    );
    for (const event of list) {
      expect(matched(shapes, event)).toBeUndefined();
      shapes.learn(event, event, 1, asItIs);
    }
    const last = list.at(-1) ?? '';
    expect(matched(shapes, last)).toBeUndefined();
  });
});
