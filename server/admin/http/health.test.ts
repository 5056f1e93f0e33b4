import { expect, test } from 'bun:test';
import type { Store } from '#server/platform/store/store.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { createHealth } from './health.ts';

forEachDatabase((_, open) => {
  test('ready while the database answers; live but not ready while draining or without it', async () => {
    const store: Store = await open();
    const health = createHealth(store, { isWritable: true });
    expect((await health.ready()).status).toBe(200);
    health.drain();
    const draining = await health.ready();
    expect(draining.status).toBe(503);
    expect(Number(draining.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(health.live().status).toBe(200);
    const second = createHealth(store, { isWritable: true });
    await store.close();
    expect((await second.ready()).status).toBe(503);
    expect(second.live().status).toBe(200);
  });
});
