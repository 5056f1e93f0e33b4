/** Search parameters of the price list: filter, group, unit, and the model in the drawer. */
import { oneOf, searchParams, text, type SearchOf } from '#web/ui/address/search-params.ts';
import { gridSearch } from '#web/ui/grid/search.ts';

export const MONIES = ['usd', 'cny', 'quota'] as const;
export type Money = (typeof MONIES)[number];

export const pricingSearch = searchParams({
  ...gridSearch,
  q: text(),
  /** Lists, separated by commas. */
  vendor: text(400),
  path: text(400),
  kind: text(200),
  billing: oneOf('usage', 'call', 'second', 'answered'),
  group: text(64),
  per: oneOf('1k'),
  money: oneOf(...MONIES),
  /** The model in the drawer. */
  model: text(200),
});

export type PricingSearch = SearchOf<typeof pricingSearch>;
