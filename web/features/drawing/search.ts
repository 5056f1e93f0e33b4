/** Search parameters of the drawing page: the filter and the open picture. */
import { oneOf, searchParams, text, whole, type SearchOf } from '#web/ui/address/search-params.ts';
import { gridSearch } from '#web/ui/grid/search.ts';

export const DRAWING_RANGE_NAMES = ['today', 'week'] as const;

export const drawingSearch = searchParams({
  page: gridSearch.page,
  size: gridSearch.size,
  /** Unix seconds; without them the default range, which moves with the clock. */
  from: whole(0),
  to: whole(0),
  range: oneOf(...DRAWING_RANGE_NAMES),
  id: text(128),
  action: text(32),
  status: text(32),
  channel: whole(1),
  /** The row whose picture is open. */
  picture: whole(1),
});

export type DrawingSearch = SearchOf<typeof drawingSearch>;
