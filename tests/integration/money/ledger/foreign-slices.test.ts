// Several nodes on one PostgreSQL: what one has set aside of a balance is given back before another refuses anything for want of it.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, spyOn, test } from 'bun:test';
import { SLICE_PATTERN } from '#server/money/ledger/engine/slice.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import type { Ledger, LedgerCall, Opening } from '#server/money/ledger/ledger.ts';
import type { NewRow } from '#server/platform/store/schema.ts';
import { openStore, type PostgresStore } from '#server/platform/store/store.ts';
import { startChaosProxy, type ChaosProxy } from '#tests/support/chaos-proxy.ts';
import { applicationWriter, temporaryPlace, type TemporaryPlace } from '#tests/support/databases.ts';
import { callOf, createWorld, newId, outcome, type World } from './world.ts';

// A database server may have to start first, on a busy machine.
setDefaultTimeout(60_000);

const amount = 100;
const ample = 1_000_000;

let place: TemporaryPlace;
let proxy: ChaosProxy;
let stores: PostgresStore[];
/** The first one is behind the proxy. */
let worlds: World[];
let first: World;
let second: World;
/** What the second node has asked for. */
let asked: (string | undefined)[];

beforeEach(async () => {
  place = await temporaryPlace('postgres');
  const { dataDir, databaseUrl } = place;
  const address = new URL(databaseUrl ?? '');
  proxy = await startChaosProxy({ port: Number(address.port) });
  address.port = String(proxy.port);
  stores = [];
  worlds = [];
  for (const url of [address.href, databaseUrl, databaseUrl]) {
    const onFault = () => {};
    const store = await openStore({ dataDir, databaseUrl: url, writerEntry: applicationWriter, onFault });
    stores.push(store as PostgresStore);
    worlds.push(await createWorld(store, { nodeId: `node-${stores.length}` }));
  }
  [first, second] = worlds as [World, World];
  asked = [];
  database().changes.subscribe('allowances', (detail) => asked.push(detail));
});
afterEach(async () => {
  expect(await checkInvariants(database())).toEqual([]);
  for (const world of worlds) await world.close();
  for (const store of stores) await store.close();
  await proxy.stop();
  await place.remove();
});

const database = () => stores[1] as PostgresStore;

interface Owner {
  userId: number;
  tokenId: number;
}

const open = (ledger: Ledger, { userId, tokenId }: Owner, held = amount): Opening | Promise<Opening> =>
  ledger.open(callOf(userId, tokenId, held));

async function opened(ledger: Ledger, found: Owner, held = amount): Promise<LedgerCall> {
  const opening = await open(ledger, found, held);
  if (!opening.ok) throw new Error(`refused: ${opening.reason}`);
  return opening.call;
}

/** A token that these nodes have a slice for. */
async function ownerWithSlice(
  nodes: World[] = [first],
  token: Partial<NewRow<'tokens'>> = {},
): Promise<Owner> {
  const userId = await second.user(ample);
  const found = { userId, tokenId: await second.token(userId, token) };
  // Two rounds suffice, unless the machine takes seconds for them.
  for (let round = 0; round < 100; round += 1) {
    await Promise.all(
      nodes.map(async ({ ledger }) => ledger.settle(await opened(ledger, found), outcome(0))),
    );
    if ((await slicesOf(found)).length === nodes.length) return found;
  }
  throw new Error('nothing was set aside');
}

const slicesOf = ({ userId }: Owner) =>
  database()
    .db.selectFrom('holds')
    .select('amount')
    .where('user_id', '=', userId)
    .where('id', 'like', SLICE_PATTERN)
    .execute();

/** Admitted without waiting. */
function inside(ledger: Ledger, found: Owner): LedgerCall {
  const opening = open(ledger, found);
  if (opening instanceof Promise || !opening.ok) throw new Error('the database was asked');
  return opening.call;
}

describe('what another node has set aside is given back', () => {
  test('for a call that needs the whole balance, or the whole quota of its token (M22)', async () => {
    const quota = ample / 2;
    const found = await ownerWithSlice([first, worlds[2] as World]);
    await second.ledger.release(await opened(second.ledger, found, ample));
    const ofToken = await ownerWithSlice([first], { unlimited_quota: 0, remain_quota: quota });
    await second.ledger.release(await opened(second.ledger, ofToken, quota));
    expect(asked).toEqual([String(found.userId), String(ofToken.userId)]);
  });

  test('for a call that can use less than it asks for (M11, M22)', async () => {
    const found = await ownerWithSlice();
    const request = { ...callOf(found.userId, found.tokenId, 10 * ample), least: ample };
    const opening = await second.ledger.open(request);
    if (!opening.ok) throw new Error(`refused: ${opening.reason}`);
    expect(opening.amount).toBe(ample);
    await second.ledger.release(opening.call);
  });

  test('but for the parts of calls that run, and the refusal names the rest (M22)', async () => {
    const found = await ownerWithSlice();
    // A call is inside a part of it, the rest is free.
    while ((await slicesOf(found))[0]?.amount !== 2 * amount) {
      const both = await Promise.all([opened(first.ledger, found), opened(first.ledger, found)]);
      await Promise.all(both.map((call) => first.ledger.settle(call, outcome(0))));
    }
    const running = inside(first.ledger, found);
    const all = await open(second.ledger, found, ample - amount + 1);
    expect(all).toMatchObject({ ok: false, reason: 'insufficient_user_quota', balance: ample - amount });
    const rest = await opened(second.ledger, found, ample - amount);
    expect(await first.ledger.settle(running, outcome(amount))).toMatchObject({ charged: amount });
    await second.ledger.settle(rest, outcome(ample - amount));
    expect(await second.findUser(found.userId)).toMatchObject({ quota: 0, held_quota: 0 });
  });

  test('for the extension of a running call, also on the same node (M22)', async () => {
    for (const { ledger } of [first, second]) {
      const found = await ownerWithSlice();
      const running = await opened(ledger, found, 2 * amount);
      expect(await ledger.extend(running, ample - 2 * amount + 1)).toBe(false);
      expect(await ledger.extend(running, ample - 2 * amount)).toBe(true);
      expect(await ledger.settle(running, outcome(ample))).toMatchObject({ charged: ample, suspense: 0 });
    }
    const quota = ample / 2;
    const found = await ownerWithSlice([first], { unlimited_quota: 0, remain_quota: quota });
    const running = await opened(second.ledger, found);
    expect(await second.ledger.extend(running, quota - amount)).toBe(true);
    await second.ledger.release(running);
  });

  test('for a debit of the whole balance, and for the balance that is shown (M22)', async () => {
    const found = await ownerWithSlice();
    expect(await second.ledger.balance(found.userId)).toBe(ample);
    const { userId } = await ownerWithSlice([first, second]);
    const request = { userId, kind: 'admin', reference: 'test', to: 'world:admin' } as const;
    expect(await second.ledger.debit({ ...request, idem: newId(), amount: ample + 1 })).toMatchObject({
      ok: false,
    });
    expect(await second.ledger.debit({ ...request, idem: newId(), amount: ample })).toMatchObject({
      ok: true,
    });
  });

  test('while its token is in use, not only when it is idle (M22)', async () => {
    const found = await ownerWithSlice();
    const using = setInterval(() => {
      const opening = open(first.ledger, found, 1);
      // The slice is gone.
      if (opening instanceof Promise) clearInterval(using);
      void Promise.resolve(opening).then((late) => (late.ok ? first.ledger.release(late.call) : undefined));
    }, 50);
    await second.ledger.release(await opened(second.ledger, found, ample - 1));
    clearInterval(using);
  });

  test('with the part of a call that is just being settled', async () => {
    const found = await ownerWithSlice();
    const settling = first.ledger.settle(inside(first.ledger, found), outcome(0));
    await first.ledger.release(await opened(first.ledger, found, ample));
    expect(await settling).toMatchObject({ charged: 0, duplicate: false });
  });

  test('and is not set aside again at once, however busy the token is (M22)', async () => {
    const found = await ownerWithSlice();
    const work = { isDone: false };
    const busy = Promise.all(
      Array.from({ length: 4 }, async () => {
        while (!work.isDone) await first.ledger.settle(await opened(first.ledger, found), outcome(0));
      }),
    );
    const most = ample - 4 * amount;
    for (let round = 0; round < 20; round += 1)
      await second.ledger.release(await opened(second.ledger, found, most));
    work.isDone = true;
    await busy;
  });
});

describe('a refusal', () => {
  const tooMuch = async (found: Owner, held = ample) => {
    const before = asked.length;
    expect(await open(second.ledger, found, held)).toMatchObject({ ok: false });
    return asked.length - before;
  };

  test('waits once for a node that does not answer (M22)', async () => {
    const found = await ownerWithSlice();
    proxy.refuse(true);
    proxy.resetAll();
    expect(await tooMuch(found)).toBe(1);
    expect(await tooMuch(found)).toBe(0);
    proxy.refuse(false);
    await first.available();
  });

  test('does not wait for a node without a heartbeat, or for an epoch that is over (M22)', async () => {
    const found = await ownerWithSlice();
    proxy.refuse(true);
    proxy.resetAll();
    const node = database().db.updateTable('nodes').where('id', '=', 'node-1');
    await node.set(({ eb }) => ({ heartbeat_at: eb('heartbeat_at', '-', 31) })).execute();
    expect(await tooMuch(found)).toBe(0);
    const beaten = { heartbeat_at: Math.floor(Date.now() / 1000) };
    await node.set(({ eb }) => ({ ...beaten, epoch: eb('epoch', '+', 1) })).execute();
    expect(await tooMuch(found)).toBe(0);
    proxy.refuse(false);
  });

  test('costs no further statement when all that is held would not be enough (M22)', async () => {
    const userId = await second.user(ample);
    const poor = { userId, tokenId: await second.token(userId) };
    const found = await ownerWithSlice();
    const queries = spyOn(database().nodePool, 'query');
    const looks = () =>
      queries.mock.calls.filter(([query]) => JSON.stringify(query).includes('ledger-set-aside')).length;
    expect(await tooMuch(poor, ample + 1)).toBe(0);
    expect(await tooMuch(found, ample + 1)).toBe(0);
    expect(looks()).toBe(0);
    await second.ledger.release(await opened(second.ledger, found, ample));
    expect(looks()).toBeGreaterThan(0);
    queries.mockRestore();
  });

  test('asks nobody when only running calls hold what is missing (M22)', async () => {
    const userId = await second.user(ample);
    const found = { userId, tokenId: await second.token(userId) };
    const running = await opened(first.ledger, found);
    expect(await tooMuch(found)).toBe(0);
    await first.ledger.release(running);
  });
});
