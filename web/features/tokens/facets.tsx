/** The three facets of the list: state, group, expiry. */
import { useTranslation } from 'react-i18next';
import { TOKEN_STATUS } from '#contract/tokens.ts';
import { GroupTag } from '#web/ui/badge/tag.tsx';
import type { Facet } from '#web/ui/filter/filter-bar.tsx';
import { EXPIRY_FACETS, type TokenSearch } from './search.ts';
import type { ChangeSearch } from './use-token-search.ts';

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
    {
      id: 'group',
      label: t('column.group'),
      options: Object.keys(groups ?? {}).map((group) => ({
        value: group,
        label: group,
        node: <GroupTag group={group} />,
      })),
      value: search.group === undefined ? [] : [search.group],
      onChange: ([value]) => change({ group: value, page: undefined }),
    },
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
