// The page of a supplier: its channels' money adds up to the report of margins, attempts to the hourly counts, and a short balance
// or a channel that switched itself off is said.
import { beforeAll, expect, test } from 'bun:test';
import { SETTING_KEYS, SETTINGS, type Settings } from '#contract/settings.ts';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { channelTypes } from '#server/admin/channels/index.ts';
import type { RequestContext } from '#server/admin/context.ts';
import { recentMargins } from '#server/admin/margins/index.ts';
import { createSupplierPageHandlers } from '#server/admin/supplier-pages/index.ts';
import type { Store } from '#server/platform/store/store.ts';
import { addChannel } from '#tests/support/channels.ts';
import { forEachDatabase } from '#tests/support/databases.ts';

const DAY = 86_400;
const HOUR = 3600;
/** 2026-11-13 17:42 UTC. */
const NOW = 1_794_591_720;
const TODAY = NOW - (NOW % DAY);
const LAST_HOUR = NOW - (NOW % HOUR);
const UNIT = 500_000;

forEachDatabase((_label, open) => {
  let store: Store;
  let supplier: number;
  let one: number;
  let two: number;
  let read: (id: number) => ReturnType<ReturnType<typeof createSupplierPageHandlers>['read']>;

  beforeAll(async () => {
    store = await open();
    const { db } = store;
    const current = Object.fromEntries(
      SETTING_KEYS.map((key) => [key, SETTINGS[key].fallback]),
    ) as unknown as Settings;
    const handlers = createSupplierPageHandlers({
      store,
      settings: { current },
      types: channelTypes,
      margins: recentMargins({ store, settings: { current } }),
      now: () => NOW,
    });
    read = (id) =>
      handlers.read({ params: { id }, query: { window: '24h' }, body: undefined }, {} as RequestContext);
    ({ id: supplier } = await db
      .insertInto('suppliers')
      .values({
        name: 'Northwind',
        buy_price: '{"kind":"list","multiplier":0.8,"recharge_rate":0.5}',
        created_at: 1,
      })
      .returning('id')
      .executeTakeFirstOrThrow());
    const wish = { base_url: 'http://127.0.0.1:9', models: ['gpt-4o'], type: CHANNEL_TYPE.openAi };
    one = await addChannel(store, {
      ...wish,
      name: 'one',
      fields: { supplier_id: supplier, balance: 6, balance_updated_time: NOW - HOUR },
    });
    two = await addChannel(store, { ...wish, name: 'two', fields: { supplier_id: supplier } });
    const stranger = await addChannel(store, { ...wish, name: 'stranger' });
    const charge = { model_name: 'gpt-4o', group: 'default', user_id: 1, count: 1 };
    await db
      .insertInto('margin_days')
      .values([
        // A dollar a day was paid for the week before today: two dollars of credit a day.
        ...[1, 2, 3, 4, 5, 6, 7].map((back) => ({
          ...charge,
          day: TODAY - back * DAY,
          channel_id: one,
          quota: 2 * UNIT,
          cost: UNIT,
          costed_count: 1,
          costed_quota: 2 * UNIT,
        })),
        { ...charge, day: TODAY, channel_id: two, quota: 300, cost: 0, costed_count: 0, costed_quota: 0 },
        {
          ...charge,
          day: TODAY,
          channel_id: stranger,
          quota: 999,
          cost: 9,
          costed_count: 1,
          costed_quota: 999,
        },
      ])
      .execute();
    await db.insertInto('channel_fees').values({ day: TODAY, channel_id: two, fee: 70 }).execute();
    const hour = { broken: 0, first_4: 0 };
    await db
      .insertInto('channel_hours')
      .values([
        { ...hour, channel_id: one, hour: LAST_HOUR, attempts: 10, failures: 1 },
        { ...hour, channel_id: two, hour: LAST_HOUR, attempts: 5, failures: 0 },
        { ...hour, channel_id: stranger, hour: LAST_HOUR, attempts: 99, failures: 99 },
      ])
      .execute();
  });

  test('money and attempts are those of its channels only, and the parts add up', async () => {
    const page = await read(supplier);
    // Six of the seven days are in the week that ends today.
    expect(page.money).toMatchObject({
      used: 12 * UNIT + 300,
      cost: 6 * UNIT + 70,
      fees: 70,
      margin: 6 * UNIT - 70,
      unknown: 300,
    });
    expect(page.money.used).toBe(page.money.cost + page.money.margin + page.money.unknown);
    for (const key of ['used', 'cost', 'margin', 'unknown', 'fees', 'calls'] as const)
      expect(page.channels.reduce((sum, channel) => sum + channel[key], 0)).toBe(page.money[key]);
    expect(page.calls).toMatchObject({ answered: 14, failed: 1 });
    expect(page.channels.map(({ name }) => name)).toEqual(['one', 'two']);
  });

  test('a balance of less than four days is said, in credit at the supplier; a channel that is off comes first', async () => {
    const page = await read(supplier);
    expect(page.channels[0]).toMatchObject({ balance: 6, balance_days: 3 });
    expect(page.channels[1]).toMatchObject({ balance: null, balance_days: null });
    expect(page.alert).toEqual({ kind: 'balance', channels: [{ id: one, name: 'one' }], days: 3 });
    await store.db.updateTable('channels').set({ status: 3 }).where('id', '=', two).execute();
    expect((await read(supplier)).alert).toEqual({
      kind: 'off',
      channels: [{ id: two, name: 'two' }],
      days: 0,
    });
  });

  test('a supplier that is not there is a 404', async () => {
    const refusal = await Promise.resolve(read(999_999)).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'not_found' });
  });
});
