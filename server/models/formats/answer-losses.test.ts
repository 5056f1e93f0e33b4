// What is noted of an answer is exactly what the encoders leave out: an event, or one of its members, that changes nothing in the
// written answer is noted, and one that changes something is not.
import { expect, test } from 'bun:test';
import { noteAnswerLoss } from './answer-losses.ts';
import type { CanonicalEvent, ConversionNote, FormatName } from './canonical.ts';
import { codecs } from './index.ts';

const text: CanonicalEvent = { type: 'text-delta', choice: 0, text: 'Hello there' };
const image: CanonicalEvent = { type: 'image', choice: 0, mediaType: 'image/png', data: 'aGk=' };
const finish: CanonicalEvent = { type: 'finish', choice: 0, reason: 'stop', raw: 'stop' };
const sound: CanonicalEvent = { type: 'audio-delta', choice: 0, id: 'a', mediaType: 'audio/wav' };
const citation = (origin: 'openai' | 'anthropic' | 'google', url?: string): CanonicalEvent => ({
  type: 'citation',
  choice: 0,
  citation: {
    origin,
    title: 'T',
    raw: { type: 'file_citation', file_id: 'f' },
    ...(url === undefined ? {} : { url }),
  },
});

/** The event as it is, and what the answer has without it or without one member of it. */
const cases: readonly [name: string, event: CanonicalEvent, without: CanonicalEvent | undefined][] = [
  ['text', text, undefined],
  ['log probabilities', { ...text, logprobs: [{ token: 'Hello', logprob: -0.1 }] }, text],
  ['a signature of text', { ...text, signature: 'c2ln' }, text],
  ['reasoning', { type: 'reasoning-delta', choice: 0, text: 'I think' }, undefined],
  ['a refusal', { type: 'refusal-delta', choice: 0, text: 'No.' }, undefined],
  ['a picture', image, undefined],
  ['a signature of a picture', { ...image, signature: 'c2ln' }, image],
  ['a recording', { ...sound, data: 'aGk=', transcript: 'hi' }, { ...sound, transcript: 'hi' }],
  ['a transcript', { ...sound, data: 'aGk=', transcript: 'hi' }, { ...sound, data: 'aGk=' }],
  ['a source by address', citation('google', 'https://example.com'), undefined],
  ['OpenAI’s source without an address', citation('openai'), undefined],
  ['Anthropic’s source without an address', citation('anthropic'), undefined],
  [
    'an item of OpenAI',
    { type: 'provider-item', choice: 0, origin: 'openai', item: { type: 'web_search_call', id: 'ws' } },
    undefined,
  ],
  [
    'an item of Anthropic',
    { type: 'provider-item', choice: 0, origin: 'anthropic', item: { type: 'server_tool_use', id: 'st' } },
    undefined,
  ],
  [
    'an item of Google',
    { type: 'provider-item', choice: 0, origin: 'google', item: { executableCode: { code: '1' } } },
    undefined,
  ],
  ['a second answer', { ...text, choice: 1 }, undefined],
  ['the stop sequence', { ...finish, stopSequence: 'END' }, finish],
];

const usage: CanonicalEvent = {
  type: 'usage',
  usage: {
    input: 1,
    cacheRead: 0,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    imageInput: 0,
    audioInput: 0,
    output: 1,
    reasoning: 0,
    audioOutput: 0,
    raw: null,
  },
};

function written(format: FormatName, isStream: boolean, event: CanonicalEvent | undefined): string {
  const isEnd = event?.type === 'finish';
  const events: CanonicalEvent[] = [
    { type: 'start', id: 'id', model: 'm', created: 1 },
    { type: 'text-delta', choice: 0, text: 'Before. ' },
    ...(event === undefined || isEnd ? [] : [event]),
    isEnd ? event : finish,
    usage,
  ];
  const codec = codecs[format];
  if (codec === undefined) throw new Error(format);
  if (!isStream) return JSON.stringify(codec.encodeResponse(events, { includeUsage: true }));
  const encoder = codec.encodeStream({ includeUsage: true });
  return events.map((each) => encoder.push(each)).join('') + encoder.end();
}

const formats: readonly FormatName[] = [
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'gemini-generate',
];

for (const format of formats)
  for (const isStream of [false, true])
    test.each(cases)(
      `${format} ${isStream ? 'streamed' : 'whole'}: %s is written or noted as lost (W28)`,
      (_, event, without) => {
        const notes: ConversionNote[] = [];
        noteAnswerLoss({ format, isStream }, event, notes);
        const before: ConversionNote[] = [];
        if (without !== undefined) noteAnswerLoss({ format, isStream }, without, before);
        const isLost = written(format, isStream, event) === written(format, isStream, without);
        expect(notes.length - before.length).toBe(isLost ? 1 : 0);
      },
    );

test('each field is noted once, however long the answer is', () => {
  const notes: ConversionNote[] = [];
  const shape = { format: 'anthropic-messages', isStream: true } as const;
  const event: CanonicalEvent = { ...text, logprobs: [] };
  expect([noteAnswerLoss(shape, event, notes), noteAnswerLoss(shape, event, notes)]).toEqual([true, false]);
  expect(notes.map(({ field }) => field)).toEqual(['answer.logprobs']);
});
