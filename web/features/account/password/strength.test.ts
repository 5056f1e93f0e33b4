import { expect, test } from 'bun:test';
import { missingCharacters, passwordStrength, STRENGTH_POSTS } from './strength.ts';

test('under eight characters the number of missing ones is shown', () => {
  expect(passwordStrength('abc')).toBe('short');
  expect(missingCharacters('abc')).toBe(5);
  expect(missingCharacters('密码密码密码密码')).toBe(0);
});

test('a common password is never strong, nor is the user name', () => {
  expect(passwordStrength('Password123')).toBe('common');
  expect(passwordStrength('paperboat', 'PaperBoat')).toBe('common');
});

test('repeating a character does not help', () => {
  expect(passwordStrength('aaaaaaaaaaaaaaaaaaaaa1')).toBe('weak');
});

test('longer and more varied is stronger', () => {
  const order = ['zq7kfmwx', 'zq7Kfmwxpl', 'zq7Kfmwxplva', 'zq7Kf!mwxplvatr9'].map(
    (password) => STRENGTH_POSTS[passwordStrength(password)],
  );
  expect(order).toEqual(order.toSorted((left, right) => left - right));
  expect(order[0]).toBeLessThan(order.at(-1) ?? 0);
});
