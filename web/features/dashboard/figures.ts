/** The sums of the dashboard: time buckets in the browser's zone, models by cost, averages. */
import type { UsageRow } from '#contract/admin/dashboard.ts';
import type { Granularity } from './search.ts';

const HOUR_SECONDS = 3600;
const DAY_SECONDS = 86_400;

export interface Span {
  from: number;
  to: number;
}

/** The last days up to the next full hour; thirty days are the most a user may ask for. */
export function lastDays(days: number, now: number): Span {
  const to = now - (now % HOUR_SECONDS) + HOUR_SECONDS - 1;
  return { from: to + 1 - days * DAY_SECONDS, to };
}

export const spanBefore = ({ from, to }: Span): Span => ({ from: from - (to + 1 - from), to: from - 1 });

/** The first second of the bucket a time falls into. */
export function bucketStart(time: number, granularity: Granularity): number {
  const date = new Date(time * 1000);
  if (granularity === 'hour') return Math.floor(date.setMinutes(0, 0, 0) / 1000);
  date.setHours(0, 0, 0, 0);
  // Weeks begin on Monday.
  if (granularity === 'week') date.setDate(date.getDate() - ((date.getDay() + 6) % 7));
  return Math.floor(date.getTime() / 1000);
}

function nextBucket(start: number, granularity: Granularity): number {
  if (granularity === 'hour') return start + HOUR_SECONDS;
  const date = new Date(start * 1000);
  // Days are counted on the calendar: one of them may have 23 or 25 hours.
  date.setDate(date.getDate() + (granularity === 'day' ? 1 : 7));
  return Math.floor(date.getTime() / 1000);
}

export interface Bucket {
  from: number;
  to: number;
}

export function bucketsOf({ from, to }: Span, granularity: Granularity): Bucket[] {
  const buckets: Bucket[] = [];
  for (let start = bucketStart(from, granularity); start <= to && buckets.length < 1000;) {
    const next = nextBucket(start, granularity);
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
export function totalsByBucket(
  rows: readonly UsageRow[],
  buckets: readonly Bucket[],
  granularity: Granularity,
): Totals[] {
  const place = new Map(buckets.map((bucket, index) => [bucket.from, index]));
  const sums = buckets.map(() => NOTHING);
  for (const row of rows) {
    const index = place.get(bucketStart(row.created_at, granularity));
    if (index !== undefined) sums[index] = plus(sums[index] ?? NOTHING, row);
  }
  return sums;
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
  granularity: Granularity,
  huesOf: (models: readonly string[]) => ReadonlyMap<string, number>,
): ModelSeries[] {
  const byModel = Map.groupBy(rows, (row) => row.model_name);
  const ranked = [...byModel.entries()]
    .map(([model, own]) => ({ model, own, totals: totalsOf(own) }))
    .toSorted(
      (left, right) => right.totals.quota - left.totals.quota || right.totals.count - left.totals.count,
    );
  const valuesOf = (own: readonly UsageRow[]) =>
    totalsByBucket(own, buckets, granularity).map((totals) => totals.quota);
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

/** Requests by weekday (0 is Sunday) and hour, in the reader's zone. */
export function heatOf(rows: readonly UsageRow[]): number[][] {
  const heat = Array.from({ length: 7 }, () => Array.from({ length: 24 }, () => 0));
  for (const row of rows) {
    const date = new Date(row.created_at * 1000);
    const day = heat[date.getDay()];
    if (day) day[date.getHours()] = (day[date.getHours()] ?? 0) + row.count + row.error_count;
  }
  return heat;
}

/** The first second of the newest hour of the span on that weekday (0 is Sunday), in the reader's zone. */
export function newestHour({ from, to }: Span, weekday: number, hour: number): number | undefined {
  for (let time = to - (to % HOUR_SECONDS); time >= from - HOUR_SECONDS; time -= HOUR_SECONDS) {
    const date = new Date(time * 1000);
    if (date.getDay() === weekday && date.getHours() === hour) return time;
  }
  return undefined;
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
