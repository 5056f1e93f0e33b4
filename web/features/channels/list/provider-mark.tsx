/** Our own monogram of an upstream: two letters on a tint of a chart colour. */
import classes from './cells.module.css';

const HUES = 10;

export function ProviderMark({ type, mark }: { type: number; mark: string }) {
  return (
    <span
      className={classes.mark}
      style={{ ['--hue' as string]: `var(--chart-${(type % HUES) + 1})` }}
      aria-hidden
    >
      {mark}
    </span>
  );
}
