import { expect, test } from 'bun:test';
import { membersOf, mergeMembers, sameValue } from './based-on.ts';

test('members that two people changed are merged, also a deleted one (O42)', () => {
  const base = { a: 1, b: 2, c: 3 };
  expect(mergeMembers(base, { a: 1, b: 5 }, { a: 9, b: 2, c: 3, d: 4 })).toEqual({
    merged: { a: 9, b: 5, d: 4 },
    both: [],
  });
});

test('a member that both changed is named and keeps the value of the one who saves (O42)', () => {
  expect(mergeMembers({ a: 1 }, { a: 2 }, { a: 3 })).toEqual({ merged: { a: 3 }, both: ['a'] });
  expect(mergeMembers({ a: 1, b: 1 }, { b: 1 }, { a: 3, b: 1 })).toEqual({
    merged: { b: 1, a: 3 },
    both: ['a'],
  });
  expect(mergeMembers({ a: 1 }, { a: 2 }, { a: 2 })).toEqual({ merged: { a: 2 }, both: [] });
});

test('a member called __proto__ is data (O42)', () => {
  const mine = membersOf('{"__proto__":{"x":1}}') ?? {};
  const { merged } = mergeMembers({}, { a: 1 }, mine);
  expect(Object.keys(merged)).toEqual(['a', '__proto__']);
});

test('only a JSON object has members, and a blank text none (O42)', () => {
  expect(membersOf(' ')).toEqual({});
  expect(membersOf('[1]')).toBeUndefined();
  expect(membersOf('{')).toBeUndefined();
});

test('a missing value equals null (O42)', () => {
  expect(sameValue(undefined, null)).toBe(true);
  expect(sameValue('', null)).toBe(false);
});
