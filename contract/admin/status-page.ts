// What the status page says, for visitors: no channel, no supplier, no user, and only models that everybody may call.
import type { Incident } from './incidents.ts';
import type { MeasuredStep, Outcome } from './measured.ts';

/** `off`: no channel is left. `part`: some calls are not answered. */
export type StatusState = 'working' | 'part' | 'off';

export interface StatusDay extends Outcome {
  day: string;
}

/** A model, or several together. */
export interface StatusRow {
  name: string;
  state: StatusState;
  /** The 90 days together. */
  whole: Outcome;
  /** The oldest first, today last. */
  days: readonly StatusDay[];
}

export interface StatusFamily extends StatusRow {
  /** In the order of the price list. */
  models: readonly StatusRow[];
}

export interface TopUpTimes {
  count: number;
  /** Seconds from the order to the balance. */
  median: number;
  slowest: number;
}

export interface StatusFacts {
  /** Unix seconds: when it was made. */
  at: number;
  zone: string;
  /** The last five minutes. */
  now: Outcome;
  /** The last hour by five minutes. */
  steps: readonly MeasuredStep[];
  /** Milliseconds until the first token in the last 24 hours; undefined: too few calls. */
  firstToken: { median: number; calls: number } | undefined;
  /** Of the last 7 days; undefined: too few, or nothing is sold online. */
  topUps: TopUpTimes | undefined;
  families: readonly StatusFamily[];
  /** Calls that the gateway took; it refuses only when it cannot work. */
  gateway: Omit<StatusRow, 'name'>;
  models: number;
  /** The newest first. */
  incidents: readonly Incident[];
  /** Answered calls are logged: without it nothing is measured. */
  isMeasured: boolean;
}
