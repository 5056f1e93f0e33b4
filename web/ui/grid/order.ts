/** The order of a list as a facet, for the phone's sheet: cards have no column heads to press. */
import type { Facet } from '#web/ui/filter/facet.tsx';
import type { GridColumn, GridSort } from './types.ts';

type Sortable = Pick<GridColumn<never>, 'header' | 'sortKey'>;

const ARROWS = { asc: '↑', desc: '↓' } as const;
const ORDERS = ['asc', 'desc'] as const;
const valueOf = ({ key, order }: GridSort) => `${order} ${key}`;

/** Undefined when no column can be sorted. */
export function orderFacet(
  label: string,
  columns: readonly Sortable[],
  sort: GridSort | undefined,
  onSort: (sort: GridSort | undefined) => void,
): Facet | undefined {
  const choices = columns.flatMap(({ header, sortKey }) =>
    sortKey
      ? ORDERS.map((order) => ({ sort: { key: sortKey, order }, label: `${header} ${ARROWS[order]}` }))
      : [],
  );
  if (choices.length === 0) return undefined;
  return {
    id: 'order',
    label,
    options: choices.map((choice) => ({ value: valueOf(choice.sort), label: choice.label })),
    value: sort ? [valueOf(sort)] : [],
    onChange: ([value]) => onSort(choices.find((choice) => valueOf(choice.sort) === value)?.sort),
  };
}
