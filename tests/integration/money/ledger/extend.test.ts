// A running call that needs more than it holds, and how far it says it is.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { createWorld, outcome, reserve, type World } from './world.ts';

forEachDatabase((_label, open) => {
  describe('a running call', () => {
    let world: World;

    beforeAll(async () => {
      world = await createWorld(await open());
    });

    afterAll(async () => {
      await world.ledger.writeHolds();
      expect(await checkInvariants(world.store)).toEqual([]);
      await world.close();
    });

    test('cannot hold more than the balance', async () => {
      const userId = await world.user(1000);
      const { requestId } = await reserve(world.ledger, userId, await world.token(userId), 400);
      const other = await reserve(world.ledger, userId, await world.token(userId), 200);
      expect(await world.ledger.extend(requestId, 401)).toBe(false);
      expect(await world.ledger.extend(requestId, 400)).toBe(true);
      expect(await world.ledger.extend(requestId, 1)).toBe(false);
      expect(await world.findUser(userId)).toMatchObject({ quota: 1000, held_quota: 1000 });
      await world.ledger.release(other.requestId);
      await world.ledger.settle(requestId, outcome(800));
      expect(await world.findUser(userId)).toMatchObject({ quota: 200, held_quota: 0 });
    });

    test.each([
      ['user', { day_budget: 500 }, {}],
      ['user', { month_budget: 500 }, {}],
      ['token', {}, { day_budget: 500 }],
      ['token', {}, { month_budget: 500 }],
    ])('cannot hold more than a budget of its %s allows: %o %o', async (_whose, user, token) => {
      const userId = await world.user(10_000, user);
      const tokenId = await world.token(userId, token);
      const { requestId } = await reserve(world.ledger, userId, tokenId, 300);
      expect(await world.ledger.extend(requestId, 201)).toBe(false);
      expect(await world.ledger.extend(requestId, 200)).toBe(true);
      expect(await world.ledger.extend(requestId, 1)).toBe(false);
      await world.ledger.settle(requestId, outcome(450));
      expect(await world.findUser(userId)).toMatchObject({ quota: 9550, held_quota: 0 });
    });

    test.each(['day_budget', 'month_budget'])(
      'cannot hold more than its token has left of a %s after earlier calls, whatever a user of the same number has spent (M21)',
      async (budget) => {
        // So that the token has another number than its user.
        await world.user(0);
        const userId = await world.user(10_000);
        const tokenId = await world.token(userId, { [budget]: 500 });
        const earlier = await reserve(world.ledger, userId, tokenId, 300);
        await world.ledger.settle(earlier.requestId, outcome(300));
        const { requestId } = await reserve(world.ledger, userId, tokenId, 100);
        expect(await world.ledger.extend(requestId, 101)).toBe(false);
        expect(await world.ledger.extend(requestId, 100)).toBe(true);
        await world.ledger.settle(requestId, outcome(200));
      },
    );

    test('that notes less than before keeps its larger checkpoint: a crash charges what was delivered', async () => {
      const userId = await world.user(1000);
      const { requestId } = await reserve(world.ledger, userId, await world.token(userId), 500);
      const checkpointOf = async () =>
        await world.store.db
          .selectFrom('holds')
          .select(['checkpoint_quota', 'checkpoint'])
          .where('id', '=', requestId)
          .executeTakeFirst();
      const note = async (quota: number, completionTokens: number) => {
        world.ledger.dispatched(requestId, { quota, promptTokens: 60, completionTokens, channelId: 7 });
        // Notes are written an eighth of a second after the first; the second batch must have run.
        await Bun.sleep(300);
        await world.ledger.probe();
      };
      await note(300, 30);
      for (let tries = 0; (await checkpointOf())?.checkpoint_quota !== 300 && tries < 200; tries += 1)
        await Bun.sleep(20);
      await note(120, 12);
      await Bun.sleep(300);
      const kept = await checkpointOf();
      expect(kept?.checkpoint_quota).toBe(300);
      await world.ledger.settle(requestId, outcome(310));
      expect(await world.findUser(userId)).toMatchObject({ quota: 690, held_quota: 0 });
    });
  });
});
