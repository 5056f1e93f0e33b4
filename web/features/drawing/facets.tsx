/** The filters of the drawing page: time, action, state, and for administrators the channel. */
import { useTranslation } from 'react-i18next';
import { DRAWING_ACTIONS, DRAWING_STATUSES } from '#contract/relay/drawing.ts';
import type { Facet } from '#web/ui/filter/filter-bar.tsx';
import { rangeFacet } from '#web/ui/range/range-facet.ts';
import { DRAWING_RANGE_NAMES, type DrawingSearch } from './search.ts';
import { FROM_START, type ChangeSearch } from './use-drawing-search.ts';

interface FacetInput {
  search: DrawingSearch;
  change: ChangeSearch;
  admin: boolean;
  onCustomRange: () => void;
}

export function useDrawingFacets({ search, change, admin, onCustomRange }: FacetInput): Facet[] {
  const { t } = useTranslation('drawing');
  const set = (next: Partial<DrawingSearch>) => change({ ...next, ...FROM_START });
  const one = (value: string | undefined) => (value === undefined ? [] : [value]);
  const { channel } = search;

  const facets: (Facet | false)[] = [
    rangeFacet({
      search,
      names: DRAWING_RANGE_NAMES,
      words: {
        label: t('range.label'),
        standard: t('range.default'),
        custom: t('range.custom'),
        nameOf: (name) => t(`range.${name}`),
      },
      onCustom: onCustomRange,
      onChange: set,
    }),
    {
      id: 'action',
      label: t('column.action'),
      options: DRAWING_ACTIONS.map((value) => ({ value, label: t(`action.${value}`) })),
      value: one(search.action),
      onChange: ([value]) => set({ action: value }),
    },
    {
      id: 'status',
      label: t('column.status'),
      options: DRAWING_STATUSES.map((value) => ({ value, label: t(`status.${value}`) })),
      value: one(search.status),
      onChange: ([value]) => set({ status: value }),
    },
    admin && {
      id: 'channel',
      label: t('column.channel'),
      typed: t('filter.channel'),
      options: channel === undefined ? [] : [{ value: String(channel), label: `#${channel}` }],
      value: channel === undefined ? [] : [String(channel)],
      onChange: ([value]) => {
        const id = Number(value?.replace(/^#/, ''));
        set({ channel: Number.isInteger(id) && id > 0 ? id : undefined });
      },
    },
  ];
  return facets.filter((facet) => facet !== false);
}
