import { expect, test } from 'bun:test';
import { isolate } from './isolate.ts';

test('only text that changes the direction of a sentence gets marks around it', () => {
  expect(isolate('prod-web 林小满')).toBe('prod-web 林小满');
  expect(isolate('مفتاح 7')).toBe('\u2068مفتاح 7\u2069');
  expect(isolate('invoice\u202Etxt.exe')).toBe('\u2068invoice\u202Etxt.exe\u2069');
});
