import { expect, test } from 'bun:test';
import { inLanguage } from './language.ts';

test('a reader gets the text in their language, and the other one when theirs is not written', () => {
  expect(inLanguage('zh', '你好', 'hello')).toBe('你好');
  expect(inLanguage('en', '你好', 'hello')).toBe('hello');
  // A text of before has only the first field, in whichever language.
  expect(inLanguage('en', 'only', '')).toBe('only');
  expect(inLanguage('zh', ' \n', 'hello')).toBe('hello');
  expect(inLanguage('zh', '', '')).toBe('');
});
