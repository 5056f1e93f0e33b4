/** Search parameters of the user page: the filter and the open card. The form drawers are paths. */
import { oneOf, searchParams, text, whole, type SearchOf } from '#web/ui/address/search-params.ts';
import { gridSearch } from '#web/ui/grid/search.ts';

export const userSearch = searchParams({
  ...gridSearch,
  q: text(100),
  group: text(64),
  role: oneOf(1, 10, 100),
  state: oneOf('activated', 'banned', 'suspended', 'deleted'),
  /** The user whose usage is shown. */
  card: whole(1),
});

export type UserSearch = SearchOf<typeof userSearch>;
