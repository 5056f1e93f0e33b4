/** A drawing or another task on the phone. */
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { TaskView } from '#contract/relay/tasks.ts';
import { TaskCost } from '#web/ui/format/page-amounts.tsx';
import { absoluteTime } from '#web/ui/format/time.ts';
import { CostCell, DurationCell, ProgressCell, StatusCell } from './cells.tsx';
import { PictureCell } from './picture-cell.tsx';
import { actionOf, isRunning, type TaskRow, type DrawingRow } from './state.ts';
import classes from './tasks.module.css';

interface CardProps {
  row: TaskRow;
  picture?: ReactNode;
  /** Stands beside the action. */
  owner?: string;
  facts: readonly string[];
  children: ReactNode;
}

function Card({ row, picture, owner = '', facts, children }: CardProps) {
  const { t } = useTranslation('tasks');
  const text = [absoluteTime(Math.floor(row.submit_time)).slice(5, 16), ...facts];
  return (
    <div className={classes.card}>
      {picture}
      <div className="grow">
        <div className={classes.cardLine}>
          <span className={classes.muted}>
            <strong>{t(`action.${actionOf(row)}`)}</strong>
            {owner === '' ? '' : ` · ${owner}`}
          </span>
          <StatusCell row={row} />
        </div>
        <p className={classes.cardPrompt} data-bad={row.fail_reason === '' ? undefined : true}>
          {row.fail_reason || row.prompt}
        </p>
        <div className={classes.cardLine}>
          <span className={classes.muted}>{text.filter((fact) => fact !== '').join(' · ')}</span>
          {children}
        </div>
      </div>
    </div>
  );
}

export const TaskCard = ({ row }: { row: TaskView }) => (
  <Card row={row} facts={[row.username, row.channel_name]}>
    {isRunning(row) ? <ProgressCell row={row} /> : <CostCell row={row} />}
  </Card>
);

const THUMBNAIL = 56;

interface DrawingCardProps {
  row: DrawingRow;
  onPicture: (row: DrawingRow) => void;
}

export const DrawingCard = ({ row, onPicture }: DrawingCardProps) => (
  <Card
    row={row}
    picture={row.image_url === '' ? null : <PictureCell row={row} size={THUMBNAIL} onOpen={onPicture} />}
    owner={row.username}
    facts={[row.task_id]}
  >
    <TaskCost quota={row.quota} held={row.held} />
    {isRunning(row) ? <ProgressCell row={row} /> : <DurationCell row={row} />}
  </Card>
);
