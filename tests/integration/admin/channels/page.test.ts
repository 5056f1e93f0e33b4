// The page of a channel: every figure equals a sum of the test's own over the raw rows, the parts of the money add up, failures
// are grouped by the upstream's words, and nothing of the answer is a key.
import { beforeAll, expect, test } from 'bun:test';
import type { ChannelPage } from '#contract/admin/channel-page.ts';
import { SETTING_KEYS, SETTINGS, type Settings } from '#contract/settings.ts';
import { windowSpan, type ThingWindow } from '#contract/thing-window.ts';
import { channelTypes } from '#server/admin/channels/index.ts';
import { createChannelPageHandlers } from '#server/admin/channels/page/index.ts';
import type { RequestContext } from '#server/admin/context.ts';
import { recentMargins } from '#server/admin/margins/index.ts';
import type { Store } from '#server/platform/store/store.ts';
import { addChannel } from '#tests/support/channels.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { randomSource } from '#tests/support/sequence.ts';

const DAY = 86_400;
const HOUR = 3600;
/** 2026-11-13 17:42 UTC. */
const NOW = 1_794_591_720;
const TODAY = NOW - (NOW % DAY);
const OFF_AT = NOW - 3 * HOUR;
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

interface Charge {
  day: number;
  channel_id: number;
  model: string;
  quota: number;
  /** Undefined: unknown. */
  cost: number | undefined;
}

forEachDatabase((_label, open) => {
  let store: Store;
  let one: number;
  let other: number;
  const charges: Charge[] = [];
  const fees: { day: number; channel_id: number; fee: number }[] = [];
  const hours: { channel_id: number; hour: number; attempts: number; failures: number }[] = [];
  let read: (id: number, window?: ThingWindow) => Promise<ChannelPage>;

  beforeAll(async () => {
    store = await open();
    const { db } = store;
    const below = randomSource(32);
    const settings = {
      current: Object.fromEntries(SETTING_KEYS.map((key) => [key, SETTINGS[key].fallback])),
    } as unknown as { current: Settings };
    const handlers = createChannelPageHandlers({
      store,
      settings,
      types: channelTypes,
      checkAddress: async () => {},
      isPasswordOf: async () => false,
      upstreamModel: (_mapping, model) => model,
      margins: recentMargins({ store, settings }),
      now: () => NOW,
    });
    read = async (id, window = '24h') =>
      await handlers.read({ params: { id }, query: { window }, body: undefined }, {} as RequestContext);
    const supplier = await db
      .insertInto('suppliers')
      .values({ name: 'Northwind', buy_price: '{"kind":"list","multiplier":0.8}', created_at: 1 })
      .returning('id')
      .executeTakeFirstOrThrow();
    one = await addChannel(store, {
      base_url: 'http://127.0.0.1:9',
      models: ['gpt-4o', 'lonely-1'],
      name: 'reserve',
      key: 'sk-never-shown-anywhere',
      priority: 5,
      weight: 10,
      fields: {
        supplier_id: supplier.id,
        status: 3,
        created_time: NOW - 40 * DAY,
        other_info: JSON.stringify({
          status_reason: 'status 401',
          status_words: 'invalid x-api-key',
          status_time: OFF_AT,
        }),
      },
    });
    other = await addChannel(store, {
      base_url: 'http://127.0.0.1:9',
      models: ['gpt-4o'],
      name: 'direct',
      priority: 5,
      weight: 30,
    });
    await addChannel(store, {
      base_url: 'http://127.0.0.1:9',
      models: ['gpt-4o'],
      name: 'late',
      priority: 1,
    });
    for (let at = 0; at < 200; at += 1) {
      const channel_id = below(2) === 0 ? one : other;
      const model = below(3) === 0 ? 'lonely-1' : 'gpt-4o';
      const quota = below(100_000);
      const cost = below(5) === 0 ? undefined : below(110_000);
      const charge = { day: TODAY - below(40) * DAY, channel_id, model, quota, cost };
      charges.push(charge);
      await db
        .insertInto('margin_days')
        .values({
          day: charge.day,
          channel_id,
          model_name: model,
          group: 'default',
          user_id: at,
          count: 1,
          quota,
          ...(cost === undefined ? {} : { cost, costed_count: 1, costed_quota: quota }),
        })
        .execute();
    }
    for (let day = TODAY - 20 * DAY; day <= TODAY; day += DAY) {
      const fee = { day, channel_id: one, fee: 1000 + below(500) };
      fees.push(fee);
      await db.insertInto('channel_fees').values(fee).execute();
    }
    const lastHour = NOW - (NOW % HOUR);
    for (let back = 0; back < 24 * 61; back += 5) {
      const attempts = 2 + below(50);
      const row = {
        channel_id: one,
        hour: lastHour - back * HOUR,
        attempts,
        failures: 1 + below(attempts - 1),
      };
      hours.push(row);
      await db.insertInto('channel_hours').values(row).execute();
    }
    const failed = (attempts: object[]) => JSON.stringify({ admin_info: { attempts } });
    const refusal = { channel: one, status: 401, milliseconds: 5, error: 'status 401: invalid x-api-key' };
    const overloaded = {
      channel: one,
      status: 529,
      milliseconds: 5,
      error: 'status 529: Overloaded req_011CVB8nT4yKq',
    };
    const log = {
      user_id: 7,
      username: 'northstar',
      model_name: 'gpt-4o',
      channel_name: 'reserve',
      content: '',
    };
    await db
      .insertInto('logs')
      .values([
        ...[1, 2, 3].map((at) => ({
          ...log,
          type: 5,
          channel_id: one,
          created_at: OFF_AT - at,
          request_id: `refused-${at}`,
          other: failed([refusal]),
        })),
        // Answered by the other channel; their ids differ, their words do not.
        ...[1, 2].map((at) => ({
          ...log,
          type: 2,
          channel_id: other,
          channel_name: 'direct',
          created_at: lastHour - 5 * HOUR * at + 60,
          request_id: `saved-${at}`,
          other: failed([
            { ...overloaded, error: `${overloaded.error}${at}` },
            { channel: other, status: 200, milliseconds: 9 },
          ]),
        })),
        // Failed on both: only one attempt is this channel's.
        {
          ...log,
          type: 5,
          channel_id: other,
          channel_name: 'direct',
          created_at: lastHour - 5 * HOUR + 90,
          request_id: 'both',
          other: failed([
            { ...overloaded, error: `${overloaded.error}3` },
            { channel: other, status: 500, milliseconds: 9, error: 'status 500: no' },
          ]),
        },
        // Of another channel alone.
        {
          ...log,
          type: 5,
          channel_id: other,
          channel_name: 'direct',
          created_at: lastHour + 30,
          request_id: 'foreign',
          other: failed([{ channel: other, status: 500, milliseconds: 1, error: 'status 500: no' }]),
        },
      ])
      .execute();
    await db
      .insertInto('usage_hours')
      .values({
        hour: OFF_AT - (OFF_AT % HOUR),
        user_id: 7,
        token_id: 1,
        channel_id: one,
        model_name: 'gpt-4o',
        count: 4,
        error_count: 3,
        completion_tokens: 700,
        use_time_ms: 12_000,
        first_token_ms: 2000,
      })
      .execute();
    await db
      .insertInto('refused_calls')
      .values([
        {
          minute: OFF_AT - (OFF_AT % 60) + 60,
          user_id: 7,
          token_id: 1,
          code: 'no_channel',
          group: 'default',
          model_name: 'lonely-1',
          count: 40,
        },
        {
          minute: OFF_AT - (OFF_AT % 60) + 120,
          user_id: 8,
          token_id: 2,
          code: 'no_channel',
          group: 'default',
          model_name: 'lonely-1',
          count: 1,
        },
        {
          minute: OFF_AT - (OFF_AT % 60) - 600,
          user_id: 9,
          token_id: 3,
          code: 'no_channel',
          group: 'default',
          model_name: 'lonely-1',
          count: 500,
        },
      ])
      .execute();
    await db
      .insertInto('notices')
      .values([
        {
          created_at: OFF_AT,
          event: 'channel_disabled',
          user_id: 0,
          details: JSON.stringify({ channel_id: one, channel_name: 'reserve', reason: 'status 401' }),
          once_key: null,
          dispatched_at: 0,
        },
        {
          created_at: OFF_AT,
          event: 'channel_disabled',
          user_id: 0,
          details: JSON.stringify({ channel_id: other, channel_name: 'direct', reason: 'status 401' }),
          once_key: null,
          dispatched_at: 0,
        },
      ])
      .execute();
    const audited = { actor_id: 1, actor_name: 'root', action: 'channel.change', hash: 'h' };
    await db
      .insertInto('audit')
      .values([
        {
          ...audited,
          created_at: NOW - 9 * DAY,
          target: `channel:${one}`,
          before: '{"weight":20,"setting":"{}","key_hint":"aaaa"}',
          after: '{"weight":10,"setting":"{\\"proxy\\":\\"secret-proxy\\"}","key_hint":"bbbb"}',
        },
        {
          ...audited,
          created_at: NOW - 8 * DAY,
          action: 'channel.status',
          target: `channel:${one},${other}`,
          before: '',
          after: JSON.stringify({ ids: [one, other], status: 2 }),
        },
        {
          ...audited,
          created_at: NOW - 7 * DAY,
          target: `channel:${other}`,
          before: '{"weight":1}',
          after: '{"weight":2}',
        },
      ])
      .execute();
  });

  test.each(['24h', '7d', '30d'] as const)(
    'attempts of %s equal the hourly counts, post by post',
    async (window) => {
      const page = await read(one, window);
      const { start, end, step, count } = windowSpan(window, NOW);
      const within = (from: number, to: number) =>
        hours.filter(({ channel_id, hour }) => channel_id === one && hour >= from && hour < to);
      const failures = (rows: typeof hours) => sum(rows.map((row) => row.failures));
      const answered = (rows: typeof hours) => sum(rows.map((row) => row.attempts - row.failures));
      expect(page.calls.posts).toHaveLength(count);
      for (const post of page.calls.posts) {
        const rows = within(post.at, post.at + step);
        expect([post.answered, post.failed]).toEqual([answered(rows), failures(rows)]);
      }
      expect(page.calls.failed).toBe(failures(within(start, end)));
      expect(page.calls.answered).toBe(sum(page.calls.posts.map((post) => post.answered)));
      const before = within(start - (end - start), start);
      expect(page.calls.before).toEqual({ answered: answered(before), failed: failures(before) });
      expect(failures(within(start, end))).toBeGreaterThan(0);
    },
  );

  test.each(['24h', '7d', '30d'] as const)(
    'money of %s equals the charges, and used = cost + margin + unknown',
    async (window) => {
      const page = await read(one, window);
      const first = TODAY - (window === '30d' ? 29 : 6) * DAY;
      const own = charges.filter(({ channel_id, day }) => channel_id === one && day >= first);
      const fee = sum(fees.filter(({ day }) => day >= first).map((each) => each.fee));
      const known = own.filter(({ cost }) => cost !== undefined);
      expect(page.money).toMatchObject({
        used: sum(own.map(({ quota }) => quota)),
        cost: sum(known.map(({ cost = 0 }) => cost)) + fee,
        fees: fee,
        unknown: sum(own.filter(({ cost }) => cost === undefined).map(({ quota }) => quota)),
        calls: own.length,
      });
      const { money } = page;
      expect(money.used).toBe(money.cost + money.margin + money.unknown);
      for (const row of page.models) {
        expect(row.used).toBe(row.cost + row.margin + row.unknown);
        const of = own.filter(({ model }) => model === row.model);
        expect(row.used).toBe(sum(of.map(({ quota }) => quota)));
      }
      // The fees belong to no model.
      expect(sum(page.models.map(({ margin }) => margin)) - money.fees).toBe(money.margin);
    },
  );

  test('an off channel says since when, which models have no other, and whose calls were refused for it', async () => {
    const { alert, models, state_since } = await read(one);
    expect(alert).toEqual({
      kind: 'off',
      since: OFF_AT,
      reason: 'status 401',
      words: 'invalid x-api-key',
      only_models: ['lonely-1'],
      refused: 41,
      users: 2,
      is_key_fault: true,
      moved_to: [
        { id: other, name: 'direct' },
        { id: expect.any(Number) as number, name: 'late' },
      ],
    });
    expect(state_since).toBe(OFF_AT);
    expect(models.find(({ model }) => model === 'lonely-1')).toMatchObject({
      others: [],
      refused: 41,
      price: null,
    });
    expect(models.find(({ model }) => model === 'gpt-4o')?.others.map(({ name }) => name)).toEqual([
      'direct',
      'late',
    ]);
    expect((await read(other)).alert).toBeNull();
  });

  test('its place among the channels of its models, prices and cost prices', async () => {
    const page = await read(one);
    expect(page.priority_place).toEqual({ place: 1, of: 2 });
    expect(page.weight_share).toBe(0.25);
    expect(page.supplier?.name).toBe('Northwind');
    const { price, cost_price } = page.models.find(({ model }) => model === 'gpt-4o') ?? {};
    expect(price?.unit).toBe('tokens');
    expect(cost_price?.input).toBeCloseTo((price?.input ?? 0) * 0.8, 6);
    expect((await read(other)).models[0]?.cost_price).toBeNull();
  });

  test('failures are grouped by words, also those that another channel answered; others are left out', async () => {
    const { failures, calls } = await read(one);
    expect(failures.groups.map(({ status, count }) => [status, count])).toEqual([
      [401, 3],
      [529, 3],
    ]);
    const [refused, overloaded] = failures.groups;
    expect(refused).toMatchObject({
      words: 'status 401: invalid x-api-key',
      first_at: OFF_AT - 3,
      last_at: OFF_AT - 1,
      users: [{ id: 7, name: 'northstar', count: 3 }],
      models: [{ name: 'gpt-4o', count: 3 }],
      answered_by: [],
      request_ids: ['refused-1', 'refused-2', 'refused-3'],
    });
    expect(sum(refused?.posts ?? [])).toBe(3);
    expect(overloaded?.answered_by).toEqual([{ id: other, name: 'direct', count: 2 }]);
    expect(calls.failed_calls).toBe(3);
    expect(calls.speed).toBe(70);
  });

  test('events name who changed what, without values that may be secret, and only those of this channel', async () => {
    const page = await read(one);
    expect(page.events.map(({ kind }) => kind)).toEqual(['off', 'audit', 'audit']);
    expect(page.events[1]).toMatchObject({
      action: 'channel.status',
      actor: 'root',
      changes: [{ field: 'status', before: '', after: '2' }],
    });
    expect(page.events[2]).toMatchObject({
      changes: [
        { field: 'weight', before: '20', after: '10' },
        { field: 'setting', before: '', after: '' },
        { field: 'key_hint', before: 'aaaa', after: 'bbbb' },
      ],
    });
    expect(page.key_changed_at).toBe(NOW - 9 * DAY);
    const text = JSON.stringify(page);
    for (const secret of ['sk-never-shown', 'secret-proxy', 'key_sealed']) expect(text).not.toContain(secret);
  });

  test('a channel that is not there is a 404', async () => {
    const refusal = await read(999_999).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'channel_not_found' });
  });
});
