/** The figures of the user, or of all users. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { UsageGroup } from '#contract/admin/dashboard.ts';
import { api } from '#web/api.ts';
import { ORGANIZATIONS_KEY } from '#web/api/holders.ts';
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

/** What cached answers saved; of one user among all there is no such figure. */
export const keptQuery = (scope: DataScope, span: Span, isOn: boolean) =>
  queryOptions({
    queryKey: ['data-kept', scope.all, span],
    queryFn: ({ signal }) =>
      scope.all
        ? api.answerCache.all({ query: timestamps(span), signal })
        : api.answerCache.self({ query: timestamps(span), signal }),
    enabled: isOn && scope.username === '',
    // A member of an organization may not see the figures of all.
    retry: false,
    meta: { silent: true },
    staleTime: 60_000,
  });

/** Tokens of the user, or the users of the installation. */
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

/** Of the organization that the console acts for. */
export const groupsQuery = (span: Span, asked: { by: UsageGroup; tag: string; limit: number }) =>
  queryOptions({
    queryKey: ['data-groups', asked, span.from, span.to],
    queryFn: ({ signal }) => api.dashboard.groups({ query: { ...timestamps(span), ...asked }, signal }),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });

export const tagKeysQuery = queryOptions({
  queryKey: [...ORGANIZATIONS_KEY, 'budgets', 'tags'],
  queryFn: ({ signal }) => api.budgets.tagKeys({ signal }),
  staleTime: 60_000,
});

export const latencyQuery = (scope: DataScope, span: Span, step: number) =>
  queryOptions({
    queryKey: ['data-latency', scope, span, step],
    queryFn: ({ signal }) =>
      scope.all
        ? api.dashboard.latency({ query: { ...timestamps(span), step, username: scope.username }, signal })
        : api.dashboard.latencySelf({ query: { ...timestamps(span), step }, signal }),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });

export const failuresQuery = (scope: DataScope, span: Span) =>
  queryOptions({
    queryKey: ['data-failures', scope, span],
    queryFn: ({ signal }) =>
      scope.all
        ? api.dashboard.failures({ query: { ...timestamps(span), username: scope.username }, signal })
        : api.dashboard.failuresSelf({ query: timestamps(span), signal }),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });

export const channelsQuery = (isShown: boolean, span: Span) =>
  queryOptions({
    queryKey: ['data-channels', span],
    queryFn: ({ signal }) => api.dashboard.channels({ query: timestamps(span), signal }),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    enabled: isShown,
  });

/** The money of the month and what is owed to users: the same answer as on the overview. */
export const moneyQuery = (isShown: boolean) =>
  queryOptions({
    queryKey: ['overview', 'month'],
    queryFn: ({ signal }) => api.overview.operator({ query: { day: 'month' }, signal }),
    staleTime: 60_000,
    enabled: isShown,
  });
