/** The filters of an organization's keys and calls: whose they are, and their project. None in the reader's own account. */
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { hasRight, type OrganizationRight } from '#contract/admin/organization-rights.ts';
import type { Facet } from '#web/ui/filter/filter-bar.tsx';
import type { HolderSearch } from './holder-search.ts';
import { holderQueries } from './holders.ts';
import { useScope } from './scope.ts';

/** `all`: the right without which the reader sees only what is theirs. */
export function useHolderFacets(
  search: HolderSearch,
  all: OrganizationRight,
  change: (next: HolderSearch) => void,
): Facet[] {
  const { t } = useTranslation('ui');
  const role = useScope()?.role;
  const isShared = role !== undefined;
  const seesAll = isShared && hasRight(role, all);
  const members = useQuery({ ...holderQueries.members(), enabled: seesAll }).data?.items ?? [];
  const accounts = useQuery({ ...holderQueries.serviceAccounts(), enabled: seesAll }).data ?? [];
  const projects = useQuery({ ...holderQueries.projects(), enabled: isShared }).data ?? [];
  const facet = (name: keyof HolderSearch, options: Facet['options'], more: HolderSearch = {}): Facet => ({
    id: name,
    label: t(`holder.${name}`),
    typed: t('holder.find'),
    options,
    value: search[name] === undefined ? [] : [String(search[name])],
    onChange: ([value]) => {
      const id = Number(value);
      if (value === undefined || Number.isInteger(id))
        change({ ...more, [name]: value === undefined ? undefined : id });
    },
  });
  const option = (id: number, label: string) => ({ value: String(id), label });
  const facets = [
    facet(
      'member',
      members.map(({ user_id, username }) => option(user_id, username)),
      { service_account: undefined },
    ),
    facet(
      'service_account',
      accounts.map(({ id, name }) => option(id, name)),
      { member: undefined },
    ),
    facet(
      'project',
      projects.map(({ id, name }) => option(id, name)),
    ),
  ];
  return facets.filter(({ options }) => options.length > 0);
}
