// A run beside what it must not touch: other users with rows in every state, other runs, other ranges and ended subscriptions.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { sql } from 'kysely';
import { AppError } from '#contract/errors.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { endSubscription } from '#server/money/ledger/subscriptions.ts';
import { discardRun } from '#server/money/rerating/index.ts';
import { notifyUsers } from '#server/money/rerating/notify.ts';
import type { NewRow } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { createWorld, reserve, type World } from '#tests/integration/money/ledger/world.ts';
import { subscribe } from '#tests/integration/money/plans/world.ts';
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

/** Table → the column that names the owner of a row. */
const owned = {
  users: 'id',
  tokens: 'user_id',
  subscriptions: 'user_id',
  ledger: 'user_id',
  logs: 'user_id',
  usage_hours: 'user_id',
  margin_days: 'user_id',
  rerate_sums: 'user_id',
  rerate_parts: 'user_id',
  rerate_calls: 'user_id',
  notices: 'user_id',
} as const;

forEachDatabase((_label, open) => {
  describe('beside a run', () => {
    let world: World;
    let store: Store;
    let call: TestCall;
    let cheap: number;
    let dear: number;
    let bystander: number;
    const usage = { input: 100, output: 100, cacheRead: 0 };

    beforeEach(async () => {
      store = await open();
      world = await createWorld(store);
      await allowThePast(store);
      await addVersion(store, startPrices);
      // 500 units of alpha become 250, or 1500. Beta costs the same by every version.
      cheap = await addVersion(store, { ...startPrices, alpha: 50 });
      dear = await addVersion(store, { ...startPrices, alpha: 300 });
      bystander = await makeBystander();
      const userId = await world.user(10_000);
      const tokenId = await world.token(userId, { unlimited_quota: 0, remain_quota: 600 });
      call = { userId, tokenId, channelId: await world.channel(), model: 'alpha', group: 'default', usage };
    });
    afterEach(async () => {
      expect(await checkInvariants(store)).toEqual([]);
      await world.close();
    });

    /** The first user, with money on hold, tokens with and without a rest, a subscription, and calls of the same days. */
    async function makeBystander(): Promise<number> {
      const userId = await world.user(1_000_000);
      const plan = await subscribe(world, userId, { period_quota: 5000 });
      const channelId = await world.channel();
      const beta = { userId, channelId, model: 'beta', group: 'vip', usage } as const;
      // A call costs 320: the second token has nothing left.
      for (const [remain_quota, days] of [
        [5000, [0, 1, 2]],
        [640, [0, 1]],
      ] as const) {
        const tokenId = await world.token(userId, { unlimited_quota: 0, remain_quota });
        for (const daysAgo of days)
          await makeCall(world, { ...beta, tokenId }, startPrices, { daysAgo, cost: 7 });
      }
      await makeCall(world, { ...beta, tokenId: 0 }, startPrices, { plans: [plan] });
      await reserve(world.ledger, userId, 0, 900_000);
      await world.findUser(userId);
      return userId;
    }

    const rowsOf = async (userId: number) => {
      const found: Record<string, unknown> = {};
      for (const [table, owner] of Object.entries(owned)) {
        const { rows } =
          await sql`select * from ${sql.table(table)} where ${sql.ref(owner)} = ${userId}`.execute(store.db);
        found[table] = rows.map((row) => JSON.stringify(row)).toSorted();
      }
      return found;
    };
    const partsOf = (runId: number) =>
      store.db.selectFrom('rerate_parts').selectAll().where('run_id', '=', runId).orderBy('id').execute();
    const codeOf = async (promise: Promise<unknown>) => {
      const error = await failure(promise);
      return error instanceof AppError ? error.code : error;
    };
    const discard = (id: number) =>
      store.db.transaction().execute((transaction) => discardRun(transaction, store.dialect, id));
    const debitAll = async (userId: number) => {
      const { quota } = await totalsOf(store, userId);
      const spent = { idem: `spent-${userId}`, userId, amount: quota, kind: 'admin', reference: '' };
      await world.ledger.debit({ ...spent, to: 'world:admin' });
    };

    test('rows of another user and of other runs stay as they are, applied, undone and discarded (M21)', async () => {
      await makeCall(world, call, startPrices, { cost: 90 });
      await makeCall(world, { ...call, tokenId: 0 }, startPrices, { daysAgo: 1 });
      // A run of another user that waits for its decision, one that was discarded, and one that was undone.
      const other = await world.user(5000);
      const otherCall = { ...call, userId: other, tokenId: 0, group: 'vip' as const };
      await makeCall(world, otherCall, startPrices, { daysAgo: 1 });
      const undone = await apply(store, await dryRun(store, { version_id: dear, groups: ['vip'] }));
      await undo(store, undone.id);
      const discarded = await dryRun(store, { version_id: dear, groups: ['vip'] });
      const waiting = await dryRun(store, { version_id: dear, groups: ['vip'] });
      expect(waiting).toMatchObject({ state: 'ready', calls: 1, users: 1, debit: 800 });
      await discard(discarded.id);
      expect(await readRun(store, discarded.id)).toMatchObject({ state: 'discarded' });

      const runs = async (own: readonly number[]) =>
        (await store.db.selectFrom('rerate_runs').selectAll().orderBy('id').execute()).filter(
          ({ id }) => !own.includes(id),
        );
      const sums = (id: number) =>
        store.db.selectFrom('rerate_sums').selectAll().where('run_id', '=', id).execute();
      const before = [await rowsOf(bystander), await rowsOf(other), await runs([])];
      expect(await sums(waiting.id)).toHaveLength(1);
      expect(before[2]).toHaveLength(4);

      const run = await apply(store, await dryRun(store, { version_id: cheap, groups: ['default'] }));
      expect(run).toMatchObject({ state: 'applied', calls: 2, users: 1, credit: 500 });
      expect((await partsOf(run.id)).map(({ user_id }) => user_id)).toEqual([call.userId, call.userId]);
      const taken = await undo(store, run.id);
      const dropped = await dryRun(store, { version_id: cheap, groups: ['default'] });
      await discard(dropped.id);
      expect(await sums(dropped.id)).toEqual([]);
      const own = [run.id, taken.id, dropped.id];
      expect([await rowsOf(bystander), await rowsOf(other), await runs(own)]).toEqual(before);
      // A run has booked in its range.
      expect(await codeOf(beginApply(store, waiting))).toBe('rerate_stale');
    });

    test('a debit takes what its own user has, not what the first user has (M21)', async () => {
      await makeCall(world, { ...call, tokenId: 0 }, startPrices);
      const run = await dryRun(store, { version_id: dear });
      await debitAll(call.userId);
      await apply(store, run);
      expect(await partsOf(run.id)).toMatchObject([{ wallet: 0, suspense: 1000, plan: 0 }]);
      expect(await totalsOf(store, call.userId)).toMatchObject({ quota: 0, used: 500, suspense: 1000 });
    });

    test('a subscription that was ended before its time gets nothing back: the balance does (M21)', async () => {
      const plan = await subscribe(world, call.userId, { period_quota: 1200 });
      const running = await subscribe(world, call.userId, { period_quota: 1200 });
      await makeCall(world, { ...call, tokenId: 0 }, startPrices, { plans: [plan] });
      await store.db
        .transaction()
        .execute((transaction) => endSubscription({ ...world, store }, transaction, plan, 'admin'));
      const run = await apply(store, await dryRun(store, { version_id: cheap }));
      expect(await partsOf(run.id)).toMatchObject([{ wallet: -250, plan: 0 }]);
      const rows = await store.db.selectFrom('subscriptions').select(['id', 'quota']).orderBy('id').execute();
      expect(rows.filter(({ id }) => id === plan || id === running).map(({ quota }) => quota)).toEqual([
        0, 1200,
      ]);
    });

    test('tokens whose status changes are announced, and users whose subscription paid (M21)', async () => {
      const announced: string[] = [];
      const stops = (['tokens', 'users'] as const).map((topic) =>
        store.changes.subscribe(topic, (detail) => announced.push(`${topic} ${detail}`)),
      );
      const used = await world.token(call.userId, { unlimited_quota: 0, remain_quota: 500 });
      const plan = await subscribe(world, call.userId, { period_quota: 1200 });
      await makeCall(world, call, startPrices);
      await makeCall(world, { ...call, tokenId: used }, startPrices);
      expect(await world.findToken(used)).toMatchObject({ status: 4, remain_quota: 0 });
      const heard = async (run: () => Promise<unknown>) => {
        await Bun.sleep(100);
        announced.length = 0;
        await run();
        await Bun.sleep(100);
        return announced.toSorted();
      };
      expect(await heard(async () => apply(store, await dryRun(store, { version_id: cheap })))).toEqual([
        `tokens ${used}`,
      ]);
      expect(await world.findToken(used)).toMatchObject({ status: 1, remain_quota: 250 });
      await makeCall(world, { ...call, tokenId: 0 }, startPrices, { plans: [plan], daysAgo: 0 });
      const again = async () => apply(store, await dryRun(store, { version_id: cheap }));
      expect(await heard(again)).toEqual([`users ${call.userId}`]);
      for (const stop of stops) stop();
    });

    test('a run that is discarded when its days are rated is not ready afterwards (M21)', async () => {
      await makeCall(world, call, startPrices);
      const { id, to_at } = await dryRun(store, { version_id: cheap });
      // As a node leaves it that is killed before its last step.
      await store.db.updateTable('rerate_runs').set({ state: 'rating' }).where('id', '=', id).execute();
      expect(await readRun(store, id)).toMatchObject({ state: 'rating', position: to_at });
      await work(store, { beforeRating: async () => void (await discard(id)) });
      expect(await readRun(store, id)).toMatchObject({ state: 'discarded' });
    });

    test('of two runs that are rated one after the other the second is not ready with the first (M21)', async () => {
      await makeCall(world, call, startPrices);
      const [first, second] = [
        await dryRun(store, { version_id: cheap }),
        await dryRun(store, { version_id: cheap }),
      ];
      const set = (id: number, change: object) =>
        store.db.updateTable('rerate_runs').set(change).where('id', '=', id).execute();
      await set(first.id, { state: 'rating' });
      await set(second.id, { state: 'rating', position: second.from_at, calls: 0, credit: 0 });
      await store.db.deleteFrom('rerate_sums').where('run_id', '=', second.id).execute();
      await work(store);
      for (const { id } of [first, second])
        expect(await readRun(store, id)).toMatchObject({ state: 'ready', calls: 1, credit: 250 });
    });

    test('tokens and channels stop at zero, unlimited ones keep their rest, and only a used up token is enabled (M21)', async () => {
      const limited = { unlimited_quota: 0 } as const;
      const ids = {
        disabled: await world.token(call.userId, { ...limited, remain_quota: 700 }),
        unlimited: await world.token(call.userId, { remain_quota: 33 }),
        usedUp: await world.token(call.userId, { ...limited, remain_quota: 500 }),
        counted: await world.token(call.userId, { ...limited, remain_quota: 700 }),
      };
      for (const tokenId of Object.values(ids)) await makeCall(world, { ...call, tokenId }, startPrices);
      const change = (id: number, columns: object) =>
        store.db.updateTable('tokens').set(columns).where('id', '=', id).execute();
      await change(ids.disabled, { status: 2 });
      // An operator has begun to count anew.
      await change(ids.counted, { used_quota: 100 });
      await store.db
        .updateTable('channels')
        .set({ used_quota: 600 })
        .where('id', '=', call.channelId)
        .execute();
      const states = async () => {
        const found = await Promise.all(Object.values(ids).map((id) => world.findToken(id)));
        return found.map(({ status, remain_quota, used_quota }) => [status, remain_quota, used_quota]);
      };
      const channel = async () =>
        await store.db
          .selectFrom('channels')
          .select('used_quota')
          .where('id', '=', call.channelId)
          .executeTakeFirstOrThrow();
      expect(await states()).toEqual([
        [2, 200, 500],
        [1, 33, 500],
        [4, 0, 500],
        [1, 200, 100],
      ]);
      const run = await apply(store, await dryRun(store, { version_id: cheap }));
      expect(await states()).toEqual([
        [2, 450, 250],
        [1, 33, 250],
        [1, 250, 250],
        [1, 450, 0],
      ]);
      expect(await channel()).toEqual({ used_quota: 0 });
      await undo(store, run.id);
      expect(await states()).toEqual([
        [2, 200, 500],
        [1, 33, 500],
        [4, 0, 500],
        [1, 200, 250],
      ]);
      expect(await channel()).toEqual({ used_quota: 1000 });
      await apply(store, await dryRun(store, { version_id: dear }));
      // The rest of a disabled token ends too; it stays disabled.
      expect((await states())[0]).toEqual([2, 0, 1500]);
    });

    test('margins and hours follow each user, channel, model, group and day of the corrected calls (M21)', async () => {
      const other = await world.user(10_000);
      const channelIds = [call.channelId, await world.channel()];
      // Each of another price: sums that were exchanged differ.
      let input = 100;
      for (const userId of [call.userId, other])
        for (const channelId of channelIds)
          for (const group of ['default', 'vip'] as const)
            for (const model of ['alpha', 'beta'] as const)
              for (const daysAgo of [1, 2]) {
                const one = { ...call, tokenId: 0, userId, channelId, group, model };
                const counts = { input: (input += 10), output: 0, cacheRead: 0 };
                const cost = userId === other ? 5 : null;
                await makeCall(world, { ...one, usage: counts }, startPrices, { daysAgo, cost });
              }
      const check = async () => {
        for (const sums of [await marginSums(store), await hourSums(store)])
          expect(sums.kept).toEqual(sums.logged as never);
        return (await marginSums(store)).kept;
      };
      const before = await check();
      const run = await apply(store, await dryRun(store, { version_id: cheap }));
      expect(run).toMatchObject({ calls: 16, users: 2 });
      expect(await check()).not.toEqual(before);
      await undo(store, run.id);
      expect(await check()).toEqual(before);
    });

    test('log rows that are no calls are not rated, and a run is booked before another is rated (M21)', async () => {
      await makeCall(world, call, startPrices);
      const events = [1, 3, 5].map((type) => ({
        type,
        created_at: nextHour() - HOUR,
        user_id: call.userId,
        model_name: 'alpha',
        group: 'default',
        quota: 50,
        other: '{"usage":{"input":100}}',
      }));
      await store.db.insertInto('logs').values(events).execute();
      const first = await dryRun(store, { version_id: cheap });
      expect(first).toMatchObject({ calls: 1, examined: 7, left_out: '{}' });
      const second = await dryRun(store, { version_id: cheap });
      await beginApply(store, second);
      await store.db.updateTable('rerate_runs').set({ state: 'rating' }).where('id', '=', first.id).execute();
      const order: string[] = [];
      await work(store, {
        beforeRating: async () => {
          const [one, other] = [await readRun(store, first.id), await readRun(store, second.id)];
          order.push(`${one.state} ${other.state}`);
        },
      });
      expect(order).toEqual(['rating applying', 'rating applied']);
    });

    test('what happens outside the range of a dry run leaves it as it is, what happens inside makes it stale (M21)', async () => {
      const to_at = nextHour() - 2 * HOUR;
      const span = { from_at: to_at - 2 * DAY, to_at };
      const at = to_at - DAY;
      await makeCall(world, { ...call, tokenId: 0 }, startPrices, { at });
      const run = await dryRun(store, { version_id: cheap, ...span });
      // Calls and runs right before and right after it.
      for (const outside of [span.from_at - 60, to_at + 60])
        await makeCall(world, { ...call, tokenId: 0 }, startPrices, { at: outside });
      for (const range of [
        { from_at: span.from_at - DAY, to_at: span.from_at },
        { from_at: to_at, to_at: to_at + HOUR },
      ])
        expect(await apply(store, await dryRun(store, { version_id: dear, ...range }))).toMatchObject({
          state: 'applied',
          calls: 1,
        });
      const hour = at - (at % HOUR);
      for (const column of ['count', 'quota', 'prompt_tokens', 'completion_tokens'])
        for (const change of [1, -1]) {
          await sql`update usage_hours set ${sql.ref(column)} = ${sql.ref(column)} + ${change}
            where hour = ${hour} and user_id = ${call.userId}`.execute(store.db);
          if (change > 0) expect(await codeOf(beginApply(store, run))).toBe('rerate_stale');
        }
      expect(await apply(store, run)).toMatchObject({ state: 'applied', credit: 250 });
    });

    test('a run over a part of the range makes a dry run stale, also when it was undone (M21)', async () => {
      const to_at = nextHour() - 2 * HOUR;
      const from_at = to_at - 2 * DAY;
      await makeCall(world, { ...call, tokenId: 0 }, startPrices, { at: to_at - DAY });
      for (const part of [
        { from_at, to_at: to_at - HOUR },
        { from_at: from_at + HOUR, to_at },
      ]) {
        const run = await dryRun(store, { version_id: cheap, from_at, to_at });
        const other = await apply(store, await dryRun(store, { version_id: dear, ...part }));
        await undo(store, other.id);
        expect(await codeOf(beginApply(store, run))).toBe('rerate_stale');
      }
    });

    test('an undo waits for later runs of the same calls alone, and only while they are in force (M21)', async () => {
      await makeCall(world, { ...call, tokenId: 0 }, startPrices);
      const first = await apply(store, await dryRun(store, { version_id: dear }));
      // Of other calls.
      await makeCall(world, { ...call, tokenId: 0 }, startPrices, { daysAgo: 3 });
      const yesterday = nextHour() - DAY;
      await apply(store, await dryRun(store, { version_id: cheap, to_at: yesterday }));
      const second = await apply(store, await dryRun(store, { version_id: cheap }));
      expect(second).toMatchObject({ state: 'applied', calls: 1 });
      expect(await codeOf(beginUndo(store, first.id))).toBe('rerate_later_run');
      await undo(store, second.id);
      // A dry run that is not applied is no hindrance.
      expect(await dryRun(store, { version_id: cheap })).toMatchObject({ state: 'ready', calls: 1 });
      await undo(store, first.id);
      expect(await readRun(store, first.id)).toMatchObject({ state: 'undone' });
      expect(await codeOf(beginUndo(store, second.id))).toBe('rerate_not_applied');
    });

    test('each of many users gets one notice with the days that were booked (M21)', async () => {
      const { id: runId } = await dryRun(store, { version_id: cheap });
      const run = await readRun(store, runId);
      const count = 205;
      const users = Array.from({ length: count }, (_, index) => ({
        username: `reader-${index}`,
        aff_code: `r${index}`,
      }));
      const ids = (await store.db.insertInto('users').values(users).returning('id').execute()).map(
        ({ id }) => id,
      );
      type Part = NewRow<'rerate_parts'>;
      const part = (user_id: number, day: number, more: Partial<Part> = {}): Part => {
        const key = {
          run_id: runId,
          user_id,
          day: day * DAY,
          part: 0,
          created_at: 1,
          last: 1 as const,
          state: 'booked' as const,
        };
        const idem = `${key.run_id}:${user_id}:${day}`;
        return { ...key, idem, wallet: -user_id, plan: -1, suspense: 50, ...more };
      };
      const rows = ids.flatMap((id) => [
        part(id, 10),
        part(id, 12),
        // Nothing of this day was booked.
        part(id, 20, { state: 'changed', wallet: 0, plan: 0, suspense: 0 }),
        // Of another run.
        part(id, 5, { run_id: runId + 1, idem: `other:${id}` }),
      ]);
      const [, second] = ids;
      const even = rows.filter(({ user_id, day }) => user_id === second && day === 12 * DAY);
      // What one day gives back, another takes: nothing to tell.
      for (const row of even) Object.assign(row, { wallet: second, plan: 1 });
      for (let at = 0; at < rows.length; at += 200)
        await store.db
          .insertInto('rerate_parts')
          .values(rows.slice(at, at + 200))
          .execute();
      await notifyUsers(store, run);
      await notifyUsers(store, run);
      const notices = await store.db
        .selectFrom('notices')
        .select(['user_id', 'details'])
        .where('event', '=', 'charges_corrected')
        .orderBy('user_id')
        .execute();
      expect(notices.map(({ user_id }) => user_id)).toEqual(ids.filter((id) => id !== second));
      expect(JSON.parse(notices.at(-1)?.details ?? '')).toMatchObject({
        amount: -2 * (ids.at(-1) ?? 0) - 2,
        days: 2,
        first: 10 * DAY,
        last: 12 * DAY,
      });
      await store.db.deleteFrom('rerate_parts').execute();
    });

    test('each user gets one notice of a run and one of its undo, with the sum and the days (M21)', async () => {
      const [one, other] = [await world.user(10_000), await world.user(10_000)];
      const makeFor = async (userId: number, daysAgo: number) =>
        makeCall(world, { ...call, userId, tokenId: 0 }, startPrices, { daysAgo });
      await makeFor(one, 0);
      await makeFor(one, 3);
      await makeFor(other, 0);
      const run = await apply(store, await dryRun(store, { version_id: cheap }));
      await undo(store, run.id);
      const rows = await store.db.selectFrom('notices').selectAll().orderBy('id').execute();
      const values = rows.map(({ user_id, event, details }) => ({ user_id, event, ...JSON.parse(details) }));
      const event = 'charges_corrected';
      const [mine, others] = [
        { event, user_id: one, days: 2 },
        { event, user_id: other, days: 1 },
      ];
      const reason = 'the price was wrong';
      const last = (values[0]?.first as number) + 3 * DAY;
      expect(values).toMatchObject([
        { ...mine, amount: -500, last, reason, undone: false },
        { ...others, amount: -250, first: last, reason, undone: false },
        { ...mine, amount: 500, undone: true },
        { ...others, amount: 250, undone: true },
      ]);
    });
  });
});
