// What the job does: continues the run that is rated or booked, until nothing is open.
import { sql } from 'kysely';
import { HOUR_SECONDS, unixSeconds } from '#contract/time.ts';
import type { Store } from '#server/platform/store/store.ts';
import { applyRun, type BookingParts } from './apply.ts';
import { rateRun } from './dry-run.ts';
import { notifyUsers } from './notify.ts';
import type { Rating } from './rating.ts';
import { type Run } from './run.ts';
import { undoRun } from './undo.ts';

export interface ReratingParts extends BookingParts {
  /** Called when there is something to do. */
  openRating(): Promise<Rating>;
  /** Sums these hours again, where sums of them are kept. */
  sumHours(hours: readonly number[], signal: AbortSignal): Promise<void>;
}

/** A killed run goes on where it was: every step finds out from the tables what is done. */
export async function continueRuns(parts: ReratingParts, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const run = await nextRun(parts.store);
    if (run === undefined) return;
    const rating = await parts.openRating();
    // A day with many calls takes minutes: a node that stops does not wait for it.
    let closing: Promise<void> | undefined;
    const close = () => (closing ??= rating.close());
    const stop = () => void close();
    signal.addEventListener('abort', stop, { once: true });
    try {
      const isDone =
        run.state === 'rating'
          ? await rateRun(parts.store, rating, run, signal)
          : await book(parts, rating, run, signal);
      if (!isDone) return;
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      signal.removeEventListener('abort', stop);
      await close();
    }
  }
}

async function nextRun({ db }: Store): Promise<Run | undefined> {
  return await db
    .selectFrom('rerate_runs')
    .selectAll()
    .where('state', 'in', ['applying', 'rating'])
    // Booking before rating: a dry run of another range must not hold it up.
    .orderBy('state')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
}

async function book(parts: ReratingParts, rating: Rating, run: Run, signal: AbortSignal): Promise<boolean> {
  const { store } = parts;
  const isBooked =
    run.kind === 'undo' ? await undoRun(parts, run, signal) : await applyRun(parts, rating, run, signal);
  if (!isBooked) return false;
  await parts.sumHours(await readCorrectedHours(store, run.id), signal);
  await notifyUsers(store, run);
  if (signal.aborted) return false;
  await finish(store, run);
  return true;
}

async function readCorrectedHours({ db }: Store, runId: number): Promise<number[]> {
  const { rows } = await sql<{ hour: number }>`
    select distinct created_at - created_at % ${sql.lit(HOUR_SECONDS)} as hour from rerate_calls
    where run_id = ${runId} order by 1`.execute(db);
  return rows.map(({ hour }) => hour);
}

async function finish({ db }: Store, run: Run): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await transaction
      .updateTable('rerate_runs')
      .set({ state: 'applied' })
      .where('id', '=', run.id)
      .where('state', '=', 'applying')
      .execute();
    if (run.kind !== 'undo') return;
    await transaction
      .updateTable('rerate_runs')
      .set({ state: 'undone', undone_at: unixSeconds(), undone_by: run.created_by })
      .where('id', '=', run.undoes_id)
      .where('state', '=', 'applied')
      .execute();
  });
}
