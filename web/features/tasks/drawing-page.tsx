/** The drawing page: tasks with their state and progress, pictures in a viewer, prompts in a dialog. */
import { lazy, Suspense, useMemo, useState } from 'react';
import { useStatus } from '#web/api/status.ts';
import { NoticeLine } from '#web/ui/feedback/notice.tsx';
import { DataGrid } from '#web/ui/grid/data-grid.tsx';
import { Page } from '#web/ui/page/page.tsx';
import { DrawingCard } from './card.tsx';
import { drawingColumns, type ShownText } from './drawing-columns.tsx';
import { DRAWINGS } from './platforms.ts';
import type { DrawingRow } from './state.ts';
import { useTaskList } from './use-task-list.tsx';

const Viewer = lazy(() => import('./viewer.tsx').then((file) => ({ default: file.Viewer })));
const TextDialog = lazy(() => import('./text-dialog.tsx').then((file) => ({ default: file.TextDialog })));

export function DrawingPage() {
  const { t, admin, rows, shown, open, rangeDialog, grid } = useTaskList(DRAWINGS);
  const status = useStatus();
  const [text, setText] = useState<ShownText>();
  const columns = useMemo(
    () => drawingColumns({ t, admin, onPicture: open, onText: setText }),
    [t, admin, open],
  );
  const drawn = rows?.filter(({ image_url }) => image_url !== '') ?? [];
  const picture = shown?.image_url === '' ? undefined : shown;
  const needsCallbackNotice = admin && status !== undefined && !status.mj_notify_enabled;
  const card = (row: DrawingRow) => <DrawingCard row={row} onPicture={open} />;
  return (
    <Page title={t('drawing.title')}>
      <DataGrid
        {...grid}
        columns={columns}
        notice={needsCallbackNotice ? <NoticeLine>{t('drawing.callbackOff')}</NoticeLine> : undefined}
        openRowId={picture ? String(picture.id) : undefined}
        onOpen={(row) => (row.image_url === '' ? undefined : open(row))}
        card={card}
      />
      {rangeDialog}
      <Suspense>
        {picture ? (
          <Viewer rows={drawn} shown={picture} onShow={open} onClose={() => open(undefined)} />
        ) : null}
        {text ? <TextDialog shown={text} onClose={() => setText(undefined)} /> : null}
      </Suspense>
    </Page>
  );
}
