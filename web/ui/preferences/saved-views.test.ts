import { expect, test } from 'bun:test';
import { readSavedViews, addSavedView } from './saved-views.ts';

const number = (value: unknown) => (typeof value === 'number' ? value : undefined);

test('unreadable entries are left out, the rest stays', () => {
  const text = JSON.stringify([
    { name: 'one', value: 1 },
    { name: '', value: 2 },
    3,
    { name: 'x', value: 'y' },
  ]);
  expect(readSavedViews(text, number)).toEqual([{ name: 'one', value: 1 }]);
  for (const broken of ['', '{', '{}', 'null', null]) expect(readSavedViews(broken, number)).toEqual([]);
});

test('the newest is first, and a name occurs once', () => {
  const list = addSavedView(addSavedView(addSavedView([], 'a', 1), 'b', 2), 'a', 3);
  expect(list).toEqual([
    { name: 'a', value: 3 },
    { name: 'b', value: 2 },
  ]);
});
