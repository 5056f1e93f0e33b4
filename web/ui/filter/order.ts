/** The order of a list as a facet, for the phone's sheet: cards have no column heads to press. */
import type { GridColumn, GridSort } from '#web/ui/grid/types.ts';
import type { Facet } from './facet.tsx';

export interface Order {
  columns: readonly Pick<GridColumn<never>, 'header' | 'sortKey'>[];
  sort: GridSort | undefined;
  onSort: (sort: GridSort | undefined) => void;
}

const ARROWS = { asc: '↑', desc: '↓' } as const;
const ORDERS = ['asc', 'desc'] as const;
const valueOf = ({ key, order }: GridSort) => `${order} ${key}`;

export function orderFacet(label: string, { columns, sort, onSort }: Order): Facet {
  const choices = columns.flatMap(({ header, sortKey }) =>
    sortKey
      ? ORDERS.map((order) => ({ sort: { key: sortKey, order }, label: `${header} ${ARROWS[order]}` }))
      : [],
  );
  return {
    id: 'order',
    label,
    options: choices.map((choice) => ({ value: valueOf(choice.sort), label: choice.label })),
    value: sort ? [valueOf(sort)] : [],
    onChange: ([value]) => onSort(choices.find((choice) => valueOf(choice.sort) === value)?.sort),
  };
}
