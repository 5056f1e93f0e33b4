// The audited calls of re-rating. The ranges have no calls: the job that books in the background finds nothing.
import { fingerprintOf } from '#server/money/rerating/rating.ts';
import { byRoot, type Scenario, type Stage } from './audit-stage.ts';

const range = { from_at: 3600, to_at: 7200 };
const reason = 'the price was wrong';

const versionOf = async ({ app }: Stage): Promise<number> => {
  const row = await app.store.db
    .selectFrom('price_versions')
    .select('id')
    .orderBy('id')
    .limit(1)
    .executeTakeFirstOrThrow();
  return row.id;
};

/** One run books at a time; that of the scenario before may not have ended. */
async function bookingEnded({ app }: Stage): Promise<void> {
  for (;;) {
    const run = await app.store.db
      .selectFrom('rerate_runs')
      .select('id')
      .where('state', '=', 'applying')
      .executeTakeFirst();
    if (run === undefined) return;
    await Bun.sleep(20);
  }
}

async function makeRun(stage: Stage, state: 'ready' | 'applied'): Promise<number> {
  await bookingEnded(stage);
  const { db } = stage.app.store;
  const { id } = await db
    .insertInto('rerate_runs')
    .values({
      ...range,
      created_at: 1,
      created_by: stage.root.id,
      version_id: await versionOf(stage),
      reason,
      state,
      position: range.to_at,
      fingerprint: await fingerprintOf(stage.app.store, range),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export const RERATING_SCENARIOS: Record<string, Scenario> = {
  'rerating.create': {
    action: 'rerating.create',
    prepare: byRoot(async (stage) => ({
      path: '/api/rerating/',
      body: { ...range, version_id: await versionOf(stage), reason },
    })),
  },
  'rerating.apply': {
    action: 'rerating.apply',
    prepare: byRoot(async (stage) => ({
      path: `/api/rerating/${await makeRun(stage, 'ready')}/apply`,
      body: { calls: 0, credit: 0, debit: 0 },
    })),
  },
  'rerating.undo': {
    action: 'rerating.undo',
    prepare: byRoot(async (stage) => ({
      path: `/api/rerating/${await makeRun(stage, 'applied')}/undo`,
      body: { reason },
    })),
  },
  'rerating.discard': {
    action: 'rerating.discard',
    prepare: byRoot(async (stage) => {
      const run_id = await makeRun(stage, 'ready');
      const sum = { run_id, user_id: 1, day: 0, model_name: 'm', calls: 1, before: 2, after: 1 };
      await stage.app.store.db.insertInto('rerate_sums').values(sum).execute();
      return { path: `/api/rerating/${run_id}`, method: 'DELETE' };
    }),
  },
};
