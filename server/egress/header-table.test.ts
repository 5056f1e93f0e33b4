import { describe, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { HeaderTable } from './header-table.ts';

const table = (text: string, isLoose = false) => new HeaderTable(text, 0, text.length, isLoose);

const name = fc.stringMatching(/^[A-Za-z0-9-]{1,12}$/);
const value = fc.stringMatching(/^[\x21-\x7e]{0,12}$/);

describe('header lines', () => {
  test('are found by name in any case, the first of a name first, without the blanks around a value', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value), { maxLength: 12 }), (lines) => {
        const headers = table(lines.map(([key, text]) => `${key}: \t${text} \r\n`).join(''));
        expect(headers.isMalformed).toBe(false);
        expect(headers.entries()).toEqual(lines.map(([key, text]) => [key.toLowerCase(), text]));
        for (const [key] of lines) {
          const same = lines.filter(([other]) => other.toLowerCase() === key.toLowerCase());
          expect(headers.get(key.toLowerCase())).toBe(same[0]?.[1]);
          expect(headers.count(key.toLowerCase())).toBe(same.length);
          expect(headers.isAmbiguous(key.toLowerCase())).toBe(new Set(same.map(([, text]) => text)).size > 1);
        }
        expect(headers.get('not-there-at-all')).toBeUndefined();
      }),
    );
  });

  test('a place inside a longer text is read and no more', () => {
    const text = 'GET / HTTP/1.1\r\nHost: a\r\n\r\nHost: b\r\n';
    const headers = new HeaderTable(text, 16, 25, false);
    expect(headers.entries()).toEqual([['host', 'a']]);
  });

  test.each([
    ['a folded line', 'A: b\r\n c: d\r\n', true, true],
    ['a bare line feed', 'A: b\nC: d\r\n', true, true],
    ['a bare carriage return', 'A: b\rC: d\r\n', true, true],
    ['a zero byte', 'A: \0\r\n', true, true],
    ['no line end', 'A: b', true, true],
    ['a blank before the colon', 'A : b\r\n', true, false],
    ['no colon', 'A\r\n', true, false],
    ['no name', ': b\r\n', true, false],
    ['a control character', 'A: \x01\r\n', true, false],
  ])('%s: refused from callers %p, from upstreams %p', (_what, text, strict, loose) => {
    expect(table(text).isMalformed).toBe(strict);
    expect(table(text, true).isMalformed).toBe(loose);
  });

  test('a line of an upstream that is no header is no header', () => {
    expect(table('A\r\nB: c\r\n: d\r\n', true).entries()).toEqual([['b', 'c']]);
  });
});
