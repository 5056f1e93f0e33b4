// The dry run: rates the range day by day and keeps what would change. A day is written with the position after it, so a run
// that was cut continues with the day it was in.
import { sql } from 'kysely';
import type { LeftOutReason } from '#contract/money/rerating.ts';
import { DAY_SECONDS, unixSeconds } from '#contract/time.ts';
import { jsonRows } from '#server/money/ledger/corrections/json-rows.ts';
import { forNoKeyUpdate } from '#server/platform/store/locks.ts';
import type { Store } from '#server/platform/store/store.ts';
import { skip, type DayFigures, type LeftOut, type Rating, type Span } from './rating.ts';
import { dayOf, type Run } from './run.ts';

/** False: the signal was aborted first. */
export async function rateRun(store: Store, rating: Rating, run: Run, signal: AbortSignal): Promise<boolean> {
  for (let from = run.position; from < run.to_at;) {
    if (signal.aborted) return false;
    const span = { from, to: Math.min(run.to_at, dayOf(from) + DAY_SECONDS) };
    if (!(await writeDay(store, run.id, span, await rating.rateDay(run, span)))) return false;
    from = span.to;
  }
  await store.db
    .updateTable('rerate_runs')
    .set({
      state: 'ready',
      rated_at: unixSeconds(),
      users: sql<number>`(select count(distinct user_id) from rerate_sums where run_id = ${run.id})`,
    })
    .where('id', '=', run.id)
    .where('state', '=', 'rating')
    .execute();
  return true;
}

const ROWS_PER_INSERT = 2000;

const SUM_COLUMNS = {
  run_id: 'integer',
  user_id: 'integer',
  day: 'integer',
  model_name: 'text',
  calls: 'integer',
  before: 'integer',
  after: 'integer',
} as const;

/** False: another node has written the day, or the run is not rated any more. */
async function writeDay(
  store: Store,
  runId: number,
  { from, to }: Span,
  { examined, credit, debit, leftOut, sums }: DayFigures,
): Promise<boolean> {
  return await store.db.transaction().execute(async (transaction) => {
    const query = transaction
      .selectFrom('rerate_runs')
      .select(['state', 'position', 'left_out'])
      .where('id', '=', runId);
    const run = await query.$call(forNoKeyUpdate(store)).executeTakeFirst();
    if (run?.state !== 'rating' || run.position !== from) return false;
    const merged = JSON.parse(run.left_out) as LeftOut;
    for (const [reason, counted] of Object.entries(leftOut)) skip(merged, reason as LeftOutReason, counted);
    await transaction
      .updateTable('rerate_runs')
      .set({
        position: to,
        left_out: JSON.stringify(merged),
        examined: sql<number>`examined + ${examined}`,
        calls: sql<number>`calls + ${sums.reduce((sum, { calls }) => sum + calls, 0)}`,
        credit: sql<number>`credit + ${credit}`,
        debit: sql<number>`debit + ${debit}`,
      })
      .where('id', '=', runId)
      .execute();
    const names = sql.join(Object.keys(SUM_COLUMNS).map((column) => sql.ref(column)));
    for (let index = 0; index < sums.length; index += ROWS_PER_INSERT) {
      const rows = sums.slice(index, index + ROWS_PER_INSERT).map((sum) => ({ ...sum, run_id: runId }));
      await sql`insert into rerate_sums (${names}) select ${names} from ${jsonRows(store, SUM_COLUMNS, rows)}`.execute(
        transaction,
      );
    }
    return true;
  });
}
