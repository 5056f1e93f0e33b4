// What a node reads about others: whose slices it asks back, which holds and spools have nobody any more, and what pages show as held.
// Each question has rows beside it that must not count.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { REVIEW_NODE, TASK_NODE } from '#server/money/ledger/engine/reserve.ts';
import { SLICE_PATTERN } from '#server/money/ledger/engine/slice.ts';
import { heldByCalls, setAsideOf } from '#server/money/ledger/held-by-calls.ts';
import { othersOf } from '#server/money/ledger/postgres/ask-others.ts';
import { beat, beginEpoch, readAbandonedHolds, silentNodes } from '#server/money/ledger/postgres/nodes.ts';
import type { PostgresStore, Store } from '#server/platform/store/store.ts';
import { forEachDatabase } from '#tests/support/databases.ts';

setDefaultTimeout(60_000);
const now = () => Math.floor(Date.now() / 1000);
const slice = (name: string) => SLICE_PATTERN.replace('%', name);
const [ann, bob] = [71, 82];

interface Hold {
  id: string;
  user_id?: number;
  token_id?: number;
  node_id?: string;
  epoch?: number;
  amount?: number;
  created_at?: number;
  expires_at?: number;
}

async function addHold(store: Store, hold: Hold): Promise<void> {
  const usual = { user_id: ann, node_id: 'there', epoch: 3, amount: 10, created_at: 1, expires_at: 2 ** 31 };
  await store.db
    .insertInto('holds')
    .values({ ...usual, ...hold })
    .execute();
}

async function addUsers(store: Store): Promise<void> {
  for (const [id, held_quota] of [
    [ann, 470],
    [bob, 900],
  ] as const)
    await store.db
      .insertInto('users')
      .values({ id, username: `user ${id}`, aff_code: `code ${id}`, quota: 1000, held_quota })
      .execute();
}

forEachDatabase((label, open) => {
  test('pages show what calls hold of one user, without what nodes have set aside for them, by token', async () => {
    const store = await open();
    await addUsers(store);
    await addHold(store, { id: slice('a'), token_id: 5, amount: 100 });
    await addHold(store, { id: slice('b'), token_id: 5, amount: 20, node_id: 'here' });
    await addHold(store, { id: slice('c'), token_id: 6, amount: 7 });
    await addHold(store, { id: 'call', token_id: 5, amount: 343 });
    await addHold(store, { id: slice('d'), user_id: bob, token_id: 8, amount: 600 });
    await addHold(store, { id: 'call of bob', user_id: bob, token_id: 8, amount: 300 });
    const rows = await store.db
      .selectFrom('users')
      .select(['id', heldByCalls.as('held')])
      .where('id', 'in', [ann, bob])
      .orderBy('id')
      .execute();
    expect(rows).toEqual([
      { id: ann, held: 343 },
      { id: bob, held: 300 },
    ]);
    expect([...(await setAsideOf(store.db, ann))].toSorted()).toEqual([
      [5, 120],
      [6, 7],
    ]);
    expect([...(await setAsideOf(store.db, bob))]).toEqual([[8, 600]]);
    await store.close();
  });
  if (label === 'sqlite') return;

  describe('on PostgreSQL', () => {
    let store: PostgresStore;
    const addNode = (id: string, epoch: number, silentFor = 0) =>
      store.db
        .insertInto('nodes')
        .values({ id, epoch, heartbeat_at: now() - silentFor, started_at: 1 })
        .execute();
    beforeEach(async () => {
      store = (await open()) as PostgresStore;
      await addUsers(store);
      await addNode('here', 4);
      await addNode('there', 3);
      await addNode('silent', 3, 40);
    });
    afterEach(() => store.close());

    describe('the slices of other nodes', () => {
      const asking = () => {
        const { changes, nodePool: pool } = store;
        const announced: unknown[] = [];
        changes.subscribe('allowances', (detail) => announced.push(detail));
        const identity = { nodeId: 'here', epoch: 4 };
        return { announced, ask: othersOf({ identity, pool, changes, silenceSeconds: 30 }) };
      };
      /** What the node does that is asked. */
      const giveBack = (id: string) => {
        store.changes.subscribe('allowances', () => {
          void store.db
            .updateTable('users')
            .set({ held_quota: 450 })
            .where('id', '=', ann)
            .execute()
            .then(() => store.db.deleteFrom('holds').where('id', '=', id).execute());
        });
      };

      test.each([
        ['of another user', { id: slice('x'), user_id: bob }],
        ['that are holds of calls', { id: 'call' }],
        ['of this node', { id: slice('x'), node_id: 'here', epoch: 4 }],
        ['of an epoch that is over', { id: slice('x'), epoch: 2 }],
        ['of a node that is not known', { id: slice('x'), node_id: 'nowhere' }],
        ['of a node without a heartbeat', { id: slice('x'), node_id: 'silent' }],
      ])('%s are not asked for', async (_, hold) => {
        await addHold(store, hold);
        const { ask, announced } = asking();
        expect(await ask(ann)).toEqual({ wereAsked: false, held: 470 });
        expect(announced).toEqual([]);
      });

      test('are asked for once, and the answer says what was held before', async () => {
        await addHold(store, { id: slice('x') });
        await addHold(store, { id: slice('y'), user_id: bob });
        giveBack(slice('x'));
        const { ask, announced } = asking();
        const answers = await Promise.all([ask(ann), ask(ann)]);
        const answer = { wereAsked: true, held: 470 };
        expect(answers).toEqual([answer, answer]);
        expect(announced).toEqual([String(ann)]);
        // It is over: the next question is a new one.
        expect(await ask(ann)).toMatchObject({ wereAsked: false });
      });
    });

    describe('the holds that nobody ends', () => {
      const read = (options: { connectedMs?: number; limit?: number } = {}) =>
        readAbandonedHolds(store.nodePool, {
          nodeId: 'here',
          connectedMs: 30_000,
          silenceSeconds: 30,
          limit: 50,
          ...options,
        });
      const past = () => now() - 5;

      beforeEach(async () => {
        await addHold(store, { id: 'mine', node_id: 'here', epoch: 4, created_at: 90 });
        await addHold(store, { id: 'living', created_at: 91 });
        await addHold(store, { id: 'task', node_id: TASK_NODE, epoch: 0, created_at: 92 });
        await addHold(store, { id: 'review', node_id: REVIEW_NODE, epoch: 0, created_at: 93 });
      });

      test('are those that have expired, but for what a person looks at', async () => {
        for (const [id, node_id, epoch] of [
          ['old of mine', 'here', 4],
          ['old of there', 'there', 3],
          ['old task', TASK_NODE, 0],
          ['old review', REVIEW_NODE, 0],
        ] as const)
          await addHold(store, { id, node_id, epoch, expires_at: past(), created_at: 50 - id.length });
        expect(await read()).toEqual(['old of there', 'old of mine', 'old task']);
      });

      test('are those of an epoch that is over, of this node too, and of unknown and silent nodes, oldest first', async () => {
        await addHold(store, { id: 'before', node_id: 'here', epoch: 3, created_at: 20 });
        await addHold(store, { id: 'ended', node_id: 'there', epoch: 2, created_at: 10 });
        await addHold(store, { id: 'unknown', node_id: 'nowhere', created_at: 30 });
        await addHold(store, { id: 'silent', node_id: 'silent', created_at: 15 });
        expect(await read()).toEqual(['ended', 'silent', 'before', 'unknown']);
        expect(await read({ limit: 2 })).toEqual(['ended', 'silent']);
      });

      test('are none of a silent node while this one has not been connected for the whole silence', async () => {
        await addHold(store, { id: 'silent', node_id: 'silent' });
        expect(await read({ connectedMs: 29_999 })).toEqual([]);
        expect(await read({ connectedMs: 30_000 })).toEqual(['silent']);
        const { nodePool } = store;
        const nearly = { nodeId: 'here', connectedMs: 90_000, silenceSeconds: 60, limit: 50 };
        expect(await readAbandonedHolds(nodePool, nearly)).toEqual([]);
      });

      test('are not the own ones of a node whose heartbeat is late', async () => {
        await store.db
          .updateTable('nodes')
          .set({ heartbeat_at: now() - 300 })
          .where('id', '=', 'here')
          .execute();
        expect(await read()).toEqual([]);
      });

      test('and the minutes that no limit counts any more are deleted', async () => {
        const minutes = [now() - 3700, now() - 3500];
        await store.db
          .insertInto('limit_windows')
          .values(minutes.map((window_start) => ({ scope: 'user:71:rpm', window_start, used: 3 })))
          .execute();
        await read();
        const left = await store.db.selectFrom('limit_windows').select('window_start').execute();
        expect(left).toEqual([{ window_start: minutes[1] ?? 0 }]);
      });
    });

    test('a node is silent without a heartbeat for the whole silence, or without a row', async () => {
      const asked = ['silent', 'nowhere', 'here', 'there'];
      expect(await silentNodes(store.nodePool, asked, 30)).toEqual(['silent', 'nowhere']);
      expect(await silentNodes(store.nodePool, asked, 60)).toEqual(['nowhere']);
      expect(await silentNodes(store.nodePool, ['here'], 30)).toEqual([]);
    });

    test('an epoch begins with its own time, host and version, and its heartbeat touches no other', async () => {
      const all = () => store.db.selectFrom('nodes').selectAll().orderBy('id').execute();
      await store.db.updateTable('nodes').set({ heartbeat_at: 5 }).execute();
      const [, silent, there] = await all();
      const node = { nodeId: 'here', host: 'machine', version: 'v9' };
      expect(await beginEpoch(store.nodePool, node)).toBe(5);
      expect(await beginEpoch(store.nodePool, { ...node, nodeId: 'new' })).toBe(1);
      const [here, made, ...others] = await all();
      expect(here).toMatchObject({ id: 'here', epoch: 5, host: 'machine', version: 'v9' });
      expect(made).toMatchObject({ id: 'new', epoch: 1, host: 'machine', version: 'v9' });
      for (const row of [here, made]) {
        expect(row?.started_at).toBeGreaterThan(now() - 600);
        expect(row?.heartbeat_at).toBe(row?.started_at ?? 0);
      }
      expect(others).toEqual([silent, there].filter((row) => row !== undefined));
      await store.db.updateTable('nodes').set({ heartbeat_at: 5 }).execute();
      // The epoch before: another process has the name now.
      expect(await beat(store.nodePool, { nodeId: 'here', epoch: 4 })).toBe(false);
      expect((await all()).map(({ heartbeat_at }) => heartbeat_at)).toEqual([5, 5, 5, 5]);
      expect(await beat(store.nodePool, { nodeId: 'here', epoch: 5 })).toBe(true);
      const beaten = (await all()).filter(({ heartbeat_at }) => heartbeat_at > 5);
      expect(beaten.map(({ id }) => id)).toEqual(['here']);
    });
  });
});
