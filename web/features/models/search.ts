/** Search parameters of the models: the filter of the list, and the time that a model's page looks back on. */
import { THING_WINDOWS } from '#contract/thing-window.ts';
import { oneOf, searchParams, text, type SearchOf } from '#web/ui/address/search-params.ts';
import { gridSearch } from '#web/ui/grid/search.ts';

export const modelSearch = searchParams({
  ...gridSearch,
  q: text(255),
  /** Only those that cannot be called. */
  only: oneOf('off', 'unpriced'),
  window: oneOf(...THING_WINDOWS),
});

export type ModelSearch = SearchOf<typeof modelSearch>;
