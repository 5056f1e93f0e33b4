/** Queries of the audit page. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { unixSeconds } from '#contract/time.ts';
import { api } from '#web/api.ts';
import type { AuditSearch } from './search.ts';

const RANGE_SECONDS = { hour: 3600, day: 86_400, week: 7 * 86_400, month: 30 * 86_400 } as const;

/** The trail of the site, or that of the organization that the console acts for. */
export type AuditScope = 'site' | 'organization';

export type AuditFilter = Pick<AuditSearch, 'actor' | 'action' | 'target' | 'range'>;

export interface Place {
  before: number | undefined;
  after: number | undefined;
  size: number;
}

/** The filter as query parameters; named ranges move with the clock, so they are computed per request. */
export function filterOf({ range, ...filter }: AuditFilter) {
  return range ? { ...filter, start_timestamp: unixSeconds() - RANGE_SECONDS[range] } : filter;
}

export const AUDIT_KEY = ['audit'] as const;
export const SUSPENDED_KEY = ['audit-suspended'] as const;

export const auditQueries = {
  list: (scope: AuditScope, filter: AuditFilter, place: Place) =>
    queryOptions({
      queryKey: [...AUDIT_KEY, 'list', scope, filter, place],
      queryFn: ({ signal }) =>
        (scope === 'site' ? api.audit : api.organizationAudit).list({
          query: {
            ...filterOf(filter),
            before_id: place.before,
            after_id: place.after,
            page_size: place.size,
          },
          signal,
        }),
      placeholderData: keepPreviousData,
    }),
  actions: () =>
    queryOptions({
      queryKey: [...AUDIT_KEY, 'actions'],
      queryFn: ({ signal }) => api.audit.actions({ signal }),
      staleTime: 60_000,
    }),
  chain: () =>
    queryOptions({
      queryKey: ['audit-chain'],
      queryFn: ({ signal }) => api.audit.verify({ signal }),
      // Verifying the whole trail is expensive: once per visit, and on demand.
      staleTime: Number.POSITIVE_INFINITY,
    }),
  suspended: () =>
    queryOptions({
      queryKey: SUSPENDED_KEY,
      queryFn: ({ signal }) =>
        api.userManagement.list({ query: { state: 'suspended', p: 1, page_size: 100 }, signal }),
    }),
};
