import { expect, test } from 'bun:test';
import { placeOf } from './place.ts';

test('an address without a page opens where the thing is edited', () => {
  const isRoute = (path: string) => ['/channel', '/nodes', '/margins'].includes(path);
  const at = (address: string, isRoot = true) => placeOf(address, isRoute, isRoot) as object;
  expect(at('/nodes')).toEqual({ to: '/nodes', search: {} });
  expect(at('/margins?by=model&channel=3')).toEqual({
    to: '/margins',
    search: { by: 'model', channel: '3' },
  });
  expect(at('/channel/12')).toEqual({ to: '/channel/12', search: {} });
  expect(at('/token/7')).toEqual({ to: '/token', search: { edit: 7 } });
  expect(at('/model/a%2Fb', false)).toEqual({ to: '/model/a/b', search: {} });
  expect(at('/model')).toEqual({ to: '/setting', search: { tab: 'operation', section: 'pricing' } });
  const withPages = placeOf('/channel/12', (path) => path === '/channel/$id', true) as object;
  expect(withPages).toEqual({ to: '/channel/12', search: {} });
});
