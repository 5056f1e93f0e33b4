/** The state of the page in its URL, and functions that reset parts of it. */
import { useAddress, type ChangeAddress } from '#web/ui/address/use-address.ts';
import { drawingSearch, type DrawingSearch } from './search.ts';

export type ChangeSearch = ChangeAddress<DrawingSearch>;

/** A changed filter starts at its first page with no picture open. */
export const FROM_START = { page: undefined, picture: undefined } as const;

export const NO_FILTER = {
  ...FROM_START,
  from: undefined,
  to: undefined,
  range: undefined,
  id: undefined,
  action: undefined,
  status: undefined,
  channel: undefined,
} as const;

export const useDrawingSearch = () => useAddress(drawingSearch);
