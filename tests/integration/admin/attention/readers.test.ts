// What users see of their own, the order of items, snoozes, and checks that do not run.
import { beforeAll, expect, test } from 'bun:test';
import { forEachDatabase } from '#tests/support/databases.ts';
import { refusal } from '#tests/integration/admin/tokens/support.ts';
import { addChannel, attentionScene, DAY, DOLLAR, NOW, type Scene } from './support.ts';

forEachDatabase((_label, open) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await attentionScene(await open());
  });
  const db = () => scene.store.db;
  const use = (user_id: number, hour: number, quota: number) =>
    db()
      .insertInto('usage_hours')
      .values({
        hour: hour - (hour % 3600),
        user_id,
        token_id: 0,
        channel_id: 1,
        model_name: 'm',
        count: 1,
        quota,
      })
      .execute();
  const setBalance = (quota: number) =>
    db().updateTable('users').set({ quota }).where('id', '=', scene.ids.user).execute();

  test('a balance that lasts less than three days at the pace of a week, and only the own one', async () => {
    expect(await scene.item('user', 'balance_low')).toBeUndefined();
    await use(scene.ids.user, NOW - DAY, 7 * DOLLAR);
    // Too long ago.
    await use(scene.ids.user, NOW - 8 * DAY, 700 * DOLLAR);
    await setBalance(3 * DOLLAR);
    expect(await scene.item('user', 'balance_low')).toBeUndefined();
    await setBalance(3 * DOLLAR - 1);
    expect(await scene.item('user', 'balance_low')).toMatchObject({
      severity: 'act',
      action: 'top_up',
      mark: '2',
      values: { days: 2, left_quota: 3 * DOLLAR - 1, day_quota: DOLLAR },
    });
    for (const role of ['admin', 'root'] as const)
      expect(await scene.item(role, 'balance_low')).toBeUndefined();
    // A subscription pays too.
    await db()
      .insertInto('subscriptions')
      .values({
        user_id: scene.ids.user,
        plan_id: 1,
        created_at: NOW,
        started_at: NOW - 1,
        ends_at: NOW + 30 * DAY,
        plan_name: 'p',
        interval_count: 1,
        periods: 1,
        period: 0,
        period_ends_at: NOW + 30 * DAY,
        quota: DOLLAR,
        request_key: null,
      })
      .execute();
    expect(await scene.item('user', 'balance_low')).toBeUndefined();
    await setBalance(100 * DOLLAR);
  });

  test('keys near their limit or their end; not those of others, disabled or deleted ones', async () => {
    const key = (name: string, fields: object) =>
      db()
        .insertInto('tokens')
        .values({
          user_id: scene.ids.user,
          name,
          key_digest: name,
          status: 1,
          expired_time: -1,
          deleted_at: null,
          ...fields,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
    const soon = scene.clock.now + 2 * DAY;
    const full = await key('full', { remain_quota: 10, used_quota: 90 });
    await key('half', { remain_quota: 11, used_quota: 89 });
    await key('free', { unlimited_quota: 1, used_quota: 90, remain_quota: 0 });
    const ending = await key('ending', { unlimited_quota: 1, expired_time: soon });
    await key('later', { unlimited_quota: 1, expired_time: soon + 2 * DAY });
    await key('over', { unlimited_quota: 1, expired_time: scene.clock.now - DAY });
    await key('off', { remain_quota: 10, used_quota: 90, status: 2 });
    await key('gone', { remain_quota: 10, used_quota: 90, deleted_at: NOW });
    await key('other', { remain_quota: 10, used_quota: 90, user_id: scene.ids.root });
    const { items, counts } = await scene.view('user');
    expect(items.map(({ id }) => id).sort()).toEqual([`key_ending:${ending.id}`, `key_limit:${full.id}`]);
    expect(counts).toEqual({ '/token': { stop: 0, act: 2 } });
    expect(items.find(({ kind }) => kind === 'key_limit')).toMatchObject({
      address: `/token/${full.id}`,
      values: { name: 'full', left_quota: 10, used_quota: 90, limit_quota: 100, percent: 90 },
    });
    const own = (await scene.view('root')).items.filter(({ kind }) => kind === 'key_limit');
    expect(own.map(({ values }) => values['name'])).toEqual(['other']);
    await db().updateTable('tokens').set({ status: 2 }).execute();
    expect((await scene.view('user')).items).toEqual([]);
  });

  test('the most urgent first: severity, money held, people, age', async () => {
    const info = (status_time: number) => JSON.stringify({ status_time });
    await addChannel(scene, 'serves', { models: 'a' });
    const older = await addChannel(scene, 'older', { models: 'a', status: 3, other_info: info(NOW - 900) });
    const newer = await addChannel(scene, 'newer', { models: 'a', status: 3, other_info: info(NOW - 100) });
    const only = await addChannel(scene, 'only', { models: 'b', status: 3, other_info: info(NOW - 50) });
    const touched = await addChannel(scene, 'touched', {
      models: 'c',
      status: 3,
      other_info: info(NOW - 10),
    });
    await db()
      .insertInto('refused_calls')
      .values({
        minute: NOW,
        user_id: 5,
        token_id: 0,
        code: 'no_channel',
        group: 'default',
        model_name: 'c',
        count: 1,
      })
      .execute();
    await db()
      .insertInto('orders')
      .values({
        trade_no: 'T',
        user_id: 5,
        provider: 'epay',
        amount_minor: 1,
        currency: 'CNY',
        quota: 1,
        created_at: NOW,
        expires_at: NOW - 900,
      })
      .execute();
    await db()
      .insertInto('withdrawals')
      .values({ user_id: 5, request_id: 'w', created_at: NOW, method: 'bank', account: 'x', quota: 10 ** 9 })
      .execute();
    const { items, total } = await scene.view('admin');
    expect(items.map(({ id }) => id)).toEqual([
      `channel_only:${touched}`,
      `channel_only:${only}`,
      'order_unanswered',
      `channel_off:${older}`,
      `channel_off:${newer}`,
      'withdrawal_waits',
    ]);
    expect(total).toEqual({ stop: 2, act: 3, wait: 1, snoozed: 0 });
  });

  test('a snooze is one person’s, leaves the counts, and ends when the fact changes', async () => {
    await addChannel(scene, 'again', {
      models: 'snoozed',
      status: 3,
      other_info: JSON.stringify({ status_time: NOW }),
    });
    const before = await scene.view('admin');
    const first = before.items.find(({ values }) => values['name'] === 'again');
    if (first === undefined) throw new Error('no item');
    const { id, mark } = first;
    expect(await refusal(scene.snooze('admin', { id, mark: 'another' }))).toMatchObject({
      code: 'not_found',
    });
    expect(await refusal(scene.snooze('user', { id, mark }))).toMatchObject({ code: 'not_found' });
    await scene.snooze('admin', { id, mark });
    await scene.snooze('admin', { id, mark });
    const hidden = await scene.view('admin');
    expect(hidden.items.at(-1)).toMatchObject({ id, is_snoozed: true });
    expect(hidden.total).toMatchObject({ stop: before.total.stop - 1, snoozed: 1 });
    const count = before.counts['/channel'];
    expect(hidden.counts['/channel']?.stop ?? 0).toBe((count?.stop ?? 0) - 1);
    expect((await scene.view('root')).items.find((item) => item.id === id)?.is_snoozed).toBe(false);
    // It went off again.
    await db()
      .updateTable('channels')
      .set({ other_info: JSON.stringify({ status_time: NOW + 5 }) })
      .where('id', '=', Number(id.split(':')[1]))
      .execute();
    const changed = await scene.view('admin');
    expect(changed.items.find((item) => item.id === id)?.is_snoozed).toBe(false);
    await scene.snooze('admin', { id, mark: changed.items.find((item) => item.id === id)?.mark ?? '' });
    await scene.snooze('admin', { id, mark, is_snoozed: false });
    expect((await scene.view('admin')).total.snoozed).toBe(0);
  });

  test('what was found is kept for a minute; counts by kind and severity need no question', async () => {
    await scene.view('root');
    await db().updateTable('withdrawals').set({ status: 'refused' }).execute();
    expect((await scene.viewNow('root')).items.some(({ kind }) => kind === 'withdrawal_waits')).toBe(true);
    expect(scene.attention.counts()).toContainEqual({ kind: 'channel_only', severity: 'stop', count: 3 });
    scene.clock.now += 60;
    expect((await scene.viewNow('root')).items.some(({ kind }) => kind === 'withdrawal_waits')).toBe(false);
  });

  test('a check that fails keeps what it found, and is an item after ten minutes, for those who see what it finds', async () => {
    await db().insertInto('jobs').values({ name: 'mail', node_id: '', failures: 2, error: 'x' }).execute();
    expect(await scene.item('root', 'job_failed')).toBeDefined();
    const ranAt = scene.clock.now;
    scene.jobs.fail = true;
    expect(await scene.item('root', 'job_failed')).toBeDefined();
    expect(await scene.item('root', 'check_late')).toMatchObject({
      id: 'check_late:root',
      since: ranAt,
      values: { checks: 'jobs' },
    });
    expect((await scene.viewNow('root')).checks.find(({ name }) => name === 'jobs')).toMatchObject({
      ran_at: ranAt,
      is_late: true,
    });
    expect(await scene.item('admin', 'check_late')).toBeUndefined();
    expect(scene.errors).toContain('jobs');
    scene.jobs.fail = false;
    expect(await scene.item('root', 'check_late')).toBeUndefined();
  });
});
