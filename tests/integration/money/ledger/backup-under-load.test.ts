// A backup that is made while calls are charged: the books of the copy balance.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, setDefaultTimeout, test } from 'bun:test';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { databaseFile } from '#server/platform/store/sqlite/open.ts';
import { openStore } from '#server/platform/store/store.ts';
import { applicationWriter, temporaryPlace } from '#tests/support/databases.ts';
import { faultSeen } from '#tests/support/fault-report.ts';
import { createWorld, logRow, outcome, reserve } from './world.ts';

setDefaultTimeout(60_000);

const masterKey = 'ab'.repeat(32);
const callers = 8;

test('the copy of a backup under load has balanced books, and its running calls are resolved (plan C14)', async () => {
  const place = await temporaryPlace('sqlite', { bare: true });
  const copyDirectory = join(place.dataDir, 'copy');
  mkdirSync(copyDirectory);
  const store = await openStore({ dataDir: place.dataDir, masterKey, writerEntry: applicationWriter });
  const world = await createWorld(store);
  try {
    const userId = await world.user(100_000_000);
    const tokenId = await world.token(userId);
    const load = { isOver: false, charged: 0 };
    const running = Array.from({ length: callers }, async () => {
      while (!load.isOver) {
        const { requestId } = await reserve(world.ledger, userId, tokenId, 300);
        await world.ledger.settle(requestId, outcome(123, { log: logRow(userId, tokenId) }));
        load.charged += 1;
      }
    });
    while (load.charged < 200) await Bun.sleep(1);
    const before = load.charged;
    await store.backup(databaseFile(copyDirectory));
    const after = load.charged;
    load.isOver = true;
    await Promise.all(running);
    expect(after).toBeGreaterThan(before);

    const copy = await openStore({ dataDir: copyDirectory, masterKey, writerEntry: applicationWriter });
    const restored = await createWorld(copy);
    const { used_quota, request_count, held_quota } = await restored.findUser(userId);
    expect(request_count).toBeGreaterThanOrEqual(before - callers);
    expect(request_count).toBeLessThanOrEqual(after + callers);
    expect({ used_quota, held_quota }).toEqual({ used_quota: request_count * 123, held_quota: 0 });
    expect(await checkInvariants(copy)).toEqual([]);
    faultSeen('C14', `${after - before} charges during the backup; ${request_count} are in the copy`);
    await restored.close();
    await copy.close();
  } finally {
    await world.close();
    await store.close();
    rmSync(copyDirectory, { recursive: true, force: true });
    await place.remove();
  }
});
