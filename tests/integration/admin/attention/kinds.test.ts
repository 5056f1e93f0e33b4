// Each kind of item: it is there while its fact is, ends with it, and is shown only to those who may see it.
import { beforeAll, expect, test } from 'bun:test';
import type { AttentionKind } from '#contract/admin/attention-kinds.ts';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { addChannel, attentionScene, DAY, DOLLAR, NOW, TODAY, type Role, type Scene } from './support.ts';

/** Who sees it: themselves and everybody of a higher role. */
const SEEN_BY = { admin: ['admin', 'root'], root: ['root'] } as const satisfies Record<
  string,
  readonly Role[]
>;
const ROLES: readonly Role[] = ['user', 'admin', 'root'];

forEachDatabase((_label, open) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await attentionScene(await open());
  });

  async function expectSeenBy(kind: AttentionKind, level: keyof typeof SEEN_BY): Promise<void> {
    const seen: Role[] = [];
    for (const role of ROLES) if ((await scene.item(role, kind)) !== undefined) seen.push(role);
    expect(seen).toEqual([...SEEN_BY[level]]);
  }
  async function expectGone(kind: AttentionKind): Promise<void> {
    expect(await scene.item('root', kind)).toBeUndefined();
  }
  const db = () => scene.store.db;
  /** Without an age it goes on reporting. */
  const reportNode = (id: string, report: object, age = -365 * DAY) =>
    db()
      .insertInto('node_reports')
      .values({ node_id: id, report: JSON.stringify(report), reported_at: scene.clock.now - age })
      .onConflict((conflict) =>
        conflict
          .column('node_id')
          .doUpdateSet({ report: JSON.stringify(report), reported_at: scene.clock.now - age }),
      )
      .execute();
  const writeJob = (name: string, row: { error?: string; failures?: number; finished_ms?: number }) =>
    db()
      .insertInto('jobs')
      .values({ name, node_id: '', owner: 'node-here', runs: 3, ...row })
      .onConflict((conflict) => conflict.columns(['name', 'node_id']).doUpdateSet(row))
      .execute();

  test('a channel that switched itself off stops calls when a model has no other, with whom that touched', async () => {
    await addChannel(scene, 'other', { models: 'gpt-5.4' });
    const status_time = NOW - 3600;
    const other_info = JSON.stringify({ status_reason: 'status 401', status_time });
    const off = await addChannel(scene, 'reserve', { models: 'gpt-5.4,opus', status: 3, other_info });
    const refusal = { token_id: 1, code: 'no_channel', group: 'default', model_name: 'opus' };
    await db()
      .insertInto('refused_calls')
      .values([
        { ...refusal, minute: NOW - 1200, user_id: 71, count: 30 },
        { ...refusal, minute: NOW - 600, user_id: 72, count: 11 },
        // Before the channel went off, and of another model.
        { ...refusal, minute: NOW - 7200, user_id: 73, count: 5 },
        { ...refusal, minute: NOW - 600, user_id: 74, model_name: 'gpt-5.4', count: 5 },
      ])
      .execute();
    await expectSeenBy('channel_only', 'admin');
    expect(await scene.item('admin', 'channel_only')).toMatchObject({
      id: `channel_only:${off}`,
      severity: 'stop',
      since: status_time,
      users: 2,
      calls: 41,
      action: 'replace_key',
      address: `/channel/${off}`,
      values: {
        name: 'reserve',
        reason: 'status 401',
        reason_en: 'The upstream answered 401',
        model: 'opus',
        other_models: 0,
      },
    });
    expect((await scene.view('admin')).counts['/channel']).toEqual({ stop: 1, act: 0 });

    await addChannel(scene, 'third', { models: 'opus' });
    expect(await scene.item('root', 'channel_off')).toMatchObject({ severity: 'act', calls: 0 });
    await expectGone('channel_only');
    await db().updateTable('channels').set({ status: 1 }).where('id', '=', off).execute();
    await expectGone('channel_off');
  });

  test('an announced change of channels is checked again at once', async () => {
    await scene.viewNow('root');
    const id = await addChannel(scene, 'sudden', { status: 3, other_info: '{"status_time":1}' });
    expect((await scene.viewNow('root')).items.some(({ kind }) => kind === 'channel_off')).toBe(false);
    await scene.store.changes.announce('channels', String(id));
    expect((await scene.viewNow('root')).items.some(({ kind }) => kind === 'channel_off')).toBe(true);
    // A change in the middle of a run, which may have read its channels already.
    scene.clock.now += 301;
    const run = scene.attention.run();
    await db().updateTable('channels').set({ status: 1 }).where('id', '=', id).execute();
    await scene.store.changes.announce('channels', String(id));
    await run;
    expect((await scene.viewNow('root')).items.some(({ kind }) => kind === 'channel_off')).toBe(false);
    await db().deleteFrom('abilities').where('channel_id', '=', id).execute();
    await db().deleteFrom('channels').where('id', '=', id).execute();
    await expectGone('channel_off');
  });

  test('a ledger that does not balance, and a database that cannot be written', async () => {
    await writeJob('money-audit', { error: 'broken: a balance is the sum of its transfers', failures: 1 });
    await expectSeenBy('ledger_broken', 'root');
    const item = await scene.item('root', 'ledger_broken');
    expect(item).toMatchObject({
      severity: 'stop',
      values: { invariants: 'a balance is the sum of its transfers' },
    });
    expect(item?.since).toBeGreaterThan(NOW);
    await expectGone('job_failed');
    await writeJob('money-audit', { error: '', failures: 0, finished_ms: NOW * 1000 });
    await expectGone('ledger_broken');
    const checks = (await scene.view('root')).checks;
    expect(checks.find(({ name }) => name === 'ledger')?.values).toEqual({ at: NOW });

    scene.ledger.isWritable = false;
    await expectSeenBy('writes_fail', 'root');
    scene.ledger.isWritable = true;
    await expectGone('writes_fail');
  });

  test('an order that was paid and not credited: act, after two hours stop, with the money it holds', async () => {
    const order = await db()
      .insertInto('orders')
      .values({
        trade_no: 'T1',
        user_id: 71,
        provider: 'epay',
        amount_minor: 30_000,
        currency: 'CNY',
        quota: 40 * DOLLAR,
        created_at: NOW,
        expires_at: NOW + 30 * DAY,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await expectGone('order_uncredited');
    const at = scene.clock.now;
    await db()
      .insertInto('order_events')
      .values({ order_id: order.id, created_at: at, kind: 'refused' })
      .execute();
    await expectSeenBy('order_uncredited', 'admin');
    const item = await scene.item('admin', 'order_uncredited');
    expect(item).toMatchObject({
      severity: 'act',
      since: at,
      users: 1,
      held_quota: 40 * DOLLAR,
      held: [{ currency: 'CNY', amount_minor: 30_000 }],
      address: `/order/${order.id}`,
    });
    scene.clock.now = at + 2 * 3600;
    const late = await scene.item('admin', 'order_uncredited');
    expect(late?.severity).toBe('stop');
    expect(late?.mark).not.toBe(item?.mark);
    await db().updateTable('orders').set({ status: 'paid' }).where('id', '=', order.id).execute();
    await expectGone('order_uncredited');
  });

  test('an order of which the provider does not say whether it was paid', async () => {
    const base = {
      user_id: 71,
      provider: 'epay',
      amount_minor: 5000,
      currency: 'CNY',
      quota: 1,
      created_at: NOW,
    };
    await db()
      .insertInto('orders')
      .values([
        { ...base, trade_no: 'T2', expires_at: scene.clock.now - 900 },
        { ...base, trade_no: 'T3', expires_at: scene.clock.now + 90 * DAY },
      ])
      .execute();
    await expectSeenBy('order_unanswered', 'admin');
    expect(await scene.item('admin', 'order_unanswered')).toMatchObject({
      count: 1,
      values: { provider: 'epay' },
    });
    await db().updateTable('orders').set({ status: 'expired' }).where('trade_no', '=', 'T2').execute();
    await expectGone('order_unanswered');
  });

  test('models that are offered without a price', async () => {
    scene.unpriced.add('opus').add('not-offered');
    const refusal = { token_id: 1, code: 'no_price', group: 'default', model_name: 'opus', user_id: 9 };
    await db()
      .insertInto('refused_calls')
      .values({ ...refusal, minute: scene.clock.now, count: 17 })
      .execute();
    await expectSeenBy('model_unpriced', 'admin');
    expect(await scene.item('admin', 'model_unpriced')).toMatchObject({
      count: 1,
      calls: 17,
      users: 1,
      address: '/model/opus',
      values: { name: 'opus', others: 0, count_more: 0 },
    });
    scene.unpriced.add('gpt-5.4');
    expect(await scene.item('admin', 'model_unpriced')).toMatchObject({
      count: 2,
      values: { name: 'gpt-5.4', others: 1, count_more: 2 },
    });
    scene.unpriced.clear();
    await expectGone('model_unpriced');
  });

  const margin = (fields: {
    day: number;
    channel_id: number;
    quota: number;
    cost?: number;
    model_name?: string;
    user_id?: number;
  }) => {
    const { cost, quota, ...rest } = fields;
    const known = cost === undefined ? {} : { cost, costed_count: 1, costed_quota: quota };
    return db()
      .insertInto('margin_days')
      .values({ model_name: 'opus', group: 'default', user_id: 1, count: 1, quota, ...known, ...rest })
      .execute();
  };

  test('a balance at a supplier that lasts less than four days at the pace of the last week', async () => {
    const id = await addChannel(scene, 'deep', {
      models: 'only-deep',
      balance: 8.4,
      balance_updated_time: scene.clock.now,
      buy_price: JSON.stringify({ kind: 'list', multiplier: 1 }),
    });
    await expectGone('supplier_balance');
    // $19.25 in seven days: $2.75 a day.
    await margin({ day: TODAY - DAY, channel_id: id, quota: 20 * DOLLAR, cost: 19.25 * DOLLAR });
    await expectSeenBy('supplier_balance', 'admin');
    expect(await scene.item('admin', 'supplier_balance')).toMatchObject({
      id: `supplier_balance:${id}`,
      mark: '3',
      values: {
        name: 'deep',
        days: 3,
        left_amount: 8.4,
        day_amount: 2.75,
        currency: 'USD',
        model: 'only-deep',
      },
    });
    await db().updateTable('channels').set({ balance: 11.1 }).where('id', '=', id).execute();
    await expectGone('supplier_balance');
    await db().deleteFrom('margin_days').execute();
  });

  test('credit that was bought at a discount, or counts in yuan, lasts as long as the credit itself (M21)', async () => {
    const balanceOf = async (fields: Parameters<typeof addChannel>[2], cost: number) => {
      const id = await addChannel(scene, 'bought', {
        balance: 8.4,
        balance_updated_time: scene.clock.now,
        ...fields,
      });
      await margin({ day: TODAY - DAY, channel_id: id, quota: 20 * DOLLAR, cost: cost * DOLLAR });
      const item = await scene.item('admin', 'supplier_balance');
      await db().deleteFrom('margin_days').execute();
      await db().updateTable('channels').set({ status: 2 }).where('id', '=', id).execute();
      return item?.values;
    };
    const buy_price = JSON.stringify({ kind: 'list', multiplier: 1, recharge_rate: 0.5 });
    // Half a dollar buys a dollar of credit: $9.625 paid in seven days are $2.75 of credit a day.
    expect(await balanceOf({ buy_price }, 9.625)).toMatchObject({
      days: 3,
      day_amount: 2.75,
      currency: 'USD',
    });
    scene.settings.current.Price = 8;
    const yuan = { type: CHANNEL_TYPE.deepSeek, balance: 50, buy_price };
    expect(await balanceOf(yuan, 7)).toMatchObject({ days: 3, day_amount: 16, currency: 'CNY' });
    expect(await balanceOf({ ...yuan, balance: 64 }, 7)).toBeUndefined();
  });

  test('two channels of one supplier are told apart; one alone has the name of the supplier', async () => {
    const { id: supplier_id } = await db()
      .insertInto('suppliers')
      .values({ name: 'Deep Inc.' })
      .returning('id')
      .executeTakeFirstOrThrow();
    const shared = { supplier_id, balance: 8.4, balance_updated_time: scene.clock.now };
    const buy_price = JSON.stringify({ kind: 'list', multiplier: 1 });
    const ids: number[] = [];
    const names = async (): Promise<unknown[]> =>
      (await scene.view('admin')).items
        .filter(({ kind }) => kind === 'supplier_balance')
        .map(({ values }) => values.name)
        .toSorted();
    for (const name of ['north', 'south']) {
      const id = await addChannel(scene, name, { ...shared, buy_price });
      await margin({ day: TODAY - DAY, channel_id: id, quota: 20 * DOLLAR, cost: 19.25 * DOLLAR });
      ids.push(id);
      expect(await names()).toEqual(
        ids.length === 1 ? ['Deep Inc.'] : ['Deep Inc. · north', 'Deep Inc. · south'],
      );
    }
    await db().deleteFrom('margin_days').execute();
    await db().updateTable('channels').set({ status: 2 }).where('id', 'in', ids).execute();
  });

  test('a model that is sold below cost by more than a dollar a day, and use of unknown cost', async () => {
    const id = await addChannel(scene, 'cheap', { models: 'loss' });
    await margin({ day: TODAY - DAY, channel_id: id, quota: DOLLAR, cost: 2 * DOLLAR, model_name: 'loss' });
    await expectGone('sold_below_cost');
    await margin({ day: TODAY - DAY, channel_id: id, quota: 0, cost: 1, model_name: 'loss', user_id: 2 });
    await expectSeenBy('sold_below_cost', 'admin');
    expect(await scene.item('admin', 'sold_below_cost')).toMatchObject({
      severity: 'wait',
      values: { name: 'loss', channel: 'cheap', loss_quota: DOLLAR + 1 },
    });
    expect((await scene.view('admin')).counts['/margins']).toBeUndefined();
    await db().deleteFrom('margin_days').execute();
    await expectGone('sold_below_cost');

    await margin({ day: TODAY, channel_id: id, quota: 90 * DOLLAR, cost: DOLLAR });
    await margin({ day: TODAY, channel_id: id, quota: 10 * DOLLAR, user_id: 2 });
    await expectGone('cost_unknown');
    await margin({ day: TODAY, channel_id: id, quota: DOLLAR, user_id: 3 });
    await expectSeenBy('cost_unknown', 'admin');
    expect(await scene.item('admin', 'cost_unknown')).toMatchObject({
      values: { percent: 11, unknown_quota: 11 * DOLLAR, name: 'cheap' },
    });
    await db().deleteFrom('margin_days').execute();
    await expectGone('cost_unknown');
  });

  test('withdrawals, refunds, re-ratings, drafts and proposals wait for a person', async () => {
    await db()
      .insertInto('withdrawals')
      .values({
        user_id: scene.ids.user,
        request_id: 'w1',
        created_at: NOW,
        method: 'bank',
        account: 'x',
        quota: 12 * DOLLAR,
      })
      .execute();
    await expectSeenBy('withdrawal_waits', 'admin');
    expect(await scene.item('admin', 'withdrawal_waits')).toMatchObject({
      held_quota: 12 * DOLLAR,
      users: 1,
      since: NOW,
      values: { name: 'user' },
    });
    await db().updateTable('withdrawals').set({ status: 'refused' }).execute();
    await expectGone('withdrawal_waits');

    const { id: order_id } = await db()
      .selectFrom('orders')
      .select('id')
      .where('trade_no', '=', 'T1')
      .executeTakeFirstOrThrow();
    const refund = { order_id, user_id: 71, amount_minor: 100, quota: 5 };
    await db()
      .insertInto('refunds')
      .values({ ...refund, request_id: 'r1', created_at: scene.clock.now })
      .execute();
    await expectGone('refund_waits');
    scene.clock.now += 7200;
    await expectSeenBy('refund_waits', 'admin');
    await db().updateTable('refunds').set({ status: 'failed' }).execute();
    await expectGone('refund_waits');

    await db()
      .insertInto('rerate_runs')
      .values({
        created_at: NOW,
        created_by: 1,
        from_at: 1,
        to_at: 2,
        state: 'ready',
        calls: 7,
        users: 2,
        credit: 50,
      })
      .execute();
    await expectSeenBy('rerating_waits', 'root');
    await db().updateTable('rerate_runs').set({ state: 'discarded' }).execute();
    await expectGone('rerating_waits');

    await db()
      .insertInto('price_drafts')
      .values({ based_on: 1, created_at: NOW, updated_at: NOW, prices: '{}' })
      .execute();
    await expectSeenBy('draft_waits', 'root');
    await db()
      .updateTable('price_drafts')
      .set({ status: 'scheduled', publish_at: NOW + 9 * DAY })
      .execute();
    await expectGone('draft_waits');
    await db().updateTable('price_drafts').set({ error: 'a price is missing' }).execute();
    expect(await scene.item('root', 'draft_waits')).toMatchObject({
      values: { error: 'a price is missing' },
    });
    await db().updateTable('price_drafts').set({ status: 'withdrawn' }).execute();
    await expectGone('draft_waits');

    await db()
      .insertInto('price_proposals')
      .values({ created_at: NOW, model: 'opus', origin: 'list', shape: 'x', listed: '{}' })
      .execute();
    await expectSeenBy('proposal_waits', 'root');
    await db().updateTable('price_proposals').set({ status: 'refused' }).execute();
    await expectGone('proposal_waits');
  });

  test('jobs that failed twice, and a backup that is old or failed', async () => {
    await writeJob('mail', { error: 'no server', failures: 1 });
    await expectGone('job_failed');
    await writeJob('mail', { error: 'no server', failures: 2 });
    await expectSeenBy('job_failed', 'root');
    expect(await scene.item('root', 'job_failed')).toMatchObject({
      id: 'job_failed:mail',
      values: { failures: 2, error: 'no server', name_en: 'Mail', name_zh: '邮件' },
    });
    await writeJob('mail', { error: '', failures: 0 });
    await expectGone('job_failed');

    scene.settings.current.BackupEveryHours = 24;
    await writeJob('backup', { finished_ms: (scene.clock.now - 25 * 3600) * 1000 });
    await expectGone('backup_old');
    scene.clock.now += 3600;
    await expectSeenBy('backup_old', 'root');
    scene.settings.current.BackupEveryHours = 0;
    await expectGone('backup_old');
    scene.settings.current.BackupEveryHours = 24;
    await writeJob('backup', { finished_ms: scene.clock.now * 1000, error: 'no room' });
    expect(await scene.item('root', 'backup_old')).toMatchObject({ values: { error: 'no room' } });
    await writeJob('backup', { finished_ms: scene.clock.now * 1000, error: '' });
    await expectGone('backup_old');
  });

  test('disks, certificates, versions and nodes that report no more', async () => {
    const good = {
      version: '1.4.0',
      is_draining: false,
      disk_percent: 85,
      certificate_ends_at: NOW + 90 * DAY,
    };
    await reportNode('node-a', good);
    for (const kind of ['disk_full', 'certificate_ending', 'version_outdated', 'node_gone'] as const)
      await expectGone(kind);
    const facts = new Map((await scene.view('root')).checks.map(({ name, values }) => [name, values]));
    expect([facts.get('disk'), facts.get('certificate'), facts.get('version')]).toEqual([
      { percent: 85 },
      { ends_at: NOW + 90 * DAY },
      { version: '1.4.0' },
    ]);

    await reportNode('node-a', {
      ...good,
      disk_percent: 86,
      certificate_ends_at: scene.clock.now + 13 * DAY,
    });
    await expectSeenBy('disk_full', 'root');
    await expectSeenBy('certificate_ending', 'root');
    expect(await scene.item('root', 'certificate_ending')).toMatchObject({ values: { days: 12 } });
    await reportNode('node-a', good);
    await expectGone('disk_full');
    await expectGone('certificate_ending');

    await reportNode('node-b', { ...good, version: '1.3.9' });
    await expectSeenBy('version_outdated', 'root');
    expect(await scene.item('root', 'version_outdated')).toMatchObject({
      values: { name: 'node-b', version: '1.3.9', newest: '1.4.0' },
    });
    await reportNode('node-b', good);
    await expectGone('version_outdated');

    await reportNode('node-b', good, 7200);
    await expectSeenBy('node_gone', 'root');
    await reportNode('node-b', { ...good, is_draining: true }, 7200);
    await expectGone('node_gone');
  });

  test('nothing is left, and every check has run', async () => {
    const { items, checks, checked_at, counts } = await scene.view('root');
    expect(items).toEqual([]);
    expect(counts).toEqual({});
    expect(checks.length).toBe(14);
    expect(checks.filter(({ is_late }) => is_late)).toEqual([]);
    expect(checked_at).toBe(scene.clock.now);
    expect(scene.errors).toEqual([]);
    expect((await scene.view('admin')).checks.map(({ name }) => name)).toEqual([
      'channels',
      'orders',
      'prices',
      'balances',
      'margins',
      'decisions',
      'account',
    ]);
    expect((await scene.view('user')).checks.map(({ name }) => name)).toEqual(['account']);
  });
});
