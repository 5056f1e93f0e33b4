import { describe, expect, test } from 'bun:test';
import type { ManagedUser } from '#contract/admin/users.ts';
import { closedBy, isHidden, openActions, roleName, userState } from './user-state.ts';

const user = (part: Partial<ManagedUser>) =>
  ({ id: 9, role: 1, status: 1, DeletedAt: null, ...part }) as ManagedUser;
const root = { id: 1, role: 100 };
const admin = { id: 2, role: 10 };

describe('the actions of a row', () => {
  test('ACC-4.03 a suspended user is neither enabled nor disabled here', () => {
    expect(openActions(user({ status: 3 }), root)).toEqual(['promote', 'delete']);
  });

  test('ACC-4.09 a deleted user has no actions', () => {
    expect(openActions(user({ DeletedAt: 1 }), root)).toEqual([]);
    expect(closedBy(user({ DeletedAt: 1 }), root)).toBe('deleted');
    expect(userState(user({ DeletedAt: 1, status: 2 }))).toBe('deleted');
  });

  test('an admin neither promotes nor acts on admins', () => {
    expect(openActions(user({}), admin)).toEqual(['disable', 'delete']);
    expect(openActions(user({ status: 2 }), admin)).toEqual(['enable', 'delete']);
    expect(openActions(user({ role: 10 }), admin)).toEqual([]);
    expect(closedBy(user({ role: 10 }), admin)).toBe('level');
  });

  test('the super admin promotes users, demotes admins and leaves equals alone', () => {
    expect(openActions(user({}), root)).toContain('promote');
    expect(openActions(user({ role: 10 }), root)).toEqual(['demote', 'disable', 'delete']);
    expect(openActions(user({ role: 100 }), root)).toEqual([]);
    expect(closedBy(user({ id: 1, role: 100 }), root)).toBe('own');
  });

  test('figures of the own row are shown, of equals not', () => {
    expect(isHidden(user({ id: 2, role: 10 }), admin)).toBe(false);
    expect(isHidden(user({ id: 3, role: 10 }), admin)).toBe(true);
    expect(isHidden(user({}), admin)).toBe(false);
  });

  test('10 and above is an admin, 100 and above the super admin', () => {
    expect([1, 9, 10, 99, 100, 101].map(roleName)).toEqual([
      'user',
      'user',
      'admin',
      'admin',
      'root',
      'root',
    ]);
  });
});
