// The daily check-in: once per user and day, whatever races, in the time zone of the site.
import { factText } from '#contract/facts.ts';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { siteDay } from '#contract/site-day.ts';
import { createCheckInHandlers } from '#server/admin/wallet/check-in.ts';
import { startHumanCheckServer } from '#tests/support/human-check-server.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { temporaryPlace } from '#tests/support/databases.ts';

const seconds = (time: string) => Date.parse(time) / 1000;

test('the day is that of the time zone, also where clocks change', () => {
  expect(siteDay('UTC', seconds('2026-11-16T23:59:59Z'))).toBe('2026-11-16');
  expect(siteDay('Asia/Shanghai', seconds('2026-11-16T16:00:00Z'))).toBe('2026-11-17');
  expect(siteDay('America/New_York', seconds('2026-11-01T03:59:59Z'))).toBe('2026-10-31');
  // Clocks go back in New York: the first of November has 25 hours, and all are one day.
  expect(siteDay('America/New_York', seconds('2026-11-01T04:00:00Z'))).toBe('2026-11-01');
  expect(siteDay('America/New_York', seconds('2026-11-02T04:59:59Z'))).toBe('2026-11-01');
  expect(siteDay('America/New_York', seconds('2026-11-02T05:00:00Z'))).toBe('2026-11-02');
  // And of 23 hours in March.
  expect(siteDay('America/New_York', seconds('2026-03-09T03:59:59Z'))).toBe('2026-03-08');
  expect(siteDay('America/New_York', seconds('2026-03-09T04:00:00Z'))).toBe('2026-03-09');
});

test('people behind one address do not use up the limit of the check-in for each other', async () => {
  const app = await startApplication({
    limits: { critical: { most: 1, seconds: 1200 } },
    settings: { CheckInEnabled: 'true' },
  });
  const [one, two] = [await app.actor(), await app.actor()];
  const claim = async (as: Actor) => {
    const { body } = await app.request('/api/user/checkin', { as, body: {} });
    return body.success ? 'rewarded' : body.code;
  };
  expect([await claim(one), await claim(two), await claim(one)]).toEqual([
    'rewarded',
    'rewarded',
    'too_many_requests',
  ]);
  await app.close();
});

describe.each(['sqlite', 'postgres'] as const)('%s', (database) => {
  let app: TestApplication;
  /** SQLite serves one process: there the second node is the first. */
  let other: TestApplication;
  beforeAll(async () => {
    const place = await temporaryPlace(database);
    app = await startApplication({
      place,
      settings: { CheckInMinQuota: '300', CheckInMaxQuota: '500', CheckInTimeZone: 'Asia/Shanghai' },
    });
    const { dataDir, databaseUrl = '' } = place;
    other = database === 'sqlite' ? app : await startApplication({ place: { dataDir, databaseUrl } });
  }, 60_000);
  afterAll(async () => {
    if (other !== app) await other.close();
    await app.close();
  });

  const claim = (as: Actor, node = app, query = '') =>
    node.request(`/api/user/checkin${query}`, { as, body: {} });
  const entries = (userId: number) =>
    app.store.db
      .selectFrom('ledger')
      .selectAll()
      .where('user_id', '=', userId)
      .where('kind', '=', 'checkin')
      .orderBy('id')
      .execute();
  const quotaOf = async (id: number) =>
    (await app.store.db.selectFrom('users').select('quota').where('id', '=', id).executeTakeFirstOrThrow())
      .quota;
  const on = async (isOn: boolean) => {
    for (const node of new Set([app, other])) await node.settings.set('CheckInEnabled', String(isOn), 0);
  };

  test('off by default: no reward, and the calendar says so', async () => {
    const user = await app.actor();
    expect((await claim(user)).body.code).toBe('check_in_disabled');
    expect(await app.client(user).checkIn.calendar({ query: {} })).toMatchObject({ enabled: false });
    expect(await quotaOf(user.id)).toBe(0);
  });

  test('of twenty requests on two nodes one is rewarded, with ledger and log row', async () => {
    await on(true);
    const user = await app.actor();
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) => claim(user, index % 2 === 0 ? app : other)),
    );
    const done = replies.filter(({ body }) => body.success);
    expect(done).toHaveLength(1);
    expect(new Set(replies.map(({ body }) => body.code))).toEqual(new Set([undefined, 'check_in_done']));
    const [{ day, quota }] = done.map(({ body }) => body.data) as [{ day: string; quota: number }];
    expect(quota).toBeGreaterThanOrEqual(300);
    expect(quota).toBeLessThanOrEqual(500);
    expect(day).toBe(siteDay('Asia/Shanghai', Date.now() / 1000));
    const booked = await entries(user.id);
    expect(booked).toMatchObject([
      {
        idem: `checkin:${user.id}:${day}`,
        amount: quota,
        debit_account: 'world:checkin',
        credit_account: `user:${user.id}`,
        reference: day,
      },
    ]);
    expect(await quotaOf(user.id)).toBe(quota);
    const log = await app.store.db
      .selectFrom('logs')
      .select(['type', 'quota', 'username'])
      .where('user_id', '=', user.id)
      .where('content', '=', factText('checkIn'))
      .execute();
    expect(log).toEqual([{ type: 4, quota, username: user.username }]);
    expect(await app.client(user).checkIn.calendar({ query: {} })).toMatchObject({
      enabled: true,
      today: day,
      time_zone: 'Asia/Shanghai',
      is_done_today: true,
      days: [{ day, quota }],
      min_quota: 300,
      max_quota: 500,
    });
    const { items } = await app.client(user).wallet.history({ query: {} });
    expect(items[0]).toMatchObject({ kind: 'checkin', amount: quota, note: day });
  });

  test('the next day begins at midnight of the time zone; the calendar shows a month', async () => {
    await on(true);
    const user = await app.actor();
    let now = 0;
    const handlers = createCheckInHandlers({
      ...app,
      humanCheck: () => Promise.resolve(),
      now: () => now,
    });
    const context = { user: { ...user, group: 'default' }, address: '' } as never;
    const at = async (time: string) => {
      now = seconds(time);
      return await Promise.resolve(handlers.claim({ query: {} } as never, context)).then(
        ({ day }) => day,
        (error: Error) => error.message,
      );
    };
    expect(await at('2026-01-31T15:59:59Z')).toBe('2026-01-31');
    expect(await at('2026-01-31T15:59:59Z')).toContain('check_in_done');
    expect(await at('2026-01-31T16:00:00Z')).toBe('2026-02-01');
    expect(await at('2026-02-01T15:00:00Z')).toContain('check_in_done');
    expect(await at('2026-02-28T10:00:00Z')).toBe('2026-02-28');
    const days = async (month: string) =>
      (await app.client(user).checkIn.calendar({ query: { month } })).days.map(({ day }) => day);
    expect(await days('2026-01')).toEqual(['2026-01-31']);
    expect(await days('2026-02')).toEqual(['2026-02-01', '2026-02-28']);
    expect(await days('2026-03')).toEqual([]);
  });

  test('a suspended user, an access token, and an account without an address to verify get no reward', async () => {
    await on(true);
    const user = await app.actor();
    const suspend = (status: number) =>
      app.store.db.updateTable('users').set({ status }).where('id', '=', user.id).execute();
    await app.client(user).checkIn.calendar({ query: {} });
    await suspend(3);
    // The session is still known: the check is in the transaction.
    expect((await claim(user)).body.success).toBe(false);
    await suspend(1);
    await app.settings.set('SMTPServer', '127.0.0.1', 0);
    await app.settings.set('SMTPFrom', 'gate@example.com', 0);
    await app.settings.set('EmailVerificationEnabled', 'true', 0);
    expect((await claim(user)).body.code).toBe('check_in_email_required');
    expect(await app.client(user).checkIn.calendar({ query: {} })).toMatchObject({ needs_email: true });
    const token = await app.client(user).self.accessToken({});
    const byToken = await app.request('/api/user/checkin', {
      body: {},
      headers: { Authorization: token, 'New-Api-User': String(user.id) },
    });
    expect(byToken.body.code).toBe('session_only');
    expect(await quotaOf(user.id)).toBe(0);
    await app.store.db.updateTable('users').set({ email: 'a@b.example' }).where('id', '=', user.id).execute();
    expect((await claim(user)).body.success).toBe(true);
    await app.settings.set('EmailVerificationEnabled', 'false', 0);
  });

  test('where the human check is on, its token is needed, and is used up', async () => {
    await on(true);
    const human = startHumanCheckServer('secret');
    for (const [key, text] of Object.entries({
      TurnstileSiteKey: 'site',
      TurnstileSecretKey: 'secret',
      TurnstileServerAddress: human.url,
      TurnstileCheckEnabled: 'true',
    }))
      await app.settings.set(key, text, 0);
    const [user, second] = [await app.createUser(), await app.createUser()];
    await app.settings.set('TurnstileCheckEnabled', 'false', 0);
    const [one, two] = [await app.login(user.username), await app.login(second.username)];
    await app.settings.set('TurnstileCheckEnabled', 'true', 0);
    expect((await claim(one)).body.code).toBe('human_check_failed');
    const token = human.solve();
    expect((await claim(one, app, `?turnstile=${token}`)).body.success).toBe(true);
    expect((await claim(two, app, `?turnstile=${token}`)).body.code).toBe('human_check_failed');
    await app.settings.set('TurnstileCheckEnabled', 'false', 0);
    human.close();
  });

  test('every reward from the smallest to the largest is given, and none outside (M21)', async () => {
    await on(true);
    const rewarded = new Set<number>();
    await app.settings.set('CheckInMinQuota', '5', 0);
    await app.settings.set('CheckInMaxQuota', '6', 0);
    // One of sixty users misses one of two rewards once in 10^17 runs.
    for (let count = 0; count < 60 && rewarded.size < 2; count += 1) {
      const { data } = (await claim(await app.actor())).body;
      rewarded.add((data as { quota: number }).quota);
    }
    expect([...rewarded].toSorted()).toEqual([5, 6]);
    await app.settings.set('CheckInMinQuota', '300', 0);
  });

  test('a largest reward below the smallest gives the smallest; the books are in order', async () => {
    await on(true);
    await app.settings.set('CheckInMaxQuota', '1', 0);
    const user = await app.actor();
    expect((await claim(user)).body.data).toMatchObject({ quota: 300 });
    expect(await checkInvariants(app.store)).toEqual([]);
  });
});
