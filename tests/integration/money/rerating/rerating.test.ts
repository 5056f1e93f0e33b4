// Re-rating on the real ledger: who pays, what is left out, what binds, and what a cut run leaves behind.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { AppError } from '#contract/errors.ts';
import { bookCorrections } from '#server/money/ledger/corrections/book.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import type { Store } from '#server/platform/store/store.ts';
import { subscribe } from '#tests/integration/money/plans/world.ts';
import {
  createWorld,
  grant,
  logRow,
  newId,
  outcome,
  reserve,
  type World,
} from '#tests/integration/money/ledger/world.ts';
import {
  applyAll,
  openCalls,
  recovering,
  settling,
} from '#tests/integration/money/ledger/settlement-world.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { failure } from '#tests/support/failure.ts';
import {
  addVersion,
  allowThePast,
  apply,
  beginApply,
  beginUndo,
  DAY,
  dryRun,
  HOUR,
  hourSums,
  independentPrice,
  makeCall,
  marginSums,
  nextHour,
  readRun,
  startPrices,
  totalsOf,
  undo,
  work,
  type TestCall,
} from './world.ts';

setDefaultTimeout(60_000);

async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return error instanceof AppError ? error.code : `no refusal: ${String(error)}`;
}

forEachDatabase((_label, open) => {
  describe('re-rating', () => {
    let world: World;
    let store: Store;
    let call: TestCall;
    let cheap: number;
    let dear: number;
    const cheapPrices = { ...startPrices, alpha: 50 };
    const dearPrices = { ...startPrices, alpha: 300 };
    // 100 × 1 + 100 × 4 = 500 units; 250 by the cheap prices, 1500 by the dear ones.
    const usage = { input: 100, output: 100, cacheRead: 0 };

    beforeEach(async () => {
      store = await open();
      world = await createWorld(store);
      await allowThePast(store);
      await addVersion(store, startPrices);
      cheap = await addVersion(store, cheapPrices);
      dear = await addVersion(store, dearPrices);
      const userId = await world.user(10_000);
      const tokenId = await world.token(userId, { unlimited_quota: 0, remain_quota: 600 });
      call = { userId, tokenId, channelId: await world.channel(), model: 'alpha', group: 'default', usage };
      expect([startPrices, cheapPrices, dearPrices].map((prices) => independentPrice(prices, call))).toEqual([
        500, 250, 1500,
      ]);
    });
    afterEach(async () => {
      expect(await checkInvariants(store)).toEqual([]);
      await world.close();
    });

    const logOf = (requestId: string) =>
      store.db.selectFrom('logs').selectAll().where('request_id', '=', requestId).executeTakeFirstOrThrow();
    const partsOf = (runId: number) =>
      store.db.selectFrom('rerate_parts').selectAll().where('run_id', '=', runId).orderBy('id').execute();

    test('a credit is one note for each day, linked from the log row, and its undo is exact', async () => {
      const today = await makeCall(world, call, startPrices, { cost: 90 });
      const before = await makeCall(world, { ...call, tokenId: 0 }, startPrices, { daysAgo: 2 });
      const run = await apply(store, await dryRun(store, { version_id: cheap }));

      expect(run).toMatchObject({ state: 'applied', calls: 2, users: 1, credit: 500, debit: 0, examined: 2 });
      expect(await totalsOf(store, call.userId)).toMatchObject({
        quota: 9500,
        used: 500,
        logged: 500,
        hours: 500,
      });
      const notes = await store.db
        .selectFrom('ledger')
        .select(['amount', 'kind', 'debit_account', 'credit_account', 'idem'])
        .where('kind', 'like', 'rerate%')
        .execute();
      expect(notes).toHaveLength(2);
      for (const note of notes)
        expect(note).toMatchObject({
          amount: 250,
          kind: 'rerate_credit',
          credit_account: `user:${call.userId}`,
        });
      const log = await logOf(today);
      expect(log.quota).toBe(250);
      expect(JSON.parse(log.other)).toMatchObject({ rerated: [{ run: run.id, from: 500, to: 250 }] });
      expect(notes.map(({ idem }) => idem)).toContain(JSON.parse(log.other).rerated[0].note);
      expect(await world.findToken(call.tokenId)).toMatchObject({ used_quota: 250, remain_quota: 350 });

      const back = await undo(store, run.id);
      expect(back).toMatchObject({ state: 'applied', kind: 'undo', credit: 0, debit: 500 });
      expect(await readRun(store, run.id)).toMatchObject({ state: 'undone' });
      expect(await totalsOf(store, call.userId)).toMatchObject({ quota: 9000, used: 1000, logged: 1000 });
      expect((await logOf(before)).quota).toBe(500);
      expect(await world.findToken(call.tokenId)).toMatchObject({ used_quota: 500, remain_quota: 100 });
      expect(await codeOf(beginUndo(store, run.id))).toBe('rerate_not_applied');
    });

    test('the figures of an hour follow each token, channel and model of the corrected calls (M21)', async () => {
      const otherToken = await world.token(call.userId);
      const otherChannel = await world.channel();
      // In one hour of yesterday, so that no clock divides them.
      const at = nextHour() - DAY - HOUR + 60;
      for (const tokenId of [call.tokenId, otherToken, 0])
        for (const channelId of [call.channelId, otherChannel])
          for (const model of ['alpha', 'beta'] as const)
            await makeCall(
              world,
              { ...call, tokenId, channelId, model, usage: { ...usage, output: 1 } },
              startPrices,
              {
                at,
              },
            );
      const before = await hourSums(store);
      expect(before.kept).toHaveLength(12);
      expect(before.kept).toEqual(before.logged);
      const run = await apply(store, await dryRun(store, { version_id: cheap }));
      expect(run).toMatchObject({ state: 'applied', calls: 6 });
      const after = await hourSums(store);
      expect(after.kept).toEqual(after.logged);
      expect(after.kept).not.toEqual(before.kept);
      await undo(store, run.id);
      expect((await hourSums(store)).kept).toEqual(before.kept);
    });

    test('a debit stops at what running calls hold, the rest is suspense, and an undo returns only what was paid', async () => {
      await makeCall(world, call, startPrices);
      await reserve(world.ledger, call.userId, 0, 9200);
      const run = await apply(store, await dryRun(store, { version_id: dear }));
      // 1000 more, and 300 are free.
      expect((await partsOf(run.id))[0]).toMatchObject({ wallet: 300, suspense: 700, plan: 0 });
      const charged = { quota: 9200, held: 9200, used: 800, suspense: 700 };
      expect(await totalsOf(store, call.userId)).toMatchObject(charged);
      // The token had 100 left; an undo gives no more back than was taken.
      expect(await world.findToken(call.tokenId)).toMatchObject({
        used_quota: 800,
        remain_quota: 0,
        status: 4,
      });

      // A lower price takes from the operator's loss first: nothing moves to the user.
      const lower = await apply(
        store,
        await dryRun(store, { version_id: await addVersion(store, { ...startPrices, alpha: 200 }) }),
      );
      expect((await partsOf(lower.id))[0]).toMatchObject({ wallet: 0, suspense: -500 });
      expect(await codeOf(beginUndo(store, run.id))).toBe('rerate_later_run');
      await undo(store, lower.id);
      expect(await totalsOf(store, call.userId)).toMatchObject(charged);
      await undo(store, run.id);
      expect(await totalsOf(store, call.userId)).toMatchObject({ quota: 9500, used: 500, suspense: 0 });
      expect(await world.findToken(call.tokenId)).toMatchObject({
        used_quota: 500,
        remain_quota: 100,
        status: 1,
      });
    });

    test('a correction and its undo change the revenue of the day of the call, also when its log row is removed', async () => {
      const costs = [90, null, 40];
      for (const [daysAgo, cost] of costs.entries())
        await makeCall(world, { ...call, tokenId: 0, group: 'vip' }, startPrices, { daysAgo, cost });
      const { kept: first, logged } = await marginSums(store);
      expect(first).toEqual(logged);
      // 500 units at the group's 0.8; half of it by the cheap prices.
      expect(first.map(({ quota, cost, costed_quota }) => [quota, cost, costed_quota])).toEqual([
        [400, 40, 400],
        [400, 0, 0],
        [400, 90, 400],
      ]);
      const run = await apply(store, await dryRun(store, { version_id: cheap }));
      const corrected = await marginSums(store);
      expect(corrected.kept).toEqual(corrected.logged);
      expect(corrected.kept.map(({ quota, costed_quota }) => [quota, costed_quota])).toEqual([
        [200, 200],
        [200, 0],
        [200, 200],
      ]);
      await store.db
        .updateTable('log_cleaning')
        .set({ cleaned_before: nextHour() - DAY })
        .execute();
      await store.db
        .deleteFrom('logs')
        .where('created_at', '<', nextHour() - DAY)
        .execute();
      await undo(store, run.id);
      expect((await marginSums(store)).kept).toEqual(first);
    });

    test('undoing a credit that was spent creates no money', async () => {
      await makeCall(world, call, startPrices);
      const run = await apply(store, await dryRun(store, { version_id: cheap }));
      const entry = { idem: newId(), userId: call.userId, amount: 9700, kind: 'admin', reference: '' };
      await world.ledger.debit({ ...entry, to: 'world:admin' });
      await undo(store, run.id);
      expect(await totalsOf(store, call.userId)).toMatchObject({ quota: 0, used: 300, suspense: 200 });
    });

    test('a call that a subscription paid is given back to it while its period runs, then to the balance', async () => {
      const plan = await subscribe(world, call.userId, { period_quota: 1200 });
      const current = await makeCall(world, call, startPrices, { plans: [plan] });
      // Before the period began.
      const earlier = await makeCall(world, { ...call, tokenId: 0 }, startPrices, {
        plans: [plan],
        daysAgo: 1,
      });
      const paidByPlan = async () =>
        await Promise.all(
          [current, earlier].map(
            async (id) => (JSON.parse((await logOf(id)).other) as { plan: unknown }).plan,
          ),
        );
      expect(await paidByPlan()).toEqual([
        { subscription: plan, quota: 500 },
        { subscription: plan, quota: 500 },
      ]);
      const planQuota = async () =>
        (
          await store.db
            .selectFrom('subscriptions')
            .select('quota')
            .where('id', '=', plan)
            .executeTakeFirstOrThrow()
        ).quota;
      expect(await planQuota()).toBe(200);
      const run = await apply(store, await dryRun(store, { version_id: cheap }));
      expect(await partsOf(run.id)).toMatchObject([
        { wallet: -250, plan: 0 },
        { wallet: 0, plan: -250 },
      ]);
      expect(await planQuota()).toBe(450);
      expect(await totalsOf(store, call.userId)).toMatchObject({ quota: 10_250, used: 500 });
      // The log rows name what the subscription paid after the correction, and again after its undo.
      expect(await paidByPlan()).toEqual([
        { subscription: plan, quota: 250 },
        { subscription: plan, quota: 500 },
      ]);
      await undo(store, run.id);
      expect(await paidByPlan()).toEqual([
        { subscription: plan, quota: 500 },
        { subscription: plan, quota: 500 },
      ]);
      expect(await planQuota()).toBe(200);
      expect(await totalsOf(store, call.userId)).toMatchObject({ quota: 10_000, used: 1000 });
    });

    test('a period that is over, although no job has ended it, gets nothing back: the balance does (M21)', async () => {
      const plan = await subscribe(world, call.userId, { period_quota: 1200 });
      await makeCall(world, call, startPrices, { plans: [plan] });
      const run = await dryRun(store, { version_id: cheap });
      await store.db.updateTable('subscriptions').set({ period_ends_at: 5 }).where('id', '=', plan).execute();
      await apply(store, run);
      expect(await partsOf(run.id)).toMatchObject([{ wallet: -250, plan: 0 }]);
      expect(await totalsOf(store, call.userId)).toMatchObject({ quota: 10_250, used: 250 });
    });

    test('calls that keep their charge are counted by reason, also those without a log row', async () => {
      await makeCall(world, call, startPrices);
      const other = async (text: string, model_name = 'gpt-4o') => {
        const { requestId } = await reserve(world.ledger, call.userId, 0, 40);
        const log = { ...logRow(call.userId, 0), model_name, other: text };
        await world.ledger.settle(requestId, outcome(40, { log: text === '' ? null : log }));
      };
      await other('{}');
      await other('{"usage":{"output":5},"task_id":"t"}');
      await other('{"usage":{"output":5}}', 'model-without-a-price');
      await other('');
      const run = await dryRun(store, { version_id: cheap });
      expect(run).toMatchObject({ calls: 1, examined: 1, credit: 250 });
      expect(JSON.parse(run.left_out)).toMatchObject({
        no_usage: { calls: 1, quota: 40 },
        task: { calls: 1, quota: 40 },
        no_price: { calls: 1, quota: 40 },
        missing: { calls: 1, quota: 40 },
      });
    });

    test('the figures of a dry run bind: new calls, other runs and a cleaned log make it stale', async () => {
      await makeCall(world, call, startPrices, { daysAgo: 1 });
      const first = await dryRun(store, { version_id: cheap });
      const second = await dryRun(store, { version_id: dear });
      await makeCall(world, { ...call, tokenId: 0 }, startPrices, { daysAgo: 1 });
      expect(await codeOf(beginApply(store, first))).toBe('rerate_stale');
      const third = await dryRun(store, { version_id: cheap });
      expect(await codeOf(beginApply(store, { ...third, calls: 1 }))).toBe('rerate_stale');
      await apply(store, third);
      expect(await codeOf(beginApply(store, second))).toBe('rerate_stale');
      expect(await codeOf(beginApply(store, third))).toBe('rerate_not_ready');
    });

    test('a run that was applied and undone since, and a log that was cleaned, make a dry run stale (M21)', async () => {
      await makeCall(world, call, startPrices, { daysAgo: 3 });
      const first = await dryRun(store, { version_id: dear });
      const second = await dryRun(store, { version_id: cheap });
      await undo(store, (await apply(store, second)).id);
      // The charges are what they were; who paid them need not be.
      expect(await codeOf(beginApply(store, first))).toBe('rerate_stale');
      const third = await dryRun(store, { version_id: cheap });
      const clean = (cleaned_before: number) =>
        store.db.updateTable('log_cleaning').set({ cleaned_before }).execute();
      await clean(nextHour() - DAY);
      expect(await codeOf(beginApply(store, third))).toBe('rerate_stale');
      // Before the range it does not matter.
      await clean(third.from_at - DAY);
      expect(await apply(store, third)).toMatchObject({ state: 'applied', credit: 250 });
    });

    test('a run for some models does not miss the calls of others (M21)', async () => {
      await makeCall(world, call, startPrices);
      await makeCall(world, { ...call, tokenId: 0, model: 'beta' }, startPrices);
      const run = await dryRun(store, { version_id: cheap, models: ['alpha'] });
      expect(run).toMatchObject({ calls: 1, examined: 1, credit: 250 });
      expect(JSON.parse(run.left_out)).toEqual({});
    });

    test('a day whose calls changed after the run began is left out and named', async () => {
      const requestId = await makeCall(world, call, startPrices);
      await beginApply(store, await dryRun(store, { version_id: cheap }));
      await makeCall(world, { ...call, tokenId: 0 }, startPrices);
      await work(store);
      const { id } = await store.db.selectFrom('rerate_runs').select('id').executeTakeFirstOrThrow();
      expect(await partsOf(id)).toMatchObject([{ state: 'changed', wallet: 0 }]);
      expect((await logOf(requestId)).quota).toBe(500);
    });

    test('a run that is cut after each step, and continued by two nodes at once, books every note once', async () => {
      const others = [await world.user(5000), await world.user(5000)];
      for (const daysAgo of [0, 1, 2]) {
        await makeCall(world, { ...call, tokenId: 0 }, startPrices, { daysAgo });
        for (const userId of others)
          await makeCall(world, { ...call, userId, tokenId: 0 }, startPrices, { daysAgo });
      }
      const run = await dryRun(store, { version_id: cheap });
      await beginApply(store, run);
      expect(await codeOf(beginApply(store, run))).toBe('rerate_not_ready');
      const stop = new AbortController();
      await work(store, { signal: stop.signal, onBooked: () => stop.abort() });
      expect(await partsOf(run.id)).toHaveLength(1);
      expect(await checkInvariants(store)).toEqual([]);
      await Promise.allSettled([work(store), work(store)]);
      await work(store);
      expect(await partsOf(run.id)).toHaveLength(9);
      expect(await readRun(store, run.id)).toMatchObject({ state: 'applied' });
      for (const userId of [call.userId, ...others])
        expect(await totalsOf(store, userId)).toMatchObject({ used: 750, logged: 750, hours: 750 });
    });

    test('a day that another node books while it is rated here is booked once, and is not called changed (M21)', async () => {
      const requestId = await makeCall(world, call, startPrices);
      const run = await dryRun(store, { version_id: cheap });
      await beginApply(store, run);
      let isFirst = true;
      const afterRating = async () => {
        if (isFirst) {
          isFirst = false;
          await work(store);
        }
      };
      await work(store, { afterRating });
      expect(isFirst).toBe(false);
      expect(await partsOf(run.id)).toMatchObject([{ state: 'booked', part: 0, last: 1, wallet: -250 }]);
      expect((await logOf(requestId)).quota).toBe(250);
      expect(await totalsOf(store, call.userId)).toMatchObject({ quota: 9750, used: 250 });
    });

    test('a day that another node rates at the same time is counted once (M21)', async () => {
      const from_at = nextHour() - (nextHour() % DAY) - 2 * DAY;
      await makeCall(world, { ...call, tokenId: 0 }, startPrices, { at: from_at + HOUR });
      let isFirst = true;
      const afterRating = async () => {
        if (!isFirst) return;
        isFirst = false;
        // The other node writes this day, and has the next one to rate.
        const stop = new AbortController();
        await work(store, { signal: stop.signal, afterRating: async () => stop.abort() });
      };
      const span = { from_at, to_at: from_at + 2 * DAY };
      const cut = await dryRun(store, { version_id: cheap, ...span }, { afterRating });
      expect(cut).toMatchObject({ state: 'rating', position: from_at + DAY, calls: 1, credit: 250 });
      await work(store);
      const run = await readRun(store, cut.id);
      expect(run).toMatchObject({ state: 'ready', calls: 1, examined: 1, credit: 250, users: 1 });
      expect(await apply(store, run)).toMatchObject({ state: 'applied' });
      expect(await totalsOf(store, call.userId)).toMatchObject({ used: 250 });
    });

    test('a day of many calls is booked and undone in parts; a run that is cut between two continues with the rest (M21)', async () => {
      const yesterday = nextHour() - DAY - ((nextHour() - DAY) % DAY);
      const one = { ...call, tokenId: 0, usage: { input: 2, output: 0, cacheRead: 0 } };
      const userId = await world.user(10_000);
      const count = 510;
      for (let made = 0; made < count; made += 30)
        await Promise.all(
          Array.from({ length: 30 }, () =>
            makeCall(world, { ...one, userId }, startPrices, { at: yesterday - HOUR }),
          ),
        );
      const cut = async () => {
        const onBooked = () => {
          throw new Error('the node was killed');
        };
        expect(await failure(work(store, { onBooked }))).toMatchObject({ message: 'the node was killed' });
      };
      const run = await dryRun(store, { version_id: cheap });
      expect(run).toMatchObject({ calls: count, credit: count });
      await beginApply(store, run);
      await cut();
      expect(await partsOf(run.id)).toMatchObject([{ part: 0, last: 0, calls: 500 }]);
      await work(store);
      expect(await partsOf(run.id)).toMatchObject([
        { part: 0, last: 0, calls: 500 },
        { part: 1, last: 1, calls: 10, state: 'booked' },
      ]);
      expect(await totalsOf(store, userId)).toMatchObject({ used: count, logged: count, hours: count });
      const { id } = await beginUndo(store, run.id);
      await cut();
      await work(store);
      expect((await partsOf(id)).map(({ calls }) => calls)).toEqual([500, 10]);
      expect(await totalsOf(store, userId)).toMatchObject({ used: 2 * count, logged: 2 * count });
    });

    test('a range that begins and ends within a day corrects the calls inside it alone (M21)', async () => {
      const yesterday = nextHour() - DAY - ((nextHour() - DAY) % DAY) - DAY;
      const made = [];
      for (const hour of [5, 12, 20])
        made.push(
          await makeCall(world, { ...call, tokenId: 0 }, startPrices, { at: yesterday + hour * HOUR + 60 }),
        );
      const span = { from_at: yesterday + 10 * HOUR, to_at: yesterday + 15 * HOUR };
      const run = await apply(store, await dryRun(store, { version_id: cheap, ...span }));
      expect(run).toMatchObject({ state: 'applied', calls: 1, examined: 1, credit: 250 });
      expect(JSON.parse(run.left_out)).toEqual({});
      expect(await partsOf(run.id)).toMatchObject([{ state: 'booked', wallet: -250 }]);
      expect(await Promise.all(made.map(async (id) => (await logOf(id)).quota))).toEqual([500, 250, 500]);
    });

    test('calls on both sides of midnight have notes of their own days, whenever the range begins (M21)', async () => {
      const midnight = nextHour() - (nextHour() % DAY) - DAY;
      const made = [];
      for (const at of [midnight - 1800, midnight + 1800])
        made.push(await makeCall(world, { ...call, tokenId: 0 }, startPrices, { at }));
      const span = { from_at: midnight - 14 * HOUR, to_at: midnight + 10 * HOUR };
      const run = await apply(store, await dryRun(store, { version_id: cheap, ...span }));
      expect(run).toMatchObject({ calls: 2, credit: 500 });
      expect(await partsOf(run.id)).toMatchObject([
        { day: midnight - DAY, state: 'booked', wallet: -250 },
        { day: midnight, state: 'booked', wallet: -250 },
      ]);
      expect(await Promise.all(made.map(async (id) => (await logOf(id)).quota))).toEqual([250, 250]);
    });

    test('an undo gives the operator’s loss of the first settlement back to the operator, not to the user (M21)', async () => {
      const userId = await world.user(300);
      // 300 of 500 are paid.
      await makeCall(world, { ...call, userId, tokenId: 0 }, startPrices);
      expect(await totalsOf(store, userId)).toMatchObject({ quota: 0, used: 300, suspense: 200 });
      const run = await apply(store, await dryRun(store, { version_id: cheap }));
      expect(await totalsOf(store, userId)).toMatchObject({ quota: 50, used: 250, suspense: 0 });
      await grant(world.ledger, userId, 1000);
      await undo(store, run.id);
      expect(await totalsOf(store, userId)).toMatchObject({ quota: 1000, used: 300, suspense: 200 });
    });

    test('what a late settlement added to the operator’s loss, or took from it, is part of the price before (M21)', async () => {
      const scenario = { what: '', balance: 300, held: 300 };
      const calls = await openCalls(store, [
        // Recovery charges 300 and loses 200; the settlement says 400.
        { ...scenario, checkpoint: 500, charge: 400 },
        // Recovery charges 100; the settlement says 500, and 300 are there.
        { ...scenario, checkpoint: 100, charge: 500 },
      ]);
      await applyAll(store, calls.map(recovering));
      const usages = [{ output: 100 }, { input: 100, output: 100 }];
      await applyAll(
        store,
        calls.map((late, index) =>
          settling(late, {
            modelName: 'alpha',
            log: {
              ...logRow(late.userId, late.tokenId),
              model_name: 'alpha',
              group: 'default',
              other: JSON.stringify({ usage: usages[index] }),
            },
          }),
        ),
      );
      const totals = () => Promise.all(calls.map(({ userId }) => totalsOf(store, userId)));
      expect(await totals()).toMatchObject([
        { quota: 0, used: 300, suspense: 100 },
        { quota: 0, used: 300, suspense: 200 },
      ]);
      const run = await apply(store, await dryRun(store, { version_id: cheap }));
      expect(run).toMatchObject({ calls: 2, credit: 200 + 250 });
      // The loss ends first.
      expect(await totals()).toMatchObject([
        { quota: 100, used: 200, suspense: 0 },
        { quota: 50, used: 250, suspense: 0 },
      ]);
    });

    test('an undo leaves the days alone that a run did not book (M21)', async () => {
      const made = [];
      for (const daysAgo of [0, 2])
        made.push(await makeCall(world, { ...call, tokenId: 0 }, startPrices, { daysAgo }));
      await beginApply(store, await dryRun(store, { version_id: cheap }));
      // A call that comes late changes the first of the two days.
      await makeCall(world, { ...call, tokenId: 0 }, startPrices, { daysAgo: 2 });
      await work(store);
      const { id } = await store.db.selectFrom('rerate_runs').select('id').executeTakeFirstOrThrow();
      expect((await partsOf(id)).map(({ state }) => state)).toEqual(['changed', 'booked']);
      const back = await undo(store, id);
      expect(await partsOf(back.id)).toMatchObject([{ wallet: 250, state: 'booked' }]);
      expect(await totalsOf(store, call.userId)).toMatchObject({ quota: 8500, used: 1500, logged: 1500 });
    });

    test('an undo of a call whose shares changed meanwhile brings its price back and charges the user nothing (M21)', async () => {
      const one = { ...call, tokenId: 0 };
      await makeCall(world, one, startPrices);
      const first = await apply(store, await dryRun(store, { version_id: dear }));
      const second = await apply(store, await dryRun(store, { version_id: cheap }));
      const { quota } = await totalsOf(store, one.userId);
      const spent = { idem: newId(), userId: one.userId, amount: quota, kind: 'admin', reference: '' };
      await world.ledger.debit({ ...spent, to: 'world:admin' });
      // Nothing is left to pay the dear price again with.
      await undo(store, second.id);
      expect(await totalsOf(store, one.userId)).toMatchObject({ quota: 0, used: 250, suspense: 1250 });
      await grant(world.ledger, one.userId, 5000);
      await undo(store, first.id);
      expect(await totalsOf(store, one.userId)).toMatchObject({ quota: 5000, used: 250, suspense: 250 });
    });

    test('a call that changed since it was rated is not booked', async () => {
      const requestId = await makeCall(world, call, startPrices);
      const { id: logId, created_at: createdAt } = await logOf(requestId);
      const shares = (wallet: number) => ({ wallet, plan: 0, suspense: 0 });
      const named = { ...call, logId, createdAt, requestId, modelName: 'alpha' };
      const correction = { ...named, subscriptionId: 0, isCosted: false };
      const note = { idem: newId(), userId: call.userId, runId: 1, day: '2026-01-01', isUndo: false };
      const booked = await store.db.transaction().execute((transaction) =>
        bookCorrections(transaction, store.dialect, {
          ...note,
          calls: [{ ...correction, before: shares(499), wanted: shares(100) }],
        }),
      );
      expect(booked).toBeUndefined();
      expect(await totalsOf(store, call.userId)).toMatchObject({ quota: 9500, used: 500 });
    });
  });
});
