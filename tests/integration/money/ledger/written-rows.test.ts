// What one call writes, row by row and column by column, the same on both databases: its hold with a row, its checkpoint, its end. Each
// figure differs from every other, and beside the call are a user, a token, a budget and a channel that nothing is written to.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { HOUR_SECONDS } from '#contract/time.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { counterList } from '#server/money/ledger/engine/budgets.ts';
import type { LedgerCall } from '#server/money/ledger/ledger.ts';
import type { Store } from '#server/platform/store/store.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { planFirst, subscribe, subscriptionRow, walletFirst } from '../plans/world.ts';
import { callOf, createWorld, logRow, makeOrganization, outcome, type World } from './world.ts';

setDefaultTimeout(60_000);
const now = () => Math.floor(Date.now() / 1000);

forEachDatabase((_label, open) => {
  describe('a call writes', () => {
    let store: Store;
    let world: World;
    let ids: { user: number; token: number; wide: number; narrow: number; channel: number };
    let beside: typeof ids;
    beforeEach(async () => {
      store = await open();
      world = await createWorld(store);
      const make = async () => {
        const user = await world.user(100_000);
        await makeOrganization(store, user);
        return {
          user,
          token: await world.token(user, { unlimited_quota: 0, remain_quota: 50_000, accessed_time: 5 }),
          wide: await world.counter(user, { quota: 20_000 }),
          narrow: await world.counter(user, { quota: 1_000, extra: 30 }),
          channel: await world.channel(),
        };
      };
      beside = await make();
      ids = await make();
    });
    afterEach(async () => {
      expect(await checkInvariants(store)).toEqual([]);
      await world.close();
    });

    const request = (amount: number) => ({
      ...callOf(ids.user, ids.token, amount),
      budgets: counterList([ids.wide, ids.narrow]),
    });
    const begin = async (amount: number): Promise<LedgerCall> => {
      const opening = await world.ledger.open(request(amount));
      if (!opening.ok) throw new Error(opening.reason);
      return opening.call;
    };
    const all = async (of: typeof ids) => ({
      user: await world.findUser(of.user),
      token: await world.findToken(of.token),
      wide: await world.findCounter(of.wide),
      narrow: await world.findCounter(of.narrow),
      channel: await store.db
        .selectFrom('channels')
        .select('used_quota')
        .where('id', '=', of.channel)
        .executeTakeFirstOrThrow(),
    });
    const holds = () => store.db.selectFrom('holds').selectAll().execute();

    test('a hold with its owner, amount, time and budgets, held of all that pay for it', async () => {
      // On SQLite the next one is held in memory, and gets its row later.
      await world.ledger.release(await begin(10));
      const before = await all(beside);
      const sent = request(300);
      const opening = await world.ledger.open(sent);
      if (!opening.ok) throw new Error(opening.reason);
      await world.ledger.writeHolds();
      const [hold, ...others] = await holds();
      expect(others).toEqual([]);
      expect(hold).toMatchObject({
        id: sent.requestId,
        user_id: ids.user,
        token_id: ids.token,
        amount: 300,
        expires_at: sent.expiresAt,
        dispatched: 0,
        checkpoint_quota: 0,
        subscription_id: 0,
        plan_amount: 0,
        plan_period: 0,
        plan_first: 0,
        budgets: counterList([ids.wide, ids.narrow]),
      });
      expect(Math.abs((hold?.created_at ?? 0) - now())).toBeLessThan(100);
      const { epoch } = await store.db
        .selectFrom('nodes')
        .select('epoch')
        .where('id', '=', hold?.node_id ?? '')
        .executeTakeFirstOrThrow();
      expect(hold?.epoch).toBe(epoch);
      expect(await all(ids)).toMatchObject({
        user: { quota: 100_000, held_quota: 300, used_quota: 0 },
        token: { remain_quota: 50_000, held_quota: 300, used_quota: 0 },
        wide: { held: 300, spent: 0 },
        narrow: { held: 300, spent: 0, extra: 30 },
      });
      expect(await all(beside)).toEqual(before);
      await world.ledger.release(opening.call);
      expect(await all(ids)).toMatchObject({
        user: { quota: 100_000, held_quota: 0 },
        token: { remain_quota: 50_000, held_quota: 0 },
        wide: { held: 0, spent: 0 },
        narrow: { held: 0, spent: 0, extra: 30 },
      });
      expect(await holds()).toEqual([]);
    });

    test('a checkpoint into its own hold, and an extension to all that pay', async () => {
      const [call, other] = [await begin(300), await begin(70)];
      await world.ledger.writeHolds();
      world.ledger.dispatched(call, {
        quota: 210,
        promptTokens: 11,
        completionTokens: 12,
        channelId: ids.channel,
      });
      const row = (id: string) =>
        store.db.selectFrom('holds').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
      for (let wait = 0; wait < 1000; wait += 1) {
        if ((await row(call.requestId)).dispatched === 1) break;
        await Bun.sleep(20);
      }
      const noted = await row(call.requestId);
      expect(noted).toMatchObject({ dispatched: 1, checkpoint_quota: 210, amount: 300 });
      expect(JSON.parse(noted.checkpoint)).toMatchObject({ channelId: ids.channel });
      expect(await row(other.requestId)).toMatchObject({ dispatched: 0, checkpoint_quota: 0 });
      expect(await world.ledger.extend(call, 45)).toBe(true);
      expect(await row(call.requestId)).toMatchObject({ amount: 345, checkpoint_quota: 210, dispatched: 1 });
      expect(await all(ids)).toMatchObject({
        user: { held_quota: 415 },
        token: { held_quota: 415 },
        wide: { held: 415 },
        narrow: { held: 415 },
      });
      await world.ledger.release(call);
      expect((await holds()).map(({ id }) => id)).toEqual([other.requestId]);
      await world.ledger.release(other);
    });

    test('what a subscription pays of it beside what the balance pays, in hold, subscription and user', async () => {
      const id = await subscribe(world, ids.user, { period_quota: 500 });
      const other = await subscribe(world, beside.user, { period_quota: 500 });
      const before = await subscriptionRow(store, other);
      const opening = await world.ledger.open({ ...request(700), plans: planFirst(id).plans });
      if (!opening.ok) throw new Error(opening.reason);
      const [hold] = await holds();
      expect(hold).toMatchObject({ amount: 700, subscription_id: id, plan_amount: 500, plan_first: 1 });
      expect(hold?.plan_period).toBe((await subscriptionRow(store, id)).period);
      expect(await subscriptionRow(store, id)).toMatchObject({
        quota: 500,
        held: 500,
        status: 'active',
        ended_at: 0,
      });
      expect(await all(ids)).toMatchObject({
        user: { quota: 100_000, held_quota: 200, plan_held_quota: 500 },
        token: { held_quota: 700 },
        wide: { held: 700 },
      });
      await world.ledger.settle(opening.call, outcome(610));
      expect(await subscriptionRow(store, id)).toMatchObject({ quota: 0, held: 0, status: 'active' });
      expect(await all(ids)).toMatchObject({
        user: { quota: 99_890, held_quota: 0, plan_held_quota: 0, used_quota: 610 },
        token: { remain_quota: 49_390, held_quota: 0 },
        wide: { spent: 610, held: 0 },
      });
      expect(await subscriptionRow(store, other)).toEqual(before);
      const second = await subscribe(world, ids.user, { period_quota: 90 });
      const whole = await world.ledger.open({ ...request(40), plans: walletFirst(second).plans });
      if (!whole.ok) throw new Error(whole.reason);
      expect((await holds())[0]).toMatchObject({ amount: 40, plan_first: 0, plan_amount: 0 });
      await world.ledger.release(whole.call);
    });

    test('its charge everywhere once: balance, key, budgets, channel, sums, log and books', async () => {
      const before = await all(beside);
      const call = await begin(900);
      await world.ledger.writeHolds();
      const began = now();
      const log = {
        ...logRow(ids.user, ids.token),
        channel_id: ids.channel,
        prompt_tokens: 61,
        completion_tokens: 42,
        member_id: 801,
        project_id: 802,
        service_account_id: 803,
        tags: '{"team":"red"}',
      };
      const settlement = await world.ledger.settle(
        call,
        outcome(840, {
          channelId: ids.channel,
          cost: 77,
          promptTokens: 61,
          completionTokens: 42,
          useTimeMs: 1201,
          firstTokenMs: 303,
          log,
        }),
      );
      expect(settlement).toMatchObject({ charged: 840, suspense: 0, duplicate: false });
      const after = await all(ids);
      expect(after).toMatchObject({
        user: { quota: 99_160, held_quota: 0, used_quota: 840, request_count: 1 },
        token: { remain_quota: 49_160, held_quota: 0, used_quota: 840, status: 1 },
        wide: { spent: 840, held: 0, noticed: 0 },
        narrow: { spent: 840, held: 0, extra: 30, noticed: 80 },
        channel: { used_quota: 840 },
      });
      expect(after.token.accessed_time).toBeGreaterThanOrEqual(began - 1);
      expect(await all(beside)).toEqual(before);
      expect(await holds()).toEqual([]);
      const logs = await store.db.selectFrom('logs').selectAll().where('type', '=', 2).execute();
      expect(logs).toMatchObject([{ ...log, request_id: call.requestId, quota: 840, cost: 77 }]);
      const entries = await store.db
        .selectFrom('ledger')
        .select(['user_id', 'debit_account', 'amount', 'kind'])
        .where('kind', '=', 'use')
        .execute();
      expect(entries).toEqual([
        { user_id: ids.user, debit_account: `user:${ids.user}`, amount: 840, kind: 'use' },
      ]);
      const figures = {
        count: 1,
        quota: 840,
        prompt_tokens: 61,
        completion_tokens: 42,
        error_count: 0,
      };
      const hours = await store.db.selectFrom('usage_hours').selectAll().execute();
      const of = { user_id: ids.user, token_id: ids.token, model_name: 'gpt-4o' };
      expect(hours).toMatchObject([
        { ...of, ...figures, channel_id: ids.channel, use_time_ms: 1201, first_token_ms: 303 },
      ]);
      const at = hours[0]?.hour ?? 0;
      expect([at % HOUR_SECONDS, Math.abs(at - began) < 2 * HOUR_SECONDS]).toEqual([0, true]);
      const holders = await store.db.selectFrom('holder_hours').selectAll().orderBy('tag_key').execute();
      const took = { use_time_ms: 1201, first_token_ms: 303 };
      const holder = { member_id: 801, project_id: 802, service_account_id: 803 };
      const held = { ...of, ...figures, ...took, ...holder, hour: at };
      expect(holders).toEqual([
        { ...held, tag_key: '', tag_value: '' },
        { ...held, tag_key: 'team', tag_value: 'red' },
      ]);
    });

    test('its failure as a failure: nothing charged, counted once for key, channel and holder', async () => {
      const call = await begin(900);
      const log = { ...logRow(ids.user, ids.token), type: 5, member_id: 801, content: 'failed' };
      await world.ledger.release(call, {
        channelId: ids.channel,
        modelName: 'gpt-4o',
        useTimeMs: 404,
        log,
      });
      expect(await all(ids)).toMatchObject({
        user: { quota: 100_000, held_quota: 0, used_quota: 0, request_count: 0 },
        token: { remain_quota: 50_000, held_quota: 0, used_quota: 0 },
        wide: { spent: 0, held: 0 },
        channel: { used_quota: 0 },
      });
      const logs = await store.db.selectFrom('logs').selectAll().where('type', '=', 5).execute();
      expect(logs).toMatchObject([{ ...log, request_id: call.requestId, quota: 0 }]);
      const failed = { count: 0, quota: 0, prompt_tokens: 0, completion_tokens: 0, error_count: 1 };
      const of = { user_id: ids.user, token_id: ids.token, model_name: 'gpt-4o' };
      const hours = await store.db.selectFrom('usage_hours').selectAll().execute();
      expect(hours).toMatchObject([{ ...of, ...failed, channel_id: ids.channel, use_time_ms: 404 }]);
      const holders = await store.db.selectFrom('holder_hours').selectAll().execute();
      expect(holders).toMatchObject([{ ...of, ...failed, member_id: 801, tag_key: '', use_time_ms: 404 }]);
    });
  });
});
