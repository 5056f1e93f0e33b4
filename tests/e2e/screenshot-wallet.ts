// Plans, resellers, announcements and a paid order for the screens of an installation that sells.
import { order } from '#tests/integration/money/payments/support.ts';
import type { Actor, TestApplication } from '#tests/support/application.ts';
import { startEpayServer } from '#mock/payments/epay.ts';

/** The user pays an order; the site takes payments from then on, and gives a reward for the daily check-in. */
export async function takePayment(app: TestApplication, user: Actor): Promise<void> {
  const epay = startEpayServer();
  const settings = {
    ServerAddress: app.url,
    PayAddress: epay.url,
    EpayId: epay.pid,
    EpayKey: epay.key,
    SellerName: 'Gate Ltd',
    SellerAddress: '1 Road\n10115 Berlin',
    CheckInEnabled: 'true',
    CheckInMinQuota: '250000',
    CheckInMaxQuota: '250000',
  };
  for (const [key, text] of Object.entries(settings)) await app.settings.set(key, text, 0);
  const { tradeNo } = await order({ app }, user);
  await epay.notify(tradeNo);
  await app.settings.set('ServerAddress', 'https://gate.example', 0);
  epay.close();
}

export async function sell(
  application: TestApplication,
  admin: Actor,
  people: readonly Actor[],
): Promise<void> {
  const { plans, agents, announcements } = application.client(admin);
  const [user = admin, second = admin, third = admin] = people;
  const shared = { description: '', price_minor: 0, currency: 'CNY', models: [], limit_per_user: 0 };
  const starter = await plans.create({
    body: {
      ...shared,
      name: 'Starter',
      description: 'For trying things out',
      price_quota: 2_500_000,
      duration_unit: 'month',
      duration_count: 1,
      quota: 500_000,
      reset: 'daily',
      group: '',
      on_sale: true,
      sort_order: 0,
    },
  });
  await plans.create({
    body: {
      ...shared,
      name: 'Team',
      price_quota: 25_000_000,
      duration_unit: 'month',
      duration_count: 12,
      quota: 40_000_000,
      reset: 'monthly',
      models: ['gpt-4o', 'claude-sonnet-4-5'],
      group: 'vip',
      on_sale: true,
      sort_order: 1,
    },
  });
  for (const [index, buyer] of [user, second].entries())
    await plans.grant({
      body: { plan_id: starter.id, user_id: buyer.id, request_id: `screenshot-grant-${index}` },
    });
  await agents.set({ body: { user_id: user.id, active: true, rate_percent: 12.5 } });
  await agents.set({ body: { user_id: third.id, active: true, rate_percent: 8 } });
  await announcements.create({
    body: {
      title: 'Maintenance on Sunday',
      content: 'Calls may be **slower** between 02:00 and 03:00 UTC.',
      level: 'warning',
      audience: 'everybody',
      from_at: 0,
      until_at: 0,
      is_pinned: true,
    },
  });
}
