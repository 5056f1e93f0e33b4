/** The progress of a task: a bar and its share. */
import type { StatusKind } from '#web/ui/badge/status.tsx';
import classes from './progress.module.css';

interface ProgressProps {
  /** Such as `40%`. */
  progress: string;
  kind: StatusKind;
  label: string;
}

export function Progress({ progress, kind, label }: ProgressProps) {
  const share = Math.min(100, Number.parseInt(progress, 10) || 0);
  return (
    <span className={`inline6 ${classes.progress}`}>
      <span
        className={classes.bar}
        data-kind={kind}
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={share}
      >
        <span style={{ width: `${share}%` }} />
      </span>
      <span className="size12 soft tabular">{share}%</span>
    </span>
  );
}
