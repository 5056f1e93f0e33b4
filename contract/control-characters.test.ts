import { expect, test } from 'bun:test';
import { controlCharacterIn, hasControlCharacter } from './control-characters.ts';

test('control characters are found, text with tabs, line breaks and any script is not (S20)', () => {
  for (const code of [0, 1, 8, 11, 12, 14, 27, 31, 127])
    expect([code, hasControlCharacter(`a${String.fromCharCode(code)}b`)]).toEqual([code, true]);
  for (const text of ['', 'a\tb\r\nc', '中文 😀', '\\u0000', '\u00a0'])
    expect([text, hasControlCharacter(text)]).toEqual([text, false]);
});

test('the place in the input is named, of values and of names of members (S20)', () => {
  expect(controlCharacterIn({ a: 1, b: [{ c: 'x\0' }] })).toBe('b.0.c');
  expect(controlCharacterIn({ map: { 'x\0': 1 } })).toBe('map');
  expect(controlCharacterIn({ a: 'x', b: null, c: undefined, d: [1, true] })).toBeUndefined();
});
