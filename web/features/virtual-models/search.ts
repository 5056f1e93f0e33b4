/** Search parameters of virtual models: the filter of the list, the open editor, and the time that a page looks back on. */
import { THING_WINDOWS } from '#contract/thing-window.ts';
import { oneOf, searchParams, text } from '#web/ui/address/search-params.ts';
import { useAddress } from '#web/ui/address/use-address.ts';
import { gridSearch } from '#web/ui/grid/search.ts';

export const virtualModelSearch = searchParams({
  ...gridSearch,
  q: text(255),
  new: oneOf(1),
  /** A new one begins as this one. */
  copy: text(255),
  edit: oneOf(1),
  window: oneOf(...THING_WINDOWS),
});

export const NO_EDITOR = { new: undefined, copy: undefined, edit: undefined } as const;

export const useVirtualModelSearch = () => useAddress(virtualModelSearch);
