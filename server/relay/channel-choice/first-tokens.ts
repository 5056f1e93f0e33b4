// After how long the first token of a model and channel is later than usual: from the last times that this node measured. Only calls that
// may be hedged are measured (ADR 121).
import type { SettingsReader } from '#server/platform/settings/settings.ts';

export interface FirstTokens {
  /** The first token came after so long, or had not come when the attempt was ended. */
  note(channelId: number, model: string, milliseconds: number): void;
  /** Milliseconds; undefined: too few were measured. */
  lateAfter(channelId: number, model: string): number | undefined;
}

const LEAST_TIMES = 20;
const MOST_TIMES = 200;
const RECKON_EVERY = 10;
/**
 * Where one in twenty is slow, the 95th percentile is now one of those, now the slowest of the others: what takes so many times the median
 * is late, and what takes less than so many is not.
 */
const MOST_MEDIANS = 3;
const LEAST_MEDIANS = 1.5;
/** Callers choose suffixes of names, so that there could be any number. */
const MOST_NAMES = 5000;

interface Times {
  readonly last: number[];
  next: number;
  sinceReckoned: number;
  usual: number | undefined;
}

export function createFirstTokens(settings: SettingsReader): FirstTokens {
  const known = new Map<string, Times>();
  const nameOf = (channelId: number, model: string): string => `${channelId} ${model}`;
  return {
    note(channelId, model, milliseconds) {
      const name = nameOf(channelId, model);
      let times = known.get(name);
      if (times === undefined) {
        if (known.size >= MOST_NAMES) known.clear();
        known.set(name, (times = { last: [], next: 0, sinceReckoned: 0, usual: undefined }));
      }
      times.last[times.next] = milliseconds;
      times.next = (times.next + 1) % MOST_TIMES;
      times.sinceReckoned += 1;
      const isDue = times.usual === undefined || times.sinceReckoned >= RECKON_EVERY;
      if (times.last.length < LEAST_TIMES || !isDue) return;
      times.sinceReckoned = 0;
      times.usual = usualOf(times.last);
    },
    lateAfter(channelId, model) {
      const usual = known.get(nameOf(channelId, model))?.usual;
      if (usual === undefined) return undefined;
      const { HedgeLeastMilliseconds, HedgeMostMilliseconds } = settings.current;
      return Math.max(HedgeLeastMilliseconds, Math.min(HedgeMostMilliseconds, usual));
    },
  };
}

function usualOf(times: readonly number[]): number {
  const sorted = times.toSorted((left, right) => left - right);
  const at = (share: number): number => sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
  const median = at(0.5);
  return Math.max(median * LEAST_MEDIANS, Math.min(at(0.95), median * MOST_MEDIANS));
}
