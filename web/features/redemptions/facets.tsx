/** The facets of the list: state and batch. */
import { useTranslation } from 'react-i18next';
import { REDEMPTION_STATES, type RedemptionBatch } from '#contract/money/redemptions.ts';
import type { Facet } from '#web/ui/filter/filter-bar.tsx';
import { absoluteTime } from '#web/ui/format/time.ts';
import type { ChangeSearch, RedemptionSearch } from './search.ts';

export function useCodeFacets(
  search: RedemptionSearch,
  change: ChangeSearch,
  batches: readonly RedemptionBatch[],
): Facet[] {
  const { t } = useTranslation('redemptions');
  const facets: Facet[] = [
    {
      id: 'state',
      label: t('column.status'),
      options: REDEMPTION_STATES.map((state) => ({ value: state, label: t(`status.${state}`) })),
      value: search.state === undefined ? [] : [search.state],
      onChange: ([value]) =>
        change({ state: REDEMPTION_STATES.find((state) => state === value), page: undefined }),
    },
    {
      id: 'batch',
      label: t('column.batch'),
      options: batches.map(({ batch, name, created_time, used, total }) => ({
        value: batch,
        label: t('batch.option', { name, time: absoluteTime(created_time).slice(0, 16), used, total }),
      })),
      value: search.batch === undefined ? [] : [search.batch],
      onChange: ([value]) => change({ batch: value, page: undefined }),
    },
  ];
  return facets.filter((facet) => facet.options.length > 0);
}
