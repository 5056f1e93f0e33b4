/** Queries of the playground: the groups of the user, and what a call was charged. */
import { queryOptions } from '@tanstack/react-query';
import { api } from '#web/api.ts';
import type { Charge } from './charge.ts';

export const groupsQuery = queryOptions({
  queryKey: ['self-groups'],
  queryFn: ({ signal }) => api.users.selfGroups({ signal }),
  staleTime: 60_000,
});

/** They depend on the name alone and never change. */
export const parametersQuery = (model: string) =>
  queryOptions({
    queryKey: ['playground-parameters', model],
    queryFn: ({ signal }) => api.playground.parameters({ query: { model }, signal }),
    staleTime: Infinity,
  });

export const chatsQuery = (userId: number) =>
  queryOptions({
    queryKey: ['kept-chats', userId],
    queryFn: ({ signal }) => api.chats.list({ signal }),
    enabled: userId > 0,
    staleTime: 30_000,
  });

export const sharesQuery = queryOptions({
  queryKey: ['chat-shares'],
  queryFn: ({ signal }) => api.chats.shares({ signal }),
});

/** The row of the call in the log; undefined while it is not there. */
export async function readLoggedCharge(requestId: string): Promise<Charge | undefined> {
  const { items } = await api.logs.listSelf({ query: { request_id: requestId, page_size: 1 } });
  const [row] = items;
  if (!row) return undefined;
  const usage = { prompt: row.prompt_tokens, cached: 0, completion: row.completion_tokens };
  return { quota: row.quota, usage };
}
