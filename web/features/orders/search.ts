/** Search parameters of the orders page and of an order's own. */
import { ORDER_STATUS, PAYMENT_PROVIDERS } from '#contract/money/orders.ts';
import { oneOf, searchParams, text, whole, type SearchOf } from '#web/ui/address/search-params.ts';
import { useAddress, type ChangeAddress } from '#web/ui/address/use-address.ts';
import { gridSearch } from '#web/ui/grid/search.ts';

export const ORDER_RANGES = ['day', 'week', 'month'] as const;

export const orderSearch = searchParams({
  ...gridSearch,
  q: text(100),
  status: oneOf(...ORDER_STATUS),
  provider: oneOf(...PAYMENT_PROVIDERS),
  range: oneOf(...ORDER_RANGES),
  /** Of old addresses: the order whose page is opened. */
  open: whole(1),
  /** The dialog that is open on the page of an order. */
  do: oneOf('refund', 'complete'),
});

export type OrderSearch = SearchOf<typeof orderSearch>;
export type ChangeSearch = ChangeAddress<OrderSearch>;

export const useOrderSearch = () => useAddress(orderSearch);
