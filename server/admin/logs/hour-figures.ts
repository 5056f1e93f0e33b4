// Counts and sums of one hour of the log, and arithmetic on lists of them.

export interface HourFigures {
  hour: number;
  consumed: number;
  errors: number;
  /** Rows of every other type. */
  others: number;
  quota: number;
  promptTokens: number;
  completionTokens: number;
}

/** The sum of both, newest first. */
export function merged(left: readonly HourFigures[], right: readonly HourFigures[]): HourFigures[] {
  const byHour = new Map(left.map((figures) => [figures.hour, figures]));
  for (const figures of right) {
    const known = byHour.get(figures.hour);
    byHour.set(figures.hour, known ? sum(known, figures) : figures);
  }
  return [...byHour.values()].toSorted((first, second) => second.hour - first.hour);
}

function sum(left: HourFigures, right: HourFigures): HourFigures {
  return {
    hour: left.hour,
    consumed: left.consumed + right.consumed,
    errors: left.errors + right.errors,
    others: left.others + right.others,
    quota: left.quota + right.quota,
    promptTokens: left.promptTokens + right.promptTokens,
    completionTokens: left.completionTokens + right.completionTokens,
  };
}

/** The difference; events are not counted in either. */
export function difference(hour: HourFigures, taken: HourFigures): HourFigures {
  const less = (name: Exclude<keyof HourFigures, 'hour' | 'others'>) => Math.max(0, hour[name] - taken[name]);
  return {
    hour: hour.hour,
    consumed: less('consumed'),
    errors: less('errors'),
    others: 0,
    quota: less('quota'),
    promptTokens: less('promptTokens'),
    completionTokens: less('completionTokens'),
  };
}
