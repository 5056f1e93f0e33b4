/** The page's state in its address, and what closes or clears parts of it. */
import { useAddress, type ChangeAddress } from '#web/ui/address/use-address.ts';
import { tokenSearch, type TokenSearch } from './search.ts';

export type ChangeSearch = ChangeAddress<TokenSearch>;

/** What closes every drawer. */
export const NO_DRAWER = { edit: undefined, field: undefined, new: undefined, connect: undefined } as const;

export const useTokenSearch = () => useAddress(tokenSearch);
