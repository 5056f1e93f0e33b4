// What a correction of calls leaves in every table that has a part of them, and in none of the rows beside them.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { sql } from 'kysely';
import { bookCorrections } from '#server/money/ledger/corrections/book.ts';
import type {
  BookedNote,
  CallCorrection,
  CorrectionNote,
} from '#server/money/ledger/corrections/correction.ts';
import type { Store } from '#server/platform/store/store.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { failure } from '#tests/support/failure.ts';

setDefaultTimeout(60_000);
const HOUR = 3600;
const DAY = 86_400;
const today = Math.floor(Date.now() / 1000 / DAY) * DAY;
const at = today - 2 * DAY + 5 * HOUR + 7;
const paid = (wallet: number, plan = 0, suspense = 0) => ({ wallet, plan, suspense });

forEachDatabase((_label, open) =>
  describe('a correction', () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
      const { db } = store;
      for (const id of [1, 2])
        await db
          .insertInto('users')
          .values({
            id: 50 + id,
            username: `user ${id}`,
            aff_code: `code ${id}`,
            quota: 1000,
            held_quota: 900,
            used_quota: 5000,
          })
          .execute();
      const tokens = { unlimited_quota: 0, used_quota: 50, status: 1 } as const;
      for (const [id, columns] of [
        [61, { ...tokens, remain_quota: 500 }],
        [62, { ...tokens, unlimited_quota: 1, remain_quota: 0 }],
        [63, { ...tokens, remain_quota: 0, status: 4 }],
        [64, { ...tokens, remain_quota: 30 }],
        [65, { ...tokens, remain_quota: 0, status: 2 }],
        [69, { ...tokens, remain_quota: 500, user_id: 52 }],
      ] as const)
        await db
          .insertInto('tokens')
          .values({ id, user_id: 51, key_digest: `key ${id}`, ...columns })
          .execute();
      for (const [id, used_quota] of [
        [71, 1000],
        [72, 5],
        [79, 1000],
      ])
        await db.insertInto('channels').values({ id, name: '', used_quota }).execute();
      const span = {
        plan_id: 1,
        created_at: 0,
        plan_name: '',
        interval_unit: 'day',
        interval_count: 1,
        periods: 0,
        currency: 'USD',
        source: 'balance',
        period_quota: 1000,
        models: '',
        group: '',
        price_quota: 0,
        price_minor: 0,
      } as const;
      // The period of 81 began an hour before the call, that of 82 an hour after it, and 83 is over.
      for (const [id, started_at, status, user_id] of [
        [81, at - HOUR - DAY, 'active', 51],
        [82, at + HOUR - DAY, 'active', 51],
        [83, at - HOUR - DAY, 'ended', 51],
        [89, at - HOUR - DAY, 'active', 52],
      ] as const)
        await db
          .insertInto('subscriptions')
          .values({
            ...span,
            id,
            user_id,
            started_at,
            status,
            ends_at: today + 90 * DAY,
            period: 1,
            period_ends_at: today + 30 * DAY,
            quota: 100,
            held: 85,
            request_key: `request ${id}`,
          })
          .execute();
      for (const [id, window_start] of [
        [91, today],
        [92, at - HOUR],
        [93, at],
        [99, at - HOUR],
      ] as const)
        await db
          .insertInto('budget_counters')
          .values({
            id,
            budget_id: 1,
            organization_id: 1,
            value: `value ${id}`,
            name: '',
            period: 'day',
            quota: 1000,
            spent: id === 93 ? 5 : 100,
            window_start,
            window_end: today + DAY,
            created_at: 0,
          })
          .execute();
      for (const [counter_id, window_start, window_end] of [
        [91, at - DAY, at],
        [91, at, at + DAY],
        [91, at + DAY, today],
        [93, at, at + DAY],
        [99, at, at + DAY],
      ] as const)
        await db
          .insertInto('budget_windows')
          .values({ counter_id, window_start, window_end, spent: 100 })
          .execute();
    });
    afterEach(async () => store.close());

    /** With the row of its log, as it was charged. */
    async function call(
      logId: number,
      before: ReturnType<typeof paid>,
      wanted: ReturnType<typeof paid>,
      more: Partial<CallCorrection> & { budgets?: string; other?: string } = {},
    ): Promise<CallCorrection> {
      const { budgets = '', other = '{"usage":{}}', ...fields } = more;
      const made: CallCorrection = {
        logId,
        createdAt: at,
        requestId: `request ${logId}`,
        modelName: 'm',
        tokenId: 61,
        channelId: 71,
        group: 'g',
        isCosted: true,
        subscriptionId: 0,
        before,
        wanted,
        ...fields,
      };
      await store.db
        .insertInto('logs')
        .values({
          id: logId,
          created_at: made.createdAt,
          request_id: made.requestId,
          type: 2,
          user_id: 51,
          quota: before.wallet + before.plan,
          other,
          budgets,
        })
        .execute();
      return made;
    }
    const correct = async (calls: readonly CallCorrection[], more: Partial<CorrectionNote> = {}) =>
      store.db.transaction().execute((transaction) =>
        bookCorrections(transaction, store.dialect, {
          idem: 'rerate:7:51:day:0',
          userId: 51,
          runId: 7,
          day: '2026-01-02',
          isUndo: false,
          calls,
          ...more,
        }),
      );
    const sharesOf = (booked: BookedNote | undefined) =>
      booked?.calls.map(({ after: { wallet, plan, suspense } }) => [wallet, plan, suspense]);
    const rows = async (text: string) =>
      Array.from((await sql<object>`${sql.raw(text)}`.execute(store.db)).rows, (row) => Object.values(row));

    test('is a note for what each pocket paid, and the pockets, used totals and hours have it', async () => {
      const booked = await correct([
        await call(1, paid(50), paid(20)),
        await call(2, paid(0, 40), paid(0, 70), { tokenId: 62, channelId: 72, subscriptionId: 81 }),
        await call(3, paid(10, 30), paid(10, 20), {
          tokenId: 0,
          channelId: 0,
          subscriptionId: 81,
          modelName: 'n',
        }),
      ]);
      expect(sharesOf(booked)).toEqual([
        [20, 0, 0],
        [5, 65, 0],
        [10, 20, 0],
      ]);
      expect(booked).toMatchObject({ wallet: -25, plan: 15, suspense: 0, changedTokens: [] });
      expect(booked?.calls.map(({ tokenChange }) => tokenChange)).toEqual([30, 0, 0]);
      expect(
        await rows(
          'select idem, user_id, debit_account, credit_account, amount, kind, reference from ledger order by id',
        ),
      ).toEqual([
        ['rerate:7:51:day:0', 51, 'revenue', 'user:51', 25, 'rerate_credit', '2026-01-02'],
        ['rerate:7:51:day:0:plan:81', 51, 'plan:81', 'revenue', 15, 'rerate_debit', 'rerate:7:51:day:0'],
      ]);
      expect(
        await rows('select id, quota, held_quota, used_quota from users where id > 50 order by id'),
      ).toEqual([
        [51, 1025, 900, 4990],
        [52, 1000, 900, 5000],
      ]);
      expect(await rows('select id, quota, held from subscriptions order by id')).toEqual([
        [81, 85, 85],
        [82, 100, 85],
        [83, 100, 85],
        [89, 100, 85],
      ]);
      expect(
        await rows(
          'select id, remain_quota, used_quota, status from tokens where id in (61, 62, 69) order by id',
        ),
      ).toEqual([
        [61, 530, 20, 1],
        [62, 0, 80, 1],
        [69, 500, 50, 1],
      ]);
      expect(await rows('select id, used_quota from channels where id > 70 order by id')).toEqual([
        [71, 970],
        [72, 35],
        [79, 1000],
      ]);
      const hour = at - (at % HOUR);
      expect(
        await rows(
          'select hour, user_id, token_id, channel_id, model_name, quota, count from usage_hours order by token_id',
        ),
      ).toEqual([
        [hour, 51, 0, 0, 'n', -10, 0],
        [hour, 51, 61, 71, 'm', -30, 0],
        [hour, 51, 62, 72, 'm', 30, 0],
      ]);
    });

    test('counts in the hour that is there, several calls of it in one row', async () => {
      const hour = at - (at % HOUR);
      const key = { user_id: 51, token_id: 61, channel_id: 72, model_name: 'm' };
      for (const other of [hour, hour + HOUR])
        await store.db
          .insertInto('usage_hours')
          .values({ ...key, hour: other, quota: 100, count: 3 })
          .execute();
      await correct([
        await call(1, paid(50), paid(45), { channelId: 72 }),
        await call(2, paid(50), paid(42), { channelId: 72 }),
        await call(3, paid(50), paid(40), { channelId: 72, modelName: 'n' }),
      ]);
      expect(
        await rows('select hour, model_name, quota, count from usage_hours order by hour, model_name'),
      ).toEqual([
        [hour, 'm', 87, 3],
        [hour, 'n', -10, 0],
        [hour + HOUR, 'm', 100, 3],
      ]);
      // Less than nothing is nothing.
      expect(await rows('select used_quota from channels where id = 72')).toEqual([[0]]);
    });

    test('of a period that is over, or that began after the call, is given back to the balance', async () => {
      const booked = await correct([
        await call(1, paid(0, 40), paid(0, 30), { subscriptionId: 82 }),
        await call(2, paid(0, 40), paid(0, 30), { subscriptionId: 83 }),
        await call(3, paid(0, 40), paid(0, 30), { subscriptionId: 81 }),
        await call(4, paid(0, 40), paid(0, 30), { subscriptionId: 81, createdAt: at - HOUR }),
        await call(5, paid(0, 40), paid(0, 30), { subscriptionId: 81, createdAt: at - HOUR - 1 }),
        // Of another user.
        await call(6, paid(0, 40), paid(0, 30), { subscriptionId: 89 }),
      ]);
      expect(sharesOf(booked)).toEqual([
        [-10, 40, 0],
        [-10, 40, 0],
        [0, 30, 0],
        [0, 30, 0],
        [-10, 40, 0],
        [-10, 40, 0],
      ]);
      expect(await rows('select quota from users where id = 51')).toEqual([[1040]]);
      expect(await rows('select id, quota from subscriptions where quota <> 100')).toEqual([[81, 120]]);
    });

    test('beyond the free balance is suspense, and so is what an undo cannot take from a subscription', async () => {
      const more = await call(1, paid(50), paid(170));
      const booked = await correct([more]);
      expect(sharesOf(booked)).toEqual([[150, 0, 20]]);
      expect(await rows('select quota from logs')).toEqual([[150]]);
      expect(await rows('select quota, used_quota from users where id = 51')).toEqual([[900, 5100]]);
      expect(
        await rows('select idem, debit_account, amount, kind, reference from ledger order by id'),
      ).toEqual([
        ['rerate:7:51:day:0', 'user:51', 100, 'rerate_debit', '2026-01-02'],
        ['rerate:7:51:day:0:suspense', 'suspense', 20, 'rerate_suspense', 'rerate:7:51:day:0'],
      ]);
      const undone = await correct(
        [await call(2, paid(0, 40), paid(0, 70), { subscriptionId: 81, undoneTokenChange: 8 })],
        { isUndo: true, idem: 'rerate:8:51:day:0', runId: 8 },
      );
      expect(sharesOf(undone)).toEqual([[0, 55, 15]]);
      expect(undone).toMatchObject({ wallet: 0, plan: 15, suspense: 15 });
    });

    test('changes the status of a key with what remains of it, but of no key that is switched off', async () => {
      const booked = await correct([
        await call(1, paid(50), paid(90), { tokenId: 64 }),
        await call(2, paid(50), paid(45), { tokenId: 64 }),
        await call(3, paid(50), paid(40), { tokenId: 63 }),
        await call(4, paid(50), paid(40), { tokenId: 65 }),
        await call(5, paid(80), paid(10), { tokenId: 61 }),
        await call(6, paid(50), paid(70), { tokenId: 65 }),
      ]);
      // What is given back comes first: 30 + 5 remain when 40 are taken.
      expect(booked?.calls.map(({ tokenChange }) => tokenChange)).toEqual([-35, 5, 10, 10, 70, -10]);
      expect(booked?.changedTokens.toSorted()).toEqual([63, 64]);
      expect(
        await rows('select id, remain_quota, used_quota, status from tokens where id < 69 order by id'),
      ).toEqual([
        [61, 570, 0, 1],
        [62, 0, 50, 1],
        [63, 10, 40, 1],
        [64, 0, 85, 4],
        [65, 0, 60, 2],
      ]);
    });

    test('that is undone gives a key what had been taken from it, and no more', async () => {
      const booked = await correct(
        [
          await call(1, paid(90), paid(50), { tokenId: 64, undoneTokenChange: -35 }),
          await call(2, paid(20), paid(50), { tokenId: 61, undoneTokenChange: 12 }),
          // The balance does not pay for a period that gave back what it has not any more.
          await call(3, paid(0, 40), paid(0, 70), { subscriptionId: 81, tokenId: 0 }),
        ],
        { isUndo: true },
      );
      expect(booked?.calls.map(({ tokenChange }) => tokenChange)).toEqual([35, -12, 0]);
      expect(sharesOf(booked)?.at(-1)).toEqual([0, 55, 15]);
    });

    test('counts in the windows of its budgets: the one that runs, or the one that was charged', async () => {
      await correct([
        await call(1, paid(50), paid(20), { budgets: '91,92,93' }),
        await call(2, paid(50), paid(45), { budgets: '92' }),
        await call(3, paid(50), paid(40)),
      ]);
      expect(await rows('select id, spent from budget_counters order by id')).toEqual([
        [91, 100],
        [92, 65],
        [93, 0],
        [99, 100],
      ]);
      expect(
        await rows(
          'select counter_id, window_start, spent from budget_windows order by counter_id, window_start',
        ),
      ).toEqual([
        [91, at - DAY, 100],
        [91, at, 70],
        [91, at + DAY, 100],
        [93, at, 100],
        [99, at, 100],
      ]);
    });

    test('changes the revenue of its day, channel, model, group and user, and of costed calls apart', async () => {
      const day = at - (at % DAY);
      const keys = [
        [day, 71, 'm', 'g', 51],
        [day + DAY, 71, 'm', 'g', 51],
        [day, 72, 'm', 'g', 51],
        [day, 71, 'n', 'g', 51],
        [day, 71, 'm', 'h', 51],
        [day, 71, 'm', 'g', 52],
      ] as const;
      for (const [first, channel_id, model_name, group, user_id] of keys)
        await store.db
          .insertInto('margin_days')
          .values({
            day: first,
            channel_id,
            model_name,
            group,
            user_id,
            quota: 100,
            costed_quota: 100,
            cost: 9,
          })
          .execute();
      const week = day - (day % (7 * DAY));
      await store.db
        .insertInto('margin_summed')
        .values({ days: 7, day: week, changes: 4, is_summed: 1 })
        .execute();
      await correct([
        await call(1, paid(50), paid(20)),
        await call(2, paid(50), paid(45), { isCosted: false }),
        await call(3, paid(50), paid(40), { modelName: 'none' }),
      ]);
      const sums = await rows(
        'select day, channel_id, model_name, "group", user_id, quota, costed_quota, cost from margin_days order by 1, 2, 3, 4, 5',
      );
      expect(sums.filter((row) => row[5] !== 100 || row[6] !== 100)).toEqual([[...keys[0], 65, 70, 9]]);
      expect(sums).toHaveLength(6);
      expect(await rows('select days, day, changes, is_summed from margin_summed order by days')).toEqual([
        [0, day, 1, 0],
        [1, day, 1, 0],
        [7, week, 5, 0],
      ]);
    });

    test('is named in the row of its log, with its share of a subscription, after those before it', async () => {
      await call(3, paid(50), paid(20));
      await correct(
        [
          await call(1, paid(50), paid(20), { other: '{"a":1,"plan":{"subscription":3,"quota":5}}' }),
          await call(2, paid(0, 40), paid(0, 30), {
            subscriptionId: 81,
            other: '{"rerated":[{"run":2}]}',
            createdAt: at + 60,
          }),
          await call(4, paid(0, 10), paid(0, 0), {
            subscriptionId: 81,
            other: '{"plan":{"subscription":81,"quota":10}}',
          }),
        ],
        { isUndo: true },
      );
      const logged = await rows('select id, quota, other from logs order by id');
      expect(logged.map(([id, quota, other]) => [id, quota, JSON.parse(other as string)])).toEqual([
        [1, 20, { a: 1, rerated: [{ run: 7, note: 'rerate:7:51:day:0', from: 50, to: 20, undo: true }] }],
        [
          2,
          30,
          {
            plan: { subscription: 81, quota: 30 },
            rerated: [{ run: 2 }, { run: 7, note: 'rerate:7:51:day:0', from: 40, to: 30, undo: true }],
          },
        ],
        [3, 50, { usage: {} }],
        [4, 0, { rerated: [{ run: 7, note: 'rerate:7:51:day:0', from: 10, to: 0, undo: true }] }],
      ]);
    });

    test('of a call that was charged otherwise, or whose row is gone, is none; an undo needs no row', async () => {
      const other = { ...(await call(1, paid(50), paid(20))), before: paid(49) };
      const gone = { ...other, logId: 99, before: paid(50) };
      expect(await correct([other])).toBeUndefined();
      expect(await correct([other], { isUndo: true })).toBeUndefined();
      expect(await correct([gone])).toBeUndefined();
      expect(await correct([{ ...other, before: paid(50) }], { userId: 404 })).toBeUndefined();
      expect(await rows('select id from ledger')).toEqual([]);
      expect(await rows('select quota, used_quota from users where id = 51')).toEqual([[1000, 5000]]);
      expect(sharesOf(await correct([gone], { isUndo: true }))).toEqual([[20, 0, 0]]);
      // Booked under this key before.
      const again = await failure(correct([gone], { isUndo: true }));
      expect(String(again)).toContain('could not be booked');
    });
  }),
);
