/** A column head; a sortable one is a button with three states: ascending, descending, default. */
import { UnstyledButton } from '@mantine/core';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { GridColumn, GridSort } from './types.ts';
import classes from './grid.module.css';

interface HeadCellProps<Row> {
  column: GridColumn<Row>;
  sort?: GridSort;
  onSort: (sort: GridSort | undefined) => void;
}

export function nextSort(key: string, sort: GridSort | undefined): GridSort | undefined {
  if (sort?.key !== key) return { key, order: 'asc' };
  return sort.order === 'asc' ? { key, order: 'desc' } : undefined;
}

export function HeadCell<Row>({ column, sort, onSort }: HeadCellProps<Row>) {
  const { t } = useTranslation('ui');
  const { sortKey } = column;
  const order = sortKey && sort?.key === sortKey ? sort.order : undefined;
  const ariaSort = order === 'asc' ? 'ascending' : order === 'desc' ? 'descending' : undefined;
  return (
    <th
      className={`note cut ${classes.headCell}`}
      scope="col"
      data-align={column.align}
      aria-sort={ariaSort}
      // Read with every cell below: the name of the column, not that of its button.
      aria-label={column.header}
    >
      {column.headerHidden ? <span className="hidden">{column.header}</span> : null}
      {sortKey && !column.headerHidden ? (
        <UnstyledButton
          className={`inline4 small ${classes.sort}`}
          aria-label={t('grid.sortBy', { column: column.header })}
          onClick={() => onSort(nextSort(sortKey, sort))}
        >
          {column.header}
          {order === 'asc' ? <IconArrowUp size={12} stroke={1.8} /> : null}
          {order === 'desc' ? <IconArrowDown size={12} stroke={1.8} /> : null}
        </UnstyledButton>
      ) : null}
      {!sortKey && !column.headerHidden ? column.header : null}
    </th>
  );
}
