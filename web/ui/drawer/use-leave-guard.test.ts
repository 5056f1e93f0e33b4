import { expect, test } from 'bun:test';
import { closesForm } from './use-leave-guard.ts';

const at = (pathname: string, search: object = {}) => ({ pathname, search });

test('O18: pages and filters of the list leave the form open; another row, path or drawer closes it', () => {
  const form = at('/token', { edit: 3, page: 1 });
  expect(closesForm(form, at('/token', { edit: 3, page: 2, q: 'a' }))).toBe(false);
  expect(closesForm(form, at('/token', { edit: 4 }))).toBe(true);
  expect(closesForm(form, at('/token'))).toBe(true);
  expect(closesForm(form, at('/log', { edit: 3 }))).toBe(true);
  expect(closesForm(at('/channel', { quick: true }), at('/channel'))).toBe(true);
  expect(closesForm(at('/channel/edit/3'), at('/channel/edit/4'))).toBe(true);
});
