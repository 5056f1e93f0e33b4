/** The state of the page in its URL. */
import { useAddress, type ChangeAddress } from '#web/ui/address/use-address.ts';
import { pricingSearch, type PricingSearch } from './search.ts';

export type ChangeSearch = ChangeAddress<PricingSearch>;

export const usePricingSearch = () => useAddress(pricingSearch);
