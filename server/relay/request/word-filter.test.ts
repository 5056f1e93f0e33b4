import { describe, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { faultSeen } from '#tests/support/fault-report.ts';
import { createWordFilter, promptTexts } from './word-filter.ts';

describe('many words at once', () => {
  test('finds what a plain search finds', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 4 });
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'A', 'x'), maxLength: 40 });
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 8 }), text, (words, haystack) => {
        const expected = [...new Set(words)].filter((each) => haystack.toLowerCase().includes(each)).sort();
        expect(createWordFilter(words)?.find(haystack, 100).sort()).toEqual(expected);
      }),
      { numRuns: 2000 },
    );
  });

  test('finds what a plain search finds: Chinese, capitals, combining marks, overlapping words', () => {
    const unit = fc.constantFrom(
      '禁',
      '词',
      '词语',
      'é',
      'É',
      'ß',
      'A',
      'a',
      'e',
      '\u{301}',
      '\u{fe0f}',
      '😀',
      'İ',
      ' ',
    );
    const word = fc.string({ unit, minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1, maxLength: 12 }),
        fc.string({ unit, maxLength: 60 }),
        (words, haystack) => {
          const wanted = [...new Set(words.map((each) => each.trim().toLowerCase()))].filter(Boolean);
          const text = haystack.toLowerCase();
          expect((createWordFilter(words)?.find(haystack, 100) ?? []).sort()).toEqual(
            wanted.filter((each) => text.includes(each)).sort(),
          );
        },
      ),
      { numRuns: 3000 },
    );
  });

  test('finds what a plain search finds with ten thousand words', () => {
    const letters = '的一是在不了有和人这abcdeABCDE';
    const words = Array.from({ length: 10_000 }, (_, index) => {
      let word = '';
      for (let rest = index + 1; rest > 0; rest = Math.floor(rest / 15)) word += letters[rest % 15] ?? '';
      return word + (index % 3 === 0 ? 'x' : '');
    });
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...letters.split(''), 'x', 'X'), minLength: 50, maxLength: 400 }),
        (haystack) => {
          const text = haystack.toLowerCase();
          const wanted = new Set(
            words.map((each) => each.toLowerCase()).filter((each) => text.includes(each)),
          );
          expect(new Set(createWordFilter(words)?.find(haystack, 20_000))).toEqual(wanted);
        },
      ),
      { numRuns: 20 },
    );
  });

  test('a mark or a variation selector after a word does not hide it', () => {
    const filter = createWordFilter(['bad', '禁词']);
    for (const mark of ['\u{301}', '\u{fe0f}', '\u{200d}', '\u{20e3}'])
      expect(filter?.find(`so bad${mark} 有禁词${mark}`, 10)).toEqual(['bad', '禁词']);
  });

  test('blank words make no filter, any case and script is found', () => {
    expect(createWordFilter([' ', ''])).toBeUndefined();
    expect(createWordFilter(['Ärger', '禁词'])?.find('das ÄRGER und 有禁词。', 10)).toEqual([
      'ärger',
      '禁词',
    ]);
  });

  test('D13 a hundred thousand words over a megabyte takes well under a second (plan D13)', () => {
    const words = Array.from(
      { length: 100_000 },
      (_, index) => `secret-${index.toString(36)}${'x'.repeat(index % 7)}`,
    );
    const filter = createWordFilter(words);
    const text = 'secret-#secret-# '.repeat(64_000);
    filter?.find(text.slice(0, 50_000), 5);
    const begun = process.cpuUsage();
    expect(filter?.find(text, 5)).toEqual([]);
    // Processor time; 15 ms when the code is warm.
    const microseconds = process.cpuUsage(begun).user;
    expect(microseconds).toBeLessThan(300_000);
    const megabytes = (text.length / 1e6).toFixed(1);
    faultSeen(
      'D13',
      `${words.length} words over ${megabytes} MB: ${Math.round(microseconds / 1000)} ms of processor time`,
    );
  });
});

test('texts are found at any depth, pictures and sound are left out', () => {
  const fields = {
    messages: [
      { role: 'user', content: 'one' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'two' },
          { type: 'image_url', image_url: { url: 'data:three' } },
        ],
      },
    ],
    instructions: 'four',
    tools: 'not a prompt',
  };
  expect([...promptTexts(fields)]).toEqual(['one', 'two', 'four']);
});
