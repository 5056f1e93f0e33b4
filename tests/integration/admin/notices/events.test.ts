// The events that exist in the server raise their notices, on both databases: once, and together with the change.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { createLog } from '#server/platform/log.ts';
import { createScheduler } from '#server/app/jobs/index.ts';
import { noticeExpiringTokens } from '#server/platform/notices/index.ts';
import { noticeText } from '#server/platform/notices/texts.ts';
import { creditReport } from '#server/money/payments/credit.ts';
import type { PaymentParts } from '#server/money/payments/parts.ts';
import { joinNotices } from '#server/app/notices.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { databaseLabels } from '#tests/support/databases.ts';
import { addChannel } from '#tests/support/channels.ts';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';

const MODEL = 'notice-model';
const now = () => Math.floor(Date.now() / 1000);

describe.each(databaseLabels)('%s', (database) => {
  let app: TestApplication;
  let root: Actor;
  let mock: MockUpstream;
  beforeAll(async () => {
    mock = startMockUpstream();
    app = await startApplication({
      database,
      settings: {
        ModelRatio: JSON.stringify({ [MODEL]: 1 }),
        CompletionRatio: JSON.stringify({ [MODEL]: 1 }),
        AutomaticDisableChannelEnabled: 'true',
        AutomaticEnableChannelEnabled: 'true',
        ChannelDisableThreshold: '0',
        // The job of this server looks for no tokens; the test looks itself, at a time of its choice.
        TokenExpiryNoticeDays: '0',
      },
    });
    root = await app.actor({ role: ROLE.root });
  });
  afterAll(async () => {
    await app.close();
    await mock.stop();
  });
  beforeEach(async () => {
    await app.store.db.deleteFrom('notices').execute();
  });

  const raised = async (event: string) => {
    const rows = await app.store.db
      .selectFrom('notices')
      .select(['user_id', 'details'])
      .where('event', '=', event)
      .orderBy('id')
      .execute();
    return rows.map(({ user_id, details }): Record<string, unknown> => ({
      user_id,
      ...(JSON.parse(details) as object),
    }));
  };
  const until = async (event: string, count: number) => {
    for (let wait = 0; wait < 200 && (await raised(event)).length < count; wait += 1) await Bun.sleep(20);
    return await raised(event);
  };
  const call = (key: string, content = 'hello') =>
    fetch(`${app.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer sk-${key}` },
      body: JSON.stringify({ model: MODEL, max_tokens: 10, messages: [{ role: 'user', content }] }),
    });
  const channel = (key: string, name: string, group = 'default') =>
    addChannel(app.store, { base_url: mock.url, models: [MODEL], groups: [group], key, name });
  async function keyOf(user: Actor, fields: Record<string, unknown> = { unlimited_quota: true }) {
    const reply = await app.request('/api/token/', { as: user, body: { name: 'mine', ...fields } });
    const [token] = reply.body.data as { key: string; id: number }[];
    return token ?? { key: '', id: 0 };
  }

  test('REL-1.18 a channel that calls or tests disable, and a test that enables it, notify the operators', async () => {
    const broken = await channel('sk-1.mock-401', 'broken', 'vip');
    const user = await app.actor({ quota: 1_000_000, group: 'vip' });
    const { key } = await keyOf(user);
    await (await call(key)).text();
    const [notice] = await until('channel_disabled', 1);
    expect(notice).toMatchObject({ user_id: 0, channel_id: broken, channel_name: 'broken' });
    // The upstream's own words, without the key in them.
    expect(notice?.reason).toStartWith('status 401: Incorrect API key provided: ***');
    // Disabled already: another failing call or test is no news.
    await (await call(key)).text();
    const good = await channel('sk-good', 'good', 'svip');
    await app.store.db.updateTable('channels').set({ status: 3 }).where('id', '=', good).execute();
    await app.request(`/api/channel/test/${good}`, { as: root });
    expect(await raised('channel_enabled')).toEqual([{ user_id: 0, channel_id: good, channel_name: 'good' }]);
    await app.request(`/api/channel/test/${good}`, { as: root });
    expect(await raised('channel_enabled')).toHaveLength(1);
    expect(await raised('channel_disabled')).toHaveLength(1);
    const failing = await channel('sk-1.mock-401', 'failing', 'svip');
    await app.request(`/api/channel/test/${failing}`, { as: root });
    expect((await raised('channel_disabled')).at(-1)).toMatchObject({ channel_id: failing });
  });

  test('UpstreamBalanceThreshold: a lower balance notifies once a day, none without a threshold', async () => {
    const id = await channel('sk-balance', 'balance', 'other');
    const read = () => app.request(`/api/channel/update_balance/${id}`, { as: root });
    await read();
    expect(await raised('upstream_balance_low')).toEqual([]);
    await app.settings.set('UpstreamBalanceThreshold', '100', 0);
    await read();
    await read();
    const [notice, ...others] = await raised('upstream_balance_low');
    expect(notice).toMatchObject({ channel_id: id, channel_name: 'balance', balance: 99.495 });
    expect(others).toEqual([]);
    await app.settings.set('UpstreamBalanceThreshold', '50', 0);
    await app.store.db.deleteFrom('notices').execute();
    await read();
    expect(await raised('upstream_balance_low')).toEqual([]);
  });

  test('a used-up day budget of a user, month budget of a token and quota of a token notify once', async () => {
    await channel('sk-good', 'works');
    const user = await app.actor({ quota: 10_000_000, row: { day_budget: 1 } });
    const { key } = await keyOf(user);
    const answers = await Promise.all(Array.from({ length: 8 }, () => call(key)));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(429));
    const today = new Date();
    const [year, at] = [today.getUTCFullYear(), today.getUTCMonth()];
    const nextDay = Date.UTC(year, at, today.getUTCDate() + 1) / 1000;
    const day = { subject: 'user', token_name: '', limit: 'day', amount: 1, resets_at: nextDay };
    expect(await until('budget_reached', 1)).toEqual([{ user_id: user.id, ...day }]);

    const rich = await app.actor({ quota: 10_000_000 });
    const limited = await keyOf(rich, { unlimited_quota: true, month_budget: 1, name: 'small' });
    await Promise.all([call(limited.key), call(limited.key)]);
    const nextMonth = Date.UTC(year, at + 1) / 1000;
    const month = {
      subject: 'token',
      token_name: 'small',
      limit: 'month',
      amount: 1,
      resets_at: nextMonth,
    };
    expect((await until('budget_reached', 2)).at(-1)).toEqual({ user_id: rich.id, ...month });

    const finite = await keyOf(rich, { remain_quota: 600, name: 'finite' });
    const stop = mock.behave({ usage: { inputTokens: 1000, outputTokens: 10 } });
    try {
      expect((await call(finite.key)).status).toBe(200);
    } finally {
      stop();
    }
    await until('budget_reached', 3);
    await (await call(finite.key)).text();
    await Bun.sleep(50);
    const all = await raised('budget_reached');
    expect(all).toHaveLength(3);
    expect(all.at(-1)).toMatchObject({
      user_id: rich.id,
      subject: 'token',
      token_name: 'finite',
      limit: 'quota',
    });
  });

  test('a budget of which nothing is used is not said to be used up because one call does not fit (O41)', async () => {
    await channel('sk-good', 'works');
    const user = await app.actor({ quota: 100_000_000 });
    const { key } = await keyOf(user, { unlimited_quota: true, day_budget: 100_000, name: 'unused' });
    const before = (await raised('budget_reached')).length;
    const refused = await call(key, 'word '.repeat(400_000));
    expect([refused.status, await refused.text()]).toEqual([429, expect.stringContaining('day_budget')]);
    await Bun.sleep(100);
    expect(await raised('budget_reached')).toHaveLength(before);
  });

  test('TokenExpiryNoticeDays: tokens that expire soon are one notice for each day, raised once', async () => {
    const user = await app.actor();
    const day = 86_400;
    // Noon of a day, so that tokens an hour apart expire on the same one.
    const at = Math.floor(now() / day) * day + day / 2;
    const add = async (name: string, expired_time: number, created_time: number) => {
      const { id } = await keyOf(user, { unlimited_quota: true, name });
      await app.store.db
        .updateTable('tokens')
        .set({ expired_time, created_time })
        .where('id', '=', id)
        .execute();
      return id;
    };
    for (let count = 0; count < 7; count += 1)
      await add(`t${count}`, at + 2 * day + count * 60, at - 30 * day);
    await add('far', at + 9 * day, at - 30 * day);
    await add('short life', at + 2 * day, at - day);
    await add('never', -1, at - 30 * day);
    const deleted = await add('deleted', at + 2 * day, at - 30 * day);
    await app.request(`/api/token/${deleted}`, { as: user, method: 'DELETE' });
    const look = (days: number) => noticeExpiringTokens({ store: app.store, days, now: at });
    await look(0);
    expect(await raised('token_expiring')).toEqual([]);
    await Promise.all([look(3), look(3)]);
    await look(3);
    expect(await raised('token_expiring')).toEqual([
      { user_id: user.id, token_name: 't0, t1, t2, t3, t4 +2', expires_at: at + 2 * day },
    ]);
    // The job reads the option.
    await app.store.db.deleteFrom('notices').execute();
    await app.settings.set('TokenExpiryNoticeDays', '4', 0);
    const run = () => app.request('/api/jobs/token-expiry/run', { as: root, body: {} });
    for (let tries = 0; tries < 100 && (await raised('token_expiring')).length === 0; tries += 1) {
      await run();
      await Bun.sleep(50);
    }
    expect(await raised('token_expiring')).toMatchObject([{ user_id: user.id }]);
    await app.settings.set('TokenExpiryNoticeDays', '0', 0);
  });

  test('a job that fails again and again notifies once an hour; a broken invariant once a day', async () => {
    const quiet = createLog({ level: 'error', write: () => {} });
    const { store, settings } = app;
    const never = { configured: false, put: async () => 0, wake: () => {} };
    const egress = { fetch: () => Promise.reject(new Error('not here')), check: async () => {} };
    const notices = joinNotices({ store, settings, log: quiet, egress, mailer: never });
    const scheduler = createScheduler({
      store,
      nodeId: 'notices-test',
      log: quiet,
      onRepeatedFailure: notices.onRepeatedFailure,
      jobs: [
        {
          name: 'failing-work',
          title: { zh: '', en: '' },
          description: { zh: '', en: '' },
          everySeconds: 3600,
          lease: 'node',
          run: () => Promise.reject(new Error('no luck')),
        },
      ],
    });
    const run = async (runs: number) => {
      for (let done = 0; done < runs;) {
        const isBegun = await scheduler.runNow('failing-work').then(
          () => true,
          () => false,
        );
        if (isBegun) done += 1;
        await Bun.sleep(20);
      }
    };
    await run(2);
    expect(await raised('job_failed')).toEqual([]);
    await run(3);
    await scheduler.stop();
    expect(await raised('job_failed')).toEqual([
      { user_id: 0, job: 'failing-work', title: { zh: '', en: '' }, failures: 3, error: 'no luck' },
    ]);
    for (let userId = 1; userId < 5; userId += 1)
      notices.onBreach({ invariant: 'a balance is the sum of its transfers', userId, detail: 'off by 1' });
    await until('invariant_broken', 1);
    await Bun.sleep(50);
    const broken = await raised('invariant_broken');
    expect(broken).toMatchObject([{ user_id: 0, invariant: 'a balance is the sum of its transfers' }]);
    expect(broken[0]?.['detail']).toBe('off by 1');
  });

  test('a payment that does not fit its order notifies once, however often it is reported', async () => {
    const user = await app.actor();
    const trade_no = `notice-${database}`;
    await app.store.db
      .insertInto('orders')
      .values({
        trade_no,
        user_id: user.id,
        provider: 'epay',
        amount_minor: 100,
        currency: 'CNY',
        quota: 5,
        created_at: now(),
      })
      .execute();
    const log = createLog({ level: 'error', write: () => {} });
    const parts = { store: app.store, log } as unknown as PaymentParts;
    const report = {
      tradeNo: trade_no,
      state: 'paid' as const,
      amountMinor: 1,
      currency: 'CNY',
      reference: '',
      payer: '',
    };
    for (let times = 0; times < 3; times += 1) {
      const { kind } = await creditReport(parts, report, { provider: 'epay', how: 'callback' });
      expect(kind).toBe('refused');
    }
    await creditReport(parts, { ...report, tradeNo: 'unknown' }, { provider: 'epay', how: 'callback' });
    expect(await raised('payment_alert')).toEqual([
      { user_id: 0, order: trade_no, reason: expect.stringContaining('"fact":"paymentMismatch"') },
      { user_id: 0, order: 'unknown', reason: '{"fact":"paymentWithoutOrder"}' },
    ]);
    const details = await app.store.db
      .selectFrom('notices')
      .select('details')
      .where('event', '=', 'payment_alert')
      .orderBy('id')
      .execute();
    const settings = {
      SystemName: 'Gate',
      ServerAddress: 'https://gate',
      QuotaPerUnit: 500_000,
      SiteTimeZone: 'UTC',
    };
    const texts = details.map((row) =>
      noticeText({ event: 'payment_alert', ...row }, { settings, username: '' }),
    );
    expect(texts.map(({ text }) => [text.zh, text.en])).toEqual([
      [
        `订单 ${trade_no}：未入账：金额应为 CNY 1.00，实际为 CNY 0.01\nhttps://gate/order`,
        `Order ${trade_no}: Not credited: CNY 0.01 instead of CNY 1.00\nhttps://gate/order`,
      ],
      [
        '订单 unknown：没有这个订单\nhttps://gate/order',
        'Order unknown: Order not found\nhttps://gate/order',
      ],
    ]);
  });
});
