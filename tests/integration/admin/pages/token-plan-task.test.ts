// The pages of keys, plans and tasks: figures equal the rows, and nobody reads another user's.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { LOG_TYPE } from '#contract/admin/logs.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { databaseLabels } from '#tests/support/databases.ts';
import { bookAll, sum } from './support.ts';

setDefaultTimeout(120_000);

const HOUR = 3600;
const hourNow = () => Math.floor(Date.now() / 1000 / HOUR) * HOUR;

describe.each(databaseLabels)('%s', (database) => {
  let app: TestApplication;
  let root: Actor;
  let admin: Actor;
  let owner: Actor;
  let stranger: Actor;
  beforeAll(async () => {
    app = await startApplication({ database });
    root = await app.actor({ role: ROLE.root });
    admin = await app.actor({ role: ROLE.admin });
    owner = await app.actor({ quota: 9_000_000 });
    stranger = await app.actor();
  });
  afterAll(() => app.close());
  const status = async (path: string, as: Actor) => (await app.request(path, { as })).status;

  test('a key: calls of it alone, the last ones, its changes; the key is in no answer', async () => {
    const [token] = await app.client(owner).tokens.create({ body: { name: 'laptop', remain_quota: 700 } });
    const [other] = await app.client(owner).tokens.create({ body: { name: 'other' } });
    const id = token?.id ?? 0;
    const hour = hourNow();
    const uses = [0, 1, 2, 30].map((at) => ({
      hour: hour - at * HOUR,
      user_id: owner.id,
      token_id: id,
      channel_id: 1,
      model_name: at % 2 === 0 ? 'one' : 'two',
      count: at + 1,
      error_count: at,
      quota: 10 ** at,
    }));
    await app.store.db
      .insertInto('usage_hours')
      .values([
        ...uses.map((use) => ({ ...use, quota: Math.min(use.quota, 100) })),
        { ...uses[0]!, token_id: other?.id ?? 0, quota: 5 },
      ])
      .execute();
    const log = {
      user_id: owner.id,
      username: owner.username,
      created_at: hour,
      model_name: 'one',
      quota: 3,
    };
    await app.store.db
      .insertInto('logs')
      .values([
        { ...log, id: 900_001, token_id: id, type: LOG_TYPE.consumption, request_id: 'of-it', cost: null },
        {
          ...log,
          id: 900_002,
          token_id: other?.id ?? 0,
          type: LOG_TYPE.consumption,
          request_id: 'of-other',
          cost: null,
        },
        { ...log, id: 900_003, token_id: id, type: LOG_TYPE.manage, request_id: 'no-call', cost: null },
      ])
      .execute();
    await app
      .client(owner)
      .tokens.change({ query: {}, body: { id, name: 'desk', based_on: { name: 'laptop' } } });
    const params = { id };
    const page = await app.client(owner).tokens.page({ params, query: { window: '24h' } });
    expect(page).toMatchObject({
      is_own: true,
      owner: { id: owner.id },
      token: { name: 'desk', remain_quota: 700 },
    });
    expect(page.use.total).toEqual({ calls: 1 + 2 + 3, failures: 0 + 1 + 2, quota: 1 + 10 + 100 });
    expect(page.use.before).toEqual({ calls: 31, failures: 30, quota: 100 });
    expect(sum(page.use.models.map(({ count }) => count))).toBe(page.use.total.calls);
    expect(page.calls.map(({ request_id }) => request_id)).toEqual(['of-it']);
    const changed = page.events.items.find(({ action }) => action === 'token.change');
    expect(changed).toMatchObject({
      actor_name: owner.username,
      changes: [{ field: 'name', before: 'laptop', after: 'desk' }],
    });

    const seen = await app.client(admin).tokens.managedPage({ params, query: { window: '24h' } });
    expect(seen).toMatchObject({ is_own: false, owner: { username: owner.username } });
    for (const answer of [page, seen]) expect(JSON.stringify(answer)).not.toContain(token?.key ?? 'no key');
    expect(await status(`/api/token/${id}/page`, stranger)).toBe(404);
    for (const as of [admin, root]) {
      expect(await status(`/api/token/${id}/page`, as)).toBe(404);
      expect(await status(`/api/token/manage/${id}/page`, as)).toBe(200);
    }
    expect(await status(`/api/token/manage/${id}/page`, owner)).toBe(403);
    const [ofAdmin] = await app.client(admin).tokens.create({ body: { name: 'of an admin' } });
    const equal = await app.actor({ role: ROLE.admin });
    expect(await status(`/api/token/manage/${ofAdmin?.id}/page`, equal)).toBe(404);
    await app.client(owner).tokens.remove({ params });
    expect(await status(`/api/token/${id}/page`, owner)).toBe(404);
  });

  test('who is no administrator does not learn which one disabled a key', async () => {
    const [token] = await app.client(owner).tokens.create({ body: { name: 'leaked' } });
    const params = { id: token?.id ?? 0 };
    await app.client(admin).tokens.disable({ params, body: { reason: 'found in the open' } });
    const { events } = await app.client(owner).tokens.page({ params, query: { window: '24h' } });
    expect(events.items[0]).toMatchObject({ action: 'token.disable_leaked', actor_id: 0, actor_name: '' });
    const seen = await app.client(admin).tokens.managedPage({ params, query: { window: '24h' } });
    expect(seen.events.items[0]).toMatchObject({ actor_name: admin.username });
  });

  test('a plan: granted = used + lapsed + left, to the unit, and what was paid for it', async () => {
    const plan = await app.client(admin).plans.create({
      body: {
        name: 'Weekly',
        price_quota: 1_000,
        duration_unit: 'day',
        duration_count: 14,
        quota: 4_000,
        reset: 'weekly',
        on_sale: true,
      },
    });
    const params = { id: plan.id };
    const sold = await app
      .client(owner)
      .plans.buy({ params, body: { request_id: `page-${database}-1`, price_quota: 1_000 } });
    const account = `plan:${sold.id}`;
    await bookAll(app, owner.id, [
      { kind: 'use', from: account, to: 'revenue', amount: 1_300 },
      { kind: 'plan_return', from: account, to: 'world:plan', amount: 200, reference: 'x' },
    ]);
    await app.store.db
      .updateTable('subscriptions')
      .set({ quota: 4_000 - 1_300 - 200 })
      .where('id', '=', sold.id)
      .execute();
    const page = await app.client(admin).plans.page({ params });
    expect(page.worth).toBe(8_000);
    expect(page.use).toEqual({ granted: 4_000, used: 1_300, lapsed: 200, left: 2_500 });
    expect(page.sold).toMatchObject({
      balance: 1,
      orders: 0,
      grants: 0,
      refunded: 0,
      buyers: 1,
      active: 1,
      revenue_quota: 1_000,
    });
    expect(page.subscriptions).toMatchObject([
      { id: sold.id, user_id: owner.id, username: owner.username, source: 'balance' },
    ]);
    // Over, although no job has ended it yet (M21).
    await app.store.db
      .updateTable('subscriptions')
      .set({ started_at: 1, ends_at: Math.floor(Date.now() / 1000) })
      .where('id', '=', sold.id)
      .execute();
    expect((await app.client(admin).plans.page({ params })).sold).toMatchObject({ balance: 1, active: 0 });
    expect(page.events.items.at(-1)).toMatchObject({ action: 'plan.create', actor_name: admin.username });
    expect(await status(`/api/plan/${plan.id}/page`, owner)).toBe(403);
    await app.client(admin).plans.remove({ params });
    expect((await app.client(admin).plans.page({ params })).plan.deleted_at).not.toBeNull();
    expect(await status('/api/plan/999999/page', admin)).toBe(404);
  });

  test('a task: its owner without the channel, administrators with it, others not at all', async () => {
    const { id } = await app.store.db
      .insertInto('tasks')
      .values({
        hold_id: `page-${database}`,
        platform: 'suno',
        action: 'MUSIC',
        model: 'suno_music',
        user_id: owner.id,
        username: owner.username,
        channel_id: 7,
        status: 'SUCCESS',
        money: 'settled',
        quota: 50,
        submit_ms: Date.now(),
        deadline_at: 0,
        next_poll_at: 0,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    const params = { id };
    expect(await app.client(owner).tasks.page({ params })).toMatchObject({
      task: { id, quota: 50, channel_id: 0, username: '' },
      channel: null,
      money: 'settled',
    });
    expect(await app.client(admin).tasks.page({ params })).toMatchObject({
      task: { channel_id: 7, username: owner.username },
    });
    expect(await status(`/api/task/${id}/page`, stranger)).toBe(404);
  });
});
