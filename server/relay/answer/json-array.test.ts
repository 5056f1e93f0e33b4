import { expect, test } from 'bun:test';
import { ascii, decodeText, encodeText } from '#server/egress/index.ts';
import { jsonArray } from './json-array.ts';

test('events as one JSON array, however they are handed over', () => {
  const array = jsonArray();
  const text =
    array.frame(encodeText('data: {"a":1}\n\ndata: {"a":2}\n\n')) +
    array.frame(encodeText(': keep-alive\n\n')) +
    array.frame(encodeText('data: {"a":"你"}\r\n\r\n')) +
    array.close();
  expect(JSON.parse(decodeText(ascii(text)))).toEqual([{ a: 1 }, { a: 2 }, { a: '你' }]);
  expect(JSON.parse(jsonArray().close())).toEqual([]);
});
