// Several processes on one PostgreSQL: one balance, deadlocks are retried, a dead node's calls are resolved by the
// others and a live node's calls are not.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { openStore, type Store } from '#server/platform/store/store.ts';
import { applicationWriter, temporaryPlace, type TemporaryPlace } from '#tests/support/databases.ts';
import { faultSeen } from '#tests/support/fault-report.ts';
import { createWorld, newId, outcome, reserve, type World } from './world.ts';

// A database server may have to start first, on a busy machine.
setDefaultTimeout(60_000);

describe('two nodes on one PostgreSQL', () => {
  let place: TemporaryPlace;
  let stores: Store[];
  let first: World;
  let second: World;
  beforeEach(async () => {
    place = await temporaryPlace('postgres');
    const open = () =>
      openStore({ dataDir: place.dataDir, databaseUrl: place.databaseUrl, writerEntry: applicationWriter });
    stores = [await open(), await open()];
    first = await createWorld(stores[0] as Store, { nodeId: 'node-1', silenceSeconds: 1 });
    second = await createWorld(stores[1] as Store, { nodeId: 'node-2', silenceSeconds: 1 });
  });
  afterEach(async () => {
    expect(await checkInvariants(stores[0] as Store)).toEqual([]);
    await first.close();
    await second.close();
    for (const store of stores) await store.close();
    await place.remove();
  });

  test('250 parallel calls on each node with a balance for ten admit ten', async () => {
    const userId = await first.user(1000);
    const tokenId = await first.token(userId);
    const answers = await Promise.all(
      [first, second].flatMap((world) =>
        Array.from({ length: 250 }, async () => ({
          world,
          ...(await reserve(world.ledger, userId, tokenId, 100)),
        })),
      ),
    );
    const admitted = answers.filter(({ admission }) => admission.ok);
    expect(admitted).toHaveLength(10);
    await Promise.all(admitted.map(({ world, requestId }) => world.ledger.settle(requestId, outcome(100))));
    expect(await first.findUser(userId)).toMatchObject({ quota: 0, held_quota: 0, used_quota: 1000 });
  });

  test('limits are shared: concurrent calls, requests per minute and a day budget', async () => {
    const limited = [
      { columns: { concurrent_calls: 6 }, admits: 6 },
      { columns: { requests_per_minute: 7 }, admits: 7 },
      { columns: { day_budget: 80 }, admits: 8 },
    ];
    for (const { columns, admits } of limited) {
      const userId = await first.user(100_000, columns);
      const answers = await Promise.all(
        [first, second].flatMap((world) =>
          Array.from({ length: 40 }, () => reserve(world.ledger, userId, 0, 10)),
        ),
      );
      expect(answers.filter(({ admission }) => admission.ok)).toHaveLength(admits);
    }
  });

  test('the shared counters of limits are deleted under load: calls are served, and the limit begins anew (plan C8)', async () => {
    const limit = 7;
    const userId = await first.user(100_000, { requests_per_minute: limit });
    const burst = async () => {
      const answers = await Promise.all(
        [first, second].flatMap((world) =>
          Array.from({ length: 20 }, () => reserve(world.ledger, userId, 0, 10)),
        ),
      );
      return answers.filter(({ admission }) => admission.ok).length;
    };
    expect(await burst()).toBe(limit);
    const deleted = await first.store.db.deleteFrom('limit_windows').executeTakeFirstOrThrow();
    expect(Number(deleted.numDeletedRows)).toBeGreaterThan(0);
    const again = await burst();
    expect(again).toBeLessThanOrEqual(limit);
    faultSeen(
      'C8',
      `counters deleted (${deleted.numDeletedRows}): no error, ${limit} calls admitted before and ${again} after`,
    );
  });

  test('calls of many users in opposite orders, with credits in between: each succeeds once', async () => {
    const users = await Promise.all(Array.from({ length: 12 }, () => first.user(1_000_000)));
    const channels = await Promise.all(Array.from({ length: 6 }, () => first.channel()));
    const spent = new Map<number, number>(users.map((id) => [id, 0]));
    const caller = async (world: World, order: number[], index: number) => {
      for (let round = 0; round < 15; round += 1) {
        await Promise.all(
          order.map(async (userId, position) => {
            const { requestId, admission } = await reserve(world.ledger, userId, 0, 50);
            if (!admission.ok) throw new Error(admission.reason);
            const channelId = channels[(position + index) % channels.length] ?? 0;
            const { charged } = await world.ledger.settle(requestId, outcome(20 + position, { channelId }));
            spent.set(userId, (spent.get(userId) ?? 0) + charged);
          }),
        );
        const userId = order[round % order.length] ?? 0;
        await world.ledger.credit({
          idem: newId(),
          userId,
          amount: 5,
          from: 'world:admin',
          kind: 'admin',
          reference: '',
        });
        spent.set(userId, (spent.get(userId) ?? 0) - 5);
      }
    };
    await Promise.all([caller(first, users, 0), caller(second, users.toReversed(), 3)]);
    for (const userId of users) {
      expect(await first.findUser(userId)).toMatchObject({
        quota: 1_000_000 - (spent.get(userId) ?? 0),
        held_quota: 0,
      });
    }
  });

  test('the holds of a silent node are resolved by the other node; those of a live node are not', async () => {
    const userId = await first.user(1000);
    const living = await reserve(second.ledger, userId, 0, 100);
    await reserve(first.ledger, userId, 0, 300);
    await first.ledger.close();
    let resolved = 0;
    for (let wait = 0; wait < 300 && resolved === 0; wait += 1) {
      await Bun.sleep(100);
      resolved = await second.ledger.recover();
    }
    expect(resolved).toBe(1);
    expect(await second.findUser(userId)).toMatchObject({ held_quota: 100 });
    expect(await second.ledger.settle(living.requestId, outcome(60))).toMatchObject({
      charged: 60,
      duplicate: false,
    });
  }, 60_000);

  test('a node whose holds were resolved while it was paused still charges what its caller used, once', async () => {
    const userId = await first.user(1000);
    const { requestId } = await reserve(first.ledger, userId, 0, 300);
    await first.store.db.updateTable('holds').set({ expires_at: 1000 }).where('id', '=', requestId).execute();
    expect(await second.ledger.recover()).toBe(1);
    expect(await first.findUser(userId)).toMatchObject({ quota: 1000, held_quota: 0 });
    expect(await first.ledger.settle(requestId, outcome(240))).toMatchObject({ charged: 240 });
    expect(await first.ledger.settle(requestId, outcome(240))).toMatchObject({
      charged: 240,
      duplicate: true,
    });
    expect(await first.findUser(userId)).toMatchObject({ quota: 760, used_quota: 240 });
  });

  test('a second process with the same name takes over, and the first admits no more calls', async () => {
    const userId = await first.user(1000);
    await first.reopen({ onAlert: () => {} });
    for (let wait = 0; wait < 600 && !first.alerts.some((alert) => alert.kind === 'fault'); wait += 1)
      await Bun.sleep(50);
    const refusal = await reserve(first.ledger, userId, 0, 10).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(Error);
    expect((refusal as Error).name).toBe('LedgerUnavailableError');
  });
});
