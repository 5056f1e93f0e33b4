import { expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { withoutQuotes } from './quotes.ts';

const prompt = 'Draft the letter about the merger\nwith Example Corp';

test.each([
  [
    'status 500: cannot answer "Draft the letter about the merger with Example Corp"',
    'status 500: cannot answer "***"',
  ],
  ['bad input near ...the merger with Exam', 'bad input near ...***'],
  ['the merger is no reason', 'the merger is no reason'],
  ['', ''],
])('%p becomes %p', (words, expected) => {
  expect(withoutQuotes(words, ['hello', prompt])).toBe(expected);
});

test('no twelve characters of any text remain, wherever they are quoted', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', ' '), minLength: 12, maxLength: 60 });
  fc.assert(
    fc.property(
      fc.array(letters, { minLength: 1, maxLength: 4 }),
      fc.nat(),
      fc.nat(),
      (texts, from, place) => {
        const text = texts.join(' ').replaceAll(/\s+/g, ' ');
        const quote = text.slice(from % text.length, (from % text.length) + 12 + (place % 20));
        const words = `x${'-'.repeat(place % 7)}${quote}-y`;
        const shown = withoutQuotes(words, texts);
        for (let at = 0; at + 12 <= text.length; at += 1)
          expect(shown).not.toContain(text.slice(at, at + 12));
        expect(shown).toStartWith('x');
        expect(shown).toEndWith('-y');
      },
    ),
    { numRuns: 500 },
  );
});

test('a request made for it does not make the search slow', () => {
  const begun = process.cpuUsage();
  withoutQuotes('a'.repeat(301), ['a'.repeat(2_000_000)]);
  withoutQuotes('aaaaaab'.repeat(43), ['aaaaaac'.repeat(300_000)]);
  // Processor time; some milliseconds when the code is warm.
  expect(process.cpuUsage(begun).user).toBeLessThan(1_000_000);
});
