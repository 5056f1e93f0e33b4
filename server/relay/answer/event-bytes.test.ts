import { expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { decodeText, encodeText } from '#server/egress/index.ts';
import { isPlain, withoutNullUsage } from './event-bytes.ts';

/** Suppliers put it last, first or nowhere. */
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

test('a usage of null is hidden wherever it stands, and the words beside it stay, whatever they say', () => {
  fc.assert(
    fc.property(fc.array(chunk, { minLength: 1, maxLength: 4 }), (chunks) => {
      // One supplier has one habit.
      const [first] = chunks;
      const alike = chunks.filter(({ place }) => place === first?.place);
      const bytes = encodeText(alike.map(({ sent }) => sent).join(''));
      expect(isPlain(bytes)).toBe(true);
      expect(decodeText(withoutNullUsage(bytes))).toBe(alike.map(({ shown }) => shown).join(''));
    }),
    { numRuns: 1000 },
  );
});

test('words that look like it stay', () => {
  const event = `data: ${JSON.stringify({ delta: { content: ',"usage":null' } })}\n\n`;
  expect(decodeText(withoutNullUsage(encodeText(event)))).toBe(event);
});
