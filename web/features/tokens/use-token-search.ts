/** The state of the page in its URL, and functions that reset parts of it. */
import { useAddress, type ChangeAddress } from '#web/ui/address/use-address.ts';
import { tokenSearch, type TokenSearch } from './search.ts';

export type ChangeSearch = ChangeAddress<TokenSearch>;

/** The search parameters without any drawer. */
export const NO_DRAWER = { edit: undefined, field: undefined, new: undefined, connect: undefined } as const;

export const useTokenSearch = () => useAddress(tokenSearch);
