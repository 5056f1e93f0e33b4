import { expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { isPlain, tokensOfContent, tokensOfTexts, withoutNullUsage } from './event-text.ts';

/** Upstreams put it last, first or nowhere. */
const chunk = fc
  .record({ text: fc.string(), place: fc.constantFrom('last', 'first', 'none') })
  .map(({ text, place }) => {
    const content = { id: 'a', choices: [{ delta: { content: text } }] };
    const shown = JSON.stringify(content);
    const sent = { last: { ...content, usage: null }, first: { usage: null, ...content }, none: content }[
      place
    ];
    return { place, shown: `data: ${shown}\n\n`, sent: `data: ${JSON.stringify(sent)}\n\n` };
  });

test('a usage of null is hidden wherever it is, and the content beside it stays, whatever it is', () => {
  fc.assert(
    fc.property(fc.array(chunk, { minLength: 1, maxLength: 4 }), (chunks) => {
      // One upstream always puts it in the same place.
      const [first] = chunks;
      const alike = chunks.filter(({ place }) => place === first?.place);
      const text = alike.map(({ sent }) => sent).join('');
      expect(isPlain(text)).toBe(true);
      expect(withoutNullUsage(text)).toBe(alike.map(({ shown }) => shown).join(''));
    }),
    { numRuns: 1000 },
  );
});

test('content that looks like it stays', () => {
  const event = `data: ${JSON.stringify({ delta: { content: ',"usage":null' } })}\n\n`;
  expect(withoutNullUsage(event)).toBe(event);
});

test('each piece of content is a token at least: no upstream sends an empty one', () => {
  expect(tokensOfTexts([' ', '\n', ' '])).toBe(3);
  expect(tokensOfTexts([])).toBe(0);
  expect(tokensOfContent({ choices: [{ delta: { content: ' ' } }] })).toBe(1);
});
