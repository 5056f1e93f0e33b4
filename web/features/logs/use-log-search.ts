/** The state of the page in its URL, and functions that reset parts of it. */
import { NO_HOLDER } from '#web/api/holder-search.ts';
import { useAddress, type ChangeAddress } from '#web/ui/address/use-address.ts';
import { logSearch, type LogSearch } from './search.ts';

export type ChangeSearch = ChangeAddress<LogSearch>;

/** A changed filter starts at its first page with every row closed. */
export const FROM_START = { page: undefined, open: undefined } as const;

export const NO_FILTER = {
  ...FROM_START,
  from: undefined,
  to: undefined,
  range: undefined,
  type: undefined,
  model: undefined,
  token: undefined,
  group: undefined,
  request: undefined,
  user: undefined,
  channel: undefined,
  cause: undefined,
  ...NO_HOLDER,
  tag: undefined,
} as const;

export const useLogSearch = () => useAddress(logSearch);
