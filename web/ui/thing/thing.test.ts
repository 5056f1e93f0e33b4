// The scale of the posts, and the windows of a thing's page.
import { expect, test } from 'bun:test';
import { THING_WINDOWS, windowSpan } from '#contract/thing-window.ts';
import { sizesOf } from './hour-posts.tsx';
import { roundTop } from './round-top.ts';

test('the axis ends at the next round number', () => {
  expect([0, 3, 4, 5, 11, 20, 21, 50, 51, 999, 1000, 1001].map(roundTop)).toEqual([
    4, 4, 4, 5, 20, 20, 50, 50, 100, 1000, 1000, 2000,
  ]);
});

test('a post is as high as its calls, failures and the gap between included, and what there is has a pixel', () => {
  expect(sizesOf({ answered: 50, failed: 0 }, 100)).toEqual({ answered: 48, failed: 0 });
  expect(sizesOf({ answered: 0, failed: 100 }, 100)).toEqual({ answered: 0, failed: 96 });
  const both = sizesOf({ answered: 75, failed: 25 }, 100);
  expect(both).toEqual({ answered: 71, failed: 24 });
  expect(sizesOf({ answered: 1, failed: 0 }, 1000)).toEqual({ answered: 1, failed: 0 });
  expect(sizesOf({ answered: 999, failed: 1 }, 1000)).toEqual({ answered: 94, failed: 1 });
  expect(sizesOf({ answered: 1, failed: 999 }, 1000)).toEqual({ answered: 1, failed: 94 });
});

test('the posts of a window follow each other without a gap and end with the running hour', () => {
  for (const window of THING_WINDOWS)
    for (const now of [1_794_591_720, 1_794_589_200, 1_794_592_799]) {
      const { start, end, step, count } = windowSpan(window, now);
      expect(end - start).toBe(step * count);
      expect(end % 3600).toBe(0);
      expect(end).toBeGreaterThan(now);
      expect(end - now).toBeLessThanOrEqual(3600);
    }
});
