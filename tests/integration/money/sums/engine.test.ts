// The engine of the sums: which periods a run sums, and that runs which are cut, or run at the same time, lose and repeat nothing.
import { beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Transaction } from 'kysely';
import type { Slice } from '#server/money/audit/breach.ts';
import {
  follow,
  forgetSums,
  inPieces,
  positionOf,
  sumAgain,
  sumPeriods,
  type FollowingSum,
  type PeriodSum,
} from '#server/money/sums/engine.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { failure } from '#tests/support/failure.ts';

// A database server may have to start first, on a busy machine.
setDefaultTimeout(60_000);

const HOUR = 3600;
const DAY = 24 * HOUR;

forEachDatabase((_label, open) => {
  let store: Store;
  beforeEach(async () => {
    store = await open();
  });

  describe('a sum of periods', () => {
    /** The starts of the periods that were summed, in days. */
    let summed: number[];
    let days: PeriodSum;
    const record = async (_: Store, start: number) => {
      summed.push(start / DAY);
      return true;
    };
    beforeEach(() => {
      summed = [];
      days = {
        name: 'costs',
        periodSeconds: DAY,
        closedAfterSeconds: 3 * HOUR,
        againSeconds: 2 * DAY,
        sum: record,
      };
    });

    const use = (...hours: number[]) =>
      store.db
        .insertInto('usage_hours')
        .values(hours.map((hour) => ({ hour, user_id: 1, token_id: 0, channel_id: 0, model_name: '' })))
        .execute();
    const run = async (now: number, pause?: () => Promise<boolean>) => {
      summed = [];
      return await sumPeriods({ store, now: () => now }, days, pause);
    };
    const position = async () => (await positionOf(store, 'costs')) / DAY;

    test('a period is summed once it is over for long enough, and days without rows are passed', async () => {
      await use(10 * DAY + 5 * HOUR, 10 * DAY + 6 * HOUR, 13 * DAY, 14 * DAY - HOUR);
      expect([await run(14 * DAY + 3 * HOUR - 1), summed]).toEqual([1, [10]]);
      expect(await position()).toBe(11);
      expect([await run(14 * DAY + 3 * HOUR), summed]).toEqual([2, [10, 13]]);
      expect(await position()).toBe(14);
      expect(await positionOf(store, 'rollup')).toBe(0);
    });

    test('by the real time the running day is not over', async () => {
      const today = Math.floor(Date.now() / 1000 / DAY);
      await use(10 * DAY, (today + 1) * DAY, (today + 400) * DAY);
      await sumPeriods({ store }, days);
      expect(summed).toEqual([10]);
    });

    test('what may have come late is summed again, older periods only when they are named', async () => {
      await use(10 * DAY, 11 * DAY, 12 * DAY, 13 * DAY);
      await run(20 * DAY);
      await run(20 * DAY);
      expect(summed).toEqual([12, 13]);
      // A run that is stopped in what it sums again does not go back.
      expect([await run(20 * DAY, async () => false), summed, await position()]).toEqual([1, [12], 14]);
      summed = [];
      const { signal } = new AbortController();
      // Two hours of one day, and a day that is not summed yet.
      await sumAgain(store, days, [10 * DAY + HOUR, 10 * DAY + 2 * HOUR, 14 * DAY], signal);
      expect(summed).toEqual([10]);
      await sumAgain(store, days, [11 * DAY], AbortSignal.abort());
      expect(summed).toEqual([10]);
      expect(await position()).toBe(14);
      await forgetSums(store.db, ['rollup']);
      expect(await position()).toBe(14);
      await forgetSums(store.db, ['costs']);
      await run(20 * DAY);
      expect(summed).toEqual([10, 11, 12, 13]);
    });

    test('a run that is stopped goes on with the period that is not whole', async () => {
      await use(10 * DAY, 11 * DAY, 12 * DAY);
      expect([await run(20 * DAY, async () => false), summed, await position()]).toEqual([1, [10], 11]);
      days.sum = async (_, start) => (await record(store, start)) && summed.length < 2;
      expect([await run(20 * DAY), summed, await position()]).toEqual([1, [10, 11], 11]);
      days.sum = () => Promise.reject(new Error('killed'));
      expect((await failure(run(20 * DAY))).message).toBe('killed');
      days.sum = record;
      expect([await run(20 * DAY), summed, await position()]).toEqual([3, [10, 11, 12], 13]);
    });

    test('sums that are forgotten during a run stay forgotten, and of two runs one goes on', async () => {
      await use(10 * DAY, 11 * DAY, 12 * DAY);
      let meanwhile = async () => {};
      days.sum = async (_, start) => {
        const isWhole = await record(store, start);
        if (summed.length === 2) await meanwhile();
        return isWhole;
      };
      meanwhile = () => forgetSums(store.db, ['costs']);
      expect([await run(20 * DAY), await position()]).toEqual([2, 0]);
      meanwhile = async () => {
        const other: PeriodSum = { ...days, sum: async () => true };
        await sumPeriods({ store, now: () => 20 * DAY }, other);
      };
      expect([await run(20 * DAY), summed, await position()]).toEqual([2, [10, 11], 13]);
    });
  });

  test('rows are written in pieces, and a pause stops between two of them', async () => {
    const pieces: number[][] = [];
    const write = async (piece: number[]) => void pieces.push(piece);
    expect(await inPieces([1, 2, 3, 4], 2, write)).toBe(true);
    expect(await inPieces([], 2, write)).toBe(true);
    expect(await inPieces([5, 6, 7], 2, write, async () => false)).toBe(false);
    expect(pieces).toEqual([
      [1, 2],
      [3, 4],
      [5, 6],
    ]);
  });

  describe('a sum that follows a table', () => {
    /** Slices that were added, as their ids. */
    let added: [number, number][];
    let slices: FollowingSum<[number, number]>;
    const read = async (_: unknown, { from, through }: Slice): Promise<[number, number]> => [from, through];
    const add = async (transaction: Transaction<Schema>, slice: [number, number]) => {
      await transaction.updateTable('log_cleaning').set({ cleaned_before: slice[1] }).execute();
      added.push(slice);
    };
    beforeEach(async () => {
      added = [];
      slices = {
        name: 'cells',
        source: 'logs',
        endOfSlice: (_, from, top) => Math.min(from + 2, top),
        read,
        add,
      };
      for (let row = 0; row < 5; row += 1)
        await store.db
          .insertInto('logs')
          .values({ created_at: 1, request_id: String(row) })
          .execute();
    });

    const position = () => positionOf(store, 'cells');
    const written = async () =>
      (await store.db.selectFrom('log_cleaning').select('cleaned_before').executeTakeFirstOrThrow())
        .cleaned_before;

    test('each row is in one slice, and a run that is stopped goes on behind its last slice', async () => {
      expect([await follow(store, slices, async () => false), await position()]).toEqual([2, 2]);
      expect([await follow(store, slices), await position()]).toEqual([3, 5]);
      expect(added).toEqual([
        [0, 2],
        [2, 4],
        [4, 5],
      ]);
      expect([await follow(store, slices), await positionOf(store, 'dividends')]).toEqual([0, 0]);
    });

    test('a slice whose transaction fails is neither written nor passed', async () => {
      slices.add = async (...asked) => {
        await add(...asked);
        if (added.length === 2) throw new Error('killed');
      };
      let open = 0;
      const counting: Store = {
        ...store,
        async openReader() {
          const reader = await store.openReader();
          open += 1;
          return { ...reader, close: () => ((open -= 1), reader.close()) };
        },
      };
      expect((await failure(follow(counting, slices))).message).toBe('killed');
      expect(open).toBe(0);
      expect([await position(), await written()]).toEqual([2, 2]);
      added = [];
      slices.add = add;
      await follow(store, slices);
      expect(added).toEqual([
        [2, 4],
        [4, 5],
      ]);
    });

    test('a slice that another node has added meanwhile is not added again', async () => {
      const slow: typeof slices = {
        ...slices,
        async read(...asked) {
          if (added.length === 0) await follow(store, slices, async () => false);
          return await read(...asked);
        },
      };
      expect(await follow(store, slow)).toBe(0);
      expect(added).toEqual([[0, 2]]);
    });
  });
});
