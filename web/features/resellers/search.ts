/** Search parameters of the resellers page: the tab and its filter. */
import { DIVIDEND_KINDS, WITHDRAWAL_STATUS } from '#contract/money/resellers.ts';
import { flag, oneOf, searchParams, text, whole, type SearchOf } from '#web/ui/address/search-params.ts';
import { useAddress, type ChangeAddress } from '#web/ui/address/use-address.ts';
import { gridSearch } from '#web/ui/grid/search.ts';

export const OWN_TABS = ['own', 'records', 'customers', 'payouts'] as const;
export const ADMIN_TABS = ['agents', 'queue', 'all'] as const;
export type AgentTab = (typeof OWN_TABS)[number] | (typeof ADMIN_TABS)[number];

export const resellerSearch = searchParams({
  ...gridSearch,
  tab: oneOf(...OWN_TABS, ...ADMIN_TABS),
  q: text(100),
  kind: oneOf(...DIVIDEND_KINDS),
  status: oneOf(...WITHDRAWAL_STATUS),
  /** Records of one agent. */
  agent: whole(1),
  /** Also agents whose agency has ended. */
  ended: flag,
  /** The dialog that adds one is open. */
  new: oneOf(1),
});

export type ResellerSearch = SearchOf<typeof resellerSearch>;
export type ChangeSearch = ChangeAddress<ResellerSearch>;

export const useResellerSearch = () => useAddress(resellerSearch);

/** What every list of the page gets. */
export interface ListProps {
  search: ResellerSearch;
  change: ChangeSearch;
}
