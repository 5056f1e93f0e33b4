/** Search parameters of the user page: the filter and the open card. The form drawers are paths. */
import { THING_WINDOWS } from '#contract/thing-window.ts';
import { flag, oneOf, searchParams, text, whole, type SearchOf } from '#web/ui/address/search-params.ts';
import { gridSearch } from '#web/ui/grid/search.ts';
import { keyIn } from './pasted-key.ts';

const readText = text(100);

export const userSearch = searchParams({
  ...gridSearch,
  q: (raw: unknown): string | undefined => {
    const found = readText(raw);
    // An address that has a key all the same is not searched for: the request would have it, too.
    return found !== undefined && keyIn(found) === undefined ? found : undefined;
  },
  group: text(64),
  role: oneOf(1, 10, 100),
  state: oneOf('activated', 'banned', 'suspended', 'deleted'),
  /** Of old addresses: the user whose page is opened. */
  card: whole(1),
  /** What the page of a user looks back on. */
  window: oneOf(...THING_WINDOWS),
  /** The dialog that finds a key; the key itself is never in the address. */
  find_key: flag,
});

export type UserSearch = SearchOf<typeof userSearch>;
