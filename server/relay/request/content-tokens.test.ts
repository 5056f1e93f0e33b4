import { describe, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { tokensOfContent, tokensOfEvents } from './content-tokens.ts';

const events = fc.array(
  fc.oneof(
    fc.string({ maxLength: 12 }).map((content) => ({ choices: [{ index: 0, delta: { content } }] })),
    fc.string().map((text) => ({ choices: [{ text }] })),
    fc
      .string()
      .map((content) => ({ choices: [{ delta: { role: 'assistant', content } }, { delta: { content } }] })),
    fc.string().map((args) => ({
      choices: [{ delta: { tool_calls: [{ index: 0, function: { arguments: args } }] } }],
    })),
    fc
      .string()
      .map((reasoning) => ({ choices: [{ delta: { content: null, reasoning_content: reasoning } }] })),
    fc.string().map((delta) => ({ type: 'response.output_text.delta', delta })),
    fc.string().map((message) => ({ error: { message } })),
  ),
  { maxLength: 20 },
);

describe('tokens of events', () => {
  test('the short way over the bytes counts what the long way over the objects counts', () => {
    fc.assert(
      fc.property(events, fc.constantFrom('\n', '\r\n', '\r'), (list, end) => {
        const wire = list.map((event) => `data: ${JSON.stringify(event)}${end}${end}`).join('');
        const expected = list.reduce((sum, event) => sum + tokensOfContent(event), 0);
        expect(tokensOfEvents(`${wire}data: [DONE]${end}${end}`)).toBe(expected);
        for (const event of list) {
          expect(tokensOfEvents(`data: ${JSON.stringify(event)}${end}${end}`)).toBe(tokensOfContent(event));
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('M19 an error is not content, and neither are bytes of sound and pictures', () => {
    expect(tokensOfContent({ error: { message: 'a long sentence about nothing' } })).toBe(0);
    expect(tokensOfContent({ type: 'response.audio.delta', delta: 'AAAA' })).toBe(0);
    expect(tokensOfContent({ type: 'response.output_audio.delta', delta: 'AAAA' })).toBe(0);
    expect(tokensOfContent({ type: 'image_generation.partial_image', b64_json: 'AAAA' })).toBe(0);
  });
});
