// The page of a user: the balance adds up to the unit and equals the ledger, posts equal the hourly figures, and an administrator
// reads only users below.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { databaseLabels } from '#tests/support/databases.ts';
import { addOrder, bookAll, sum } from './support.ts';

setDefaultTimeout(120_000);

const HOUR = 3600;

describe.each(databaseLabels)('%s', (database) => {
  let app: TestApplication;
  let admin: Actor;
  let user: Actor;
  beforeAll(async () => {
    app = await startApplication({ database });
    admin = await app.actor({ role: ROLE.admin });
    user = await app.actor({ username: `payer-${database}` });
  });
  afterAll(() => app.close());

  const read = (as: Actor, id: number, window = '24h') =>
    app.request(`/api/user/${id}/page?window=${window}`, { as });
  const page = async (window: '24h' | '7d' | '30d' = '24h') =>
    await app.client(admin).userManagement.page({ params: { id: user.id }, query: { window } });

  test('came in − used = left, to the unit, and every part equals the ledger', async () => {
    const own = `user:${user.id}`;
    const moves = [
      { kind: 'topup', from: 'world:topup:epay', to: own, amount: 9_000_001 },
      { kind: 'topup', from: 'world:topup:stripe', to: own, amount: 1_000_000 },
      { kind: 'redeem', from: 'world:redeem', to: own, amount: 333 },
      {
        kind: 'admin',
        from: own,
        to: 'world:admin',
        amount: 77,
        reference: `admin:${admin.id} a wrong charge`,
      },
      { kind: 'plan_purchase', from: own, to: 'world:plan', amount: 2_500_000, reference: 'Starter' },
      { kind: 'use', from: own, to: 'revenue', amount: 1_234_567 },
      { kind: 'use', from: own, to: 'revenue', amount: 89 },
      { kind: 'use', from: 'plan:9', to: 'revenue', amount: 4_000 },
      { kind: 'rerate_credit', from: 'revenue', to: own, amount: 1_000 },
    ];
    await bookAll(app, user.id, moves);
    const charged = 1_234_567 + 89 - 1_000;
    await app.store.db
      .updateTable('users')
      .set({ used_quota: charged + 4_000 })
      .where('id', '=', user.id)
      .execute();
    const { money, entries } = await page();
    expect(money.came_in - money.used).toBe(money.left);
    const { rows } = {
      rows: await app.store.db.selectFrom('ledger').selectAll().where('user_id', '=', user.id).execute(),
    };
    const into = sum(rows.filter(({ credit_account }) => credit_account === own).map(({ amount }) => amount));
    const out = sum(rows.filter(({ debit_account }) => debit_account === own).map(({ amount }) => amount));
    expect(money.left).toBe(into - out);
    expect(money.used_of_plans).toBe(4_000);
    expect(sum(money.lines.map(({ amount }) => amount))).toBe(money.came_in);
    expect(money.lines).toContainEqual({ kind: 'topup', account: 'topup', amount: 10_000_001, count: 2 });
    expect(entries.map(({ kind, amount, note }) => [kind, amount, note])).toEqual([
      ['rerate_credit', 1_000, ''],
      ['plan_purchase', -2_500_000, 'Starter'],
      ['admin', -77, 'a wrong charge'],
      ['redeem', 333, ''],
      ['topup', 1_000_000, ''],
      ['topup', 9_000_001, ''],
    ]);
  });

  test.each([
    ['24h', 24, HOUR],
    ['7d', 28, 6 * HOUR],
    ['30d', 30, 24 * HOUR],
  ] as const)('posts of %s equal the hourly figures of this user alone', async (window, count, step) => {
    const now = Math.floor(Date.now() / 1000);
    const hour = now - (now % HOUR);
    await app.store.db.deleteFrom('usage_hours').execute();
    const uses = Array.from({ length: 60 * 24 + 5 }, (_, at) => ({
      hour: hour - at * HOUR,
      user_id: at % 7 === 0 ? user.id + 1000 : user.id,
      token_id: at % 2,
      channel_id: 1,
      model_name: at % 3 === 0 ? 'one' : 'two',
      count: at % 5,
      error_count: at % 4,
      quota: at * 11,
    }));
    for (let at = 0; at < uses.length; at += 200)
      await app.store.db
        .insertInto('usage_hours')
        .values(uses.slice(at, at + 200))
        .execute();
    const { use } = await page(window);
    const own = uses.filter(({ user_id }) => user_id === user.id);
    const start = hour + HOUR - count * step;
    expect([use.start, use.step, use.posts.length]).toEqual([start, step, count]);
    const within = (from: number, to: number) => {
      const of = own.filter((each) => each.hour >= from && each.hour < to);
      return {
        calls: sum(of.map((each) => each.count)),
        failures: sum(of.map((each) => each.error_count)),
        quota: sum(of.map((each) => each.quota)),
      };
    };
    for (const [index, post] of use.posts.entries())
      expect(post).toEqual(within(start + index * step, start + (index + 1) * step));
    expect(use.total).toEqual(within(start, start + count * step));
    expect(use.before).toEqual(within(start - count * step, start));
    expect(sum(use.models.map(({ quota }) => quota))).toBe(use.total.quota);
  });

  test('keys without the key itself, orders by their newest, and events without what a sign-in leaves', async () => {
    const [token] = await app.client(user).tokens.create({ body: { name: 'laptop' } });
    const id = await addOrder(app, user.id);
    await addOrder(app, user.id + 1000);
    await app.client(admin).userManagement.manage({ body: { id: user.id, action: 'disable' } });
    await app.client(admin).userManagement.manage({ body: { id: user.id, action: 'enable' } });
    const answer = await read(admin, user.id);
    expect(JSON.stringify(answer.body)).not.toContain(token?.key ?? 'no key');
    const { keys, key_count, orders, order_count, events } = await page();
    expect([key_count, keys.map(({ name }) => name)]).toEqual([1, ['laptop']]);
    expect([order_count, orders.map((order) => order.id)]).toEqual([1, [id]]);
    expect(events.items.slice(0, 2).map(({ action, actor_name }) => [action, actor_name])).toEqual([
      ['user.enable', admin.username],
      ['user.disable', admin.username],
    ]);
    expect(events.items.some(({ action }) => action.startsWith('session.'))).toBe(false);
  });

  test('only administrators above the user read it; no such user is not found', async () => {
    const other = await app.actor();
    const equal = await app.actor({ role: ROLE.admin });
    expect((await read(other, user.id)).status).toBe(403);
    expect((await read(other, other.id)).status).toBe(403);
    expect((await read(admin, equal.id)).body.code).toBe('user_level_too_high');
    expect((await read(admin, admin.id)).status).toBe(200);
    expect((await read(admin, 999_999)).status).toBe(404);
  });
});
