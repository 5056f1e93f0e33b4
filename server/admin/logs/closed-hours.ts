// Caches the figures of past hours. They change only when a call is settled late (the database was away), so they are read
// once per filter and again after a few minutes; only the last hours are read every time.
import { HOUR_SECONDS } from '#contract/time.ts';
import type { HourFigures } from './hour-figures.ts';
import type { Scope } from './scope.ts';

export interface ClosedHours {
  /** `load` reads a range of whole hours, both ends included, newest first. */
  hours(
    scope: Scope,
    now: number,
    load: (from: number, to: number) => Promise<HourFigures[]>,
  ): Promise<HourFigures[]>;
}

/** Calls have ended and are settled long before this age. */
export const OPEN_HOURS = 3;
const LIFE_MILLISECONDS = 5 * 60_000;
const MOST_FILTERS = 60;

interface Known {
  /** First cached second, and the first second after the cached range. */
  from: number;
  until: number;
  hours: HourFigures[];
  readAt: number;
}

export function createClosedHours(): ClosedHours {
  const filters = new Map<string, Known>();

  function remember(key: string, known: Known): void {
    filters.delete(key);
    filters.set(key, known);
    for (const oldest of filters.keys()) {
      if (filters.size <= MOST_FILTERS) break;
      filters.delete(oldest);
    }
  }

  return {
    async hours(scope, now, load) {
      const { from: asked, to, type: _, ...filter } = scope;
      const from = asked - (asked % HOUR_SECONDS);
      const closedUntil = now - (now % HOUR_SECONDS) - OPEN_HOURS * HOUR_SECONDS;
      if (from >= closedUntil) return await load(from, to);
      const key = JSON.stringify(filter);
      let known = filters.get(key);
      if (!known) {
        const hours = await load(from, closedUntil - 1);
        known = { from, until: closedUntil, hours, readAt: performance.now() };
      } else if (performance.now() - known.readAt > LIFE_MILLISECONDS) {
        // Not awaited: the cached figures are returned meanwhile.
        known = { ...known, readAt: performance.now() };
        const { from: start, until } = known;
        void load(start, until - 1).then(
          (hours) => remember(key, { from: start, until, hours, readAt: performance.now() }),
          () => filters.delete(key),
        );
      }
      if (from < known.from) {
        const older = await load(from, known.from - 1);
        known = { ...known, from, hours: [...known.hours, ...older] };
      }
      if (closedUntil > known.until) {
        const newer = await load(known.until, closedUntil - 1);
        known = { ...known, until: closedUntil, hours: [...newer, ...known.hours] };
      }
      remember(key, known);
      const closed = known.hours.filter(({ hour }) => hour >= from && hour <= to && hour < closedUntil);
      return to < closedUntil ? closed : [...(await load(closedUntil, to)), ...closed];
    },
  };
}
