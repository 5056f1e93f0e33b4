/** Search parameters of the audit page: the filter, the position in the trail, and the opened row. */
import type { ChangeAddress } from '#web/ui/address/use-address.ts';
import { oneOf, searchParams, text, whole, type SearchOf } from '#web/ui/address/search-params.ts';
import { gridSearch } from '#web/ui/grid/search.ts';

export const AUDIT_RANGES = ['hour', 'day', 'week', 'month'] as const;

export const auditSearch = searchParams({
  /** The page number shown; `before` or `after` defines where it begins. */
  page: gridSearch.page,
  size: gridSearch.size,
  before: whole(1),
  after: whole(1),
  actor: text(64),
  action: text(64),
  target: text(200),
  range: oneOf(...AUDIT_RANGES),
  open: whole(1),
});

export type AuditSearch = SearchOf<typeof auditSearch>;
export type ChangeSearch = ChangeAddress<AuditSearch>;

/** Back to the newest rows. */
export const FIRST_PAGE = { page: undefined, before: undefined, after: undefined, open: undefined } as const;
