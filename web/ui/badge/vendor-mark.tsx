/** A vendor as an 18 px tile: two letters in a chart colour. */
import { vendorMark } from '#contract/vendor-mark.ts';
import classes from './vendor-mark.module.css';

export function VendorMark({ vendor }: { vendor: string }) {
  const { letters, hue } = vendorMark(vendor);
  return (
    <span className={classes.mark} style={{ '--hue': `var(--chart-${hue})` } as object} aria-hidden>
      {letters}
    </span>
  );
}
