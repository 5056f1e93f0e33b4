// The figures of a run as the operator reads them, by user, model and day, of a run and of one that undoes it.
import { expect, test } from 'bun:test';
import { detailOf, viewsOf } from '#server/admin/rerating/view.ts';
import type { NewRow } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { forEachDatabase } from '#tests/support/databases.ts';

const DAY = 86_400;

async function addRun({ db }: Store, more: Partial<NewRow<'rerate_runs'>> = {}) {
  const values = {
    created_at: 1,
    created_by: 0,
    from_at: 0,
    to_at: 2 * DAY,
    models: '["m"]',
    groups: '[]',
    left_out: '{"task":{"calls":2,"quota":9}}',
    ...more,
  };
  return await db.insertInto('rerate_runs').values(values).returningAll().executeTakeFirstOrThrow();
}

forEachDatabase((_label, open) => {
  test('what changes most is first, whichever way it changes, and an undo has the same figures the other way', async () => {
    const store = await open();
    const { db } = store;
    const names = { username: 'ann', aff_code: 'ann' };
    const { id: ann } = await db.insertInto('users').values(names).returning('id').executeTakeFirstOrThrow();
    const gone = ann + 100;
    const run = await addRun(store, { created_by: ann, state: 'undone' });
    const undo = await addRun(store, { kind: 'undo', undoes_id: run.id, state: 'applied' });
    const other = await addRun(store);
    const sum = (
      run_id: number,
      user_id: number,
      day: number,
      model_name: string,
      before: number,
      after: number,
    ) =>
      db
        .insertInto('rerate_sums')
        .values({ run_id, user_id, day, model_name, calls: 1, before, after })
        .execute();
    await sum(run.id, ann, 0, 'dear', 100, 130);
    await sum(run.id, ann, DAY, 'dear', 10, 30);
    await sum(run.id, gone, DAY, 'cheap', 500, 410);
    await sum(other.id, ann, 0, 'dear', 1, 1000);
    const part = (run_id: number, user_id: number, day: number, more: Partial<NewRow<'rerate_parts'>>) =>
      db
        .insertInto('rerate_parts')
        .values({
          run_id,
          user_id,
          day,
          part: 0,
          idem: `${run_id}:${user_id}:${day}`,
          created_at: 1,
          ...more,
        })
        .execute();
    await part(run.id, ann, 0, { last: 1, calls: 1, wallet: 20, plan: 7, suspense: 3 });
    await part(run.id, ann, DAY, { last: 0, calls: 1, wallet: 5 });
    await part(run.id, gone, DAY, { last: 1, state: 'changed' });

    const detail = await detailOf(store, run.id);
    expect(detail).toMatchObject({
      created_by_name: 'ann',
      undone_by_run: undo.id,
      models: ['m'],
      groups: [],
      left_out: { task: { calls: 2, quota: 9 } },
      by_user: [
        { user_id: gone, username: '', calls: 1, before: 500, after: 410 },
        { user_id: ann, username: 'ann', calls: 2, before: 110, after: 160 },
      ],
      by_model: [
        { model_name: 'cheap', calls: 1, before: 500, after: 410 },
        { model_name: 'dear', calls: 2, before: 110, after: 160 },
      ],
      by_day: [
        { day: 0, calls: 1, before: 100, after: 130 },
        { day: DAY, calls: 2, before: 510, after: 440 },
      ],
      // Two users and days are booked to their end, one of them without notes, of three.
      notes: { total: 3, done: 2, changed: 1 },
      booked: { wallet: 25, plan: 7, suspense: 3 },
    });
    const back = await detailOf(store, undo.id);
    expect(back).toMatchObject({
      undone_by_run: 0,
      created_by_name: '',
      by_user: [
        { user_id: gone, before: 410, after: 500 },
        { user_id: ann, before: 160, after: 110 },
      ],
      by_day: [
        { day: 0, before: 130, after: 100 },
        { day: DAY, before: 440, after: 510 },
      ],
      notes: { total: 3, done: 0, changed: 0 },
      booked: { wallet: 0, plan: 0, suspense: 0 },
    });
    const [shown] = await viewsOf(store, [run]);
    expect(Object.keys(shown ?? {})).not.toContain('fingerprint');
  });
});
