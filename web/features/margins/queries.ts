/** Queries of the margin page. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { MarginDimension } from '#contract/money/margins.ts';
import { api } from '#web/api.ts';
import { nowSeconds } from '#web/ui/format/time.ts';
import type { MarginSearch } from './search.ts';

const DAY_SECONDS = 86_400;
const dayText = (second: number) => new Date(second * 1000).toISOString().slice(0, 10);

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
    const today = nowSeconds();
    const from = day ?? dayText(today - (days - 1) * DAY_SECONDS);
    const query = { from, to: day ?? dayText(today), by, channel, supplier, model, group, user };
    return queryOptions({
      queryKey: ['margins', query],
      queryFn: ({ signal }) => api.margins.report({ query, signal }),
      placeholderData: keepPreviousData,
    });
  },
};
