import { describe, expect, test } from 'bun:test';
import { csvCell, csvLine, readCsv } from './csv.ts';

describe('a CSV cell', () => {
  test.each([
    ['plain', 'plain'],
    ['-12.5', '-12.5'],
    ['-3', '-3'],
    ['=1+1', `"'=1+1"`],
    ['+cmd', `"'+cmd"`],
    ['-cmd', `"'-cmd"`],
    ['-2+3', `"'-2+3"`],
    ['@SUM(A1)', `"'@SUM(A1)"`],
    ['\tx', `"'\tx"`],
    ['\r=1', `"'\r=1"`],
    ['a,b', '"a,b"'],
    ['a "b", c\nd', '"a ""b"", c\nd"'],
  ])('%p becomes %p: quoted, and never a formula of a spreadsheet', (text, cell) => {
    expect(csvCell(text)).toBe(cell);
  });
});

test('a line ends as RFC 4180 says', () => {
  expect(csvLine([1, 'a', true])).toBe('1,a,true\r\n');
});

describe('a CSV file is read', () => {
  test.each([
    [
      'a,b\n1,2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a,b\r\n"x, ""y""",\r\n',
      [
        ['a', 'b'],
        ['x, "y"', ''],
      ],
    ],
    ['\ufeffa\n\n"line\nend"', [['a'], ['line\nend']]],
    ['a,', [['a', '']]],
    ['', []],
  ])('%j', (text, lines) => {
    expect(readCsv(text, 10)).toEqual(lines);
  });
  test('not when a quote stays open or the lines are too many', () => {
    expect(readCsv('a\n"b', 10)).toBeUndefined();
    expect(readCsv('a\nb"c"\n', 10)).toBeUndefined();
    expect(readCsv('a\nb\nc\n', 2)).toBeUndefined();
  });
});
