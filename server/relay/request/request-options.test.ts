// Tokens of a text to the unit, what attachments can count for, and the options that bound an answer.
import { describe, expect, test } from 'bun:test';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import {
  asciiKinds,
  attachmentsIn,
  estimateTokens,
  outputLimitOf,
  reasoningEffortOf,
  requestClassOf,
  tokensOfRun,
  wholeNumber,
  withOutputLimit,
} from './estimate.ts';

describe('tokens of a text', () => {
  const texts: [string, ...(readonly [string, number])[]][] = [
    ['letters, seven for a token', ['a'.repeat(7), 1], ['a'.repeat(8), 2], ['azAZ', 1]],
    ['digits, three for a token', ['123', 1], ['1234', 2], ['09', 1]],
    ['symbols, two for a token', ['!?', 1], ['!?;', 2], ['/:@[`{~', 4]],
    ['spaces: one belongs to the word after it', ['a b', 2], ['a  b', 3], [' \n\r\t', 1], [' ', 0]],
    [
      'wide characters, each of them',
      ['世界', 2],
      ...['\u2e80', '\u9fff', '\uac00', '\ud7af', '\uf900', '\uffef'].map(
        (wide) => [wide + wide, 2] as const,
      ),
    ],
    ['letters with accents', ['ééééééé', 1], ['\u00ff\u024f', 1]],
    [
      'others, two for a token',
      ['\u0250\u2e7f', 1],
      ['жжж', 2],
      ['\ua000\uabff', 1],
      ['\ud7b0\uf8ff', 1],
      ['\ufff0', 1],
    ],
    ['each run for itself', ['ab12世!', 4]],
    ['the letters beside others', ['@Z[', 3], ['`z{', 3], ['/9:', 3], ['\u0001a', 2]],
  ];
  test.each(texts)('%s', (_what, ...cases) => {
    for (const [text, tokens] of cases) expect([text, estimateTokens(text)]).toEqual([text, tokens]);
  });

  test('runs that are not over are counted by their kind', () => {
    const kinds = ['a', '1', '!', ' '].map((text) => asciiKinds[text.charCodeAt(0)] as number);
    expect(kinds.map((kind) => [tokensOfRun(kind, 1), tokensOfRun(kind, 15)])).toEqual([
      [1, 3],
      [1, 5],
      [1, 8],
      [0, 1],
    ]);
    expect(tokensOfRun(0, 15)).toBe(0);
  });

  test('a text is counted whole up to 262,144 characters, and by samples above', () => {
    // Digits at the end only: outside of the samples' places but for the last one.
    const at = (length: number) => estimateTokens('世'.repeat(length - 2048) + '1'.repeat(2048));
    expect(at(262_144)).toBe(262_144 - 2048 + 683);
    // 63 samples of wide characters and one of digits, for 64 × 2048 characters.
    expect(at(262_175)).toBe(Math.ceil(((63 * 2048 + 683) * 262_175) / (64 * 2048)));
    // From one character more on. The first sample is at the beginning.
    const least = '1'.repeat(2048) + '世'.repeat(262_145 - 2048);
    expect(estimateTokens(least)).toBe(Math.ceil(((63 * 2048 + 683) * 262_145) / (64 * 2048)));
    const first = '1'.repeat(2048) + '世'.repeat(400_000);
    expect(estimateTokens(first)).toBe(Math.ceil(((63 * 2048 + 683) * first.length) / (64 * 2048)));
  });
});

describe('attachments', () => {
  const DATA = 'A'.repeat(8000);
  const document = (source: string) => attachmentsIn([{ type: 'document', source: { data: source } }]).input;

  test.each([
    ['pictures', [{ type: 'image_url' }, { type: 'input_image' }], { input: 10_000, audio: 0 }],
    ['sound of unknown length', [{ type: 'input_audio' }], { input: 0, audio: 6000 }],
    ['sound inside', [{ type: 'input_audio', input_audio: { data: DATA } }], { input: 0, audio: 15 }],
    ['a document inside', [{ type: 'document', source: { data: DATA } }], { input: 750, audio: 0 }],
    ['a file elsewhere', [{ type: 'file', file_id: 'f' }], { input: 100_000, audio: 0 }],
    ['a file of Responses', [{ type: 'input_file' }], { input: 100_000, audio: 0 }],
    ['text', [{ type: 'text', text: DATA }, 'x', 7, null], { input: 0, audio: 0 }],
    ['content inside', { content: [{ content: [{ type: 'image' }] }] }, { input: 5000, audio: 0 }],
    ['parts inside', { parts: [{ inlineData: { mimeType: 'image/png' } }] }, { input: 5000, audio: 0 }],
    ['output inside', { output: [{ type: 'image' }] }, { input: 5000, audio: 0 }],
    ['Gemini’s sound', { inline_data: { mime_type: 'audio/wav', data: DATA } }, { input: 0, audio: 15 }],
    ['Gemini’s document', { fileData: { mimeType: 'application/pdf' } }, { input: 100_000, audio: 0 }],
    ['Gemini’s file without a type', { file_data: { fileUri: 'x' } }, { input: 100_000, audio: 0 }],
    ['Gemini’s text', { text: DATA }, { input: 0, audio: 0 }],
  ])('%s', (_what, content, expected) => {
    expect(attachmentsIn(content)).toEqual(expected);
  });

  test('a text of less than 4,096 characters is an id or an address; a document has at most 100,000 tokens', () => {
    expect(document('A'.repeat(4095))).toBe(100_000);
    expect(document('A'.repeat(4096))).toBe(384);
    expect(document('A'.repeat(4097))).toBe(385);
    expect(document('A'.repeat(2_000_000))).toBe(100_000);
  });

  test('content deeper than six levels is not looked for', () => {
    const nested = (depth: number): object =>
      depth === 0 ? { type: 'image' } : { content: nested(depth - 1) };
    expect(attachmentsIn(nested(6)).input).toBe(5000);
    expect(attachmentsIn(nested(7)).input).toBe(0);
    const source = (depth: number): object => (depth === 0 ? { data: DATA } : { in: source(depth - 1) });
    const inside = (depth: number) => attachmentsIn({ type: 'document', source: source(depth) }).input;
    expect([inside(5), inside(6)]).toEqual([750, 100_000]);
  });
});

function refused(read: () => unknown): unknown {
  try {
    read();
    return undefined;
  } catch (error) {
    return error instanceof RelayError ? [error.code, error.parameters, error.options.param] : error;
  }
}

const refusal = (field: string) => ['invalid_field', { field }, field];

test('a whole number has both ends of its range', () => {
  const read = (n: unknown) => wholeNumber({ n }, 'n', 2, 5);
  expect([read(2), read(5), read(undefined), read(null)]).toEqual([2, 5, undefined, undefined]);
  for (const n of [1, 6, 2.5, '3', Number.NaN, true]) expect(refused(() => read(n))).toEqual(refusal('n'));
});

describe('the limit of an answer', () => {
  const chat = { outputLimits: ['max_completion_tokens', 'max_tokens'] };
  const gemini = { outputLimits: ['maxOutputTokens'], limitsIn: 'generationConfig' };

  test('is the first that is given, where it is given', () => {
    expect(outputLimitOf(chat, {})).toBeUndefined();
    expect(outputLimitOf(chat, { max_tokens: 1 })).toBe(1);
    expect(outputLimitOf(chat, { max_completion_tokens: 7, max_tokens: 9 })).toBe(7);
    expect(outputLimitOf(chat, { max_tokens: 100_000_000 })).toBe(100_000_000);
    expect(outputLimitOf(gemini, { generationConfig: { maxOutputTokens: 7 }, maxOutputTokens: 9 })).toBe(7);
    for (const generationConfig of [undefined, null, {}])
      expect(outputLimitOf(gemini, { generationConfig })).toBeUndefined();
  });

  test('is none where it is 0, which one of the fields may be', () => {
    expect(outputLimitOf(chat, { max_completion_tokens: 0 })).toBeUndefined();
    expect(refused(() => outputLimitOf(chat, { max_tokens: 0 }))).toEqual(refusal('max_tokens'));
  });

  test('is refused by the name of its field', () => {
    expect(refused(() => outputLimitOf(chat, { max_tokens: 100_000_001 }))).toEqual(refusal('max_tokens'));
    for (const generationConfig of [[], 'x', 7])
      expect(refused(() => outputLimitOf(gemini, { generationConfig }))).toEqual(refusal('generationConfig'));
    expect(refused(() => outputLimitOf(chat, [] as never))).toEqual(refusal('body'));
  });

  const lowered = (
    endpoint: Parameters<typeof withOutputLimit>[0]['endpoint'],
    value: object,
    model = 'm',
  ) => {
    const json = { text: JSON.stringify(value), value: value as never };
    const { text, value: written } = withOutputLimit({ endpoint, json, model }, 50);
    expect(JSON.parse(text)).toEqual(written);
    return written as unknown;
  };

  test('is lowered wherever the caller has set it', () => {
    expect(lowered(chat, { a: 1, max_completion_tokens: 90, max_tokens: 80 })).toEqual({
      a: 1,
      max_completion_tokens: 50,
      max_tokens: 50,
    });
    expect(lowered(chat, { max_completion_tokens: 90, max_tokens: null })).toEqual({
      max_completion_tokens: 50,
      max_tokens: null,
    });
    expect(lowered(gemini, { generationConfig: { topK: 1, maxOutputTokens: 90 } })).toEqual({
      generationConfig: { topK: 1, maxOutputTokens: 50 },
    });
  });

  test('is added under the name that the model takes', () => {
    for (const model of ['o1', 'o3-mini', 'gpt-5', 'gpt-10', 'openai/gpt-5.1', 'azure-openai/o4'])
      expect(lowered(chat, { a: 1 }, model)).toEqual({ a: 1, max_completion_tokens: 50 });
    for (const model of ['m', 'gpt-4o', 'gpt-4.1', 'go1', 'x-gpt-5', 'a/b/o1', 'claude-opus-4'])
      expect(lowered(chat, { a: 1 }, model)).toEqual({ a: 1, max_tokens: 50 });
    expect(lowered(gemini, {})).toEqual({ generationConfig: { maxOutputTokens: 50 } });
  });
});

test('the effort of a request, in the words of each format, with at most 32 characters', () => {
  const long = 'x'.repeat(33);
  for (const [fields, effort] of [
    [{}, ''],
    [{ reasoning_effort: 'low', reasoning: { effort: 'high' } }, 'low'],
    [{ reasoning: { effort: 'high' }, output_config: { effort: 'max' } }, 'high'],
    [{ output_config: { effort: 'max' } }, 'max'],
    [{ reasoning: {}, output_config: { effort: 'max' } }, 'max'],
    [{ reasoning: null, output_config: 'max' }, ''],
    [{ reasoning: { effort: 7 }, output_config: { effort: 'max' } }, ''],
    [{ reasoning_effort: long }, long.slice(1)],
    [{ reasoning: { effort: long } }, long.slice(1)],
  ] as const)
    expect(reasoningEffortOf(fields)).toBe(effort);
});

test('the class of a request that has a price of its own', () => {
  const [snake, camel] = ['service_tier', 'serviceTier'];
  expect([snake, camel].map((name) => requestClassOf({ [name]: 'flex' }))).toEqual(['flex', 'flex']);
  expect([snake, camel].map((name) => requestClassOf({ [name]: 'priority' }))).toEqual([
    'priority',
    'priority',
  ]);
  expect(requestClassOf({ [snake]: 'flex', [camel]: 'priority' })).toBe('flex');
  for (const tier of ['auto', 'default', 'scale', undefined, 7])
    expect(requestClassOf({ [snake]: tier })).toBeUndefined();
});
