// What each part of a request counts for, to the token: in the estimate, in what is charged without a report, and in the hold.
import { describe, expect, test } from 'bun:test';
import { usageOf } from '#server/money/prices/usage.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { estimateTokens } from './estimate.ts';
import {
  chatEstimate,
  completionEstimate,
  geminiEstimate,
  imageEstimate,
  imageTokens,
  inputEstimate,
  messagesEstimate,
  rerankEstimate,
  responsesEstimate,
  speechEstimate,
  transcriptionEstimate,
} from './request-size.ts';

/** A text of so many tokens. */
const words = (count: number) => Array.from({ length: count }, () => 'a').join(' ');
/** A structure, and what it counts for. */
const STRUCTURE = { name: 'toll' };
const OF_STRUCTURE = estimateTokens(JSON.stringify(STRUCTURE));

const sizes = (fields: Parameters<typeof chatEstimate>[0]) => chatEstimate(fields).promptTokens;
const message = (fields: object) => sizes({ messages: [{ role: 'user', ...fields }] }) - 6;

test('a structure of the test is one brace, three quotes, two words, and no space', () => {
  expect([words(5), estimateTokens(words(5)), OF_STRUCTURE]).toEqual(['a a a a a', 5, 6]);
});

describe('a chat', () => {
  test('counts its texts, its structures and each message', () => {
    expect(chatEstimate({})).toStrictEqual({
      promptTokens: 3,
      pieces: 1,
      choices: 1,
      unreported: usageOf({ input: 3 }),
      isExact: false,
      most: usageOf({ input: 3 }),
    });
    expect(sizes({ messages: [{ content: words(5) }, { content: words(20) }] })).toBe(3 + 8 + 23);
    expect(sizes({ messages: [words(5), 7, null] })).toBe(3 + 5);
    for (const name of ['tools', 'functions', 'response_format'])
      expect(sizes({ [name]: STRUCTURE })).toBe(3 + OF_STRUCTURE);
    expect(sizes({ tools: null })).toBe(3);
    expect(sizes({ messages: 'no list' })).toBe(3);
  });

  test.each([
    ['its name', { name: 'Ada' }, 1],
    ['a name that is none', { name: 7 }, 0],
    ['its content', { content: words(5) }, 5],
    ['the output of a tool', { output: words(5) }, 5],
    ['its reasoning', { reasoning_content: words(5) }, 5],
    ['the arguments of a call', { arguments: words(5) }, 5],
    ['calls of tools', { tool_calls: STRUCTURE }, OF_STRUCTURE],
    ['a call of a function', { function_call: STRUCTURE }, OF_STRUCTURE],
    ['content that is no text', { content: 7 }, 0],
  ])('a message counts for %s', (_what, fields, tokens) => {
    expect(message(fields)).toBe(tokens);
  });

  test.each([
    ['a text', words(5), 5],
    ['text', { type: 'text', text: words(5) }, 5],
    ['text without a type', { text: words(5) }, 5],
    ['a picture', { type: 'image_url', image_url: { url: 'https://x' } }, 765],
    ['a picture in little detail', { type: 'image_url', image_url: { detail: 'low' } }, 85],
    ['a picture of Responses in little detail', { type: 'input_image', detail: 'low' }, 85],
    ['sound', { type: 'input_audio' }, 100],
    ['a file', { type: 'input_file' }, 1000],
    ['a document', { type: 'document' }, 1000],
    ['thoughts', { type: 'thinking', thinking: words(5), text: words(9) }, 5],
    ['a call of a tool', { type: 'tool_use', input: STRUCTURE, text: words(9) }, OF_STRUCTURE],
    ['content inside', { type: 'tool_result', content: [{ type: 'text', text: words(5) }] }, 5],
    ['output inside', { type: 'tool_result', output: words(5) }, 5],
    ['nothing', {}, 0],
    ['no part', 7, 0],
  ])('a part counts for %s', (_what, part, tokens) => {
    expect(message({ content: [part, words(3)] })).toBe(tokens + 3);
  });

  test('a hold covers what attachments can count for beyond the estimate', () => {
    const { promptTokens, unreported, most } = chatEstimate({
      messages: [
        { content: [{ type: 'image_url', image_url: { url: 'https://x' } }, { type: 'input_audio' }] },
      ],
    });
    expect([promptTokens, unreported]).toEqual([871, usageOf({ input: 871 })]);
    expect(most).toEqual(usageOf({ input: 871 + 5000, audioInput: 6000 }));
    const sound = chatEstimate({ messages: [{ content: [{ type: 'input_audio' }] }] });
    expect(sound.most).toEqual(usageOf({ input: 106, audioInput: 6000 }));
    const picture = chatEstimate({ messages: [{ content: [{ type: 'image_url' }] }], n: 3 });
    expect([picture.most, picture.choices]).toEqual([usageOf({ input: 771 + 5000 }), 3]);
  });
});

/** The field that is refused. */
function refused(estimate: () => unknown): unknown {
  try {
    estimate();
    return undefined;
  } catch (error) {
    return error instanceof RelayError ? error.options.param : error;
  }
}

test('answers for each request: at most 128, in every format', () => {
  for (const n of [1, 128]) {
    expect(chatEstimate({ n }).choices).toBe(n);
    expect(completionEstimate({ n }).choices).toBe(n);
    expect(imageEstimate({ n }, 'm').choices).toBe(n);
    expect(geminiEstimate({ generationConfig: { candidateCount: n } }).choices).toBe(n);
  }
  expect(completionEstimate({}).choices).toBe(1);
  expect(completionEstimate({ n: 128, best_of: 0 }).choices).toBe(128);
  expect(completionEstimate({ best_of: 128 }).choices).toBe(128);
  expect(geminiEstimate({ generationConfig: [] }).choices).toBe(1);
  for (const n of [0, 129]) {
    expect(refused(() => chatEstimate({ n }))).toBe('n');
    expect(refused(() => completionEstimate({ n }))).toBe('n');
    expect(refused(() => imageEstimate({ n }, 'm'))).toBe('n');
    expect(refused(() => geminiEstimate({ generationConfig: { candidateCount: n } }))).toBe('candidateCount');
  }
  expect(refused(() => completionEstimate({ best_of: 129 }))).toBe('best_of');
});

test('a completion counts its prompt in every shape, and what follows it', () => {
  const prompt = (value: unknown, suffix?: string) =>
    completionEstimate({ prompt: value, suffix }).promptTokens;
  expect(prompt(words(5), words(20))).toBe(25);
  expect(prompt([words(5), words(7)])).toBe(12);
  expect(prompt([1, 2, 3])).toBe(3);
  expect(prompt([[1, 2], [3]])).toBe(3);
  expect([prompt(undefined), prompt(null), prompt(true)]).toEqual([0, 0, 0]);
  expect(completionEstimate({ prompt: words(5) }).unreported).toEqual(usageOf({ input: 5 }));
});

test('an embedding counts texts, numbers, and objects of text or of a kind', () => {
  const input = (value: unknown) => inputEstimate({ input: value }).promptTokens;
  expect(input(words(5))).toBe(5);
  expect(input([{ text: words(5) }, { type: 'image_url', image_url: {} }, words(2), 7])).toBe(773);
  expect(input({ content: words(5) })).toBe(0);
});

test('a request of Responses counts instructions, tools, the form of the answer, and its input', () => {
  const size = (fields: object) => responsesEstimate(fields as never).promptTokens;
  expect(size({ instructions: words(5), tools: STRUCTURE, text: STRUCTURE, input: words(40) })).toBe(
    3 + 5 + 2 * OF_STRUCTURE + 40,
  );
  expect(size({ input: [{ content: words(5) }, { output: words(20) }, words(7)] })).toBe(3 + 8 + 23 + 7);
  const { most } = responsesEstimate({ input: [{ content: [{ type: 'input_image' }] }] });
  expect(most).toEqual(usageOf({ input: 3 + 3 + 765 + 5000 }));
});

test('messages of Anthropic count the system, tools, the form of the answer, and each message', () => {
  const size = (fields: object) => messagesEstimate(fields as never).promptTokens;
  expect(size({ system: words(5), tools: STRUCTURE, output_config: STRUCTURE })).toBe(
    3 + 5 + 2 * OF_STRUCTURE,
  );
  expect(size({ messages: [{ content: words(5) }, { content: [{ type: 'image' }] }] })).toBe(3 + 8 + 768);
  expect(messagesEstimate({ messages: [{ content: [{ type: 'document' }] }] }).most).toEqual(
    usageOf({ input: 3 + 1003 + 100_000 }),
  );
});

describe('contents of Gemini', () => {
  const size = (fields: object) => geminiEstimate(fields as never).promptTokens;
  const part = (each: unknown) => size({ contents: [{ parts: [each] }] }) - 3;

  test('count at each place where text may be', () => {
    expect(size({})).toBe(1);
    expect(size({ tools: STRUCTURE })).toBe(OF_STRUCTURE);
    for (const name of ['responseSchema', 'responseJsonSchema'])
      expect(size({ generationConfig: { [name]: STRUCTURE } })).toBe(OF_STRUCTURE);
    expect(size({ generationConfig: { responseSchema: STRUCTURE, responseJsonSchema: words(50) } })).toBe(
      OF_STRUCTURE,
    );
    for (const name of ['contents', 'content', 'systemInstruction', 'system_instruction'])
      expect(size({ [name]: { parts: [{ text: words(5) }, { text: words(7) }] } })).toBe(15);
    expect(size({ requests: [{ content: { parts: [{ text: words(5) }] } }] })).toBe(8);
    expect(size({ contents: words(5), content: words(7) })).toBe(12);
  });

  test.each([
    ['text', { text: words(5) }, 5],
    ['a picture', { inlineData: { mimeType: 'image/png' } }, 258],
    ['a picture of a file', { file_data: { mime_type: 'image/png' } }, 258],
    ['something without a type', { fileData: { fileUri: 'x' } }, 258],
    ['sound', { inline_data: { mime_type: 'audio/wav' } }, 100],
    ['a document', { fileData: { mimeType: 'application/pdf' } }, 1000],
    ['a call of a function', { functionCall: STRUCTURE }, OF_STRUCTURE],
    ['the answer of a function', { functionResponse: STRUCTURE }, OF_STRUCTURE],
    ['nothing', {}, 0],
    ['no part', 7, 0],
  ])('a part counts for %s', (_what, each, tokens) => {
    expect(part(each)).toBe(tokens);
  });

  test('a hold covers what their pictures can count for', () => {
    const contents = [{ parts: [{ inlineData: { mimeType: 'image/png' } }] }];
    expect(geminiEstimate({ contents }).most).toEqual(usageOf({ input: 261 + 5000 }));
  });
});

test('a ranker without a list of documents reads the query once', () => {
  expect(rerankEstimate({ query: words(5), documents: words(8) })).toStrictEqual({
    promptTokens: 13,
    pieces: 1,
    choices: 1,
    unreported: usageOf({ input: 13 }),
    isExact: false,
    most: usageOf({ input: 20 }),
  });
});

describe('pictures', () => {
  test('count by pieces, and for the hold by quality and previews', () => {
    expect(imageEstimate({ prompt: words(5), n: 2 }, 'm')).toStrictEqual({
      promptTokens: 2500,
      pieces: 2,
      choices: 2,
      unreported: usageOf({ input: 2500, pieces: 2 }),
      isExact: false,
      most: usageOf({ input: 2500, output: 16_000, pieces: 2 }),
    });
    const { promptTokens, unreported, most } = imageEstimate({ prompt: words(1300) }, 'm');
    expect([promptTokens, unreported.input, most.input]).toEqual([1300, 1250, 1300]);
    const output = (fields: object) => imageEstimate(fields as never, 'm').most.output;
    expect([output({ quality: 'low' }), output({ quality: 'medium' }), output({ quality: 'high' })]).toEqual([
      500, 2000, 8000,
    ]);
    const previews = (count: unknown) => output({ quality: 'low', partial_images: count });
    expect([
      previews(0),
      previews(0.5),
      previews(1),
      previews(10),
      previews(11),
      previews(-1),
      previews('3'),
    ]).toEqual([500, 600, 600, 1500, 1500, 500, 500]);
    expect(output({ n: 2, quality: 'low', partial_images: 3 })).toBe(1600);
  });

  test('of a larger size or of more quality are more pieces', () => {
    const pieces = (fields: object) => imageEstimate(fields as never, 'dall-e-3').pieces;
    expect([pieces({}), pieces({ quality: 'hd' }), pieces({ size: 7 })]).toEqual([1, 2, 1]);
    expect(imageEstimate({ quality: 'hd' }, 'dall-e-3').unreported.input).toBe(2500);
    const wide = imageEstimate({ size: '1792x1024', quality: 'hd' }, 'dall-e-3');
    expect(wide.unreported.input).toBe(Math.ceil(1250 * wide.pieces));
  });

  test('in a prompt count for more of them in full detail', () => {
    expect([
      imageTokens({}),
      imageTokens({ detail: 'low' }),
      imageTokens({ image_url: { detail: 'low' } }),
    ]).toEqual([765, 85, 85]);
    expect(imageTokens({ image_url: { detail: 'high' }, detail: 'low' })).toBe(765);
  });
});

test('speech is counted by characters, or by text and sound', () => {
  const input = 'Pay here 😀😀';
  expect(speechEstimate({ input }, 'tts-1-hd')).toStrictEqual({
    promptTokens: 11,
    pieces: 1,
    choices: 1,
    unreported: usageOf({ input: 11 }),
    isExact: true,
    most: usageOf({ input: 11 }),
  });
  const tokens = estimateTokens(input);
  // 11 characters × 1.39, rounded up; three times of it for slow speech.
  expect(speechEstimate({ input }, 'gpt-4o-mini-tts')).toStrictEqual({
    promptTokens: tokens,
    pieces: 1,
    choices: 1,
    unreported: usageOf({ input: tokens, audioOutput: 16 }),
    isExact: false,
    most: usageOf({ input: tokens, audioOutput: 48 }),
  });
  expect(speechEstimate({ input: 7 }, 'tts-1').promptTokens).toBe(0);
  // The ends of the range of first halves: one character each.
  expect(speechEstimate({ input: '\u{10000}\u{10ffff}' }, 'tts-1').promptTokens).toBe(2);
  expect(speechEstimate({ input: '\u{d7ff}\u{e000}' }, 'tts-1').promptTokens).toBe(2);
});

test('a recording counts for a thousand tokens until it is read, and for the prompt', () => {
  expect(transcriptionEstimate({ prompt: words(5) }).promptTokens).toBe(1005);
});
