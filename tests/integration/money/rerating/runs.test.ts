// How a run begins, is applied, undone and discarded: its bounds, its row, and what refuses it; and whom it notifies.
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { AppError } from '#contract/errors.ts';
import { RERATE_MOST_DAYS } from '#contract/money/rerating.ts';
import { DAY_SECONDS, HOUR_SECONDS } from '#contract/time.ts';
import { notifyUsers } from '#server/money/rerating/notify.ts';
import type { Run } from '#server/money/rerating/run.ts';
import { beginApplying, beginUndoing, createRun, discardRun } from '#server/money/rerating/runs.ts';
import type { NewRow } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { forEachDatabase } from '#tests/support/databases.ts';

setDefaultTimeout(60_000);
const HOUR = 500_000 * HOUR_SECONDS;
const seen = { calls: 3, credit: 40, debit: 7 };

async function refusal(call: Promise<unknown>): Promise<unknown> {
  try {
    await call;
    return 'done';
  } catch (error) {
    return error instanceof AppError ? [error.code, error.parameters] : error;
  }
}

forEachDatabase((label, open) => {
  const within = <Result>(
    { db }: Store,
    does: (transaction: Parameters<typeof discardRun>[0]) => Promise<Result>,
  ): Promise<Result> => db.transaction().execute(does);

  describe('a run', () => {
    let serial = 0;
    const runOf = async (store: Store, more: Partial<NewRow<'rerate_runs'>> = {}): Promise<Run> => {
      serial += 1;
      return await store.db
        .insertInto('rerate_runs')
        .values({ created_at: serial, created_by: 1, from_at: HOUR, to_at: HOUR + HOUR_SECONDS, ...more })
        .returningAll()
        .executeTakeFirstOrThrow();
    };
    async function priced(): Promise<{ store: Store; version_id: number }> {
      const store = await open();
      const { id } = await store.db
        .insertInto('price_versions')
        .values({ effective_at: 1, source: 'setting', prices: '{}' })
        .returning('id')
        .executeTakeFirstOrThrow();
      return { store, version_id: id };
    }

    test('is of hours that are over, at most the longest range, by a version that is there', async () => {
      const { store, version_id } = await priced();
      const terms = { version_id, charged_version: 5, models: ['m'], groups: ['g'], reason: 'why' };
      const create = (from_at: number, to_at: number, more: object = {}, now = HOUR + 3599) =>
        within(store, (transaction) =>
          createRun(transaction, label, { ...terms, from_at, to_at, ...more }, { createdBy: 9, now }),
        );
      const longest = RERATE_MOST_DAYS * DAY_SECONDS;
      const run = await create(HOUR - longest, HOUR);
      expect(run).toMatchObject({
        created_at: HOUR + 3599,
        created_by: 9,
        kind: 'rerate',
        version_id,
        charged_version: 5,
        from_at: HOUR - longest,
        to_at: HOUR,
        models: '["m"]',
        groups: '["g"]',
        reason: 'why',
        position: HOUR - longest,
        state: 'rating',
        booking: 0,
      });
      expect(run.fingerprint).not.toBe('');
      const invalid = ['rerate_range_invalid', { days: String(RERATE_MOST_DAYS) }];
      expect(await refusal(create(HOUR - longest - 1, HOUR))).toEqual(invalid);
      expect(await refusal(create(HOUR, HOUR))).toEqual(invalid);
      expect(await refusal(create(HOUR - 3600, HOUR + 1))).toEqual(['rerate_range_open', {}]);
      expect(await refusal(create(HOUR - 3600, HOUR, {}, HOUR))).toBe('done');
      expect(await refusal(create(HOUR - 3600, HOUR, {}, HOUR - 1))).toEqual(['rerate_range_open', {}]);
      expect(await refusal(create(HOUR - 3600, HOUR, { version_id: version_id + 1 }))).toEqual([
        'rerate_version_missing',
        {},
      ]);
    });

    test('is applied when it is ready, as it was seen, and while no other is', async () => {
      const { store, version_id } = await priced();
      const begun = await within(store, (transaction) =>
        createRun(
          transaction,
          label,
          {
            version_id,
            charged_version: 0,
            models: [],
            groups: [],
            reason: '',
            from_at: HOUR,
            to_at: HOUR + 3600,
          },
          { createdBy: 9, now: HOUR + 7200 },
        ),
      );
      const set = (columns: object) =>
        store.db.updateTable('rerate_runs').set(columns).where('id', '=', begun.id).execute();
      const apply = (changed: object = {}) =>
        within(store, (transaction) =>
          beginApplying(transaction, label, { id: begun.id, actorId: 8, seen: { ...seen, ...changed } }),
        );
      expect(await refusal(apply())).toEqual(['rerate_not_ready', {}]);
      await set({ state: 'ready', ...seen });
      for (const name of ['calls', 'credit', 'debit'])
        expect(await refusal(apply({ [name]: 1 }))).toEqual(['rerate_stale', {}]);
      const other = await runOf(store, { state: 'applying', booking: 6, from_at: 1, to_at: 2 });
      expect(await refusal(apply())).toEqual(['rerate_busy', { run: String(other.id) }]);
      await store.db
        .updateTable('rerate_runs')
        .set({ state: 'applied' })
        .where('id', '=', other.id)
        .execute();
      expect(await apply()).toMatchObject({ state: 'applying', booking: 7, applied_by: 8 });
      expect(await refusal(apply())).toEqual(['rerate_not_ready', {}]);
      const missing = within(store, (transaction) =>
        beginApplying(transaction, label, { id: 404, actorId: 8, seen }),
      );
      expect(await refusal(missing)).toEqual(['not_found', {}]);
    });

    test('that is undone is another run, with what was given taken and the reverse', async () => {
      const store = await open();
      const applied = await runOf(store, { state: 'applied', booking: 2, version_id: 4, users: 5, ...seen });
      const undo = (id: number) =>
        within(store, (transaction) => beginUndoing(transaction, label, { id, actorId: 8, reason: 'wrong' }));
      const busy = await runOf(store, { state: 'applying' });
      expect(await refusal(undo(applied.id))).toEqual(['rerate_busy', { run: String(busy.id) }]);
      await store.db.deleteFrom('rerate_runs').where('id', '=', busy.id).execute();
      const later = await runOf(store, { state: 'applied', booking: 3 });
      const call = (run_id: number, log_id: number) =>
        store.db
          .insertInto('rerate_calls')
          .values({
            run_id,
            log_id,
            user_id: 1,
            day: 0,
            part: 0,
            created_at: HOUR,
            request_id: `${run_id} ${log_id}`,
            model_name: 'm',
            token_id: 1,
            channel_id: 1,
            group: 'g',
            subscription_id: 0,
            wallet_before: 1,
            plan_before: 0,
            suspense_before: 0,
            wallet_after: 0,
            plan_after: 0,
            suspense_after: 0,
            token_change: 0,
          })
          .execute();
      await call(applied.id, 11);
      await call(later.id, 12);
      await call(later.id, 11);
      expect(await refusal(undo(applied.id))).toEqual(['rerate_later_run', { run: String(later.id) }]);
      await store.db
        .deleteFrom('rerate_calls')
        .where('run_id', '=', later.id)
        .where('log_id', '=', 11)
        .execute();
      expect(await undo(applied.id)).toMatchObject({
        created_by: 8,
        kind: 'undo',
        undoes_id: applied.id,
        version_id: 4,
        from_at: HOUR,
        to_at: HOUR + HOUR_SECONDS,
        position: HOUR + HOUR_SECONDS,
        reason: 'wrong',
        state: 'applying',
        booking: 4,
        calls: 3,
        users: 5,
        credit: 7,
        debit: 40,
        applied_by: 8,
      });
      const { id } = await runOf(store, { state: 'ready' });
      expect(await refusal(undo(id))).toEqual(['rerate_not_applied', {}]);
      const undone = await runOf(store, { kind: 'undo', state: 'applied' });
      expect(await refusal(undo(undone.id))).toEqual(['rerate_not_applied', {}]);
    });

    test('that is not applied can be discarded', async () => {
      const store = await open();
      const discard = (id: number) => within(store, (transaction) => discardRun(transaction, label, id));
      for (const state of ['ready', 'rating'] as const) {
        const { id } = await runOf(store, { state });
        expect(await refusal(discard(id))).toBe('done');
        expect(await refusal(discard(id))).toEqual(['rerate_not_ready', {}]);
      }
      for (const more of [{ state: 'applied' }, { state: 'ready', kind: 'undo' }] as const)
        expect(await refusal(discard((await runOf(store, more)).id))).toEqual(['rerate_not_ready', {}]);
    });
  });

  test('each user of more than a hundred gets one notice of what all parts changed, and none of nothing', async () => {
    const store = await open();
    const part = (user_id: number, day: number, more: Partial<NewRow<'rerate_parts'>> = {}) => ({
      run_id: 4,
      user_id,
      day,
      part: 0,
      idem: `${user_id} ${day} ${more.run_id ?? 4} ${more.part ?? 0}`,
      created_at: 1,
      state: 'booked' as const,
      wallet: -10,
      plan: 0,
      suspense: 0,
      ...more,
    });
    const users = Array.from({ length: 203 }, (_, index) => index + 1);
    await store.db
      .insertInto('rerate_parts')
      .values([
        ...users.map((id) => part(id, DAY_SECONDS)),
        part(1, DAY_SECONDS * 5, { wallet: -20, plan: -3, suspense: -100 }),
        part(1, DAY_SECONDS * 5, { part: 1, wallet: 1 }),
        part(2, DAY_SECONDS * 2, { wallet: 10 }),
        part(3, DAY_SECONDS * 2, { state: 'changed', wallet: -500 }),
        part(3, DAY_SECONDS * 3, { run_id: 5, wallet: -500 }),
      ])
      .execute();
    const run = { id: 4, reason: 'a wrong price', kind: 'rerate' } as Run;
    for (let times = 0; times < 2; times += 1) await notifyUsers(store, run);
    const rows = await store.db.selectFrom('notices').selectAll().orderBy('user_id').execute();
    // What changed for the second one is nothing in all.
    expect(rows.map(({ user_id }) => user_id)).toEqual(users.filter((id) => id !== 2));
    const values = {
      amount: -10,
      days: 1,
      first: DAY_SECONDS,
      last: DAY_SECONDS,
      reason: 'a wrong price',
      undone: false,
    };
    expect(
      rows
        .slice(0, 2)
        .map(({ event, details, once_key }) => [event, JSON.parse(details) as unknown, once_key]),
    ).toEqual([
      [
        'charges_corrected',
        { ...values, amount: -32, days: 2, last: DAY_SECONDS * 5 },
        'charges_corrected:4:1',
      ],
      ['charges_corrected', values, 'charges_corrected:4:3'],
    ]);
    await notifyUsers(store, { ...run, id: 5, kind: 'undo' });
    const last = await store.db
      .selectFrom('notices')
      .select('details')
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow();
    expect(JSON.parse(last.details)).toMatchObject({ amount: -500, undone: true });
  });
});
