/** The table itself: sticky head, 32 px rows ruled by hairlines, virtual rows above a hundred. */
import { Checkbox } from '@mantine/core';
import { columnVisibilityFeature, rowSelectionFeature, tableFeatures, useTable } from '@tanstack/react-table';
import { Fragment, lazy, Suspense, useMemo, useRef, type ChangeEvent, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { HeadCell } from './head-cell.tsx';
import { SkeletonRows } from './skeleton.tsx';
import { cellsOf, fitColumns, SELECT_COLUMN_WIDTH, spreadWidths, type ColumnChoice } from './fit.ts';
import { rangeOf, type SelectionState } from './selection.ts';
import type { GridColumn, GridSort } from './types.ts';
import classes from './grid.module.css';

const features = tableFeatures({ columnVisibilityFeature, rowSelectionFeature });

export const VIRTUAL_FROM_ROWS = 100;
// Pages have at most a hundred rows, so most visits do not need it.
const VirtualRows = lazy(() => import('./virtual-rows.tsx'));
const INTERACTIVE = 'button, a, input, label, select, textarea, [role="menuitem"], [role="separator"]';

export interface GridTableProps<Row> {
  columns: readonly GridColumn<Row>[];
  choice: ColumnChoice;
  rows: readonly Row[];
  rowId: (row: Row) => string;
  rowName: (row: Row) => string;
  loading: boolean;
  skeletonRows: number;
  sort?: GridSort;
  onSort: (sort: GridSort | undefined) => void;
  selection?: SelectionState<Row>;
  activeIndex: number;
  onActivate: (index: number) => void;
  openRowId?: string;
  isMuted?: (row: Row) => boolean;
  onOpen?: (row: Row) => void;
  detail?: (row: Row) => ReactNode;
  detailRowId?: string;
  width: number;
  label: string;
}

export function GridTable<Row extends object>(props: GridTableProps<Row>) {
  const { columns, choice, rows, rowId, loading, selection, width } = props;
  const { t } = useTranslation('ui');
  const scroller = useRef<HTMLDivElement>(null);
  const lastChecked = useRef<string>(undefined);
  const check = (item: Row, { currentTarget, nativeEvent }: ChangeEvent<HTMLInputElement>) => {
    const isRange = 'shiftKey' in nativeEvent && nativeEvent.shiftKey === true;
    const chosen = isRange ? rangeOf(rows, rowId, lastChecked.current, item) : [item];
    lastChecked.current = rowId(item);
    selection?.set(chosen, currentTarget.checked);
  };

  const selectWidth = selection ? SELECT_COLUMN_WIDTH : 0;
  const { shown, minWidth } = fitColumns(columns, choice, width > 0 ? width - selectWidth : 0);
  const widths = spreadWidths(shown, width > 0 ? width - selectWidth : 0);
  const definitions = useMemo(
    () => columns.map((column) => ({ id: column.id, header: column.header })),
    [columns],
  );
  const table = useTable({
    features,
    columns: definitions,
    data: rows,
    getRowId: rowId,
    enableRowSelection: selection !== undefined,
    state: {
      columnVisibility: Object.fromEntries(columns.map((column) => [column.id, shown.includes(column)])),
      rowSelection: selection?.ids ?? {},
    },
  });

  const virtual = rows.length > VIRTUAL_FROM_ROWS && !props.detail;
  const tableRows = table.getRowModel().rows;
  const span = shown.length + (selection ? 1 : 0);

  const pageSelected = rows.length > 0 && rows.every((row) => selection?.ids[rowId(row)]);
  const someSelected = rows.some((row) => selection?.ids[rowId(row)]);

  const renderRow = (row: (typeof tableRows)[number]) => {
    const item = row.original;
    const id = row.id;
    const active = row.index === props.activeIndex;
    return (
      <Fragment key={id}>
        <tr
          className={classes.row}
          data-row-index={row.index}
          data-active={active || undefined}
          data-selected={row.getIsSelected() || undefined}
          data-open={id === props.openRowId || undefined}
          data-muted={props.isMuted?.(item) || undefined}
          data-clickable={props.onOpen ? true : undefined}
          tabIndex={active || (props.activeIndex < 0 && row.index === 0) ? 0 : -1}
          onFocus={(event) => {
            if (event.target === event.currentTarget) props.onActivate(row.index);
          }}
          onClick={(event) => {
            if (event.target instanceof Element && event.target.closest(INTERACTIVE)) return;
            // Selecting text in a cell is not a click on the row.
            if (globalThis.getSelection()?.toString()) return;
            props.onActivate(row.index);
            props.onOpen?.(item);
          }}
        >
          {selection ? (
            <td className={`cut ${classes.cell}`} data-select>
              <Checkbox
                aria-label={`${t('grid.selectRow')}: ${props.rowName(item)}`}
                checked={row.getIsSelected()}
                onChange={(event) => check(item, event)}
              />
            </td>
          ) : null}
          {cellsOf(shown, item).map(({ column, span }) => (
            <td
              key={column.id}
              className={`cut ${classes.cell}`}
              data-align={column.align}
              colSpan={span > 1 ? span : undefined}
            >
              {column.cell(item)}
            </td>
          ))}
        </tr>
        {props.detail && id === props.detailRowId ? (
          <tr className={classes.detailRow}>
            <td colSpan={span}>{props.detail(item)}</td>
          </tr>
        ) : null}
      </Fragment>
    );
  };

  return (
    <div className={classes.scroller} ref={scroller} data-grid-scroller>
      <table
        className={classes.table}
        style={{ minWidth: minWidth + selectWidth }}
        aria-busy={loading}
        aria-label={props.label}
      >
        <colgroup>
          {selection ? <col style={{ width: SELECT_COLUMN_WIDTH }} /> : null}
          {shown.map((column) => (
            <col key={column.id} style={{ width: widths[column.id] }} />
          ))}
        </colgroup>
        <thead>
          <tr>
            {selection ? (
              <th className={`note cut ${classes.headCell}`} scope="col" data-select>
                <Checkbox
                  aria-label={t('grid.selectAllPage')}
                  checked={pageSelected}
                  indeterminate={someSelected && !pageSelected}
                  onChange={() => selection.set(rows, !pageSelected)}
                />
              </th>
            ) : null}
            {shown.map((column) => (
              <HeadCell key={column.id} column={column} sort={props.sort} onSort={props.onSort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {loading ? (
            <SkeletonRows columns={shown} count={props.skeletonRows} selectable={selection !== undefined} />
          ) : null}
          {virtual ? (
            <Suspense fallback={tableRows.slice(0, VIRTUAL_FROM_ROWS).map(renderRow)}>
              <VirtualRows count={tableRows.length} scroller={scroller}>
                {(from, to) => tableRows.slice(from, to).map(renderRow)}
              </VirtualRows>
            </Suspense>
          ) : (
            tableRows.map(renderRow)
          )}
        </tbody>
      </table>
    </div>
  );
}
