import { expect, test } from 'bun:test';
import { closest, distance } from './closest.ts';

const pages = [
  { name: 'home', path: '/' },
  { name: 'token', path: '/token' },
  { name: 'about', path: '/about' },
  { name: 'channel', path: '/channel' },
  { name: 'dashboard', path: '/detail' },
];

test('edit distance counts insertions, deletions and changes', () => {
  expect(distance('token', 'tokens')).toBe(1);
  expect(distance('kitten', 'sitting')).toBe(3);
  expect(distance('', 'abc')).toBe(3);
});

test('a mistyped address finds its page first', () => {
  expect(closest(pages, '/tokens')[0]?.path).toBe('/token');
  expect(closest(pages, '/abuot')[0]?.path).toBe('/about');
  expect(closest(pages, '/channel/edit/99/x')[0]?.path).toBe('/channel');
});

test('N23: a page is found by its name too', () => {
  expect(closest(pages, '/dashboard')[0]?.path).toBe('/detail');
  expect(closest(pages, '/dashbord')[0]?.path).toBe('/detail');
});

test('at most three are offered', () => {
  expect(closest(pages, '/nowhere-at-all')).toHaveLength(3);
});
