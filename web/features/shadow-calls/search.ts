/** Search parameters of comparisons: the filter of the list, and the open editor. */
import { oneOf, searchParams, text } from '#web/ui/address/search-params.ts';
import { useAddress } from '#web/ui/address/use-address.ts';
import { gridSearch } from '#web/ui/grid/search.ts';

export const shadowSearch = searchParams({
  ...gridSearch,
  q: text(255),
  new: oneOf(1),
  edit: oneOf(1),
});

export const NO_EDITOR = { new: undefined, edit: undefined } as const;

export const useShadowSearch = () => useAddress(shadowSearch);
