import { expect, test } from 'bun:test';
import { differenceOf } from './difference.ts';
import { bodyOf, formValues, localTime, secondsOf } from './values.ts';

test('words that are in both texts are shared, the others are not', () => {
  expect(differenceOf('it is ten past two', 'it is now two')).toEqual([
    [
      { text: 'it is ', isShared: true },
      { text: 'ten past ', isShared: false },
      { text: 'two', isShared: true },
    ],
    [
      { text: 'it is ', isShared: true },
      { text: 'now ', isShared: false },
      { text: 'two', isShared: true },
    ],
  ]);
  expect(differenceOf('', 'new')).toEqual([[], [{ text: 'new', isShared: false }]]);
  expect(differenceOf('现在是两点', '现在是三点')?.[0]).toEqual([
    { text: '现在是', isShared: true },
    { text: '两', isShared: false },
    { text: '点', isShared: true },
  ]);
  expect(differenceOf('word '.repeat(2000), 'word')).toBeUndefined();
});

test('the editor sends what it was given', () => {
  const fields = {
    ...bodyOf(formValues(undefined)),
    name: 'n',
    model: 'a',
    target_model: 'b',
    groups: ['vip', 'default'],
    from: 1_790_000_040,
    until: 0,
  };
  expect(bodyOf(formValues(fields))).toEqual(fields);
  expect(secondsOf(localTime(1_790_000_040))).toBe(1_790_000_040);
  expect(localTime(0)).toBe('');
});
