/** Search parameters of the redemption page: the filter, and the open drawer. */
import { REDEMPTION_STATES } from '#contract/money/redemptions.ts';
import { oneOf, pattern, searchParams, text, whole, type SearchOf } from '#web/ui/address/search-params.ts';
import { useAddress, type ChangeAddress } from '#web/ui/address/use-address.ts';
import { gridSearch } from '#web/ui/grid/search.ts';

export const redemptionSearch = searchParams({
  ...gridSearch,
  q: text(),
  state: oneOf(...REDEMPTION_STATES),
  batch: pattern(/^[\da-z]{1,64}$/),
  /** The code in the edit drawer. */
  edit: whole(1),
  new: oneOf(1),
});

export type RedemptionSearch = SearchOf<typeof redemptionSearch>;
export type ChangeSearch = ChangeAddress<RedemptionSearch>;

export const NO_DRAWER = { edit: undefined, new: undefined } as const;

export const useRedemptionSearch = () => useAddress(redemptionSearch);
