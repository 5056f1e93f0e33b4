/** The cells of a task. */
import { useTranslation } from 'react-i18next';
import type { TaskView } from '#contract/relay/tasks.ts';
import { Empty } from '#web/ui/badge/empty.tsx';
import { StatusBadge } from '#web/ui/badge/status.tsx';
import { CopyButton } from '#web/ui/copy/copy-button.tsx';
import { TaskCost } from '#web/ui/format/amount.tsx';
import { Progress } from '#web/ui/progress/progress.tsx';
import { durationOf, statusOf } from './state.ts';
import classes from './tasks.module.css';

interface RowProps {
  row: TaskView;
}

export function DurationCell({ row }: RowProps) {
  const seconds = durationOf(row);
  if (seconds === undefined) return <Empty />;
  return (
    <span className={classes.duration}>
      {seconds}
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
    if (batch !== null) return t('result.batch', { answered: batch.answered, total: batch.total });
    if (parts.length === 0) return '';
    if (platform === 'video') return t('result.film');
    return action === 'LYRICS' ? t('result.lyrics') : t('result.count', { count: parts.length });
  };
}
