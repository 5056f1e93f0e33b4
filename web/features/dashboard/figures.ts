/** The sums of the dashboard: hours, days and weeks of the site, models by cost, averages. */
import type { UsageRow } from '#contract/admin/dashboard.ts';
import {
  addDays,
  daysBetween,
  daySpan,
  dayStart,
  siteDay,
  siteTime,
  siteMonth,
  siteMonthSpan,
} from '#contract/site-day.ts';
import { DAY_SECONDS, HOUR_SECONDS } from '#contract/time.ts';
import type { Granularity } from './search.ts';

export interface Span {
  from: number;
  to: number;
}

const hourEnd = (now: number): number => now - (now % HOUR_SECONDS) + HOUR_SECONDS - 1;

/** The last hours of so many days, up to the next full hour. */
export function lastDays(days: number, now: number): Span {
  const to = hourEnd(now);
  return { from: to + 1 - days * DAY_SECONDS, to };
}

/** So many days of the site, today among them, up to the next full hour. */
export function lastSiteDays(days: number, now: number, zone: string): Span {
  return { from: dayStart(zone, addDays(siteDay(zone, now), 1 - days)), to: hourEnd(now) };
}

/** Columns of days are whole ones; hours and a single day are the last ones. */
export const lastDaysBy = (granularity: Granularity, days: number, now: number, zone: string): Span =>
  granularity === 'hour' || days === 1 ? lastDays(days, now) : lastSiteDays(days, now, zone);

/** This month of the site up to the next full hour, or the whole one before. */
export function siteMonths(span: 'month' | 'last-month', now: number, zone: string): Span {
  const month = siteMonth(zone, now);
  const { start } = siteMonthSpan(zone, month);
  if (span === 'month') return { from: start, to: hourEnd(now) };
  const before = siteMonth(zone, start - 1);
  return { from: siteMonthSpan(zone, before).start, to: start - 1 };
}

export interface SiteDays {
  since: string;
  until: string;
}

/** Days for the reader's own figures and for everybody's: as many as the server sums. */
export const mostDays = (all: boolean): number => (all ? 366 : 31);

/** True for days in their order, none of them to come, and no more than the server sums. */
export function areSiteDays({ since, until }: SiteDays, today: string, most: number): boolean {
  const isDay = (day: string) => /^\d{4}-\d{2}-\d{2}$/.test(day) && addsUp(day);
  if (!isDay(since) || !isDay(until)) return false;
  return since <= until && until <= today && daysBetween(since, until) < most;
}

/** Not the 30th of February. */
const addsUp = (day: string): boolean =>
  !Number.isNaN(Date.parse(`${day}T00:00:00Z`)) && addDays(day, 0) === day;

/** Whole days of the site, the running one up to the next full hour. */
export function chosenDays({ since, until }: SiteDays, now: number, zone: string): Span {
  const { start, end } = daySpan(zone, since, until);
  return { from: start, to: Math.min(end - 1, hourEnd(now)) };
}

export const spanBefore = ({ from, to }: Span): Span => ({ from: from - (to + 1 - from), to: from - 1 });

/** The first second of the bucket a time falls into. */
function bucketStart(time: number, granularity: Granularity, zone: string): number {
  if (granularity === 'hour') return time - (time % HOUR_SECONDS);
  const day = siteDay(zone, time);
  // Weeks begin on Monday.
  const sinceMonday = granularity === 'week' ? (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7 : 0;
  return dayStart(zone, addDays(day, -sinceMonday));
}

function nextBucket(start: number, granularity: Granularity, zone: string): number {
  if (granularity === 'hour') return start + HOUR_SECONDS;
  // Days are counted on the calendar: one of them may have 23 or 25 hours.
  return dayStart(zone, addDays(siteDay(zone, start), granularity === 'day' ? 1 : 7));
}

export interface Bucket {
  from: number;
  to: number;
}

export function bucketsOf({ from, to }: Span, granularity: Granularity, zone: string): Bucket[] {
  const buckets: Bucket[] = [];
  for (let start = bucketStart(from, granularity, zone); start <= to && buckets.length < 1000;) {
    const next = nextBucket(start, granularity, zone);
    buckets.push({ from: start, to: next - 1 });
    start = next;
  }
  return buckets;
}

export interface Totals {
  quota: number;
  count: number;
  errors: number;
  prompt: number;
  completion: number;
  tokens: number;
  useTimeMs: number;
  firstTokenMs: number;
}

const NOTHING: Totals = {
  quota: 0,
  count: 0,
  errors: 0,
  prompt: 0,
  completion: 0,
  tokens: 0,
  useTimeMs: 0,
  firstTokenMs: 0,
};

function plus(sum: Totals, row: UsageRow): Totals {
  return {
    quota: sum.quota + row.quota,
    count: sum.count + row.count,
    errors: sum.errors + row.error_count,
    prompt: sum.prompt + row.prompt_tokens,
    completion: sum.completion + row.completion_tokens,
    tokens: sum.tokens + row.token_used,
    useTimeMs: sum.useTimeMs + row.use_time_ms,
    firstTokenMs: sum.firstTokenMs + row.first_token_ms,
  };
}

export const totalsOf = (rows: readonly UsageRow[]): Totals => rows.reduce(plus, NOTHING);

/** Totals by bucket, in the order of the buckets. */
export function totalsByBucket(rows: readonly UsageRow[], buckets: readonly Bucket[]): Totals[] {
  const sums = buckets.map(() => NOTHING);
  for (const row of rows) {
    const index = placeOf(row.created_at, buckets);
    if (index !== undefined) sums[index] = plus(sums[index] ?? NOTHING, row);
  }
  return sums;
}

/** Buckets follow each other without gaps. */
function placeOf(time: number, buckets: readonly Bucket[]): number | undefined {
  let [low, high] = [0, buckets.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const bucket = buckets[middle];
    if (bucket === undefined) return undefined;
    if (time < bucket.from) high = middle - 1;
    else if (time > bucket.to) low = middle + 1;
    else return middle;
  }
  return undefined;
}

export const TOP_MODELS = 8;
const OTHER_HUE = 10;

export interface ModelSeries {
  /** Undefined: all the others. */
  model: string | undefined;
  /** 1 to 10, the colour of the model in every panel. */
  hue: number;
  totals: Totals;
  /** Quota by bucket. */
  values: number[];
}

/** Highest cost first; all after the eighth are one series. */
export function seriesOf(
  rows: readonly UsageRow[],
  buckets: readonly Bucket[],
  huesOf: (models: readonly string[]) => ReadonlyMap<string, number>,
): ModelSeries[] {
  const byModel = Map.groupBy(rows, (row) => row.model_name);
  const ranked = [...byModel.entries()]
    .map(([model, own]) => ({ model, own, totals: totalsOf(own) }))
    .toSorted(
      (left, right) => right.totals.quota - left.totals.quota || right.totals.count - left.totals.count,
    );
  const valuesOf = (own: readonly UsageRow[]) => totalsByBucket(own, buckets).map((totals) => totals.quota);
  const first = ranked.slice(0, TOP_MODELS);
  const hues = huesOf(first.map(({ model }) => model));
  const top: ModelSeries[] = first.map(({ model, own, totals }) => ({
    model,
    hue: hues.get(model) ?? OTHER_HUE,
    totals,
    values: valuesOf(own),
  }));
  const rest = ranked.slice(TOP_MODELS).flatMap(({ own }) => own);
  if (rest.length === 0) return top;
  return [...top, { model: undefined, hue: OTHER_HUE, totals: totalsOf(rest), values: valuesOf(rest) }];
}

interface HeatCell {
  count: number;
  /** The first second of the newest hour of the span in it; undefined: the span has none. */
  newest: number | undefined;
}
export type Heat = HeatCell[][];

/** Requests by weekday (0 is Sunday) and hour, by the clock of the site. */
export function heatOf(rows: readonly UsageRow[], { from, to }: Span, zone: string): Heat {
  const heat: Heat = Array.from({ length: 7 }, () =>
    Array.from({ length: 24 }, () => ({ count: 0, newest: undefined })),
  );
  const countOf = new Map<number, number>();
  for (const { created_at: at, count, error_count } of rows)
    countOf.set(at, (countOf.get(at) ?? 0) + count + error_count);
  const cellOf = (time: number) => {
    const [day = '', clock = ''] = siteTime(zone, time).split(' ');
    return heat[new Date(`${day}T00:00:00Z`).getUTCDay()]?.[Number(clock.slice(0, 2))];
  };
  for (let time = from - (from % HOUR_SECONDS); time <= to; time += HOUR_SECONDS) {
    const cell = cellOf(time);
    if (cell) cell.newest = time;
  }
  for (const [time, count] of countOf) {
    const cell = cellOf(time);
    if (cell) cell.count += count;
  }
  return heat;
}

/** Share of the calls that were answered; undefined without calls. */
export function successRate({ count, errors }: Totals): number | undefined {
  return count + errors === 0 ? undefined : count / (count + errors);
}

export function perMinute(totals: Totals, { from, to }: Span): { rpm: number; tpm: number } {
  const minutes = (to + 1 - from) / 60;
  return { rpm: totals.count / minutes, tpm: totals.tokens / minutes };
}

/** Above it the previous period was nearly empty, and the change says nothing. */
const MOST_CHANGE = 9.99;

/** The change against the previous period; undefined when that has too little to compare with. */
export function changeOf(now: number, before: number | undefined): number | undefined {
  if (before === undefined || before === 0) return undefined;
  const change = (now - before) / before;
  return change > MOST_CHANGE ? undefined : change;
}

/** A round number at or above the highest value, and the steps to it. */
export function axisOf(highest: number): number[] {
  if (highest <= 0) return [0, 1];
  const rough = highest / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  const count = Math.ceil(highest / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}
