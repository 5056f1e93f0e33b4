/** The filters of the task page: time, type, state, and for administrators the channel. */
import { useTranslation } from 'react-i18next';
import { TASK_ACTIONS, TASK_STATUSES } from '#contract/relay/tasks.ts';
import type { Facet } from '#web/ui/filter/filter-bar.tsx';
import { rangeFacet } from '#web/ui/range/range-facet.ts';
import { FROM_START, TASK_RANGE_NAMES, type ChangeSearch, type TaskSearch } from './search.ts';

interface FacetInput {
  search: TaskSearch;
  change: ChangeSearch;
  admin: boolean;
  onCustomRange: () => void;
}

export function useTaskFacets({ search, change, admin, onCustomRange }: FacetInput): Facet[] {
  const { t } = useTranslation('tasks');
  const set = (next: Partial<TaskSearch>) => change({ ...next, ...FROM_START });
  const one = (value: string | number | undefined) => (value === undefined ? [] : [String(value)]);
  const { channel } = search;
  const facets: (Facet | false)[] = [
    rangeFacet({
      search,
      names: TASK_RANGE_NAMES,
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
      options: TASK_ACTIONS.map((value) => ({ value, label: t(`action.${value}`) })),
      value: one(search.action),
      onChange: ([value]) => set({ action: value }),
    },
    {
      id: 'status',
      label: t('column.status'),
      options: TASK_STATUSES.map((value) => ({ value, label: t(`status.${value}`) })),
      value: one(search.status),
      onChange: ([value]) => set({ status: value }),
    },
    admin && {
      id: 'channel',
      label: t('column.channel'),
      typed: t('filter.channel'),
      options: channel === undefined ? [] : [{ value: String(channel), label: `#${channel}` }],
      value: one(channel),
      onChange: ([value]) => {
        const id = Number(value?.replace(/^#/, ''));
        set({ channel: Number.isInteger(id) && id > 0 ? id : undefined });
      },
    },
  ];
  return facets.filter((facet) => facet !== false);
}
