/** The cells and columns that drawings and other tasks share. Colour is never the only sign: a slow one has a clock icon. */
import { IconClockHour4 } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { SLOW_DRAWING_SECONDS } from '#contract/relay/drawing.ts';
import type { TaskView } from '#contract/relay/tasks.ts';
import { Empty } from '#web/ui/badge/empty.tsx';
import { StatusBadge } from '#web/ui/badge/status.tsx';
import { CopyButton } from '#web/ui/copy/copy-button.tsx';
import { TaskCost } from '#web/ui/format/page-amounts.tsx';
import { ExactMoment } from '#web/ui/format/moment.tsx';
import type { GridColumn } from '#web/ui/grid/types.ts';
import { Progress } from '#web/ui/progress/progress.tsx';
import { actionOf, durationOf, MIDJOURNEY, statusOf, type TaskRow } from './state.ts';
import type { TaskWords } from './use-task-list.tsx';
import { batchCounts } from './batch-words.ts';
import { ChannelName } from './channel-name.tsx';
import classes from './tasks.module.css';

interface RowProps {
  row: TaskRow;
}

/** Drawings have tenths of a second, and a slow one is marked. */
export function DurationCell({ row }: RowProps) {
  const { t } = useTranslation('tasks');
  const seconds = durationOf(row);
  if (seconds === undefined) return <Empty />;
  const isDrawing = row.platform === MIDJOURNEY;
  const isSlow = isDrawing && seconds > SLOW_DRAWING_SECONDS;
  return (
    <span className={classes.duration} data-slow={isSlow || undefined}>
      {isSlow ? <IconClockHour4 size={13} stroke={1.8} role="img" aria-label={t('slow')} /> : null}
      {isDrawing && seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)}
      <span className={classes.unit}>s</span>
    </span>
  );
}

export function StatusCell({ row }: RowProps) {
  const { t } = useTranslation('tasks');
  const { name, kind } = statusOf(row);
  return <StatusBadge kind={kind}>{t(`status.${name}`)}</StatusBadge>;
}

export function ProgressCell({ row }: RowProps) {
  const { t } = useTranslation('tasks');
  return <Progress progress={row.progress} kind={statusOf(row).kind} label={t('column.progress')} />;
}

export function IdCell({ row }: RowProps) {
  const { t } = useTranslation('tasks');
  if (row.task_id === '') return <Empty />;
  return (
    <span className={classes.id}>
      <code>{row.task_id}</code>
      <CopyButton text={row.task_id} label={t('copyId', { id: row.task_id })} size={20} />
    </span>
  );
}

function UserCell({ row }: RowProps) {
  if (row.username === '') return <Empty />;
  return (
    <Link
      to="/user/$id"
      params={{ id: String(row.user_id) }}
      className="quiet-link"
      onClick={(event) => event.stopPropagation()}
    >
      {row.username}
    </Link>
  );
}

/** What it cost, or what is held while it runs. A failure may be charged for what was finished before it. */
export function CostCell({ row }: RowProps) {
  const { t } = useTranslation('tasks');
  if (row.status === 'FAILURE' && row.quota === 0)
    return <span className={classes.muted}>{t('result.notCharged')}</span>;
  return <TaskCost quota={row.quota} held={row.held} />;
}

export function useResultText(): (row: TaskView) => string {
  const { t } = useTranslation('tasks');
  return ({ parts, action, platform, batch }) => {
    if (batch !== null) return t('result.batch', batchCounts(batch));
    if (parts.length === 0) return '';
    if (platform === 'video') return t('result.film');
    return action === 'LYRICS' ? t('result.lyrics') : t('result.count', { count: parts.length });
  };
}

/** The columns by name; a page gives their widths, and which are hidden first on narrow screens. */
export function commonColumns(t: TaskWords) {
  const columns = {
    submitted: {
      fixed: true,
      cell: (row) => <ExactMoment timestamp={Math.floor(row.submit_time)} />,
      skeleton: 'text',
    },
    duration: { align: 'right', cell: (row) => <DurationCell row={row} />, skeleton: 'number' },
    user: { cell: (row) => <UserCell row={row} />, skeleton: 'text' },
    channel: {
      cell: (row) => <ChannelName row={row} />,
      skeleton: 'text',
    },
    action: { fixed: true, cell: (row) => t(`action.${actionOf(row)}`), skeleton: 'text' },
    id: { cell: (row) => <IdCell row={row} />, skeleton: 'text' },
    status: { fixed: true, cell: (row) => <StatusCell row={row} />, skeleton: 'status' },
    progress: { cell: (row) => <ProgressCell row={row} />, skeleton: 'bar' },
    prompt: { cell: (row) => row.prompt || <Empty />, skeleton: 'text' },
    cost: { align: 'right', cell: (row) => <CostCell row={row} />, skeleton: 'number' },
  } satisfies Record<string, Omit<GridColumn<TaskRow>, 'id' | 'header'>>;
  return <Row extends TaskRow>(id: keyof typeof columns, own: Partial<GridColumn<Row>>): GridColumn<Row> => ({
    id,
    header: t(`column.${id}`),
    ...columns[id],
    ...own,
  });
}
