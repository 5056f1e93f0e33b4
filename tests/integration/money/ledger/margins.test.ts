// Cost beside charge, on both databases: what a call costs the operator stands in its log row and in the sums of its day, and
// nowhere where a user reads. The figures of the margin page equal a recomputation from the raw rows.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { MARGIN_DIMENSIONS, type MarginDimension, type MarginFigures } from '#contract/money/margins.ts';
import { alertNegativeMargins, bookPlanFees } from '#server/admin/margins/index.ts';
import type { Row } from '#server/platform/store/schema.ts';
import {
  ApiRefusal,
  startApplication,
  type Actor,
  type TestApplication,
} from '#tests/support/application.ts';
import { addChannel } from '#tests/support/channels.ts';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';

setDefaultTimeout(60_000);

const DAY = 86_400;
const today = () => Math.floor(Date.now() / 1000 / DAY) * DAY;
const dayText = (second: number) => new Date(second * 1000).toISOString().slice(0, 10);
const json = (value: unknown) => JSON.stringify(value);

/** Dollars per million tokens, of the built-in list and of the own table below. */
const LIST = { input: 2.5, output: 10, cacheRead: 1.25, reasoning: 10 };
const TABLE = { input: 8, output: 24, cacheRead: 8, reasoning: 24 };

describe.each(['sqlite', 'postgres'] as const)('%s', (database) => {
  let app: TestApplication;
  let admin: Actor;
  let mock: MockUpstream;
  let alice: Actor;
  let bob: Actor;
  const ids = { listed: 0, tabled: 0, unknown: 0, planned: 0 };
  const keys = new Map<number, string>();

  beforeAll(async () => {
    mock = startMockUpstream();
    app = await startApplication({
      database,
      settings: { GroupRatio: json({ default: 1, vip: 0.5 }), ModelRatio: json({ mystery: 1 }) },
    });
    // The tests do the work of this job; its first run may come in the middle of them.
    const later = { finished_ms: Date.now(), next_run_ms: Date.now() + 3_600_000 };
    await app.store.db
      .insertInto('jobs')
      .values({ name: 'margins', node_id: '', ...later })
      .onConflict((conflict) => conflict.columns(['name', 'node_id']).doUpdateSet(later))
      .execute();
    admin = await app.actor({ role: ROLE.admin });
    alice = await app.actor({ quota: 50_000_000 });
    bob = await app.actor({ quota: 50_000_000, group: 'vip' });
    for (const user of [alice, bob]) {
      const reply = await app.request('/api/token/', {
        as: user,
        body: { name: 'key', unlimited_quota: true },
      });
      keys.set(user.id, (reply.body.data as { key: string }[])[0]?.key ?? '');
    }
    const { id: supplier_id } = await app.client(admin).channelCosts.createSupplier({
      body: { name: 'Shop', buy_price: json({ kind: 'list', multiplier: 0.8 }) },
    });
    const channel = (name: string, group: string, fields: Record<string, string | number>) =>
      addChannel(app.store, {
        base_url: mock.url,
        models: ['gpt-4o', 'mystery'],
        groups: [group],
        name,
        fields,
      });
    ids.listed = await channel('listed', 'default', { supplier_id });
    // Dearer than it is sold in the group vip.
    const table = { kind: 'table', models: { 'gpt-4o': { input: 8, output: 24 } }, recharge_rate: 0.7 };
    ids.tabled = await channel('tabled', 'vip', { supplier_id, buy_price: json(table) });
    ids.unknown = await channel('unknown', 'other', {});
    const plan = { kind: 'plan', monthly_fee: 30, recharge_rate: 0.5 };
    ids.planned = await channel('planned', 'other', { buy_price: json(plan) });
  });
  afterAll(async () => {
    await app.close();
    await mock.stop();
  });

  const call = async (user: Actor, model: string, stream = false) => {
    const answer = await fetch(`${app.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer sk-${keys.get(user.id)}` },
      body: json({
        model,
        stream,
        max_tokens: 50,
        messages: [{ role: 'user', content: 'what does it cost?' }],
      }),
    });
    expect([answer.status, await answer.text()][0]).toBe(200);
  };
  const rows = () =>
    app.store.db.selectFrom('logs').selectAll().where('type', '=', 2).orderBy('id').execute();
  const report = (query: object) => app.client(admin).margins.report({ query });

  /** By whole numbers, without the code of the gateway; thousandths of a dollar, and of the ratio. */
  function recomputed({ other }: Row<'logs'>, prices: Record<string, number>, ratio: number): number {
    const { usage } = JSON.parse(other) as { usage: Record<string, number> };
    let sum = 0n;
    for (const [name, count] of Object.entries(usage))
      sum += BigInt(count) * BigInt(Math.round((prices[name] ?? Number.NaN) * 1000));
    const scaled = sum * BigInt(Math.round(ratio * 1000)) * 500_000n;
    const divisor = 10n ** 12n;
    return Number((scaled * 2n + divisor) / (2n * divisor));
  }

  test('each call records its cost: list × multiplier, own table × recharge rate, or unknown', async () => {
    await call(alice, 'gpt-4o');
    await call(alice, 'gpt-4o', true);
    await call(bob, 'gpt-4o');
    // The list has no price for it.
    await call(alice, 'mystery');
    const [first, second, third, fourth, ...more] = await rows();
    if (!first || !second || !third || !fourth) throw new Error('four calls make four rows');
    expect(more).toEqual([]);
    expect([first, second, third, fourth].map(({ channel_id }) => channel_id)).toEqual([
      ids.listed,
      ids.listed,
      ids.tabled,
      ids.listed,
    ]);
    expect(first.cost).toBe(recomputed(first, LIST, 0.8));
    expect(second.cost).toBe(recomputed(second, LIST, 0.8));
    expect(third.cost).toBe(recomputed(third, TABLE, 0.7));
    expect(first.cost).toBeGreaterThan(1);
    expect(third.cost).toBeGreaterThan(third.quota);
    expect(fourth.cost).toBeNull();
    expect(fourth.quota).toBeGreaterThan(0);
  });

  test('no user reads a cost: neither in the log, nor in its export, nor by the key', async () => {
    const reply = await app.request('/api/log/self/', { as: alice });
    expect(json(reply.body.data)).toContain('gpt-4o');
    const file = await app.fetch(
      new Request(`${app.url}/api/log/self/export`, {
        headers: { Cookie: alice.cookie, 'New-Api-User': String(alice.id) },
      }),
    );
    const exported = await file.text();
    expect(exported).toContain('gpt-4o');
    const byKey = await app.request(`/api/log/token?key=sk-${keys.get(alice.id)}`);
    for (const text of [json(reply.body), exported, json(byKey.body)]) expect(text).not.toContain('cost');
    expect(
      await app
        .client(alice)
        .margins.report({ query: {} })
        .catch((error: unknown) => error),
    ).toBeInstanceOf(ApiRefusal);
    expect(
      await app
        .client(alice)
        .channelCosts.suppliers()
        .catch((error: unknown) => error),
    ).toBeInstanceOf(ApiRefusal);
    const [newest] = (await app.client(admin).logs.list({ query: { p: 1, model_name: 'gpt-4o' } })).items;
    expect(newest?.cost).toBeGreaterThan(0);
  });

  test('margins by every noun equal a recomputation from the raw rows', async () => {
    const all = await rows();
    const keyOf: Record<MarginDimension, (row: Row<'logs'>) => string> = {
      channel: (row) => String(row.channel_id),
      supplier: () => String(1),
      model: (row) => row.model_name,
      group: (row) => row.group,
      user: (row) => String(row.user_id),
      day: (row) => dayText(row.created_at),
    };
    const none: MarginFigures = {
      calls: 0,
      revenue: 0,
      cost: 0,
      fees: 0,
      margin: 0,
      unknown_calls: 0,
      unknown_revenue: 0,
    };
    for (const by of MARGIN_DIMENSIONS) {
      const expected = new Map<string, MarginFigures>();
      for (const row of all) {
        const key = keyOf[by](row);
        const sum = expected.get(key) ?? { ...none };
        expected.set(key, sum);
        sum.calls += 1;
        sum.revenue += row.quota;
        if (row.cost === null) {
          sum.unknown_calls += 1;
          sum.unknown_revenue += row.quota;
        } else {
          sum.cost += row.cost;
          sum.margin += row.quota - row.cost;
        }
      }
      const { rows: found, total, row_count } = await report({ by, from: dayText(today() - DAY) });
      expect(new Map(found.map(({ key, name: _name, cache: _cache, ...figures }) => [key, figures]))).toEqual(
        expected,
      );
      expect(row_count).toBe(expected.size);
      expect(total.revenue).toBe(all.reduce((sum, { quota }) => sum + quota, 0));
    }
    const names = (await report({ by: 'channel' })).rows.map(({ name }) => name);
    expect(names.toSorted()).toEqual(['listed', 'tabled']);
    const drilled = await report({ by: 'user', channel: ids.tabled, model: 'gpt-4o' });
    expect(drilled.rows.map(({ key }) => key)).toEqual([String(bob.id)]);
    expect(drilled.total.margin).toBeLessThan(0);
    expect((await report({ by: 'user', supplier: 99 })).rows).toEqual([]);
  });

  test('a plan costs its fee by day, once, and the fee is part of the margin of its channel', async () => {
    const settings = { current: { QuotaPerUnit: 500_000, SiteTimeZone: 'UTC' } };
    const parts = { store: app.store, settings };
    const april = Date.UTC(2026, 3, 29) / 1000;
    expect(await bookPlanFees({ ...parts, now: () => april + 5 })).toBe(1);
    expect(await bookPlanFees({ ...parts, now: () => april + 90 })).toBe(0);
    // The days that the job missed are booked, by the length of their month: $15 of 30 and of 31 days.
    expect(await bookPlanFees({ ...parts, now: () => april + 2 * DAY })).toBe(2);
    const span = { from: '2026-04-29', to: '2026-05-01' };
    const { rows: days, total } = await report({ by: 'day', ...span, channel: ids.planned });
    expect(days.map(({ key, fees, margin }) => [key, fees, margin])).toEqual([
      ['2026-04-29', 250_000, -250_000],
      ['2026-04-30', 250_000, -250_000],
      ['2026-05-01', 241_935, -241_935],
    ]);
    expect(total.fees).toBe(741_935);
    // At the site it is the second of May already: a fee is of the site's date.
    const inShanghai = { current: { ...settings.current, SiteTimeZone: 'Asia/Shanghai' } };
    const late = april + 2 * DAY + 17 * 3600;
    expect(await bookPlanFees({ ...parts, settings: inShanghai, now: () => late })).toBe(1);
    expect(await bookPlanFees({ ...parts, now: () => late })).toBe(0);
    const [channel] = (await report({ by: 'channel', ...span })).rows;
    expect([channel?.name, channel?.fees]).toEqual(['planned', 741_935]);
    const named = await report({ by: 'model', ...span, channel: Number(channel?.key), user: 999_999 });
    expect(named.filter_names).toEqual({ channel: 'planned' });
    // It is a cost of its own channel alone (M21).
    for (const filter of [{ channel: ids.listed }, { supplier: 99 }])
      expect((await report({ by: 'day', ...span, ...filter })).total.fees).toBe(0);
    // A fee belongs to no model, group or user.
    expect((await report({ by: 'model', ...span })).rows).toEqual([]);
    // The total has every fee, also beside rows that cannot (M21).
    for (const by of ['model', 'group', 'user', 'supplier'] as const)
      expect((await report({ by, ...span })).total).toMatchObject({ fees: 741_935, margin: -741_935 });
    for (const filter of [{ model: 'gpt-4o' }, { group: 'default' }, { user: bob.id }])
      expect((await report({ by: 'day', ...span, ...filter })).total).toMatchObject({ fees: 0, margin: 0 });
  });

  test('a channel that was deleted has no fee any more, and keeps those of its days (M21)', async () => {
    const parts = { store: app.store, settings: { current: { QuotaPerUnit: 500_000, SiteTimeZone: 'UTC' } } };
    const { db } = app.store;
    const june = Date.UTC(2026, 5, 10) / 1000;
    expect(await bookPlanFees({ ...parts, now: () => june })).toBeGreaterThan(0);
    const set = (deleted_at: number | null) =>
      db.updateTable('channels').set({ deleted_at }).where('id', '=', ids.planned).execute();
    await set(june);
    expect(await bookPlanFees({ ...parts, now: () => june + 3 * DAY })).toBe(0);
    await set(null);
    const days = db.selectFrom('channel_fees').select('day').where('channel_id', '=', ids.planned);
    expect(await days.where('day', '>=', june).execute()).toEqual([{ day: june }]);
  });

  test('MarginAlertDays MarginAlertLoss: a model sold below cost notifies the operators once a day', async () => {
    const alert = (MarginAlertDays: number, MarginAlertLoss: number, later = 0) =>
      alertNegativeMargins({
        store: app.store,
        settings: {
          current: { SiteTimeZone: 'UTC', QuotaPerUnit: 500_000, MarginAlertDays, MarginAlertLoss },
        },
        now: () => today() + later,
      });
    expect(await alert(0, 0)).toBe(0);
    expect(await alert(1, 1000)).toBe(0);
    expect(await alert(1, 0)).toBe(1);
    expect(await alert(1, 0)).toBe(0);
    // The next day the same loss is in the span of two days again, and not in the span of one.
    expect(await alert(1, 0, DAY)).toBe(0);
    expect(await alert(2, 0, DAY)).toBe(1);
    const raised = await app.store.db
      .selectFrom('notices')
      .select('details')
      .where('event', '=', 'negative_margin')
      .execute();
    expect(JSON.parse(raised[0]?.details ?? '{}')).toMatchObject({
      channel_id: ids.tabled,
      channel_name: 'tabled',
      model: 'gpt-4o',
      days: 1,
    });
  });

  test('a loss is a loss, whatever calls of unknown cost brought beside it (M21)', async () => {
    const day = today() - 400 * DAY;
    const row = { channel_id: ids.listed, model_name: 'half-known', group: 'default', user_id: 1 };
    const figures = { count: 2, quota: 9000, cost: 500, costed_count: 1, costed_quota: 100 };
    await app.store.db
      .insertInto('margin_days')
      .values({ ...row, day: day - (day % DAY), ...figures })
      .execute();
    const settings = {
      current: { SiteTimeZone: 'UTC', QuotaPerUnit: 500_000, MarginAlertDays: 1, MarginAlertLoss: 0 },
    };
    const details = () =>
      app.store.db
        .selectFrom('notices')
        .select('details')
        .where('event', '=', 'negative_margin')
        .where('details', 'like', '%half-known%')
        .execute();
    await alertNegativeMargins({ store: app.store, settings, now: () => day });
    const [notice] = await details();
    expect(JSON.parse(notice?.details ?? '{}')).toMatchObject({ revenue: 100, cost: 500 });
    await app.store.db.deleteFrom('margin_days').where('model_name', '=', 'half-known').execute();
  });

  test('what lost against another channel counts as a loss, also where no call was sold', async () => {
    const hour = today() - 300 * DAY;
    const base = { hour, group: 'default', user_id: 1, count: 1, costed_count: 1 };
    await app.store.db
      .insertInto('hedge_hours')
      .values([
        { ...base, channel_id: ids.listed, model_name: 'only-lost', cost: 700 },
        { ...base, channel_id: ids.tabled, model_name: 'half-lost', cost: 300 },
      ])
      .execute();
    const sold = { day: hour, channel_id: ids.tabled, model_name: 'half-lost', group: 'default', user_id: 1 };
    const figures = { count: 1, quota: 500, cost: 250, costed_count: 1, costed_quota: 500 };
    await app.store.db
      .insertInto('margin_days')
      .values({ ...sold, ...figures })
      .execute();
    const current = { SiteTimeZone: 'UTC', QuotaPerUnit: 500_000, MarginAlertDays: 1, MarginAlertLoss: 0 };
    expect(
      await alertNegativeMargins({ store: app.store, settings: { current }, now: () => hour + 60 }),
    ).toBe(2);
    const notices = await app.store.db
      .selectFrom('notices')
      .select('details')
      .where('event', '=', 'negative_margin')
      .where('details', 'like', '%-lost%')
      .execute();
    const raised = notices.map(({ details }) => JSON.parse(details) as Record<string, unknown>);
    expect(raised.find(({ model }) => model === 'only-lost')).toMatchObject({ revenue: 0, cost: 700 });
    expect(raised.find(({ model }) => model === 'half-lost')).toMatchObject({ revenue: 500, cost: 550 });
    await app.store.db.deleteFrom('margin_days').where('model_name', '=', 'half-lost').execute();
    await app.store.db.deleteFrom('hedge_hours').where('model_name', 'like', '%-lost').execute();
  });

  test('ChannelOrder: the cheapest channel takes the calls, and the route simulator says why', async () => {
    const buy = (multiplier: number) => json({ kind: 'list', multiplier });
    const channel = (name: string, multiplier: number) =>
      addChannel(app.store, {
        base_url: mock.url,
        models: ['gpt-4o-mini'],
        name,
        weight: 1,
        fields: { buy_price: buy(multiplier) },
      });
    const dear = await channel('dear', 2);
    const cheap = await channel('cheap', 0.5);
    await app.settings.set('ChannelOrder', 'cheapest', 0);
    for (let round = 0; round < 8; round += 1) await call(alice, 'gpt-4o-mini');
    const used = (await rows()).filter(({ model_name }) => model_name === 'gpt-4o-mini');
    expect(new Set(used.map(({ channel_id }) => channel_id))).toEqual(new Set([cheap]));
    const route = await app
      .client(admin)
      .channels.route({ query: { model: 'gpt-4o-mini', group: 'default' } });
    expect(route.order).toBe('cheapest');
    expect(route.candidates.map(({ id, place, odds, cost }) => [id, place, odds, cost])).toEqual([
      [cheap, 1, 1, 0.000525],
      [dear, 2, 0, 0.0021],
    ]);
    // A change of the supplier's price is in force when the call returns.
    await app.client(admin).channels.change({ body: { id: dear, buy_price: buy(0.1) } });
    await call(alice, 'gpt-4o-mini');
    expect((await rows()).at(-1)?.channel_id).toBe(dear);
    await app.settings.set('ChannelOrder', 'weight', 0);
  });

  test('a buy price that is none, and a supplier that does not exist, are refused by name', async () => {
    const client = app.client(admin);
    const refused = async (promise: Promise<unknown>) => {
      const error: unknown = await promise.then(
        () => undefined,
        (reason: unknown) => reason,
      );
      return error instanceof ApiRefusal ? [error.body.code, error.body['field']] : error;
    };
    const change = (fields: object) =>
      refused(client.channels.change({ body: { id: ids.unknown, ...fields } }));
    expect(await change({ buy_price: '{' })).toEqual(['channel_field_not_json', 'buy_price']);
    expect(await change({ buy_price: '{"kind":"list"}' })).toEqual(['channel_member_invalid', 'buy_price']);
    expect(await change({ supplier_id: 999 })).toEqual(['channel_member_invalid', 'supplier_id']);
    const supplier = { name: 'Shop', buy_price: '' };
    expect(await refused(client.channelCosts.createSupplier({ body: supplier }))).toEqual([
      'supplier_name_taken',
      'name',
    ]);
    // If the stored buy price is damaged anyway, the cost of a call is unknown and the call succeeds.
    await app.store.db
      .updateTable('channels')
      .set({ buy_price: '{"kind":"list","multiplier":-1}' })
      .where('id', '=', ids.listed)
      .execute();
    await app.store.changes.announce('channels');
    await call(alice, 'gpt-4o');
    expect((await rows()).at(-1)).toMatchObject({ channel_id: ids.listed, cost: null });
    const [shop] = await client.channelCosts.suppliers();
    expect(shop).toMatchObject({ name: 'Shop', channels: 2 });
    await client.channelCosts.removeSupplier({ params: { id: shop?.id ?? 0 } });
    const left = await app.store.db.selectFrom('channels').select('supplier_id').execute();
    expect(left.every(({ supplier_id }) => supplier_id === 0)).toBe(true);
  });

  test('calls cost what their supplier asks since its last change, and are of unknown cost once it is removed (M21)', async () => {
    const { channelCosts, channels } = app.client(admin);
    const asks = (multiplier: number) => ({ name: 'Mover', buy_price: json({ kind: 'list', multiplier }) });
    const { id } = await channelCosts.createSupplier({ body: asks(1) });
    await channels.change({ body: { id: ids.listed, supplier_id: id, buy_price: '' } });
    const called = async () => {
      await call(alice, 'gpt-4o');
      const row = (await rows()).at(-1);
      if (row?.channel_id !== ids.listed) throw new Error('the call was made elsewhere');
      return row;
    };
    const first = await called();
    expect(first.cost).toBe(recomputed(first, LIST, 1));
    await channelCosts.changeSupplier({ params: { id }, body: asks(0.25) });
    const second = await called();
    expect(second.cost).toBe(recomputed(second, LIST, 0.25));
    expect(second.cost).toBeLessThan(first.cost ?? 0);
    await channelCosts.removeSupplier({ params: { id } });
    expect((await called()).cost).toBeNull();
  });
});
