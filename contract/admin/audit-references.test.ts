import { expect, test } from 'bun:test';
import { namedTarget, referenceOf } from './audit-references.ts';

test('D37: ids in fields that name another thing are references to it', () => {
  expect(referenceOf('user_id', '12')).toBe('user:12');
  expect(referenceOf('plan', '3')).toBe('plan:3');
  for (const [field, value] of [
    ['user_id', '0'],
    ['plan', 'Starter'],
    ['quota', '12'],
    ['constructor', '12'],
  ] as const)
    expect([field, referenceOf(field, value)]).toEqual([field, undefined]);
});

test('D37: a target with one id has a name, several ids and other kinds have none', () => {
  expect(namedTarget('order:7')).toEqual({ kind: 'order', id: 7 });
  for (const target of ['channel:1,2', 'option:Price', 'user', 'user:x', ''])
    expect([target, namedTarget(target)]).toEqual([target, undefined]);
});
