/** Queries of the money that moves between balances. */
import { queryOptions } from '@tanstack/react-query';
import { api } from '#web/api.ts';
import { ORGANIZATIONS_KEY } from '#web/api/holders.ts';
import { balanceQuery } from '#web/api/queries.ts';

const MOVES_KEY = [...ORGANIZATIONS_KEY, 'moves'] as const;

export const movesQuery = queryOptions({
  queryKey: MOVES_KEY,
  queryFn: ({ signal }) => api.moves.list({ signal }),
});

/** What a move changes on the page of the wallet. */
export const BALANCES_CHANGED = [MOVES_KEY, balanceQuery.queryKey, ['wallet']] as const;
