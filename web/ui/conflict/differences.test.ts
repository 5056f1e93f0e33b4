import { expect, test } from 'bun:test';
import { chosenValue, differencesOf, mergeOf, resolvedBody, type Difference } from './differences.ts';

const difference = (base: unknown, theirs: unknown, mine: unknown): Difference => ({
  field: 'models',
  label: 'Models',
  base,
  theirs,
  mine,
  isSecret: false,
  changedBy: 'ben',
  changedAt: 1,
});

test('JSON objects are merged by their members, also a deleted one beside a changed one (O42)', () => {
  const merge = mergeOf(difference('{"a":1,"b":2}', '{"b":3}', '{"a":1,"b":2,"c":4}'));
  expect(JSON.parse(merge?.text ?? '')).toEqual({ b: 3, c: 4 });
  expect(merge?.lines).toEqual([
    { name: 'a', theirs: undefined, mine: '1', merged: undefined, isBoth: false },
    { name: 'b', theirs: '3', mine: '2', merged: '3', isBoth: false },
    { name: 'c', theirs: undefined, mine: '4', merged: '4', isBoth: false },
  ]);
});

test('lists, plain texts and secrets are not merged (O42)', () => {
  expect(mergeOf(difference('[1]', '[2]', '[3]'))).toBeUndefined();
  expect(mergeOf(difference('', '', ''))).toBeUndefined();
  expect(mergeOf(difference('a', 'b', 'c'))).toBeUndefined();
  expect(mergeOf({ ...difference('{}', '{}', '{}'), isSecret: true })).toBeUndefined();
});

test('the next save is based on the value of the other person (O42)', () => {
  const body = { id: 1, models: 'mine', name: 'n', based_on: { models: 'base', name: 'n' } };
  const conflict = { fields: [{ field: 'models', theirs: 'theirs' }], changed_by: 'ben', changed_at: 1 };
  const found = differencesOf(conflict, body, (field) => field);
  expect(found[0]).toMatchObject({ base: 'base', theirs: 'theirs', mine: 'mine', isSecret: false });
  const based_on = { models: 'theirs', name: 'n' };
  expect(resolvedBody(body, found, new Map([['models', 'mine' as const]]))).toEqual({ ...body, based_on });
  expect(resolvedBody(body, found, new Map())).toEqual({ ...body, models: 'theirs', based_on });
});

test('a secret shows no value, and a choice without members is the own text (O42)', () => {
  const conflict = { fields: [{ field: 'SMTPToken' }], changed_by: '', changed_at: 0 };
  expect(differencesOf(conflict, {}, (field) => field)[0]?.isSecret).toBe(true);
  expect(chosenValue(difference('a', 'b', 'c'), 'merged')).toBe('c');
});
