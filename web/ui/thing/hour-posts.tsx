/** One post an hour (or a day), to scale, failures on top; below it the first token of the same hours. */
import { SegmentedControl } from '@mantine/core';
import { Link, type LinkProps } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { THING_WINDOWS, type ThingWindow } from '#contract/thing-window.ts';
import { DAY_SECONDS } from '#contract/time.ts';
import { groupDigits } from '#web/ui/format/number.ts';
import { absoluteTime } from '#web/ui/format/time.ts';
import { roundTop } from './round-top.ts';
import classes from './posts.module.css';

export interface HourPost {
  /** First second of the post. */
  at: number;
  answered: number;
  failed: number;
  /** Median time to the first token in milliseconds; 0: none measured. */
  firstToken?: number;
}

export type PostPlace = Pick<LinkProps, 'to' | 'search' | 'params'>;

interface HourPostsProps {
  posts: readonly HourPost[];
  /** Seconds of one post. */
  step: number;
  /** The calls behind a post, in the log. */
  placeOf?: (post: HourPost) => PostPlace;
  /** A moment drawn as a dashed line, as `off 12:56`. */
  mark?: { at: number; label: string };
  /** The first token is a mean, not a median. */
  isMean?: boolean;
}

const HEIGHT = 96;
const TOKEN_HEIGHT = 22;
/** Between the parts of a post. */
const GAP = 1;
/** A first token this many times the median of the others stands out. */
const SLOW = 1.5;

/** Whole pixels; both parts and the gap between them are as high as their sum, and what there is has a pixel at least. */
export function sizesOf(
  { answered, failed }: Pick<HourPost, 'answered' | 'failed'>,
  top: number,
): { answered: number; failed: number } {
  const pixels = (count: number) => (count > 0 ? Math.max(1, Math.round((count / top) * HEIGHT)) : 0);
  if (failed === 0 || answered === 0) return { answered: pixels(answered), failed: pixels(failed) };
  const below = Math.min(pixels(failed), Math.max(1, pixels(answered + failed) - 2));
  return { failed: below, answered: Math.max(1, pixels(answered + failed) - below - GAP) };
}

const timeOf = (at: number, step: number) =>
  step >= DAY_SECONDS ? absoluteTime(at).slice(5, 10) : absoluteTime(at).slice(11, 16);

function middleOf(values: readonly number[]): number {
  const sorted = values.filter((value) => value > 0).toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

export function HourPosts({ posts, step, placeOf, mark, isMean = false }: HourPostsProps) {
  const { t } = useTranslation('thing');
  const top = roundTop(Math.max(0, ...posts.map(({ answered, failed }) => answered + failed)));
  const slowest = Math.max(0, ...posts.map(({ firstToken = 0 }) => firstToken));
  const tokenTop = roundTop(slowest / 250) * 250;
  const usual = middleOf(posts.map(({ firstToken = 0 }) => firstToken));
  const start = posts[0]?.at ?? 0;
  const markAt = mark ? (mark.at - start) / (posts.length * step) : -1;
  const labelled = Math.max(1, Math.ceil(posts.length / 8));
  const grid = { gridTemplateColumns: `repeat(${posts.length}, minmax(0, 1fr))` };
  return (
    <div className={classes.chart}>
      <div className={classes.axis} aria-hidden style={{ height: HEIGHT }}>
        {[top, top / 2, 0].map((value) => (
          <span key={value}>{groupDigits(value)}</span>
        ))}
      </div>
      <div className={classes.plot}>
        <ol className={classes.posts} style={{ ...grid, height: HEIGHT }} aria-label={t('posts.label')}>
          {posts.map((post) => {
            const { at, answered, failed, firstToken = 0 } = post;
            const words = t('posts.post', {
              time: absoluteTime(at).slice(5, 16),
              answered: groupDigits(answered),
              failed: groupDigits(failed),
            });
            const said =
              firstToken > 0
                ? `${words} ${t('posts.token', { seconds: (firstToken / 1000).toFixed(2) })}`
                : words;
            const size = sizesOf(post, top);
            const stack = (
              <>
                <i data-part="failed" style={{ height: size.failed }} />
                <i data-part="answered" style={{ height: size.answered }} />
                {answered + failed === 0 ? <i data-part="none" /> : null}
              </>
            );
            return (
              <li key={at} title={said}>
                {placeOf && answered + failed > 0 ? (
                  <Link {...placeOf(post)} aria-label={said}>
                    {stack}
                  </Link>
                ) : (
                  <>
                    <span className="hidden">{said}</span>
                    {stack}
                  </>
                )}
              </li>
            );
          })}
        </ol>
        {mark && markAt >= 0 && markAt <= 1 ? (
          <span
            className={classes.markLine}
            style={{ left: `${markAt * 100}%`, height: HEIGHT + 10 }}
            data-end={markAt > 0.8 || undefined}
          >
            {mark.label}
          </span>
        ) : null}
      </div>
      {slowest > 0 ? (
        <>
          <div className={classes.axis} data-tokens aria-hidden>
            <span>{`${tokenTop / 1000} s`}</span>
          </div>
          <div
            className={classes.tokens}
            style={{ ...grid, height: TOKEN_HEIGHT }}
            role="img"
            aria-label={t('posts.tokens')}
          >
            {posts.map(({ at, firstToken = 0 }) => (
              <i
                key={at}
                data-slow={(usual > 0 && firstToken > usual * SLOW && firstToken >= 1000) || undefined}
                style={{
                  height: Math.max(1, Math.round((firstToken / tokenTop) * TOKEN_HEIGHT)),
                }}
              />
            ))}
          </div>
        </>
      ) : null}
      <span />
      <div className={classes.times} style={grid} aria-hidden>
        {posts.map(({ at }, index) => (
          <span key={at}>{index % labelled === 0 ? timeOf(at, step) : ''}</span>
        ))}
      </div>
      {slowest > 0 ? (
        <p className={`note ${classes.below}`}>{t(isMean ? 'posts.belowMean' : 'posts.below')}</p>
      ) : null}
    </div>
  );
}

/** What the colours of the posts mean. */
export function PostLegend() {
  const { t } = useTranslation('thing');
  return (
    <span className={`note ${classes.legend}`}>
      <i data-part="answered" aria-hidden /> {t('posts.answered')}
      <i data-part="failed" aria-hidden /> {t('posts.failed')}
    </span>
  );
}

interface WindowSwitchProps {
  value: ThingWindow;
  onChange: (window: ThingWindow) => void;
}

export function WindowSwitch({ value, onChange }: WindowSwitchProps) {
  const { t } = useTranslation('thing');
  return (
    <SegmentedControl
      aria-label={t('window.label')}
      value={value}
      onChange={(next) => onChange(THING_WINDOWS.find((each) => each === next) ?? '24h')}
      data={THING_WINDOWS.map((each) => ({ value: each, label: t(`window.${each}`) }))}
    />
  );
}
