// The charges of days that are over. The hourly figures stay the source: days that are not summed are read from them.
import { sql } from 'kysely';
import { DAY_SECONDS, HOUR_SECONDS } from '#contract/time.ts';
import { inPieces, type Pause, type PeriodSum } from '#server/money/sums/engine.ts';
import type { NewRow } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';

const ROWS_PER_STATEMENT = 500;

export const costDays: PeriodSum = {
  name: 'costs',
  periodSeconds: DAY_SECONDS,
  closedAfterSeconds: 3 * HOUR_SECONDS,
  againSeconds: 2 * DAY_SECONDS,
  sum: sumDay,
};

/** Read by a reader and written in pieces: a day of many users must not hold up the charges of calls. */
async function sumDay({ db }: Store, day: number, pause: Pause): Promise<boolean> {
  const { rows } = await sql<NewRow<'cost_days'>>`
    select cast(${day} as bigint) as day, user_id, token_id, model_name, cast(sum(quota) as bigint) as quota
    from usage_hours where hour >= ${day} and hour < ${day + DAY_SECONDS}
    group by user_id, token_id, model_name`.execute(db);
  const write = (piece: NewRow<'cost_days'>[]) =>
    db
      .insertInto('cost_days')
      .values(piece)
      .onConflict((conflict) =>
        conflict
          .columns(['day', 'user_id', 'token_id', 'model_name'])
          .doUpdateSet({ quota: sql`excluded.quota` }),
      )
      .execute();
  return await inPieces(rows, ROWS_PER_STATEMENT, write, pause);
}
