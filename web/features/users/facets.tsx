/** The three facets of the list: group, role, state. */
import { useTranslation } from 'react-i18next';
import { ROLE } from '#contract/access.ts';
import { USER_STATES } from '#contract/admin/user-management.ts';
import type { Facet } from '#web/ui/filter/filter-bar.tsx';
import { groupFacet } from '#web/ui/filter/group-facet.tsx';
import type { UserSearch } from './search.ts';
import type { ChangeSearch } from './use-user-address.ts';

const ROLES = [
  ['user', ROLE.user],
  ['admin', ROLE.admin],
  ['root', ROLE.root],
] as const;

export function useUserFacets(
  search: UserSearch,
  change: ChangeSearch,
  groups: readonly string[] | undefined,
): Facet[] {
  const { t } = useTranslation('users');
  return [
    groupFacet(t('column.group'), groups ?? [], search.group, (group) => change({ group, page: undefined })),
    {
      id: 'role',
      label: t('column.role'),
      options: ROLES.map(([name, role]) => ({ value: String(role), label: t(`role.${name}`) })),
      value: search.role === undefined ? [] : [String(search.role)],
      onChange: ([value]) =>
        change({ role: ROLES.find(([, role]) => String(role) === value)?.[1], page: undefined }),
    },
    {
      id: 'state',
      label: t('column.status'),
      options: USER_STATES.map((state) => ({ value: state, label: t(`status.${state}`) })),
      value: search.state === undefined ? [] : [search.state],
      onChange: ([value]) => change({ state: USER_STATES.find((state) => state === value), page: undefined }),
    },
  ];
}
