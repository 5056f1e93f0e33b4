// A re-rating gives back to the budgets of its calls, in the window of each charge, and its undo takes it again.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import type { Store } from '#server/platform/store/store.ts';
import { createWorld, type World } from '#tests/integration/money/ledger/world.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import {
  addVersion,
  allowThePast,
  apply,
  DAY,
  dryRun,
  makeCall,
  nowSeconds,
  startPrices,
  undo,
  type TestCall,
} from './world.ts';

setDefaultTimeout(60_000);

forEachDatabase((_label, open) => {
  describe('the budgets of corrected calls', () => {
    let world: World;
    let store: Store;
    let call: TestCall;
    beforeEach(async () => {
      store = await open();
      world = await createWorld(store);
      await allowThePast(store);
      await addVersion(store, startPrices);
      const userId = await world.user(100_000);
      const tokenId = await world.token(userId);
      const usage = { input: 100, output: 100, cacheRead: 0 };
      call = { userId, tokenId, channelId: await world.channel(), model: 'alpha', group: 'default', usage };
    });
    afterEach(async () => {
      expect(await checkInvariants(store)).toEqual([]);
      await world.close();
    });

    test.each([
      ['lower', 50, 250],
      ['higher', 300, 1500],
    ])('a %s price changes the window of the charge, also those that are over', async (_how, alpha, paid) => {
      const start = nowSeconds() - (nowSeconds() % DAY);
      const window = { period: 'day', window_start: start, window_end: start + DAY } as const;
      const day = await world.counter(call.userId, { ...window, quota: 100_000 });
      const total = await world.counter(call.userId, { quota: 100_000 });
      const other = await world.counter(call.userId, { quota: 100_000 });
      const budgets = `${day},${total}`;
      await makeCall(world, call, startPrices, { budgets });
      for (const daysAgo of [1, 2]) await makeCall(world, call, startPrices, { budgets, daysAgo });
      await makeCall(world, { ...call, model: 'beta' }, startPrices, { budgets: String(other) });
      // Each call of a day before was charged in the window of that day.
      const past = [start - DAY, start - 2 * DAY].map((window_start) => ({
        counter_id: day,
        window_start,
        window_end: window_start + DAY,
        spent: 500,
      }));
      await store.db.insertInto('budget_windows').values(past).execute();
      await store.db.updateTable('budget_counters').set({ spent: 500 }).where('id', '=', day).execute();
      const spent = async () => {
        const windows = await store.db.selectFrom('budget_windows').select('spent').execute();
        const counters = await Promise.all([day, total, other].map((id) => world.findCounter(id)));
        return [...windows, ...counters].map((row) => row.spent);
      };
      const before = [500, 500, 500, 1500, 400];
      expect(await spent()).toEqual(before);
      expect(await checkInvariants(store)).toEqual([]);

      const version_id = await addVersion(store, { ...startPrices, alpha });
      const run = await apply(store, await dryRun(store, { version_id }));
      expect(await spent()).toEqual([paid, paid, paid, 3 * paid, 400]);
      expect(await checkInvariants(store)).toEqual([]);
      await undo(store, run.id);
      expect(await spent()).toEqual(before);
    });

    test('a call that was free and is charged after all counts in its window, in which nothing was spent', async () => {
      const start = nowSeconds() - (nowSeconds() % DAY);
      const yesterday = { period: 'day', window_start: start - DAY, window_end: start } as const;
      const id = await world.counter(call.userId, { ...yesterday, quota: 100_000 });
      await makeCall(world, call, { ...startPrices, alpha: 0 }, { budgets: String(id), daysAgo: 1 });
      const windows = () =>
        store.db
          .selectFrom('budget_windows')
          .select(['counter_id', 'window_start', 'window_end', 'spent'])
          .execute();
      const window = { counter_id: id, window_start: start - DAY, window_end: start };
      expect(await windows()).toEqual([{ ...window, spent: 0 }]);
      const version_id = await addVersion(store, { ...startPrices, alpha: 50 });
      const run = await apply(store, await dryRun(store, { version_id }));
      expect(await windows()).toEqual([{ ...window, spent: 250 }]);
      expect(await checkInvariants(store)).toEqual([]);
      await undo(store, run.id);
      expect(await windows()).toEqual([{ ...window, spent: 0 }]);
    });
  });
});
