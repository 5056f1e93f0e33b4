import { expect, test } from 'bun:test';
import { HOME_LANDING, nextPage } from './next-page.ts';

test('ACC-2.09 without a requested page, a password login lands on /token', () => {
  expect(nextPage(undefined)).toBe('/token');
});

test('after the login the user returns to the requested page', () => {
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
    '/reset',
    '/user/reset?token=1',
    '/oauth/github',
  ]) {
    expect(nextPage(bad)).toBe('/token');
  }
});

test('a login with a landing page goes there, unless a page was requested', () => {
  expect(nextPage(undefined, HOME_LANDING)).toBe('/');
  expect(nextPage('//evil.example', HOME_LANDING)).toBe('/');
  expect(nextPage('/log', HOME_LANDING)).toBe('/log');
});
