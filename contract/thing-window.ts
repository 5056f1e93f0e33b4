// The time that the page of a thing looks back on, in posts: hours, quarters of a day, days. Posts begin on whole hours.

import { HOUR_SECONDS } from './time.ts';

export const THING_WINDOWS = ['24h', '7d', '30d'] as const;
export type ThingWindow = (typeof THING_WINDOWS)[number];

/** Seconds of one post, and how many there are. */
export const WINDOW_POSTS: Record<ThingWindow, { step: number; count: number }> = {
  '24h': { step: HOUR_SECONDS, count: 24 },
  '7d': { step: 6 * HOUR_SECONDS, count: 28 },
  '30d': { step: 24 * HOUR_SECONDS, count: 30 },
};

export interface WindowSpan {
  /** First second. */
  start: number;
  /** Behind the last second: the end of the running hour. */
  end: number;
  step: number;
  count: number;
}

/** The last post ends with the running hour. */
export function windowSpan(window: ThingWindow, now: number): WindowSpan {
  const { step, count } = WINDOW_POSTS[window];
  const end = (Math.floor(now / HOUR_SECONDS) + 1) * HOUR_SECONDS;
  return { start: end - step * count, end, step, count };
}
