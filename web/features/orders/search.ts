/** Search parameters of the orders page: the filter and the opened order. */
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
  open: whole(1),
});

export type OrderSearch = SearchOf<typeof orderSearch>;
export type ChangeSearch = ChangeAddress<OrderSearch>;

export const useOrderSearch = () => useAddress(orderSearch);
