// What the ledger tells others beside its answers: which limit was reached and by whom, which key has changed, what recovery did, how
// many calls run, and which numbers it refuses. Beside each caller are others, whose limits are not reached.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { AmountError } from '#server/money/ledger/ledger.ts';
import type { ReserveRequest } from '#server/money/ledger/ledger.ts';
import type { Store } from '#server/platform/store/store.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { callOf, createWorld, failureOf, outcome, type World } from './world.ts';

setDefaultTimeout(60_000);
const now = () => Math.floor(Date.now() / 1000);

forEachDatabase((_label, open) => {
  describe('the ledger says', () => {
    let store: Store;
    let world: World;
    let announced: (string | undefined)[];
    beforeEach(async () => {
      store = await open();
      world = await createWorld(store);
      announced = [];
      store.changes.subscribe('tokens', (detail) => announced.push(detail));
      // The ids of a user and of its token differ.
      await world.user(1);
      await world.user(1);
    });
    afterEach(() => world.close());

    const begin = (userId: number, tokenId: number, amount: number, more: Partial<ReserveRequest> = {}) =>
      world.ledger.open({ ...callOf(userId, tokenId, amount), ...more });
    const reached = () => world.alerts.filter(({ kind }) => kind === 'budget_reached');
    const charge = async (userId: number, tokenId: number, amount: number) => {
      const opening = await begin(userId, tokenId, amount);
      if (!opening.ok) throw new Error(opening.reason);
      await world.ledger.settle(opening.call, outcome(amount));
    };
    /** Ends when so many changes were announced, and one of this test's own after them. */
    const settledChanges = async (count = 0) => {
      while (announced.length < count) await Bun.sleep(5);
      await store.changes.announce('tokens', 'later');
      while (!announced.includes('later')) await Bun.sleep(5);
      announced.splice(announced.indexOf('later'), 1);
    };

    test('that a key has used its quota up, once, and that the key has changed', async () => {
      const userId = await world.user(1000);
      const tokenId = await world.token(userId, { unlimited_quota: 0, remain_quota: 100 });
      await charge(userId, tokenId, 60);
      await settledChanges();
      expect([reached(), announced]).toEqual([[], []]);
      await charge(userId, tokenId, 40);
      await settledChanges(1);
      const said = {
        kind: 'budget_reached',
        subject: 'token',
        limit: 'quota',
        available: 0,
        retryAfterSeconds: 0,
        userId,
        tokenId,
      } as const;
      expect(reached()).toEqual([said]);
      expect(announced).toEqual([String(tokenId)]);
      expect((await world.findToken(tokenId)).status).toBe(4);
    });

    test('that a key has expired, which is no limit', async () => {
      const userId = await world.user(1000);
      const tokenId = await world.token(userId, { expired_time: now() - 5 });
      expect(await begin(userId, tokenId, 10)).toMatchObject({ ok: false, reason: 'token_expired' });
      await settledChanges(1);
      expect([reached(), announced]).toEqual([[], [String(tokenId)]]);
      expect((await world.findToken(tokenId)).status).toBe(3);
    });

    test.each([
      ['day', 'user'],
      ['month', 'user'],
      ['day', 'token'],
      ['month', 'token'],
    ] as const)('which budget of a %s a %s has reached, and what is left of it', async (limit, subject) => {
      const budget = { [`${limit}_budget`]: 100 };
      const userId = await world.user(1000, subject === 'user' ? budget : {});
      const tokenId = await world.token(userId, subject === 'token' ? budget : {});
      await charge(userId, tokenId, 70);
      expect(reached()).toEqual([]);
      const refused = await begin(userId, tokenId, 31);
      expect(refused).toMatchObject({ ok: false, reason: `${limit}_budget`, subject, available: 30 });
      const [alert, ...others] = reached();
      expect(others).toEqual([]);
      expect(alert).toMatchObject({ subject, limit, available: 30, userId, tokenId });
      if (alert?.kind !== 'budget_reached' || refused.ok) throw new Error('no alert');
      expect(alert.retryAfterSeconds).toBe(refused.retryAfterSeconds);
      expect(alert.retryAfterSeconds).toBeGreaterThan(0);
      await settledChanges();
      expect(announced).toEqual([]);
    });

    test('nothing of a balance that is empty, or of a limit per minute', async () => {
      const userId = await world.user(100);
      const tokenId = await world.token(userId);
      expect(await begin(userId, tokenId, 101)).toMatchObject({
        ok: false,
        reason: 'insufficient_user_quota',
        available: 100,
      });
      const limited = await world.token(userId, { requests_per_minute: 1 });
      await charge(userId, limited, 1);
      expect((await begin(userId, limited, 1)).ok).toBe(false);
      await settledChanges();
      expect([reached(), announced]).toEqual([[], []]);
    });

    test('how many calls run: neither tasks nor ends of calls that it did not begin count', async () => {
      const { ledger } = world;
      const userId = await world.user(1000);
      const tokenId = await world.token(userId);
      const [first, second] = [await begin(userId, tokenId, 10), await begin(userId, tokenId, 10)];
      const task = await begin(userId, tokenId, 10, { lifetime: 'task' });
      const refused = await begin(userId, tokenId, 5000);
      if (!first.ok || !second.ok || !task.ok) throw new Error('refused');
      expect([refused.ok, ledger.openCalls]).toEqual([false, 2]);
      await ledger.settle(task.call.requestId, outcome(5));
      await ledger.release('unknown');
      expect(ledger.openCalls).toBe(2);
      await ledger.settle(first.call, outcome(5));
      await ledger.settle(first.call, outcome(5));
      expect(ledger.openCalls).toBe(1);
      await ledger.release(second.call);
      await ledger.release(second.call);
      expect(ledger.openCalls).toBe(0);
    });

    test('what recovery did with a call, for whom and at what price', async () => {
      const userId = await world.user(1000);
      const tokenId = await world.token(userId);
      const row = {
        user_id: userId,
        token_id: tokenId,
        node_id: 'gone',
        epoch: 1,
        created_at: 1,
        dispatched: 0,
        checkpoint_quota: 0,
      } as const;
      await store.db.updateTable('users').set({ held_quota: 70 }).where('id', '=', userId).execute();
      await store.db.updateTable('tokens').set({ held_quota: 70 }).where('id', '=', tokenId).execute();
      await store.db
        .insertInto('holds')
        .values([
          { ...row, id: 'not sent', amount: 30, expires_at: now() - 9 },
          { ...row, id: 'sent', amount: 40, expires_at: now() - 9, dispatched: 1, checkpoint_quota: 15 },
        ])
        .execute();
      expect(await world.ledger.recover()).toBe(2);
      const recovered = world.alerts.filter(({ kind }) => kind === 'recovered');
      expect(recovered.map((alert) => ({ ...alert, kind: undefined }))).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ requestId: 'not sent', userId, charged: 0 }),
          expect.objectContaining({ requestId: 'sent', userId, charged: 15 }),
        ]) as never,
      );
      expect(await world.findUser(userId)).toMatchObject({ quota: 985, held_quota: 0 });
    });

    test.each([
      ['an amount', { amount: 1.5 }],
      ['a negative amount', { amount: -1 }],
      ['a smallest amount', { least: 0.5 }],
      ['tokens', { limits: { tokens: -1 } }],
    ])('that %s is none, before anything is held', async (_, wrong) => {
      const userId = await world.user(1000);
      const tokenId = await world.token(userId);
      const failure = await failureOf((async () => await begin(userId, tokenId, 10, wrong))());
      expect(failure).toBeInstanceOf(AmountError);
      expect([world.ledger.openCalls, await world.ledger.balance(userId)]).toEqual([0, 1000]);
    });
  });
});
