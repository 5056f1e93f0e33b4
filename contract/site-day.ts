// The days of a site: each begins at midnight in the site's time zone, and has 23 or 25 hours where the clocks change. Days are
// text (YYYY-MM-DD), times are unix seconds.
import { addMonths } from './month.ts';
import { HOUR_SECONDS } from './time.ts';

export interface DaySpan {
  /** The first second. */
  start: number;
  /** The first second after it. */
  end: number;
}

/** No zone is further from UTC. */
const FARTHEST_SECONDS = 15 * HOUR_SECONDS;
const MOST_KEPT = 2000;

const formats = new Map<string, Intl.DateTimeFormat>();
const timeFormats = new Map<string, Intl.DateTimeFormat>();
const starts = new Map<string, number>();

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (format === undefined) {
    // The Swedish form of a date is YYYY-MM-DD.
    format = new Intl.DateTimeFormat('sv-SE', {
      timeZone: zone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    });
    formats.set(zone, format);
  }
  return format;
}

/** The day of a time. */
export const siteDay = (zone: string, seconds: number): string => formatOf(zone).format(seconds * 1000);

/** `2026-11-17 00:00`, by the clock there. */
export function siteTime(zone: string, seconds: number): string {
  let format = timeFormats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
    timeFormats.set(zone, format);
  }
  return format.format(seconds * 1000);
}

/** `days` may be negative. */
export function addDays(day: string, days: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
}

/** How many days later `to` is than `from`. */
export const daysBetween = (from: string, to: string): number =>
  Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / 86_400_000);

/** The first second of a day; where midnight is skipped, the first one after it. */
export function dayStart(zone: string, day: string): number {
  const key = `${zone} ${day}`;
  const known = starts.get(key);
  if (known !== undefined) return known;
  const midnight = Date.parse(`${day}T00:00:00Z`) / 1000;
  let [before, after] = [midnight - FARTHEST_SECONDS, midnight + FARTHEST_SECONDS];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (siteDay(zone, middle) < day) before = middle;
    else after = middle;
  }
  if (starts.size >= MOST_KEPT) starts.clear();
  starts.set(key, after);
  return after;
}

/** The first second of the day that it is. */
export const todayStart = (zone: string, now: number): number => dayStart(zone, siteDay(zone, now));

/** From the start of the first day to the end of the last one. */
export const daySpan = (zone: string, first: string, last = first): DaySpan => ({
  start: dayStart(zone, first),
  end: dayStart(zone, addDays(last, 1)),
});

/** The days from the first to the last one. */
export const daysFrom = (first: string, last: string): string[] =>
  Array.from({ length: Math.max(0, daysBetween(first, last) + 1) }, (_, index) => addDays(first, index));

/** YYYY-MM. */
export const siteMonth = (zone: string, seconds: number): string => siteDay(zone, seconds).slice(0, 7);

export const siteMonthSpan = (zone: string, month: string): DaySpan => ({
  start: dayStart(zone, `${month}-01`),
  end: dayStart(zone, `${addMonths(month, 1)}-01`),
});

/** The day of each time, for sums that are kept by the hour: one pass over ascending or mixed hours. */
export function dayFinder(
  zone: string,
  first: string,
  last: string,
): (seconds: number) => string | undefined {
  const days = daysFrom(first, last).map((day) => ({ day, ...daySpan(zone, day) }));
  return (seconds) => days.find(({ start, end }) => seconds >= start && seconds < end)?.day;
}

/** False for zones such as Asia/Kolkata: an hour of UTC belongs to two of their days, and its sums cannot be divided. */
export function hasWholeHours(zone: string, seconds: number): boolean {
  return dayStart(zone, siteDay(zone, seconds)) % HOUR_SECONDS === 0;
}
