// Sums the charges of days that are over. The hourly figures stay the source: a day is summed again while settlements may
// still come late, and days that are not summed are read from the hourly figures.
import { sql } from 'kysely';
import { nowSeconds } from '#server/admin/clock.ts';
import type { NewRow } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import type { OrganizationDependencies } from './dependencies.ts';
import { DAY_SECONDS, HOUR_SECONDS, positionOf } from './fold.ts';

/** Calls have ended and are settled long before a day is over for so long. */
const CLOSED_AFTER_SECONDS = 3 * HOUR_SECONDS;
/** Days that are summed again, in case a settlement was late. */
const AGAIN_DAYS = 2;
const ROWS_PER_STATEMENT = 500;

const startOfDay = (time: number): number => time - (time % DAY_SECONDS);

/** Stops when `pause` gives false. Returns how many days were summed. */
export async function sumCostDays(
  dependencies: Pick<OrganizationDependencies, 'store' | 'now'>,
  pause: () => Promise<boolean> = async () => true,
): Promise<number> {
  const { store } = dependencies;
  const end = startOfDay(nowSeconds(dependencies) - CLOSED_AFTER_SECONDS);
  let position = await positionOf(store, 'costs');
  let count = 0;
  let day = await nextDay(store, Math.max(0, position - AGAIN_DAYS * DAY_SECONDS), end);
  while (day !== undefined) {
    if (!(await sumDay(store, day, pause))) return count;
    count += 1;
    const next = day + DAY_SECONDS;
    if (next > position) {
      if (!(await moveOn(store, position, next))) return count;
      position = next;
    }
    day = await nextDay(store, next, end);
  }
  return count;
}

/** For past charges that were brought in: every day is summed again, and read from the hourly figures until then. */
export async function sumCostDaysAgain({ db }: Pick<Store, 'db'>): Promise<void> {
  await db.updateTable('usage_positions').set({ position: 0 }).where('name', '=', 'costs').execute();
}

/** The next day with charges, from this one on and before `end`. */
async function nextDay({ db }: Store, from: number, end: number): Promise<number | undefined> {
  const { rows } = await sql<{ hour: number | null }>`
    select min(hour) as hour from usage_hours where hour >= ${from} and hour < ${end}`.execute(db);
  const hour = rows[0]?.hour;
  return hour === null || hour === undefined ? undefined : startOfDay(hour);
}

/** Read by a reader and written in pieces: a day of many users must not hold up the charges of calls. */
async function sumDay({ db }: Store, day: number, pause: () => Promise<boolean>): Promise<boolean> {
  const { rows } = await sql<NewRow<'cost_days'>>`
    select cast(${day} as bigint) as day, user_id, token_id, model_name, cast(sum(quota) as bigint) as quota
    from usage_hours where hour >= ${day} and hour < ${day + DAY_SECONDS}
    group by user_id, token_id, model_name`.execute(db);
  for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT) {
    await db
      .insertInto('cost_days')
      .values(rows.slice(at, at + ROWS_PER_STATEMENT))
      .onConflict((conflict) =>
        conflict
          .columns(['day', 'user_id', 'token_id', 'model_name'])
          .doUpdateSet({ quota: sql`excluded.quota` }),
      )
      .execute();
    if (!(await pause())) return false;
  }
  return true;
}

/** False when it was set back meanwhile: then the next run begins there. */
async function moveOn({ db }: Store, from: number, position: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('usage_positions')
    .set({ position })
    .where('name', '=', 'costs')
    .where('position', '=', from)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
