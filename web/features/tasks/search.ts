/** Search parameters of the task page: the filter and the open task. */
import { oneOf, searchParams, text, whole, type SearchOf } from '#web/ui/address/search-params.ts';
import { useAddress, type ChangeAddress } from '#web/ui/address/use-address.ts';
import { gridSearch } from '#web/ui/grid/search.ts';

export const TASK_RANGE_NAMES = ['week', 'month'] as const;

export const taskSearch = searchParams({
  page: gridSearch.page,
  size: gridSearch.size,
  /** Unix seconds; without them the default range, which moves with the clock. */
  from: whole(0),
  to: whole(0),
  range: oneOf(...TASK_RANGE_NAMES),
  id: text(128),
  action: text(32),
  status: text(32),
  channel: whole(1),
  /** The row whose result is open. */
  open: whole(1),
});

export type TaskSearch = SearchOf<typeof taskSearch>;
export type ChangeSearch = ChangeAddress<TaskSearch>;

export const useTaskSearch = () => useAddress(taskSearch);

/** A changed filter starts at its first page with nothing open. */
export const FROM_START = { page: undefined, open: undefined } as const;

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
