import { expect, test } from 'bun:test';
import { numberedNames } from './state.ts';

test('rows of one name get numbers that no other row has as its name', () => {
  const names = (...given: string[]) =>
    numberedNames(given.map((name) => ({ name }))).map(({ item }) => item);
  expect(names('a', 'a', 'a')).toEqual(['a', 'a #2', 'a #3']);
  expect(names('a', 'a', 'a #2')).toEqual(['a', 'a #3', 'a #2']);
  expect(names('a #2', 'a', 'a', 'a #2')).toEqual(['a #2', 'a', 'a #3', 'a #2 #2']);
});
