// A customer's overview in two zones: figures equal sums of the test's own, only of the caller, and changes name no channel.
import { beforeAll, expect, test } from 'bun:test';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { ROLE } from '#contract/access.ts';
import type { CustomerOverview } from '#contract/admin/overview.ts';
import { PRICE_KEYS, pricesText, type Prices } from '#contract/money/price-keys.ts';
import { SETTING_KEYS, SETTINGS, type Settings } from '#contract/settings.ts';
import { createOverviewHandlers } from '#server/admin/overview/index.ts';
import type { RequestContext } from '#server/admin/context.ts';
import type { Store } from '#server/platform/store/store.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { randomSource } from '#tests/support/sequence.ts';

const DAY = 86_400;
const HOUR = 3600;
/** 2026-11-03 17:42 UTC: 01:42 of the next day in Shanghai, and two days after the clocks changed in New York. */
const NOW = 1_793_727_720;
const OWNER = 50;
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

interface Use {
  hour: number;
  user_id: number;
  token_id: number;
  quota: number;
  count: number;
  error_count: number;
}

forEachDatabase((_label, open) => {
  let store: Store;
  const uses: Use[] = [];
  const current = Object.fromEntries(SETTING_KEYS.map((key) => [key, SETTINGS[key].fallback])) as unknown as {
    -readonly [Key in keyof Settings]: Settings[Key];
  };
  const settings = { current };
  let read: (id?: number) => Promise<CustomerOverview>;

  beforeAll(async () => {
    store = await open();
    current.GroupRatio = { default: 1, vip: 1 };
    current.UserUsableGroups = { default: '' };
    const handlers = createOverviewHandlers({
      store,
      settings,
      margins: () => Promise.reject(new Error('no margins for customers')),
      now: () => NOW,
    });
    read = async (id = OWNER) =>
      await handlers.self({ params: undefined, query: undefined, body: undefined }, {
        user: { id, username: `u${id}`, role: ROLE.user, group: 'default' },
      } as unknown as RequestContext);
    for (const id of [OWNER, OWNER + 1])
      await store.db
        .insertInto('users')
        .values({
          id,
          username: `u${id}`,
          aff_code: `u${id}`,
          quota: 14_810_000,
          held_quota: 5,
          access_token_digest: null,
          deleted_at: null,
        })
        .execute();
    const below = randomSource(7);
    for (let at = 0; at < 400; at += 1) {
      const use = {
        hour: NOW - (NOW % HOUR) - at * HOUR,
        user_id: at % 5 === 0 ? OWNER + 1 : OWNER,
        token_id: 1 + (at % 3),
        quota: below(100_000),
        count: below(9),
        error_count: below(3),
      };
      uses.push(use);
      await store.db
        .insertInto('usage_hours')
        .values({ ...use, channel_id: at % 2, model_name: 'm' })
        .execute();
    }
  });

  const own = () => uses.filter(({ user_id }) => user_id === OWNER);
  const dayIn = (zone: string, second: number) =>
    new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format(second * 1000);

  test.each(['UTC', 'Asia/Shanghai', 'America/New_York'])('what each of 14 days in %s used', async (zone) => {
    current.SiteTimeZone = zone;
    const { days, time_zone, pace } = await read();
    expect([time_zone, days.length, days.at(-1)?.day]).toEqual([zone, 14, dayIn(zone, NOW)]);
    for (const day of days) {
      const of = own().filter(({ hour }) => dayIn(zone, hour) === day.day);
      expect(day).toEqual({
        day: day.day,
        quota: sum(of.map(({ quota }) => quota)),
        count: sum(of.map(({ count }) => count)),
        error_count: sum(of.map(({ error_count }) => error_count)),
      });
    }
    const week = sum(
      own()
        .filter(({ hour }) => hour > NOW - 7 * DAY)
        .map(({ quota }) => quota),
    );
    expect(pace).toMatchObject({
      week,
      per_day: Math.round(week / 7),
      days_left: Math.floor((14_810_000 * 7) / week),
    });
  });

  test('the day on which the balance ends; a subscription counts, none without use', async () => {
    current.SiteTimeZone = 'UTC';
    const before = await read();
    const end = new Date(Date.UTC(2026, 10, 3 + (before.pace.days_left ?? 0))).toISOString().slice(0, 10);
    expect(before.pace.ends_on).toBe(end);
    expect(before.balance).toEqual({ quota: 14_810_000, held: 5, plans: 0 });
    const term = {
      plan_id: 1,
      created_at: 1,
      started_at: 1,
      ends_at: NOW + DAY,
      plan_name: 'p',
      interval_count: 1,
    };
    await store.db
      .insertInto('subscriptions')
      .values({
        ...term,
        user_id: OWNER,
        periods: 1,
        period: 0,
        period_ends_at: NOW + DAY,
        quota: 7_000_000,
        request_key: null,
      })
      .execute();
    const after = await read();
    expect(after.balance.plans).toBe(7_000_000);
    expect(after.pace.days_left).toBe(Math.floor((21_810_000 * 7) / after.pace.week));
    await store.db
      .insertInto('users')
      .values({ id: 99, username: 'idle', aff_code: 'idle', access_token_digest: null, deleted_at: null })
      .execute();
    expect((await read(99)).pace).toEqual({ week: 0, per_day: 0, days_left: null, ends_on: null });
  });

  test('keys that were used last, with 24 posts, today, the week and their limit; no key of another', async () => {
    const key = (id: number, user_id: number, fields: object = {}) =>
      store.db
        .insertInto('tokens')
        .values({
          id,
          user_id,
          name: `k${id}`,
          key_digest: `k${id}`,
          status: 1,
          expired_time: -1,
          unlimited_quota: 1,
          accessed_time: id,
          deleted_at: null,
          ...fields,
        })
        .execute();
    await key(1, OWNER);
    await key(2, OWNER, { unlimited_quota: 0, used_quota: 30, remain_quota: 70, expired_time: NOW + DAY });
    await key(3, OWNER + 1);
    await key(4, OWNER, { status: 2 });
    const { keys, key_count, posts_start } = await read();
    expect([keys.map(({ name }) => name), key_count]).toEqual([['k2', 'k1'], 3]);
    expect(keys[0]).toMatchObject({ limit: { used: 30, total: 100 }, expires_at: NOW + DAY });
    expect(keys[1]).toMatchObject({ limit: null, expires_at: 0 });
    for (const { id, posts, today, week } of keys) {
      const of = own().filter(({ token_id }) => token_id === id);
      const since = (second: number) =>
        sum(of.filter(({ hour }) => hour >= second).map(({ quota }) => quota));
      const midnight = NOW - (NOW % DAY);
      expect([today, week]).toEqual([since(midnight), since(midnight - 6 * DAY)]);
      for (const [at, post] of posts.entries()) {
        const inHour = of.filter(({ hour }) => hour === posts_start + at * HOUR);
        expect(post).toEqual({
          calls: sum(inHour.map(({ count }) => count)),
          failures: sum(inHour.map(({ error_count }) => error_count)),
        });
      }
    }
  });

  test('what changed: models that are off, prices that moved, new models, announcements', async () => {
    const { db } = store;
    const offer = async (id: number, model: string, fields: object = {}, group = 'default') => {
      const status = 'status' in fields ? 0 : 1;
      await db
        .insertInto('channels')
        .values({
          id,
          name: `secret-${id}`,
          type: CHANNEL_TYPE.openAi,
          group,
          models: model,
          tag: null,
          deleted_at: null,
          created_time: 1000,
          ...fields,
        })
        .execute();
      await db
        .insertInto('abilities')
        .values({ group, model, channel_id: id, enabled: status, tag: null })
        .execute();
    };
    await offer(901, 'm');
    await offer(902, 'lost', {
      status: 3,
      other_info: JSON.stringify({ status_time: NOW - 600, status_words: 'secret' }),
    });
    await offer(903, 'fresh', { created_time: NOW - DAY });
    await offer(904, 'other-group', { created_time: NOW - DAY }, 'svip');
    await offer(905, 'never-used', { status: 3 });
    await db
      .insertInto('usage_hours')
      .values({
        hour: NOW - 2 * DAY - (NOW % HOUR),
        user_id: OWNER,
        token_id: 0,
        channel_id: 902,
        model_name: 'lost',
        count: 9,
        quota: 1,
      })
      .execute();
    const prices = Object.fromEntries(
      PRICE_KEYS.map((name) => [name, SETTINGS[name].fallback]),
    ) as unknown as Prices;
    const version = (effective_at: number, ratio: number) =>
      db
        .insertInto('price_versions')
        .values({
          effective_at,
          source: 'test',
          prices: pricesText({
            ...prices,
            GroupRatio: { default: 0.5 },
            ModelRatio: { m: ratio, unused: ratio },
            CompletionRatio: { m: 5 },
          }),
        })
        .execute();
    await version(NOW - 20 * DAY, 1);
    await version(NOW - 3 * DAY, 2);
    await db
      .insertInto('announcements')
      .values([
        { created_at: NOW - DAY - 5, updated_at: 1, title: 'Maintenance', content: 'x', until_at: 0 },
        { created_at: NOW - 90 * DAY, updated_at: 1, title: 'old', content: 'x', until_at: 0 },
        { created_at: NOW - DAY, updated_at: 1, title: 'over', content: 'x', until_at: NOW - 5 },
      ])
      .execute();
    const { changes } = await read();
    expect(changes.map(({ kind }) => kind)).toEqual([
      'model_off',
      'model_new',
      'announcement',
      'price_moved',
    ]);
    expect(changes[0]).toEqual({ kind: 'model_off', at: NOW - 600, model: 'lost', calls: 9 });
    expect(changes[1]).toMatchObject({ model: 'fresh', group: 'default', at: NOW - DAY });
    expect(changes[2]).toMatchObject({ title: 'Maintenance' });
    expect(changes[3]).toEqual({
      kind: 'price_moved',
      at: NOW - 3 * DAY,
      model: 'm',
      group: 'default',
      unit: 'tokens',
      before: { input: 1, output: 5 },
      after: { input: 2, output: 10 },
    });
    expect(JSON.stringify(await read())).not.toContain('secret');
    // Who used neither model reads only what concerns everybody.
    expect((await read(99)).changes.map(({ kind }) => kind)).toEqual(['model_new', 'announcement']);
  });
});
