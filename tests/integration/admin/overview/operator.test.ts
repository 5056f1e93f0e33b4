// The operator's day: every figure equals a sum of the test's own over the raw rows, to the unit, and the parts add up.
import { beforeAll, expect, test } from 'bun:test';
import {
  OVERVIEW_DAYS,
  type OperatorOverview,
  type OverviewDay,
  type OverviewMoney,
} from '#contract/admin/overview.ts';
import { SETTING_KEYS, SETTINGS, type Settings } from '#contract/settings.ts';
import { createOverviewHandlers } from '#server/admin/overview/index.ts';
import { OURS, STRANGERS } from '#server/admin/overview/refusals.ts';
import type { RequestContext } from '#server/admin/context.ts';
import { recentMargins, sumMarginSpans } from '#server/admin/margins/index.ts';
import { relayErrors } from '#server/relay/errors/relay-error.ts';
import type { Store } from '#server/platform/store/store.ts';
import { databaseLabels, databaseSource, forEachDatabase } from '#tests/support/databases.ts';
import { randomSource } from '#tests/support/sequence.ts';

const DAY = 86_400;
const HOUR = 3600;
/** 2026-11-13 17:42 UTC. */
const NOW = 1_794_591_720;
const TODAY = NOW - (NOW % DAY);
const MONTH = Date.UTC(2026, 10, 1) / 1000;
const dayText = (second: number) => new Date(second * 1000).toISOString().slice(0, 10);
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

interface Charge {
  day: number;
  channel_id: number;
  quota: number;
  /** Undefined: unknown. */
  cost: number | undefined;
}
interface Payment {
  paid_at: number;
  currency: string;
  amount_minor: number;
  status: 'paid' | 'refunded' | 'pending';
}

forEachDatabase((_label, open) => {
  let store: Store;
  const charges: Charge[] = [];
  const payments: Payment[] = [];
  const fees: { day: number; channel_id: number; fee: number }[] = [];
  const channels = [1, 2, 3, 4];
  let read: (day: OverviewDay) => Promise<OperatorOverview>;

  beforeAll(async () => {
    store = await open();
    const { db } = store;
    const below = randomSource(32);
    const defaults = Object.fromEntries(SETTING_KEYS.map((key) => [key, SETTINGS[key].fallback]));
    const settings = { current: defaults as unknown as Settings };
    const margins = recentMargins({ store, settings });
    const handlers = createOverviewHandlers({ store, settings, margins, now: () => NOW });
    read = async (day) =>
      await handlers.operator({ params: undefined, query: { day }, body: undefined }, {} as RequestContext);
    for (const id of channels)
      await db
        .insertInto('channels')
        .values({
          id,
          name: `channel-${id}`,
          type: 1,
          tag: null,
          deleted_at: null,
          status: id === 4 ? 3 : 1,
          other_info: id === 4 ? '{"status_time":77}' : '',
        })
        .execute();
    for (let at = 0; at < 300; at += 1) {
      const channel_id = channels[below(4)] ?? 1;
      const quota = below(100_000);
      // Of channel 3 no cost is known; some calls of the others cost more than they brought.
      const cost = channel_id === 3 || below(10) === 0 ? undefined : below(110_000);
      const charge = { day: TODAY - below(40) * DAY, channel_id, quota, cost };
      charges.push(charge);
      await db
        .insertInto('margin_days')
        .values({
          day: charge.day,
          channel_id,
          model_name: 'm',
          group: 'default',
          user_id: at,
          count: 1,
          quota,
          ...(cost === undefined ? {} : { cost, costed_count: 1, costed_quota: quota }),
        })
        .execute();
    }
    for (let day = TODAY - 20 * DAY; day <= TODAY; day += DAY) {
      const fee = { day, channel_id: 2, fee: 1000 + below(500) };
      fees.push(fee);
      await db.insertInto('channel_fees').values(fee).execute();
    }
    for (let at = 0; at < 80; at += 1) {
      const status = (['paid', 'paid', 'refunded', 'pending'] as const)[below(4)] ?? 'paid';
      const payment = {
        paid_at: status === 'pending' ? 0 : NOW - below(40 * DAY),
        currency: below(3) === 0 ? 'USD' : 'CNY',
        amount_minor: 100 + below(50_000),
        status,
      };
      payments.push(payment);
      await db
        .insertInto('orders')
        .values({
          ...payment,
          trade_no: `T${at}`,
          user_id: 9,
          provider: 'epay',
          quota: payment.amount_minor,
          created_at: NOW - 50 * DAY,
        })
        .execute();
    }
    // Some past days are read from their sums, the others from the days themselves.
    await sumMarginSpans({ store, now: () => NOW - 5 * DAY }, async () => true);
  });

  const spans: Record<OverviewDay, readonly [number, number]> = {
    today: [TODAY, TODAY],
    yesterday: [TODAY - DAY, TODAY - DAY],
    month: [MONTH, TODAY],
  };

  function moneyOf(first: number, last: number): OverviewMoney {
    const calls = charges.filter(({ day }) => day >= first && day <= last);
    const known = calls.filter(({ cost }) => cost !== undefined);
    const ofDays = sum(fees.filter(({ day }) => day >= first && day <= last).map(({ fee }) => fee));
    const used = sum(calls.map(({ quota }) => quota));
    const unknown = used - sum(known.map(({ quota }) => quota));
    const cost = sum(known.map((each) => each.cost ?? 0)) + ofDays;
    return { used, cost, fees: ofDays, margin: used - unknown - cost, unknown };
  }
  const cameIn = (first: number, last: number) =>
    ['CNY', 'USD'].flatMap((currency) => {
      const of = payments.filter(
        (each) =>
          each.currency === currency &&
          each.status !== 'pending' &&
          each.paid_at >= first &&
          each.paid_at < last + DAY,
      );
      return of.length === 0
        ? []
        : [
            {
              currency,
              digits: 2,
              amount_minor: sum(of.map(({ amount_minor }) => amount_minor)),
              orders: of.length,
            },
          ];
    });

  test.each(OVERVIEW_DAYS)('the money of %s adds up and is the sum of its rows', async (day) => {
    const [first, last] = spans[day];
    const view = await read(day);
    expect([view.from, view.to, view.start, view.end]).toEqual([
      dayText(first),
      dayText(last),
      first,
      last + DAY,
    ]);
    const { used, cost, fees: ofDays, margin, unknown, came_in } = view.money;
    expect({ used, cost, fees: ofDays, margin, unknown }).toEqual(moneyOf(first, last));
    expect(used).toBe(cost + margin + unknown);
    expect(used).toBeGreaterThan(0);
    expect(came_in).toEqual(cameIn(first, last));
  });

  test('the channels behind the margin sum to it, and those of unknown cost to the rest', async () => {
    const { money, margin_channels, unknown_channels } = await read('month');
    expect(sum(margin_channels.map(({ used }) => used))).toBe(money.used - money.unknown);
    expect(sum(margin_channels.map(({ cost }) => cost))).toBe(money.cost);
    expect(sum(margin_channels.map(({ margin }) => margin))).toBe(money.margin);
    for (const { used, cost, margin } of margin_channels) expect(used - cost).toBe(margin);
    expect(margin_channels.map(({ id }) => id).sort()).toEqual([1, 2, 4]);
    expect(sum(unknown_channels.map(({ used }) => used))).toBe(money.unknown);
    expect(unknown_channels[0]).toMatchObject({ id: 3, name: 'channel-3' });
    const margins = margin_channels.map(({ margin }) => margin);
    expect(margins).toEqual(margins.toSorted((left, right) => right - left));
  });

  test('the month by day is the same money once more', async () => {
    const { month } = await read('today');
    expect(month.days.map(({ day }) => day)).toEqual(
      Array.from({ length: (TODAY - MONTH) / DAY + 1 }, (_, at) => dayText(MONTH + at * DAY)),
    );
    for (const { day, came_in, ...money } of month.days) {
      const at = Date.parse(day) / 1000;
      expect([day, money, came_in]).toEqual([day, moneyOf(at, at), cameIn(at, at)]);
    }
    const { came_in, ...total } = month.total;
    expect(total).toEqual(moneyOf(MONTH, TODAY));
    expect(came_in).toEqual(cameIn(MONTH, TODAY));
    const largest = payments
      .filter(({ status, paid_at }) => status !== 'pending' && paid_at >= MONTH)
      .toSorted((left, right) => right.amount_minor - left.amount_minor)[0];
    expect(month.largest).toMatchObject({ amount_minor: largest?.amount_minor, currency: largest?.currency });
  });

  test('what was paid back on the day, without refunds that are pending or have failed', async () => {
    const orderOf = (currency: string) =>
      store.db
        .selectFrom('orders')
        .select('id')
        .where('currency', '=', currency)
        .limit(1)
        .executeTakeFirstOrThrow();
    const [yuan, dollars] = [(await orderOf('CNY')).id, (await orderOf('USD')).id];
    const refunds = [
      { order_id: yuan, amount_minor: 300, status: 'done', created_at: TODAY },
      { order_id: yuan, amount_minor: 40, status: 'done', created_at: NOW },
      { order_id: yuan, amount_minor: 5000, status: 'pending', created_at: NOW },
      { order_id: yuan, amount_minor: 60_000, status: 'failed', created_at: NOW },
      { order_id: dollars, amount_minor: 7, status: 'done', created_at: NOW },
      { order_id: dollars, amount_minor: 800, status: 'done', created_at: TODAY - 1 },
    ] as const;
    const whole = { user_id: 9, quota: 1, reason: '', actor_id: 0 };
    const rows = refunds.map((refund, at) => ({ ...whole, ...refund, request_id: `refund-${at}` }));
    await store.db.insertInto('refunds').values(rows).execute();
    expect((await read('today')).money.refunded).toEqual([
      { currency: 'CNY', digits: 2, amount_minor: 340, orders: 2 },
      { currency: 'USD', digits: 2, amount_minor: 7, orders: 1 },
    ]);
    expect((await read('yesterday')).money.refunded).toEqual([
      { currency: 'USD', digits: 2, amount_minor: 800, orders: 1 },
    ]);
  });

  test('what is owed: balances of users who are no operators, at the pace of seven whole days', async () => {
    const user = (username: string, role: number, quota: number, deleted_at: number | null = null) =>
      store.db
        .insertInto('users')
        .values({ username, aff_code: username, role, quota, access_token_digest: null, deleted_at })
        .execute();
    await user('a', 1, 700_001);
    await user('b', 1, 300_000);
    await user('empty', 1, 0);
    await user('gone', 1, 5, 7);
    await user('operator', 10, 9_000_000);
    const used = moneyOf(TODAY - 7 * DAY, TODAY - DAY).used;
    expect((await read('today')).owed).toEqual({
      quota: 1_000_001,
      users: 2,
      per_day: Math.round(used / 7),
      days: Math.floor((1_000_001 * 7) / used),
    });
  });

  test('refusals of 24 hours by whose they are to fix, without strangers', async () => {
    const row = { group: 'default', model_name: 'opus', token_id: 1 };
    await store.db
      .insertInto('refused_calls')
      .values([
        { ...row, minute: NOW - 60, user_id: 1, code: 'no_channel', count: 30 },
        { ...row, minute: NOW - 120, user_id: 2, token_id: 2, code: 'no_channel', count: 11 },
        { ...row, minute: NOW - 60, user_id: 1, code: 'no_channel', model_name: 'nano', count: 2 },
        { ...row, minute: NOW - 60, user_id: 1, code: 'insufficient_quota', count: 96 },
        { ...row, minute: NOW - 60, user_id: 0, token_id: 0, code: 'invalid_api_key', count: 5000 },
        { ...row, minute: NOW - 2 * DAY, user_id: 1, code: 'no_price', count: 7 },
      ])
      .execute();
    const hour = NOW - (NOW % HOUR);
    const use = { user_id: 1, token_id: 1, channel_id: 1, model_name: 'm', quota: 1 };
    await store.db
      .insertInto('usage_hours')
      .values([
        { ...use, hour, count: 5, error_count: 1 },
        { ...use, hour: hour - 10 * HOUR, count: 100, error_count: 2 },
        { ...use, hour: hour - 30 * HOUR, count: 1000, error_count: 0 },
      ])
      .execute();
    const { refused } = await read('today');
    expect(refused.ours).toEqual([
      { code: 'no_channel', count: 43, users: 2, keys: 2, models: ['opus', 'nano'] },
    ]);
    expect(refused.callers).toEqual([
      { code: 'insufficient_quota', count: 96, users: 1, keys: 1, models: [] },
    ]);
    expect([refused.total, refused.calls]).toEqual([139, 139 + 108]);
    // The same when finished hours are read from their sums.
    await store.db
      .insertInto('usage_rollup')
      .values({
        scope: 0,
        key: '',
        hour: hour - 10 * HOUR,
        count: 100,
        error_count: 2,
        quota: 1,
        prompt_tokens: 0,
        completion_tokens: 0,
      })
      .execute();
    expect((await read('today')).refused.calls).toBe(139 + 108);
  });

  test('channels with 24 posts: those that are off first, then by calls', async () => {
    const hour = NOW - (NOW % HOUR);
    await store.db
      .insertInto('channel_hours')
      .values([
        { channel_id: 1, hour, attempts: 10, failures: 3, first_4: 7 },
        { channel_id: 2, hour: hour - 23 * HOUR, attempts: 40, failures: 0, first_4: 0 },
        { channel_id: 2, hour: hour - 24 * HOUR, attempts: 500, failures: 0, first_4: 0 },
      ])
      .execute();
    const view = await read('today');
    expect(view.channels.map(({ id }) => id)).toEqual([4, 2, 1, 3]);
    expect([view.channel_count, view.posts_start]).toEqual([4, hour - 23 * HOUR]);
    expect(view.channels[0]).toMatchObject({ off_since: 77, status: 3, calls: 0 });
    const [, second, third] = view.channels;
    expect(second?.posts[0]).toEqual({ calls: 40, failures: 0 });
    expect([second?.calls, second?.posts.length]).toEqual([40, 24]);
    expect(third).toMatchObject({ calls: 7, failures: 3, first_token_p50: 640 });
    expect(third?.posts[23]).toEqual({ calls: 7, failures: 3 });
  });
});

test.each(databaseLabels)(
  '%s: a payment counts on its day of the site, also on the first of a month and in a zone of half hours (M21)',
  async (label) => {
    const source = databaseSource(label);
    const store = await source.open();
    // The first of December, 12:00 there.
    const now = Date.parse('2026-12-01T12:00:00+05:30') / 1000;
    const defaults = Object.fromEntries(SETTING_KEYS.map((key) => [key, SETTINGS[key].fallback]));
    const settings = { current: { ...defaults, SiteTimeZone: 'Asia/Kolkata' } as unknown as Settings };
    const dependencies = { store, settings, now: () => now };
    const handlers = createOverviewHandlers({
      ...dependencies,
      margins: recentMargins(dependencies),
    });
    for (const [at, [time, amount_minor]] of [
      ['2026-11-29T23:59:59', 1],
      ['2026-11-30T00:00:00', 20],
      ['2026-11-30T23:59:59', 300],
      ['2026-12-01T00:00:00', 4000],
      ['2026-12-01T00:29:59', 50_000],
    ].entries() as Iterable<[number, [string, number]]>) {
      const paid_at = Date.parse(`${time}+05:30`) / 1000;
      const order = { user_id: 9, provider: 'epay', currency: 'CNY', amount_minor, quota: 1, created_at: 1 };
      const { id } = await store.db
        .insertInto('orders')
        .values({ ...order, trade_no: `K${at}`, status: 'paid', paid_at })
        .returning('id')
        .executeTakeFirstOrThrow();
      const refund = { order_id: id, user_id: 9, amount_minor, quota: 1, created_at: paid_at };
      await store.db
        .insertInto('refunds')
        .values({ ...refund, request_id: `K${at}`, status: 'done' })
        .execute();
    }
    const read = (day: OverviewDay) =>
      handlers.operator({ params: undefined, query: { day }, body: undefined }, {} as RequestContext);
    const amounts = (sums: readonly { amount_minor: number }[]) => sums.map((each) => each.amount_minor);
    for (const [day, expected] of [
      ['yesterday', 320],
      ['today', 54_000],
      ['month', 54_000],
    ] as const) {
      const { money, month } = await read(day);
      expect([day, amounts(money.came_in), amounts(money.refunded)]).toEqual([day, [expected], [expected]]);
      expect(month.days.map((each) => [each.day, amounts(each.came_in)])).toEqual([['2026-12-01', [54_000]]]);
      expect([amounts(month.total.came_in), month.largest?.amount_minor]).toEqual([[54_000], 4000]);
    }
    await source.closeAll();
  },
);

test('every cause that is named is an error of the relay, and none is named twice', () => {
  for (const code of [...OURS, ...STRANGERS]) expect(Object.keys(relayErrors)).toContain(code);
  expect([...OURS].filter((code) => STRANGERS.has(code))).toEqual([]);
});
