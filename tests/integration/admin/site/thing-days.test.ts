// The money of the pages of things, what is sold below cost and the pace of a balance are of the site's days, also between midnight
// there and midnight of UTC. A mistake of a day is found by figures that are powers of two: a sum says which calls it has.
import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { SETTING_KEYS, SETTINGS, type Settings } from '#contract/settings.ts';
import { checkBalances } from '#server/admin/attention/balances.ts';
import { checkMargins } from '#server/admin/attention/margins.ts';
import type { AttentionDependencies } from '#server/admin/attention/dependencies.ts';
import { channelTypes } from '#server/admin/channels/index.ts';
import { createChannelPageHandlers } from '#server/admin/channels/page/index.ts';
import type { RequestContext } from '#server/admin/context.ts';
import { alertNegativeMargins, offerMargins, recentMargins } from '#server/admin/margins/index.ts';
import { createModelHandlers } from '#server/admin/models/index.ts';
import { createSupplierPageHandlers } from '#server/admin/supplier-pages/index.ts';
import { builtInPrice } from '#server/money/prices/price-list/index.ts';
import { resolvePrice } from '#server/money/prices/price.ts';
import type { Store } from '#server/platform/store/store.ts';
import { addChannel } from '#tests/support/channels.ts';
import { forEachDatabase } from '#tests/support/databases.ts';

setDefaultTimeout(60_000);

const DAY = 86_400;
const UNIT = 500_000;
const at = (text: string) => Date.parse(text) / 1000;
const context = {} as RequestContext;

/** Each clock stands where the site has another date than UTC. */
const CASES = [
  { zone: 'Asia/Shanghai', offset: '+08:00', today: '2026-11-14', clock: '02:30:00' },
  { zone: 'America/New_York', offset: '-05:00', today: '2026-11-13', clock: '21:30:00' },
] as const;

describe.each(CASES)('$zone', ({ zone, offset, today, clock }) => {
  const now = at(`${today}T${clock}${offset}`);
  const midnight = at(`${today}T00:00:00${offset}`);
  /** Quota of a call, by its time. */
  const calls: [time: number, quota: number][] = [
    [midnight - 7 * DAY - 60, 1],
    [midnight - 7 * DAY + 60, 2],
    [midnight - 6 * DAY - 60, 4],
    [midnight - 6 * DAY + 60, 8],
    [midnight - 60, 16],
    [midnight + 60, 32],
    [now - 60, 64],
  ];
  const WEEK = 8 + 16 + 32 + 64;
  const PACE = 2 + 4 + 8 + 16;

  forEachDatabase((_label, open) => {
    let store: Store;
    let channel: number;
    let supplier: number;
    const settings = {
      current: {
        ...Object.fromEntries(SETTING_KEYS.map((key) => [key, SETTINGS[key].fallback])),
        SiteTimeZone: zone,
        QuotaPerUnit: UNIT,
        MarginAlertDays: 1,
        MarginAlertLoss: 0.5,
      } as unknown as Settings,
    };
    const parts = () => ({ store, settings, margins: recentMargins({ store, settings }), now: () => now });
    const attention = () =>
      ({
        ...parts(),
        offerMargins: (lastDays) => offerMargins({ store, settings }, lastDays),
      }) satisfies Partial<AttentionDependencies> as unknown as AttentionDependencies;

    async function charge(time: number, quota: number, cost: number, model = 'm'): Promise<void> {
      const call = { channel_id: channel, model_name: model, group: 'default', user_id: 1 };
      await store.db
        .insertInto('logs')
        .values({ ...call, type: 2, created_at: time, quota, cost })
        .execute();
      const figures = { count: 1, quota, cost, costed_count: 1, costed_quota: quota };
      await store.db
        .insertInto('margin_days')
        .values({ ...call, ...figures, day: time - (time % DAY) })
        .onConflict((conflict) =>
          conflict.columns(['day', 'channel_id', 'model_name', 'group', 'user_id']).doUpdateSet((eb) => ({
            count: eb('margin_days.count', '+', 1),
            quota: eb('margin_days.quota', '+', quota),
            cost: eb('margin_days.cost', '+', cost),
            costed_count: eb('margin_days.costed_count', '+', 1),
            costed_quota: eb('margin_days.costed_quota', '+', quota),
          })),
        )
        .execute();
    }

    beforeAll(async () => {
      store = await open();
      ({ id: supplier } = await store.db
        .insertInto('suppliers')
        .values({ name: 'Northwind', buy_price: '', created_at: 1 })
        .returning('id')
        .executeTakeFirstOrThrow());
      channel = await addChannel(store, {
        base_url: 'http://127.0.0.1:9',
        models: ['m'],
        name: 'one',
        type: CHANNEL_TYPE.openAi,
        fields: { supplier_id: supplier, balance: 3 * PACE, balance_updated_time: now - 60 },
      });
      for (const [time, quota] of calls) await charge(time, quota * UNIT, quota * UNIT);
    });

    test('the money of a channel, a model and a supplier is of the last seven days there, and says so', async () => {
      const handlers = {
        channels: createChannelPageHandlers({
          ...parts(),
          types: channelTypes,
          checkAddress: async () => {},
          isPasswordOf: async () => false,
          upstreamModel: (_mapping, model) => model,
        }),
        models: createModelHandlers({
          ...parts(),
          priceOf: (model, group) => resolvePrice(settings.current, builtInPrice, model, group),
          upstreamModel: (_mapping, model) => model,
        }),
        suppliers: createSupplierPageHandlers({ ...parts(), types: channelTypes }),
      };
      const query = { window: '24h' as const };
      const body = undefined;
      const pages = [
        await handlers.channels.read({ params: { id: channel }, query, body }, context),
        await handlers.models.read({ params: undefined, query: { ...query, name: 'm' }, body }, context),
        await handlers.suppliers.read({ params: { id: supplier }, query, body }, context),
      ];
      const from = new Date(Date.parse(today) - 6 * DAY * 1000).toISOString().slice(0, 10);
      for (const { money } of pages)
        expect(money).toMatchObject({ used: WEEK * UNIT, calls: 4, from, to: today, time_zone: zone });
      const list = await handlers.models.list({ params: undefined, query: undefined, body }, context);
      expect(list.rows[0]?.money.used).toBe(WEEK * UNIT);
    });

    test('a balance lasts by the pace of the seven whole days before', async () => {
      const page = await createSupplierPageHandlers({ ...parts(), types: channelTypes }).read(
        { params: { id: supplier }, query: { window: '24h' }, body: undefined },
        context,
      );
      // Three weeks of the pace.
      expect(page.channels[0]?.balance_days).toBe(21);
      await store.db
        .updateTable('channels')
        .set({ balance: PACE / 7 })
        .where('id', '=', channel)
        .execute();
      expect(await checkBalances(attention())).toMatchObject([{ values: { days: 1, day_amount: PACE / 7 } }]);
    });

    test('what is sold below cost is summed from midnight to midnight there', async () => {
      expect(await checkMargins(attention())).toEqual([]);
      // Half of the loss is before midnight: neither day lost more than a dollar.
      await charge(midnight - 120, 0, 0.6 * UNIT);
      await charge(midnight + 120, 0, 0.6 * UNIT);
      expect(await checkMargins(attention())).toEqual([]);
      await charge(midnight + 180, 0, 0.6 * UNIT);
      expect(await checkMargins(attention())).toMatchObject([
        { kind: 'sold_below_cost', since: midnight, values: { loss_quota: 1.2 * UNIT, channel_id: channel } },
      ]);
      await charge(now - 30, UNIT, 0);
      expect(await checkMargins(attention())).toEqual([]);
    });

    test('the notice of a loss counts the days there, and is raised once on each', async () => {
      await charge(midnight - 240, 0, UNIT, 'lost-yesterday');
      await charge(midnight + 240, UNIT, 2 * UNIT, 'lost-today');
      const raise = async (time: number) => await alertNegativeMargins({ store, settings, now: () => time });
      expect(await raise(now)).toBe(1);
      expect(await raise(now)).toBe(0);
      const notices = await store.db.selectFrom('notices').select(['once_key', 'details']).execute();
      expect(notices.map(({ once_key: key }) => key)).toEqual([
        `negative_margin:${channel}:${today}:lost-today`,
      ]);
      expect(JSON.parse(notices[0]?.details ?? '')).toMatchObject({ revenue: UNIT, cost: 2 * UNIT, days: 1 });
    });
  });
});
