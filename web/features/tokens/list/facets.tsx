/** The three facets of the list: state, group, expiry. */
import { useTranslation } from 'react-i18next';
import { TOKEN_STATUS } from '#contract/admin/tokens.ts';
import type { Facet } from '#web/ui/filter/filter-bar.tsx';
import { groupFacet } from '#web/ui/filter/group-facet.tsx';
import { EXPIRY_FACETS, type TokenSearch } from '#web/features/tokens/search.ts';
import type { ChangeSearch } from '#web/features/tokens/use-token-search.ts';

const STATUS_NAMES = ['enabled', 'disabled', 'expired', 'exhausted'] as const;

export function useTokenFacets(
  search: TokenSearch,
  change: ChangeSearch,
  groups: Record<string, unknown> | undefined,
): Facet[] {
  const { t } = useTranslation('tokens');
  const facets: Facet[] = [
    {
      id: 'status',
      label: t('column.status'),
      options: STATUS_NAMES.map((name) => ({
        value: String(TOKEN_STATUS[name]),
        label: t(`status.${name}`),
      })),
      value: search.status === undefined ? [] : [String(search.status)],
      onChange: ([value]) => change({ status: value ? Number(value) : undefined, page: undefined }),
    },
    groupFacet(t('column.group'), Object.keys(groups ?? {}), search.group, (group) =>
      change({ group, page: undefined }),
    ),
    {
      id: 'expiry',
      label: t('expiry.label'),
      options: EXPIRY_FACETS.map((value) => ({ value, label: t(`expiry.${value}`) })),
      value: search.expiry === undefined ? [] : [search.expiry],
      onChange: ([value]) =>
        change({ expiry: EXPIRY_FACETS.find((known) => known === value), page: undefined }),
    },
  ];
  return facets.filter((facet) => facet.options.length > 0);
}
