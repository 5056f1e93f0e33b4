/** Average duration and first token over time: a line and a dashed line, each with its name and last value at its end. */
import { useTranslation } from 'react-i18next';
import { axisOf, type Bucket, type Totals } from './figures.ts';
import type { Granularity } from './search.ts';
import { bucketName } from './times.ts';
import classes from './dashboard.module.css';

interface LatencyProps {
  byBucket: readonly Totals[];
  buckets: readonly Bucket[];
  granularity: Granularity;
}

const WIDTH = 300;
const HEIGHT = 110;

/** Seconds by bucket; a bucket without calls breaks the line. */
export function averages(
  byBucket: readonly Totals[],
  part: 'useTimeMs' | 'firstTokenMs',
): (number | undefined)[] {
  return byBucket.map((bucket) => (bucket.count > 0 ? bucket[part] / bucket.count / 1000 : undefined));
}

export function Latency({ byBucket, buckets, granularity }: LatencyProps) {
  const { t } = useTranslation('dashboard');
  const lines = [
    {
      name: t('duration'),
      values: averages(byBucket, 'useTimeMs'),
      colour: 'var(--chart-1)',
      dash: undefined,
    },
    {
      name: t('firstToken'),
      values: averages(byBucket, 'firstTokenMs'),
      colour: 'var(--chart-2)',
      dash: '3 2',
    },
  ];
  const highest = Math.max(0, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const axis = axisOf(highest);
  const top = axis.at(-1) ?? 1;
  const x = (index: number) => (buckets.length < 2 ? WIDTH / 2 : (index / (buckets.length - 1)) * WIDTH);
  const y = (value: number) => HEIGHT - (value / top) * HEIGHT;
  const path = (values: readonly (number | undefined)[]) => {
    let isDrawing = false;
    return values
      .map((value, index) => {
        const command =
          value === undefined ? '' : `${isDrawing ? 'L' : 'M'}${x(index).toFixed(1)} ${y(value).toFixed(1)}`;
        isDrawing = value !== undefined;
        return command;
      })
      .join('');
  };
  const last = (values: readonly (number | undefined)[]) => values.findLast((value) => value !== undefined);
  const words = lines.map(({ name, values }) => `${name} ${last(values)?.toFixed(2) ?? '–'} s`).join(', ');
  const [first, end] = [buckets[0], buckets.at(-1)];
  return (
    <div className={classes.latency}>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={words} preserveAspectRatio="none">
        {axis.map((value) => (
          <path
            key={value}
            d={`M0 ${y(value)}H${WIDTH}`}
            stroke="var(--line)"
            vectorEffect="non-scaling-stroke"
          />
        ))}
        {lines.map(({ name, values, colour, dash }) => (
          <g key={name} fill="none" stroke={colour} strokeWidth={1.6} strokeDasharray={dash}>
            <path d={path(values)} vectorEffect="non-scaling-stroke" />
            {/* A lone bucket has no line: a short stroke stands for it. */}
            {values.map((value, index) =>
              value !== undefined && values[index - 1] === undefined && values[index + 1] === undefined ? (
                <path
                  key={buckets[index]?.from}
                  d={`M${x(index) - 3} ${y(value)}h6`}
                  vectorEffect="non-scaling-stroke"
                />
              ) : null,
            )}
          </g>
        ))}
      </svg>
      <div className={classes.latencyAxis} aria-hidden>
        <span>{first ? bucketName(first, granularity) : ''}</span>
        <span>0 – {top} s</span>
        <span>{end ? bucketName(end, granularity) : ''}</span>
      </div>
      <ul className={classes.legend}>
        {lines.map(({ name, values, colour, dash }) => (
          <li key={name}>
            <i style={{ borderTop: `2px ${dash ? 'dashed' : 'solid'} ${colour}` }} aria-hidden />
            {name} <b>{last(values) === undefined ? '–' : `${last(values)?.toFixed(2)} s`}</b>
          </li>
        ))}
      </ul>
    </div>
  );
}
