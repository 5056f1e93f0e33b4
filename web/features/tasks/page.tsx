/** The page of asynchronous tasks: state, progress, cost, and results to hear and read. */
import { ActionIcon, SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconLayoutGrid, IconListDetails } from '@tabler/icons-react';
import { lazy, Suspense, useCallback, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isAdmin } from '#contract/access.ts';
import type { TaskView } from '#contract/relay/tasks.ts';
import { gridError } from '#web/api/errors.ts';
import { useUser } from '#web/api/session.ts';
import { EmptyState } from '#web/ui/feedback/states.tsx';
import { nowSeconds } from '#web/ui/format/time.ts';
import { DataGrid } from '#web/ui/grid/data-grid.tsx';
import { gridQuery, searchOfQuery } from '#web/ui/grid/search.ts';
import { usePhone } from '#web/ui/page/breakpoints.ts';
import { Page } from '#web/ui/page/page.tsx';
import type { TimeRange } from '#web/ui/range/time-range.ts';
import { useCustomRange } from '#web/ui/range/use-custom-range.tsx';
import { TaskCard } from './card.tsx';
import { useResultText } from './cells.tsx';
import { taskColumns } from './columns.tsx';
import { useTaskFacets } from './facets.tsx';
import { taskQueries } from './queries.ts';
import { FROM_START, NO_FILTER, useTaskSearch } from './search.ts';
import { taskRange } from './state.ts';
import { useView, VIEWS } from './view.ts';

const TaskResult = lazy(() => import('./result.tsx').then((file) => ({ default: file.TaskResult })));

const Gallery = lazy(() => import('./gallery.tsx').then((file) => ({ default: file.Gallery })));

const cardOf = (row: TaskView) => <TaskCard row={row} />;

export function TaskPage() {
  const { t } = useTranslation('tasks');
  const user = useUser();
  const admin = user !== undefined && isAdmin(user.role);
  const [search, change] = useTaskSearch();
  const [view, setView] = useView();
  const phone = usePhone();
  // One point in time for all queries of the page, changed by a refresh.
  const [now, setNow] = useState(nowSeconds);
  const range = taskRange(search, now);
  const { id, action, status, channel } = search;
  const query = gridQuery(search);
  const list = useQuery(
    taskQueries.list(admin, { ...range, id, action, status, ...(admin ? { channel } : {}) }, query),
  );
  const rows = list.data?.data;
  const showRange = ({ from, to }: TimeRange) => change({ from, to, range: undefined, ...FROM_START });
  const customRange = useCustomRange(range, showRange);
  const facets = useTaskFacets({ search, change, admin, onCustomRange: customRange.open });
  const resultText = useResultText();
  const open = useCallback((row: TaskView) => change({ open: row.id }, { replace: true }), [change]);
  const columns = useMemo(
    () => taskColumns({ t, admin, resultText, onOpen: open }),
    [t, admin, resultText, open],
  );
  const shown = rows?.find((row) => row.id === search.open);
  const refresh = () => {
    setNow(nowSeconds());
    void list.refetch();
  };

  const switcher = (
    <SegmentedControl
      aria-label={t('view.label')}
      value={view}
      onChange={(value) => setView(VIEWS.find((each) => each === value) ?? 'table')}
      data={VIEWS.map((value) => ({ value, label: t(`view.${value}`) }))}
    />
  );
  const other = view === 'table' ? 'gallery' : 'table';
  const turn = (
    <ActionIcon size={36} aria-label={t(`view.${other}`)} onClick={() => setView(other)}>
      {other === 'gallery' ? (
        <IconLayoutGrid size={18} stroke={1.6} />
      ) : (
        <IconListDetails size={18} stroke={1.6} />
      )}
    </ActionIcon>
  );

  return (
    <Page title={t('title')} phoneAction={turn}>
      <DataGrid
        name="tasks"
        label={t('list')}
        columns={columns}
        rows={rows}
        total={list.data?.total ?? 0}
        rowId={(row) => String(row.id)}
        rowName={(row) => row.task_id || row.prompt || String(row.id)}
        query={query}
        onQueryChange={(next) => change({ ...searchOfQuery(next), open: undefined })}
        search={{
          value: id ?? '',
          onChange: (value) => change({ id: value || undefined, ...FROM_START }, { replace: true }),
          placeholder: t('filter.id'),
        }}
        facets={facets}
        onClearFilters={() => change(NO_FILTER)}
        refreshing={list.isFetching && rows !== undefined}
        error={gridError(list.error)}
        onRefresh={refresh}
        empty={<EmptyState title={t('empty.title')} text={t('empty.text')} />}
        onOpen={open}
        tools={phone ? undefined : switcher}
        gallery={
          view === 'gallery' ? (
            <Suspense>
              <Gallery rows={rows ?? []} label={t('list')} onOpen={open} />
            </Suspense>
          ) : undefined
        }
        openRowId={shown ? String(shown.id) : undefined}
        card={cardOf}
      />
      {customRange.dialog}
      <Suspense>
        {shown ? (
          <TaskResult row={shown} onClose={() => change({ open: undefined }, { replace: true })} />
        ) : null}
      </Suspense>
    </Page>
  );
}
