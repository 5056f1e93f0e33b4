import { expect, test } from 'bun:test';
import { maskedName } from './masked-name.ts';

test('a customer’s name is masked but for its ends, whatever its length', () => {
  expect(maskedName('alice')).toBe('a***e');
  expect(maskedName('alice@example.org')).toBe('a***g');
  expect(maskedName('bo')).toBe('b***');
  expect(maskedName('b')).toBe('b***');
  expect(maskedName('')).toBe('***');
  expect(maskedName('😀小明')).toBe('😀***明');
});
