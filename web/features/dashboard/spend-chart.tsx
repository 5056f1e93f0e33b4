/**
 * Spend over time, one column per bucket, stacked by model. A column opens the log of its time, a part of it that of its
 * model; optionally a line across each column shows the cost of the previous period.
 */
import { Tooltip } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { LOG_TYPE } from '#contract/admin/logs.ts';
import { useDisplay } from '#web/ui/format/display.ts';
import { renderQuota } from '#web/ui/format/number.ts';
import { axisOf, type Bucket, type ModelSeries, type Span } from './figures.ts';
import type { LogFilter } from './log-filter.ts';
import type { Granularity } from './search.ts';
import { bucketName } from './times.ts';
import classes from './spend-chart.module.css';

interface SpendChartProps {
  series: readonly ModelSeries[];
  buckets: readonly Bucket[];
  granularity: Granularity;
  /** Of the site. */
  zone: string;
  filter: LogFilter;
  /** What the figures cover: the first and the last column may be covered in part. */
  span: Span;
  /** The cost of the previous period, per column. */
  before: readonly number[] | undefined;
}

const MOST_LABELS = 8;
/** The part of the plot below which a line between two parts would hide the part itself. */
const LINED_SHARE = 0.02;

export function SpendChart({ series, buckets, granularity, zone, filter, span, before }: SpendChartProps) {
  const { t } = useTranslation('dashboard');
  const display = useDisplay();
  const sums = buckets.map((_, index) => series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0));
  const axis = axisOf(Math.max(...sums, ...(before ?? []), 0));
  const top = axis.at(-1) ?? 1;
  const every = Math.ceil(buckets.length / MOST_LABELS);
  const nameOf = (model: string | undefined) => model ?? t('other');
  return (
    <div className={classes.chart}>
      <ol className={classes.axis} aria-hidden>
        {/* The longest amount makes the room; all of them stand at their own height. */}
        <li className={classes.room}>{renderQuota(top, display)}</li>
        {axis.map((value) => (
          <li key={value} style={{ bottom: `${(value / top) * 100}%` }}>
            {renderQuota(value, display)}
          </li>
        ))}
      </ol>
      <div className={classes.columns} style={{ ['--columns' as string]: buckets.length }}>
        <div className={classes.grid} aria-hidden>
          {axis.slice(1).map((value) => (
            <i key={value} style={{ bottom: `${(value / top) * 100}%` }} />
          ))}
        </div>
        {buckets.map((bucket, index) => {
          const sum = sums[index] ?? 0;
          const earlier = before?.[index];
          const name = bucketName(bucket, granularity, zone);
          const isPartial = bucket.from < span.from || bucket.to > span.to;
          const range = { ...filter, from: bucket.from, to: bucket.to };
          const parts = series
            .map(({ model, hue, values }) => ({ model, hue, value: values[index] ?? 0 }))
            .filter(({ value }) => value > 0);
          return (
            <div key={bucket.from} className="grow">
              <Tooltip
                label={
                  <>
                    <div>
                      {name} · {t('total')} {renderQuota(sum, display)}
                    </div>
                    {isPartial ? <div>{t('partOfColumn')}</div> : null}
                    {earlier === undefined ? null : (
                      <div>
                        {t('tile.before')} {renderQuota(earlier, display)}
                      </div>
                    )}
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
                <div className={classes.stack} data-partial={isPartial || undefined}>
                  <Link
                    to="/log"
                    search={range}
                    className={classes.whole}
                    aria-label={t('openLog', { time: name, value: renderQuota(sum, display) })}
                  />
                  {/* For the pointer only: the keyboard has the column and the ranking beside the chart. */}
                  {parts.toReversed().map(({ model, hue, value }) => (
                    <Link
                      key={nameOf(model)}
                      to="/log"
                      search={model === undefined ? range : { ...range, model, type: LOG_TYPE.consumption }}
                      className={classes.part}
                      data-model={nameOf(model)}
                      data-lined={value / top >= LINED_SHARE}
                      tabIndex={-1}
                      aria-hidden
                      style={{ height: `${(value / top) * 100}%`, background: `var(--chart-${hue})` }}
                    />
                  ))}
                  {earlier === undefined ? null : (
                    <i
                      data-mark="before"
                      className={classes.before}
                      style={{ bottom: `${(earlier / top) * 100}%` }}
                      aria-hidden
                    />
                  )}
                </div>
              </Tooltip>
              <span className={classes.columnName} aria-hidden>
                {/* One that has less room than the others would be cut at the end. */}
                {index % every === 0 && buckets.length - index >= every ? name : ''}
              </span>
            </div>
          );
        })}
      </div>
    </div>
  );
}
