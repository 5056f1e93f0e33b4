import { expect, test } from 'bun:test';
import { placeOf, pricePlace } from './place.ts';

test('an address without a page opens where the thing is edited', () => {
  const isRoute = (path: string) => ['/channel', '/nodes', '/margins'].includes(path);
  const at = (address: string) => placeOf(address, isRoute) as object;
  expect(at('/nodes')).toEqual({ to: '/nodes', search: {} });
  expect(at('/margins?by=model&channel=3')).toEqual({
    to: '/margins',
    search: { by: 'model', channel: '3' },
  });
  expect(at('/channel/12')).toEqual({ to: '/channel/12', search: {} });
  expect(at('/token/7')).toEqual({ to: '/token', search: { edit: 7 } });
  expect(at('/model/a%2Fb')).toEqual({ to: '/model/a/b', search: {} });
  expect(at('/model')).toEqual({ to: '/model', search: {} });
  const withPages = placeOf('/channel/12', (path) => path === '/channel/$id') as object;
  expect(withPages).toEqual({ to: '/channel/12', search: {} });
});

test('D9 a price is set in the price book, at the model it is about', () => {
  expect(pricePlace(['a/b'], 'model_unpriced') as object).toEqual({
    to: '/prices',
    search: { model: 'a/b' },
  });
  expect(pricePlace(['one', 'two'], 'model_unpriced') as object).toEqual({
    to: '/prices',
    search: { unpriced: true },
  });
  // The first of them loses most.
  expect(pricePlace(['one', 'two'], 'sold_below_cost') as object).toEqual({
    to: '/prices',
    search: { model: 'one' },
  });
});
