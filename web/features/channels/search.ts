/** Search parameters of the channel page: the filter of the list and the open simulator. Drawers are paths. */
import { THING_WINDOWS } from '#contract/thing-window.ts';
import { flag, oneOf, searchParams, text, whole, type SearchOf } from '#web/ui/address/search-params.ts';
import { gridSearch } from '#web/ui/grid/search.ts';

export const channelSearch = searchParams({
  ...gridSearch,
  /** Id, part of the name, or a whole key. */
  q: text(),
  model: text(255),
  group: text(64),
  type: whole(1, 999),
  status: whole(1, 3),
  tag: text(64),
  /** The short way to a first channel is open. */
  quick: flag,
  /** The route simulator is open. */
  simulate: flag,
  /** The suppliers are open. */
  suppliers: flag,
  /** The time that the page of a channel looks back on. */
  window: oneOf(...THING_WINDOWS),
});

export type ChannelSearch = SearchOf<typeof channelSearch>;
