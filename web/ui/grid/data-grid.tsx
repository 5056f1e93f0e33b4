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
import { GridFooter } from './footer.tsx';
import { useGridKeys } from './keyboard.ts';
import { useSelection, type SelectionState } from './selection.ts';
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
  const { name, columns, rows, query, onQueryChange, onRefresh, facets = [] } = props;
  const phone = usePhone();
  const { ref: measured, width } = useElementSize();
  const [choice, setChoice] = useColumnChoice(name);
  const [help, setHelp] = useState(false);
  const selection = useSelection(props.rowId);
  const active = useRowKeys(props, selection, () => setHelp(true));
  const loading = rows === undefined && !props.error;
  const filters = activeFilters([props.search, props.secondSearch], facets);
  const onSort = (sort: GridSort | undefined) => onQueryChange({ sort, page: 1 });
  const exportCsv = async () => {
    const all = selection.rows.length > 0 ? selection.rows : await props.fetchAll?.();
    // Late: few visits export.
    const { downloadCsv, toCsv } = await import('./csv.ts');
    downloadCsv(name, toCsv(columns, all ?? rows ?? []));
  };
  const state = loading ? null : stateOf(props, filters);
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
  const body =
    phone || props.gallery ? (
      <CardList grid={props} loading={loading} state={state} />
    ) : (
      <GridTable
        {...props}
        rows={rows ?? []}
        choice={choice}
        loading={loading}
        skeletonRows={Math.min(query.pageSize, 14)}
        sort={query.sort}
        onSort={onSort}
        selection={props.selectionActions ? selection : undefined}
        activeIndex={active.index}
        onActivate={active.set}
        width={width}
      />
    );
  return (
    <div className={`relative pane ${classes.grid}`} ref={measured}>
      <FilterBar
        search={props.search}
        searchRef={active.searchInput}
        secondSearch={props.secondSearch}
        facets={facets}
        order={
          phone && columns.some(({ sortKey }) => sortKey) ? { columns, sort: query.sort, onSort } : undefined
        }
        onClear={filters.length > 0 ? props.onClearFilters : undefined}
        tools={tools}
      />
      {props.notice}
      <RefreshBar loading={loading} refreshing={props.refreshing} />
      {props.error && rows !== undefined ? <StaleNotice error={props.error} onRetry={onRefresh} /> : null}
      {state && !phone ? <div className={classes.stateArea}>{state}</div> : body}
      <Foot grid={props} selection={selection} />
      {help ? (
        <Suspense>
          <KeyHelp onClose={() => setHelp(false)} />
        </Suspense>
      ) : null}
    </div>
  );
}

/** What is shown in the place of rows; null when there are rows. */
function stateOf<Row>(grid: DataGridProps<Row>, filters: ActiveFilter[]): ReactNode {
  const { rows, error, onRefresh, onClearFilters, empty } = grid;
  if (error && rows === undefined) {
    if (error.notAllowed) return <NotAllowed text={error.message} />;
    return <ErrorState {...error} onRetry={onRefresh} />;
  }
  if (rows && rows.length > 0) return null;
  if (filters.length > 0) return <NoMatch filters={filters} onClear={() => onClearFilters?.()} />;
  return empty;
}

/** The row that the keys act on. */
function useRowKeys<Row>(grid: DataGridProps<Row>, selection: SelectionState<Row>, onHelp: () => void) {
  const { rows = [], rowId, onOpen, onEdit, onRefresh, selectionActions } = grid;
  const [index, set] = useState(-1);
  const searchInput = useRef<HTMLInputElement>(null);
  const activeRow = rows[index];
  useGridKeys({
    search: () => searchInput.current?.focus(),
    move: (step) => {
      const next = Math.min(rows.length - 1, Math.max(0, index + step));
      set(next);
      const row = document.querySelector<HTMLElement>(`[data-row-index="${next}"]`);
      row?.focus({ preventScroll: true });
      row?.scrollIntoView({ block: 'nearest' });
    },
    open: () => activeRow && onOpen?.(activeRow),
    edit: () => activeRow && onEdit?.(activeRow),
    select: () => {
      if (activeRow && selectionActions) selection.set([activeRow], !selection.ids.has(rowId(activeRow)));
    },
    refresh: onRefresh,
    help: onHelp,
    escape: () => {
      if (selection.rows.length === 0) return false;
      selection.clear();
      return true;
    },
  });
  return { index, set, searchInput };
}

interface CardListProps<Row> {
  grid: DataGridProps<Row>;
  loading: boolean;
  state: ReactNode;
}

/** Cards on the phone, or the gallery of the page. */
function CardList<Row>({ grid, loading, state }: CardListProps<Row>) {
  const { rows = [], rowId, rowName, card, isMuted, onOpen, openRowId, label, gallery } = grid;
  return (
    <div className={classes.scroller} data-grid-scroller>
      {loading ? <SkeletonCards count={6} /> : gallery}
      {gallery ? null : (
        <GridCards
          rows={rows}
          rowId={rowId}
          rowName={rowName}
          card={card}
          isMuted={isMuted}
          onOpen={onOpen}
          openRowId={openRowId}
          label={label}
        />
      )}
      {state}
    </div>
  );
}

function RefreshBar({ loading, refreshing }: { loading: boolean; refreshing: boolean }) {
  const { t } = useTranslation('ui');
  return (
    <div className={classes.refreshBar} data-on={refreshing || undefined} role="status">
      {loading || refreshing ? (
        <span className="hidden">{t(loading ? 'grid.loading' : 'grid.refreshing')}</span>
      ) : null}
    </div>
  );
}

/** The bar of the selection, or else pages and totals. */
function Foot<Row>({ grid, selection }: { grid: DataGridProps<Row>; selection: SelectionState<Row> }) {
  const { rows, total, totals, query, onQueryChange, selectionActions, fetchAll } = grid;
  if (selection.rows.length === 0 || !selectionActions)
    return (
      <GridFooter
        total={rows === undefined ? undefined : total}
        totals={totals}
        query={query}
        onQueryChange={onQueryChange}
      />
    );
  return (
    <SelectionBar
      count={selection.rows.length}
      total={total}
      onClear={selection.clear}
      onSelectAll={fetchAll ? async () => selection.replace(await fetchAll()) : undefined}
    >
      {selectionActions(selection)}
    </SelectionBar>
  );
}
