/** Spend over time, one column per bucket, stacked by model; each column opens the log of its time. */
import { Tooltip } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useDisplay } from '#web/ui/format/display.ts';
import { renderQuota } from '#web/ui/format/number.ts';
import { axisOf, type Bucket, type ModelSeries } from './figures.ts';
import type { LogFilter } from './log-filter.ts';
import type { Granularity } from './search.ts';
import { bucketName } from './times.ts';
import classes from './dashboard.module.css';

interface SpendChartProps {
  series: readonly ModelSeries[];
  buckets: readonly Bucket[];
  granularity: Granularity;
  filter: LogFilter;
}

const MOST_LABELS = 8;

export function SpendChart({ series, buckets, granularity, filter }: SpendChartProps) {
  const { t } = useTranslation('dashboard');
  const display = useDisplay();
  const sums = buckets.map((_, index) => series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0));
  const axis = axisOf(Math.max(...sums, 0));
  const top = axis.at(-1) ?? 1;
  const every = Math.ceil(buckets.length / MOST_LABELS);
  const nameOf = (model: string | undefined) => model ?? t('other');
  return (
    <div className={classes.chart}>
      <ol className={classes.axis} aria-hidden>
        {axis.toReversed().map((value) => (
          <li key={value}>{renderQuota(value, display)}</li>
        ))}
      </ol>
      <div className={classes.columns}>
        {buckets.map((bucket, index) => {
          const sum = sums[index] ?? 0;
          const name = bucketName(bucket, granularity);
          const parts = series
            .map(({ model, hue, values }) => ({ model, hue, value: values[index] ?? 0 }))
            .filter(({ value }) => value > 0);
          return (
            <div key={bucket.from} className={classes.column}>
              <Tooltip
                label={
                  <>
                    <div>
                      {name} · {t('total')} {renderQuota(sum, display)}
                    </div>
                    {parts
                      .toSorted((left, right) => right.value - left.value)
                      .map(({ model, value }) => (
                        <div key={nameOf(model)}>
                          {nameOf(model)} {renderQuota(value, display)}
                        </div>
                      ))}
                  </>
                }
              >
                <Link
                  to="/log"
                  search={{ ...filter, from: bucket.from, to: bucket.to }}
                  className={classes.stack}
                  aria-label={t('openLog', { time: name, value: renderQuota(sum, display) })}
                >
                  {parts.toReversed().map(({ model, hue, value }) => (
                    <span
                      key={nameOf(model)}
                      style={{ height: `${(value / top) * 100}%`, background: `var(--chart-${hue})` }}
                    />
                  ))}
                </Link>
              </Tooltip>
              <span className={classes.columnName} aria-hidden>
                {index % every === 0 ? name : ''}
              </span>
            </div>
          );
        })}
      </div>
    </div>
  );
}
