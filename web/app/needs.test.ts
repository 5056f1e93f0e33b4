import { expect, test } from 'bun:test';
import { needCounts, needsOfSpace, sumOf } from './needs.ts';

const paths = new Set(['/overview', '/channel', '/order', '/token', '/topup']);
const menu = (...entries: string[][]) =>
  entries.map(([first = '', ...rest]) => ({ item: { path: first }, holds: rest.map((path) => ({ path })) }));

test('D29 counts stand at their entries; what has no entry stands at the overview', () => {
  const counts = needCounts(
    {
      '/channel': { stop: 1, act: 2 },
      '/model': { stop: 0, act: 1 },
      '/nodes': { stop: 1, act: 0 },
    },
    paths,
  );
  expect(counts.get('/channel')).toEqual({ stop: 1, act: 2 });
  expect(counts.get('/overview')).toEqual({ stop: 1, act: 1 });
  expect(counts.get('/order')).toBeUndefined();
});

test('D29 a space counts what its entries and what they hold need, each address once', () => {
  const counts = needCounts(
    { '/order': { stop: 0, act: 2 }, '/token': { stop: 0, act: 1 }, '/prices': { stop: 0, act: 4 } },
    paths,
  );
  const use = menu(['/overview', '/detail'], ['/topup', '/plan'], ['/token']);
  const run = menu(['/overview', '/detail'], ['/channel']);
  expect(needsOfSpace('money', menu(['/margins'], ['/order', '/order']), counts)).toEqual({
    stop: 0,
    act: 2,
  });
  expect(needsOfSpace('use', use, counts)).toEqual({ stop: 0, act: 1 });
  expect(needsOfSpace('run', run, counts)).toEqual({ stop: 0, act: 4 });
});

test('in an organization what has no entry stands at its overview', () => {
  const counts = needCounts(
    { '/budgets': { stop: 1, act: 0 }, '/topup': { stop: 0, act: 1 } },
    new Set(['/organization', '/topup']),
    '/organization',
  );
  expect(Object.fromEntries(counts)).toEqual({
    '/organization': { stop: 1, act: 0 },
    '/topup': { stop: 0, act: 1 },
  });
});

test('a sum of nothing is nothing', () => {
  expect(sumOf([])).toEqual({ stop: 0, act: 0 });
  expect(sumOf([undefined, { stop: 1, act: 2 }, { stop: 3, act: 4 }])).toEqual({ stop: 4, act: 6 });
});
