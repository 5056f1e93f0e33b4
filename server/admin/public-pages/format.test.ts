import { expect, test } from 'bun:test';
import { decimalsOf, short } from './format.ts';

test('a context is written as the console writes it', () => {
  expect([131_072, 16_384, 8191, 1_047_576, 512].map(short)).toEqual(['131k', '16k', '8k', '1.05M', '512']);
});

test('a column of prices has the decimals of the price that needs most', () => {
  expect(decimalsOf([2.5, 0.125, 10])).toBe(3);
  expect(decimalsOf([2, 3])).toBe(2);
  expect(decimalsOf([])).toBe(0);
});
