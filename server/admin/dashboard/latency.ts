// Percentiles of durations. Hourly sums do not have them and a call must not pay for them, so they come from a bounded
// sample of log rows: a few rows from several places of each part of the span.
import type { Handler } from '#server/admin/context.ts';
import { LATENCY_PIECES, type dashboard, type LatencyPiece } from '#contract/admin/dashboard.ts';
import type { Output } from '#contract/endpoint.ts';
import { sql } from 'kysely';
import type { Store } from '#server/platform/store/store.ts';
import { ownerIn, ownsRow, type FigureOwner } from './owner.ts';
import { anySpan, ownSpan, type Span } from './span.ts';
import { userNamed } from './find-user.ts';

/** Places per part, so that the sample is spread over it. */
const PLACES = 4;
/** Upper bound of places of the whole span; with fewer parts each has more. */
const MOST_ROWS = 8000;
const MOST_ROWS_PER_PLACE = 250;

type Latency = Output<typeof dashboard.latency>;

export function latencyOfAll(store: Store): Handler<typeof dashboard.latency> {
  return async ({ query }) => {
    const span = anySpan(query);
    if (query.username === '') return await latencyOf(store, span, query.step, undefined);
    const user = await userNamed(store, query.username);
    return await latencyOf(store, span, query.step, { userId: user?.id ?? 0 });
  };
}

export function latencyOfSelf(store: Store): Handler<typeof dashboard.latencySelf> {
  return async ({ query }, context) => await latencyOf(store, ownSpan(query), query.step, ownerIn(context));
}

interface Sample {
  piece: number;
  use_ms: number;
  first_ms: number;
}

async function latencyOf(
  store: Store,
  { from, to }: Span,
  step: number,
  asked: FigureOwner | undefined,
): Promise<Latency> {
  // With too many steps in the span, several become one part.
  const factor = Math.max(1, Math.ceil((to + 1 - from) / step / LATENCY_PIECES));
  const seconds = step * factor;
  const count = Math.max(1, Math.ceil((to + 1 - from) / seconds));
  const samples = await sampleOf(store, { from, to }, { seconds, count }, asked);
  const pieces = Array.from({ length: count }, (_, index) =>
    pieceOf(
      from + index * seconds,
      samples.filter(({ piece }) => piece === index),
    ),
  );
  return { bucket_seconds: seconds, pieces };
}

async function sampleOf(
  store: Store,
  { from, to }: Span,
  { seconds, count }: { seconds: number; count: number },
  asked: FigureOwner | undefined,
): Promise<Sample[]> {
  const perPlace = Math.min(MOST_ROWS_PER_PLACE, Math.floor(MOST_ROWS / count / PLACES));
  const owner = asked === undefined ? sql`` : sql` and ${ownsRow(asked)}`;
  const field = (name: string) =>
    store.dialect === 'sqlite'
      ? sql`json_extract(other, ${sql.lit(`$.${name}`)})`
      : sql`cast(cast(other as json) ->> ${sql.lit(name)} as double precision)`;
  const places = Array.from({ length: count * PLACES }, (_, index) => {
    const start = from + Math.floor((index * seconds) / PLACES);
    const end = Math.min(to, from + Math.floor(((index + 1) * seconds) / PLACES) - 1);
    const piece = Math.floor(index / PLACES);
    // Old rows have the duration in whole seconds only.
    return sql`select * from (select ${sql.lit(piece)} as piece,
      coalesce(${field('use_ms')}, use_time * 1000) as use_ms, coalesce(${field('frt')}, -1) as first_ms
      from logs where type = 2 and created_at >= ${start} and created_at <= ${end}${owner} and other <> ''
      order by created_at desc limit ${sql.lit(perPlace)}) place`;
  });
  const { rows } = await sql<Sample>`${sql.join(places, sql` union all `)}`.execute(store.db);
  return rows;
}

function pieceOf(start: number, samples: readonly Sample[]): LatencyPiece {
  const times = samples.map(({ use_ms }) => use_ms).toSorted((left, right) => left - right);
  const firsts = samples
    .map(({ first_ms }) => first_ms)
    .filter((value) => value >= 0)
    .toSorted((left, right) => left - right);
  return {
    start,
    sample: times.length,
    p50: percentile(times, 0.5),
    p95: percentile(times, 0.95),
    first_p50: percentile(firsts, 0.5),
    first_p95: percentile(firsts, 0.95),
  };
}

/** The smallest value that at least this share of the values does not exceed. */
export function percentile(ascending: readonly number[], share: number): number {
  return Math.round(ascending[Math.max(0, Math.ceil(ascending.length * share) - 1)] ?? 0);
}
