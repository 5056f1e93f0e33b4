// The inviter's reward after the first paid top-up, and the signs of one person behind both accounts.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { orderIdem, TOP_UP_KIND } from '#server/money/ledger/idempotency.ts';
import { rewardInviterAfterTopUp } from '#server/admin/sign-up.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';

const PASSWORD = 'a-long-passphrase-1';

describe.each(['sqlite', 'postgres'] as const)('%s', (database) => {
  let app: TestApplication;
  let counter = 0;
  const unique = (prefix: string) => `${prefix}${(counter += 1)}`;
  beforeAll(async () => {
    app = await startApplication({
      database,
      settings: { QuotaForInviter: '300', QuotaForInvitee: '20', InviteRewardAfterTopUp: 'true' },
      environment: { TRUSTED_PROXIES: '127.0.0.1' },
    });
  });
  afterAll(() => app.close());

  const rowOf = (id: number) =>
    app.store.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

  async function invited(inviter: Actor, address: string): Promise<number> {
    const username = unique('invited');
    const body = { username, password: PASSWORD, aff_code: (await rowOf(inviter.id)).aff_code };
    const reply = await app.request('/api/user/register', { body, headers: { 'X-Forwarded-For': address } });
    if (!reply.body.success) throw new Error(reply.body.message);
    const { id } = await app.store.db
      .selectFrom('users')
      .select('id')
      .where('username', '=', username)
      .executeTakeFirstOrThrow();
    return id;
  }

  /** A paid order as the payment code books it. */
  const payOrder = (userId: number, { planId = 0 } = {}) =>
    app.store.db.transaction().execute(async (transaction) => {
      const trade = unique('trade');
      await transaction
        .insertInto('orders')
        .values({
          trade_no: trade,
          user_id: userId,
          provider: 'epay',
          amount_minor: 730,
          currency: 'CNY',
          quota: planId > 0 ? 0 : 500_000,
          plan_id: planId,
          status: 'paid',
          created_at: 1,
        })
        .execute();
      if (planId === 0)
        await app.ledger.transferWithin(transaction, {
          idem: orderIdem(trade),
          userId,
          amount: 500_000,
          from: 'world:topup:epay',
          to: 'user',
          kind: TOP_UP_KIND,
          reference: trade,
        });
      await rewardInviterAfterTopUp(app, transaction, userId);
    });

  test('the reward waits for the first paid order and is paid once', async () => {
    const inviter = await app.actor();
    const id = await invited(inviter, '198.51.100.1');
    expect((await rowOf(id)).quota).toBe(20);
    expect(await rowOf(inviter.id)).toMatchObject({ aff_count: 1, aff_quota: 0 });
    await payOrder(id);
    expect(await rowOf(inviter.id)).toMatchObject({ aff_quota: 300, aff_history_quota: 300 });
    await payOrder(id);
    expect(await rowOf(inviter.id)).toMatchObject({ aff_quota: 300 });
  });

  test('of simultaneous orders one is the first', async () => {
    const inviter = await app.actor();
    const id = await invited(inviter, '198.51.100.2');
    await Promise.all(Array.from({ length: 6 }, () => payOrder(id)));
    expect(await rowOf(inviter.id)).toMatchObject({ aff_quota: 300 });
    expect((await rowOf(id)).quota).toBe(20 + 6 * 500_000);
  });

  test('an order for a plan is a first paid order too, and the inviter is paid for one of both kinds (M21)', async () => {
    const inviter = await app.actor();
    const [planFirst, planSecond] = [
      await invited(inviter, '198.51.100.21'),
      await invited(inviter, '198.51.100.22'),
    ];
    await payOrder(planFirst, { planId: 3 });
    expect((await rowOf(inviter.id)).aff_quota).toBe(300);
    await payOrder(planFirst);
    await payOrder(planSecond);
    await payOrder(planSecond, { planId: 3 });
    expect((await rowOf(inviter.id)).aff_quota).toBe(600);
  });

  test('an inviter who was deleted before the first paid order gets no reward (M21)', async () => {
    const inviter = await app.actor();
    const id = await invited(inviter, '198.51.100.23');
    await app.store.db.updateTable('users').set({ deleted_at: 5 }).where('id', '=', inviter.id).execute();
    await payOrder(id);
    expect((await rowOf(inviter.id)).aff_quota).toBe(0);
  });

  test('the code of a deleted account invites no more: neither side is rewarded (M21)', async () => {
    const inviter = await app.actor();
    await app.store.db.updateTable('users').set({ deleted_at: 5 }).where('id', '=', inviter.id).execute();
    const id = await invited(inviter, '198.51.100.24');
    expect(await rowOf(id)).toMatchObject({ quota: 0, inviter_id: 0 });
    expect(await rowOf(inviter.id)).toMatchObject({ aff_count: 0, aff_quota: 0 });
  });

  test('a code is no paid order; a reward paid at the registration is not paid again', async () => {
    const admin = await app.actor({ role: ROLE.admin });
    const inviter = await app.actor();
    const id = await invited(inviter, '198.51.100.3');
    const [key = ''] = await app.client(admin).redemptions.create({ body: { name: 'gift', quota: 500 } });
    const user = await app.login((await rowOf(id)).username, PASSWORD);
    await app.client(user).redemptions.redeem({ body: { key } });
    expect((await rowOf(inviter.id)).aff_quota).toBe(0);

    await app.settings.set('InviteRewardAfterTopUp', 'false', 0);
    const other = await app.actor();
    const early = await invited(other, '198.51.100.4');
    expect((await rowOf(other.id)).aff_quota).toBe(300);
    await app.settings.set('InviteRewardAfterTopUp', 'true', 0);
    await payOrder(early);
    expect((await rowOf(other.id)).aff_quota).toBe(300);
  });

  test('an administrator sees when an inviter and invited users share an address', async () => {
    const admin = await app.actor({ role: ROLE.admin });
    const { username } = await app.createUser();
    const address = '198.51.100.9';
    const login = await app.request('/api/user/login', {
      body: { username, password: 'user-password-of-tests' },
      headers: { 'X-Forwarded-For': address },
    });
    const inviter = { ...(login.body.data as { id: number }), username, role: 1, cookie: '' };
    const same = await invited(inviter, address);
    const elsewhere = await invited(inviter, '198.51.100.10');
    const flags = async (id: number) =>
      (await app.client(admin).userManagement.usage({ params: { id } })).invites;
    const none = {
      invited: 0,
      same_address: 0,
      inviter_same_address: false,
      same_payer: 0,
      inviter_same_payer: false,
    };
    expect(await flags(inviter.id)).toEqual({ ...none, invited: 2, same_address: 1 });
    expect(await flags(same)).toEqual({ ...none, inviter_same_address: true });
    expect(await flags(elsewhere)).toEqual(none);
  });

  test('an administrator sees when an inviter and invited users paid from one account', async () => {
    const admin = await app.actor({ role: ROLE.admin });
    const inviter = await app.actor();
    const [same, other] = [await invited(inviter, '198.51.100.11'), await invited(inviter, '198.51.100.12')];
    const paid = async (user_id: number, provider: string, payer: string) =>
      await app.store.db
        .insertInto('orders')
        .values({
          trade_no: `${user_id}${provider}${payer}`,
          user_id,
          provider,
          payer,
          amount_minor: 1,
          currency: 'USD',
          quota: 1,
          created_at: 1,
        })
        .execute();
    await paid(inviter.id, 'stripe', 'cus_1');
    await paid(same, 'stripe', 'cus_1');
    // The same text at another provider is another account, and an unknown payer belongs to no one.
    await paid(other, 'epay', 'cus_1');
    await paid(inviter.id, 'epay', '');
    await paid(other, 'epay', '');
    const flags = async (id: number) =>
      (await app.client(admin).userManagement.usage({ params: { id } })).invites;
    expect(await flags(inviter.id)).toMatchObject({ same_payer: 1, inviter_same_payer: false });
    expect(await flags(same)).toMatchObject({ same_payer: 0, inviter_same_payer: true });
    expect(await flags(other)).toMatchObject({ same_payer: 0, inviter_same_payer: false });
  });
});
