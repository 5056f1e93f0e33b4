// The time buckets of one page of a report, and its cursor. Buckets begin at whole minutes, hours and days of UTC. The
// cursor is the start of the next bucket with a mark of the query: it opens nothing that the key does not.
import { createHash } from 'node:crypto';
import { ParameterError, type Parameters } from '#server/admin/query-parameters.ts';

export const WIDTHS = { '1m': 60, '1h': 3600, '1d': 86_400 } as const;

export interface PageLimits {
  usual: number;
  most: number;
}

/** Of both APIs. */
export const USAGE_LIMITS: Readonly<Record<number, PageLimits>> = {
  [WIDTHS['1m']]: { usual: 60, most: 1440 },
  [WIDTHS['1h']]: { usual: 24, most: 168 },
  [WIDTHS['1d']]: { usual: 7, most: 31 },
};

/** Unix seconds: `from` inclusive, `to` exclusive, both at the edge of a bucket. */
export interface Span {
  seconds: number;
  from: number;
  to: number;
}

export interface Page {
  /** What is asked for, from the cursor on. */
  span: Span;
  limit: number;
  cursorOf(start: number): string;
}

interface Asked {
  /** The path and the scope of the key: a cursor of another report is refused. */
  name: string;
  start: number;
  /** Exclusive; undefined: with the bucket of now. */
  end: number | undefined;
  seconds: number;
  limits: PageLimits;
  now: number;
}

const floorTo = (time: number, seconds: number): number => time - (time % seconds);

export function pageOf(parameters: Parameters, { name, start, end, seconds, limits, now }: Asked): Page {
  const limit = parameters.whole('limit', limits.most) ?? limits.usual;
  if (limit === 0) throw new ParameterError('limit');
  const mark = createHash('sha256')
    .update(`${name} ${seconds} ${parameters.identity(['page', 'limit'])}`)
    .digest('base64url')
    .slice(0, 12);
  const first = floorTo(start, seconds);
  const last = floorTo(now, seconds) + seconds;
  const span = { seconds, from: first, to: Math.max(first, Math.min(end ?? last, last)) };
  const page = parameters.text('page');
  if (page !== undefined) span.from = startOfCursor(page, mark, span);
  return {
    span,
    limit,
    cursorOf: (next) => `page_${Buffer.from(`${next}.${mark}`).toString('base64url')}`,
  };
}

function startOfCursor(page: string, mark: string, { seconds, from, to }: Span): number {
  const text =
    page.length <= 100 && page.startsWith('page_') ? Buffer.from(page.slice(5), 'base64url').toString() : '';
  const [, digits, found] = /^(\d{1,12})\.(.+)$/.exec(text) ?? [];
  const start = Number(digits);
  if (found !== mark || start % seconds !== 0 || start < from || start > to) throw new ParameterError('page');
  return start;
}

export interface Bucket<Result> {
  start: number;
  end: number;
  results: Result[];
}

/** One bucket for each step of the span, also without a result. */
export function bucketsOf<Result>(
  { seconds, from, to }: Span,
  resultsOf: (start: number) => Result[],
): Bucket<Result>[] {
  const buckets: Bucket<Result>[] = [];
  for (let start = from; start < to; start += seconds)
    buckets.push({ start, end: start + seconds, results: resultsOf(start) });
  return buckets;
}
