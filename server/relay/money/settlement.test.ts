import { expect, test } from 'bun:test';
import { usageOf } from '#server/money/prices/usage.ts';
import { withUnreported } from './settlement.ts';

test('a report from before the end is charged with what was sent after it, and no token twice', () => {
  const report = usageOf({ input: 10, output: 1 });
  // A report of the whole answer.
  expect(withUnreported(report, 0, 40)).toBe(report);
  // A report at the start counts the first token of the answer, or none: those that were delivered are all there are.
  expect(withUnreported(report, 40, 40)).toEqual({ ...report, output: 40 });
  expect(withUnreported({ ...report, output: 0 }, 40, 40).output).toBe(40);
  expect(withUnreported({ ...report, output: 50 }, 40, 40).output).toBe(50);
  // A report in the middle.
  expect(withUnreported({ ...report, output: 25 }, 15, 40)).toEqual({ ...report, output: 40 });
});
