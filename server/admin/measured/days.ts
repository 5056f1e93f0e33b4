// The outcome of each model on the site's days. A day that is over is summed once more, from its hours, so that 90 of them are read
// quickly after a start; readers take days that are not summed from the hours. Days that are over for a day are read once.
import { sql } from 'kysely';
import type { MeasuredDay, Outcome } from '#contract/admin/measured.ts';
import { addDays, daysFrom, daySpan, siteDay, type DaySpan } from '#contract/site-day.ts';
import { DAY_SECONDS, HOUR_SECONDS } from '#contract/time.ts';
import type { Pause } from '#server/money/sums/engine.ts';
import type { Store } from '#server/platform/store/store.ts';
import { writeCells } from './cells.ts';
import { readModels, type CountRow } from './read.ts';

export const DAYS = 90;
/** Calls of a day are counted long before it is over for so long. */
const CLOSED_AFTER_SECONDS = 3 * HOUR_SECONDS;
/** The newest days are summed again, in case a settlement was late. */
const AGAIN_SECONDS = 2 * DAY_SECONDS;
const COUNTS = ['answered', 'failed', 'refused'];

/** An hour belongs to the day in which it begins, as in every sum by the hour. */
const readHours = (store: Pick<Store, 'db'>, { start, end }: DaySpan): Promise<Map<string, CountRow>> =>
  readModels(store, { seconds: HOUR_SECONDS, from: start, to: end, withSpeeds: false });

const spansUntil = (zone: string, now: number): DaySpan[] => {
  const today = siteDay(zone, now);
  return daysFrom(addDays(today, 1 - DAYS), today).map((day) => daySpan(zone, day));
};

/** Sums days that are over. Idempotent: sums replace. After a change of the zone its days are summed anew. Returns how many. */
export async function sumDays(
  { store, zone, now }: { store: Pick<Store, 'db'>; zone: string; now: number },
  pause: Pause,
): Promise<number> {
  const known = await readSummedDays(store);
  let count = 0;
  for (const span of spansUntil(zone, now)) {
    if (span.end + CLOSED_AFTER_SECONDS > now) break;
    if (known.has(span.start) && span.end + AGAIN_SECONDS <= now) continue;
    if (await sumDay(store, span)) count += 1;
    if (!(await pause())) break;
  }
  return count;
}

async function readSummedDays({ db }: Pick<Store, 'db'>): Promise<Set<number>> {
  const rows = await db
    .selectFrom('measured_cells')
    .select('start')
    .distinct()
    .where('seconds', '=', DAY_SECONDS)
    .execute();
  return new Set(rows.map(({ start }) => start));
}

async function sumDay(store: Pick<Store, 'db'>, span: DaySpan): Promise<boolean> {
  const cells = [...(await readHours(store, span))].map(([model_name, { answered, failed, refused }]) => ({
    seconds: DAY_SECONDS,
    start: span.start,
    model_name,
    counts: { answered, failed: failed - refused, refused },
  }));
  if (cells.length === 0) return false;
  await store.db
    .transaction()
    .execute((transaction) =>
      writeCells(
        transaction,
        cells,
        (name) => sql`${sql.ref(name)} = ${sql.ref(`excluded.${name}`)}`,
        COUNTS,
      ),
    );
  return true;
}

export function createDays(store: Pick<Store, 'db'>): (zone: string, now: number) => Promise<MeasuredDay[]> {
  let past = new Map<string, MeasuredDay>();
  return async (zone, now) => {
    const today = siteDay(zone, now);
    const next = new Map<string, MeasuredDay>();
    const days: MeasuredDay[] = [];
    const summed = past.size === 0 ? await readSummed(store, now) : undefined;
    for (const day of daysFrom(addDays(today, 1 - DAYS), today)) {
      const key = `${zone} ${day}`;
      const measured = past.get(key) ?? (await readDay(store, daySpan(zone, day), day, summed));
      if (measured.end + DAY_SECONDS <= now) next.set(key, measured);
      days.push(measured);
    }
    past = next;
    return days;
  };
}

async function readDay(
  store: Pick<Store, 'db'>,
  span: DaySpan,
  day: string,
  summed: ReadonlyMap<number, ReadonlyMap<string, Outcome>> | undefined,
): Promise<MeasuredDay> {
  const { start, end } = span;
  return { day, start, end, models: summed?.get(start) ?? (await readHours(store, span)) };
}

/** Days that are read at once: after a start ninety of them are read, and calls go on between two statements. */
const DAYS_AT_ONCE = 15;

/** Days by their first second. A cell of a day is one row: nothing is summed here. */
async function readSummed(
  { db }: Pick<Store, 'db'>,
  now: number,
): Promise<Map<number, Map<string, Outcome>>> {
  const days = new Map<number, Map<string, Outcome>>();
  for (let from = now - (DAYS + 1) * DAY_SECONDS; from < now; from += DAYS_AT_ONCE * DAY_SECONDS) {
    const { rows } = await sql<Outcome & { start: number; model_name: string }>`
      select start, model_name, answered, failed + refused as failed, refused from measured_cells
      where seconds = ${sql.lit(DAY_SECONDS)} and start >= ${from}
        and start < ${from + DAYS_AT_ONCE * DAY_SECONDS}`.execute(db);
    for (const { start, model_name, answered, failed, refused } of rows) {
      const models = days.get(start) ?? new Map<string, Outcome>();
      days.set(start, models);
      models.set(model_name, { answered, failed, refused });
    }
  }
  return days;
}
