// What bounds a re-rating: the figures that the operator has seen, and the limits of tokens.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { AppError } from '#contract/errors.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import type { Store } from '#server/platform/store/store.ts';
import { createWorld, type World } from '#tests/integration/money/ledger/world.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { failure } from '#tests/support/failure.ts';
import {
  addVersion,
  allowThePast,
  apply,
  beginApply,
  dryRun,
  HOUR,
  makeCall,
  nextHour,
  startPrices,
  undo,
  type TestCall,
} from './world.ts';

setDefaultTimeout(60_000);

forEachDatabase((_label, open) => {
  describe('a re-rating', () => {
    let world: World;
    let store: Store;
    let cheaper: TestCall;
    let dearer: TestCall;
    let version_id: number;

    beforeEach(async () => {
      store = await open();
      world = await createWorld(store);
      await allowThePast(store);
      await addVersion(store, startPrices);
      // 500 units become 250, and 1000 become 1500.
      version_id = await addVersion(store, { ...startPrices, alpha: 50, gamma: 300 });
      const userId = await world.user(10_000);
      const tokenId = await world.token(userId, { unlimited_quota: 0, remain_quota: 1600 });
      const usage = { input: 100, output: 100, cacheRead: 0 };
      const call = { userId, tokenId, channelId: await world.channel(), group: 'default', usage } as const;
      cheaper = { ...call, model: 'alpha' };
      dearer = { ...call, model: 'gamma' };
    });
    afterEach(async () => {
      expect(await checkInvariants(store)).toEqual([]);
      await world.close();
    });

    test('is begun with each figure that was seen, or not at all (M21)', async () => {
      for (const call of [cheaper, dearer]) await makeCall(world, call, startPrices);
      const run = await dryRun(store, { version_id });
      expect(run).toMatchObject({ calls: 2, credit: 250, debit: 500 });
      for (const seen of [{ calls: 1 }, { credit: 249 }, { debit: 501 }]) {
        const refusal = await failure(beginApply(store, { ...run, ...seen }));
        expect(refusal).toBeInstanceOf(AppError);
        expect(refusal).toMatchObject({ code: 'rerate_stale' });
      }
      expect(await apply(store, run)).toMatchObject({ state: 'applied' });
    });

    test('does not miss the calls of the hours before and after its range (M21)', async () => {
      const from_at = nextHour() - 5 * HOUR;
      const to_at = from_at + 2 * HOUR;
      for (const at of [from_at - 60, from_at, to_at - 60, to_at, to_at + 60])
        await makeCall(world, { ...cheaper, tokenId: 0 }, startPrices, { at });
      const run = await dryRun(store, { version_id, from_at, to_at });
      expect(run).toMatchObject({ examined: 2, calls: 2, credit: 500, left_out: '{}' });
    });

    test('gives back to the limit of a token before it takes from it, whichever call came first (M21)', async () => {
      const tokenIds: number[] = [];
      for (const calls of [
        [cheaper, dearer],
        [dearer, cheaper],
      ]) {
        const tokenId = await world.token(cheaper.userId, { unlimited_quota: 0, remain_quota: 1800 });
        for (const call of calls) await makeCall(world, { ...call, tokenId }, startPrices);
        tokenIds.push(tokenId);
      }
      const remaining = async () =>
        (await Promise.all(tokenIds.map((id) => world.findToken(id)))).map((token) => token.remain_quota);
      expect(await remaining()).toEqual([300, 300]);
      const run = await apply(store, await dryRun(store, { version_id }));
      // 300 + 250 - 500.
      expect(await remaining()).toEqual([50, 50]);
      await undo(store, run.id);
      expect(await remaining()).toEqual([300, 300]);
    });
  });
});
