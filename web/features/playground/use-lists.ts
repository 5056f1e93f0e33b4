/** The groups of the user and the price list. Without them nothing can be sent, so a failed load is shown with a retry. */
import { useQuery } from '@tanstack/react-query';
import { errorMessage } from '#web/api/errors.ts';
import { pricingQuery } from '#web/api/price-list.ts';
import { groupsQuery } from './queries.ts';

export function useLists(userId: number) {
  const groups = useQuery(groupsQuery);
  const list = useQuery(pricingQuery(userId));
  const error = (groups.data ? undefined : groups.error) ?? (list.data ? undefined : list.error);
  return {
    groups: groups.data ?? {},
    list: list.data,
    failure: error
      ? {
          message: errorMessage(error),
          onRetry: () => void Promise.all([groups.refetch(), list.refetch()]),
        }
      : undefined,
  };
}
