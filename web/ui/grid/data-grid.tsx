/**
 * The one list of the console: toolbar, table or phone cards, selection bar, footer, its states and its keys. Filters,
 * page, size and order belong to the page, which keeps them in the URL.
 */
import { useElementSize } from '@mantine/hooks';
import { lazy, Suspense, useRef, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorState, NoMatch, NotAllowed, type ActiveFilter } from '#web/ui/feedback/states.tsx';
import { FilterBar, type Facet, type SearchField } from '#web/ui/filter/filter-bar.tsx';
import { usePhone } from '#web/ui/page/breakpoints.ts';
import { GridCards } from './cards.tsx';
import { useColumnChoice } from './choice.ts';
import { downloadCsv, toCsv } from './csv.ts';
import { GridFooter } from './footer.tsx';
import { useGridKeys } from './keyboard.ts';
import { useSelection } from './selection.ts';
import { SelectionBar } from './selection-bar.tsx';
import { SkeletonCards } from './skeleton.tsx';
import { StaleNotice } from './stale-notice.tsx';
import { GridTable } from './table.tsx';
import { ColumnMenu, ExportButton, RefreshButton } from './tools.tsx';
import type { GridColumn, GridError, GridQuery, GridSelection, GridSort } from './types.ts';
import classes from './grid.module.css';

const KeyHelp = lazy(() => import('./key-help.tsx'));

export interface DataGridProps<Row> {
  /** Names the stored column choice and the export file. */
  name: string;
  /** For screen readers. */
  label: string;
  columns: readonly GridColumn<Row>[];
  rows: readonly Row[] | undefined;
  total: number;
  rowId: (row: Row) => string;
  rowName: (row: Row) => string;
  query: GridQuery;
  onQueryChange: (change: Partial<GridQuery>) => void;

  search?: SearchField;
  /** A second search field. */
  secondSearch?: SearchField;
  facets?: readonly Facet[];
  /** View switches and modes, right of the facets. */
  tools?: ReactNode;
  /** A permanent line under the toolbar. */
  notice?: ReactNode;
  onClearFilters?: () => void;

  refreshing: boolean;
  error?: GridError;
  onRefresh: () => void;
  /** Nothing yet: shown when no filter is set and there is no row. */
  empty: ReactNode;

  totals?: ReactNode;
  /** The buttons of the selection bar; without it rows cannot be selected. */
  selectionActions?: (selection: GridSelection<Row>) => ReactNode;
  /** Every row of the filter, for "select all N" and the export. */
  fetchAll?: () => Promise<readonly Row[]>;

  onOpen?: (row: Row) => void;
  onEdit?: (row: Row) => void;
  openRowId?: string;
  isMuted?: (row: Row) => boolean;
  /** The phone's card of a row. */
  card: (row: Row) => ReactNode;
  /** Shows the rows instead of table and cards. */
  gallery?: ReactNode;
  /** An expanded row below its row. */
  detail?: (row: Row) => ReactNode;
  detailRowId?: string;
}

export function activeFilters(
  searches: readonly (SearchField | undefined)[],
  facets: readonly Facet[],
): ActiveFilter[] {
  const set = facets.flatMap((facet) => {
    const labels = facet.options
      .filter((option) => facet.value.includes(option.value))
      .map((option) => option.label);
    return labels.length > 0 ? [{ label: facet.label, value: labels.join(', ') }] : [];
  });
  const typed = searches.flatMap((search) =>
    search?.value ? [{ label: search.placeholder, value: search.value }] : [],
  );
  return [...typed, ...set];
}

export function DataGrid<Row extends object>(props: DataGridProps<Row>) {
  const {
    name,
    columns,
    rows,
    total,
    rowId,
    rowName,
    query,
    onQueryChange,
    onRefresh,
    onOpen,
    facets = [],
  } = props;
  const { t } = useTranslation('ui');
  const phone = usePhone();
  const { ref: measured, width } = useElementSize();
  const [choice, setChoice] = useColumnChoice(name);
  const [activeIndex, setActiveIndex] = useState(-1);
  const [help, setHelp] = useState(false);
  const searchInput = useRef<HTMLInputElement>(null);
  const selection = useSelection(rowId);
  const list = rows ?? [];
  const loading = rows === undefined && !props.error;
  const filters = activeFilters([props.search, props.secondSearch], facets);
  const activeRow = list[activeIndex];

  const move = (step: 1 | -1) => {
    const next = Math.min(list.length - 1, Math.max(0, activeIndex + step));
    setActiveIndex(next);
    const row = document.querySelector<HTMLElement>(`[data-row-index="${next}"]`);
    row?.focus({ preventScroll: true });
    row?.scrollIntoView({ block: 'nearest' });
  };
  useGridKeys({
    search: () => searchInput.current?.focus(),
    move,
    open: () => activeRow && onOpen?.(activeRow),
    edit: () => activeRow && props.onEdit?.(activeRow),
    select: () => {
      if (!activeRow || !props.selectionActions) return;
      selection.set([activeRow], !selection.ids[rowId(activeRow)]);
    },
    refresh: onRefresh,
    help: () => setHelp(true),
    escape: () => {
      if (selection.rows.length === 0) return false;
      selection.clear();
      return true;
    },
  });

  const onSort = (sort: GridSort | undefined) => onQueryChange({ sort, page: 1 });
  const exportCsv = async () => {
    const exported =
      selection.rows.length > 0 ? selection.rows : props.fetchAll ? await props.fetchAll() : list;
    downloadCsv(name, toCsv(columns, exported));
  };

  const state = () => {
    if (props.error && rows === undefined) {
      if (props.error.notAllowed) return <NotAllowed text={props.error.message} />;
      return <ErrorState {...props.error} onRetry={onRefresh} />;
    }
    if (loading || list.length > 0) return null;
    if (filters.length > 0) return <NoMatch filters={filters} onClear={() => props.onClearFilters?.()} />;
    return props.empty;
  };
  const stateNode = state();

  const tools = (
    <>
      {props.tools}
      {phone || props.gallery ? null : (
        <ColumnMenu columns={columns} choice={choice} onChange={setChoice} onHelp={() => setHelp(true)} />
      )}
      {columns.some((column) => column.csv) ? <ExportButton onExport={exportCsv} /> : null}
      <RefreshButton refreshing={props.refreshing} onRefresh={onRefresh} />
    </>
  );

  const body = props.gallery ? (
    <div className={classes.scroller} data-grid-scroller>
      {loading ? <SkeletonCards count={6} /> : props.gallery}
      {stateNode}
    </div>
  ) : phone ? (
    <div className={classes.scroller} data-grid-scroller>
      {loading ? <SkeletonCards count={6} /> : null}
      <GridCards
        rows={list}
        rowId={rowId}
        rowName={rowName}
        card={props.card}
        isMuted={props.isMuted}
        onOpen={onOpen}
        openRowId={props.openRowId}
        label={props.label}
      />
      {stateNode}
    </div>
  ) : (
    <GridTable
      columns={columns}
      choice={choice}
      rows={list}
      rowId={rowId}
      rowName={rowName}
      loading={loading}
      skeletonRows={Math.min(query.pageSize, 14)}
      sort={query.sort}
      onSort={onSort}
      selection={props.selectionActions ? selection : undefined}
      activeIndex={activeIndex}
      onActivate={setActiveIndex}
      openRowId={props.openRowId}
      isMuted={props.isMuted}
      onOpen={onOpen}
      detail={props.detail}
      detailRowId={props.detailRowId}
      width={width}
      label={props.label}
    />
  );

  return (
    <div className={`relative pane ${classes.grid}`} ref={measured}>
      <FilterBar
        search={props.search}
        searchRef={searchInput}
        secondSearch={props.secondSearch}
        facets={facets}
        order={
          phone && columns.some(({ sortKey }) => sortKey) ? { columns, sort: query.sort, onSort } : undefined
        }
        onClear={filters.length > 0 ? props.onClearFilters : undefined}
        tools={tools}
      />
      {props.notice}
      <div className={classes.refreshBar} data-on={props.refreshing || undefined} role="status">
        {loading || props.refreshing ? (
          <span className="hidden">{t(loading ? 'grid.loading' : 'grid.refreshing')}</span>
        ) : null}
      </div>
      {props.error && rows !== undefined ? <StaleNotice error={props.error} onRetry={onRefresh} /> : null}
      {stateNode && !phone ? <div className={classes.stateArea}>{stateNode}</div> : body}
      {selection.rows.length > 0 && props.selectionActions ? (
        <SelectionBar
          count={selection.rows.length}
          total={total}
          onClear={selection.clear}
          onSelectAll={
            props.fetchAll ? async () => selection.replace((await props.fetchAll?.()) ?? []) : undefined
          }
        >
          {props.selectionActions(selection)}
        </SelectionBar>
      ) : (
        <GridFooter
          total={rows === undefined ? undefined : total}
          totals={props.totals}
          query={query}
          onQueryChange={onQueryChange}
        />
      )}
      {help ? (
        <Suspense>
          <KeyHelp onClose={() => setHelp(false)} />
        </Suspense>
      ) : null}
    </div>
  );
}
