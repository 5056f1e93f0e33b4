import { expect, test } from 'bun:test';
import { passwordProblem } from './passwords.ts';

test.each([
  ['1234567', 'password_too_short'],
  ['密码密码密码密', 'password_too_short'],
  ['密码密码密码密码', null],
  ['12345678', 'password_too_common'],
  ['PassWord1', 'password_too_common'],
  ['x'.repeat(128), null],
  ['x'.repeat(129), 'password_too_long'],
  ['correct horse', null],
])('%s', (password, problem) => {
  expect(passwordProblem(password)).toBe(problem as null);
});

test('the own name is no password', () => {
  expect(passwordProblem('Administrator7', 'administrator7')).toBe('password_too_common');
});
