import { expect, test } from 'bun:test';
import { usageOf } from '#server/money/prices/usage.ts';
import type { StreamCover } from './stream-cover.ts';
import { withHidden, withUnreported } from './settlement.ts';

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

test('thoughts of a call that its balance ended are added to a report from its start, not to one that counts them (M11)', () => {
  const cover = { hiddenTokens: () => 500 } as unknown as StreamCover;
  const start = usageOf({ input: 10, output: 1 });
  expect(withHidden(start, cover, 0)).toEqual({ ...start, reasoning: 499 });
  expect(withHidden({ ...start, output: 40 }, cover, 40)).toEqual({ ...start, output: 40, reasoning: 500 });
  expect(withHidden({ ...start, output: 900 }, cover, 40)).toEqual({ ...start, output: 900 });
  const counted = { ...start, reasoning: 70 };
  expect(withHidden(counted, cover, 0)).toBe(counted);
  expect(withHidden(start, undefined, 0)).toBe(start);
});
