// Holds of processes that ended: resolved by policy, once, and never while their process runs.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMoneyAudit } from '#server/money/audit/audit.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { STANDARD_CONFIGURATION, type RecoveryPolicy } from '#server/money/ledger/ledger.ts';
import type { Store } from '#server/platform/store/store.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { createWorld, logRow, newId, outcome, price, reserve, type World } from './world.ts';

// A database server may have to start first, on a busy machine.
setDefaultTimeout(60_000);

forEachDatabase((label, open) => {
  // An inner block, so that its hooks run before the store is closed.
  describe('recovery', () => {
    let world: World;
    let store: Store;
    let userId: number;
    let tokenId: number;
    beforeEach(async () => {
      store = await open();
      world = await createWorld(store);
      userId = await world.user(10_000);
      tokenId = await world.token(userId, { unlimited_quota: 0, remain_quota: 5000 });
    });
    afterEach(async () => {
      expect(await checkInvariants(store)).toEqual([]);
      await world.close();
    });

    const restart = (recoveryPolicy: RecoveryPolicy = 'checkpoint') =>
      world.reopen({ configuration: { ...STANDARD_CONFIGURATION, recoveryPolicy } });
    const holds = () => store.db.selectFrom('holds').selectAll().execute();

    async function dispatchedCall(amount: number, checkpoint?: { quota: number }): Promise<string> {
      const { requestId } = await reserve(world.ledger, userId, tokenId, amount);
      const progress = { promptTokens: 60, completionTokens: 10, channelId: 7 };
      world.ledger.dispatched(requestId, checkpoint && { ...checkpoint, ...progress });
      for (let wait = 0; wait < 1000; wait += 1) {
        const row = await store.db
          .selectFrom('holds')
          .select('dispatched')
          .where('id', '=', requestId)
          .executeTakeFirst();
        if (row?.dispatched === 1) return requestId;
        await Bun.sleep(20);
      }
      throw new Error('the checkpoint was never written');
    }

    test('a call that was not sent is released', async () => {
      const { requestId } = await reserve(world.ledger, userId, tokenId, 500);
      await restart();
      expect(await holds()).toHaveLength(0);
      expect(await world.findUser(userId)).toMatchObject({ quota: 10_000, held_quota: 0, used_quota: 0 });
      expect(await world.findToken(tokenId)).toMatchObject({ remain_quota: 5000, held_quota: 0 });
      expect(world.alerts).toContainEqual({
        kind: 'recovered',
        requestId,
        userId,
        how: 'released',
        charged: 0,
      });
    });

    test('a call that was sent pays its last checkpoint and gets an estimated log row', async () => {
      const requestId = await dispatchedCall(500, { quota: 120 });
      await restart();
      expect(await world.findUser(userId)).toMatchObject({ quota: 9880, held_quota: 0, used_quota: 120 });
      const log = await store.db
        .selectFrom('logs')
        .selectAll()
        .where('request_id', '=', requestId)
        .executeTakeFirstOrThrow();
      expect(log).toMatchObject({
        type: 2,
        quota: 120,
        estimated: 1,
        prompt_tokens: 60,
        completion_tokens: 10,
        channel_id: 7,
        user_id: userId,
        token_name: 'key',
        model_name: 'gpt-4o',
      });
      expect(JSON.parse(log.other)).toMatchObject({ recovered: true, price: { modelRatio: 1 } });
    });

    test('the charge of a recovered call counts in the margins of its group (M21)', async () => {
      await dispatchedCall(500, { quota: 120 });
      await restart();
      const counted = store.db
        .selectFrom('margin_days')
        .select(['group', 'channel_id', 'model_name', 'quota'])
        .where('user_id', '=', userId);
      expect(await counted.execute()).toEqual([
        { group: 'default', channel_id: 7, model_name: 'gpt-4o', quota: 120 },
      ]);
    });

    test('by policy a sent call pays the whole hold', async () => {
      await dispatchedCall(500, { quota: 120 });
      await restart('full');
      expect(await world.findUser(userId)).toMatchObject({ quota: 9500, held_quota: 0, used_quota: 500 });
    });

    test('by policy a sent call keeps its hold until an administrator decides', async () => {
      const requestId = await dispatchedCall(500, { quota: 120 });
      const second = await restart('review');
      expect(await holds()).toMatchObject([{ id: requestId, node_id: 'review' }]);
      expect(await world.findUser(userId)).toMatchObject({ quota: 10_000, held_quota: 500 });
      await second.recover();
      expect(await holds()).toHaveLength(1);
      expect(await second.settle(requestId, outcome(77))).toMatchObject({ charged: 77 });
      expect(await world.findUser(userId)).toMatchObject({ quota: 9923, held_quota: 0 });
    });

    test('a call that was not sent is released under every policy, also where sent ones are kept for review (M21)', async () => {
      for (const policy of ['review', 'full', 'checkpoint'] as const) {
        await reserve(world.ledger, userId, tokenId, 500);
        await world.ledger.writeHolds();
        await restart(policy);
        expect(await holds()).toEqual([]);
        expect(await world.findUser(userId)).toMatchObject({ quota: 10_000, held_quota: 0, used_quota: 0 });
        expect(await world.findToken(tokenId)).toMatchObject({ remain_quota: 5000, held_quota: 0 });
      }
    });

    test('a call under review stays there after its time, after a restart, and under another policy (M21)', async () => {
      const requestId = await dispatchedCall(500, { quota: 120 });
      await restart('review');
      await store.db.updateTable('holds').set({ expires_at: 1 }).execute();
      const second = await restart('checkpoint');
      await second.recover();
      expect(await holds()).toMatchObject([{ id: requestId, node_id: 'review', amount: 500 }]);
      expect(await world.findUser(userId)).toMatchObject({ quota: 10_000, held_quota: 500, used_quota: 0 });
      expect(await second.settle(requestId, outcome(77))).toMatchObject({ charged: 77 });
    });

    test('two nodes that recover the same hold resolve it once', async () => {
      await dispatchedCall(500, { quota: 120 });
      const second = await restart();
      const counts = await Promise.all([second.recover(), second.recover(), second.recover()]);
      expect(counts).toEqual([0, 0, 0]);
      expect((await world.findUser(userId)).used_quota).toBe(120);
    });

    test('thousands of abandoned holds are resolved at boot', async () => {
      await Promise.all(Array.from({ length: 1500 }, () => reserve(world.ledger, userId, tokenId, 1)));
      await restart();
      expect(await holds()).toHaveLength(0);
      expect((await world.findUser(userId)).held_quota).toBe(0);
    });

    test('a task keeps its hold over a restart, until the hold expires', async () => {
      const future = Math.floor(Date.now() / 1000) + 3600;
      const { requestId } = await reserve(world.ledger, userId, tokenId, 500, {
        lifetime: 'task',
        expiresAt: future,
      });
      const second = await restart();
      expect(await holds()).toHaveLength(1);
      expect(await second.settle(requestId, outcome(400))).toMatchObject({ charged: 400, duplicate: false });
      await reserve(second, userId, tokenId, 300, { lifetime: 'task', expiresAt: 1000 });
      expect(await second.recover()).toBe(1);
      expect(await holds()).toHaveLength(0);
      expect(await world.findUser(userId)).toMatchObject({ quota: 9600, held_quota: 0 });
    });

    test('an expired hold is resolved although its process lives', async () => {
      const { requestId } = await reserve(world.ledger, userId, tokenId, 500, { expiresAt: 1000 });
      expect(await world.ledger.recover()).toBe(1);
      expect(await world.ledger.settle(requestId, outcome(100))).toMatchObject({
        duplicate: true,
        charged: 0,
      });
      expect(await world.findUser(userId)).toMatchObject({ quota: 10_000, held_quota: 0 });
    });

    for (const charge of [0, 90]) {
      test(`M4 a sent call without a checkpoint that ends with a charge of ${charge} after its recovery is one call`, async () => {
        const { ledger } = world;
        const opening = await ledger.open({
          requestId: newId(),
          userId,
          tokenId,
          amount: 100,
          limits: { tokens: 0 },
          snapshot: { price, log: () => logRow(userId, tokenId) },
          expiresAt: 1000,
        });
        if (!opening.ok) throw new Error(opening.reason);
        ledger.dispatched(opening.call);
        const isSent = async () => (await holds()).some(({ dispatched }) => dispatched === 1);
        while (!(await isSent())) await Bun.sleep(20);
        expect(await ledger.recover()).toBe(1);
        expect(world.alerts).toMatchObject([{ kind: 'recovered', how: 'charged', charged: 0 }]);
        const ended = outcome(charge, { log: logRow(userId, tokenId) });
        expect(await ledger.settle(opening.call, ended)).toMatchObject({ charged: charge });
        const user = {
          quota: 10_000 - charge,
          held_quota: 0,
          used_quota: charge,
          request_count: 1,
          status: 1,
        };
        expect(await world.findUser(userId)).toMatchObject(user);
        const logs = await store.db.selectFrom('logs').selectAll().execute();
        expect(logs).toMatchObject([{ quota: charge, estimated: 0, content: '' }]);
        const audit = createMoneyAudit({ store, onBreach: () => {} });
        expect(await audit.check()).toEqual([]);
      });
    }

    if (label !== 'postgres') return;

    const directory = () => mkdtempSync(join(tmpdir(), 'billing-node-'));

    test('a live node’s holds are kept; a silent node’s holds are resolved by another node', async () => {
      const other = await world.reopen({ nodeId: 'node-2', dataDir: directory() });
      await reserve(world.ledger, userId, tokenId, 500);
      expect(await other.recover()).toBe(0);
      const longAgo = Math.floor(Date.now() / 1000) - 3600;
      await store.db.updateTable('nodes').set({ heartbeat_at: longAgo }).where('id', '=', 'node-1').execute();
      // The other node has not been connected long enough to declare a node dead.
      expect(await other.recover()).toBe(0);
      expect(await holds()).toHaveLength(1);
    });

    test('holds of an unknown node are resolved', async () => {
      await reserve(world.ledger, userId, tokenId, 500);
      await store.db.deleteFrom('nodes').where('id', '=', 'node-1').execute();
      const other = await world.reopen({ nodeId: 'node-2', dataDir: directory() });
      expect(await holds()).toHaveLength(0);
      expect(await other.recover()).toBe(0);
    });
  });
});
