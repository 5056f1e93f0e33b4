// A call whose slice is gone or old, and a node that is closed: nothing more is held than there is, and nothing stays set aside.
import { afterEach, beforeEach, expect, setDefaultTimeout, setSystemTime, test } from 'bun:test';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import type { Ledger } from '#server/money/ledger/ledger.ts';
import type { Store } from '#server/platform/store/store.ts';
import { databaseSource } from '#tests/support/databases.ts';
import { callOf, createWorld, newId, outcome, type World } from './world.ts';

// A database server may have to start first, on a busy machine.
setDefaultTimeout(60_000);

const amount = 100;
const ample = 1_000_000;
const { open, closeAll } = databaseSource('postgres');

let store: Store;
let world: World;
let node: Ledger;
beforeEach(async () => {
  store = await open();
  world = await createWorld(store);
  node = await world.reopen({ nodeId: 'node-2' });
});
afterEach(async () => {
  expect(await checkInvariants(store)).toEqual([]);
  await world.close();
  await closeAll();
});

interface Owner {
  userId: number;
  tokenId: number;
}

/** A user for whose token the node has set something aside. */
async function ownerWithSlice(): Promise<Owner> {
  const userId = await world.user(ample);
  const owner = { userId, tokenId: await world.token(userId) };
  for (let round = 0; round < 2; round += 1) {
    const opening = await node.open(callOf(userId, owner.tokenId, amount));
    if (!opening.ok) throw new Error(opening.reason);
    await node.settle(opening.call, outcome(10));
  }
  expect(await rowOf(owner)).toMatchObject({ held_quota: amount });
  return owner;
}

/** Admitted without a question to the database. */
function openInside({ userId, tokenId }: Owner) {
  const opening = node.open(callOf(userId, tokenId, amount));
  if (opening instanceof Promise || !opening.ok) throw new Error('not inside a slice');
  return opening.call;
}

const rowOf = ({ userId }: Owner) =>
  store.db
    .selectFrom('users')
    .select(['quota', 'held_quota'])
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();

const holdsOf = ({ userId }: Owner) =>
  store.db
    .selectFrom('holds')
    .select(['id', 'amount'])
    .where('user_id', '=', userId)
    .where('amount', '>', 0)
    .execute();

async function until(isDone: () => Promise<boolean>): Promise<void> {
  for (let wait = 0; wait < 1200; wait += 1) {
    if (await isDone()) return;
    await Bun.sleep(25);
  }
  throw new Error('it did not happen in time');
}

test('a call inside a slice whose slice is gone holds what is free, and no more, from its first checkpoint on (M21)', async () => {
  const owner = await ownerWithSlice();
  const call = openInside(owner);
  // Another node releases what was set aside, and almost everything is spent.
  await store.db.updateTable('holds').set({ expires_at: 1 }).where('user_id', '=', owner.userId).execute();
  await world.ledger.recover();
  expect(await rowOf(owner)).toEqual({ quota: ample - 20, held_quota: 0 });
  const debit = {
    idem: newId(),
    userId: owner.userId,
    amount: ample - 20 - 30,
    kind: 'admin',
    reference: '',
  };
  expect(await world.ledger.debit({ ...debit, to: 'world:admin' })).toMatchObject({ ok: true });

  node.dispatched(call, { quota: 20, promptTokens: 1, completionTokens: 2, channelId: 7 });
  await until(async () => (await holdsOf(owner)).length > 0);
  expect(await holdsOf(owner)).toEqual([{ id: call.requestId, amount: 30 }]);
  expect(await rowOf(owner)).toEqual({ quota: 30, held_quota: 30 });
  expect(await node.settle(call, outcome(50))).toMatchObject({ charged: 30, suspense: 20 });
  expect(await rowOf(owner)).toEqual({ quota: 0, held_quota: 0 });
});

test('a slice that another node has released is not made again by the settlement that would enlarge it (M21)', async () => {
  const owner = await ownerWithSlice();
  // The first call takes the whole slice, so the database writes a hold row for the second.
  const inside = openInside(owner);
  const opening = await node.open(callOf(owner.userId, owner.tokenId, amount));
  if (!opening.ok) throw new Error(opening.reason);
  await store.db
    .updateTable('holds')
    .set({ expires_at: 1 })
    .where('user_id', '=', owner.userId)
    .where('id', 'like', 'allowance:%')
    .execute();
  await world.ledger.recover();
  expect(await holdsOf(owner)).toEqual([{ id: opening.call.requestId, amount }]);
  await node.settle(opening.call, outcome(10));
  expect(await holdsOf(owner)).toEqual([]);
  expect(await rowOf(owner)).toEqual({ quota: ample - 30, held_quota: 0 });
  await node.settle(inside, outcome(10));
  expect(await rowOf(owner)).toEqual({ quota: ample - 40, held_quota: 0 });
});

test('a node that is closed gives everything back that it had set aside, at once (M21)', async () => {
  const owners = [await ownerWithSlice(), await ownerWithSlice()];
  await node.close();
  for (const owner of owners) {
    expect(await rowOf(owner)).toEqual({ quota: ample - 20, held_quota: 0 });
    expect(await holdsOf(owner)).toEqual([]);
  }
});

test('what a node has set aside is no running call for a limit that is set meanwhile (M21)', async () => {
  const { userId, tokenId } = await ownerWithSlice();
  const limited = { concurrent_calls: 1 };
  await store.db.updateTable('users').set(limited).where('id', '=', userId).execute();
  await store.db.updateTable('tokens').set(limited).where('id', '=', tokenId).execute();
  const opening = await world.ledger.open(callOf(userId, tokenId, amount));
  expect(opening).toMatchObject({ ok: true });
  if (opening.ok) await world.ledger.release(opening.call);
});

test('a node that is closed hears no announcements any more (M21)', async () => {
  const { changes } = store;
  const { subscribe } = changes;
  let listening = 0;
  changes.subscribe = (topic, listener) => {
    const stop = subscribe(topic, listener);
    listening += 1;
    return () => {
      listening -= 1;
      stop();
    };
  };
  const another = await world.reopen({ nodeId: 'node-3' });
  expect(listening).toBeGreaterThan(0);
  await another.close();
  expect(listening).toBe(0);
});

test('a call that is not sent upstream before its slice is old gets its row, and the slice is given back', async () => {
  const owner = await ownerWithSlice();
  const waiting = openInside(owner);
  setSystemTime(Date.now() + 61_000);
  try {
    const row = [{ id: waiting.requestId, amount }];
    await until(async () => JSON.stringify(await holdsOf(owner)) === JSON.stringify(row));
  } finally {
    setSystemTime();
  }
  expect(await rowOf(owner)).toEqual({ quota: ample - 20, held_quota: amount });
  expect(await node.settle(waiting, outcome(amount))).toMatchObject({ charged: amount, suspense: 0 });
});

test('two nodes spend the last units of a balance to the last one, and refuse nothing before', async () => {
  const owner = await ownerWithSlice();
  const debit = { userId: owner.userId, amount: ample - 20 - 3 * amount, kind: 'admin', reference: '' };
  expect(await world.ledger.debit({ ...debit, idem: newId(), to: 'world:admin' })).toMatchObject({
    ok: true,
  });
  // What the node has of the rest is taken back for the other one.
  const first = await world.ledger.open(callOf(owner.userId, owner.tokenId, 2 * amount));
  const second = await node.open(callOf(owner.userId, owner.tokenId, amount));
  const third = await world.ledger.open(callOf(owner.userId, owner.tokenId, 1));
  if (!first.ok || !second.ok) throw new Error('refused although the money is there');
  expect(third).toMatchObject({ ok: false, reason: 'insufficient_user_quota', balance: 0 });
  expect(await world.ledger.settle(first.call, outcome(2 * amount))).toMatchObject({ suspense: 0 });
  expect(await node.settle(second.call, outcome(amount))).toMatchObject({ charged: amount, suspense: 0 });
  expect(await rowOf(owner)).toEqual({ quota: 0, held_quota: 0 });
});
