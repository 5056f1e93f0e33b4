/** The facets of the list: group, type, status. */
import { useTranslation } from 'react-i18next';
import { CHANNEL_STATUS, type ChannelType } from '#contract/relay/channel-fields.ts';
import type { Facet } from '#web/ui/filter/filter-bar.tsx';
import { groupFacet } from '#web/ui/filter/group-facet.tsx';
import { statusKind } from './health-cells.tsx';
import type { ChannelSearch } from '#web/features/channels/search.ts';
import type { ChangeSearch } from '#web/features/channels/use-channel-search.ts';

export function useChannelFacets(
  search: ChannelSearch,
  change: ChangeSearch,
  groups: readonly string[] | undefined,
  types: readonly ChannelType[] | undefined,
  usedTypes: ReadonlySet<number>,
): Facet[] {
  const { t } = useTranslation('channels');
  const offered = (types ?? []).filter((type) => usedTypes.has(type.type) || type.type === search.type);
  const facets: Facet[] = [
    groupFacet(t('column.groups'), groups ?? [], search.group, (group) => change({ group, page: undefined })),
    {
      id: 'type',
      label: t('column.type'),
      options: offered.map((type) => ({ value: String(type.type), label: type.name })),
      value: search.type === undefined ? [] : [String(search.type)],
      onChange: ([value]) => change({ type: value ? Number(value) : undefined, page: undefined }),
    },
    {
      id: 'status',
      label: t('column.status'),
      options: Object.values(CHANNEL_STATUS).map((status) => ({
        value: String(status),
        label: t(`status.${statusKind(status)}`),
      })),
      value: search.status === undefined ? [] : [String(search.status)],
      onChange: ([value]) => change({ status: value ? Number(value) : undefined, page: undefined }),
    },
  ];
  return facets.filter((facet) => facet.options.length > 0);
}
