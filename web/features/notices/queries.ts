/** Queries of the notices: the ways of a receiver, and what was sent. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '#web/api.ts';
import type { GridQuery } from '#web/ui/grid/types.ts';
import type { NoticeSearch } from './search.ts';

/** Whose ways are edited: those of the signed-in user, or of the operators. */
export type Receiver = 'own' | 'operators';

export const NOTICES_KEY = ['notices'] as const;

export const noticeQueries = {
  ways: (receiver: Receiver) =>
    queryOptions({
      queryKey: [...NOTICES_KEY, 'ways', receiver],
      queryFn: ({ signal }) => waysApi(receiver).ways({ signal }),
    }),
  /** `scope`: only the super admin reads the notices of others. */
  history: ({ scope, state }: Pick<NoticeSearch, 'scope' | 'state'>, { page, pageSize }: GridQuery) =>
    queryOptions({
      queryKey: [...NOTICES_KEY, 'history', scope, state, page, pageSize],
      queryFn: ({ signal }) => {
        const query = { p: page, page_size: pageSize };
        if (scope === undefined) return api.notices.history({ query, signal });
        return api.operatorNotices.history({ query: { ...query, receiver: scope, state }, signal });
      },
      placeholderData: keepPreviousData,
      refetchInterval: ({ state: { data } }) => (data?.items.some(isWaiting) ? WAITING_MILLISECONDS : false),
    }),
};

const WAITING_MILLISECONDS = 5000;

interface Deliveries {
  is_dispatched: boolean;
  deliveries: readonly { status: string }[];
}

function isWaiting({ is_dispatched, deliveries }: Deliveries): boolean {
  return !is_dispatched || deliveries.some(({ status }) => status === 'pending' || status === 'sending');
}

export const waysApi = (receiver: Receiver) => (receiver === 'own' ? api.notices : api.operatorNotices);
