import { expect, test } from 'bun:test';
import { numberArray, textArray } from './arrays.ts';

test('numbers are joined, texts are quoted, and what would end a text is escaped', () => {
  expect(numberArray([])).toBe('{}');
  expect(numberArray([1, -2, 9007199254740991])).toBe('{1,-2,9007199254740991}');
  expect(textArray([])).toBe('{}');
  expect(textArray(['', 'a', 'null', '中,文}'])).toBe('{"","a","null","中,文}"}');
  expect(textArray(['{"a":"b\\n"}', 'line\nend'])).toBe('{"{\\"a\\":\\"b\\\\n\\"}","line\nend"}');
});
