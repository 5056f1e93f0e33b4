/** Search parameters of the history: whose notices, and the opened one. */
import { oneOf, searchParams, whole, type SearchOf } from '#web/ui/address/search-params.ts';
import { useAddress, type ChangeAddress } from '#web/ui/address/use-address.ts';
import { gridSearch } from '#web/ui/grid/search.ts';

export const SCOPES = ['all', 'operators', 'users'] as const;

export const noticeSearch = searchParams({
  ...gridSearch,
  /** Nothing: the user's own. */
  scope: oneOf(...SCOPES),
  state: oneOf('failed'),
  open: whole(1),
});

export type NoticeSearch = SearchOf<typeof noticeSearch>;
export type ChangeSearch = ChangeAddress<NoticeSearch>;

export const useNoticeSearch = () => useAddress(noticeSearch);
