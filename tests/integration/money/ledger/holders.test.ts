// What calls of an organization are attributed to, by hour: written with the charge, replaced by a late settlement, corrected by a
// re-rating, and equal to what the ledger charged.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { LogRow } from '#server/money/ledger/ledger.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { readHolderSums } from '#server/money/sums/holders.ts';
import type { Store } from '#server/platform/store/store.ts';
import { addVersion, allowThePast, apply, dryRun, makeCall, startPrices, undo } from '../rerating/world.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { applyAll, openCalls, recovering, settling, type Call } from './settlement-world.ts';
import { createWorld, logRow, makeOrganization, type World } from './world.ts';

setDefaultTimeout(60_000);

const MEMBER = 71;
const PROJECT = 72;
const OF = { member_id: MEMBER, project_id: PROJECT, tags: '{"team":"search","env":"prod"}' };

forEachDatabase((_label, open) => {
  describe('figures by holder', () => {
    let store: Store;
    let world: World;
    beforeEach(async () => {
      store = await open();
      world = await createWorld(store);
    });
    afterEach(async () => {
      const holders = await store.db.selectFrom('holder_hours').select('user_id').distinct().execute();
      for (const { user_id } of holders) await makeOrganization(store, user_id);
      expect(await checkInvariants(store)).toEqual([]);
      await world.close();
    });

    const rowsOf = (userId: number) =>
      store.db
        .selectFrom('holder_hours')
        .select(['tag_key', 'tag_value', 'member_id', 'project_id', 'count', 'quota'])
        .where('user_id', '=', userId)
        .orderBy('tag_key')
        .orderBy('tag_value')
        .orderBy('member_id')
        .execute();
    const logOf = ({ userId, tokenId }: Call, more: object = OF): LogRow => ({
      ...logRow(userId, tokenId),
      ...more,
    });
    const charged = async (userId: number) =>
      (
        await store.db
          .selectFrom('users')
          .select('used_quota')
          .where('id', '=', userId)
          .executeTakeFirstOrThrow()
      ).used_quota;

    test('a charge counts once for its holder and once for each of its tags, and a person has none', async () => {
      const scenario = { what: '', balance: 1000, held: 300, checkpoint: 150, charge: 240 };
      const [call, other] = await openCalls(store, [scenario, scenario]);
      if (call === undefined || other === undefined) throw new Error('no call');
      await applyAll(store, [
        settling(call, { log: logOf(call) }),
        settling(other, { log: logOf(other, {}) }),
      ]);
      const held = { member_id: MEMBER, project_id: PROJECT, count: 1, quota: 240 };
      expect(await rowsOf(call.userId)).toEqual([
        { tag_key: '', tag_value: '', ...held },
        { tag_key: 'env', tag_value: 'prod', ...held },
        { tag_key: 'team', tag_value: 'search', ...held },
      ]);
      expect(await rowsOf(other.userId)).toEqual([]);
    });

    test('a late settlement replaces what recovery had counted', async () => {
      const scenario = { what: '', balance: 1000, held: 300, checkpoint: 150, charge: 240 };
      const [call] = await openCalls(store, [scenario]);
      if (call === undefined) throw new Error('no call');
      const snapshot = JSON.stringify({ log: logOf(call) });
      await store.db.updateTable('holds').set({ snapshot }).where('id', '=', call.requestId).execute();
      await applyAll(store, [recovering(call)]);
      const held = { member_id: MEMBER, project_id: PROJECT, count: 1 };
      const rows = await rowsOf(call.userId);
      expect(rows.map(({ quota }) => quota)).toEqual([150, 150, 150]);
      await applyAll(store, [settling(call, { log: logOf(call, { ...OF, tags: '{"team":"search"}' }) })]);
      const after = (await rowsOf(call.userId)).filter(({ count, quota }) => count !== 0 || quota !== 0);
      expect(after).toEqual([
        { tag_key: '', tag_value: '', ...held, quota: 240 },
        { tag_key: 'team', tag_value: 'search', ...held, quota: 240 },
      ]);
      expect(await charged(call.userId)).toBe(240);
    });

    test('a re-rating and its undo correct the holders; what nobody is named for is the rest of the total', async () => {
      await allowThePast(store);
      await addVersion(store, startPrices);
      const userId = await world.user(100_000);
      const tokenId = await world.token(userId);
      const usage = { input: 100, output: 100, cacheRead: 0 };
      const channelId = await world.channel();
      const call = { userId, tokenId, channelId, model: 'alpha', group: 'default', usage } as const;
      const named = {
        ...call,
        organization: { memberId: MEMBER, projectId: PROJECT, tags: '{"team":"search"}' },
      };
      await makeCall(world, named, startPrices);
      await makeCall(world, call, startPrices);
      const now = Math.floor(Date.now() / 1000);
      const sums = async (by: 'member' | 'project' | 'tag') => {
        const question = { userId, by, tagKey: 'team', from: now - 7200, to: now + 7200, limit: 5 };
        const { rows, others, none, total } = await readHolderSums(store, question);
        return [rows.map(({ quota }) => quota), others.quota, none.quota, total.quota];
      };
      const before = await charged(userId);
      const half = before / 2;
      for (const by of ['member', 'project', 'tag'] as const)
        expect([by, await sums(by)]).toEqual([by, [[half], 0, half, before]]);
      const version_id = await addVersion(store, { ...startPrices, alpha: 300 });
      const run = await apply(store, await dryRun(store, { version_id }));
      const after = await charged(userId);
      expect(after).toBeGreaterThan(before);
      for (const by of ['member', 'project', 'tag'] as const)
        expect([by, await sums(by)]).toEqual([by, [[after / 2], 0, after / 2, after]]);
      await undo(store, run.id);
      expect(await sums('tag')).toEqual([[half], 0, half, before]);
    });
  });
});
