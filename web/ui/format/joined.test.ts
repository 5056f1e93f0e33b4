// What stands between sentences and names, in both languages.
import { expect, test } from 'bun:test';
import { namesJoined, sentenceGap, withNames } from './joined.ts';

test('Chinese has no space behind its marks, English has one', () => {
  expect([sentenceGap('zh'), sentenceGap('zh-CN'), sentenceGap('en')]).toEqual(['', '', ' ']);
  expect(namesJoined(['a', 'b'], 'zh')).toBe('a、b');
  expect(namesJoined(['a', 'b'], 'en')).toBe('a, b');
  expect(withNames('3 处变化', ['vip', 'gpt-4o'], 'zh')).toBe('3 处变化：vip、gpt-4o');
  expect(withNames('3 changes', ['vip', 'gpt-4o'], 'en')).toBe('3 changes: vip, gpt-4o');
});
