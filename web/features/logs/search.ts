/** Search parameters of the log page: the filter, the opened row, and whether the page follows the log. */
import { FAILURE_CAUSES } from '#contract/relay/failures.ts';
import { flag, oneOf, searchParams, text, whole, type SearchOf } from '#web/ui/address/search-params.ts';
import { gridSearch } from '#web/ui/grid/search.ts';

export const logSearch = searchParams({
  ...gridSearch,
  /** Unix seconds; without them the default range, which moves with the clock. */
  from: whole(0),
  to: whole(0),
  /** A named range, which moves with the clock. */
  range: text(16),
  type: whole(1, 8),
  /** Names, separated by commas. */
  model: text(4000),
  token: text(255),
  group: text(64),
  request: text(255),
  user: text(255),
  channel: whole(1),
  /** Of an organization: whose key made the calls. */
  member: whole(1),
  service_account: whole(1),
  project: whole(1),
  /** Of an organization's calls: `team=search`. */
  tag: text(255),
  /** Failed calls of this cause only. */
  cause: oneOf(...FAILURE_CAUSES),
  /** The row that is open. */
  open: whole(1),
  live: flag,
});

export type LogSearch = SearchOf<typeof logSearch>;
