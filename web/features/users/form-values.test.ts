import { describe, expect, test } from 'bun:test';
import type { ManagedUser } from '#contract/admin/users.ts';
import { changeBody, changedCount, formValues, problemsOf, quotaChangeOf } from './form-values.ts';

const user = {
  id: 7,
  username: 'ana',
  display_name: 'Ana',
  group: 'default',
  quota: 1000,
  held_quota: 200,
} as ManagedUser;

describe('the form of a user', () => {
  test('ACC-5.01 ACC-5.02 a new user needs a name and a password', () => {
    expect(problemsOf(formValues(undefined), undefined)).toEqual({
      username: 'credentials',
      password: 'credentials',
    });
  });

  test('ACC-5.54 ACC-9.14 the form takes names up to 12 characters; a longer one that exists may stay', () => {
    const named = (username: string, of?: ManagedUser) =>
      problemsOf({ ...formValues(of), username, password: 'long-enough' }, of).username;
    expect(named('a'.repeat(12))).toBeUndefined();
    expect(named('名'.repeat(13))).toBe('usernameTooLong');
    const imported = { ...user, username: 'a-very-long-imported-name' };
    expect(named(imported.username, imported)).toBeUndefined();
  });

  test('a blank password leaves the old one; a short one is refused', () => {
    expect(problemsOf(formValues(user), user)).toEqual({});
    expect(problemsOf({ ...formValues(user), password: 'seven77' }, user).password).toBe('passwordTooShort');
    expect(problemsOf({ ...formValues(user), password: 'eight888' }, user).password).toBeUndefined();
  });

  test('ACC-5.23 the quota must be a number', () => {
    for (const text of ['abc', '1.5', '1e3', '--1', '9007199254740993'])
      expect(problemsOf({ ...formValues(user), quota_change: text }, user).quota_change).toBe('quotaNumber');
    expect(quotaChangeOf('1,000')).toBe(1000);
    expect(quotaChangeOf('')).toBe(0);
  });

  test('ACC-5.24 the quota addition accepts negative numbers, down to what running calls leave free', () => {
    const change = (quota_change: string) =>
      problemsOf({ ...formValues(user), quota_change }, user).quota_change;
    expect(change('-800')).toBeUndefined();
    expect(change('−800')).toBeUndefined();
    expect(change('-801')).toBe('quotaShort');
  });

  test('only what was changed is sent', () => {
    expect(changeBody(formValues(user), user, 'k')).toEqual({ id: 7 });
    expect(changedCount(formValues(user), user)).toBe(0);
    const values = { ...formValues(user), group: 'vip', quota_change: '-5', quota_reason: ' refund ' };
    expect(changeBody(values, user, 'k')).toEqual({
      id: 7,
      group: 'vip',
      quota_change: -5,
      quota_reason: 'refund',
      quota_key: 'k',
    });
    expect(changedCount(values, user)).toBe(2);
  });
});
