/** Small bar graphics: sparkbars, quota bars and the loader, all on whole pixels. */
import { Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './badge.module.css';

interface SparkbarsProps {
  /** Oldest first; the last one is today and drawn in accent. What is below zero hangs under the line, as a loss. */
  values: readonly number[];
  label: string;
  height?: number;
  postWidth?: 3 | 4;
}

export function Sparkbars({ values, label, height = 16, postWidth = 4 }: SparkbarsProps) {
  const top = Math.max(...values, 0);
  const range = top - Math.min(...values, 0);
  /** The line of zero, from above. */
  const line = range > 0 ? Math.round((top / range) * height) : height;
  const step = postWidth + 1;
  const width = values.length * step - 1;
  return (
    <svg width={width} height={height} role="img" aria-label={label} className={classes.svg}>
      {values.map((value, index) => {
        // A pixel at least, so that little is not nothing: never more than a pixel off the scale.
        const size = value === 0 ? 1 : Math.max(1, Math.round((Math.abs(value) / range) * height));
        const today = index === values.length - 1;
        const isLoss = value < 0;
        return (
          <rect
            key={index * step}
            x={index * step}
            y={isLoss ? Math.min(line, height - size) : Math.max(0, line - size)}
            width={postWidth}
            height={size}
            fill={
              isLoss
                ? 'var(--danger-mark)'
                : value === 0
                  ? 'var(--bar-empty)'
                  : today
                    ? 'var(--accent)'
                    : 'var(--bar)'
            }
          />
        );
      })}
    </svg>
  );
}

interface QuotaBarProps {
  used: number;
  /** Undefined: unlimited, drawn as a dotted line. */
  total: number | undefined;
  off?: boolean;
  label: string;
  tooltip?: ReactNode;
}

export type QuotaBarTone = 'off' | 'unlimited' | 'spent' | 'near' | 'normal';

/** Amber above 90 %, red when spent, grey when the thing it measures is off. */
export function quotaTone({ used, total, off }: Pick<QuotaBarProps, 'used' | 'total' | 'off'>): QuotaBarTone {
  if (total === undefined) return 'unlimited';
  if (off) return 'off';
  if (used >= total) return 'spent';
  return used > total * 0.9 ? 'near' : 'normal';
}

export function QuotaBar({ used, total, off, label, tooltip }: QuotaBarProps) {
  const share =
    total === undefined || total <= 0 ? (used > 0 || total === 0 ? 1 : 0) : Math.min(1, used / total);
  const bar = (
    <span
      className={classes.quotaBar}
      data-tone={quotaTone({ used, total, off })}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={total === undefined ? 0 : Math.round(share * 100)}
    >
      <span style={{ width: `${total === undefined ? 0 : share * 100}%` }} />
    </span>
  );
  return tooltip ? <Tooltip label={tooltip}>{bar}</Tooltip> : bar;
}

export function PostLoader({ label }: { label?: string }) {
  return (
    <span className={classes.loader} role={label ? 'status' : undefined}>
      <i />
      <i />
      <i />
      {/* Text, not aria-label: screen readers announce the text of a status. */}
      {label ? <span className="hidden">{label}</span> : null}
    </span>
  );
}
