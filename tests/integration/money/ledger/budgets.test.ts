// Budgets of organizations in the ledger: checked with the hold, exactly, on both databases and across nodes; what is spent and held
// of them is what their calls were charged and hold.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import type { Ledger, LedgerCall, ReserveRequest } from '#server/money/ledger/ledger.ts';
import { counterList } from '#server/money/ledger/engine/budgets.ts';
import { SLICE_PATTERN } from '#server/money/ledger/engine/slice.ts';
import { openStore, type Store } from '#server/platform/store/store.ts';
import { applicationWriter, forEachDatabase, temporaryPlace } from '#tests/support/databases.ts';
import { allowThePast } from '#tests/integration/money/rerating/world.ts';
import { callOf, createWorld, outcome, type World } from './world.ts';

setDefaultTimeout(120_000);
const now = () => Math.floor(Date.now() / 1000);

const counter = (world: World, ...of: Parameters<World['counter']>) => world.counter(...of);
const read = (world: World, id: number) => world.findCounter(id);
const windowsOf = ({ store }: World, id: number) =>
  store.db.selectFrom('budget_windows').selectAll().where('counter_id', '=', id).execute();

const call = (
  ledger: Ledger,
  userId: number,
  tokenId: number,
  amount: number,
  budgets: string | Pick<ReserveRequest, 'budgets' | 'least'>,
) =>
  ledger.open({
    ...callOf(userId, tokenId, amount),
    ...(typeof budgets === 'string' ? { budgets } : budgets),
  });

forEachDatabase((label, open) => {
  describe('budgets', () => {
    let store: Store;
    let world: World;
    beforeEach(async () => {
      store = await open();
      world = await createWorld(store);
    });
    afterEach(async () => {
      await world.ledger.writeHolds();
      expect(await checkInvariants(store)).toEqual([]);
      await world.close();
    });

    async function caller(quota = 1_000_000): Promise<[userId: number, tokenId: number]> {
      const userId = await world.user(quota);
      return [userId, await world.token(userId)];
    }

    /** Of a call that was sent; resolves when it is written. */
    async function noteCheckpoint(sent: LedgerCall, quota: number): Promise<void> {
      world.ledger.dispatched(sent, { quota, promptTokens: 1, completionTokens: 1, channelId: 7 });
      const row = store.db.selectFrom('holds').select('dispatched').where('id', '=', sent.requestId);
      for (let wait = 0; wait < 1000; wait += 1) {
        if ((await row.executeTakeFirst())?.dispatched === 1) return;
        await Bun.sleep(20);
      }
      throw new Error('the checkpoint was never written');
    }

    test('a hard budget refuses what it does not cover, and says which, what is left and when it begins anew', async () => {
      const [userId, tokenId] = await caller();
      // Windows begin with whole hours.
      const start = now() - (now() % 3600);
      const end = start + 7200;
      const wide = await counter(world, userId);
      const day = { period: 'day', window_start: start, window_end: end, quota: 50 } as const;
      const narrow = await counter(world, userId, day);
      const budgets = counterList([wide, narrow]);
      const first = await call(world.ledger, userId, tokenId, 30, budgets);
      if (!first.ok) throw new Error(first.reason);
      await world.ledger.settle(first.call, outcome(25));
      const refused = await call(world.ledger, userId, tokenId, 26, budgets);
      if (refused.ok) throw new Error('admitted');
      expect(refused).toMatchObject({ reason: 'organization_budget', counterId: narrow, available: 25 });
      expect(Math.abs(refused.retryAfterSeconds - (end - now()))).toBeLessThan(60);
      const exact = await call(world.ledger, userId, tokenId, 25, budgets);
      expect(exact.ok).toBe(true);
      const none = await call(world.ledger, userId, tokenId, 1, counterList([narrow]));
      expect(none).toMatchObject({ ok: false, available: 0 });
      if (exact.ok) await world.ledger.release(exact.call);
      expect(await read(world, narrow)).toMatchObject({ spent: 25, held: 0 });
      expect(await read(world, wide)).toMatchObject({ spent: 25, held: 0 });
    });

    test('a budget without an end has no time to wait for', async () => {
      const [userId, tokenId] = await caller();
      const id = await counter(world, userId, { quota: 5 });
      const refused = await call(world.ledger, userId, tokenId, 6, String(id));
      expect(refused).toMatchObject({ ok: false, counterId: id, retryAfterSeconds: 0 });
    });

    test('a call that can use a smaller hold gets what its budgets leave', async () => {
      const [userId, tokenId] = await caller();
      const id = await counter(world, userId, { quota: 40 });
      const opening = await call(world.ledger, userId, tokenId, 100, { budgets: String(id), least: 10 });
      expect(opening).toMatchObject({ ok: true, amount: 40 });
      const refused = await call(world.ledger, userId, tokenId, 100, { budgets: String(id), least: 1 });
      expect(refused).toMatchObject({ ok: false, available: 0 });
      if (opening.ok) await world.ledger.settle(opening.call, outcome(40));
      expect(await read(world, id)).toMatchObject({ spent: 40, held: 0 });
    });

    test('an extension is refused for want of a budget', async () => {
      const [userId, tokenId] = await caller();
      const id = await counter(world, userId, { quota: 50 });
      const opening = await call(world.ledger, userId, tokenId, 30, String(id));
      if (!opening.ok) throw new Error(opening.reason);
      expect(await world.ledger.extend(opening.call, 21)).toBe(false);
      expect(await world.ledger.extend(opening.call, 20)).toBe(true);
      await world.ledger.writeHolds();
      expect(await read(world, id)).toMatchObject({ spent: 0, held: 50 });
      await world.ledger.settle(opening.call, outcome(50));
    });

    test('holds in memory count as much as those with a row', async () => {
      const [userId, tokenId] = await caller();
      const id = await counter(world, userId, { quota: 100 });
      const hold = async (amount: number) => await call(world.ledger, userId, tokenId, amount, String(id));
      const first = await hold(10);
      if (first.ok) await world.ledger.settle(first.call, outcome(10));
      const running = [await hold(30), await hold(30), await hold(30)];
      expect(running.map(({ ok }) => ok)).toEqual([true, true, true]);
      expect(await hold(1)).toMatchObject({ ok: false, counterId: id, available: 0 });
      const [ended, ...others] = running;
      if (ended?.ok === true) await world.ledger.settle(ended.call, outcome(20));
      expect([(await hold(11)).ok, (await hold(10)).ok]).toEqual([false, true]);
      for (const opening of others) if (opening.ok) await world.ledger.release(opening.call);
      expect(await read(world, id)).toMatchObject({ spent: 30, held: 10 });
    });

    test('a soft budget refuses nothing and counts', async () => {
      const [userId, tokenId] = await caller();
      const id = await counter(world, userId, { quota: 50, is_hard: 0 });
      for (let index = 0; index < 3; index += 1) {
        const opening = await call(world.ledger, userId, tokenId, 40, String(id));
        if (!opening.ok) throw new Error(opening.reason);
        await world.ledger.settle(opening.call, outcome(40));
      }
      expect(await read(world, id)).toMatchObject({ spent: 120, held: 0 });
    });

    test('each part of a limit is noticed once in a window, also by a refusal', async () => {
      const [userId, tokenId] = await caller();
      const hard = await counter(world, userId, { quota: 100, name: 'hard' });
      const charge = async (amount: number) => {
        const opening = await call(world.ledger, userId, tokenId, amount, String(hard));
        if (opening.ok) await world.ledger.settle(opening.call, outcome(amount));
        return opening.ok;
      };
      const percents = async () => {
        const rows = await store.db
          .selectFrom('notices')
          .select('details')
          .where('event', '=', 'organization_budget')
          .orderBy('id')
          .execute();
        return rows.map(({ details }) => (JSON.parse(details) as { percent: number }).percent);
      };
      await charge(49);
      expect(await percents()).toEqual([]);
      for (const amount of [1, 1, 20, 12]) await charge(amount);
      expect(await percents()).toEqual([50, 80]);
      expect([await charge(18), await charge(18)]).toEqual([false, false]);
      expect(await percents()).toEqual([50, 80, 100]);
      await charge(17);
      expect(await percents()).toEqual([50, 80, 100]);
    });

    test('a new window begins with nothing spent, keeps what is held, and the old one keeps what it spent', async () => {
      const [userId, tokenId] = await caller();
      const start = now() - 40 * 86_400;
      const past = { period: 'day', window_start: start, window_end: start + 86_400, extra: 30 } as const;
      const id = await counter(world, userId, { ...past, held: 0, quota: 100, noticed: 80 });
      const opening = await call(world.ledger, userId, tokenId, 60, String(id));
      if (!opening.ok) throw new Error(opening.reason);
      await world.ledger.writeHolds();
      const rolled = await read(world, id);
      expect(rolled).toMatchObject({ spent: 0, held: 60, extra: 0, noticed: 0 });
      expect(rolled.window_end).toBeGreaterThan(now());
      expect(await windowsOf(world, id)).toMatchObject([{ window_start: start, spent: 0 }]);
      await store.db.deleteFrom('budget_windows').where('counter_id', '=', id).execute();
      await world.ledger.settle(opening.call, outcome(60));
      // The window ends.
      await store.db.transaction().execute(async (transaction) => {
        const ended = { window_start: rolled.window_start - 86_400, window_end: rolled.window_start };
        await transaction.updateTable('budget_counters').set(ended).where('id', '=', id).execute();
        await transaction
          .updateTable('logs')
          .set({ created_at: rolled.window_start - 10 })
          .where('budgets', '=', String(id))
          .execute();
        await transaction.deleteFrom('usage_hours').where('user_id', '=', userId).execute();
      });
      const next = await call(world.ledger, userId, tokenId, 100, String(id));
      if (!next.ok) throw new Error(next.reason);
      await world.ledger.release(next.call);
      expect(await read(world, id)).toMatchObject({ spent: 0, held: 0, window_start: rolled.window_start });
      expect(await windowsOf(world, id)).toMatchObject([{ spent: 60, window_end: rolled.window_start }]);
      await store.db.deleteFrom('logs').where('budgets', '=', String(id)).execute();
      await store.db.deleteFrom('budget_windows').where('counter_id', '=', id).execute();
      await store.db
        .updateTable('log_cleaning')
        .set({ cleaned_before: now() + 10 })
        .execute();
      await store.db
        .insertInto('usage_hours')
        .values({
          hour: now() - (now() % 3600),
          user_id: userId,
          token_id: tokenId,
          channel_id: 7,
          model_name: 'gpt-4o',
          quota: 60,
          count: 1,
        })
        .execute();
    });

    test('a process that died leaves its budgets as its holds: charged to the checkpoint, or given back', async () => {
      const [userId, tokenId] = await caller();
      const id = await counter(world, userId, { quota: 100 });
      const [sent, unsent] = [
        await call(world.ledger, userId, tokenId, 30, String(id)),
        await call(world.ledger, userId, tokenId, 20, String(id)),
      ];
      if (!sent.ok || !unsent.ok) throw new Error('refused');
      world.ledger.dispatched(sent.call, { quota: 12, promptTokens: 1, completionTokens: 1, channelId: 7 });
      await Bun.sleep(400);
      await world.ledger.writeHolds();
      expect(await read(world, id)).toMatchObject({ spent: 0, held: 50 });
      await store.db.updateTable('holds').set({ expires_at: 1 }).where('user_id', '=', userId).execute();
      await world.ledger.recover();
      expect(await read(world, id)).toMatchObject({ spent: 12, held: 0 });
      // It lives after all: only the difference counts.
      await world.ledger.settle(sent.call, outcome(29));
      expect(await read(world, id)).toMatchObject({ spent: 29, held: 0 });
      const row = await store.db.selectFrom('logs').selectAll().where('budgets', '<>', '').execute();
      expect(row).toMatchObject([{ quota: 29, budgets: String(id) }]);
      await world.ledger.release(unsent.call);
    });

    test('what another process left is charged and given back in its budgets', async () => {
      const [userId, tokenId] = await caller();
      const id = await counter(world, userId, { quota: 100 });
      const sent = await call(world.ledger, userId, tokenId, 30, String(id));
      const unsent = await call(world.ledger, userId, tokenId, 20, String(id));
      if (!sent.ok || !unsent.ok) throw new Error('refused');
      await noteCheckpoint(sent.call, 12);
      await world.ledger.writeHolds();
      expect(await read(world, id)).toMatchObject({ spent: 0, held: 50 });
      // It has never seen these calls: what they count in is known from their rows alone.
      await world.reopen();
      expect(await read(world, id)).toMatchObject({ spent: 12, held: 0 });
    });

    test('the correction of a call of a past window counts in that window', async () => {
      const [userId, tokenId] = await caller();
      const id = await counter(world, userId, { period: 'day', window_start: 0, window_end: 1, quota: 100 });
      const opening = await call(world.ledger, userId, tokenId, 30, String(id));
      if (!opening.ok) throw new Error(opening.reason);
      const { requestId } = opening.call;
      await noteCheckpoint(opening.call, 12);
      await store.db.updateTable('holds').set({ expires_at: 1 }).where('user_id', '=', userId).execute();
      await world.ledger.recover();
      const { spent, window_start } = await read(world, id);
      expect(spent).toBe(12);
      // All of that was yesterday.
      await allowThePast(store);
      await store.db.transaction().execute(async (transaction) => {
        const created_at = window_start - 10;
        await transaction.updateTable('ledger').set({ created_at }).where('idem', '=', requestId).execute();
        await transaction
          .updateTable('logs')
          .set({ created_at })
          .where('request_id', '=', requestId)
          .execute();
        const past = { window_start: window_start - 86_400, window_end: window_start, spent };
        await transaction
          .insertInto('budget_windows')
          .values({ counter_id: id, ...past })
          .execute();
        await transaction.updateTable('budget_counters').set({ spent: 0 }).where('id', '=', id).execute();
      });
      await world.ledger.settle(opening.call, outcome(29));
      expect(await read(world, id)).toMatchObject({ spent: 0, held: 0, window_start });
      const past = (await windowsOf(world, id)).filter(({ window_end }) => window_end === window_start);
      expect(past).toMatchObject([{ spent: 29 }]);
    });

    test('a budget that was lowered, or got more, decides about the next call', async () => {
      const [userId, tokenId] = await caller();
      const id = await counter(world, userId, { quota: 100_000 });
      const charge = async (amount: number) => {
        const opening = await call(world.ledger, userId, tokenId, amount, String(id));
        if (opening.ok) await world.ledger.settle(opening.call, outcome(amount));
        return opening.ok;
      };
      for (let index = 0; index < 4; index += 1) expect(await charge(10)).toBe(true);
      const set = async (columns: { quota?: number; extra?: number }) => {
        await store.db.updateTable('budget_counters').set(columns).where('id', '=', id).execute();
        await store.changes.announce('budgets', String(userId));
      };
      await set({ quota: 45 });
      expect(await charge(10)).toBe(false);
      await set({ extra: 5 });
      expect([await charge(10), await charge(1)]).toEqual([true, false]);
    });

    test('a counter that is gone limits nothing', async () => {
      const [userId, tokenId] = await caller();
      const opening = await call(world.ledger, userId, tokenId, 10, '999999');
      expect(opening.ok).toBe(true);
      if (opening.ok) await world.ledger.release(opening.call);
    });

    test.if(label === 'postgres')('a slice is made of an ample budget only', async () => {
      const [userId, tokenId] = await caller(10_000_000);
      const id = await counter(world, userId, { quota: 5000 });
      for (let index = 0; index < 6; index += 1) {
        const opening = await call(world.ledger, userId, tokenId, 100, String(id));
        if (!opening.ok) throw new Error(opening.reason);
        await world.ledger.settle(opening.call, outcome(50));
        const slices = store.db.selectFrom('holds').selectAll().where('id', 'like', SLICE_PATTERN);
        expect(await slices.execute()).toEqual([]);
      }
    });

    test.if(label === 'postgres')(
      'a slice of an ample budget is taken back before a call is refused for want of it',
      async () => {
        const [userId, tokenId] = await caller(10_000_000);
        const id = await counter(world, userId, { quota: 100_000 });
        for (let index = 0; index < 6; index += 1) {
          const opening = await call(world.ledger, userId, tokenId, 100, String(id));
          if (!opening.ok) throw new Error(opening.reason);
          await world.ledger.settle(opening.call, outcome(50));
        }
        const slices = () =>
          store.db.selectFrom('holds').selectAll().where('id', 'like', SLICE_PATTERN).execute();
        expect((await slices()).map(({ budgets }) => budgets)).toEqual([String(id)]);
        const rest = 100_000 - 6 * 50;
        const all = await call(world.ledger, userId, tokenId, rest, String(id));
        expect(all).toMatchObject({ ok: true, amount: rest });
        if (all.ok) await world.ledger.release(all.call);
      },
    );
  });
});

/** 500 calls of 20 members at once, on two nodes where the database allows it. */
describe('of 500 calls at once by 20 members no more are admitted than ten calls cost', () => {
  const kinds = ['the wallet', "the project's budget", "a member's budget", "a tag's budget"] as const;
  test.each(
    (['sqlite', 'postgres'] as const).flatMap((database) => kinds.map((kind) => [database, kind] as const)),
  )('%s: %s', async (database, kind) => {
    const place = await temporaryPlace(database);
    const { dataDir, databaseUrl } = place;
    const nodes = database === 'postgres' ? 2 : 1;
    const worlds: World[] = [];
    for (let node = 1; node <= nodes; node += 1) {
      const store = await openStore({
        dataDir,
        databaseUrl,
        writerEntry: applicationWriter,
        onFault: () => {},
      });
      worlds.push(await createWorld(store, { nodeId: `node-${node}` }));
    }
    const [first] = worlds as [World];
    const cost = 100;
    const userId = await first.user(kind === 'the wallet' ? 10 * cost : 100_000_000);
    const tokens: number[] = [];
    for (let member = 0; member < 20; member += 1) tokens.push(await first.token(userId));
    const whole = await counter(first, userId, { quota: 50_000_000 });
    const bounded = kind === 'the wallet' ? undefined : await counter(first, userId, { quota: 10 * cost });
    const budgets = counterList(bounded === undefined ? [whole] : [whole, bounded]);
    // Each node has slices of the ample budgets before.
    for (const { ledger } of kind === 'the wallet' ? [] : worlds)
      for (let index = 0; index < 3; index += 1) {
        const opening = await call(ledger, userId, tokens[0] ?? 0, cost, String(whole));
        if (opening.ok) await ledger.settle(opening.call, outcome(cost));
      }
    const openings = await Promise.all(
      Array.from({ length: 500 }, async (_, index) => {
        const { ledger } = worlds[index % nodes] as World;
        const opening = await call(ledger, userId, tokens[index % 20] ?? 0, cost, budgets);
        if (!opening.ok) return opening;
        await Bun.sleep(index % 7);
        await ledger.settle(opening.call, outcome(cost));
        return opening;
      }),
    );
    const admitted = openings.filter(({ ok }) => ok).length;
    const reasons = new Set(openings.flatMap((opening) => (opening.ok ? [] : [opening.reason])));
    expect([...reasons]).toEqual([kind === 'the wallet' ? 'insufficient_user_quota' : 'organization_budget']);
    expect(admitted).toBe(10);
    for (const { ledger } of worlds) await ledger.writeHolds();
    if (bounded !== undefined)
      expect(await read(first, bounded)).toMatchObject({ spent: 10 * cost, held: 0 });
    expect(await checkInvariants(first.store)).toEqual([]);
    for (const world of worlds) {
      await world.close();
      await world.store.close();
    }
    await place.remove();
  });
});
