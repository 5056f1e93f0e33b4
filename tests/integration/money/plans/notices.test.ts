// Of which subscriptions their users hear that they end, and when.
import { expect, test } from 'bun:test';
import { unixSeconds } from '#contract/time.ts';
import type { PlanDependencies } from '#server/admin/plans/dependencies.ts';
import { advanceSubscriptions } from '#server/admin/plans/index.ts';
import { reopenSubscription, type SubscriptionParts } from '#server/money/ledger/subscriptions.ts';
import type { NewRow } from '#server/platform/store/schema.ts';
import { forEachDatabase } from '#tests/support/databases.ts';

const DAY = 86_400;

forEachDatabase((_label, open) => {
  test('a user hears once of an end in three days, of a short one in its second half, and of none that was renewed', async () => {
    const store = await open();
    const now = unixSeconds();
    const add = async (
      plan_name: string,
      begins: number,
      ends: number,
      more: Partial<NewRow<'subscriptions'>> = {},
    ) => {
      const { id } = await store.db
        .insertInto('subscriptions')
        .values({
          user_id: 7,
          plan_id: 1,
          plan_name,
          created_at: 1,
          started_at: now + begins,
          ends_at: now + ends,
          interval_count: 1,
          periods: 1,
          period: 0,
          period_ends_at: now + ends,
          request_key: null,
          ...more,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    };
    await add('in three days', -27 * DAY, 3 * DAY - 60);
    await add('in four days', -26 * DAY, 3 * DAY + 60);
    await add('two days, just begun', -DAY + 60, DAY + 60);
    await add('two days, half over', -DAY - 60, DAY - 60);
    await add('told before', -27 * DAY, DAY, { ending_noticed: 1 });
    const renewed = await add('renewed', -27 * DAY, DAY);
    await add('the next one', DAY, 31 * DAY, { follows_id: renewed });
    await add('over', -30 * DAY, -DAY, { status: 'ended' });
    await add('over, and told', -30 * DAY, -DAY, { status: 'ended', ended_noticed: 1 });
    const rolled: number[] = [];
    const dependencies = {
      store,
      ledger: { rollPeriod: async (id: number) => void rolled.push(id), writeHolds: async () => {} },
    } as unknown as PlanDependencies;
    const told = async () => {
      await advanceSubscriptions(dependencies, new AbortController().signal);
      const rows = await store.db.selectFrom('notices').select(['event', 'details', 'user_id']).execute();
      const names = rows.map(({ event, details, user_id }) => {
        const { plan } = JSON.parse(details) as { plan: string };
        return `${user_id} ${event} ${plan}`;
      });
      return names.toSorted();
    };
    const expected = [
      '7 subscription_ended over',
      '7 subscription_ending in three days',
      '7 subscription_ending two days, half over',
    ];
    expect(await told()).toEqual(expected);
    expect(await told()).toEqual(expected);
    expect(rolled).toEqual([]);
  });

  test('one that was opened again is told again when it ends', async () => {
    const store = await open();
    const values = { username: 'ann', aff_code: 'ann' };
    const { id: userId } = await store.db
      .insertInto('users')
      .values(values)
      .returning('id')
      .executeTakeFirstOrThrow();
    const now = unixSeconds();
    const { id } = await store.db
      .insertInto('subscriptions')
      .values({
        user_id: userId,
        plan_id: 1,
        plan_name: 'monthly',
        created_at: 1,
        started_at: now - DAY,
        ends_at: now + 29 * DAY,
        interval_count: 1,
        periods: 1,
        period: 0,
        period_ends_at: now + 29 * DAY,
        request_key: null,
        status: 'ended',
        ended_at: now - 100,
        end_reason: 'refund:a',
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    const dependencies = { store, ledger: { rollPeriod: async () => false } } as unknown as PlanDependencies;
    const told = async () => {
      await advanceSubscriptions(dependencies, new AbortController().signal);
      const { count } = await store.db
        .selectFrom('notices')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('event', '=', 'subscription_ended')
        .where('user_id', '=', userId)
        .executeTakeFirstOrThrow();
      return count;
    };
    expect([await told(), await told()]).toEqual([1, 1]);
    const parts = {
      store,
      ledger: { transferWithin: async () => ({ ok: true }) },
    } as unknown as SubscriptionParts;
    const opened = await store.db
      .transaction()
      .execute((transaction) => reopenSubscription(parts, transaction, id, 'refund:a'));
    expect([opened, await told()]).toEqual([true, 1]);
    const end = { status: 'ended', ended_at: now } as const;
    await store.db.updateTable('subscriptions').set(end).where('id', '=', id).execute();
    expect([await told(), await told()]).toEqual([2, 2]);
  });
});
