import { expect, test } from 'bun:test';
import { rangeOf } from './selection.ts';

const rows = ['a', 'b', 'c', 'd'];
const id = (row: string) => row;

test('O23: a shift-click selects from the row clicked before, in either direction', () => {
  expect(rangeOf(rows, id, 'b', 'd')).toEqual(['b', 'c', 'd']);
  expect(rangeOf(rows, id, 'd', 'b')).toEqual(['b', 'c', 'd']);
  expect(rangeOf(rows, id, undefined, 'c')).toEqual(['c']);
  expect(rangeOf(rows, id, 'on another page', 'c')).toEqual(['c']);
});
