// What a settlement, a release, a checkpoint or a correction of recovery writes beside the amount: its time, its snapshot, its answer,
// and what was lost. Nobody would notice a fault here before the next statement.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Operation } from '#server/money/ledger/engine/operations.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import type { Store } from '#server/platform/store/store.ts';
import { age, daySeconds, planFirst, subscribe } from '#tests/integration/money/plans/world.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import {
  answerTo,
  applyAll,
  checkpointChannel,
  lastChannel,
  openCalls,
  progressing,
  recovering,
  releasing,
  settling,
  tracesOf,
  type Call,
  type Scenario,
} from './settlement-world.ts';
import { createWorld, logRow, newId, outcome, reserve, type World } from './world.ts';

setDefaultTimeout(60_000);

const ordinary: Scenario = { what: '', balance: 1000, held: 300, checkpoint: 150, charge: 240 };

forEachDatabase((label, open) => {
  describe('a settlement', () => {
    let store: Store;
    let world: World;
    beforeEach(async () => {
      store = await open();
      world = await createWorld(store);
      await store.db
        .insertInto('channels')
        .values([checkpointChannel, lastChannel].map((id) => ({ id, name: String(id) })))
        .execute();
    });
    afterEach(async () => {
      expect(await checkInvariants(store)).toEqual([]);
      await world.close();
    });

    async function openCall(change: Partial<Scenario> = {}): Promise<Call> {
      const [call] = await openCalls(store, [{ ...ordinary, ...change }]);
      if (call === undefined) throw new Error('no call');
      return call;
    }

    const yesterday = () => Math.floor(Date.now() / 1000) - daySeconds;
    const hourOf = (at: number) => at - (at % 3600);
    const dayOf = (at: number) => at - (at % daySeconds);

    /** The times under which a call is counted. */
    async function timesOf({ userId }: Call) {
      const { db } = store;
      const entries = db.selectFrom('ledger').select(['kind', 'created_at']).where('kind', '<>', 'admin');
      const logs = db.selectFrom('logs').select('created_at').where('user_id', '=', userId);
      const hours = db.selectFrom('usage_hours').select('hour').where('user_id', '=', userId);
      const days = db.selectFrom('margin_days').select('day').where('user_id', '=', userId);
      return {
        entries: await entries.where('user_id', '=', userId).orderBy('id').execute(),
        logs: (await logs.execute()).map(({ created_at }) => created_at),
        hours: (await hours.execute()).map(({ hour }) => hour),
        days: (await days.execute()).map(({ day }) => day),
      };
    }

    test('that is replayed is dated when its call ended: entries, log, figures and budget (M21)', async () => {
      const call = await openCall({ balance: 500, charge: 600 });
      const at = yesterday();
      await store.db.updateTable('users').set({ day_budget: 1000 }).where('id', '=', call.userId).execute();
      await applyAll(store, [settling(call, { at })]);
      expect(await timesOf(call)).toEqual({
        entries: [
          { kind: 'use', created_at: at },
          { kind: 'suspense', created_at: at },
          { kind: 'above_hold', created_at: at },
        ],
        logs: [at],
        hours: [hourOf(at)],
        days: [dayOf(at)],
      });
      const token = store.db.selectFrom('tokens').select('accessed_time').where('id', '=', call.tokenId);
      expect(await token.executeTakeFirstOrThrow()).toEqual({ accessed_time: at });
    });

    test('that is replayed leaves the last use of the token as late as it was (M21)', async () => {
      const call = await openCall();
      const token = store.db.updateTable('tokens').where('id', '=', call.tokenId);
      const lastUse = Math.floor(Date.now() / 1000);
      await token.set({ accessed_time: lastUse }).execute();
      await applyAll(store, [settling(call, { at: yesterday() })]);
      const found = store.db.selectFrom('tokens').select('accessed_time').where('id', '=', call.tokenId);
      expect(await found.executeTakeFirstOrThrow()).toEqual({ accessed_time: lastUse });
    });

    test('that comes late leaves what was promised to running calls, and misses the rest (M21)', async () => {
      const call = await openCall({ charge: 1000 });
      await applyAll(store, [recovering(call)]);
      // Recovery has charged 150 of 1000. The ledger of the process holds 300 for another call, without a row.
      const late = settling(call, { memoryHeld: { user: 300, token: 0 } });
      expect(await answerTo(store, late)).toMatchObject({ charged: 700, suspense: 300, balance: 0 });
      expect(await world.findUser(call.userId)).toMatchObject({ quota: 300, used_quota: 700 });
    });

    test('that takes back from a channel whose figure the operator has set to nothing leaves it at nothing', async () => {
      const figures = async () => {
        const rows = store.db.selectFrom('channels').select(['id', 'used_quota']).orderBy('id');
        const found = await rows.where('id', 'in', [checkpointChannel, lastChannel]).execute();
        return found.map(({ used_quota }) => used_quota);
      };
      const reset = (used_quota: number) =>
        store.db.updateTable('channels').set({ used_quota }).where('id', '=', checkpointChannel).execute();
      const call = await openCall({ charge: 50 });
      await applyAll(store, [recovering(call)]);
      const [recovered = 0, before = 0] = await figures();
      expect(recovered).toBeGreaterThan(100);
      await reset(20);
      await applyAll(store, [settling(call)]);
      expect(await figures()).toEqual([0, before + 50]);
    });

    test('counts the hours of each token for itself, also of calls that end together (M21)', async () => {
      const userId = await world.user(1000);
      const tokenIds = [await world.token(userId), await world.token(userId)];
      const calls = await Promise.all(tokenIds.map((id) => reserve(world.ledger, userId, id, 50)));
      await Promise.all(
        calls.map(({ requestId }, index) =>
          world.ledger.settle(requestId, outcome(20 + index, { promptTokens: 10 + index })),
        ),
      );
      const hours = store.db
        .selectFrom('usage_hours')
        .select(['token_id', 'count', 'quota', 'prompt_tokens'])
        .where('user_id', '=', userId);
      expect(await hours.orderBy('token_id').execute()).toEqual(
        tokenIds.map((token_id, index) => ({
          token_id,
          count: 1,
          quota: 20 + index,
          prompt_tokens: 10 + index,
        })),
      );
    });

    test('that comes late counts its margin in the group of the log row (M21)', async () => {
      for (const log of [undefined, null]) {
        const call = await openCall();
        await applyAll(store, [recovering(call)]);
        await applyAll(store, [settling(call, { group: 'other', ...(log === null ? { log } : {}) })]);
        const [trace] = await tracesOf(store, [call]);
        const row = store.db.selectFrom('logs').select('group').where('user_id', '=', call.userId);
        const { group } = await row.executeTakeFirstOrThrow();
        expect(trace).toMatchObject({ margins: [{ group, count: 1, quota: 240 }] });
        expect(group).not.toBe('other');
      }
    });

    test('that comes late with its cost replaces a charge of unknown cost in the margins (M21)', async () => {
      const call = await openCall();
      await applyAll(store, [recovering(call)]);
      // As recovery counts a call whose checkpoint has no cost.
      const unknown = { cost: 0, costed_count: 0, costed_quota: 0 };
      await store.db.updateTable('margin_days').set(unknown).where('user_id', '=', call.userId).execute();
      await store.db.updateTable('logs').set({ cost: null }).where('user_id', '=', call.userId).execute();
      await applyAll(store, [settling(call, { cost: 100 })]);
      const days = await store.db
        .selectFrom('margin_days')
        .select(['quota', 'cost', 'costed_count', 'costed_quota'])
        .where('user_id', '=', call.userId)
        .execute();
      const total = (name: 'quota' | 'cost' | 'costed_count' | 'costed_quota') =>
        days.reduce((sum, day) => sum + day[name], 0);
      expect([total('quota'), total('costed_quota'), total('cost'), total('costed_count')]).toEqual([
        240, 240, 100, 1,
      ]);
    });

    test('shows the balance without what other calls hold (M21)', async () => {
      const userId = await world.user(1000);
      const tokenId = await world.token(userId);
      await reserve(world.ledger, userId, tokenId, 300);
      expect(await world.ledger.balance(userId)).toBe(700);
      expect(await world.ledger.balance(999_999)).toBe(0);
    });

    test('that is replayed spends the budget of its own day only (M21)', async () => {
      const call = await openCall({ balance: 2000, charge: 240 });
      await store.db.updateTable('users').set({ day_budget: 250 }).where('id', '=', call.userId).execute();
      await applyAll(store, [settling(call, { at: yesterday() })]);
      const { admission } = await reserve(world.ledger, call.userId, call.tokenId, 250);
      expect(admission).toMatchObject({ ok: true });
    });

    test('that comes late is booked when its call ended, in the hour in which recovery counted it (M21)', async () => {
      const call = await openCall();
      await applyAll(store, [recovering(call)]);
      const recoveredAt = (await timesOf(call)).logs[0] ?? 0;
      const at = yesterday();
      await applyAll(store, [settling(call, { at })]);
      const { entries, logs, hours, days } = await timesOf(call);
      expect(entries).toEqual([
        { kind: 'use', created_at: recoveredAt },
        { kind: 'use', created_at: at },
      ]);
      expect(logs).toEqual([recoveredAt]);
      expect(new Set(hours)).toEqual(new Set([hourOf(recoveredAt)]));
      expect(new Set(days)).toEqual(new Set([dayOf(recoveredAt)]));
    });

    test('of nothing that is replayed dates its failure to the call (M21)', async () => {
      const call = await openCall();
      const at = yesterday();
      const log = { ...logRow(call.userId, call.tokenId), type: 5 };
      const failure = { channelId: lastChannel, modelName: 'gpt-4o', useTimeMs: 5, log };
      await applyAll(store, [{ ...releasing(call), at, failure } as Operation]);
      expect(await timesOf(call)).toEqual({ entries: [], logs: [at], hours: [hourOf(at)], days: [] });
    });

    // SQLite knows whether it has written a release; the answer of PostgreSQL may be lost.
    test.if(label === 'postgres')('of nothing that is sent again writes its failure once (M21)', async () => {
      const call = await openCall();
      await applyAll(store, [releasing(call)]);
      const { userId, tokenId } = call;
      const log = { ...logRow(userId, tokenId), type: 5 };
      const failure = { channelId: lastChannel, modelName: 'gpt-4o', useTimeMs: 5, log };
      const release = {
        ...releasing(call),
        failure,
        owner: { userId, tokenId },
        slice: { id: '', amount: 0 },
      };
      await applyAll(store, [release]);
      await applyAll(store, [{ ...release, isAgain: true } as Operation]);
      await applyAll(store, [{ ...release, isAgain: true } as Operation]);
      const [trace] = await tracesOf(store, [call]);
      expect(trace).toMatchObject({ logs: [{ quota: 0 }], hours: [{ error_count: 1, use_time_ms: 5 }] });
      // The first try may have been lost: then the second one writes it.
      const lost = await openCall();
      await applyAll(store, [releasing(lost)]);
      const owner = { userId: lost.userId, tokenId: lost.tokenId };
      const again = { ...release, requestId: lost.requestId, owner, isAgain: true };
      const lostLog = { ...log, user_id: lost.userId };
      await applyAll(store, [{ ...again, failure: { ...failure, log: lostLog } } as Operation]);
      expect(await tracesOf(store, [lost])).toMatchObject([{ logs: [{ quota: 0 }] }]);
    });

    test('keeps the first snapshot of its hold, whatever later checkpoints carry (M21)', async () => {
      const call = await openCall();
      const snapshot = JSON.stringify({ price: { model: 'gpt-4o' }, log: { username: 'someone' } });
      await applyAll(store, [{ ...progressing(160, 3)(call), snapshot } as Operation]);
      await applyAll(store, [progressing(180, 4)(call)]);
      await applyAll(store, [{ ...progressing(190, 5)(call), snapshot: '{"log":{}}' } as Operation]);
      const hold = store.db.selectFrom('holds').select(['snapshot', 'checkpoint_quota', 'dispatched']);
      expect(await hold.where('id', '=', call.requestId).executeTakeFirstOrThrow()).toEqual({
        snapshot,
        checkpoint_quota: 190,
        dispatched: 1,
      });
      await applyAll(store, [recovering(call)]);
      const { username, other } = await store.db
        .selectFrom('logs')
        .select(['username', 'other'])
        .where('request_id', '=', call.requestId)
        .executeTakeFirstOrThrow();
      expect({ username, price: (JSON.parse(other) as { price: unknown }).price }).toEqual({
        username: 'someone',
        price: { model: 'gpt-4o' },
      });
    });

    test.each([
      { charge: 900, lost: 400 },
      { charge: 600, lost: 100 },
      { charge: 400, lost: 0 },
      { charge: 0, lost: 0 },
    ])(
      'of $charge that comes after recovery lost 100 leaves a loss of $lost in the books (M21)',
      async ({ charge, lost }) => {
        const call = await openCall({ balance: 500, checkpoint: 600, charge });
        await applyAll(store, [recovering(call)]);
        expect(await tracesOf(store, [call])).toMatchObject([{ charged: 500, suspense: 100 }]);
        const answer = await answerTo(store, settling(call));
        expect(answer).toMatchObject({ charged: charge - lost, suspense: Math.max(0, lost - 100) });
        await applyAll(store, [settling(call)]);
        expect(await tracesOf(store, [call])).toMatchObject([{ charged: charge - lost, suspense: lost }]);
      },
    );

    describe('that is sent again answers what was paid', () => {
      const expectAgain = async (call: Call, charged: number) => {
        const { owner: _, ...withoutOwner } = settling(call);
        for (const operation of [settling(call), withoutOwner])
          expect(await answerTo(store, { owner: undefined, ...operation })).toMatchObject({
            charged,
            suspense: 0,
            duplicate: true,
          });
      };

      test('from the balance, from both pockets, and nothing (M21)', async () => {
        const call = await openCall();
        await applyAll(store, [settling(call)]);
        await expectAgain(call, 240);
        const free = await openCall({ charge: 0 });
        await applyAll(store, [settling(free)]);
        await expectAgain(free, 0);
        const divided = await dividedCall();
        await applyAll(store, [settling(divided)]);
        await expectAgain(divided, 1200);
      });

      test('after a correction of recovery upwards, downwards, and in both pockets (M21)', async () => {
        for (const charge of [240, 90]) {
          const call = await openCall({ charge });
          await applyAll(store, [recovering(call)]);
          await applyAll(store, [settling(call)]);
          await expectAgain(call, charge);
        }
        for (const charge of [1350, 700]) {
          const call = await dividedCall(charge);
          await applyAll(store, [progressing(1200, 3)(call)]);
          await applyAll(store, [recovering(call)]);
          const plan = { subscriptionId: call.plan, planPeriod: 0, isPlanFirst: true };
          const owner = { userId: call.userId, tokenId: call.tokenId, plan };
          await applyAll(store, [settling(call, { owner })]);
          await expectAgain(call, charge);
        }
      });

      /** A hold of 1500 of which a subscription covers 1000. */
      async function dividedCall(charge = 1200): Promise<Call & { plan: number }> {
        const userId = await world.user(5000);
        const tokenId = await world.token(userId, { unlimited_quota: 0, remain_quota: 100_000 });
        const plan = await subscribe(world, userId);
        const requestId = newId();
        await reserve(world.ledger, userId, tokenId, 1500, { requestId, ...planFirst(plan) });
        return { requestId, userId, tokenId, plan, scenario: { ...ordinary, charge } };
      }

      test('by a call that outlived its period (M21)', async () => {
        const call = await dividedCall();
        await age(store, call.plan, daySeconds);
        await applyAll(store, [settling(call)]);
        await expectAgain(call, 1200);
      });
    });
  });
});
