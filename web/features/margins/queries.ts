/** Queries of the margin page. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { MarginDimension } from '#contract/money/margins.ts';
import { api } from '#web/api.ts';
import type { MarginSearch } from './search.ts';

/** What a click on a row of each kind sums next. */
export const NEXT: Readonly<Record<MarginDimension, MarginDimension>> = {
  supplier: 'channel',
  channel: 'model',
  model: 'user',
  group: 'model',
  user: 'model',
  day: 'channel',
};

export const marginQueries = {
  report: ({ days = 30, by, channel, supplier, model, group, user, day }: MarginSearch) => {
    // The server knows which day it is at the site.
    const span = day === undefined ? { days } : { from: day, to: day };
    const query = { ...span, by, channel, supplier, model, group, user };
    return queryOptions({
      queryKey: ['margins', query],
      queryFn: ({ signal }) => api.margins.report({ query, signal }),
      placeholderData: keepPreviousData,
    });
  },
};
