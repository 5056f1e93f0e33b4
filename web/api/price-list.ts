/** The price list, and a model of it for code that people copy. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { PLACEHOLDER_MODEL, sampleModelOf } from '#contract/money/sample-model.ts';
import { api } from '#web/api.ts';
import { useUser } from '#web/api/session.ts';

/** It depends on the user, so the user id is part of the key. */
export const pricingQuery = (userId: number | undefined) =>
  queryOptions({
    queryKey: ['pricing', userId ?? 0],
    queryFn: ({ signal }) => api.pricing.list({ signal }),
    staleTime: 60_000,
  });

export type PriceList = Awaited<ReturnType<typeof api.pricing.list>>;

export function useSampleModel(): string {
  const user = useUser();
  const { data } = useQuery(pricingQuery(user?.id));
  return (data && sampleModelOf(data.data)) ?? PLACEHOLDER_MODEL;
}
