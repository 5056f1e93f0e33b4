/** Search parameters of the token page: the filter, and the open drawer with its focused field. */
import { THING_WINDOWS } from '#contract/thing-window.ts';
import { oneOf, searchParams, text, whole, type SearchOf } from '#web/ui/address/search-params.ts';
import { gridSearch } from '#web/ui/grid/search.ts';

export const EXPIRY_FACETS = ['never', 'week', 'expired'] as const;
export const FOCUS_FIELDS = ['expired_time', 'remain_quota'] as const;
export type FocusField = (typeof FOCUS_FIELDS)[number];

export const tokenSearch = searchParams({
  ...gridSearch,
  q: text(),
  status: whole(1, 4),
  group: text(64),
  expiry: oneOf(...EXPIRY_FACETS),
  /** The token in the edit drawer. */
  edit: whole(1),
  /** The field that the edit drawer focuses. */
  field: oneOf(...FOCUS_FIELDS),
  new: oneOf(1),
  /** In an organization: whose keys; of a new one, for whom. */
  member: whole(1),
  service_account: whole(1),
  project: whole(1),
  /** The token in the connect drawer. */
  connect: whole(1),
  /** What the page of a key looks back on. */
  window: oneOf(...THING_WINDOWS),
});

export type TokenSearch = SearchOf<typeof tokenSearch>;
