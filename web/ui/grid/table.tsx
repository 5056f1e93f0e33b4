/** The table itself: sticky head, 32 px rows ruled by hairlines, virtual rows above a hundred. */
import { Checkbox } from '@mantine/core';
import { lazy, Suspense, useRef, type ChangeEvent, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { HeadCell } from './head-cell.tsx';
import { SkeletonRows } from './skeleton.tsx';
import { cellsOf, fitColumns, SELECT_COLUMN_WIDTH, spreadWidths, type ColumnChoice } from './fit.ts';
import { rangeOf, type SelectionState } from './selection.ts';
import type { GridColumn, GridSort } from './types.ts';
import classes from './grid.module.css';

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
  const scroller = useRef<HTMLDivElement>(null);
  const check = useRangeCheck(props);
  const selectWidth = selection ? SELECT_COLUMN_WIDTH : 0;
  const { shown, minWidth } = fitColumns(columns, choice, width > 0 ? width - selectWidth : 0);
  const widths = spreadWidths(shown, width > 0 ? width - selectWidth : 0);
  const virtual = rows.length > VIRTUAL_FROM_ROWS && !props.detail;
  const renderRows = (from: number, to: number) =>
    rows
      .slice(from, to)
      .map((row, at) => (
        <GridRow key={rowId(row)} table={props} shown={shown} row={row} index={from + at} onCheck={check} />
      ));
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
            {selection ? <SelectPage rows={rows} rowId={rowId} selection={selection} /> : null}
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
            <Suspense fallback={renderRows(0, VIRTUAL_FROM_ROWS)}>
              <VirtualRows count={rows.length} scroller={scroller}>
                {renderRows}
              </VirtualRows>
            </Suspense>
          ) : (
            renderRows(0, rows.length)
          )}
        </tbody>
      </table>
    </div>
  );
}

type CheckRow<Row> = (row: Row, event: ChangeEvent<HTMLInputElement>) => void;

/** Shift checks the rows since the last one, too. */
function useRangeCheck<Row>({ rows, rowId, selection }: GridTableProps<Row>): CheckRow<Row> {
  const lastChecked = useRef<string>(undefined);
  return (row, { currentTarget, nativeEvent }) => {
    const isRange = 'shiftKey' in nativeEvent && nativeEvent.shiftKey === true;
    const chosen = isRange ? rangeOf(rows, rowId, lastChecked.current, row) : [row];
    lastChecked.current = rowId(row);
    selection?.set(chosen, currentTarget.checked);
  };
}

interface SelectPageProps<Row> {
  rows: readonly Row[];
  rowId: (row: Row) => string;
  selection: SelectionState<Row>;
}

function SelectPage<Row>({ rows, rowId, selection }: SelectPageProps<Row>) {
  const { t } = useTranslation('ui');
  const isAll = rows.length > 0 && rows.every((row) => selection.ids.has(rowId(row)));
  const isSome = rows.some((row) => selection.ids.has(rowId(row)));
  return (
    <th className={`note cut ${classes.headCell}`} scope="col" data-select>
      <Checkbox
        aria-label={t('grid.selectAllPage')}
        checked={isAll}
        indeterminate={isSome && !isAll}
        onChange={() => selection.set(rows, !isAll)}
      />
    </th>
  );
}

interface GridRowProps<Row> {
  table: GridTableProps<Row>;
  shown: readonly GridColumn<Row>[];
  row: Row;
  index: number;
  onCheck: CheckRow<Row>;
}

function GridRow<Row>({ table, shown, row, index, onCheck }: GridRowProps<Row>) {
  const { t } = useTranslation('ui');
  const { selection, activeIndex } = table;
  const id = table.rowId(row);
  const isActive = index === activeIndex;
  const isSelected = selection?.ids.has(id) ?? false;
  return (
    <>
      <tr
        className={classes.row}
        data-row-index={index}
        data-active={isActive || undefined}
        data-selected={isSelected || undefined}
        data-open={id === table.openRowId || undefined}
        data-muted={table.isMuted?.(row) || undefined}
        data-clickable={table.onOpen ? true : undefined}
        tabIndex={isActive || (activeIndex < 0 && index === 0) ? 0 : -1}
        onFocus={(event) => {
          if (event.target === event.currentTarget) table.onActivate(index);
        }}
        onClick={(event) => {
          if (event.target instanceof Element && event.target.closest(INTERACTIVE)) return;
          // Selecting text in a cell is not a click on the row.
          if (globalThis.getSelection()?.toString()) return;
          table.onActivate(index);
          table.onOpen?.(row);
        }}
      >
        {selection ? (
          <td className={`cut ${classes.cell}`} data-select>
            <Checkbox
              aria-label={`${t('grid.selectRow')}: ${table.rowName(row)}`}
              checked={isSelected}
              onChange={(event) => onCheck(row, event)}
            />
          </td>
        ) : null}
        {cellsOf(shown, row).map(({ column, span }) => (
          <td
            key={column.id}
            className={`cut ${classes.cell}`}
            data-align={column.align}
            colSpan={span > 1 ? span : undefined}
          >
            {column.cell(row)}
          </td>
        ))}
      </tr>
      {table.detail && id === table.detailRowId ? (
        <tr className={classes.detailRow}>
          <td colSpan={shown.length + (selection ? 1 : 0)}>{table.detail(row)}</td>
        </tr>
      ) : null}
    </>
  );
}
