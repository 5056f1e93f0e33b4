// What must hold for any input: what both formats can say survives the way there and back, no cut of a stream changes its
// meaning, and nothing but a named mistake is thrown.
import { describe, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import type { CanonicalEvent, CanonicalMessage, CanonicalRequest } from './canonical.ts';
import { gather, type Block } from './gather.ts';
import { codecs } from './index.ts';
import { FormatError, type Json } from './json.ts';
import { EventSplitter, readEvent } from './sse.ts';
import { codecOf, decodeAll, encodeAll, framesOf, usageOf } from '#tests/support/formats.ts';

const formats = Object.keys(codecs);
const runs = { numRuns: 60 };
/** Generating takes its time on a busy machine. */
const patienceMilliseconds = 30_000;

/** Names that every object has: a table must not answer to them. */
const inherited = fc.constantFrom('constructor', 'toString', '__proto__', 'hasOwnProperty');

const word = fc
  .string({ minLength: 1, maxLength: 12, unit: 'grapheme' })
  .filter((value) => value.trim() !== '');
const id = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/);
const argument = fc.dictionary(id, fc.oneof(fc.integer(), word, fc.boolean()), { maxKeys: 3 });

interface Call {
  name: string;
  given: Json;
}

/** A conversation as every format can tell it: user and assistant in turns, each call answered. */
const conversation = fc
  .array(
    fc.record({
      asked: word,
      answer: word,
      calls: fc.array(fc.record({ name: id, given: argument }), { maxLength: 3 }),
    }),
    {
      minLength: 1,
      maxLength: 4,
    },
  )
  .map((rounds) => {
    const messages: CanonicalMessage[] = [];
    for (const [round, { asked, answer, calls }] of rounds.entries()) {
      const callParts = calls.map(({ name, given }: Call, index) => ({
        type: 'tool_call' as const,
        id: `call_${round}_${index}`,
        name,
        arguments: JSON.stringify(given),
      }));
      messages.push({ role: 'user', content: [{ type: 'text', text: asked }] });
      messages.push({ role: 'assistant', content: [{ type: 'text', text: answer }, ...callParts] });
      for (const part of callParts) {
        const content = [{ type: 'text' as const, text: `answer to ${part.id}` }];
        messages.push({ role: 'tool', content: [{ type: 'tool_result', callId: part.id, content }] });
      }
    }
    messages.push({ role: 'user', content: [{ type: 'text', text: 'go on' }] });
    return messages;
  });

const request = fc.record({
  messages: conversation,
  system: fc.option(word, { nil: undefined }),
  temperature: fc.option(fc.constantFrom(0, 0.5, 1), { nil: undefined }),
  maxOutputTokens: fc.integer({ min: 16, max: 4000 }),
  isStream: fc.boolean(),
  tools: fc.uniqueArray(id, { maxLength: 3 }),
});

type Asked = typeof request extends fc.Arbitrary<infer T> ? T : never;

const canonical = (asked: Asked): CanonicalRequest => ({
  format: 'openai-chat',
  model: 'some-model',
  messages: [
    ...(asked.system === undefined
      ? []
      : [{ role: 'system' as const, content: [{ type: 'text' as const, text: asked.system }] }]),
    ...asked.messages,
  ],
  stream: asked.isStream,
  maxOutputTokens: asked.maxOutputTokens,
  ...(asked.temperature === undefined ? {} : { temperature: asked.temperature }),
  ...(asked.tools.length === 0
    ? {}
    : {
        tools: asked.tools.map((name) => ({
          type: 'function' as const,
          name,
          description: `does ${name}`,
          parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
        })),
        toolChoice: 'auto' as const,
      }),
  extra: {},
  source: {},
});

/** What is said, without how it is cut into messages and how calls are numbered. */
function meaning(asked: CanonicalRequest): unknown {
  const names = new Map<string, string>();
  const content = asked.messages.flatMap((message) =>
    message.content.map((part) => {
      const role = message.role === 'tool' ? 'user' : message.role;
      if (part.type === 'text') return [role, part.text];
      if (part.type === 'tool_call') {
        names.set(part.id, `${names.size}`);
        return [role, part.name, JSON.parse(part.arguments) as unknown, names.get(part.id)];
      }
      if (part.type !== 'tool_result') return [role, part.type];
      const [inner] = part.content;
      return ['result', names.get(part.callId), inner?.type === 'text' ? inner.text : inner?.type];
    }),
  );
  return {
    content,
    temperature: asked.temperature,
    limit: asked.maxOutputTokens,
    tools: asked.tools,
    choice: asked.toolChoice,
  };
}

describe('requests', () => {
  for (const format of formats) {
    test(`${format}: what every format can say comes back from it, without a note`, () => {
      fc.assert(
        fc.property(request, (asked) => {
          const given = canonical(asked);
          const notes: { field: string }[] = [];
          const body = codecOf(format).encodeRequest(given, notes as never) as Json;
          const back = codecOf(format).decodeRequest(body, notes as never);
          expect(notes).toEqual([]);
          const wanted = meaning(given) as { tools?: Json[] };
          const found = meaning(back) as { tools?: Json[] };
          // Absent means strict in one format: there it is said.
          for (const tool of found.tools ?? []) delete tool['strict'];
          expect(found).toEqual(wanted);
        }),
        runs,
      );
    });

    test(
      `${format}: any JSON is a request or a named mistake`,
      () => {
        const member = fc.oneof(
          fc.jsonValue({ maxDepth: 2 }),
          fc.constantFrom(null, 'x', 5, [], {}, [{}], [{ type: 'x' }], 'constructor', [
            { type: 'constructor' },
          ]),
        );
        const names = [
          'model',
          'messages',
          'input',
          'contents',
          'system',
          'systemInstruction',
          'tools',
          'tool_choice',
          'toolConfig',
        ];
        const others = [
          'generationConfig',
          'thinking',
          'reasoning',
          'text',
          'response_format',
          'stop',
          'metadata',
          'instructions',
        ];
        const body = fc.oneof(
          fc.jsonValue({ maxDepth: 2 }),
          fc.dictionary(fc.constantFrom(...names, ...others), member),
          fc.record({
            messages: fc.array(message, { maxLength: 4 }),
            input: fc.array(message, { maxLength: 4 }),
            contents: fc.array(message, { maxLength: 4 }),
          }),
        );
        fc.assert(
          fc.property(body, (given) => {
            try {
              const asked = codecOf(format).decodeRequest(given, []);
              for (const other of formats) codecOf(other).encodeRequest(asked, []);
            } catch (error) {
              expect(error).toBeInstanceOf(FormatError);
              expect((error as FormatError).message).toContain('must be');
            }
          }),
          { numRuns: 120 },
        );
      },
      patienceMilliseconds,
    );
  }

  test('a mistake is named by its path', () => {
    const path = (format: string, body: unknown): string => {
      try {
        codecOf(format).decodeRequest(body, []);
      } catch (error) {
        if (error instanceof FormatError) return error.path;
        throw error;
      }
      return 'none';
    };
    expect(path('openai-chat', { messages: [{ role: 'user', content: [{ type: 'text', text: 5 }] }] })).toBe(
      'messages[0].content[0].text',
    );
    expect(path('openai-chat', { messages: [{ role: 'ghost' }] })).toBe('messages[0].role');
    expect(path('anthropic-messages', { messages: {} })).toBe('messages');
    expect(path('openai-responses', { input: [{ type: 'function_call', name: 'x' }] })).toBe(
      'input[0].call_id',
    );
    expect(path('gemini-generate', { contents: [{ parts: [{ functionCall: {} }] }] })).toBe(
      'contents[0].parts[0].functionCall.name',
    );
    expect(path('openai-chat', null)).toBe('');
    expect(path('openai-chat', { messages: [], temperature: 'hot' })).toBe('temperature');
  });
});

const block = fc.record({
  type: fc.constantFrom(
    'text',
    'image',
    'image_url',
    'tool_use',
    'tool_result',
    'thinking',
    'document',
    'input_file',
    'refusal',
    'x',
  ),
  text: fc.oneof(fc.string(), fc.integer()),
  source: fc.jsonValue({ maxDepth: 1 }),
  id: fc.oneof(fc.string(), fc.constant(null)),
});
const message = fc.record(
  {
    role: fc.constantFrom('user', 'assistant', 'model', 'system', 'tool', 'x'),
    type: fc.constantFrom('message', 'function_call', 'reasoning', 'function_call_output', 'x'),
    content: fc.oneof(fc.string(), fc.array(block, { maxLength: 4 }), fc.jsonValue({ maxDepth: 1 })),
    parts: fc.array(
      fc.oneof(
        block,
        fc.dictionary(
          fc.constantFrom('text', 'functionCall', 'inlineData', 'thought'),
          fc.jsonValue({ maxDepth: 1 }),
        ),
      ),
    ),
    tool_calls: fc.oneof(fc.array(fc.jsonValue({ maxDepth: 1 })), fc.constant(null)),
  },
  { requiredKeys: ['role'] },
);

/** Pieces of an answer; indexes and ids follow from the order. */
const answer = fc
  .record({
    thought: fc.array(word, { maxLength: 3 }),
    texts: fc.array(word, { maxLength: 4 }),
    calls: fc.array(fc.record({ name: id, given: argument }), { maxLength: 3 }),
    cut: fc.integer({ min: 1, max: 5 }),
    isCut: fc.boolean(),
    counts: fc.record({
      input: fc.nat(99),
      cacheRead: fc.nat(99),
      output: fc.nat(99),
      reasoning: fc.nat(99),
    }),
  })
  .map(({ thought, texts, calls, cut, isCut, counts }) => {
    const events: CanonicalEvent[] = [{ type: 'start', id: 'abc', model: 'm', created: 0 }];
    for (const text of thought) events.push({ type: 'reasoning-delta', choice: 0, text });
    for (const text of texts) events.push({ type: 'text-delta', choice: 0, text });
    for (const [index, { name, given }] of calls.entries()) {
      events.push({ type: 'tool-call-delta', choice: 0, index, id: `call_${index}`, name, arguments: '' });
      const json = JSON.stringify(given);
      for (let at = 0; at < json.length; at += cut)
        events.push({ type: 'tool-call-delta', choice: 0, index, arguments: json.slice(at, at + cut) });
    }
    const reason = isCut ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop';
    events.push(
      { type: 'finish', choice: 0, reason, raw: reason },
      { type: 'usage', usage: usageOf(counts) },
    );
    return events;
  });

const texts = (blocks: readonly Block[]): unknown =>
  blocks.map((part) => {
    if (part.type === 'tool_call') return [part.name, part.id, JSON.parse(part.arguments) as unknown];
    return part.type === 'text' || part.type === 'reasoning' ? [part.type, part.text] : part.type;
  });

function summary(events: readonly CanonicalEvent[]): unknown {
  const whole = gather(events);
  const { usage } = whole;
  const choice = whole.choices.get(0);
  const counts = usage && [usage.input, usage.cacheRead, usage.output, usage.reasoning];
  return { texts: texts(choice?.blocks ?? []), reason: choice?.reason, counts };
}

describe('answers', () => {
  for (const format of formats) {
    test(`${format}: whole and streamed, an answer comes back as it was`, () => {
      fc.assert(
        fc.property(answer, (events) => {
          const wanted = summary(events);
          const whole = codecOf(format).encodeResponse(events);
          expect(summary(codecOf(format).decodeResponse(whole))).toEqual(wanted);
          const wire = encodeAll(format, events);
          expect(summary(decodeAll(codecOf(format), framesOf(wire)))).toEqual(wanted);
        }),
        runs,
      );
    });

    test(`${format}: however the bytes are cut, the stream says the same`, () => {
      fc.assert(
        fc.property(
          answer,
          fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 }),
          (events, cuts) => {
            const bytes = new TextEncoder().encode(encodeAll(format, events));
            const splitter = new EventSplitter(1_000_000);
            const decoder = codecOf(format).decodeStream();
            const found: CanonicalEvent[] = [];
            for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
              const next = at + (cuts[turn % cuts.length] ?? 1);
              for (const part of splitter.push(bytes.slice(at, next))) {
                const { event, data } = readEvent(part);
                found.push(...decoder.push(event, data));
              }
              at = next;
            }
            expect(summary([...found, ...decoder.end()])).toEqual(summary(events));
          },
        ),
        runs,
      );
    });

    test(
      `${format}: any JSON of an upstream is read without a fault`,
      () => {
        const type = fc.constantFrom(
          'message_start',
          'content_block_start',
          'content_block_delta',
          'content_block_stop',
          'message_delta',
          'error',
          'response.created',
          'response.output_item.added',
          'response.output_item.done',
          'response.output_text.delta',
          'response.function_call_arguments.delta',
          'response.completed',
          'x',
        );
        const any = fc.jsonValue({ maxDepth: 2 });
        const loose = fc.record(
          {
            type: fc.oneof(type, inherited),
            error: fc.record({ type: inherited, code: inherited, status: inherited, message: fc.string() }),
            index: any,
            output_index: any,
            delta: fc.oneof(any, block),
            content_block: fc.oneof(any, block),
            item: fc.oneof(any, message),
            message: any,
            response: any,
            choices: fc.oneof(
              any,
              fc.array(fc.record({ delta: fc.oneof(any, message), finish_reason: fc.oneof(any, inherited) })),
            ),
            candidates: fc.oneof(
              any,
              fc.array(fc.record({ content: message, finishReason: fc.oneof(any, inherited) })),
            ),
            usage: any,
            usageMetadata: any,
          },
          { requiredKeys: [] },
        );
        fc.assert(
          fc.property(fc.array(fc.oneof(any, loose), { maxLength: 6 }), (bodies) => {
            const codec = codecOf(format);
            const events = decodeAll(
              codec,
              bodies.map((body) => JSON.stringify(body)),
            );
            for (const body of bodies) {
              events.push(...codec.decodeResponse(body));
              codec.decodeError(body);
            }
            for (const other of formats) {
              encodeAll(other, events);
              codecOf(other).encodeResponse(events);
            }
          }),
          { numRuns: 80 },
        );
      },
      patienceMilliseconds,
    );
  }

  test('from any upstream to any caller, an answer keeps its meaning', () => {
    fc.assert(
      fc.property(
        answer,
        fc.constantFrom(...formats),
        fc.constantFrom(...formats),
        (events, upstream, caller) => {
          const received = decodeAll(codecOf(upstream), framesOf(encodeAll(upstream, events)));
          const passed = decodeAll(codecOf(caller), framesOf(encodeAll(caller, received)));
          expect(summary(passed)).toEqual(summary(events));
        },
      ),
      { numRuns: 120 },
    );
  });

  test('a frame that is no JSON is a named mistake', () => {
    for (const format of formats) {
      const decoder = codecOf(format).decodeStream();
      expect(() => decoder.push('', '{"half":')).toThrow(FormatError);
    }
  });
});
