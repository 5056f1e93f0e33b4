/** The facets of the trail: action (one, or all of a kind), kind of target, time. */
import { useTranslation } from 'react-i18next';
import type { Facet } from '#web/ui/filter/filter-bar.tsx';
import { useAuditWords } from '#web/ui/audit/words.ts';
import { AUDIT_RANGES, FIRST_PAGE, type AuditSearch, type ChangeSearch } from './search.ts';

/** What can be chosen beside what the address names. */
export interface Offered {
  actions: readonly string[];
  targets: readonly string[];
}

export function useAuditFacets(
  search: AuditSearch,
  change: ChangeSearch,
  { actions, targets }: Offered,
): Facet[] {
  const { t } = useTranslation('audit');
  const words = useAuditWords();
  const kinds = [...new Set(actions.map((action) => action.split('.')[0] ?? action))];
  // The value in the URL is an option even when it does not occur in the trail.
  const actionValues = [
    ...new Set([
      ...kinds.flatMap((kind) => [kind, ...actions.filter((action) => action.startsWith(`${kind}.`))]),
      ...(search.action ? [search.action] : []),
    ]),
  ];
  const targetValues = [...new Set<string>([...targets, ...(search.target ? [search.target] : [])])];
  return [
    {
      id: 'action',
      label: t('column.action'),
      options: actionValues.map((value) => ({
        value,
        label: value.includes('.') ? words.action(value) : t('all', { kind: words.kind(value) }),
      })),
      value: search.action === undefined ? [] : [search.action],
      onChange: ([value]) => change({ ...FIRST_PAGE, action: value }),
    },
    {
      id: 'target',
      label: t('column.target'),
      options: targetValues.map((value) => ({ value, label: words.kind(value) })),
      value: search.target === undefined ? [] : [search.target],
      onChange: ([value]) => change({ ...FIRST_PAGE, target: value }),
    },
    {
      id: 'range',
      label: t('range.label'),
      options: AUDIT_RANGES.map((range) => ({ value: range, label: t(`range.${range}`) })),
      value: search.range === undefined ? [] : [search.range],
      onChange: ([value]) => change({ ...FIRST_PAGE, range: AUDIT_RANGES.find((range) => range === value) }),
    },
  ];
}
