// A node sets a part of an ample balance aside and admits the next calls of that token without asking PostgreSQL. Nothing is promised
// twice, nothing stays set aside, and a crash of the node or of the database changes no charge.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, setSystemTime, test } from 'bun:test';
import { BUDGETS_OF_UTC, budgetCalendar } from '#contract/money/budget-windows.ts';
import { SLICE_PATTERN } from '#server/money/ledger/engine/slice.ts';
import type { Operation, WriteHold } from '#server/money/ledger/engine/operations.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { LedgerUnavailableError, type Ledger, type Opening } from '#server/money/ledger/ledger.ts';
import { runBatch } from '#server/money/ledger/postgres/batch.ts';
import { openLink } from '#server/money/ledger/postgres/connection.ts';
import { KnownRows } from '#server/money/ledger/postgres/known.ts';
import { typesText } from '#server/money/ledger/postgres/write.ts';
import type { RunningCall } from '#server/money/ledger/running-call.ts';
import type { NewRow } from '#server/platform/store/schema.ts';
import { openStore, type PostgresStore, type Store } from '#server/platform/store/store.ts';
import { startChaosProxy, type ChaosProxy } from '#tests/support/chaos-proxy.ts';
import { applicationWriter, temporaryPlace, type TemporaryPlace } from '#tests/support/databases.ts';
import { callOf, createWorld, failureOf, logRow, newId, outcome, type World } from './world.ts';

// A database server may have to start first, on a busy machine.
setDefaultTimeout(60_000);

const amount = 100;
const ample = 1_000_000;

let place: TemporaryPlace;
let proxy: ChaosProxy;
let stores: Store[];
let first: World;
let second: World;

beforeEach(async () => {
  place = await temporaryPlace('postgres');
  const address = new URL(place.databaseUrl ?? '');
  proxy = await startChaosProxy({ port: Number(address.port) });
  address.port = String(proxy.port);
  const open = (databaseUrl: string | undefined) =>
    openStore({ dataDir: place.dataDir, databaseUrl, writerEntry: applicationWriter, onFault: () => {} });
  stores = [await open(address.href), await open(place.databaseUrl)];
  first = await createWorld(stores[0] as Store, { nodeId: 'node-1' });
  second = await createWorld(stores[1] as Store, { nodeId: 'node-2' });
});
afterEach(async () => {
  expect(await checkInvariants(stores[1] as Store)).toEqual([]);
  await first.close();
  await second.close();
  for (const store of stores) await store.close();
  await proxy.stop();
  await place.remove();
});

interface Owner {
  userId: number;
  tokenId: number;
}

function open(ledger: Ledger, { userId, tokenId }: Owner, held = amount): Opening | Promise<Opening> {
  return ledger.open(callOf(userId, tokenId, held));
}

async function call(ledger: Ledger, owner: Owner, charge = 10): Promise<number> {
  const opening = await open(ledger, owner);
  if (!opening.ok) throw new Error(opening.reason);
  const settlement = await ledger.settle(opening.call, outcome(charge));
  expect(settlement).toMatchObject({ charged: charge, suspense: 0, duplicate: false });
  return settlement.balance;
}

interface Columns {
  user?: Partial<NewRow<'users'>>;
  token?: Partial<NewRow<'tokens'>>;
}

async function owner(quota = ample, columns: Columns = {}): Promise<Owner> {
  const userId = await second.user(quota, columns.user);
  return { userId, tokenId: await second.token(userId, columns.token) };
}

/** A token that the first node has a slice for, after two calls of 10. */
async function ownerWithSlice(quota = ample, columns: Columns = {}): Promise<Owner> {
  const found = await owner(quota, columns);
  await call(first.ledger, found);
  await call(first.ledger, found);
  return found;
}

/** Admitted without waiting. */
function inside(ledger: Ledger, found: Owner, held = amount): Extract<Opening, { ok: true }> {
  const opening = open(ledger, found, held);
  if (opening instanceof Promise) throw new Error('the database was asked');
  if (!opening.ok) throw new Error(opening.reason);
  return opening;
}

const holdsOf = ({ userId }: Owner) =>
  (stores[1] as Store).db
    .selectFrom('holds')
    .select(['id', 'amount', 'node_id', 'dispatched', 'checkpoint_quota'])
    .where('user_id', '=', userId)
    // The row of a slice in which nothing is left stays until it is given back.
    .where('amount', '>', 0)
    .orderBy('id')
    .execute();

const slicesOf = async (found: Owner) =>
  (await holdsOf(found)).filter(({ id }) => id.startsWith(SLICE_PATTERN.slice(0, -1)));

const userOf = ({ userId }: Owner) =>
  (stores[1] as Store).db
    .selectFrom('users')
    .select(['quota', 'held_quota', 'used_quota', 'request_count'])
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();

const tokenOf = ({ tokenId }: Owner) =>
  (stores[1] as Store).db
    .selectFrom('tokens')
    .select(['remain_quota', 'used_quota'])
    .where('id', '=', tokenId)
    .executeTakeFirstOrThrow();

const progress = (quota: number) => ({ quota, promptTokens: 5, completionTokens: 6, channelId: 7 });

/** The first node loses its connections; `work` happens before it gets new ones. */
async function cut(work: () => unknown): Promise<void> {
  const heard = first.alerts.length;
  const says = (kind: string) => first.alerts.slice(heard).some((alert) => alert.kind === kind);
  proxy.refuse(true);
  proxy.resetAll();
  await work();
  await until(() => says('unavailable'));
  proxy.refuse(false);
  await until(() => says('available'));
}

async function spend({ userId }: Owner, quota: number): Promise<void> {
  const request = { idem: newId(), userId, amount: quota, kind: 'admin', reference: 'test' };
  expect(await second.ledger.debit({ ...request, to: 'world:admin' })).toMatchObject({ ok: true });
}

/** The same name, one epoch later, is how the others see that the process is gone. */
async function replaceFirst(): Promise<void> {
  const { epoch } = await (stores[1] as Store).db
    .updateTable('nodes')
    .set(({ eb }) => ({ epoch: eb('epoch', '+', 1) }))
    .where('id', '=', 'node-1')
    .returning('epoch')
    .executeTakeFirstOrThrow();
  expect(epoch).toBeGreaterThan(1);
}

/** As if its time were over. */
async function recoverSlice({ userId }: Owner): Promise<void> {
  const { db } = stores[1] as Store;
  await db.updateTable('holds').set({ expires_at: 1 }).where('user_id', '=', userId).execute();
  await second.ledger.recover();
}

/** One operation over the rows of the database, as the spool's replay runs it. */
async function runAlone(operation: Operation): Promise<void> {
  const link = openLink((stores[1] as PostgresStore).nodePool.options, (client) => client.query(typesText));
  const rules = { lowBalanceThreshold: -1, budgets: budgetCalendar(BUDGETS_OF_UTC) };
  const circumstances = { ...rules, identity: { nodeId: 'node-1', epoch: 1 }, isSynced: true };
  await link.run((client) => runBatch(client, new KnownRows('node-1'), [operation], circumstances));
  await link.close();
}

async function until(isDone: () => boolean | Promise<boolean>): Promise<void> {
  for (let wait = 0; wait < 1200; wait += 1) {
    if (await isDone()) return;
    await Bun.sleep(25);
  }
  throw new Error('it did not happen in time');
}

const givenBack = (found: Owner) => until(async () => (await userOf(found)).held_quota === 0);

describe('a slice', () => {
  test('is granted with the second call, and the next ones are inside it, one at a time', async () => {
    const found = await owner();
    await call(first.ledger, found);
    expect(await holdsOf(found)).toEqual([]);
    await call(first.ledger, found);
    expect(await holdsOf(found)).toMatchObject([{ amount, node_id: 'node-1', dispatched: 0 }]);
    expect(await userOf(found)).toMatchObject({ held_quota: amount });
    for (let round = 0; round < 5; round += 1) {
      const { call: running, balance } = inside(first.ledger, found);
      expect(balance).toBe(ample - 20 - round * 10 - amount);
      await first.ledger.settle(running, outcome(10));
    }
    const { call: running } = inside(first.ledger, found);
    const beside = open(first.ledger, found);
    expect(beside).toBeInstanceOf(Promise);
    const opened = await beside;
    expect(await userOf(found)).toMatchObject({ held_quota: 2 * amount });
    if (opened.ok) await first.ledger.release(opened.call);
    await first.ledger.settle(running, outcome(10));
    expect(await userOf(found)).toEqual({
      quota: ample - 80,
      held_quota: amount,
      used_quota: 80,
      request_count: 8,
    });
  });

  test('shows the balance as if nothing were set aside, and ends by itself', async () => {
    const found = await owner();
    for (let count = 1; count <= 6; count += 1)
      expect(await call(first.ledger, found)).toBe(ample - count * 10);
    expect(await slicesOf(found)).toHaveLength(1);
    await givenBack(found);
    expect(await holdsOf(found)).toEqual([]);
    expect(await userOf(found)).toEqual({
      quota: ample - 60,
      held_quota: 0,
      used_quota: 60,
      request_count: 6,
    });
  });

  test('grows to what calls side by side need', async () => {
    const found = await owner();
    for (let round = 0; round < 4; round += 1)
      await Promise.all(Array.from({ length: 8 }, () => call(first.ledger, found)));
    const running = Array.from({ length: 8 }, () => inside(first.ledger, found));
    expect(await userOf(found)).toMatchObject({ held_quota: 8 * amount });
    await Promise.all(running.map((opening) => first.ledger.settle(opening.call, outcome(10))));
    expect(await userOf(found)).toMatchObject({ quota: ample - 400, used_quota: 400, request_count: 40 });
  });

  test('is not made for a scarce balance, a scarce token, limits, an expiring token or calls without a token', async () => {
    const soon = Math.floor(Date.now() / 1000) + 100;
    const others = await Promise.all([
      owner(99 * amount),
      owner(ample, { token: { unlimited_quota: 0, remain_quota: 99 * amount } }),
      owner(ample, { user: { requests_per_minute: 1000 } }),
      owner(ample, { token: { month_budget: ample } }),
      owner(ample, { token: { expired_time: soon } }),
    ]);
    for (const found of [...others, { userId: (await owner()).userId, tokenId: 0 }]) {
      for (let round = 0; round < 3; round += 1) await call(first.ledger, found);
      expect(await holdsOf(found)).toEqual([]);
      const opening = open(first.ledger, found);
      expect(opening).toBeInstanceOf(Promise);
      const opened = await opening;
      if (opened.ok) await first.ledger.release(opened.call);
    }
  });

  test('ends when the balance is no longer ample, and its part pays when nothing else is free', async () => {
    const found = await ownerWithSlice();
    const { call: running } = inside(first.ledger, found);
    await spend(found, ample - 20 - amount);
    expect(await first.ledger.settle(running, outcome(amount))).toMatchObject({
      charged: amount,
      suspense: 0,
    });
    expect(open(first.ledger, found)).toBeInstanceOf(Promise);
    await givenBack(found);
    expect(await userOf(found)).toMatchObject({ quota: 0, held_quota: 0, used_quota: 20 + amount });
  });

  test('counts as held on the other node, which never spends what a call inside it holds', async () => {
    const found = await ownerWithSlice(100_000);
    const free = 100_000 - 20 - amount;
    const { call: running } = inside(first.ledger, found);
    const all = await open(second.ledger, found, free + 1);
    expect(all).toMatchObject({ ok: false, reason: 'insufficient_user_quota', balance: free });
    const most = await open(second.ledger, found, free);
    expect(most.ok).toBe(true);
    expect(await first.ledger.settle(running, outcome(amount))).toMatchObject({ charged: amount });
    if (most.ok) await second.ledger.settle(most.call, outcome(free));
    expect(await userOf(found)).toMatchObject({ quota: 0, used_quota: 100_000 });
  });

  test('ends on every node when the token or the user is changed', async () => {
    const { db, changes } = stores[1] as Store;
    const byToken = await ownerWithSlice();
    await db.updateTable('tokens').set({ status: 2 }).where('id', '=', byToken.tokenId).execute();
    await changes.announce('tokens', String(byToken.tokenId));
    const byUser = await ownerWithSlice();
    await db.updateTable('users').set({ status: 2 }).where('id', '=', byUser.userId).execute();
    await changes.announce('users', String(byUser.userId));
    for (const [found, reason] of [
      [byToken, 'token_unavailable'],
      [byUser, 'user_unavailable'],
    ] as const) {
      await until(async () => {
        const opening = await open(first.ledger, found);
        if (opening.ok) await first.ledger.release(opening.call);
        else expect(opening.reason).toBe(reason);
        return !opening.ok;
      });
    }
  });
});

describe('what is set aside', () => {
  test('ends with the quota of its token', async () => {
    const found = await ownerWithSlice(ample, {
      token: { unlimited_quota: 0, remain_quota: 20 + 101 * amount },
    });
    for (;;) {
      const { remain_quota: left } = await tokenOf(found);
      const opening = await open(first.ledger, found);
      expect(opening.ok).toBe(left >= amount);
      if (!opening.ok) break;
      await first.ledger.settle(opening.call, outcome(60));
    }
  });

  test('is a small part of the balance, also for many tokens', async () => {
    const { userId } = await owner(20_000);
    const tokenIds: number[] = [];
    for (let count = 0; count < 60; count += 1) tokenIds.push(await second.token(userId));
    for (let round = 0; round < 2; round += 1)
      for (const tokenId of tokenIds) await call(first.ledger, { userId, tokenId }, 0);
    expect((await userOf({ userId, tokenId: 0 })).held_quota).toBeLessThan(2000);
  });

  test('is given back for a call that needs the whole balance or the whole token', async () => {
    const columns = { token: { unlimited_quota: 0 as const, remain_quota: ample / 2 } };
    for (const [found, all] of [
      [await ownerWithSlice(), ample - 20],
      [await ownerWithSlice(ample, columns), ample / 2 - 20],
    ] as const) {
      expect(await open(first.ledger, found, all + 1)).toMatchObject({ ok: false, balance: ample - 20 });
      await call(first.ledger, found, 0);
      await call(first.ledger, found, 0);
      const opening = await open(first.ledger, found, all);
      expect(opening).toMatchObject({ ok: true });
      if (opening.ok) await first.ledger.release(opening.call);
    }
  });

  test('is given back when the answer to the settlement that made it was lost', async () => {
    const found = await owner();
    await call(first.ledger, found);
    const opening = await open(first.ledger, found);
    if (!opening.ok) throw new Error(opening.reason);
    proxy.spoil({ toClient: { stallAfterBytes: 0 } });
    const settling = first.ledger.settle(opening.call, outcome(10));
    await until(async () => (await slicesOf(found)).length === 1);
    proxy.resetAll();
    proxy.spoil({});
    expect(await settling).toMatchObject({ charged: 10 });
    await givenBack(found);
    expect(await userOf(found)).toMatchObject({ quota: ample - 20, request_count: 2 });
  });

  test('pays no more of a call than its part, however much the call has used', async () => {
    const found = await owner(100_000);
    for (let round = 0; round < 3; round += 1)
      await Promise.all([call(first.ledger, found, 0), call(first.ledger, found, 0)]);
    const [greedy, modest] = [inside(first.ledger, found), inside(first.ledger, found)];
    expect(await slicesOf(found)).toMatchObject([{ amount: 2 * amount }]);
    await spend(found, 100_000 - 2 * amount);
    expect(await first.ledger.settle(greedy.call, outcome(3 * amount))).toMatchObject({
      charged: amount,
      suspense: 2 * amount,
    });
    expect(await first.ledger.settle(modest.call, outcome(amount))).toMatchObject({
      charged: amount,
      suspense: 0,
    });
    await givenBack(found);
  });

  test('that has paid a part of a call is no longer in the balance of its answer (M23)', async () => {
    const found = await owner(100_000);
    for (let round = 0; round < 3; round += 1)
      await Promise.all([call(first.ledger, found, 0), call(first.ledger, found, 0)]);
    const [ending, running] = [inside(first.ledger, found), inside(first.ledger, found)];
    await spend(found, 100_000 - 2 * amount - 30);
    expect(await first.ledger.settle(ending.call, outcome(90))).toMatchObject({ charged: 90, balance: 40 });
    expect(await first.ledger.settle(running.call, outcome(amount))).toMatchObject({ charged: amount });
    expect(await first.ledger.balance(found.userId)).toBe(40);
  });

  test('ends with the next settlement when user or token have changed, also without an announcement', async () => {
    const { db } = stores[1] as Store;
    const changes = [
      ({ userId: id }: Owner) => db.updateTable('users').set({ status: 2 }).where('id', '=', id),
      ({ userId: id }: Owner) => db.updateTable('users').set({ month_budget: 1 }).where('id', '=', id),
      ({ tokenId: id }: Owner) => db.updateTable('tokens').set({ status: 2 }).where('id', '=', id),
      ({ tokenId: id }: Owner) => db.updateTable('tokens').set({ deleted_at: 1 }).where('id', '=', id),
      ({ tokenId: id }: Owner) => db.updateTable('tokens').set({ concurrent_calls: 1 }).where('id', '=', id),
    ];
    for (const change of changes) {
      const found = await ownerWithSlice();
      await change(found).execute();
      await first.ledger.settle(inside(first.ledger, found).call, outcome(10));
      const opening = open(first.ledger, found);
      expect(opening).toBeInstanceOf(Promise);
      const opened = await opening;
      if (opened.ok) await first.ledger.release(opened.call);
    }
  });

  test('ends with an outage, and admits nothing on a node that was replaced', async () => {
    const [found, other] = [await ownerWithSlice(), await owner()];
    const refusal = (who: Owner) => failureOf(Promise.resolve(open(first.ledger, who)));
    await cut(async () => {
      expect(await refusal(other)).toBeInstanceOf(LedgerUnavailableError);
      expect(await refusal(found)).toBeInstanceOf(LedgerUnavailableError);
    });
    const opening = open(first.ledger, found);
    expect(opening).toBeInstanceOf(Promise);
    const opened = await opening;
    if (opened.ok) await first.ledger.settle(opened.call, outcome(0));
    await call(first.ledger, found, 0);
    await first.ledger.release(inside(first.ledger, found).call);
    await replaceFirst();
    await first.ledger.heartbeat?.beat();
    expect(await refusal(found)).toBeInstanceOf(LedgerUnavailableError);
  });

  test('lives by the clock of the database', async () => {
    const soon = Math.floor(Date.now() / 1000) + 100;
    const expiring = await owner(ample, { token: { expired_time: soon } });
    const found = await owner();
    setSystemTime(Date.now() - 600_000);
    try {
      for (let round = 0; round < 3; round += 1) await call(first.ledger, expiring);
      expect(await slicesOf(expiring)).toEqual([]);
      for (let round = 0; round < 2; round += 1) await call(first.ledger, found);
      await second.ledger.recover();
      expect(await slicesOf(found)).toHaveLength(1);
    } finally {
      setSystemTime();
    }
  });

  test('for one user stays when the holds of another are written', async () => {
    const [one, other] = [await ownerWithSlice(), await ownerWithSlice()];
    expect(await first.ledger.balance(other.userId)).toBe(ample - 20);
    await first.ledger.release(inside(first.ledger, one).call);
    expect(open(first.ledger, other)).toBeInstanceOf(Promise);
  });
});

describe('a call inside a slice', () => {
  test('gets its row with its first checkpoint, and pays by it when its node is killed', async () => {
    const found = await ownerWithSlice();
    const { call: running } = inside(first.ledger, found);
    const checkpoint = { quota: 33, promptTokens: 5, completionTokens: 6, channelId: 7 };
    first.ledger.dispatched(running, checkpoint);
    await until(async () => (await holdsOf(found)).some((hold) => hold.checkpoint_quota === 33));
    expect(await holdsOf(found)).toMatchObject([{ id: running.requestId, amount, dispatched: 1 }]);
    await replaceFirst();
    await second.ledger.recover();
    expect(await userOf(found)).toMatchObject({ quota: ample - 20 - 33, held_quota: 0, used_quota: 53 });
  });

  test('is extended in its own row', async () => {
    const found = await ownerWithSlice();
    const { call: running } = inside(first.ledger, found);
    expect(await first.ledger.extend(running, 50)).toBe(true);
    expect(await holdsOf(found)).toMatchObject([{ id: running.requestId, amount: 150 }]);
    expect(await first.ledger.settle(running, outcome(150))).toMatchObject({ charged: 150, suspense: 0 });
    await givenBack(found);
    expect(await userOf(found)).toMatchObject({ quota: ample - 170, used_quota: 170 });
  });

  test('writes nothing when it is released, and its failure when it has one', async () => {
    const found = await ownerWithSlice();
    await first.ledger.release(inside(first.ledger, found).call);
    expect(await userOf(found)).toMatchObject({ quota: ample - 20, held_quota: amount, request_count: 2 });
    const log = { ...logRow(found.userId, found.tokenId), type: 5 };
    const failure = { channelId: 7, modelName: 'gpt-4o', useTimeMs: 5, log };
    const { call: failed } = inside(first.ledger, found);
    await first.ledger.release(failed, failure);
    const logged = await (stores[1] as Store).db
      .selectFrom('logs')
      .select('type')
      .where('request_id', '=', failed.requestId)
      .execute();
    expect(logged).toEqual([{ type: 5 }]);
    inside(first.ledger, found);
  });

  test('settled twice is charged once', async () => {
    const found = await ownerWithSlice();
    const { call: running } = inside(first.ledger, found);
    const [one, two] = await Promise.all([
      first.ledger.settle(running, outcome(40)),
      first.ledger.settle(running, outcome(50)),
    ]);
    expect([one.charged, two.duplicate]).toEqual([40, true]);
    expect(await userOf(found)).toMatchObject({ quota: ample - 60, used_quota: 60, request_count: 3 });
  });

  test('is charged from the free balance when another node has released the slice', async () => {
    const found = await ownerWithSlice();
    const { call: running } = inside(first.ledger, found);
    await recoverSlice(found);
    expect(await userOf(found)).toMatchObject({ held_quota: 0 });
    expect(second.alerts.filter(({ kind }) => kind === 'recovered')).toEqual([]);
    expect(await first.ledger.settle(running, outcome(amount))).toMatchObject({
      charged: amount,
      suspense: 0,
    });
    expect(await userOf(found)).toMatchObject({ quota: ample - 20 - amount, held_quota: 0 });
    // Nothing stands behind further calls.
    expect(open(first.ledger, found)).toBeInstanceOf(Promise);
  });

  test('whose row was lost with the connection gets it afterwards, and the rest is given back', async () => {
    const found = await ownerWithSlice();
    const { call: running } = inside(first.ledger, found);
    await cut(() => first.ledger.dispatched(running, progress(33)));
    await until(async () => (await holdsOf(found)).some((hold) => hold.checkpoint_quota === 33));
    await until(async () => (await slicesOf(found)).length === 0);
    expect(await holdsOf(found)).toMatchObject([{ id: running.requestId, amount, dispatched: 1 }]);
    expect(await first.ledger.settle(running, outcome(60))).toMatchObject({ charged: 60, duplicate: false });
    await givenBack(found);
    expect(await userOf(found)).toMatchObject({ quota: ample - 80, used_quota: 80, request_count: 3 });
  });

  test('can be extended after its row was lost with the connection', async () => {
    const found = await ownerWithSlice();
    const { call: running } = inside(first.ledger, found);
    await cut(() => failureOf(first.ledger.extend(running, 50)));
    expect(await first.ledger.extend(running, 50)).toBe(true);
    expect(await first.ledger.settle(running, outcome(150))).toMatchObject({ charged: 150, suspense: 0 });
    await givenBack(found);
  });

  test('that is released after its row was lost with the connection leaves nothing set aside', async () => {
    const found = await ownerWithSlice();
    const { call: running } = inside(first.ledger, found);
    await cut(() => failureOf(first.ledger.extend(running, 50)));
    await first.ledger.release(running);
    await givenBack(found);
    expect(await userOf(found)).toMatchObject({ quota: ample - 20, request_count: 2 });
  });

  test('whose row another node has charged gets no second one', async () => {
    const found = await ownerWithSlice();
    const { call: running } = inside(first.ledger, found);
    first.ledger.dispatched(running, progress(33));
    await until(async () => (await holdsOf(found)).some((hold) => hold.checkpoint_quota === 33));
    await recoverSlice(found);
    const { userId, tokenId, requestId } = running as RunningCall;
    const slice = { id: 'allowance:node-1:1:1', amount };
    // As it is sent when the answer to the first one was lost.
    const operation: WriteHold = {
      kind: 'writeHold',
      requestId,
      slice,
      owner: { userId, tokenId },
      expiresAt: 1,
      isAgain: true,
    };
    await runAlone(operation);
    expect(await holdsOf(found)).toEqual([]);
    expect(await first.ledger.settle(running, outcome(60))).toMatchObject({ charged: 60, suspense: 0 });
    expect(await userOf(found)).toMatchObject({ quota: ample - 80, used_quota: 80, request_count: 3 });
  });

  test('that ends after the answer to its row was lost leaves no row behind', async () => {
    const found = await owner();
    for (let round = 0; round < 3; round += 1)
      await Promise.all([call(first.ledger, found, 0), call(first.ledger, found, 0)]);
    const both = [inside(first.ledger, found), inside(first.ledger, found)];
    proxy.spoil({ toClient: { stallAfterBytes: 0 } });
    const written = failureOf(first.ledger.writeHolds(found.userId));
    // The rows are written, and their node does not know.
    await until(async () => (await holdsOf(found)).some(({ id }) => id === both[0]?.call.requestId));
    proxy.resetAll();
    proxy.spoil({});
    await written;
    await until(() => first.alerts.some(({ kind }) => kind === 'available'));
    // After the first one the node remembers the row of the slice, and need not read for the second.
    for (const { call: running } of both)
      expect(await first.ledger.settle(running, outcome(60))).toMatchObject({ charged: 60, suspense: 0 });
    await givenBack(found);
    expect(await userOf(found)).toMatchObject({ quota: ample - 120, used_quota: 120, request_count: 8 });
  });

  test('that ends while PostgreSQL is away goes to the spool and is booked once; new ones are refused', async () => {
    const found = await ownerWithSlice();
    const { call: running } = inside(first.ledger, found, 50);
    const { call: failed } = inside(first.ledger, found, 50);
    proxy.refuse(true);
    proxy.resetAll();
    const log = { ...logRow(found.userId, found.tokenId), type: 5 };
    await first.ledger.release(failed, { channelId: 7, modelName: 'gpt-4o', useTimeMs: 5, log });
    expect(await first.ledger.settle(running, outcome(40))).toMatchObject({ charged: 40 });
    const refused = await failureOf(Promise.resolve(open(first.ledger, found)));
    expect(refused).toBeInstanceOf(LedgerUnavailableError);
    proxy.refuse(false);
    await until(() => first.alerts.some(({ kind }) => kind === 'available'));
    await givenBack(found);
    expect(await userOf(found)).toMatchObject({ quota: ample - 60, used_quota: 60, request_count: 3 });
    const logged = (stores[1] as Store).db.selectFrom('logs').where('request_id', '=', failed.requestId);
    expect(await logged.select('type').execute()).toEqual([{ type: 5 }]);
    await call(first.ledger, found);
  });
});
