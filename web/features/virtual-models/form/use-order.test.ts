// Where a dragged row of the sheet belongs.
import { expect, test } from 'bun:test';
import { placeAt } from './use-order.ts';

/** A low row, a high one, and a low one. */
const ROWS = [
  { top: 0, bottom: 20 },
  { top: 20, bottom: 220 },
  { top: 220, bottom: 240 },
];

test('a row changes places with another once the pointer is past the middle of that one', () => {
  expect(placeAt(ROWS, 0, 10)).toBe(0);
  expect(placeAt(ROWS, 0, 100)).toBe(0);
  expect(placeAt(ROWS, 0, 130)).toBe(1);
  expect(placeAt(ROWS, 0, 1000)).toBe(2);
  expect(placeAt(ROWS, 2, -50)).toBe(0);
});

test('after it has changed places it does not jump back under the same pointer', () => {
  const after = [
    { top: 0, bottom: 200 },
    { top: 200, bottom: 220 },
    { top: 220, bottom: 240 },
  ];
  expect(placeAt(after, 1, 130)).toBe(1);
});
