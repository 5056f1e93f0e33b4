import { expect, test } from 'bun:test';
import { nextPage } from './next-page.ts';

test('ACC-2.09 without a page asked for, a password login lands on /token', () => {
  expect(nextPage(undefined)).toBe('/token');
});

test('the page asked for before the login is returned to', () => {
  expect(nextPage('/token?page=2&edit=7')).toBe('/token?page=2&edit=7');
});

test('another host, a script or the login page itself is never returned to', () => {
  for (const bad of [
    '//evil.example',
    '/\\evil.example',
    '/\t/evil',
    'https://evil.example',
    'javascript:1',
    '/login?next=/x',
    '/register',
  ]) {
    expect(nextPage(bad)).toBe('/token');
  }
});
