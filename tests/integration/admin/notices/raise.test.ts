// A notice is part of the transaction of the change it reports, and a key makes it unique.
import { beforeAll, describe, expect, test } from 'bun:test';
import { raiseNotice } from '#server/platform/notices/raise.ts';
import type { Store } from '#server/platform/store/store.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { failure } from '#tests/support/failure.ts';

forEachDatabase((_label, open) => {
  describe('raise a notice', () => {
    let store: Store;
    beforeAll(async () => {
      store = await open();
    });
    const stored = () =>
      store.db
        .selectFrom('notices')
        .select(['event', 'user_id', 'details', 'dispatched_at'])
        .orderBy('id')
        .execute();

    test('REL-1.18 the notice is stored exactly when its transaction commits', async () => {
      const values = { plan: 'Gold', ends_at: 1_900_000_000 };
      const failing = store.db.transaction().execute(async (transaction) => {
        await raiseNotice(transaction, { event: 'subscription_ending', userId: 7, values });
        throw new Error('rolled back');
      });
      expect((await failure(failing)).message).toBe('rolled back');
      expect(await stored()).toEqual([]);
      await store.db
        .transaction()
        .execute((transaction) =>
          raiseNotice(transaction, { event: 'subscription_ending', userId: 7, values }),
        );
      const details = JSON.stringify(values);
      expect(await stored()).toEqual([
        { event: 'subscription_ending', user_id: 7, details, dispatched_at: 0 },
      ]);
    });

    test('of many notices with one key, raised at once, one is stored; a notice without a user is for the operators', async () => {
      await store.db.deleteFrom('notices').execute();
      const raise = () =>
        store.db.transaction().execute((transaction) =>
          raiseNotice(transaction, {
            event: 'withdrawal_requested',
            values: { username: 'anna', amount: '$5.00' },
            onceKey: 'withdrawal_requested:1',
          }),
        );
      const raised = await Promise.all(Array.from({ length: 10 }, raise));
      expect(raised.filter(Boolean)).toHaveLength(1);
      expect(await stored()).toMatchObject([{ event: 'withdrawal_requested', user_id: 0 }]);
    });

    test('an event needs its own values, and a user event its user', () => {
      const wrong = [
        // @ts-expect-error -- the user is missing
        () => raiseNotice(store.db, { event: 'subscription_ended', values: { plan: 'Gold' } }),
        // @ts-expect-error -- the values of another event
        () => raiseNotice(store.db, { event: 'job_failed', values: { plan: 'Gold' } }),
      ];
      expect(wrong).toHaveLength(2);
    });
  });
});
