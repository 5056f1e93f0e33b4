/** @jsxImportSource hono/jsx */
// The price since the first version that is known, as a step line to scale.
import type { Language } from '#contract/language.ts';
import { DAY_SECONDS } from '#contract/time.ts';
import type { PricePoint } from '#server/money/price-book/price-history.ts';
import type { PriceSnapshot } from '#server/money/prices/price.ts';
import { dateOf, digitsOf } from '#server/admin/public-pages/format.ts';
import { WORDS } from './words.ts';

/** The place decides by its own width which of them is shown, so that letters keep their size. */
const WIDTHS = { narrow: 480, wide: 800 } as const;
const HEIGHT = 190;
const LEFT = 44;
const RIGHT = 76;
const TOP = 10;
const BOTTOM = 26;
/** Room of a change in percent beside its step. */
const LABEL = 56;

export interface Step {
  readonly at: number;
  readonly main: number;
  /** The second line: the input price of a model that is sold by tokens. */
  readonly second: number | undefined;
}

/** Points where the price changed; a version without a price ends what came before it. */
export function stepsOf(
  points: readonly PricePoint[],
  dollars: (price: PriceSnapshot) => { main: number; second: number | undefined },
): Step[] {
  const steps: Step[] = [];
  for (const { at, price } of points) {
    if (price === undefined) {
      steps.length = 0;
      continue;
    }
    const step = { at, ...dollars(price) };
    const last = steps.at(-1);
    if (last?.main !== step.main || last.second !== step.second) steps.push(step);
  }
  return steps;
}

/** 0, and the next of 1, 2, 2.5, 5 times a power of ten above the value in four parts. */
function scaleOf(most: number): number[] {
  const rough = most / 4;
  const power = 10 ** Math.floor(Math.log10(rough || 1));
  const part = [1, 2, 2.5, 5, 10].map((each) => each * power).find((each) => each * 4 >= most) ?? power * 10;
  const count = Math.ceil(most / part);
  return Array.from({ length: count + 1 }, (_, index) => Number((index * part).toPrecision(6)));
}

function line(
  steps: readonly Step[],
  end: number,
  x: (at: number) => number,
  y: (step: Step) => number,
): string {
  const moves = steps.map((step, index) =>
    index === 0 ? `M${x(step.at)} ${y(step)}` : `H${x(step.at)}V${y(step)}`,
  );
  return `${moves.join('')}H${end}`;
}

/** `2 changes since 27 Aug 2026`. */
function sinceText(changes: number, date: string, language: Language): string {
  if (language === 'zh') return changes === 0 ? `${date}起未变` : `${date}起变动 ${changes} 次`;
  return changes === 0
    ? `unchanged since ${date}`
    : `${changes} change${changes === 1 ? '' : 's'} since ${date}`;
}

interface HistoryProps {
  steps: readonly Step[];
  now: number;
  language: Language;
  zone: string;
}

function Changes({
  steps,
  end,
  x,
  y,
}: {
  steps: readonly Step[];
  end: number;
  x: (at: number) => number;
  y: (value: number) => number;
}) {
  return steps.slice(1).map((step, index) => {
    const before = steps[index]?.main ?? step.main;
    if (before === 0 || before === step.main) return null;
    // Steps beside each other: only the last one has room to say its change.
    const left = x(step.at);
    const next = steps[index + 2];
    if (next !== undefined && left + LABEL > x(next.at)) return null;
    // At the end of the line stands the price.
    const leans = left + LABEL > end;
    const share = (step.main - before) / before;
    return (
      <text
        class={share < 0 ? 'chart-less' : 'chart-more'}
        x={leans ? left - 5 : left + 5}
        y={y(step.main) - 5}
        text-anchor={leans ? 'end' : 'start'}
      >
        {`${share < 0 ? '↘ −' : '↗ +'}${Math.abs(share * 100).toFixed(1)}%`}
      </text>
    );
  });
}

function StepChart({
  steps,
  first,
  last,
  now,
  language,
  zone,
  size,
}: HistoryProps & { first: Step; last: Step; size: keyof typeof WIDTHS }) {
  const width = WIDTHS[size];
  // The axis needs a length: of changes a day at least; a price that never changed fills it.
  const start = steps.length === 1 ? Math.min(first.at, now - 1) : Math.min(first.at, now - DAY_SECONDS);
  const scale = scaleOf(Math.max(...steps.map(({ main, second }) => Math.max(main, second ?? 0)), 1e-6));
  const top = scale.at(-1) ?? 1;
  const round = (value: number) => Math.round(value * 2) / 2;
  const x = (at: number) =>
    round(LEFT + ((Math.max(at, start) - start) / (now - start)) * (width - LEFT - RIGHT));
  const y = (value: number) => round(TOP + (1 - value / top) * (HEIGHT - TOP - BOTTOM));
  const end = width - RIGHT;
  const dates = [start, (start + now) / 2, now].map((at) => [at, dateOf(at, language, zone)] as const);
  // The days of a short history are named once.
  const isNamed = (index: number) =>
    index === 0 || dates.slice(0, index).every(([, text]) => text !== dates[index]?.[1]);
  const label = `${WORDS.history[language]}: ${steps
    .map(
      (step) =>
        `${dateOf(step.at, language, zone)} $${digitsOf(step.main)}${step.second === undefined ? '' : ` / $${digitsOf(step.second)}`}`,
    )
    .join('; ')}`;
  return (
    <svg viewBox={`0 0 ${width} ${HEIGHT}`} role="img" aria-label={label} class={size}>
      {scale.map((value) => (
        <g>
          <path class="chart-grid" d={`M${LEFT} ${y(value)}H${end}`} />
          <text class="chart-axis" x={LEFT - 8} y={y(value) + 4} text-anchor="end">
            ${value}
          </text>
        </g>
      ))}
      {dates.map(
        ([at, text], index) =>
          isNamed(index) && (
            <text
              class="chart-axis"
              x={x(at)}
              y={HEIGHT - 6}
              text-anchor={index === 0 ? 'start' : index === 1 ? 'middle' : 'end'}
            >
              {text}
            </text>
          ),
      )}
      {last.second === undefined ? null : (
        <path class="chart-line dashed" d={line(steps, end, x, ({ second }) => y(second ?? 0))} />
      )}
      <path class="chart-line" d={line(steps, end, x, ({ main }) => y(main))} />
      <Changes steps={steps} end={end} x={x} y={y} />
      <text class="chart-end" x={end + 6} y={y(last.main) + 4}>
        ${digitsOf(last.main)}
      </text>
      {last.second === undefined ? null : (
        <text class="chart-end" x={end + 6} y={Math.max(y(last.second) + 4, y(last.main) + 20)}>
          ${digitsOf(last.second)}
        </text>
      )}
    </svg>
  );
}

export function PriceHistory(props: HistoryProps) {
  const { steps, language, zone } = props;
  const [first] = steps;
  const last = steps.at(-1);
  if (first === undefined || last === undefined) return null;
  return (
    <figure class="history">
      <StepChart {...props} first={first} last={last} size="narrow" />
      <StepChart {...props} first={first} last={last} size="wide" />
      <figcaption class="note">
        {last.second === undefined ? null : (
          <>
            <i class="key-line" /> {WORDS.output[language]} <i class="key-line dashed" />{' '}
            {WORDS.input[language]} ·{' '}
          </>
        )}
        {sinceText(steps.length - 1, dateOf(first.at, language, zone), language)}
      </figcaption>
    </figure>
  );
}
