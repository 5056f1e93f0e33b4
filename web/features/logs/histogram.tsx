/** Requests over time as bars, failures in red at their foot. The peak of failures is labelled; a click zooms in. */
import { UnstyledButton } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useTranslation } from 'react-i18next';
import type { LogHistogram } from '#contract/admin/logs.ts';
import { DAY_SECONDS, HOUR_SECONDS } from '#contract/time.ts';
import { groupDigits } from '#web/ui/format/number.ts';
import { absoluteTime } from '#web/ui/format/time.ts';
import type { TimeRange } from '#web/ui/range/time-range.ts';
import { axisTicks } from './ticks.ts';
import classes from './logs.module.css';

/** The share of the height for the highest bar; labels need the rest. */
const HEIGHT = 46;
/** The width of a time label in pixels. */
const LABEL_WIDTH = 110;
/** The most that a letter of it takes. */
const LETTER_WIDTH = 7;

interface HistogramProps {
  data: LogHistogram | undefined;
  onZoom: (range: TimeRange) => void;
  /** Undefined: it is gone. */
  channelName: (id: number) => string | undefined;
}

export function Histogram({ data, onZoom, channelName }: HistogramProps) {
  const { t } = useTranslation('logs');
  const { ref, width } = useElementSize();
  if (!data) return <div className={classes.histogram} aria-busy />;
  const { start, bucket_seconds: seconds, buckets, peak } = data;
  const top = Math.max(1, ...buckets.map(({ requests }) => requests));
  const isEmpty = buckets.every(({ requests }) => requests === 0);
  const isAtRightEdge = peak !== null && peak.index / buckets.length > 0.85;
  const span = seconds * buckets.length;
  const labels = Math.max(1, Math.floor(width / LABEL_WIDTH));
  const scale =
    seconds === HOUR_SECONDS
      ? t('histogram.perHour', { count: groupDigits(top) as never })
      : t('histogram.perBar', { count: groupDigits(top) as never });
  return (
    <figure className={classes.histogram} ref={ref} aria-label={t('histogram.label')}>
      <div className={classes.bars}>
        {buckets.map((bucket, index) => {
          const from = start + index * seconds;
          const label = t('histogram.bar', {
            time: absoluteTime(from).slice(5, 16),
            requests: groupDigits(bucket.requests),
            errors: groupDigits(bucket.errors),
          });
          const isNewest = index === buckets.length - 1;
          return (
            <UnstyledButton
              key={from}
              className={`stack end grow ${classes.bar}`}
              aria-label={label}
              title={label}
              tabIndex={-1}
              onClick={() => onZoom({ from, to: from + seconds - 1 })}
            >
              <span
                data-newest={isNewest || undefined}
                style={{ height: heightOf(bucket.requests - bucket.errors, top) }}
              />
              <span data-failed style={{ height: heightOf(bucket.errors, top) }} />
            </UnstyledButton>
          );
        })}
        {isEmpty ? <span className={classes.noBars}>{t('histogram.empty')}</span> : null}
        {isEmpty ? null : (
          <span className={classes.scale} data-left={isAtRightEdge || undefined}>
            {scale}
          </span>
        )}
        {peak ? (
          <PeakNote
            peak={peak}
            count={buckets.length}
            channel={peak.channel === null ? '' : (channelName(peak.channel) ?? `#${peak.channel}`)}
          />
        ) : null}
      </div>
      <div className={classes.axis} aria-hidden>
        {axisTicks({ from: start, to: start + span }, labels).map((time) => {
          const text = axisText(time, span);
          const share = (time - start) / span;
          // A label begins at its time; one that would be cut at the end is left out.
          if (share * width + text.length * LETTER_WIDTH > width) return null;
          return (
            <span key={time} style={{ left: `${share * 100}%` }}>
              {text}
            </span>
          );
        })}
      </div>
    </figure>
  );
}

/** Whole pixels; at least two for a value above zero. */
function heightOf(count: number, top: number): number {
  return count <= 0 ? 0 : Math.max(2, Math.round((count / top) * HEIGHT));
}

/** The day in a long range, the time in a short one. */
function axisText(time: number, spanSeconds: number): string {
  const text = absoluteTime(time);
  if (spanSeconds <= DAY_SECONDS) return text.slice(11, 16);
  return spanSeconds <= 10 * DAY_SECONDS ? text.slice(5, 16) : text.slice(5, 10);
}

interface PeakNoteProps {
  peak: NonNullable<LogHistogram['peak']>;
  count: number;
  /** Its name. */
  channel: string;
}

function PeakNote({ peak, count, channel }: PeakNoteProps) {
  const { t } = useTranslation('logs');
  const share = (peak.index + 0.5) / count;
  const errors = groupDigits(peak.errors);
  const words = { errors, count: groupDigits(peak.status_errors) as never, channel };
  const text =
    peak.status === null
      ? t('histogram.peak', { errors })
      : peak.status === 0
        ? t('histogram.peakSilent', words)
        : t('histogram.peakStatus', { ...words, status: peak.status });
  const isRight = share > 0.5;
  const side = isRight ? { right: `${(1 - share) * 100}%` } : { left: `${share * 100}%` };
  return (
    <span className={`danger cut ${classes.peak}`} data-side={isRight ? 'right' : 'left'} style={side}>
      {text}
    </span>
  );
}
