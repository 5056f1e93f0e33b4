/** Median and 95th percentile of the duration and the first token: lines over time, labelled with their last value. */
import { Tooltip } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { LatencyPiece } from '#contract/admin/dashboard.ts';
import { LOG_TYPE } from '#contract/admin/logs.ts';
import { axisOf } from './figures.ts';
import type { LogFilter } from './log-filter.ts';
import type { Granularity } from './search.ts';
import { bucketName } from './times.ts';
import classes from './latency.module.css';

interface LatencyProps {
  pieces: readonly LatencyPiece[];
  bucketSeconds: number;
  granularity: Granularity;
  /** Of the site. */
  zone: string;
  filter: LogFilter;
}

const WIDTH = 300;
const HEIGHT = 130;

/** Seconds per bucket; a bucket without calls interrupts the line. */
export function secondsOf(
  pieces: readonly LatencyPiece[],
  part: 'p50' | 'p95' | 'first_p50',
): (number | undefined)[] {
  return pieces.map((piece) =>
    piece.sample > 0 && (part !== 'first_p50' || piece[part] > 0) ? piece[part] / 1000 : undefined,
  );
}

const text = (value: number | undefined) =>
  value === undefined ? '–' : value < 10 ? value.toFixed(2) : value.toFixed(1);

export function Latency({ pieces, bucketSeconds, granularity, zone, filter }: LatencyProps) {
  const { t } = useTranslation('dashboard');
  const lines = [
    { name: 'p95', values: secondsOf(pieces, 'p95'), colour: 'var(--chart-2)', dash: undefined },
    { name: 'p50', values: secondsOf(pieces, 'p50'), colour: 'var(--chart-1)', dash: undefined },
    { name: t('firstToken'), values: secondsOf(pieces, 'first_p50'), colour: 'var(--text-2)', dash: '3 2' },
  ];
  const highest = Math.max(0, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const axis = axisOf(highest);
  const top = axis.at(-1) ?? 1;
  // Each bucket is a slot of the width with its value in the middle, so that the link over it covers the right bucket.
  const x = (index: number) => ((index + 0.5) / pieces.length) * WIDTH;
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
  const words = lines.map(({ name, values }) => `${name} ${text(last(values))} s`).join(', ');
  const names = pieces.map(({ start }) =>
    bucketName(
      { from: start, to: start + bucketSeconds - 1 },
      bucketSeconds < 86_400 ? 'hour' : granularity,
      zone,
    ),
  );
  const named = new Set([0, Math.floor((names.length - 1) / 2), names.length - 1]);
  return (
    <div className="flex8">
      <ol className={classes.axis} aria-hidden>
        {axis.toReversed().map((value) => (
          <li key={value}>{value}</li>
        ))}
      </ol>
      <div className={`relative grow ${classes.field}`}>
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
              {/* A single bucket has no line, so it gets a short stroke. */}
              {values.map((value, index) =>
                value !== undefined && values[index - 1] === undefined && values[index + 1] === undefined ? (
                  <path
                    key={pieces[index]?.start}
                    d={`M${x(index) - 3} ${y(value)}h6`}
                    vectorEffect="non-scaling-stroke"
                  />
                ) : null,
              )}
            </g>
          ))}
        </svg>
        <div className={classes.hits}>
          {pieces.map((piece, index) => {
            const label = [
              names[index],
              ...lines.map(({ name, values }) => `${name} ${text(values[index])} s`),
            ].join(' · ');
            return piece.sample === 0 ? (
              <span key={piece.start} />
            ) : (
              <Tooltip key={piece.start} label={label}>
                <Link
                  to="/log"
                  search={{
                    ...filter,
                    from: piece.start,
                    to: piece.start + bucketSeconds - 1,
                    type: LOG_TYPE.consumption,
                  }}
                  aria-label={label}
                />
              </Tooltip>
            );
          })}
        </div>
        <div className={classes.times} aria-hidden>
          {[...named].map((index) => (
            <span key={index} style={{ left: `${((index + 0.5) / names.length) * 100}%` }}>
              {names[index]}
            </span>
          ))}
        </div>
      </div>
      <ul className={`stack8 caption ${classes.ends}`}>
        {lines.map(({ name, values, colour }) => (
          <li key={name}>
            <i style={{ background: colour }} aria-hidden />
            {name} <b>{text(last(values))}</b>
          </li>
        ))}
      </ul>
    </div>
  );
}
