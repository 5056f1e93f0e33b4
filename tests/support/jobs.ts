// Jobs of an application that run no more by themselves, for tests that do a job's work with their own hands.
import { DAY_SECONDS, unixSeconds } from '#contract/time.ts';
import type { Store } from '#server/platform/store/store.ts';

/**
 * From now on no turn of the cluster job comes. On a busy machine one comes while a test runs the same work, takes a row from it, and
 * the test looks before the job is done with it. Waits for the turn that runs now.
 */
export async function restJob({ db }: Pick<Store, 'db'>, name: string): Promise<void> {
  const later = (unixSeconds() + 365 * DAY_SECONDS) * 1000;
  const rest = { next_run_ms: later, finished_ms: later };
  for (;;) {
    const rested = await db
      .insertInto('jobs')
      .values({ name, node_id: '', ...rest })
      .onConflict((conflict) =>
        conflict.columns(['name', 'node_id']).doUpdateSet(rest).where('jobs.lease_until_ms', '=', 0),
      )
      .returning('name')
      .executeTakeFirst();
    if (rested !== undefined) return;
    await Bun.sleep(20);
  }
}
