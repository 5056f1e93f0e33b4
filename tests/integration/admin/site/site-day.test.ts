// One zone for the days of a site: what begins a day there, on a running server and both databases.
import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { siteDay, siteMonth, siteMonthSpan, todayStart } from '#contract/site-day.ts';
import { readBudgetZones } from '#server/money/ledger/budget-zones.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { databaseLabels } from '#tests/support/databases.ts';

const HOUR = 3600;
/** Their days begin 25 hours apart: in one of them the day is another one than in UTC. */
const ZONES = ['Pacific/Kiritimati', 'Pacific/Pago_Pago'] as const;

describe.each(databaseLabels)('%s', (database) => {
  let app: TestApplication;
  let root: Actor;
  beforeAll(async () => {
    app = await startApplication({ database });
    root = await app.actor({ role: ROLE.root });
    await app.store.db
      .insertInto('channels')
      .values({ id: 700, name: 'c', type: 1, tag: null, deleted_at: null })
      .execute();
  });
  afterAll(() => app.close());
  const now = () => Math.floor(Date.now() / 1000);
  const until = async (isSo: () => boolean) => {
    for (let turn = 0; turn < 500 && !isSo(); turn += 1) await Bun.sleep(10);
    expect(isSo()).toBe(true);
  };

  test.each(ZONES)(
    'D6 in %s the channels of today, the check-in and the month of a reseller begin at its midnight',
    async (zone) => {
      await app.client(root).options.save({ body: { key: 'SiteTimeZone', value: zone } });
      const start = todayStart(zone, now());
      const { db } = app.store;
      await db.deleteFrom('usage_hours').execute();
      const use = { user_id: root.id, token_id: 0, channel_id: 700, model_name: 'm', count: 1 };
      await db
        .insertInto('usage_hours')
        .values([
          { ...use, hour: start, quota: 7 },
          { ...use, hour: start - HOUR, quota: 100 },
        ])
        .execute();
      const reply = await app.request('/api/channel/', { as: root });
      expect(reply.body['today_quota']).toBe(7);

      const { time_zone, today } = await app.client(root).checkIn.calendar({ query: {} });
      expect([time_zone, today]).toEqual([zone, siteDay(zone, now())]);
      await app.settings.set('CheckInTimeZone', 'Europe/Berlin', 0);
      expect((await app.client(root).checkIn.calendar({ query: {} })).time_zone).toBe('Europe/Berlin');
      await app.settings.set('CheckInTimeZone', '', 0);

      const agent = await app.actor();
      const month = siteMonthSpan(zone, siteMonth(zone, now())).start;
      await db
        .insertInto('agents')
        .values({ user_id: agent.id, active: 1, rate: 1000, created_at: 1, updated_at: 1 })
        .execute();
      const dividend = { agent_id: agent.id, customer_id: 1, level: 1, base_quota: 0 };
      await db
        .insertInto('dividends')
        .values([
          { ...dividend, idem: `a${zone}`, created_at: month, amount: 5 },
          { ...dividend, idem: `b${zone}`, created_at: month - 1, amount: 50 },
        ])
        .execute();
      expect(await app.client(agent).agents.overview()).toMatchObject({ month_dividends: 5, dividends: 55 });

      const own = await app.client(root).overview.self();
      expect([own.time_zone, own.days.at(-1)]).toEqual([
        zone,
        { day: siteDay(zone, now()), quota: 7, count: 1, error_count: 0 },
      ]);
    },
  );

  test('budgets follow the zone, and know which zones the site left while a month of theirs is open', async () => {
    await app.settings.set('SiteTimeZone', 'UTC', 0);
    const configure = spyOn(app.ledger, 'configure');
    try {
      const before = (await readBudgetZones(app.store, 'UTC', now())).left.length;
      await app.settings.set('SiteTimeZone', 'Asia/Kolkata', 0);
      await until(() => configure.mock.lastCall?.[0].budgetZones.zone === 'Asia/Kolkata');
      const { left } = configure.mock.lastCall?.[0].budgetZones ?? { left: [] };
      expect(left.length).toBe(before + 1);
      expect(left.at(-1)).toEqual({ zone: 'UTC', at: expect.closeTo(now(), -1) as number });
      // What keeps the zone keeps the windows.
      await app.settings.set('QuotaRemindThreshold', '77', 0);
      await until(() => configure.mock.lastCall?.[0].lowBalanceThreshold === 77);
      expect(configure.mock.lastCall?.[0].budgetZones).toEqual({ zone: 'Asia/Kolkata', left });
    } finally {
      configure.mockRestore();
    }
  });

  test('a zone that does not exist is refused', async () => {
    for (const value of ['Mars/Olympus', '+08:00', '']) {
      const body = { key: 'SiteTimeZone', value };
      const reply = await app.request('/api/option/', { method: 'PUT', as: root, body });
      expect([value, reply.body.success]).toEqual([value, false]);
    }
  });

  test('who sees what: operators their day, users their own, nobody without a session', async () => {
    const user = await app.actor();
    const admin = await app.actor({ role: ROLE.admin });
    const status = async (path: string, as?: Actor) => (await app.request(path, { as })).status;
    expect(
      await Promise.all([
        status('/api/overview', user),
        status('/api/overview', admin),
        status('/api/overview?day=month', root),
      ]),
    ).toEqual([403, 200, 200]);
    expect(await Promise.all([status('/api/overview/self'), status('/api/overview/self', user)])).toEqual([
      401, 200,
    ]);
    expect((await app.request('/api/overview?day=week', { as: root })).body.success).toBe(false);
    await app.store.db
      .updateTable('channels')
      .set({ status: 3, other_info: '{"status_time":5}', models: 'only' })
      .where('id', '=', 700)
      .execute();
    await app.store.db
      .insertInto('abilities')
      .values({ group: 'default', model: 'only', channel_id: 700, enabled: 0, tag: null })
      .execute();
    await app.store.changes.announce('channels');
    const kinds = async (as: Actor) => (await app.client(as).attention.list()).items.map(({ kind }) => kind);
    expect(await kinds(root)).toContain('channel_only');
    expect(await kinds(admin)).toContain('channel_only');
    expect(await kinds(user)).toEqual([]);
    const [item] = (await app.client(admin).attention.list()).items;
    const body = { id: item?.id ?? '', mark: item?.mark ?? '' };
    await app.client(admin).attention.snooze({ body });
    expect((await app.request('/api/attention/snooze', { as: user, body })).status).toBe(404);
    expect((await app.client(admin).attention.list()).total.snoozed).toBe(1);
  });
});
