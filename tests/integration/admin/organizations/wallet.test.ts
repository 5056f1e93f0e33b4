// The wallet of an organization: what comes in stays in it, and only those with the right see and move it.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { raiseNotice } from '#server/platform/notices/raise.ts';
import { databaseLabels } from '#tests/support/databases.ts';
import { breaches, openShop, type Shop } from '#tests/integration/money/payments/support.ts';
import { codeOf, makeOrganization, SETTINGS, type Member, type Organization } from './support.ts';
import type { Client } from '#contract/client.ts';
import type { TollgateApi } from '#contract/api.ts';

setDefaultTimeout(120_000);
const PLAN = {
  name: 'Team',
  description: '',
  price_minor: 0,
  currency: 'CNY',
  price_quota: 300_000,
  duration_unit: 'month',
  duration_count: 1,
  quota: 900_000,
  reset: 'never',
  group: '',
  limit_per_user: 0,
  on_sale: true,
  sort_order: 0,
} as const;

describe.each([...databaseLabels])('%s', (database) => {
  let shop: Shop;
  let root: Client<TollgateApi>;
  let organization: Organization;
  let billing: Member;
  let member: Member;
  let viewer: Member;
  beforeAll(async () => {
    shop = await openShop(database, SETTINGS);
    root = shop.app.client(await shop.app.actor({ role: 100 }));
    organization = await makeOrganization(shop.app, 'Purse');
    billing = await organization.member('billing');
    member = await organization.member('member');
    viewer = await organization.member('viewer');
  });
  afterAll(() => shop.close());

  const balanceOf = async (id: number) =>
    (
      await shop.app.store.db
        .selectFrom('users')
        .select('quota')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
    ).quota;
  const refused = 'organization_right_missing';

  test('a top-up by Epay or Stripe is credited to the organization, with the company on its receipt', async () => {
    const body = { amount: 10, payment_method: 'zfb' } as const;
    for (const as of [member, viewer]) expect(await codeOf(as.client.orders.pay({ body }))).toBe(refused);
    const placed = await billing.client.orders.pay({ body });
    const page = await fetch(placed.url, { method: 'POST', body: new URLSearchParams(placed.data) });
    expect(page.status).toBe(200);
    await shop.epay.notify(placed.trade_no);
    const byCard = await billing.client.orders.pay({ body: { amount: 10, payment_method: 'stripe' } });
    shop.stripe.pay(byCard.trade_no);
    await shop.stripe.notify(`${shop.app.url}/api/stripe/webhook`, byCard.trade_no);
    for (let tries = 0; tries < 100 && (await balanceOf(organization.id)) < 10_000_000; tries += 1)
      await Bun.sleep(50);
    expect(await balanceOf(organization.id)).toBe(10_000_000);
    expect(await balanceOf(billing.id)).toBe(0);
    expect((await viewer.client.orders.own({ query: {} })).items.map(({ status }) => status)).toEqual([
      'paid',
      'paid',
    ]);
    expect((await billing.own.orders.own({ query: {} })).items).toEqual([]);
    expect(await codeOf(member.client.orders.own({ query: {} }))).toBe(refused);

    const params = { trade_no: placed.trade_no };
    expect((await viewer.client.receipts.own({ params })).buyer).toEqual({
      id: organization.id,
      username: '@purse',
      display_name: 'Purse',
      email: '',
      company: { name: 'Purse', address: '', tax_id: '' },
    });
    const company = {
      company_name: 'Purse GmbH',
      company_address: '1 Road\n10115 Berlin',
      tax_id: 'DE 7',
      billing_email: 'bills@purse.example',
    };
    expect(await codeOf(viewer.client.organizations.changeCompany({ body: company }))).toBe(refused);
    expect((await billing.client.organizations.changeCompany({ body: company })).company).toEqual(company);
    expect((await viewer.client.receipts.own({ params })).buyer).toMatchObject({
      email: 'bills@purse.example',
      company: { name: 'Purse GmbH', address: '1 Road\n10115 Berlin', tax_id: 'DE 7' },
    });
    for (const client of [billing.own, shop.app.client(await shop.app.actor())]) {
      expect(await codeOf(client.receipts.own({ params }))).toBe('not_found');
      expect(await codeOf(client.orders.ownOne({ params }))).toBe('not_found');
    }
    const { id } = await viewer.client.orders.ownOne({ params });
    expect((await viewer.client.orders.page({ params: { id } })).can_manage).toBe(false);
    expect(await codeOf(billing.own.orders.page({ params: { id } }))).toBe('not_found');
  });

  test('an administrator of the site who is a member reads no foreign order through the organization', async () => {
    const admin = await organization.member('billing', { role: 10 });
    const stranger = await shop.app.actor();
    const placed = await shop.app
      .client(stranger)
      .orders.pay({ body: { amount: 10, payment_method: 'zfb' } });
    const params = { trade_no: placed.trade_no };
    const { id } = await shop.app.client(stranger).orders.ownOne({ params });
    expect(await codeOf(admin.client.orders.page({ params: { id } }))).toBe('not_found');
    expect((await admin.own.orders.page({ params: { id } })).can_manage).toBe(true);
  });

  test('a redemption code goes to the account that the call acts for', async () => {
    const [code = '', other = ''] = await root.redemptions.create({
      body: { name: 'gift', quota: 700, count: 2 },
    });
    const before = await balanceOf(organization.id);
    expect(await codeOf(viewer.client.redemptions.redeem({ body: { key: code } }))).toBe(refused);
    expect(await billing.client.redemptions.redeem({ body: { key: code } })).toBe(700);
    expect(await codeOf(billing.own.redemptions.redeem({ body: { key: code } }))).toBe('redemption_used');
    await billing.own.redemptions.redeem({ body: { key: other } });
    expect([(await balanceOf(organization.id)) - before, await balanceOf(billing.id)]).toEqual([700, 700]);
    const history = await viewer.client.wallet.history({ query: {} });
    expect(history.items[0]).toMatchObject({ kind: 'redeem', amount: 700 });
    expect((await viewer.client.wallet.overview()).quota).toBe(await balanceOf(organization.id));
    expect(await codeOf(member.client.wallet.overview())).toBe(refused);
  });

  test('a plan bought by an organization is paid from its balance and belongs to it', async () => {
    const plan = await root.plans.create({ body: { ...PLAN, models: [] } });
    const params = { id: plan.id };
    const body = { request_id: 'organization-plan-1', price_quota: plan.price_quota };
    expect(await codeOf(viewer.client.plans.buy({ params, body }))).toBe(refused);
    const before = await balanceOf(organization.id);
    const bought = await billing.client.plans.buy({ params, body });
    expect(before - (await balanceOf(organization.id))).toBe(300_000);
    expect((await viewer.client.plans.own()).subscriptions.map(({ id }) => id)).toEqual([bought.id]);
    expect((await billing.own.plans.own()).subscriptions).toEqual([]);
    expect((await billing.client.plans.offers()).find(({ id }) => id === plan.id)?.bought).toBe(1);
    const renewal = { params: { id: bought.id }, body: { auto_renew: true } };
    expect(await codeOf(billing.own.plans.autoRenew(renewal))).toBe('not_found');
    expect(await codeOf(billing.client.plans.autoRenew(renewal))).toBe('done');
    await billing.client.plans.preference({ body: { wallet_first: true } });
    expect((await billing.own.plans.own()).wallet_first).toBe(false);
    await root.plans.end({ params: { id: bought.id }, body: { reason: 'test' } });
  });

  test('the statement of a month is that of the organization', async () => {
    const month = new Date().toISOString().slice(0, 7);
    const statement = await viewer.client.statements.own({ query: { month } });
    expect(statement.user).toMatchObject({ id: organization.id, username: '@purse' });
    expect(statement.closing).toBe(await balanceOf(organization.id));
    expect((await billing.own.statements.own({ query: { month } })).closing).toBe(
      await balanceOf(billing.id),
    );
    expect(await codeOf(member.client.statements.own({ query: { month } }))).toBe(refused);
  });

  test('the figures of a member are those of their own calls; those with the right see all', async () => {
    const now = Math.floor(Date.now() / 1000);
    const hour = now - (now % 3600);
    const [mine] = await member.client.tokens.create({ body: { name: 'mine' } });
    const [owners] = await organization.owner.client.tokens.create({ body: { name: 'owners' } });
    const use = (token_id: number | undefined, quota: number) => ({
      hour,
      user_id: organization.id,
      token_id: token_id ?? 0,
      channel_id: 1,
      model_name: 'm',
      count: 1,
      quota,
    });
    await shop.app.store.db
      .insertInto('usage_hours')
      .values([use(mine?.id, 5), use(owners?.id, 7)])
      .execute();
    const held = (token_id: number | undefined, quota: number, member_id: number) => {
      const { channel_id: _channel, ...call } = use(token_id, quota);
      return { ...call, member_id, service_account_id: 0, project_id: 1 };
    };
    // Of a call with a tag the whole counts once.
    await shop.app.store.db
      .insertInto('holder_hours')
      .values([
        { ...held(mine?.id, 5, member.id), tag_key: '', tag_value: '' },
        { ...held(mine?.id, 5, member.id), tag_key: 'team', tag_value: 'red' },
        { ...held(owners?.id, 7, organization.owner.id), tag_key: '', tag_value: '' },
      ])
      .execute();
    const query = { start_timestamp: now - 3600, end_timestamp: now };
    const seen = async (as: Member) => {
      const rows = await as.client.dashboard.self({ query });
      const ranked = await as.client.dashboard.tokens({ query });
      return [rows.reduce((sum, { quota }) => sum + quota, 0), ranked.map(({ name }) => name)];
    };
    expect(await seen(member)).toEqual([5, ['mine']]);
    for (const as of [viewer, billing, organization.owner])
      expect(await seen(as)).toEqual([12, ['owners', 'mine']]);
    expect(await member.own.dashboard.self({ query })).toEqual([]);
    for (const table of ['usage_hours', 'holder_hours'] as const)
      await shop.app.store.db.deleteFrom(table).where('user_id', '=', organization.id).execute();
  });

  test('tasks are seen by the member whose key began them, and by those who see all', async () => {
    const now = Math.floor(Date.now() / 1000);
    const task = (member_id: number, task_id: string) => ({
      hold_id: `hold-${task_id}`,
      platform: 'suno',
      action: 'MUSIC',
      model: 'suno_music',
      user_id: organization.id,
      member_id,
      channel_id: 1,
      task_id,
      money: 'released' as const,
      submit_ms: now * 1000,
      deadline_at: now,
      next_poll_at: now + 100_000,
    });
    await shop.app.store.db
      .insertInto('tasks')
      .values([task(member.id, 'of-member'), task(organization.owner.id, 'of-owner')])
      .execute();
    const seen = async (as: Member) =>
      (await as.client.tasks.listSelf({ query: {} })).data.map(({ task_id }) => task_id).toSorted();
    expect([await seen(member), await seen(viewer)]).toEqual([['of-member'], ['of-member', 'of-owner']]);
    const all = await viewer.client.tasks.listSelf({ query: {} });
    for (const { id, task_id } of all.data) {
      const page = codeOf(member.client.tasks.page({ params: { id } }));
      expect(await page).toBe(task_id === 'of-member' ? 'done' : 'not_found');
      expect(await codeOf(member.own.tasks.page({ params: { id } }))).toBe('not_found');
    }
    expect((await member.own.tasks.listSelf({ query: {} })).data).toEqual([]);
  });

  test('a notice to the organization is mailed to its owners, to those who pay its bills, and to its address', async () => {
    const { app } = shop;
    const mailed = await makeOrganization(app, 'Mailed');
    await app.store.db
      .updateTable('users')
      .set({ email: 'owner@mailed.example' })
      .where('id', '=', mailed.owner.id)
      .execute();
    await mailed.member('billing', { row: { email: 'Bills@mailed.example' } });
    await mailed.member('member', { row: { email: 'member@mailed.example' } });
    await mailed.owner.client.organizations.changeCompany({
      body: { billing_email: 'office@mailed.example' },
    });
    await app.settings.set('SMTPServer', '127.0.0.1', 0);
    await app.settings.set('SMTPFrom', 'gate@example.com', 0);
    await raiseNotice(app.store.db, { userId: mailed.id, event: 'low_balance', values: { balance: 1 } });
    const recipients = async () =>
      (
        await app.store.db
          .selectFrom('mails')
          .select('recipient')
          .where('recipient', 'like', '%@mailed.example')
          .execute()
      )
        .map(({ recipient }) => recipient)
        .toSorted();
    const ran = await app.client(await app.actor({ role: 100 })).jobs.list();
    const job = ran.find(({ name }) => name.includes('notice'));
    for (let tries = 0; tries < 150 && (await recipients()).length < 3; tries += 1) {
      if (job && tries % 20 === 0) await codeOf(root.jobs.run({ params: { name: job.name } }));
      await Bun.sleep(100);
    }
    expect(await recipients()).toEqual([
      'bills@mailed.example',
      'office@mailed.example',
      'owner@mailed.example',
    ]);
  });

  test('the books are whole after all of it', async () => {
    expect(await breaches(shop)).toEqual([]);
  });
});
