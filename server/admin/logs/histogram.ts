// Requests and failures over time, and the main cause of the worst peak.
import { DAY_SECONDS, HOUR_SECONDS } from '#contract/time.ts';
import type { Handler } from '#server/admin/context.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import { LOG_TYPE, type LogHistogram, type logs } from '#contract/admin/logs.ts';
import { sql } from 'kysely';
import { isRare, logsBy, rowCondition } from './conditions.ts';
import type { Figures } from './figures.ts';
import type { HourFigures } from './hour-figures.ts';
import { readRefusedFigures } from './refused.ts';
import type { LogReading } from './reading.ts';
import { ownerOf, scopeOf } from './resolve-scope.ts';
import type { Scope } from './scope.ts';

const MOST_BUCKETS = 96;
const STEPS_HOURS = [1, 2, 3, 6, 12, 24, 48, 96, 168] as const;
/** A peak with fewer failures is not reported. */
const PEAK_ERRORS = 5;
const PEAK_SHARE = 0.1;
const PEAK_SAMPLE = 500;

type Peak = NonNullable<LogHistogram['peak']>;

export function histogramOfLogs(reading: LogReading, whose: 'all' | 'self'): Handler<typeof logs.histogram> {
  return async ({ query }, context) => {
    const { dependencies } = reading;
    const asked = await scopeOf(dependencies, query, ownerOf(context, whose));
    const scope = asked;
    const figures = await figuresFor(reading, scope);
    const frame = frameOf(scope, figures, nowSeconds(dependencies));
    const buckets = Array.from({ length: frame.count }, () => ({ requests: 0, errors: 0 }));
    const isWanted = (type: number) => scope.type === LOG_TYPE.all || scope.type === type;
    const add = ({ hour, consumed, errors, others }: HourCounts) => {
      const bucket = buckets[Math.floor((hour - frame.start) / frame.seconds)];
      if (!bucket) return;
      const failed = isWanted(LOG_TYPE.error) || scope.type === LOG_TYPE.refused ? errors : 0;
      const events = scope.type !== LOG_TYPE.all && isRare(scope.type) ? others : 0;
      bucket.requests += (isWanted(LOG_TYPE.consumption) ? consumed : 0) + failed + events;
      bucket.errors += failed;
    };
    const isFine = frame.seconds < HOUR_SECONDS;
    const counts = isFine ? await fineFigures(reading, scope, frame.seconds) : figures.hours;
    for (const one of counts) add(one);
    return {
      start: frame.start,
      bucket_seconds: frame.seconds,
      buckets,
      peak: await peakOf(reading, scope, frame, buckets, whose === 'all'),
    };
  };
}

type HourCounts = Pick<HourFigures, 'hour' | 'consumed' | 'errors' | 'others'>;

async function figuresFor(
  reading: LogReading,
  scope: Scope,
): Promise<Pick<Figures, 'isDirect'> & { hours: HourCounts[] }> {
  if (scope.type !== LOG_TYPE.refused) return await reading.figures(scope);
  const hours = await readRefusedFigures(reading.dependencies, scope, HOUR_SECONDS);
  return { isDirect: true, hours: hours.map((hour) => ({ ...hour, consumed: 0, others: 0 })) };
}

interface Frame {
  start: number;
  seconds: number;
  count: number;
}

/** The requested range; without a start from the first row, at most until now. */
function frameOf(
  scope: Scope,
  { hours, isDirect }: Awaited<ReturnType<typeof figuresFor>>,
  now: number,
): Frame {
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

async function fineFigures(
  { dependencies }: LogReading,
  scope: Scope,
  seconds: number,
): Promise<HourCounts[]> {
  if (scope.type === LOG_TYPE.refused) {
    const refused = await readRefusedFigures(dependencies, scope, seconds);
    return refused.map((one) => ({ ...one, consumed: 0, others: 0 }));
  }
  const { rows } = await sql<HourCounts>`
    select created_at - created_at % ${sql.lit(seconds)} as hour,
      count(case when type = 2 then 1 end) as consumed, count(case when type = 5 then 1 end) as errors,
      count(case when type not in (2, 5) then 1 end) as others
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
  if (!forAdmin || scope.type === LOG_TYPE.refused) return peak;
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
