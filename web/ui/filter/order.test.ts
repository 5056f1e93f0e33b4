import { expect, test } from 'bun:test';
import { orderFacet } from './order.ts';
import type { GridSort } from '#web/ui/grid/types.ts';

const columns = [
  { header: 'Name', sortKey: 'name' },
  { header: 'Models' },
  { header: 'Used', sortKey: 'used' },
];

test('every sortable column is offered in both orders; a second choice of the same order ends it', () => {
  const chosen: (GridSort | undefined)[] = [];
  const facet = orderFacet('Order', {
    columns,
    sort: { key: 'used', order: 'desc' },
    onSort: (sort) => chosen.push(sort),
  });
  expect(facet.options.map(({ label }) => label)).toEqual(['Name ↑', 'Name ↓', 'Used ↑', 'Used ↓']);
  expect(facet.value).toEqual([facet.options[3]?.value ?? '']);
  facet.onChange([facet.options[0]?.value ?? '']);
  facet.onChange([]);
  expect(chosen).toEqual([{ key: 'name', order: 'asc' }, undefined]);
});
