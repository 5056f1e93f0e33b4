// What public pages say of how paid calls went. Tests of channels and probes are none, and faults of the caller do not count.

/** Below these a post is a stub, and a figure says that there were too few calls. */
export const LEAST_CALLS = { post: 50, figure: 200, now: 20 } as const;

export interface Outcome {
  answered: number;
  /** With those that were refused because no channel was left. */
  failed: number;
  refused: number;
}

export interface MeasuredPost extends Outcome {
  /** The first second, and the first one after it. */
  start: number;
  end: number;
  /** False: too few calls to draw it. */
  isEnough: boolean;
  /** Medians: milliseconds, and tokens per second. Undefined: too few calls. */
  firstToken: number | undefined;
  speed: number | undefined;
}

export interface Spread {
  median: number;
  /** What the slowest 5 % take at least, or reach at most. */
  slow: number;
  /** How many calls it was measured of. */
  calls: number;
}

export interface MeasuredFigures extends Outcome {
  /** Part of the calls that were answered, 0 to 1; undefined: too few calls. */
  share: number | undefined;
  /** Milliseconds until the first token. */
  firstToken: Spread | undefined;
  /** Tokens per second after the first one. */
  speed: Spread | undefined;
}

export interface Measured {
  /** Unix seconds; `to` is the first one after the last post. */
  from: number;
  to: number;
  figures: MeasuredFigures;
  posts: MeasuredPost[];
}

/** A day of the site. */
export interface MeasuredDay {
  day: string;
  start: number;
  end: number;
  /** By model; the blank name is the gateway itself. */
  models: ReadonlyMap<string, Outcome>;
}

/** Five minutes. */
export interface MeasuredStep extends Outcome {
  start: number;
}

/** Each answer is at most a minute old and comes from memory where it can. */
export interface Measuring {
  /** A model's last 24 hours by hour, or its last 30 days by the site's day. */
  measuredOf(model: string, span: '24h' | '30d'): Promise<Measured>;
  /** Every model's figures of the last 24 hours. A model without calls is not in it. */
  modelsMeasured(): Promise<ReadonlyMap<string, MeasuredFigures>>;
  /** These models together in the last 24 hours. */
  siteMeasured(models: Iterable<string>): Promise<MeasuredFigures>;
  /** The last 90 days of the site, today last. */
  days(): Promise<readonly MeasuredDay[]>;
  /** Of each model in the last five minutes. */
  now(): Promise<ReadonlyMap<string, Outcome>>;
  /** These models together by steps of five minutes, the running one last. */
  steps(models: readonly string[], count: number): Promise<MeasuredStep[]>;
}

export const callsOf = ({ answered, failed }: Outcome): number => answered + failed;

/** The part that was answered; undefined: fewer calls than that. */
export function answeredShare(outcome: Outcome, least: number): number | undefined {
  const calls = callsOf(outcome);
  return calls < least ? undefined : outcome.answered / calls;
}
