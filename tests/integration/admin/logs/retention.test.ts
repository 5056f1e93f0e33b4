// The log is kept for a number of days: what is older goes, in slices or as whole partitions, and the books stay provable.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createMoneyAudit } from '#server/money/audit/audit.ts';
import { withoutPause } from '#server/money/audit/breach.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { applyLogRetention } from '#server/admin/logs/index.ts';
import { logPartitions } from '#server/platform/store/postgres/log-partitions.ts';
import type { Store } from '#server/platform/store/store.ts';
import { endedTasks } from '#server/relay/tasks/index.ts';
import { createWorld, logRow, outcome, reserve, type World } from '#tests/integration/money/ledger/world.ts';
import { forEachDatabase } from '#tests/support/databases.ts';

// A database server may have to start first, on a busy machine.
setDefaultTimeout(60_000);

const daySeconds = 86_400;
const never = new AbortController().signal;

forEachDatabase((label, open) => {
  describe('log retention', () => {
    let store: Store;
    let world: World;
    let userId: number;

    beforeEach(async () => {
      store = await open();
      world = await createWorld(store);
      userId = await world.user(1_000_000);
    });
    afterEach(() => world.close());

    async function charge(amount = 10): Promise<void> {
      const { requestId } = await reserve(world.ledger, userId, 0, amount);
      await world.ledger.settle(requestId, outcome(amount, { log: logRow(userId, 0) }));
    }

    const today = () => Math.floor(Date.now() / 1000);
    /** As if it ran so many days from now. */
    const retain = (days: number, daysFromNow: number) =>
      applyLogRetention(
        { store, endedTasks: endedTasks(store), now: () => today() + daysFromNow * daySeconds },
        days,
        never,
      );
    const times = async () => {
      const rows = await store.db.selectFrom('logs').select('created_at').orderBy('created_at').execute();
      return rows.map((row) => row.created_at);
    };
    const insert = (createdAt: number, count = 1) =>
      store.db
        .insertInto('logs')
        .values(Array.from({ length: count }, () => ({ created_at: createdAt, type: 3 })))
        .execute();
    const audit = () => createMoneyAudit({ store, onBreach: () => {}, pause: withoutPause }).check();

    test('rows older than the days go, the others stay; 0 keeps everything', async () => {
      const now = today();
      const midnight = now - (now % daySeconds);
      await insert(1);
      await insert(midnight - 3 * daySeconds - 1, 1500);
      await insert(midnight - 3 * daySeconds);
      await insert(now);
      expect(await retain(0, 0)).toEqual({ data: 0, tasks: 0 });
      expect(await times()).toHaveLength(1503);
      expect(await retain(3, 0)).toEqual({ data: 1501, tasks: 0 });
      expect(await times()).toEqual([midnight - 3 * daySeconds, now]);
      expect(await retain(3, 0)).toEqual({ data: 0, tasks: 0 });
    });

    test('M4: after the log of charges was removed every invariant holds, also for a charge of a removed day', async () => {
      for (let each = 0; each < 3; each += 1) await charge();
      expect((await retain(3, 5)).data).toBe(3);
      expect(await times()).toEqual([]);
      expect(await checkInvariants(store)).toEqual([]);
      expect(await audit()).toEqual([]);
      // As from a spool that is replayed after its day was removed.
      await charge();
      expect(await times()).toHaveLength(1);
      expect(await audit()).toEqual([]);
      expect((await retain(3, 5)).data).toBe(1);
      expect(await audit()).toEqual([]);
      expect(await checkInvariants(store)).toEqual([]);
      expect((await world.findUser(userId)).status).toBe(1);
    });

    test('an earlier cleaning does not make the audit expect rows that a later one removed (M21)', async () => {
      await charge();
      expect((await retain(3, 5)).data).toBe(1);
      const cleanedBefore = async () =>
        (await store.db.selectFrom('log_cleaning').select('cleaned_before').executeTakeFirstOrThrow())
          .cleaned_before;
      const recorded = await cleanedBefore();
      expect((await retain(300, 5)).data).toBe(0);
      expect(await cleanedBefore()).toBe(recorded);
      expect(await checkInvariants(store)).toEqual([]);
      expect(await audit()).toEqual([]);
    });

    if (label === 'sqlite') return;

    test('whole days are dropped as tables, and the next ones are made', async () => {
      const before = (await logPartitions(store.db)).map(({ name }) => name);
      await charge();
      await retain(3, 5);
      const after = (await logPartitions(store.db)).map(({ name }) => name);
      // Today and tomorrow are over, the two days that are kept stay, and today's successor and three more are new.
      expect(after.slice(0, 2)).toEqual(before.slice(2));
      expect(after).toHaveLength(2 + 4);
    });

    test('a day that is being read is emptied in slices, calls go on meanwhile, and the next run drops it', async () => {
      await charge();
      await retain(0, 5);
      const [day] = await logPartitions(store.db);
      const isReading = Promise.withResolvers<void>();
      const mayEnd = Promise.withResolvers<void>();
      const reading = store.db.transaction().execute(async (transaction) => {
        await transaction.selectFrom('logs').select('id').execute();
        isReading.resolve();
        // The database ends a transaction that is idle for ten seconds.
        const ended = mayEnd.promise.then(() => true);
        while (!(await Promise.race([ended, Bun.sleep(1000).then(() => false)])))
          await transaction.selectFrom('users').select('id').execute();
      });
      await isReading.promise;
      const running = retain(3, 5);
      const ended = running.then(() => true);
      while (!(await Promise.race([ended, Bun.sleep(50).then(() => false)]))) {
        expect((await reserve(world.ledger, userId, 0, 1)).admission.ok).toBe(true);
      }
      expect((await running).data).toBe(1);
      expect((await logPartitions(store.db))[0]).toEqual(day);
      mayEnd.resolve();
      await reading;
      expect(world.alerts).toEqual([]);
      await retain(3, 5);
      expect((await logPartitions(store.db)).map(({ name }) => name)).not.toContain(day?.name);
    });
  });
});
