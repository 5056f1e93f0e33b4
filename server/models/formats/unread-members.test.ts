// Every member of the vendors' types of answers becomes part of an event, or is noted as lost, or is listed here with the reason
// why its loss says nothing.
import { expect, test } from 'bun:test';
import { codecOf } from '#tests/support/formats.ts';
import { probesOf } from '#tests/support/field-probes.ts';
import { readShapes } from '#tests/support/sdk-types.ts';
import type { CanonicalEvent, ConversionNote } from './canonical.ts';
import { noteUnread } from './answer-losses.ts';
import { text, type Json } from './json.ts';

const bases: Readonly<Record<string, Json>> = {
  'openai-chat': {
    id: 'i',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  },
  'openai-responses': {
    id: 'i',
    object: 'response',
    created_at: 1,
    model: 'm',
    status: 'completed',
    output: [],
  },
  'anthropic-messages': {
    id: 'i',
    type: 'message',
    role: 'assistant',
    model: 'm',
    stop_reason: 'end_turn',
    content: [{ type: 'text', text: 'Hi' }],
    usage: { input_tokens: 1, output_tokens: 1 },
  },
  'gemini-generate': {
    responseId: 'i',
    modelVersion: 'm',
    candidates: [{ index: 0, content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
  },
};

/** What may vanish, by format: the path's beginning. */
const idle: Readonly<Record<string, readonly (readonly [RegExp, string])[]>> = {
  'openai-chat': [
    [/^(object|system_fingerprint)$/, 'a fact of the call'],
    [/^usage\./, 'a part of a sum that is read'],
  ],
  'openai-responses': [
    [/^(object|completed_at|output\[\]\.(id|status)|usage\..*)$/, 'a fact of the call'],
    [/^(instructions|tools|tool_choice|prompt|conversation|text|reasoning)\b/, 'repeats the request'],
    [
      /^(metadata|parallel_tool_calls|temperature|top_p|background|max_output_tokens)$/,
      'repeats the request',
    ],
    [/^(previous_response_id|prompt_cache_\w+|safety_identifier|top_logprobs)\b/, 'repeats the request'],
    [/^(truncation|user|max_tool_calls|store)$/, 'repeats the request'],
    [/^output\[\]\.caller\b/, 'only programs call tools otherwise, and they are not carried'],
    [/^output\[\]\.content$/, 'the empty list of a thought'],
  ],
  'anthropic-messages': [
    [/^usage\./, 'a part of a sum that is read, or a fact of the call'],
    [/^content\[\]\.caller\b/, 'only programs call tools otherwise, and they are not carried'],
  ],
  'gemini-generate': [
    [/^(modelStatus|usageMetadata|initialPromptTokenCount|createTime)\b/, 'a fact of the call'],
    [/^candidates\[\]\.(tokenCount|avgLogprobs|index|content\.role)$/, 'a fact of the answer'],
    [/safetyRatings\[\]\./, 'ratings of an answer that was given'],
    [/^promptFeedback\.blockReason/, 'read where there is no candidate'],
    [/\.logprobsResult\./, 'read with a text'],
    [/\.groundingSupports\[\]\.(segment\.|groundingChunkIndices|confidenceScores)/, 'read with its source'],
  ],
};

const shown = (events: readonly CanonicalEvent[]): string =>
  JSON.stringify(
    events.map((event) =>
      event.type === 'usage' ? { ...event, usage: { ...event.usage, raw: null } } : event,
    ),
  );

function read(format: string, body: Json): { events: string; unread: string } {
  const unread = new Set<string>();
  const events = shown(codecOf(format).decodeResponse(body, unread));
  return { events, unread: [...unread].join() };
}

test('no member of an answer in the vendors’ types vanishes without a note (W28)', async () => {
  const shapes = await readShapes(
    new URL('../../../tests/support/sdk-answers.ts', import.meta.url),
    'Answers',
  );
  const silent: string[] = [];
  const counts: Record<string, Record<'read' | 'noted' | 'idle', number>> = {};
  for (const [format, shape] of shapes) {
    const count = (counts[format] = { read: 0, noted: 0, idle: 0 });
    const paths = new Map<string, keyof typeof count | 'silent'>();
    for (const { path, plain, asked } of probesOf(shape, { base: bases[format] ?? {}, values: {} })) {
      const before = read(format, plain);
      const after = asked.map((body) => read(format, body));
      const isIdle = idle[format]?.some(([pattern]) => pattern.test(path));
      if (after.some(({ events }) => events !== before.events)) paths.set(path, 'read');
      else if (after.some(({ unread }) => unread !== '')) paths.set(path, 'noted');
      else if (!paths.has(path)) paths.set(path, isIdle ? 'idle' : 'silent');
    }
    for (const [path, fate] of paths)
      if (fate === 'silent') silent.push(`${format} ${path}`);
      else count[fate] += 1;
  }
  expect(silent).toEqual([]);
  const found = Object.values(counts);
  expect(found.map((count) => count.read > 40 && count.noted > 15)).toEqual([true, true, true, true]);
}, 120_000);

test('a stream names them too, each once', () => {
  const unreadIn = (format: string, frames: readonly Json[]): string[] => {
    const unread = new Set<string>();
    const decoder = codecOf(format).decodeStream(unread);
    for (const frame of [...frames, ...frames]) decoder.push(text(frame['type']), JSON.stringify(frame));
    return [...unread];
  };
  const choice = { index: 0, delta: { content: 'Hi', mood: 'good' }, finish_reason: null };
  expect(
    unreadIn('openai-chat', [{ id: 'i', choices: [choice], citations: ['https://example.com'] }]),
  ).toEqual(['choices.delta.mood', 'citations']);
  const item = {
    type: 'message',
    id: 'a',
    phase: 'commentary',
    content: [{ type: 'output_text', text: 'Hi' }],
  };
  const response = {
    id: 'i',
    status: 'completed',
    output: [item],
    moderation: { output: { flagged: true } },
  };
  expect(
    unreadIn('openai-responses', [
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response },
    ]),
  ).toEqual(['output.phase', 'moderation']);
  expect(
    unreadIn('anthropic-messages', [
      { type: 'message_start', message: { id: 'i', content: [], container: { id: 'c' } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '', mood: 'good' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'compaction_delta', content: 'short' } },
      {
        type: 'message_delta',
        delta: { stop_reason: 'refusal', stop_details: { category: 'bio' } },
        context_management: { applied_edits: [{ type: 'x' }] },
      },
    ]),
  ).toEqual(['container', 'content.mood', 'compaction_delta', 'context_management', 'stop_details.category']);
  const candidate = { content: { parts: [{ text: 'Hi' }] }, citationMetadata: { citations: [{ uri: 'u' }] } };
  expect(unreadIn('gemini-generate', [{ candidates: [candidate] }])).toEqual(['candidates.citationMetadata']);
});

test('what is empty, an item that is an event as a whole, and any further name of many say nothing', () => {
  const empty = { a: null, b: '', c: false, d: [], e: { f: [], g: {} } };
  expect(read('anthropic-messages', { ...bases['anthropic-messages'], ...empty }).unread).toBe('');
  const part = { executableCode: { code: '1' }, mood: 'good' };
  const own = { ...bases['gemini-generate'], candidates: [{ content: { parts: [part] } }] };
  expect(read('gemini-generate', own).unread).toBe('');
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`member_${index}`, 1]));
  expect(read('openai-chat', { ...bases['openai-chat'], ...many }).unread.split(',')).toHaveLength(20);
});

test('a note names the member once', () => {
  const notes: ConversionNote[] = [];
  const unread = new Set(['container']);
  expect([noteUnread(unread, notes), noteUnread(unread, notes)]).toEqual([true, false]);
  expect(notes.map(({ field, what }) => [field, what])).toEqual([['answer.container', 'dropped']]);
});
