import { expect, test } from 'bun:test';
import { noSums, rowsOf } from './kept-sums.ts';
import { SumsByUser, type SliceSum } from './sums.ts';

const sum = (user_id: number, month: number, factor: number): SliceSum => ({
  user_id,
  month,
  entries: factor,
  balance: 2 * factor,
  used: 3 * factor,
  aff: 4 * factor,
  plan: 5 * factor,
  dividend: 6 * factor,
  charged: 7 * factor,
});

test('slices of one user and month are added in every column, users and months stay apart (M21)', () => {
  const sums = new SumsByUser();
  const first = [sum(2, 202_601, 1), sum(1, 202_602, 10)];
  sums.add(first);
  sums.add([sum(1, 202_601, 100), sum(2, 202_601, 1000)]);
  expect(sums.sorted()).toEqual([sum(1, 202_601, 100), sum(1, 202_602, 10), sum(2, 202_601, 1001)]);
  // The slices themselves are not changed: they are proof elsewhere.
  expect(first).toEqual([sum(2, 202_601, 1), sum(1, 202_602, 10)]);
});

test('the kept total of a user is the sum of its months in every column (M21)', () => {
  const rows = rowsOf([sum(1, 202_601, 100), sum(1, 202_602, 10), sum(2, 202_601, 1)], 77);
  const row = (month: number, userId: number, factor: number) => {
    const { charged: _charged, ...columns } = sum(userId, month, factor);
    return { ...columns, through_id: 77 };
  };
  expect(rows.toSorted((one, other) => one.user_id - other.user_id || one.month - other.month)).toEqual([
    noSums(0, 77),
    row(0, 1, 110),
    row(202_601, 1, 100),
    row(202_602, 1, 10),
    row(0, 2, 1),
    row(202_601, 2, 1),
  ]);
});
