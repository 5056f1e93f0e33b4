// Replays a day's load against the model, minute by minute. Work that a part cannot do in its minute waits; a part that is
// further behind than its patience is broken, and a part without patience (memory, connections, disk) as soon as it is full.
import { partsAt, type Footprint, type Part, type Setup, type Traffic } from './model.ts';

/** Shares of the busiest hour, from midnight on: an office day of one region with a tail in the evening. */
export const OFFICE_DAY: readonly number[] = [
  0.22, 0.16, 0.13, 0.11, 0.12, 0.16, 0.27, 0.45, 0.7, 0.9, 0.98, 0.95, 0.82, 0.9, 1, 0.98, 0.92, 0.82, 0.68,
  0.6, 0.55, 0.48, 0.39, 0.3,
];

const MINUTES = 1440;

export interface Day {
  curve: readonly number[];
  /** Calls a second in the busiest hour. */
  peak: number;
  footprint: Footprint;
  traffic: Traffic;
}

export interface Break {
  part: Part;
  /** Of the day. */
  minute: number;
}

export interface DayResult {
  callsPerDay: number;
  /** The first part that broke; undefined when all held. */
  first: Break | undefined;
  /** The part nearest to its limit in the course of the day. */
  tightest: Part;
}

/** Calls a second in each minute, between the hours of the curve. */
export function callsByMinute(curve: readonly number[], peak: number): number[] {
  if (curve.length !== 24 || !curve.every((share) => share >= 0 && share <= 1))
    throw new Error('a curve has 24 shares of the busiest hour, from 0 to 1');
  return Array.from({ length: MINUTES }, (_, minute) => {
    const hour = Math.floor(minute / 60);
    const [from = 0, to = 0] = [curve[hour], curve[(hour + 1) % 24]];
    return peak * (from + ((to - from) * (minute % 60)) / 60);
  });
}

export function replayDay(setup: Setup, { curve, peak, footprint, traffic }: Day): DayResult {
  const minutes = callsByMinute(curve, peak);
  const callsPerDay = minutes.reduce((sum, calls) => sum + calls * 60, 0);
  const behind = new Map<string, number>();
  let first: Break | undefined;
  let tightest: Part | undefined;
  for (const [minute, callsPerSecond] of minutes.entries()) {
    const parts = partsAt({ callsPerSecond, callsPerDay }, { setup, footprint, traffic });
    for (const part of parts) {
      if (part.share > (tightest?.share ?? -1)) tightest = part;
      const waiting = Math.max(0, (behind.get(part.name.en) ?? 0) + part.share - 1);
      behind.set(part.name.en, waiting);
      const isBroken = part.share > 1 && waiting > part.patienceMinutes;
      // Of parts that break in one minute the one with the larger share is named.
      const isEarlier = first === undefined || (first.minute === minute && first.part.share < part.share);
      if (isBroken && isEarlier) first = { part, minute };
    }
  }
  if (tightest === undefined) throw new Error('the model has no parts');
  return { callsPerDay, first, tightest };
}

export interface Growth {
  callsPerDay: number;
  /** What broke, in this order, each with the setup that it broke. */
  steps: { setup: Setup; broke: Break }[];
  /** The setup that holds. */
  setup: Setup;
  tightest: Part;
}

/** Replays the day, applies the remedy of the first part that breaks, and so on until a setup holds. */
export function growUntilItHolds(start: Setup, day: Day): Growth {
  const steps: Growth['steps'] = [];
  for (let setup = start; steps.length < 500;) {
    const { first, callsPerDay, tightest } = replayDay(setup, day);
    if (first === undefined) return { callsPerDay, steps, setup, tightest };
    steps.push({ setup, broke: first });
    setup = first.part.grow(setup);
  }
  throw new Error(`no setup holds ${day.peak} calls a second`);
}

export const clockOf = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
