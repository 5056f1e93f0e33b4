/** The figures, of the reader or of everybody. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '#web/api.ts';
import type { Span } from './figures.ts';

export interface DataScope {
  all: boolean;
  /** Only with `all`. */
  username: string;
}

const timestamps = ({ from, to }: Span) => ({ start_timestamp: from, end_timestamp: to });

export const usageQuery = (scope: DataScope, span: Span) =>
  queryOptions({
    queryKey: ['data', scope, span],
    queryFn: ({ signal }) =>
      scope.all
        ? api.dashboard.all({ query: { ...timestamps(span), username: scope.username }, signal })
        : api.dashboard.self({ query: timestamps(span), signal }),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });

/** Tokens of the reader, or the users of the installation. */
export const rankQuery = (all: boolean, span: Span) =>
  queryOptions({
    queryKey: ['data-rank', all, span],
    queryFn: ({ signal }) =>
      all
        ? api.dashboard.users({ query: timestamps(span), signal })
        : api.dashboard.tokens({ query: timestamps(span), signal }),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
