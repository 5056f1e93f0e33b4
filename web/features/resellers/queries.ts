/** Queries of the resellers page. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '#web/api.ts';
import type { GridQuery } from '#web/ui/grid/types.ts';
import type { ResellerSearch } from './search.ts';

export const RESELLERS_KEY = ['resellers'] as const;

const pageOf = ({ page, pageSize }: GridQuery) => ({ p: page, page_size: pageSize });

export const resellerQueries = {
  overview: () =>
    queryOptions({
      queryKey: [...RESELLERS_KEY, 'overview'],
      queryFn: ({ signal }) => api.agents.overview({ signal }),
    }),
  /** How many withdrawals wait for a decision when the page is opened: a decision must not change the tab one is in. */
  waiting: () =>
    queryOptions({
      queryKey: ['resellers-waiting'],
      staleTime: Infinity,
      gcTime: 0,
      queryFn: ({ signal }) =>
        api.agents.allWithdrawals({ query: { status: 'requested', page_size: 1 }, signal }),
    }),
  records: ({ kind }: ResellerSearch, query: GridQuery) =>
    queryOptions({
      queryKey: [...RESELLERS_KEY, 'records', kind, query],
      queryFn: ({ signal }) => api.agents.records({ query: { ...pageOf(query), kind }, signal }),
      placeholderData: keepPreviousData,
    }),
  customers: (query: GridQuery) =>
    queryOptions({
      queryKey: [...RESELLERS_KEY, 'customers', query],
      queryFn: ({ signal }) => api.agents.customers({ query: pageOf(query), signal }),
      placeholderData: keepPreviousData,
    }),
  payouts: (query: GridQuery) =>
    queryOptions({
      queryKey: [...RESELLERS_KEY, 'payouts', query],
      queryFn: ({ signal }) => api.agents.withdrawals({ query: pageOf(query), signal }),
      placeholderData: keepPreviousData,
    }),
  queue: ({ status, q }: ResellerSearch, query: GridQuery) =>
    queryOptions({
      queryKey: [...RESELLERS_KEY, 'queue', status, q, query],
      queryFn: ({ signal }) =>
        api.agents.allWithdrawals({ query: { ...pageOf(query), status, keyword: q }, signal }),
      placeholderData: keepPreviousData,
    }),
  agents: ({ q, ended }: ResellerSearch, query: GridQuery) =>
    queryOptions({
      queryKey: [...RESELLERS_KEY, 'list', q, ended, query],
      queryFn: ({ signal }) =>
        api.agents.list({ query: { ...pageOf(query), keyword: q, ended: ended ? 'true' : 'false' }, signal }),
      placeholderData: keepPreviousData,
    }),
  all: ({ kind, agent }: ResellerSearch, query: GridQuery) =>
    queryOptions({
      queryKey: [...RESELLERS_KEY, 'all', kind, agent, query],
      queryFn: ({ signal }) =>
        api.agents.allRecords({ query: { ...pageOf(query), kind, agent_id: agent }, signal }),
      placeholderData: keepPreviousData,
    }),
};
