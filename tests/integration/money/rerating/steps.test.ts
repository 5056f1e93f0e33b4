// The steps of a run by themselves: which days are booked, with which calls and parts, and what an undo makes of them.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { sql } from 'kysely';
import { readPrices } from '#contract/money/price-keys.ts';
import { applyRun } from '#server/money/rerating/apply.ts';
import { lastCorrections, rateSlices, type RatedCall } from '#server/money/rerating/calls.ts';
import type { Rating, Span } from '#server/money/rerating/rating.ts';
import type { Run } from '#server/money/rerating/run.ts';
import { undoRun } from '#server/money/rerating/undo.ts';
import type { NewRow } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { forEachDatabase } from '#tests/support/databases.ts';

setDefaultTimeout(60_000);
const HOUR = 3600;
const DAY = 86_400;
const today = Math.floor(Date.now() / 1000 / DAY) * DAY;
const day = today - 3 * DAY;
const signal = new AbortController().signal;
const paid = (wallet: number, plan = 0, suspense = 0) => ({ wallet, plan, suspense });

forEachDatabase((_label, open) =>
  describe('a run', () => {
    let store: Store;
    let rated: RatedCall[];
    let asked: [number, Span][];
    let rests: number;
    beforeEach(async () => {
      store = await open();
      [rated, asked, rests] = [[], [], 0];
      for (const id of [51, 52])
        await store.db
          .insertInto('users')
          .values({ id, username: `user ${id}`, aff_code: `code ${id}`, quota: 1000, used_quota: 5000 })
          .execute();
      for (const [id, user_id, remain_quota] of [
        [61, 51, 20],
        [62, 52, 500],
      ] as const)
        await store.db
          .insertInto('tokens')
          .values({ id, user_id, key_digest: `key ${id}`, remain_quota, used_quota: 900 })
          .execute();
    });
    afterEach(async () => store.close());

    const parts = () => ({ store, rest: async () => void (rests += 1) });
    const rating: Rating = {
      rateDay: () => Promise.reject(new Error('no day is rated')),
      rateUser: async (_run, span, userId) => {
        asked.push([userId, span]);
        return rated.filter(
          (call) => call.userId === userId && call.createdAt >= span.from && call.createdAt < span.to,
        );
      },
      close: async () => {},
    };
    let booking = 0;
    const run = (id: number, more: Partial<NewRow<'rerate_runs'>> = {}): Promise<Run> => {
      booking += 1;
      return store.db
        .insertInto('rerate_runs')
        .values({
          id,
          created_at: 1,
          created_by: 1,
          version_id: 1,
          from_at: day + HOUR,
          to_at: today,
          models: '[]',
          groups: '[]',
          reason: '',
          position: today,
          fingerprint: '',
          state: 'ready',
          booking,
          ...more,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
    };
    const sum = (
      run_id: number,
      user_id: number,
      at: number,
      [calls, before, after]: [number, number, number],
    ) =>
      store.db
        .insertInto('rerate_sums')
        .values({ run_id, user_id, day: at, model_name: 'm', calls, before, after })
        .execute();
    async function call(logId: number, [before, wanted]: [number, number], more: Partial<RatedCall> = {}) {
      const made: RatedCall = {
        logId,
        userId: 51,
        createdAt: day + 2 * HOUR,
        requestId: `request ${logId}`,
        modelName: 'm',
        tokenId: 61,
        channelId: 71,
        group: 'g',
        isCosted: true,
        subscriptionId: 0,
        correctedBy: 0,
        before: paid(before),
        wanted: paid(wanted),
        ...more,
      };
      await store.db
        .insertInto('logs')
        .values({
          id: logId,
          created_at: made.createdAt,
          request_id: made.requestId,
          type: 2,
          user_id: made.userId,
          token_id: made.tokenId,
          channel_id: 71,
          model_name: 'm',
          group: 'g',
          quota: made.before.wallet + made.before.plan,
          other: '{"usage":{}}',
        })
        .execute();
      rated.push(made);
      return made;
    }
    const rows = async (text: string) =>
      Array.from((await sql<object>`${sql.raw(text)}`.execute(store.db)).rows, (row) => Object.values(row));
    const booked = () =>
      rows(
        'select run_id, user_id, day, part, state, last, calls, wallet, plan, suspense from rerate_parts order by run_id, user_id, day, part',
      );
    const balances = () => rows('select quota, used_quota from users where id > 50 order by id');

    test('books each user and day of its sums, in its own range, and keeps every call', async () => {
      await sum(7, 51, day, [2, 80, 50]);
      await sum(7, 52, day + DAY, [1, 10, 40]);
      await sum(6, 52, day, [1, 1, 1]);
      await call(1, [50, 20]);
      await call(4, [30, 30], { createdAt: day + 3 * HOUR, isCosted: false });
      await call(5, [10, 40], { userId: 52, tokenId: 62, createdAt: day + DAY });
      expect(await applyRun(parts(), rating, await run(7), signal)).toBe(true);
      expect(asked).toEqual([
        [51, { from: day + HOUR, to: day + DAY }],
        [52, { from: day + DAY, to: day + 2 * DAY }],
      ]);
      expect(await booked()).toEqual([
        [7, 51, day, 0, 'booked', 1, 2, -30, 0, 0],
        [7, 52, day + DAY, 0, 'booked', 1, 1, 30, 0, 0],
      ]);
      expect(await balances()).toEqual([
        [1030, 4970],
        [970, 5030],
      ]);
      expect(rests).toBe(2);
      expect(
        await rows(
          `select run_id, log_id, user_id, day, part, created_at, request_id, model_name, "group", is_costed, token_id, channel_id,
            subscription_id, wallet_before, plan_before, suspense_before, wallet_after, plan_after, suspense_after, token_change
           from rerate_calls order by log_id`,
        ),
      ).toEqual([
        [7, 1, 51, day, 0, day + 2 * HOUR, 'request 1', 'm', 'g', 1, 61, 71, 0, 50, 0, 0, 20, 0, 0, 30],
        [7, 4, 51, day, 0, day + 3 * HOUR, 'request 4', 'm', 'g', 0, 61, 71, 0, 30, 0, 0, 30, 0, 0, 0],
        [7, 5, 52, day + DAY, 0, day + DAY, 'request 5', 'm', 'g', 1, 62, 71, 0, 10, 0, 0, 40, 0, 0, -30],
      ]);
      expect(await rows('select idem from rerate_parts order by user_id')).toEqual(
        await rows('select idem from ledger order by user_id'),
      );
      // Done: nothing is open any more.
      asked = [];
      expect(await applyRun(parts(), rating, await run(8), signal)).toBe(true);
      expect(asked).toEqual([]);
    });

    test.each([
      ['count', [2, 50, 20]],
      ['charge', [1, 51, 20]],
      ['price', [1, 50, 21]],
    ] as const)('books nothing of a day with another %s than was rated', async (_what, figures) => {
      await sum(7, 51, day, [...figures]);
      await call(1, [50, 20]);
      await applyRun(parts(), rating, await run(7), signal);
      expect(await booked()).toEqual([[7, 51, day, 0, 'changed', 1, 0, 0, 0, 0]]);
      expect(await balances()).toEqual([
        [1000, 5000],
        [1000, 5000],
      ]);
    });

    test('books a day with as many calls as a part has in one part, which is its last', async () => {
      await store.db
        .updateTable('users')
        .set({ used_quota: 5000, quota: 5000 })
        .where('id', '=', 51)
        .execute();
      await sum(7, 51, day, [500, 1000, 500]);
      for (let id = 1; id <= 500; id += 1) await call(id, [2, 1]);
      await applyRun(parts(), rating, await run(7), signal);
      expect(await booked()).toEqual([[7, 51, day, 0, 'booked', 1, 500, -500, 0, 0]]);
      expect(asked).toHaveLength(1);
    });

    test('books nothing of a day with calls of a model that was not rated', async () => {
      await sum(7, 51, day, [1, 50, 20]);
      await call(1, [50, 20]);
      await call(2, [30, 10], { modelName: 'n' });
      await applyRun(parts(), rating, await run(7), signal);
      expect(await booked()).toEqual([[7, 51, day, 0, 'changed', 1, 0, 0, 0, 0]]);
    });

    test('stops when it is told to, and goes on after the parts that are booked', async () => {
      await sum(7, 51, day, [2, 80, 50]);
      await call(1, [50, 20]);
      const stopped = AbortSignal.abort();
      const applied = await run(7);
      expect(await applyRun(parts(), rating, applied, stopped)).toBe(false);
      expect(await booked()).toEqual([]);
      // The first part was booked with one of two calls before it was cut.
      const first = rated[0]!;
      const key = { run_id: 7, user_id: 51, day };
      await store.db
        .insertInto('rerate_parts')
        .values({ ...key, part: 0, idem: 'note', created_at: 1, last: 0, calls: 1, wallet: -30 })
        .execute();
      await store.db
        .insertInto('rerate_calls')
        .values({
          ...key,
          part: 0,
          log_id: 1,
          created_at: first.createdAt,
          request_id: 'request 1',
          model_name: 'm',
          group: 'g',
          token_id: 61,
          channel_id: 71,
          subscription_id: 0,
          wallet_before: 50,
          plan_before: 0,
          suspense_before: 0,
          wallet_after: 20,
          plan_after: 0,
          suspense_after: 0,
          token_change: 30,
        })
        .execute();
      rated = [{ ...first, correctedBy: 7, before: paid(20), wanted: paid(20) }];
      await call(2, [30, 30], { createdAt: day + 3 * HOUR });
      expect(await applyRun(parts(), rating, applied, signal)).toBe(true);
      expect((await booked()).map((row) => row.slice(3, 8))).toEqual([
        [0, 'booked', 0, 1, -30],
        [1, 'booked', 1, 1, 0],
      ]);
    });

    test('that is undone gives each part back as it was taken, once, and leaves what it did not book', async () => {
      await sum(7, 51, day, [2, 80, 160]);
      await sum(7, 52, day, [1, 10, 99]);
      await call(1, [50, 120]);
      await call(2, [30, 40], { createdAt: day + 3 * HOUR });
      await call(3, [10, 40], { userId: 52, tokenId: 62 });
      await applyRun(parts(), rating, await run(7), signal);
      // Of the key only 20 could be taken.
      expect(await rows('select remain_quota, used_quota from tokens where id = 61')).toEqual([[0, 980]]);
      const undo = await run(9, { kind: 'undo', undoes_id: 7 });
      expect(await undoRun(parts(), undo, AbortSignal.abort())).toBe(false);
      expect(await undoRun(parts(), undo, signal)).toBe(true);
      expect(await undoRun(parts(), undo, signal)).toBe(true);
      expect(await booked()).toEqual([
        [7, 51, day, 0, 'booked', 1, 2, 80, 0, 0],
        [7, 52, day, 0, 'changed', 1, 0, 0, 0, 0],
        [9, 51, day, 0, 'booked', 1, 2, -80, 0, 0],
      ]);
      expect(await balances()).toEqual([
        [1000, 5000],
        [1000, 5000],
      ]);
      expect(await rows('select remain_quota, used_quota from tokens where id = 61')).toEqual([[20, 900]]);
      expect(await rows('select id, quota from logs order by id')).toEqual([
        [1, 50],
        [2, 30],
        [3, 10],
      ]);
      const last = await lastCorrections(store, [1, 2, 3]);
      expect([...last.keys()].toSorted()).toEqual([1, 2]);
      expect(last.get(1)).toEqual({ runId: 9, subscriptionId: 0, before: paid(120), after: paid(50) });
    });

    test('finds the last correction by when it was booked, not by its number', async () => {
      await run(8, { booking: 2 });
      await run(7, { booking: 3 });
      for (const [run_id, wallet_after] of [
        [7, 70],
        [8, 80],
      ] as const)
        await store.db
          .insertInto('rerate_calls')
          .values({
            run_id,
            user_id: 51,
            day,
            part: 0,
            log_id: 1,
            created_at: day,
            request_id: 'request 1',
            model_name: 'm',
            group: 'g',
            token_id: 61,
            channel_id: 71,
            subscription_id: 0,
            wallet_before: 1,
            plan_before: 2,
            suspense_before: 3,
            wallet_after,
            plan_after: 5,
            suspense_after: 6,
            token_change: 0,
          })
          .execute();
      expect((await lastCorrections(store, [1])).get(1)).toEqual({
        runId: 7,
        subscriptionId: 0,
        before: paid(1, 2, 3),
        after: paid(70, 5, 6),
      });
      expect((await lastCorrections(store, [])).size).toBe(0);
    });

    test('reads the calls of its range, user and models, each once, with what was lost of them', async () => {
      const other = JSON.stringify({ usage: { input: 100 }, group_ratio: 1, quota_per_unit: 500_000 });
      let id = 0;
      const log = async (columns: Partial<NewRow<'logs'>> = {}) => {
        id += 1;
        await store.db
          .insertInto('logs')
          .values({
            id,
            created_at: day,
            request_id: `request ${id}`,
            type: 2,
            user_id: 51,
            token_id: 61,
            channel_id: 71,
            model_name: 'm',
            group: 'g',
            quota: 50,
            other,
            ...columns,
          })
          .execute();
      };
      await log();
      await log({ created_at: day - 1 });
      await log({ created_at: day + DAY - 1, cost: 4 });
      await log({ created_at: day + DAY });
      await log({ user_id: 52 });
      await log({ model_name: 'n' });
      await log({ type: 5 });
      await log({ group: 'h' });
      const suspense = { user_id: 51, created_at: day, kind: 'suspense', credit_account: 'revenue' };
      for (const [idem, reference, amount] of [
        ['request 1:suspense', 'request 1', 9],
        ['request 9:suspense', 'request 9', 99],
      ] as const)
        await store.db
          .insertInto('ledger')
          .values({ ...suspense, idem, reference, amount, debit_account: 'suspense' })
          .execute();
      const prices = {
        ...readPrices('{}'),
        GroupRatio: { g: 1, h: 1 },
        ModelRatio: { m: 3, n: 3 },
      } as Parameters<typeof rateSlices>[1]['prices'];
      const selection = {
        from: day,
        to: day + DAY,
        prices,
        filter: { models: ['m'], groups: ['g'], chargedVersion: 0 },
      };
      const slices = await Array.fromAsync(rateSlices(store, { ...selection, userId: 51 }));
      expect(slices.map((slice) => [slice.rows, slice.quota])).toEqual([[3, 150]]);
      expect(slices[0]?.calls.map((each) => [each.logId, each.before, each.isCosted, each.wanted])).toEqual([
        [1, paid(50, 0, 9), false, paid(291, 0, 9)],
        [3, paid(50), true, paid(300)],
      ]);
      const everybody = await Array.fromAsync(rateSlices(store, selection));
      expect(everybody[0]?.calls.map(({ logId }) => logId)).toEqual([1, 5, 3]);
    });
  }),
);
