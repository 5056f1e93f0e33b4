import { expect, test } from 'bun:test';
import { movedPrice } from './moved-price.ts';

test('the part that moved most is told; the output where both moved alike', () => {
  const tokens = (before: [number, number], after: [number, number]) =>
    movedPrice({
      unit: 'tokens',
      before: { input: before[0], output: before[1] },
      after: { input: after[0], output: after[1] },
    });
  expect(tokens([0.3, 2.5], [0.3, 2.125])).toEqual({
    part: 'output',
    before: 2.5,
    after: 2.125,
    isLess: true,
    decimals: 3,
  });
  expect(tokens([1, 5], [2, 5])).toMatchObject({ part: 'input', before: 1, after: 2, isLess: false });
  expect(tokens([1, 5], [2, 10])).toMatchObject({ part: 'output', after: 10, decimals: 2 });
  expect(tokens([0, 5], [1, 6])).toMatchObject({ part: 'input', isLess: false });
});

test('a price for each call is one price', () => {
  const each = {
    unit: 'call',
    before: { input: 0.05, output: 0.05 },
    after: { input: 0.04, output: 0.04 },
  } as const;
  expect(movedPrice(each)).toMatchObject({ part: 'price', before: 0.05, after: 0.04, isLess: true });
});
