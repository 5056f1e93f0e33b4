/** A drawing on the phone: its picture, prompt and progress. */
import { useTranslation } from 'react-i18next';
import type { DrawingView } from '#contract/relay/drawing.ts';
import { TaskCost } from '#web/ui/format/amount.tsx';
import { absoluteTime } from '#web/ui/format/time.ts';
import { DurationCell, PictureCell, ProgressCell, StatusCell } from './cells.tsx';
import { actionOf, isRunning } from './state.ts';
import classes from './drawing.module.css';

interface CardProps {
  row: DrawingView;
  onPicture: (row: DrawingView) => void;
}

const THUMBNAIL = 56;

export function DrawingCard({ row, onPicture }: CardProps) {
  const { t } = useTranslation('drawing');
  return (
    <div className={classes.card}>
      {row.image_url === '' ? null : <PictureCell row={row} size={THUMBNAIL} onOpen={onPicture} />}
      <div className={classes.cardText}>
        <div className={classes.cardLine}>
          <span className={classes.muted}>
            <strong>{t(`action.${actionOf(row)}`)}</strong>
            {row.username === '' ? '' : ` · ${row.username}`}
          </span>
          <StatusCell row={row} />
        </div>
        {row.fail_reason === '' ? (
          <p className={classes.cardPrompt}>{row.prompt}</p>
        ) : (
          <p className={classes.cardPrompt} data-bad>
            {row.fail_reason}
          </p>
        )}
        <div className={classes.cardLine}>
          <span className={classes.muted}>
            {absoluteTime(Math.floor(row.submit_time / 1000)).slice(5, 16)}
            {row.mj_id === '' ? '' : ` · ${row.mj_id}`}
          </span>
          <TaskCost quota={row.quota} held={row.held} />
          {isRunning(row) ? <ProgressCell row={row} /> : <DurationCell row={row} />}
        </div>
      </div>
    </div>
  );
}
