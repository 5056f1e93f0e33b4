/** A task on the phone. */
import { useTranslation } from 'react-i18next';
import type { TaskView } from '#contract/relay/tasks.ts';
import { absoluteTime } from '#web/ui/format/time.ts';
import { CostCell, ProgressCell, StatusCell } from './cells.tsx';
import { actionOf, isRunning } from './state.ts';
import classes from './tasks.module.css';

export function TaskCard({ row }: { row: TaskView }) {
  const { t } = useTranslation('tasks');
  return (
    <div className={classes.card}>
      <div className={classes.cardLine}>
        <strong>{t(`action.${actionOf(row)}`)}</strong>
        <StatusCell row={row} />
      </div>
      <p className={classes.cardPrompt} data-bad={row.fail_reason === '' ? undefined : true}>
        {row.fail_reason || row.prompt}
      </p>
      <div className={classes.cardLine}>
        <span className={classes.muted}>
          {absoluteTime(row.submit_time).slice(5, 16)}
          {row.username === '' ? '' : ` · ${row.username}`}
          {row.channel_id === 0 ? '' : ` · #${row.channel_id}`}
        </span>
        {isRunning(row) ? <ProgressCell row={row} /> : <CostCell row={row} />}
      </div>
    </div>
  );
}
