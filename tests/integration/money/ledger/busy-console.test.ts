// Slow queries of the console take every connection of the pool: calls, heartbeats and readiness must not notice.
import { expect, setDefaultTimeout, test } from 'bun:test';
import { sql } from 'kysely';
import { createHealth } from '#server/admin/http/health.ts';
import type { PostgresStore } from '#server/platform/store/store.ts';
import { databaseSource } from '#tests/support/databases.ts';
import { createWorld, outcome, reserve } from './world.ts';

// A database server may have to start first, on a busy machine.
setDefaultTimeout(60_000);

test('M7: fourteen slow console queries fail no reservation, no heartbeat and no readiness probe', async () => {
  const source = databaseSource('postgres');
  const store = (await source.open()) as PostgresStore;
  // Beats every third of a second.
  const world = await createWorld(store, { silenceSeconds: 2 });
  try {
    const userId = await world.user(1_000_000);
    const queries = Array.from({ length: 14 }, () => sql`select pg_sleep(7)`.execute(store.db));
    const slow = Promise.allSettled(queries);
    const heartbeatOf = async () => {
      const { rows } = await store.nodePool.query<{ heartbeat_at: number }>(
        `select heartbeat_at from nodes where id = 'node-1'`,
      );
      return rows[0]?.heartbeat_at ?? 0;
    };
    const health = createHealth(store, world.ledger);
    const firstBeat = await heartbeatOf();
    let calls = 0;
    const end = Date.now() + 6500;
    while (Date.now() < end) {
      const { requestId, admission } = await reserve(world.ledger, userId, 0, 100);
      expect(admission.ok).toBe(true);
      await world.ledger.settle(requestId, outcome(1));
      calls += 1;
      if (calls % 10 === 0) expect((await health.ready()).status).toBe(200);
      await Bun.sleep(10);
    }
    expect(await heartbeatOf()).toBeGreaterThan(firstBeat + 3);
    expect(world.alerts.filter(({ kind }) => kind === 'unavailable')).toEqual([]);
    expect(await store.db.selectFrom('users').select('quota').where('id', '=', userId).execute()).toEqual([
      { quota: 1_000_000 - calls },
    ]);
    await slow;
  } finally {
    await world.close();
    await source.closeAll();
  }
});
