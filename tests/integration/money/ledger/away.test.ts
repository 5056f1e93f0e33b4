// PostgreSQL becomes unavailable and returns: new calls are refused at once, ending calls are written to the spool and
// booked once when it returns, to the unit.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { LedgerUnavailableError } from '#server/money/ledger/ledger.ts';
import { openStore, type Store } from '#server/platform/store/store.ts';
import { startChaosProxy, type ChaosProxy } from '#tests/support/chaos-proxy.ts';
import { applicationWriter, temporaryPlace, type TemporaryPlace } from '#tests/support/databases.ts';
import { faultSeen } from '#tests/support/fault-report.ts';
import { startRunClock } from '#tests/support/run-clock.ts';
import { dice } from '#tests/support/random.ts';
import { createWorld, failureOf, logRow, outcome, reserve, type World } from './world.ts';

// A database server may have to start first, on a busy machine.
setDefaultTimeout(60_000);

describe('PostgreSQL is unavailable', () => {
  let place: TemporaryPlace;
  let proxy: ChaosProxy;
  let store: Store;
  let world: World;

  beforeEach(async () => {
    place = await temporaryPlace('postgres');
    const address = new URL(place.databaseUrl ?? '');
    proxy = await startChaosProxy({ port: Number(address.port) });
    address.port = String(proxy.port);
    store = await openStore({
      dataDir: place.dataDir,
      databaseUrl: address.href,
      writerEntry: applicationWriter,
      onFault: () => {},
    });
    world = await createWorld(store);
  });
  afterEach(async () => {
    await world.close();
    await store.close();
    await proxy.stop();
    await place.remove();
  });

  const cut = () => {
    proxy.refuse(true);
    proxy.resetAll();
  };

  async function checkpointWritten(requestId: string): Promise<void> {
    for (let wait = 0; wait < 1600; wait += 1) {
      const holds = await store.db.selectFrom('holds').selectAll().where('id', '=', requestId).execute();
      if (holds.some((hold) => hold.checkpoint_quota > 0)) return;
      await Bun.sleep(25);
    }
    throw new Error('no checkpoint was written');
  }

  /** Ends the cut. A query may fail once for each connection of the pool that was reset while it was idle. */
  async function reconnect(): Promise<void> {
    proxy.refuse(false);
    for (let wait = 0; wait < 400; wait += 1) {
      const queries = Array.from({ length: 20 }, () =>
        store.db.selectFrom('users').select('id').limit(1).execute(),
      );
      const results = await Promise.allSettled(queries);
      if (results.every(({ status }) => status === 'fulfilled')) return;
      await Bun.sleep(25);
    }
    throw new Error('the database did not come back');
  }

  async function returned(): Promise<void> {
    proxy.spoil({});
    proxy.refuse(false);
    const seen = world.alerts.length;
    for (let wait = 0; wait < 1600; wait += 1) {
      if (world.alerts.slice(seen).some((alert) => alert.kind === 'available')) return;
      await Bun.sleep(25);
    }
    throw new Error('the ledger did not come back');
  }

  test('running calls settle into the spool, new ones get an error at once, no charge is lost or doubled', async () => {
    const userId = await world.user(100_000);
    const tokenId = await world.token(userId);
    const calls = await Promise.all(
      Array.from({ length: 20 }, () => reserve(world.ledger, userId, tokenId, 500)),
    );
    cut();
    const log = logRow(userId, tokenId);
    const settlements = await Promise.all(
      calls.slice(0, 15).map(({ requestId }) => world.ledger.settle(requestId, outcome(100, { log }))),
    );
    expect(settlements.every((settlement) => settlement.charged === 100)).toBe(true);
    await Promise.all(calls.slice(15).map(({ requestId }) => world.ledger.release(requestId)));
    using clock = startRunClock();
    const started = Date.now();
    expect(await failureOf(reserve(world.ledger, userId, tokenId, 1))).toBeInstanceOf(LedgerUnavailableError);
    // Waiting for a connection would take seconds.
    expect(clock.between(started, Date.now())).toBeLessThan(500);
    expect(world.alerts.some((alert) => alert.kind === 'unavailable')).toBe(true);
    await returned();
    expect(await world.findUser(userId)).toMatchObject({
      quota: 98_500,
      held_quota: 0,
      used_quota: 1500,
      request_count: 15,
    });
    expect((await reserve(world.ledger, userId, tokenId, 1)).admission.ok).toBe(true);
    expect(await checkInvariants(store)).toEqual([]);
  });

  test('a node’s spool is booked by its successor, also under another name', async () => {
    const userId = await world.user(100_000);
    const { requestId } = await reserve(world.ledger, userId, 0, 500);
    cut();
    await world.ledger.settle(requestId, outcome(77));
    await world.ledger.close();
    await reconnect();
    const successor = await world.reopen({ nodeId: 'renamed machine', silenceSeconds: 1 });
    // It adopts the spool when it has been connected for the whole silence.
    for (let wait = 0; wait < 400 && (await world.findUser(userId)).used_quota === 0; wait += 1) {
      await Bun.sleep(100);
      await successor.recover();
    }
    expect(await world.findUser(userId)).toMatchObject({ quota: 99_923, held_quota: 0, used_quota: 77 });
    await successor.recover();
    expect(await world.findUser(userId)).toMatchObject({ quota: 99_923, held_quota: 0, used_quota: 77 });
    expect(await checkInvariants(store)).toEqual([]);
  });

  test('M1 a node that is cut off for longer than the silence keeps its spool from a living sibling: receipts equal the books', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'shared-'));
    const direct = await openStore({ ...place, writerEntry: applicationWriter, onFault() {} });
    const shared = { dataDir, silenceSeconds: 1 };
    const cutOff = await createWorld(store, { ...shared, nodeId: 'worker-1' });
    const sibling = await createWorld(direct, { ...shared, nodeId: 'worker-2' });
    const userId = await cutOff.user(1_000_000);
    const calls = await Promise.all(Array.from({ length: 60 }, () => reserve(cutOff.ledger, userId, 0, 500)));
    // The sibling has been connected for longer than the silence.
    await Bun.sleep(1500);
    cut();
    let acknowledged = 0;
    let resolved = 0;
    for (const [index, { requestId }] of calls.entries()) {
      const { charged } = await cutOff.ledger.settle(requestId, outcome(100 + index));
      acknowledged += charged;
      await Bun.sleep(75);
      resolved += await sibling.ledger.recover();
    }
    // The sibling took the cut-off node for dead: it resolved the holds, but it did not touch the spool.
    expect(resolved).toBeGreaterThan(0);
    proxy.refuse(false);
    await cutOff.available();
    expect(acknowledged).toBe(60 * 100 + (59 * 60) / 2);
    expect(await sibling.findUser(userId)).toMatchObject({
      quota: 1_000_000 - acknowledged,
      held_quota: 0,
      used_quota: acknowledged,
      request_count: 60,
    });
    const logs = await direct.db.selectFrom('logs').select('quota').where('type', '=', 2).execute();
    expect(logs.reduce((sum, row) => sum + row.quota, 0)).toBe(acknowledged);
    expect(await checkInvariants(direct)).toEqual([]);
    await sibling.close();
    await cutOff.close();
    await direct.close();
  });

  test('a feature’s transaction that loses its connection is refused, and the process keeps running', async () => {
    const lost = store.db.transaction().execute(async (transaction) => {
      await transaction.selectFrom('users').select('id').execute();
      cut();
      await Bun.sleep(100);
      await transaction.selectFrom('users').select('id').execute();
    });
    expect(await failureOf(lost)).toBeInstanceOf(Error);
    await reconnect();
    expect(await store.db.selectFrom('users').select('id').execute()).toBeInstanceOf(Array);
  });

  test('connections that break repeatedly under load: the caller’s figures equal the books', async () => {
    const userId = await world.user(10_000_000);
    let acknowledged = 0;
    const load = { isOver: false };
    const caller = async () => {
      while (!load.isOver) {
        try {
          const { requestId, admission } = await reserve(world.ledger, userId, 0, 300);
          if (!admission.ok) throw new Error(admission.reason);
          const { charged } = await world.ledger.settle(requestId, outcome(123));
          acknowledged += charged;
        } catch (error) {
          if (!(error instanceof LedgerUnavailableError)) throw error;
          await Bun.sleep(20);
        }
      }
    };
    const callers = Array.from({ length: 12 }, caller);
    for (let round = 0; round < 5; round += 1) {
      await Bun.sleep(100 + dice.next() * 200);
      cut();
      await Bun.sleep(dice.next() * 100);
      await returned();
    }
    load.isOver = true;
    await Promise.all(callers);
    // The spool releases calls whose admission answer was lost; the rest was acknowledged to callers.
    await Bun.sleep(100);
    await world.ledger.recover();
    const user = await world.findUser(userId);
    expect(acknowledged).toBeGreaterThan(0);
    expect(user.used_quota).toBe(acknowledged);
    expect(user.quota).toBe(10_000_000 - acknowledged);
    expect(await checkInvariants(store)).toEqual([]);
  });

  test('a server that accepts connections and never answers is given up after two seconds (plan C5)', async () => {
    const userId = await world.user(100_000);
    const running = await reserve(world.ledger, userId, 0, 500);
    proxy.spoil({ toClient: { stallAfterBytes: 0 } });
    using clock = startRunClock();
    const started = Date.now();
    const [refusal, settlement] = await Promise.all([
      failureOf(reserve(world.ledger, userId, 0, 1)),
      world.ledger.settle(running.requestId, outcome(100)),
    ]);
    expect(refusal).toBeInstanceOf(LedgerUnavailableError);
    expect(settlement.charged).toBe(100);
    const milliseconds = clock.between(started, Date.now());
    expect(milliseconds).toBeLessThan(4000);
    faultSeen('C5', `refused and spooled after ${milliseconds} ms without an answer`);
    await returned();
    expect(await world.findUser(userId)).toMatchObject({ quota: 99_900, held_quota: 0, used_quota: 100 });
    expect(await checkInvariants(store)).toEqual([]);
  });

  test('a process that crashes with a full spool books it at its next start, before its holds are recovered', async () => {
    const userId = await world.user(100_000);
    const { requestId } = await reserve(world.ledger, userId, 0, 500);
    cut();
    await world.ledger.settle(requestId, outcome(321));
    await world.ledger.close();
    await reconnect();
    await world.reopen();
    expect(await world.findUser(userId)).toMatchObject({ quota: 99_679, held_quota: 0, used_quota: 321 });
    expect(await checkInvariants(store)).toEqual([]);
  });

  test('the failure of a call inside a slice that is in a spool twice is logged and counted once', async () => {
    const userId = await world.user(100_000);
    const tokenId = await world.token(userId);
    const requestId = crypto.randomUUID();
    const failure = { channelId: 7, modelName: 'model', useTimeMs: 1 };
    const line = JSON.stringify({
      kind: 'release',
      requestId,
      at: Math.floor(Date.now() / 1000),
      tokenDifference: 0,
      failure: { ...failure, log: { ...logRow(userId, tokenId), type: 5 } },
      owner: { userId, tokenId },
      slice: { id: 'allowance:node-1:1:1', amount: 100 },
    });
    const dataDir = mkdtempSync(join(tmpdir(), 'spooled-'));
    // The answer to the first one was lost, so the next process found it in the spool once more.
    for (const id of ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002']) {
      mkdirSync(join(dataDir, 'spool'), { recursive: true });
      writeFileSync(join(dataDir, 'spool', `node-1.${id}.jsonl`), `${line}\n`);
      await world.reopen({ dataDir });
    }
    const logged = store.db.selectFrom('logs').select('type').where('request_id', '=', requestId);
    expect(await logged.execute()).toEqual([{ type: 5 }]);
    const counted = store.db.selectFrom('usage_hours').select('error_count').where('user_id', '=', userId);
    expect(await counted.execute()).toEqual([{ error_count: 1 }]);
    expect(await checkInvariants(store)).toEqual([]);
    rmSync(dataDir, { recursive: true, force: true });
  });

  test('a call that another node resolved meanwhile is charged the acknowledged price', async () => {
    const charges = [
      { checkpoint: 150, acknowledged: 321 },
      { checkpoint: 400, acknowledged: 321 },
      { checkpoint: 321, acknowledged: 321 },
      { checkpoint: undefined, acknowledged: 321 },
    ];
    for (const { checkpoint, acknowledged } of charges) {
      const userId = await world.user(100_000);
      const tokenId = await world.token(userId, { unlimited_quota: 0, remain_quota: 50_000 });
      const { requestId } = await reserve(world.ledger, userId, tokenId, 500);
      if (checkpoint !== undefined) {
        world.ledger.dispatched(requestId, {
          quota: checkpoint,
          promptTokens: 1,
          completionTokens: 1,
          channelId: 7,
        });
        await checkpointWritten(requestId);
      }
      cut();
      const log = logRow(userId, tokenId);
      expect((await world.ledger.settle(requestId, outcome(acknowledged, { log }))).charged).toBe(
        acknowledged,
      );
      const direct = await openStore({
        dataDir: place.dataDir,
        databaseUrl: place.databaseUrl,
        writerEntry: applicationWriter,
      });
      await direct.db.updateTable('holds').set({ expires_at: 1000 }).where('id', '=', requestId).execute();
      const other = await createWorld(direct, { nodeId: 'node-2' });
      expect(await other.findUser(userId)).toMatchObject({ held_quota: 0, used_quota: checkpoint ?? 0 });
      await other.close();
      await direct.close();
      await returned();
      expect(await world.findUser(userId)).toMatchObject({
        quota: 100_000 - acknowledged,
        held_quota: 0,
        used_quota: acknowledged,
        request_count: 1,
      });
      expect(await world.findToken(tokenId)).toMatchObject({
        remain_quota: 50_000 - acknowledged,
        used_quota: acknowledged,
      });
      expect(await checkInvariants(store)).toEqual([]);
    }
  });
});
