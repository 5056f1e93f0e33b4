// kill -9 while a run is booked and while it is undone: what was booked stays, the rest follows, nothing twice.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { openStore, type Store } from '#server/platform/store/store.ts';
import { createWorld } from '#tests/integration/money/ledger/world.ts';
import {
  applicationWriter,
  backendIsGone,
  temporaryPlace,
  type TemporaryPlace,
} from '#tests/support/databases.ts';
import {
  addVersion,
  allowThePast,
  beginApply,
  beginUndo,
  dryRun,
  makeCall,
  readRun,
  startPrices,
  totalsOf,
  work,
} from './world.ts';

setDefaultTimeout(120_000);

const child = new URL('./kill-child.ts', import.meta.url).pathname;

for (const label of ['sqlite', 'postgres'] as const) {
  describe(label, () => {
    let place: TemporaryPlace;
    const users: number[] = [];
    let runId: number;
    beforeAll(async () => {
      place = await temporaryPlace(label);
      await inStore(async (store) => {
        const world = await createWorld(store);
        await allowThePast(store);
        await addVersion(store, startPrices);
        const channelId = await world.channel();
        for (let index = 0; index < 3; index += 1) {
          const userId = await world.user(10_000);
          users.push(userId);
          for (const daysAgo of [0, 1, 2]) {
            const call = { userId, tokenId: 0, channelId, model: 'alpha', group: 'default' } as const;
            const usage = { input: 100, output: 100, cacheRead: 0 };
            await makeCall(world, { ...call, usage }, startPrices, { daysAgo });
          }
        }
        const cheap = await addVersion(store, { ...startPrices, alpha: 50 });
        const run = await dryRun(store, { version_id: cheap });
        expect(run).toMatchObject({ calls: 9, credit: 2250 });
        runId = run.id;
        await world.close();
      });
    });
    afterAll(() => place.remove());

    async function inStore<T>(use: (store: Store) => Promise<T>): Promise<T> {
      const { dataDir, databaseUrl } = place;
      const store = await openStore({ dataDir, databaseUrl, writerEntry: applicationWriter });
      try {
        await backendIsGone(store);
        return await use(store);
      } finally {
        await store.close();
      }
    }

    /** Resolves with the number of acknowledged bookings before the process died. */
    async function killAfter(bookings: number, where: 'between' | 'inside'): Promise<number> {
      const { dataDir, databaseUrl = '' } = place;
      const running = Bun.spawn([process.execPath, child, dataDir, databaseUrl, String(bookings), where], {
        stdout: 'pipe',
        stderr: 'inherit',
      });
      const output = await new Response(running.stdout).text();
      await running.exited;
      expect(output).not.toContain('ended');
      return output.split('\n').filter((line) => line === 'booked').length;
    }

    const bookedParts = (store: Store, id: number) =>
      store.db.selectFrom('rerate_parts').select('id').where('run_id', '=', id).execute();

    async function killTwice(id: number): Promise<void> {
      const first = await killAfter(2, 'between');
      await inStore(async (store) => {
        expect(await bookedParts(store, id)).toHaveLength(first);
        expect(await checkInvariants(store)).toEqual([]);
      });
      const second = await killAfter(2, 'inside');
      await inStore(async (store) => {
        expect((await bookedParts(store, id)).length).toBeGreaterThanOrEqual(first + second);
        expect(await checkInvariants(store)).toEqual([]);
        await work(store);
        expect(await bookedParts(store, id)).toHaveLength(9);
        expect(await checkInvariants(store)).toEqual([]);
      });
    }

    test('a run that is killed twice books every note once', async () => {
      await inStore(async (store) => beginApply(store, await readRun(store, runId)));
      await killTwice(runId);
      await inStore(async (store) => {
        expect(await readRun(store, runId)).toMatchObject({ state: 'applied' });
        for (const userId of users)
          expect(await totalsOf(store, userId)).toMatchObject({ quota: 9250, used: 750, logged: 750 });
      });
    });

    test('an undo that is killed twice brings every user back once', async () => {
      const undo = await inStore((store) => beginUndo(store, runId));
      await killTwice(undo.id);
      await inStore(async (store) => {
        expect(await readRun(store, runId)).toMatchObject({ state: 'undone' });
        for (const userId of users)
          expect(await totalsOf(store, userId)).toMatchObject({ quota: 8500, used: 1500, logged: 1500 });
        expect(await store.db.selectFrom('notices').select('id').execute()).toHaveLength(6);
      });
    });
  });
}
