import { expect, test } from 'bun:test';
import { thingIdIn } from './use-thing-id.ts';

test('the id of a page, and nothing for lists, other things and what is no id', () => {
  expect(thingIdIn('/order/17', '/order')).toBe(17);
  expect(thingIdIn('/order/17/', '/order')).toBe(17);
  for (const path of [
    '/order',
    '/order/',
    '/order/0',
    '/order/x',
    '/order/1/2',
    '/orders/1',
    `/order/${'9'.repeat(16)}`,
  ])
    expect([path, thingIdIn(path, '/order')]).toEqual([path, undefined]);
});
