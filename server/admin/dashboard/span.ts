// The requested time span, from the start of its first hour.
import { SELF_SPAN_SECONDS, SPAN_SECONDS } from '#contract/admin/dashboard.ts';
import { AppError } from '#contract/errors.ts';
import { HOUR_SECONDS } from '#contract/time.ts';

export interface Span {
  from: number;
  to: number;
}

interface SpanQuery {
  start_timestamp: number;
  end_timestamp: number;
}

function spanOf({ start_timestamp, end_timestamp }: SpanQuery, longest: number): Span {
  if (end_timestamp - start_timestamp > longest)
    throw new AppError(
      'time_span_too_long',
      { days: Math.floor(longest / 86_400) },
      { field: 'start_timestamp' },
    );
  return { from: start_timestamp - (start_timestamp % HOUR_SECONDS), to: end_timestamp };
}

export const ownSpan = (query: SpanQuery): Span => spanOf(query, SELF_SPAN_SECONDS);
export const anySpan = (query: SpanQuery): Span => spanOf(query, SPAN_SECONDS);
