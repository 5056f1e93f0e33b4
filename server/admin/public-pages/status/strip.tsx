/** @jsxImportSource hono/jsx */
// Posts of many rows at once: runs of equal days are one dashed line each, so that a page of hundreds of rows stays small. Only the
// days that were bad, or not good where few rows are shown, have a title.
import { callsOf, LEAST_CALLS, type Outcome } from '#contract/admin/measured.ts';

export type Tone = 'none' | 'good' | 'warned' | 'bad';

const GOOD_SHARE = 0.99;
const WARNED_SHARE = 0.95;
const WIDTH = 3;
const STEP = 5;
const HEIGHT = 16;
const FOOT = 5;

/** Top and height of each. */
const SHAPES = { none: [14, 2], good: [4, 12], warned: [4, 12], bad: [0, 16] } as const;

export function toneOf(outcome: Outcome, least: number = LEAST_CALLS.post): Tone {
  const calls = callsOf(outcome);
  if (calls < least) return 'none';
  const share = outcome.answered / calls;
  return share < WARNED_SHARE ? 'bad' : share < GOOD_SHARE ? 'warned' : 'good';
}

/** Runs of the same tone; a run of dashes begins anew with each part of the path. */
function runsOf(tones: readonly Tone[], wanted: readonly Tone[]): string {
  let path = '';
  for (let at = 0; at < tones.length; at += 1) {
    const from = at;
    while (at < tones.length && wanted.includes(tones[at] as Tone)) at += 1;
    if (at > from) path += `M${from * STEP} 0H${(at - 1) * STEP + WIDTH}`;
  }
  return path;
}

const LAYERS = [
  ['post-none', ['none'], SHAPES.none],
  ['post-good', ['good', 'warned'], SHAPES.good],
  ['post-foot', ['warned'], [HEIGHT - FOOT, FOOT]],
  ['post-bad', ['bad'], SHAPES.bad],
] as const;

interface StripProps {
  posts: readonly Outcome[];
  /** Empty: the words beside it say it. */
  label: string;
  titleOf: (at: number) => string;
  /** Fewer calls are a stub. */
  least?: number;
  /** Only bad posts have a title. */
  isTerse?: boolean;
}

export function Strip({ posts, label, titleOf, least, isTerse = false }: StripProps) {
  const tones = posts.map((post) => toneOf(post, least));
  const whole = Math.max(1, posts.length * STEP - (STEP - WIDTH));
  return (
    <svg
      class="strip"
      viewBox={`0 0 ${whole} ${HEIGHT}`}
      preserveAspectRatio="none"
      {...(label === '' ? { 'aria-hidden': 'true' } : { role: 'img', 'aria-label': label })}
    >
      {LAYERS.map(([name, wanted, [top, tall]]) => {
        const path = runsOf(tones, wanted);
        return path === '' ? null : (
          <path
            class={name}
            d={path}
            transform={`translate(0 ${top + tall / 2})`}
            stroke-width={tall}
            stroke-dasharray={`${WIDTH} ${STEP - WIDTH}`}
          />
        );
      })}
      {tones.map((tone, at) =>
        tone === 'bad' || (tone === 'warned' && !isTerse) ? (
          <rect x={at * STEP} y={0} width={WIDTH} height={HEIGHT} fill="transparent">
            <title>{titleOf(at)}</title>
          </rect>
        ) : null,
      )}
    </svg>
  );
}
