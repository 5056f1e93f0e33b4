/** The progress of a test run: a 4 px bar and a text below it. */
import classes from '#web/features/channels/dialogs/dialogs.module.css';

export function ProgressBar({ done, total, words }: { done: number; total: number; words: string }) {
  const share = total === 0 ? 0 : done / total;
  return (
    <>
      <div
        className={classes.progress}
        role="progressbar"
        aria-label={words}
        aria-valuemin={0}
        aria-valuemax={total}
        aria-valuenow={done}
      >
        <span style={{ width: `${share * 100}%` }} />
      </div>
      <p className={`caption ${classes.progressText}`} role="status">
        {words}
      </p>
    </>
  );
}
