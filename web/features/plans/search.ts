/** Search parameters of the plans page: the view, the filter of subscriptions, the open drawer. */
import { SUBSCRIPTION_STATES } from '#contract/money/plans.ts';
import { oneOf, searchParams, text, whole, type SearchOf } from '#web/ui/address/search-params.ts';
import { useAddress, type ChangeAddress } from '#web/ui/address/use-address.ts';
import { gridSearch } from '#web/ui/grid/search.ts';

export const PLAN_VIEWS = ['offers', 'manage', 'subscriptions'] as const;
export type PlanView = (typeof PLAN_VIEWS)[number];

export const planSearch = searchParams({
  ...gridSearch,
  view: oneOf(...PLAN_VIEWS),
  q: text(100),
  state: oneOf(...SUBSCRIPTION_STATES, 'expiring'),
  plan: whole(1),
  edit: whole(1),
  new: oneOf(1),
});

export type PlanSearch = SearchOf<typeof planSearch>;
export type ChangeSearch = ChangeAddress<PlanSearch>;

export const NO_DRAWER = { edit: undefined, new: undefined } as const;

export const usePlanSearch = () => useAddress(planSearch);
