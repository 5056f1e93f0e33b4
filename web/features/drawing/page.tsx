/** The drawing page: tasks with their state and progress, pictures in a viewer, prompts in a dialog. */
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useCallback, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isAdmin } from '#contract/access.ts';
import type { DrawingView } from '#contract/relay/drawing.ts';
import { gridError } from '#web/api/errors.ts';
import { useUser } from '#web/api/session.ts';
import { useStatus } from '#web/api/status.ts';
import { NoticeLine } from '#web/ui/feedback/notice.tsx';
import { EmptyState } from '#web/ui/feedback/states.tsx';
import { nowSeconds } from '#web/ui/format/time.ts';
import { DataGrid } from '#web/ui/grid/data-grid.tsx';
import { gridQuery, searchOfQuery } from '#web/ui/grid/search.ts';
import { Page } from '#web/ui/page/page.tsx';
import type { TimeRange } from '#web/ui/range/time-range.ts';
import { useCustomRange } from '#web/ui/range/use-custom-range.tsx';
import { DrawingCard } from './card.tsx';
import { drawingColumns, type ShownText } from './columns.tsx';
import { useDrawingFacets } from './facets.tsx';
import { drawingQueries, type DrawingFilter } from './queries.ts';
import { drawingRange } from './range.ts';
import { FROM_START, NO_FILTER, useDrawingSearch } from './use-drawing-search.ts';

const Viewer = lazy(() => import('./viewer.tsx').then((file) => ({ default: file.Viewer })));
const TextDialog = lazy(() => import('./text-dialog.tsx').then((file) => ({ default: file.TextDialog })));

export function DrawingPage() {
  const { t } = useTranslation('drawing');
  const user = useUser();
  const status = useStatus();
  const admin = user !== undefined && isAdmin(user.role);
  const [search, change] = useDrawingSearch();
  // One point in time for all queries of the page, changed by a refresh.
  const [now, setNow] = useState(nowSeconds);
  const range = drawingRange(search, now);
  const { id, action, channel } = search;
  const filter: DrawingFilter = {
    ...range,
    id,
    action,
    status: search.status,
    ...(admin ? { channel } : {}),
  };
  const query = gridQuery(search);
  const list = useQuery(drawingQueries.list(admin, filter, query));
  const rows = list.data?.data;
  const showRange = ({ from, to }: TimeRange) => change({ from, to, range: undefined, ...FROM_START });
  const customRange = useCustomRange(range, showRange);
  const [text, setText] = useState<ShownText>();
  const facets = useDrawingFacets({ search, change, admin, onCustomRange: customRange.open });
  const show = useCallback((row: DrawingView) => change({ picture: row.id }, { replace: true }), [change]);
  const columns = useMemo(
    () => drawingColumns({ t, admin, onPicture: show, onText: setText }),
    [t, admin, show],
  );
  const drawn = rows?.filter(({ image_url }) => image_url !== '') ?? [];
  const shown = drawn.find((row) => row.id === search.picture);
  const card = (row: DrawingView) => <DrawingCard row={row} onPicture={show} />;
  const refresh = () => {
    setNow(nowSeconds());
    void list.refetch();
  };
  const needsCallbackNotice = admin && status !== undefined && !status.mj_notify_enabled;

  return (
    <Page title={t('title')}>
      <DataGrid
        name="drawing"
        label={t('list')}
        columns={columns}
        rows={rows}
        total={list.data?.total ?? 0}
        rowId={(row) => String(row.id)}
        rowName={(row) => row.mj_id || row.prompt || String(row.id)}
        query={query}
        onQueryChange={(next) => change({ ...searchOfQuery(next), picture: undefined })}
        search={{
          value: id ?? '',
          onChange: (value) => change({ id: value || undefined, ...FROM_START }, { replace: true }),
          placeholder: t('filter.id'),
        }}
        facets={facets}
        onClearFilters={() => change(NO_FILTER)}
        notice={needsCallbackNotice ? <NoticeLine>{t('callbackOff')}</NoticeLine> : undefined}
        refreshing={list.isFetching && rows !== undefined}
        error={gridError(list.error)}
        onRefresh={refresh}
        empty={<EmptyState title={t('empty.title')} text={t('empty.text')} />}
        onOpen={(row) => (row.image_url === '' ? undefined : show(row))}
        openRowId={shown ? String(shown.id) : undefined}
        card={card}
      />
      {customRange.dialog}
      <Suspense>
        {shown ? (
          <Viewer
            rows={drawn}
            shown={shown}
            onShow={show}
            onClose={() => change({ picture: undefined }, { replace: true })}
          />
        ) : null}
        {text ? <TextDialog shown={text} onClose={() => setText(undefined)} /> : null}
      </Suspense>
    </Page>
  );
}
