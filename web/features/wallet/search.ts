/** What the address of the wallet can say: the order that waits. Providers add fields of their own, which are ignored. */
import { pattern, searchParams } from '#web/ui/address/search-params.ts';

export const walletSearch = searchParams({ order: pattern(/^[\w-]{1,100}$/) });
