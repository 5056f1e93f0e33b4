import { expect, test } from 'bun:test';
import { jsonArray } from './reframing.ts';

test('events as one JSON array, however they are handed over', () => {
  const array = jsonArray();
  const text =
    array.frame('data: {"a":1}\n\ndata: {"a":2}\n\n') +
    array.frame(': keep-alive\n\n') +
    array.frame('data: {"a":"你"}\r\n\r\n') +
    array.close();
  expect(JSON.parse(text)).toEqual([{ a: 1 }, { a: 2 }, { a: '你' }]);
  expect(JSON.parse(jsonArray().close())).toEqual([]);
});
