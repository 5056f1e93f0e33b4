/** Intervals and durations in their largest whole unit. */

export type IntervalUnit = 'seconds' | 'minutes' | 'hours';

/** 90 seconds stay seconds: a rounded interval would be wrong. */
export function intervalOf(seconds: number): { unit: IntervalUnit; count: number } {
  if (seconds >= 3600 && seconds % 3600 === 0) return { unit: 'hours', count: seconds / 3600 };
  if (seconds >= 60 && seconds % 60 === 0) return { unit: 'minutes', count: seconds / 60 };
  return { unit: 'seconds', count: Math.round(seconds * 10) / 10 };
}

/** `12 ms`, `3.4 s`, `125 s`: the digits and their unit. */
export function durationOf(milliseconds: number): { digits: string; unit: 'ms' | 's' } {
  if (milliseconds < 1000) return { digits: String(milliseconds), unit: 'ms' };
  const seconds = milliseconds / 1000;
  return { digits: seconds < 10 ? seconds.toFixed(1) : String(Math.round(seconds)), unit: 's' };
}
