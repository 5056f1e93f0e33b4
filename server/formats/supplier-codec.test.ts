// What holds for the codec of every supplier: any request can be told or is noted, any JSON is read without a fault.
import { describe, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { aiproxyLibrary } from './aiproxy-library/index.ts';
import { baidu } from './baidu/index.ts';
import { bedrockConverse } from './bedrock-converse/index.ts';
import type { ConversionNote } from './canonical.ts';
import type { UpstreamCodec } from './codec.ts';
import { cohere } from './cohere/index.ts';
import { coze } from './coze/index.ts';
import { dify } from './dify/index.ts';
import { FormatError } from './json.ts';
import { replicate } from './replicate/index.ts';
import { spark } from './spark/index.ts';
import { tencent } from './tencent/index.ts';
import { codecOf, decodeAll, encodeAll, meaningOf } from './testing.ts';

const suppliers: Record<string, UpstreamCodec> = {
  aiproxyLibrary,
  baidu,
  bedrockConverse,
  cohere,
  coze,
  dify,
  replicate,
  spark,
  tencent,
};

const rich = {
  model: 'm',
  stream: true,
  seed: 3,
  n: 2,
  response_format: { type: 'json_schema', json_schema: { name: 's', schema: { type: 'object' } } },
  tools: [{ type: 'function', function: { name: 'now', parameters: { type: 'object' } } }],
  messages: [
    { role: 'system', content: 'Be brief.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look here' },
        { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
      ],
    },
  ],
};

for (const [name, codec] of Object.entries(suppliers)) {
  describe(name, () => {
    test('a rich request is told with the question in it, and what is lost is said', () => {
      const notes: ConversionNote[] = [];
      const body = codec.encodeRequest(codecOf('openai-chat').decodeRequest(rich, notes), notes);
      expect(JSON.stringify(body)).toContain('Look here');
      expect(notes.some(({ what }) => what === 'dropped')).toBe(true);
    });

    test('any JSON is read without a fault, half a frame is a named mistake', () => {
      const any = fc.jsonValue({ maxDepth: 3 });
      const event = fc.constantFrom(
        '',
        'message',
        'error',
        'contentBlockDelta',
        'conversation.message.delta',
        'metadata',
      );
      fc.assert(
        fc.property(fc.array(fc.record({ event, data: any }), { maxLength: 5 }), (frames) => {
          const events = decodeAll(
            codec,
            frames.map(({ event: named, data }) => ({ event: named, data: JSON.stringify(data) })),
          );
          for (const { data } of frames) {
            events.push(...codec.decodeResponse(data));
            codec.decodeError(data);
          }
          encodeAll('anthropic-messages', events);
        }),
        { numRuns: 60 },
      );
      // Replicate’s answers come whole.
      if (codec === replicate) expect(codec.decodeStream().push('', '{}')).toEqual([]);
      else expect(() => codec.decodeStream().push('', '{"half":')).toThrow(FormatError);
    });
  });
}

test('Replicate joins the pieces of its output and counts what it tells', () => {
  const events = replicate.decodeResponse({
    id: 'p1',
    model: 'meta/llama',
    status: 'succeeded',
    output: ['Hel', 'lo'],
    metrics: { input_token_count: 3, output_token_count: 2 },
  });
  const { choices, usage } = meaningOf(events);
  expect(choices.get(0)?.blocks).toMatchObject([{ type: 'text', text: 'Hello' }]);
  expect(usage).toMatchObject({ input: 3, output: 2 });
});

test('AIProxy’s library ends with its sources', () => {
  const documents = [{ title: 'A', url: 'https://a' }];
  const events = decodeAll(aiproxyLibrary, [
    { model: 'm', content: 'See.', finish: false },
    { content: '', finish: true, documents },
  ]);
  expect(meaningOf(events).choices.get(0)).toMatchObject({
    reason: 'stop',
    blocks: [{ type: 'text', text: 'See.\n\n1. [A](https://a)' }],
  });
  expect(aiproxyLibrary.decodeError({ success: false, errCode: 7, message: 'no' })).toMatchObject({
    code: '7',
  });
});
