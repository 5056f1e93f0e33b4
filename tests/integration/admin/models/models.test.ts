// The list of models and the page of one: figures equal sums of the test's own over the raw rows, money adds up, and a model that
// nobody can call says so.
import { beforeAll, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { SETTING_KEYS, SETTINGS, type Settings } from '#contract/settings.ts';
import { windowSpan, type ThingWindow } from '#contract/thing-window.ts';
import type { RequestContext } from '#server/admin/context.ts';
import { recentMargins } from '#server/admin/margins/index.ts';
import { retriedIn } from '#server/admin/failed-attempts.ts';
import { createModelHandlers } from '#server/admin/models/index.ts';
import { builtInPrice } from '#server/money/prices/price-list/index.ts';
import { resolvePrice } from '#server/money/prices/price.ts';
import type { Store } from '#server/platform/store/store.ts';
import { addChannel } from '#tests/support/channels.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { randomSource } from '#tests/support/sequence.ts';

const DAY = 86_400;
const HOUR = 3600;
/** 2026-11-13 17:42 UTC. */
const NOW = 1_794_591_720;
const TODAY = NOW - (NOW % DAY);
const LAST_HOUR = NOW - (NOW % HOUR);
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

forEachDatabase((label, open) => {
  let store: Store;
  let handlers: ReturnType<typeof createModelHandlers>;
  let main: number;
  let off: number;
  const hours: { hour: number; model: string; count: number; errors: number }[] = [];
  const charges: { day: number; channel: number; model: string; quota: number; cost: number | undefined }[] =
    [];

  const read = async (name: string, window: ThingWindow = '24h') =>
    await handlers.read(
      { params: undefined, query: { name, window }, body: undefined },
      {} as RequestContext,
    );

  beforeAll(async () => {
    store = await open();
    const { db } = store;
    const below = randomSource(33);
    const current = Object.fromEntries(
      SETTING_KEYS.map((key) => [key, SETTINGS[key].fallback]),
    ) as unknown as Settings;
    handlers = createModelHandlers({
      store,
      settings: { current },
      margins: recentMargins({ store, settings: { current } }),
      priceOf: (model, group) => resolvePrice(current, builtInPrice, model, group),
      upstreamModel: (_mapping, model) => (model === 'gpt-4o' ? 'gpt-4o-2024' : model),
      now: () => NOW,
    });
    const upstream = { base_url: 'http://127.0.0.1:9' };
    main = await addChannel(store, {
      ...upstream,
      models: ['gpt-4o', 'no-price-1'],
      name: 'main',
      fields: { buy_price: '{"kind":"list","multiplier":0.5}' },
    });
    off = await addChannel(store, {
      ...upstream,
      models: ['gpt-4o', 'gpt-4o-mini'],
      name: 'off',
      fields: { status: 3, other_info: `{"status_time":${NOW - HOUR}}` },
    });
    for (let back = 0; back < 24 * 60; back += 7) {
      const row = {
        hour: LAST_HOUR - back * HOUR,
        model: 'gpt-4o',
        count: 1 + below(20),
        errors: below(5),
      };
      hours.push(row);
      await db
        .insertInto('usage_hours')
        .values({
          hour: row.hour,
          user_id: 1,
          token_id: 1,
          channel_id: main,
          model_name: row.model,
          count: row.count,
          error_count: row.errors,
          completion_tokens: 100 * row.count,
          use_time_ms: 3000 * row.count,
          first_token_ms: 1000 * row.count,
        })
        .execute();
    }
    for (let at = 0; at < 120; at += 1) {
      const charge = {
        day: TODAY - below(40) * DAY,
        channel: below(2) === 0 ? main : off,
        model: below(4) === 0 ? 'gpt-4o-mini' : 'gpt-4o',
        quota: below(90_000),
        cost: below(4) === 0 ? undefined : below(80_000),
      };
      charges.push(charge);
      const { day, quota, cost } = charge;
      await db
        .insertInto('margin_days')
        .values({
          day,
          channel_id: charge.channel,
          model_name: charge.model,
          group: 'default',
          user_id: at,
          count: 1,
          quota,
          ...(cost === undefined ? {} : { cost, costed_count: 1, costed_quota: quota }),
        })
        .execute();
    }
    const refused = { token_id: 1, group: 'default' };
    await db
      .insertInto('refused_calls')
      .values([
        {
          ...refused,
          minute: NOW - 120,
          user_id: 3,
          code: 'no_channel',
          model_name: 'gpt-4o-mini',
          count: 9,
        },
        { ...refused, minute: NOW - 60, user_id: 4, code: 'no_channel', model_name: 'gpt-4o-mini', count: 2 },
        { ...refused, minute: NOW - 60, user_id: 4, code: 'no_price', model_name: 'no-price-1', count: 5 },
        { ...refused, minute: NOW - 60, user_id: 4, code: 'no_channel', model_name: 'invented', count: 7 },
      ])
      .execute();
    await db
      .insertInto('logs')
      .values({
        type: 2,
        created_at: LAST_HOUR - 7 * HOUR + 5,
        request_id: 'saved',
        user_id: 1,
        username: 'ann',
        model_name: 'gpt-4o',
        channel_id: main,
        channel_name: 'main',
        other: JSON.stringify({
          admin_info: {
            attempts: [
              { channel: off, status: 529, milliseconds: 1, error: 'status 529: Overloaded' },
              { channel: main, status: 200, milliseconds: 1 },
            ],
          },
        }),
      })
      .execute();
    // The hour of that row has a failure whatever the random figures are.
    await db
      .updateTable('usage_hours')
      .set({ error_count: 1 })
      .where('hour', '=', LAST_HOUR - 7 * HOUR)
      .execute();
    const changed = hours.find(({ hour }) => hour === LAST_HOUR - 7 * HOUR);
    if (changed) changed.errors = 1;
  });

  test('the list has every model that is offered or was called, with its channels, calls and refusals', async () => {
    const { rows } = await handlers.list(
      { params: undefined, query: undefined, body: undefined },
      {} as RequestContext,
    );
    const { start } = windowSpan('24h', NOW);
    const within = hours.filter(({ hour }) => hour >= start);
    expect(rows.map(({ model }) => model).sort()).toEqual(['gpt-4o', 'gpt-4o-mini', 'no-price-1']);
    const of = (name: string) => rows.find(({ model }) => model === name);
    expect(of('gpt-4o')).toMatchObject({
      channels: 1,
      all_channels: 2,
      answered: sum(within.map(({ count }) => count)),
      failed: sum(within.map(({ errors }) => errors)),
      refused: 0,
    });
    expect(of('gpt-4o-mini')).toMatchObject({ channels: 0, all_channels: 1, refused: 11 });
    expect(of('no-price-1')).toMatchObject({ price: null, refused: 5 });
    for (const { money } of rows) expect(money.used).toBe(money.cost + money.margin + money.unknown);
  });

  test.each(['24h', '7d', '30d'] as const)('calls and money of %s equal the raw rows', async (window) => {
    const page = await read('gpt-4o', window);
    const { start, end, step } = windowSpan(window, NOW);
    for (const post of page.calls.posts) {
      const rows = hours.filter(({ hour }) => hour >= post.at && hour < post.at + step);
      expect([post.answered, post.failed]).toEqual([
        sum(rows.map(({ count }) => count)),
        sum(rows.map(({ errors }) => errors)),
      ]);
    }
    expect(page.calls.posts.at(-1)?.at).toBe(end - step);
    expect(page.calls.answered).toBe(
      sum(hours.filter(({ hour }) => hour >= start).map(({ count }) => count)),
    );
    expect(page.calls).toMatchObject({ first_token: 1000, speed: 50 });
    const first = TODAY - (window === '30d' ? 29 : 6) * DAY;
    const own = charges.filter(({ model, day }) => model === 'gpt-4o' && day >= first);
    expect(page.money).toMatchObject({
      used: sum(own.map(({ quota }) => quota)),
      cost: sum(own.map(({ cost = 0 }) => cost)),
      unknown: sum(own.filter(({ cost }) => cost === undefined).map(({ quota }) => quota)),
    });
    expect(page.money.used).toBe(page.money.cost + page.money.margin + page.money.unknown);
    for (const key of ['used', 'cost', 'margin', 'unknown'] as const)
      expect(sum(page.channels.map((channel) => channel[key]))).toBe(page.money[key]);
  });

  test('its channels have their cost prices, its failures their channel and who answered', async () => {
    const page = await read('gpt-4o');
    expect(page.alert).toBeNull();
    expect(page.prices.map(({ group }) => group)).toEqual(['default']);
    const [one, two] = [main, off].map((id) => page.channels.find((channel) => channel.id === id));
    expect(one?.upstream_model).toBe('gpt-4o-2024');
    expect(one?.cost_price?.input).toBeCloseTo((page.prices[0]?.price?.input ?? 0) / 2, 6);
    expect(two).toMatchObject({ status: 3, cost_price: null });
    expect(page.failures.groups).toMatchObject([
      {
        status: 529,
        count: 1,
        channels: [{ id: off, name: 'off' }],
        answered_by: [{ id: main, name: 'main' }],
      },
    ]);
  });

  test('failures of many hours are found without reading the whole log', async () => {
    const spans = Array.from({ length: 24 }, (_, at) => ({
      start: LAST_HOUR - (2 * at + 1) * HOUR,
      end: LAST_HOUR - 2 * at * HOUR,
    }));
    const query = retriedIn(spans, sql`type = 2 and model_name = 'gpt-4o' and other like '%"error":%'`);
    expect((await query.execute(store.db)).rows.length).toBeGreaterThan(0);
    if (label === 'postgres') return;
    const plan = await sql<{ detail: string }>`explain query plan ${query}`.execute(store.db);
    expect(plan.rows.map(({ detail }) => detail).filter((detail) => detail.startsWith('SCAN logs'))).toEqual(
      [],
    );
  });

  test('a model without a channel, and one without a price, say whose calls were refused', async () => {
    expect((await read('gpt-4o-mini')).alert).toEqual({
      kind: 'no_channel',
      since: NOW - HOUR,
      refused: 11,
      users: 2,
      off: [{ id: off, name: 'off' }],
    });
    expect((await read('no-price-1')).alert).toMatchObject({ kind: 'no_price', refused: 5, users: 1 });
    expect((await read('gpt-4o-mini')).refused).toEqual([{ code: 'no_channel', count: 11, users: 2 }]);
  });

  test('a name that nothing is known of has an empty page', async () => {
    const page = await read('nobody/knows-it');
    expect(page).toMatchObject({ alert: null, channels: [], events: [], money: { used: 0, calls: 0 } });
  });
});
