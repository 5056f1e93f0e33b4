/** The page of asynchronous tasks: state, progress, cost, and results to hear and read. */
import { ActionIcon, SegmentedControl } from '@mantine/core';
import { IconLayoutGrid, IconListDetails } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useMemo } from 'react';
import type { TaskView } from '#contract/relay/tasks.ts';
import { DataGrid } from '#web/ui/grid/data-grid.tsx';
import { usePhone } from '#web/ui/page/breakpoints.ts';
import { Page } from '#web/ui/page/page.tsx';
import { TaskCard } from './card.tsx';
import { useResultText } from './cells.tsx';
import { taskColumns } from './columns.tsx';
import { TASKS } from './platforms.ts';
import { useTaskList } from './use-task-list.tsx';
import { useView, VIEWS } from './view.ts';

const TaskResult = lazy(() => import('./result.tsx').then((file) => ({ default: file.TaskResult })));

const Gallery = lazy(() => import('./gallery.tsx').then((file) => ({ default: file.Gallery })));

const cardOf = (row: TaskView) => <TaskCard row={row} />;

export function TaskPage() {
  const { t, admin, rows, shown, open, rangeDialog, grid } = useTaskList(TASKS);
  const [view, setView] = useView();
  const navigate = useNavigate();
  const phone = usePhone();
  const resultText = useResultText();
  const columns = useMemo(
    () => taskColumns({ t, admin, resultText, onOpen: open }),
    [t, admin, resultText, open],
  );
  const switcher = (
    <SegmentedControl
      aria-label={t('view.label')}
      value={view}
      onChange={(value) => setView(VIEWS.find((each) => each === value) ?? 'table')}
      data={VIEWS.map((value) => ({ value, label: t(`view.${value}`) }))}
    />
  );
  const other = view === 'table' ? 'gallery' : 'table';
  const OtherIcon = other === 'gallery' ? IconLayoutGrid : IconListDetails;
  const turn = (
    <ActionIcon size={36} aria-label={t(`view.${other}`)} onClick={() => setView(other)}>
      <OtherIcon size={18} stroke={1.6} />
    </ActionIcon>
  );
  const gallery = (
    <Suspense>
      <Gallery rows={rows ?? []} label={grid.label} onOpen={open} />
    </Suspense>
  );
  return (
    <Page title={t('tasks.title')} phoneAction={turn}>
      <DataGrid
        {...grid}
        columns={columns}
        onOpen={(row) => void navigate({ to: '/task/$id', params: { id: String(row.id) } })}
        tools={phone ? undefined : switcher}
        gallery={view === 'gallery' ? gallery : undefined}
        card={cardOf}
      />
      {rangeDialog}
      <Suspense>{shown ? <TaskResult row={shown} onClose={() => open(undefined)} /> : null}</Suspense>
    </Page>
  );
}
