/** Search parameters of the pages of drawings and other tasks: the filter and what is open. */
import { oneOf, searchParams, text, whole, type SearchOf } from '#web/ui/address/search-params.ts';
import { gridSearch } from '#web/ui/grid/search.ts';

export const RANGE_NAMES = ['today', 'week', 'month'] as const;
export type RangeName = (typeof RANGE_NAMES)[number];

export const taskSearch = searchParams({
  page: gridSearch.page,
  size: gridSearch.size,
  /** Unix seconds; without them the default range, which moves with the clock. */
  from: whole(0),
  to: whole(0),
  range: oneOf(...RANGE_NAMES),
  id: text(128),
  action: text(32),
  status: text(32),
  channel: whole(1),
  /** The drawing whose picture is open. */
  picture: whole(1),
  /** The task whose result is open. */
  open: whole(1),
});

export type TaskSearch = SearchOf<typeof taskSearch>;

/** A changed filter starts at its first page with nothing open. */
export const FROM_START = { page: undefined, picture: undefined, open: undefined } as const;

export const NO_FILTER = {
  ...FROM_START,
  from: undefined,
  to: undefined,
  range: undefined,
  id: undefined,
  action: undefined,
  status: undefined,
  channel: undefined,
} as const;
