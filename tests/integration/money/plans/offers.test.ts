// What a plan on offer says to a buyer: the ratio of the group it pays in, the ways to pay for it, and how often it was bought.
import { expect, test } from 'bun:test';
import type { RequestContext } from '#server/admin/context.ts';
import type { PlanDependencies } from '#server/admin/plans/dependencies.ts';
import { listOffers } from '#server/admin/plans/own.ts';
import type { NewRow } from '#server/platform/store/schema.ts';
import { forEachDatabase } from '#tests/support/databases.ts';

const settings = { current: { GroupRatio: { default: 1, vip: 0.5, staff: 2 } } };
const providers = {
  methods: () => [
    { name: 'zfb', currency: 'CNY' },
    { name: 'stripe', currency: 'USD' },
  ],
};

forEachDatabase((_label, open) => {
  test('the ratio is of the plan’s group, else of the buyer’s, else none', async () => {
    const store = await open();
    const { db } = store;
    const add = async (name: string, more: Partial<NewRow<'plans'>>) => {
      const { id } = await db
        .insertInto('plans')
        .values({
          name,
          created_at: 1,
          duration_unit: 'month',
          duration_count: 1,
          quota: 100,
          reset: 'never',
          on_sale: 1,
          price_quota: 5,
          ...more,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    };
    const vip = await add('vip', { group: 'vip', price_minor: 500, currency: 'USD' });
    await add('own', {});
    await add('gone', { group: 'gone', price_minor: 500, currency: 'CNY' });
    await add('not sold', { on_sale: 0 });
    const buy = (user_id: number, more: Partial<NewRow<'subscriptions'>> = {}) =>
      db
        .insertInto('subscriptions')
        .values({
          user_id,
          plan_id: vip,
          plan_name: 'vip',
          created_at: 1,
          started_at: 1,
          ends_at: 2,
          interval_count: 1,
          periods: 1,
          period: 0,
          period_ends_at: 2,
          request_key: null,
          source: 'balance',
          ...more,
        })
        .execute();
    await buy(7, { status: 'ended' });
    await buy(7, { end_reason: 'refund:a', status: 'ended' });
    await buy(7, { source: 'grant' });
    await buy(8);
    const dependencies = { store, settings, payments: { providers } } as unknown as PlanDependencies;
    const offers = async (group: string) => {
      const context = { user: { id: 7, username: 'ann', group, role: 1 } } as unknown as RequestContext;
      const rows = await listOffers(dependencies)({} as never, context);
      return rows.map(({ name, group_ratio, methods, bought }) => [name, group_ratio, methods, bought]);
    };
    expect(await offers('staff')).toEqual([
      ['vip', 0.5, ['stripe'], 1],
      ['own', 2, [], 0],
      ['gone', 2, ['zfb'], 0],
    ]);
    expect((await offers('constructor')).map(([, ratio]) => ratio)).toEqual([0.5, 1, 1]);
  });
});
