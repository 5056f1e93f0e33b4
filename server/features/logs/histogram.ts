// Requests and failures over time, and the main cause of the worst peak.
import { callerOf, type Handler } from '#server/features/context.ts';
import { nowSeconds } from '#server/features/clock.ts';
import { LOG_TYPE, type LogHistogram, type logs } from '#contract/logs.ts';
import { sql } from 'kysely';
import { HOUR_SECONDS, logsBy, rowCondition } from './conditions.ts';
import type { Figures } from './figures.ts';
import type { LogReading } from './reading.ts';
import { scopeOf } from './resolve-scope.ts';
import type { Scope } from './scope.ts';

const MOST_BUCKETS = 96;
const DAY_SECONDS = 86_400;
const STEPS_HOURS = [1, 2, 3, 6, 12, 24, 48, 96, 168] as const;
/** A peak with fewer failures is not reported. */
const PEAK_ERRORS = 5;
const PEAK_SHARE = 0.1;
const PEAK_SAMPLE = 500;

type Peak = NonNullable<LogHistogram['peak']>;

export function histogramOfLogs(reading: LogReading, whose: 'all' | 'self'): Handler<typeof logs.histogram> {
  return async ({ query }, context) => {
    const { dependencies } = reading;
    const asked = await scopeOf(dependencies, query, whose === 'self' ? callerOf(context).id : undefined);
    const scope: Scope = { ...asked, type: LOG_TYPE.all };
    const figures = await reading.figures(scope);
    const frame = frameOf(scope, figures, nowSeconds(dependencies));
    const buckets = Array.from({ length: frame.count }, () => ({ requests: 0, errors: 0 }));
    const add = (time: number, requests: number, errors: number) => {
      const bucket = buckets[Math.floor((time - frame.start) / frame.seconds)];
      if (!bucket) return;
      bucket.requests += requests + errors;
      bucket.errors += errors;
    };
    if (frame.seconds < HOUR_SECONDS) {
      for (const row of await fineFigures(reading, scope, frame.seconds))
        add(row.start, row.consumed, row.errors);
    } else for (const hour of figures.hours) add(hour.hour, hour.consumed, hour.errors);
    return {
      start: frame.start,
      bucket_seconds: frame.seconds,
      buckets,
      peak: await peakOf(reading, scope, frame, buckets, whose === 'all'),
    };
  };
}

interface Frame {
  start: number;
  seconds: number;
  count: number;
}

/** The requested range; without a start from the first row, at most until now. */
function frameOf(scope: Scope, { hours, isDirect }: Figures, now: number): Frame {
  const oldest = hours.at(-1)?.hour ?? now - DAY_SECONDS;
  const from = scope.from > 0 ? scope.from : oldest;
  const to = Math.max(from + 1, Math.min(scope.to, now));
  const spanHours = (to - from) / HOUR_SECONDS;
  // Bars shorter than an hour need the rows themselves, so only where these are few.
  if (isDirect && spanHours <= 8) {
    const seconds = spanHours <= 1.5 ? 60 : 300;
    const start = from - (from % seconds);
    return { start, seconds, count: Math.floor((to - start) / seconds) + 1 };
  }
  const start = from - (from % HOUR_SECONDS);
  const step = STEPS_HOURS.find((hoursEach) => spanHours / hoursEach <= MOST_BUCKETS);
  const seconds = step ? step * HOUR_SECONDS : Math.ceil(spanHours / MOST_BUCKETS / 24) * DAY_SECONDS;
  return { start, seconds, count: Math.floor((to - start) / seconds) + 1 };
}

async function fineFigures({ dependencies }: LogReading, scope: Scope, seconds: number) {
  const { rows } = await sql<{ start: number; consumed: number; errors: number }>`
    select created_at - created_at % ${sql.lit(seconds)} as start,
      count(case when type = 2 then 1 end) as consumed, count(case when type = 5 then 1 end) as errors
    from ${scope.contents ? logsBy('logs_failed', dependencies.store) : sql`logs`}
    where ${rowCondition(scope)} group by 1`.execute(dependencies.store.db);
  return rows;
}

async function peakOf(
  { dependencies }: LogReading,
  scope: Scope,
  frame: Frame,
  buckets: readonly { requests: number; errors: number }[],
  forAdmin: boolean,
): Promise<Peak | null> {
  let index = -1;
  for (const [at, bucket] of buckets.entries()) {
    if (bucket.errors > (buckets[index]?.errors ?? 0)) index = at;
  }
  const worst = buckets[index];
  if (!worst || worst.errors < PEAK_ERRORS || worst.errors < worst.requests * PEAK_SHARE) return null;
  const peak: Peak = { index, errors: worst.errors, status: null, status_errors: 0, channel: null };
  if (!forAdmin) return peak;
  const start = frame.start + index * frame.seconds;
  const condition = rowCondition({
    ...scope,
    type: LOG_TYPE.error,
    from: Math.max(scope.from, start),
    to: Math.min(scope.to, start + frame.seconds - 1),
  });
  const { rows } = await sql<{ other: string }>`
    select other from logs where ${condition} order by created_at desc limit ${PEAK_SAMPLE}`.execute(
    dependencies.store.db,
  );
  return { ...peak, ...commonCause(rows.map(({ other }) => other)) };
}

/** Status and channel of the most frequent failure. */
function commonCause(others: readonly string[]): Pick<Peak, 'status' | 'status_errors' | 'channel'> {
  const counts = new Map<string, { status: number; channel: number; count: number }>();
  for (const other of others) {
    for (const { status, channel } of failedAttempts(other)) {
      const key = `${status} ${channel}`;
      const known = counts.get(key) ?? { status, channel, count: 0 };
      known.count += 1;
      counts.set(key, known);
    }
  }
  const [most] = [...counts.values()].toSorted((left, right) => right.count - left.count);
  if (!most) return { status: null, status_errors: 0, channel: null };
  return { status: most.status, status_errors: most.count, channel: most.channel };
}

function failedAttempts(other: string): { status: number; channel: number }[] {
  try {
    const { admin_info: info } = JSON.parse(other) as { admin_info?: { attempts?: unknown } };
    if (!Array.isArray(info?.attempts)) return [];
    return (info.attempts as { status?: unknown; channel?: unknown }[])
      .filter(({ status }) => typeof status === 'number' && (status < 200 || status > 299))
      .map(({ status, channel }) => ({ status: Number(status), channel: Number(channel) }));
  } catch {
    return [];
  }
}
