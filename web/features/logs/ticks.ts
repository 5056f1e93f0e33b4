/** Where the times of an axis stand: on midnights, or on even hours and minutes of the reader's clock. */
import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS } from '#contract/time.ts';

const STEPS = [1, 2, 5, 10, 15, 30].map((count) => count * MINUTE_SECONDS);
const HOUR_STEPS = [1, 2, 3, 4, 6, 12].map((count) => count * HOUR_SECONDS);
const DAY_STEPS = [1, 2, 7, 14, 30].map((count) => count * DAY_SECONDS);

/** The first second of the reader's day. */
function midnight(time: number): number {
  return Math.floor(new Date(time * 1000).setHours(0, 0, 0, 0) / 1000);
}

function nextMidnight(day: number): number {
  const date = new Date(day * 1000);
  return Math.floor(date.setDate(date.getDate() + 1) / 1000);
}

/** At most so many times between the two, at even steps. */
export function axisTicks({ from, to }: { from: number; to: number }, most: number): number[] {
  const steps = [...STEPS, ...HOUR_STEPS, ...DAY_STEPS];
  const step = steps.find((each) => (to - from) / each <= most) ?? steps.at(-1)!;
  const ticks: number[] = [];
  let days = 0;
  for (let day = midnight(from); day < to; day = nextMidnight(day), days += 1) {
    if (step >= DAY_SECONDS) {
      if (days % (step / DAY_SECONDS) === 0) ticks.push(day);
      continue;
    }
    // A day of 23 or 25 hours ends with a shorter or a longer step.
    const end = nextMidnight(day);
    for (let time = day; time < end; time += step) ticks.push(time);
  }
  return ticks.filter((time) => time >= from && time < to);
}
