// The page of an order: its buyer reads it without what is the operator's, administrators read every order, to others it does not
// exist.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { databaseLabels } from '#tests/support/databases.ts';
import { addOrder } from './support.ts';

setDefaultTimeout(120_000);

describe.each(databaseLabels)('%s', (database) => {
  let app: TestApplication;
  let admin: Actor;
  let buyer: Actor;
  beforeAll(async () => {
    app = await startApplication({ database });
    admin = await app.actor({ role: ROLE.admin });
    buyer = await app.actor({ quota: 3_000_000 });
  });
  afterAll(() => app.close());

  const page = (as: Actor, id: number) => app.client(as).orders.page({ params: { id } });

  test('an administrator and the buyer see one order: the amounts are the same, the operator’s words are not', async () => {
    const id = await addOrder(app, buyer.id, {
      payer: 'account-of-payer',
      provider_reference: 'P-1',
      refunded_minor: 1300,
      refunded_quota: 890_410,
      lost_quota: 12,
    });
    await app.store.db
      .insertInto('order_events')
      .values([
        { order_id: id, created_at: 1, kind: 'created', detail: '' },
        { order_id: id, created_at: 2, kind: 'completed', detail: `${admin.username}: seen in the bank` },
        { order_id: id, created_at: 3, kind: 'credited', detail: '5000000' },
      ])
      .execute();
    await app.store.db
      .insertInto('refunds')
      .values({
        request_id: `page-${database}`,
        order_id: id,
        user_id: buyer.id,
        created_at: 4,
        amount_minor: 1300,
        quota: 890_410,
        status: 'done',
        reason: 'asked nicely',
      })
      .execute();
    const seen = await page(admin, id);
    expect(seen).toMatchObject({
      can_manage: true,
      order: { id, username: buyer.username, payer: 'account-of-payer', lost_quota: 12 },
      // What is left of the order is more than the balance.
      refundable_quota: 3_000_000,
      subscription: null,
    });
    expect(seen.events.map(({ detail }) => detail)).toEqual([
      '',
      `${admin.username}: seen in the bank`,
      '5000000',
    ]);
    const own = await page(buyer, id);
    expect(own).toMatchObject({
      can_manage: false,
      order: { id, amount_minor: 7300, refunded_minor: 1300, payer: '', lost_quota: 0 },
      refundable_quota: 0,
    });
    expect(own.events.map(({ kind, detail }) => [kind, detail])).toEqual([
      ['created', ''],
      ['completed', ''],
      ['credited', '5000000'],
    ]);
    expect(own.refunds).toMatchObject([{ amount_minor: 1300, reason: '', can_end: false }]);
    expect(JSON.stringify(own)).not.toContain('account-of-payer');
    expect(JSON.stringify(own)).not.toContain(admin.username);
  });

  test('another user’s order and no order are the same answer: not found', async () => {
    const id = await addOrder(app, buyer.id);
    const stranger = await app.actor();
    const foreign = await app.request(`/api/order/${id}/page`, { as: stranger });
    const none = await app.request('/api/order/999999/page', { as: stranger });
    expect([foreign.status, foreign.body.code]).toEqual([404, 'not_found']);
    expect([none.status, none.body.message]).toEqual([404, foreign.body.message]);
    expect((await app.request('/api/order/999999/page', { as: admin })).status).toBe(404);
  });
});
