// The outcome of each model on the site's days. Days that are over for a day are read once: the rows of their calls have been
// counted long since.
import type { MeasuredDay } from '#contract/admin/measured.ts';
import { addDays, daysFrom, daySpan, siteDay } from '#contract/site-day.ts';
import type { Store } from '#server/platform/store/store.ts';
import { HOUR_SECONDS } from './cells.ts';
import { readModels } from './read.ts';

const DAY_SECONDS = 86_400;

export function createDays(
  store: Pick<Store, 'db'>,
): (zone: string, now: number, count: number) => Promise<MeasuredDay[]> {
  let past = new Map<string, MeasuredDay>();
  return async (zone, now, count) => {
    const today = siteDay(zone, now);
    const next = new Map<string, MeasuredDay>();
    const days: MeasuredDay[] = [];
    for (const day of daysFrom(addDays(today, 1 - count), today)) {
      const key = `${zone} ${day}`;
      const measured = past.get(key) ?? (await readDay(store, zone, day));
      if (measured.end + DAY_SECONDS <= now) next.set(key, measured);
      days.push(measured);
    }
    past = next;
    return days;
  };
}

/** An hour belongs to the day in which it begins, as in every sum by the hour. */
async function readDay(store: Pick<Store, 'db'>, zone: string, day: string): Promise<MeasuredDay> {
  const { start, end } = daySpan(zone, day);
  const found = await readModels(store, { seconds: HOUR_SECONDS, from: start, to: end, withSpeeds: false });
  return { day, start, end, models: found };
}
