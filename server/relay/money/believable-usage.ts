// Believes an upstream's usage only within reason: pure arithmetic on a report and its bounds (asked-for.ts makes them).
//
// An upstream may lie, or be broken; an honest one may have unusual numbers. So a count is lowered only where no honest
// upstream could have it, and then to the largest amount that one could:
// - the prompt (all its classes together) to what the request and the model can hold;
// - the answer (text and audio) to what was asked for, what the model can say, or what was delivered;
// - reasoning, which some upstreams count beside the limit, to what is left of the answer and a further allowance;
// - what only the total has may be such reasoning; beyond it the total contradicts its parts, and only they are charged;
// - searches to what was asked for.
// The excess is taken from the largest class first: the absurd number is the large one, and the small ones stay as they are.
import type { DoubtedCount, UsageDoubt } from '#contract/money/usage-doubt.ts';
import type { TokenClass } from '#contract/money/token-classes.ts';

/** The most that an honest upstream could report; all are whole numbers. */
export interface UsageBounds {
  /** All classes of the prompt. */
  readonly input: number;
  /** Text and audio of the answer. */
  readonly output: number;
  /** The answer with its reasoning. */
  readonly answer: number;
  readonly searches: number;
}

export interface ReportedCounts extends Readonly<Record<TokenClass, number>> {
  /** The part of `output` that only the total has. */
  readonly inTotalOnly?: number;
  readonly webSearches?: number;
}

export interface Believed<T> {
  /** The report itself when all of it is believed. */
  readonly usage: T;
  readonly doubts: readonly UsageDoubt[];
}

const PROMPT_CLASSES = [
  'input',
  'cacheRead',
  'cacheWrite5m',
  'cacheWrite1h',
  'imageInput',
  'audioInput',
] as const satisfies readonly TokenClass[];
const SPOKEN_CLASSES = ['output', 'audioOutput'] as const satisfies readonly TokenClass[];

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

const NONE: readonly UsageDoubt[] = [];

export function believe<T extends ReportedCounts>(report: T, bounds: UsageBounds): Believed<T> {
  if (isWithin(report, bounds)) return { usage: report, doubts: NONE };
  const doubts: UsageDoubt[] = [];
  const note = (count: DoubtedCount, reported: number, charged: number): void => {
    if (charged < reported) doubts.push({ count, reported, charged });
  };
  const usage: Mutable<ReportedCounts> = { ...report };
  const input = sumOf(report, PROMPT_CLASSES);
  lower(usage, PROMPT_CLASSES, bounds.input);
  note('input', input, sumOf(usage, PROMPT_CLASSES));

  if (!isAnswerWithin(report, bounds)) {
    const beside = besideOf(report);
    usage.output = report.output - beside;
    const answer = answerOf(usage);
    note('total', input + answer + beside, input + answer);
    lower(usage, SPOKEN_CLASSES, bounds.output);
    usage.reasoning = Math.min(usage.reasoning, Math.max(0, bounds.answer - sumOf(usage, SPOKEN_CLASSES)));
    note('output', answer, answerOf(usage));
  }

  const searches = report.webSearches ?? 0;
  if (searches > bounds.searches) usage.webSearches = bounds.searches;
  note('searches', searches, usage.webSearches ?? 0);
  return { usage: { ...report, ...usage }, doubts };
}

export function isWithin(report: ReportedCounts, bounds: UsageBounds): boolean {
  return (
    sumOf(report, PROMPT_CLASSES) <= bounds.input &&
    isAnswerWithin(report, bounds) &&
    (report.webSearches ?? 0) <= bounds.searches
  );
}

/** What only the total has is reasoning that no class names. */
const isAnswerWithin = (report: ReportedCounts, bounds: UsageBounds): boolean =>
  sumOf(report, SPOKEN_CLASSES) - besideOf(report) <= bounds.output && answerOf(report) <= bounds.answer;

const besideOf = (report: ReportedCounts): number => Math.min(report.inTotalOnly ?? 0, report.output);

const answerOf = (counts: ReportedCounts): number => sumOf(counts, SPOKEN_CLASSES) + counts.reasoning;

function sumOf(counts: ReportedCounts, classes: readonly TokenClass[]): number {
  let sum = 0;
  for (const name of classes) sum += counts[name];
  return sum;
}

/** Takes what is above `most` from the largest classes. */
function lower(counts: Mutable<ReportedCounts>, classes: readonly TokenClass[], most: number): void {
  let excess = sumOf(counts, classes) - most;
  for (const name of classes.toSorted((left, right) => counts[right] - counts[left])) {
    if (excess <= 0) return;
    const taken = Math.min(counts[name], excess);
    counts[name] -= taken;
    excess -= taken;
  }
}

/** The bounds of several requests together. */
export function addBounds(left: UsageBounds, right: UsageBounds): UsageBounds {
  return combined(left, right, (one, other) => one + other);
}

/** The bounds of one request that may be either. */
export function widerBounds(left: UsageBounds, right: UsageBounds): UsageBounds {
  return combined(left, right, Math.max);
}

export const NO_BOUNDS: UsageBounds = { input: 0, output: 0, answer: 0, searches: 0 };

function combined(
  left: UsageBounds,
  right: UsageBounds,
  join: (one: number, other: number) => number,
): UsageBounds {
  return {
    input: join(left.input, right.input),
    output: join(left.output, right.output),
    answer: join(left.answer, right.answer),
    searches: join(left.searches, right.searches),
  };
}
