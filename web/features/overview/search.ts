/** Search parameters of the overview: the days, the open equation, and the operator's own account. */
import { oneOf, searchParams, type SearchOf } from '#web/ui/address/search-params.ts';
import type { OverviewDay } from '#contract/admin/overview.ts';

/** Not from the contract, whose schemas are no part of the first load. */
export const DAYS = ['today', 'yesterday', 'month'] as const satisfies readonly OverviewDay[];
export const EQUATIONS = ['came', 'used', 'cost', 'margin', 'unknown'] as const;
export type Equation = (typeof EQUATIONS)[number];

export const overviewSearch = searchParams({
  day: oneOf(...DAYS),
  open: oneOf(...EQUATIONS),
  /** An operator looks at the own balance and keys. */
  view: oneOf('own'),
});

export type OverviewSearch = SearchOf<typeof overviewSearch>;
