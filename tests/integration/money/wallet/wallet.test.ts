// The wallet of a user: balance, pace of spending, and the history of what came in.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { BURN_DAYS, type WalletEntry } from '#contract/money/wallet.ts';
import { daysLeft } from '#server/admin/balance-pace.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';

const DAY_SECONDS = 86_400;

test('the runway is the balance at the pace of the last seven days', () => {
  expect(daysLeft(1200, 700)).toBe(12);
  expect(daysLeft(1, 700)).toBe(0);
  expect(daysLeft(0, 700)).toBe(0);
  expect(daysLeft(1200, 0)).toBeNull();
});

describe.each(['sqlite', 'postgres'] as const)('%s', (database) => {
  let app: TestApplication;
  let admin: Actor;
  beforeAll(async () => {
    app = await startApplication({ database });
    admin = await app.actor({ role: ROLE.admin });
  });
  afterAll(() => app.close());

  const spend = (userId: number, daysAgo: number, quota: number, model = 'm') => {
    const hour = Math.floor(Date.now() / 1000 / 3600) * 3600 - daysAgo * DAY_SECONDS;
    return app.store.db
      .insertInto('usage_hours')
      .values({ hour, user_id: userId, token_id: 0, channel_id: 0, model_name: model, quota, count: 1 })
      .execute();
  };

  test('REL-2.88 the overview has balance, thirty days of spending and the days the balance lasts', async () => {
    const user = await app.actor({ quota: 1_200_000 });
    await spend(user.id, 0, 300_000);
    await spend(user.id, 0, 100_000, 'other');
    await spend(user.id, 3, 300_000);
    await spend(user.id, 20, 5_000_000);
    await spend(user.id, 40, 9_000_000);
    const view = await app.client(user).wallet.overview();
    expect(view.burn).toHaveLength(BURN_DAYS);
    expect([view.burn.at(-1), view.burn.at(-4), view.burn.at(-21)]).toEqual([400_000, 300_000, 5_000_000]);
    expect(view.burn.reduce((sum, quota) => sum + quota, 0)).toBe(5_700_000);
    // 700,000 in a week.
    expect(view).toMatchObject({ quota: 1_200_000, held_quota: 0, runway_days: 12 });
  });

  test('overview, wallet, user page and attention say one number of days, with what plans have left', async () => {
    const user = await app.actor({ quota: 1_000_000 });
    await spend(user.id, 1, 700_000);
    const { db } = app.store;
    const now = Math.floor(Date.now() / 1000);
    await db
      .insertInto('subscriptions')
      .values({
        user_id: user.id,
        plan_id: 1,
        plan_name: 'Starter',
        created_at: now - 60,
        interval_count: 1,
        periods: 1,
        period: 0,
        quota: 400_000,
        period_quota: 400_000,
        started_at: now - 60,
        ends_at: now + DAY_SECONDS,
        period_ends_at: now + DAY_SECONDS,
      })
      .execute();
    const { runway_days, plan_quota } = await app.client(user).wallet.overview();
    const { pace, balance } = await app.client(user).overview.self();
    const { money } = await app.client(admin).userManagement.page({
      params: { id: user.id },
      query: { window: '24h' },
    });
    expect([runway_days, pace.days_left, money.days_left]).toEqual([14, 14, 14]);
    expect([plan_quota, balance.plans, money.left_of_plans]).toEqual([400_000, 400_000, 400_000]);
  });

  test('a user who spent nothing this week has no runway', async () => {
    const user = await app.actor({ quota: 500 });
    await spend(user.id, 8, 100);
    expect((await app.client(user).wallet.overview()).runway_days).toBeNull();
  });

  test('the history has redemptions, gifts and corrections, newest first, and nothing of other users or of administrators', async () => {
    const user = await app.actor({ quota: 1000 });
    const other = await app.actor({ quota: 77 });
    const [code = ''] = await app
      .client(admin)
      .redemptions.create({ body: { name: 'Spring gift', quota: 600 } });
    await app.client(user).redemptions.redeem({ body: { key: code } });
    await app.client(admin).userManagement.change({
      body: { id: user.id, quota_change: -100, quota_reason: 'paid twice' },
    });
    await app.store.db.transaction().execute((transaction) =>
      app.ledger.transferWithin(transaction, {
        idem: `inviter:${user.id}`,
        userId: user.id,
        amount: 50,
        from: 'world:signup',
        to: 'aff',
        kind: 'inviter',
        reference: 'user:1',
      }),
    );
    // What a call took is in the log, not in the history.
    await app.store.db.transaction().execute((transaction) =>
      app.ledger.transferWithin(transaction, {
        idem: `use:${user.id}`,
        userId: user.id,
        amount: 50,
        from: 'user',
        to: 'revenue',
        kind: 'use',
        reference: '',
      }),
    );
    const { items, total } = await app.client(user).wallet.history({ query: {} });
    const shown = items.map(({ kind, amount, note }: WalletEntry) => [kind, amount, note]);
    expect(shown).toEqual([
      ['admin', -100, 'paid twice'],
      ['redeem', 600, 'Spring gift'],
      ['test', 1000, ''],
    ]);
    expect(total).toBe(3);
    expect((await app.client(other).wallet.history({ query: {} })).total).toBe(1);
    const second = await app.client(user).wallet.history({ query: { p: 2, page_size: 2 } });
    expect(second.items.map(({ kind }) => kind)).toEqual(['test']);
  });
});
