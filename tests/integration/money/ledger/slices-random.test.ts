// Two nodes serve the same users whose balances are ample at times, connections of one break at random, and slices expire
// early: the end of every call is booked once and to the unit. TEST_SEED repeats a run, BILLING_STEPS makes it longer.
import { expect, setDefaultTimeout, test } from 'bun:test';
import { SLICE_PATTERN } from '#server/money/ledger/engine/slice.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { LedgerUnavailableError, type Ledger, type LedgerCall } from '#server/money/ledger/ledger.ts';
import { openStore, type Store } from '#server/platform/store/store.ts';
import { startChaosProxy } from '#tests/support/chaos-proxy.ts';
import { applicationWriter, temporaryPlace } from '#tests/support/databases.ts';
import { seed } from '#tests/support/random.ts';
import { randomSource } from '#tests/support/sequence.ts';
import { callOf, createWorld, newId, outcome, type World } from './world.ts';

const steps = Number(process.env['BILLING_STEPS'] ?? 600);
setDefaultTimeout(120_000 + steps * 40);

interface Owner {
  userId: number;
  tokenIds: number[];
  credited: number;
  /** Counters of budgets that each call names, and their limits. */
  budgets: { list: string; quota: number }[];
}

/** How a call ended, as its caller saw it. */
interface Ended {
  requestId: string;
  userId: number;
  held: number;
  /** Undefined: without a charge. */
  asked: number | undefined;
  /** The answer was an error: it may have been booked or not. */
  isDoubtful: boolean;
}

/** `isHonest`: no upstream uses more than was held. `isSound`: no slice is released before its calls have ended. */
interface Terms {
  isHonest: boolean;
  isSound: boolean;
}

test.each([
  { isHonest: true, isSound: true },
  { isHonest: false, isSound: false },
])(
  `${steps} calls on two nodes (seed ${seed}, %p) are booked to the unit`,
  async ({ isHonest, isSound }: Terms) => {
    const random = randomSource(seed);
    const place = await temporaryPlace('postgres');
    const address = new URL(place.databaseUrl ?? '');
    const proxy = await startChaosProxy({ port: Number(address.port) });
    address.port = String(proxy.port);
    const openOne = (databaseUrl: string | undefined) =>
      openStore({ dataDir: place.dataDir, databaseUrl, writerEntry: applicationWriter, onFault: () => {} });
    const stores = [await openOne(address.href), await openOne(place.databaseUrl)] as [Store, Store];
    const worlds = [
      await createWorld(stores[0], { nodeId: 'node-1' }),
      await createWorld(stores[1], { nodeId: 'node-2' }),
    ] as [World, World];
    const owners: Owner[] = [];
    for (let index = 0; index < 6; index += 1) {
      const credited = [30_000, 60_000, 200_000, 2_000_000, 5_000_000, 40_000][index] ?? 0;
      const userId = await worlds[1].user(credited);
      const tokenIds = [await worlds[1].token(userId), await worlds[1].token(userId)];
      if (index % 2 === 1)
        tokenIds.push(await worlds[1].token(userId, { unlimited_quota: 0, remain_quota: 25_000 }));
      const budgets = [{ list: '', quota: 0 }];
      if (index >= 2)
        for (const quota of [credited, credited / 20])
          budgets.push({ list: String(await worlds[1].counter(userId, { quota })), quota });
      owners.push({ userId, tokenIds, credited, budgets });
    }
    const ended: Ended[] = [];
    const faults: unknown[] = [];

    async function oneCall(ledger: Ledger, { userId, tokenIds, budgets }: Owner): Promise<void> {
      const held = 1 + random(200);
      const tokenId = tokenIds[random(tokenIds.length)] ?? 0;
      // Mostly the same ones for a key, as calls have them.
      const which = random(8) === 0 ? random(budgets.length) : tokenId % budgets.length;
      const request = { ...callOf(userId, tokenId, held), budgets: budgets[which]?.list };
      const { requestId } = request;
      const opening = await ledger.open(request);
      if (!opening.ok) return;
      let all = held;
      if (random(3) === 0) ledger.dispatched(opening.call);
      if (random(6) === 0) {
        const more = random(150);
        if (await ledger.extend(opening.call, more).catch(() => false)) all += more;
      }
      if (random(2) === 0) await Bun.sleep(random(8) === 0 ? random(400) : random(8));
      const failure = { channelId: 7, modelName: 'gpt-4o', useTimeMs: 5 };
      if (random(6) === 0) {
        const isDoubtful = await ledger.release(opening.call, random(2) === 0 ? failure : undefined).then(
          () => false,
          () => true,
        );
        ended.push({ requestId, userId, held: all, asked: undefined, isDoubtful });
        return;
      }
      const asked = !isHonest && random(12) === 0 ? all * 4 : random(all + 1);
      const isDoubtful = await ledger.settle(opening.call, outcome(asked)).then(
        () => false,
        () => true,
      );
      ended.push({ requestId, userId, held: all, asked, isDoubtful });
    }

    async function oneTransfer(ledger: Ledger, owner: Owner): Promise<void> {
      const isCredit = random(2) === 0;
      const free = await ledger.balance(owner.userId).catch(() => 0);
      // Sometimes all that is free.
      const amount = isCredit ? 1 + random(60_000) : Math.max(1, random(3) === 0 ? free : random(20_000));
      const request = { idem: newId(), userId: owner.userId, amount, kind: 'admin', reference: 'random' };
      const result = isCredit
        ? await ledger.credit({ ...request, from: 'world:admin' })
        : await ledger.debit({ ...request, to: 'world:admin' });
      if (result.ok) owner.credited += isCredit ? amount : -amount;
    }

    let left = steps;
    const worker = async () => {
      while (left > 0) {
        left -= 1;
        const owner = owners[random(owners.length)] as Owner;
        const isSecond = random(2) === 0;
        const { ledger } = worlds[isSecond ? 1 : 0];
        try {
          if (random(25) === 0) await oneTransfer(worlds[1].ledger, owner);
          else await oneCall(ledger, owner);
        } catch (error) {
          if (!(error instanceof LedgerUnavailableError)) faults.push(error);
          await Bun.sleep(20);
        }
      }
    };
    const work = { isDone: false };
    const breaches: unknown[] = [];
    const watch = async () => {
      while (!work.isDone) {
        breaches.push(...(await checkInvariants(stores[1])));
        await Bun.sleep(100);
      }
    };
    const disturb = async () => {
      while (!work.isDone) {
        await Bun.sleep(300 + random(700));
        if (random(2) === 0) {
          proxy.refuse(true);
          proxy.resetAll();
          await Bun.sleep(random(900));
          proxy.refuse(false);
        }
        if (isSound || random(2) === 0) continue;
        await stores[1].db
          .updateTable('holds')
          .set({ expires_at: Math.floor(Date.now() / 1000) - 2 })
          .where('id', 'like', SLICE_PATTERN)
          .execute();
        await worlds[1].ledger.recover();
      }
    };
    const beside = [watch(), disturb()];
    await Promise.all(Array.from({ length: 24 }, worker));
    work.isDone = true;
    await Promise.all(beside);
    for (const world of worlds) await world.available();
    // What is set aside is given back when it was not used for two seconds.
    const holds = () => stores[1].db.selectFrom('holds').selectAll().execute();
    for (let wait = 0; wait < 1200 && (await holds()).length > 0; wait += 1) await Bun.sleep(25);

    expect(faults).toEqual([]);
    expect(breaches).toEqual([]);
    expect(await checkInvariants(stores[1])).toEqual([]);
    const rows = await stores[1].db.selectFrom('ledger').selectAll().execute();
    const booked = new Map(rows.map((row) => [row.idem, row.amount]));
    for (const { requestId, held, asked, isDoubtful } of ended) {
      const charged = booked.get(requestId);
      const suspense = booked.get(`${requestId}:suspense`) ?? 0;
      if (isDoubtful && charged === undefined) continue;
      expect([requestId, (charged ?? 0) + suspense]).toEqual([requestId, asked ?? 0]);
      if (asked === undefined || !isSound) continue;
      if (asked <= held && suspense > 0)
        throw new Error(`a hold of ${held} did not cover ${asked}: ${requestId}`);
    }
    expect(await holds()).toEqual([]);
    for (const { userId, credited } of owners) {
      const user = await stores[1].db
        .selectFrom('users')
        .select(['quota', 'held_quota'])
        .where('id', '=', userId)
        .executeTakeFirstOrThrow();
      const used = rows.filter((row) => row.user_id === userId && row.kind === 'use');
      const spent = used.reduce((sum, { amount }) => sum + amount, 0);
      expect(user).toEqual({ quota: credited - spent, held_quota: 0 });
    }
    for (const { list, quota } of owners.flatMap(({ budgets }) => budgets)) {
      if (list === '') continue;
      const counter = await worlds[1].findCounter(Number(list));
      expect(counter.held).toBe(0);
      if (isHonest && isSound) expect(counter.spent).toBeLessThanOrEqual(quota);
    }
    const tokens = await stores[1].db
      .selectFrom('tokens')
      .selectAll()
      .where('unlimited_quota', '=', 0)
      .execute();
    for (const { remain_quota, used_quota } of tokens) {
      expect(remain_quota).toBe(Math.max(0, 25_000 - used_quota));
      if (isHonest && isSound) expect(used_quota).toBeLessThanOrEqual(25_000);
    }
    for (const world of worlds) {
      expect(world.ledger.openCalls).toBe(0);
      await world.close();
    }
    for (const store of stores) await store.close();
    await proxy.stop();
    await place.remove();
  },
);

test(`each of ${steps} steps on two nodes (seed ${seed}) gets what the user can spend, and no more, and is told no more (M22, M23)`, async () => {
  const random = randomSource(seed);
  const place = await temporaryPlace('postgres');
  const { dataDir, databaseUrl } = place;
  const stores: Store[] = [];
  const worlds: World[] = [];
  for (const nodeId of ['node-1', 'node-2']) {
    const store = await openStore({
      dataDir,
      databaseUrl,
      writerEntry: applicationWriter,
      onFault: () => {},
    });
    stores.push(store);
    worlds.push(await createWorld(store, { nodeId }));
  }
  const anyLedger = () => (worlds[random(2)] as World).ledger;
  const [world] = worlds as [World];
  const userId = await world.user(30_000);
  const tokenIds = [await world.token(userId), await world.token(userId), await world.token(userId)];
  let quota = 30_000;
  const running: { ledger: Ledger; call: LedgerCall; held: number }[] = [];
  const free = () => quota - running.reduce((sum, { held }) => sum + held, 0);
  for (let step = 0; step < steps; step += 1) {
    const one = running[random(8)];
    if (one === undefined) {
      // Sometimes all that is free, or one unit more.
      const amount = random(12) === 0 ? free() + random(2) : 1 + random(100);
      const ledger = anyLedger();
      const opening = await ledger.open(callOf(userId, tokenIds[random(3)] ?? 0, amount));
      expect([step, opening.ok]).toEqual([step, amount <= free()]);
      if (opening.ok) running.push({ ledger, call: opening.call, held: amount });
    } else if (random(5) === 0) {
      const more = random(10) === 0 ? free() + random(2) : random(50);
      const isLarger = await one.ledger.extend(one.call, more);
      expect([step, isLarger]).toEqual([step, more <= free()]);
      if (isLarger) one.held += more;
    } else {
      running.splice(running.indexOf(one), 1);
      if (random(4) === 0) await one.ledger.release(one.call);
      else {
        const asked = random(Math.min(100, one.held) + 1);
        const { balance, charged } = await one.ledger.settle(one.call, outcome(asked));
        quota -= charged;
        expect([step, charged]).toEqual([step, asked]);
        if (balance > free()) throw new Error(`step ${step}: ${balance} instead of ${free()}`);
      }
    }
    if (random(40) === 0) {
      // Up and down through the border of what is ample.
      const more = free() < 8000 ? 25_000 : -1 - random(free());
      const request = { idem: newId(), userId, kind: 'admin', reference: 'random', amount: Math.abs(more) };
      const result =
        more > 0
          ? await anyLedger().credit({ ...request, from: 'world:admin' })
          : await anyLedger().debit({ ...request, to: 'world:admin' });
      expect([step, result.ok]).toEqual([step, true]);
      quota += more;
    }
  }
  for (const { ledger, call } of running) await ledger.release(call);
  expect(await anyLedger().balance(userId)).toBe(quota);
  for (const opened of worlds) await opened.close();
  for (const store of stores) await store.close();
  await place.remove();
});
