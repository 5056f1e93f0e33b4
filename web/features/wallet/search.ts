/** What the address of the wallet can say: the order that waits. Providers add fields of their own, which are ignored. */
import { pattern, searchParams, whole } from '#web/ui/address/search-params.ts';

const tradeNumber = pattern(/^[\w-]{1,100}$/);

export const walletSearch = searchParams({ order: tradeNumber });

/** `user`: another user's, for administrators. */
export const statementSearch = searchParams({
  month: pattern(/^20\d\d-(0[1-9]|1[0-2])$/),
  user: whole(1),
});

/** `order`: the reader's own order by its number; `id`: any order, for administrators. */
export const receiptSearch = searchParams({ order: tradeNumber, id: whole(1) });
