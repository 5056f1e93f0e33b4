/** What the addresses of the pages of organizations can say. */
import { ORGANIZATION_ROLES } from '#contract/admin/organization-rights.ts';
import { flag, oneOf, searchParams, text, whole, type SearchOf } from '#web/ui/address/search-params.ts';
import { useAddress } from '#web/ui/address/use-address.ts';
import { gridSearch } from '#web/ui/grid/search.ts';

export const MEMBER_VIEWS = ['members', 'invitations'] as const;

export const memberSearch = searchParams({
  page: gridSearch.page,
  size: gridSearch.size,
  view: oneOf(...MEMBER_VIEWS),
  q: text(100),
  role: oneOf(...ORGANIZATION_ROLES),
  invite: flag,
});
export type MemberSearch = SearchOf<typeof memberSearch>;
export const useMemberSearch = () => useAddress(memberSearch);

export const PROJECT_VIEWS = ['projects', 'accounts'] as const;

export const projectSearch = searchParams({
  page: gridSearch.page,
  size: gridSearch.size,
  view: oneOf(...PROJECT_VIEWS),
  archived: flag,
  new: flag,
  /** The project in the drawer. */
  edit: whole(1),
});
export type ProjectSearch = SearchOf<typeof projectSearch>;
export const useProjectSearch = () => useAddress(projectSearch);

export const invitationSearch = searchParams({ token: text(200) });

const STATES = ['active', 'suspended', 'deleted'] as const;

export const managedSearch = searchParams({
  ...gridSearch,
  q: text(100),
  state: oneOf(...STATES),
  open: whole(1),
});
export type ManagedSearch = SearchOf<typeof managedSearch>;
export const useManagedSearch = () => useAddress(managedSearch);
