// Error messages that callers and the console rely on, each caused by a real call, and the reads with which every screen
// begins.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { addChannel } from '#tests/support/channels.ts';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';

setDefaultTimeout(60_000);

const MODEL = 'gpt-4o-mini';
const BUSY_MODEL = 'gpt-4o';

let app: TestApplication;
let upstream: MockUpstream;
let user: Actor;
let admin: Actor;
let channel: number;
const busy = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: () => Response.json({ error: { message: 'slow down' } }, { status: 429 }),
});

beforeAll(async () => {
  upstream = startMockUpstream();
  app = await startApplication({
    settings: {
      GroupRatio: JSON.stringify({ default: 1, vip: 0.5 }),
      UserUsableGroups: JSON.stringify({ default: 'Everybody', vip: 'Half the price' }),
    },
  });
  channel = await addChannel(app.store, { base_url: upstream.url, models: [MODEL] });
  await addChannel(app.store, { base_url: `http://127.0.0.1:${busy.port}`, models: [BUSY_MODEL] });
  user = await app.actor({ quota: 5_000_000 });
  admin = await app.actor({ role: ROLE.admin, quota: 5_000_000 });
});
afterAll(async () => {
  await app.close();
  await upstream.stop();
  await busy.stop(true);
});

async function keyOf(owner: Actor, fields: Record<string, unknown> = {}, row: Record<string, number> = {}) {
  const body = { name: 'key', unlimited_quota: true, ...fields };
  const [token] = await app.client(owner).tokens.create({ body });
  if (!token) throw new Error('no token was made');
  if (Object.keys(row).length > 0)
    await app.store.db.updateTable('tokens').set(row).where('id', '=', token.id).execute();
  return token.key;
}

/** The status, and the message without the request id at its end. */
async function said(key: string, model = MODEL): Promise<[number, string]> {
  const response = await fetch(`${app.url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer sk-${key}`,
      'Content-Type': 'application/json',
      'Accept-Language': 'zh',
    },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }] }),
  });
  const { error } = (await response.json()) as { error?: { message: string } };
  return [response.status, (error?.message ?? '').replace(/ ?\(?(request id|请求 ?ID)[\s\S]*$/i, '').trim()];
}

describe('model calls', () => {
  test('REL-8.34 insufficient quota', async () => {
    const poor = await app.actor({ quota: 0 });
    const [status, sentence] = await said(await keyOf(poor));
    expect(status).toBe(403);
    expect(sentence).toStartWith('余额不足');
  });

  test('REL-8.35 invalid token', async () => {
    expect(await said('x'.repeat(48))).toEqual([401, '令牌无效。请检查密钥是否完整、是否属于本站']);
  });

  test('REL-8.36 token expired, quota depleted, status unavailable', async () => {
    const past = Math.floor(Date.now() / 1000) - 60;
    expect(await said(await keyOf(user, {}, { expired_time: past }))).toEqual([
      401,
      '该令牌已过期。请修改有效期，或换用其他令牌',
    ]);
    expect(await said(await keyOf(user, {}, { status: 4 }))).toEqual([
      401,
      '该令牌额度已用尽。请提高额度，或换用其他令牌',
    ]);
    expect(await said(await keyOf(user, {}, { status: 2 }))).toEqual([
      401,
      '该令牌已被禁用。请在令牌页启用它，或换用其他令牌',
    ]);
  });

  test('REL-8.37 no available channels', async () => {
    const [status, sentence] = await said(await keyOf(user), 'gpt-4');
    expect(status).toBe(404);
    expect(sentence).toBe('分组 default 下的模型 gpt-4 暂无可用渠道，请稍后再试或更换模型');
  });

  test('REL-8.38 REL-8.39 REL-6.19 a disabled channel, one that does not exist, and no choice of channel for users', async () => {
    const off = await addChannel(app.store, {
      base_url: upstream.url,
      models: [MODEL],
      fields: { status: 2 },
    });
    const key = await keyOf(admin);
    // The relay reloads its channels a moment after the announcement.
    for (let round = 0; round < 100; round += 1) {
      if ((await said(`${key}-${off}`))[0] === 403) break;
      await Bun.sleep(20);
    }
    expect(await said(`${key}-${off}`)).toEqual([403, '该渠道已被禁用']);
    expect(await said(`${key}-99999`)).toEqual([400, '无效的渠道 ID']);
    expect((await said(`${key}-${channel}`))[0]).toBe(200);
    expect(await said(`${await keyOf(user)}-${channel}`)).toEqual([403, '普通用户不支持指定渠道']);
  });

  test('REL-8.48 upstream group load saturated', async () => {
    expect(await said(await keyOf(user), BUSY_MODEL)).toEqual([429, '当前分组上游负载已饱和，请稍后再试']);
  });
});

describe('calls of the console', () => {
  const sentence = async (
    from: TestApplication,
    path: string,
    as?: Actor,
    method = 'GET',
    body?: unknown,
  ) => {
    const reply = await from.request(path, { as, method, body, language: 'zh' });
    return [reply.status, reply.body.message];
  };

  test('REL-7.01 every answer has success, message and data', async () => {
    for (const [path, as] of [
      ['/api/status', undefined],
      ['/api/token/', user],
      ['/api/channel/', user],
      ['/api/log/self', undefined],
    ] as const) {
      const { body } = await app.request(path, { as });
      expect(Object.keys(body)).toEqual(expect.arrayContaining(['success', 'message', 'data']));
      expect(typeof body.success).toBe('boolean');
      expect(typeof body.message).toBe('string');
    }
  });

  test('REL-8.43 REL-6.01 no permission: one rule separates administrators from users', async () => {
    for (const path of ['/api/channel/', '/api/log/', '/api/data/?start_timestamp=0&end_timestamp=1']) {
      expect(await sentence(app, path, user)).toEqual([403, '没有权限执行此操作。如需使用，请联系管理员']);
      expect((await app.request(path, { as: admin })).status).toBe(200);
    }
  });

  test('REL-8.44 too many requests', async () => {
    const tight = await startApplication({ limits: { api: { most: 1, seconds: 60 } } });
    await tight.request('/api/status');
    expect(await sentence(tight, '/api/status')).toEqual([429, '请求次数过多，请稍后再试']);
    await tight.close();
  });

  test('REL-8.45 server internal error', async () => {
    const broken = await startApplication();
    const someone = await broken.actor();
    await broken.store.db.schema.dropTable('usage_hours').execute();
    expect(await sentence(broken, '/api/data/self?start_timestamp=0&end_timestamp=1', someone)).toEqual([
      500,
      '服务器内部错误，请联系管理员',
    ]);
    await broken.close();
  });

  test('REL-8.49 a demo site has no server', async () => {
    const demo = await startApplication({ settings: { DemoSiteEnabled: 'true' } });
    const someone = await demo.actor();
    expect(await sentence(demo, '/api/token/', someone, 'POST', { name: 'x' })).toEqual([
      405,
      '本站仅作演示之用，无服务端',
    ]);
    await demo.close();
  });
});

describe('reads with which the screens begin', () => {
  test('REL-7.34 the models a user may call', async () => {
    expect((await app.request('/api/user/models', { as: user })).body.data).toEqual(
      [BUSY_MODEL, MODEL].sort(),
    );
  });

  test('REL-7.35 REL-3.140 REL-3.141 the user’s groups with description and ratio', async () => {
    expect((await app.request('/api/user/self/groups', { as: user })).body.data).toMatchObject({
      default: { desc: 'Everybody', ratio: 1 },
      vip: { desc: 'Half the price', ratio: 0.5 },
    });
  });

  test('REL-7.36 the user’s quota', async () => {
    const someone = await app.actor({ quota: 1234 });
    expect((await app.request('/api/user/self', { as: someone })).body.data).toMatchObject({ quota: 1234 });
  });

  test('REL-7.38 a logout ends the session', async () => {
    const someone = await app.actor();
    expect((await app.request('/api/user/logout', { as: someone })).body.success).toBe(true);
    expect((await app.request('/api/user/self', { as: someone })).status).toBe(401);
  });

  test('REL-7.73 REL-9.42 the status has what the console needs, with a minimum top-up of 1', async () => {
    expect((await app.request('/api/status')).body.data).toMatchObject({
      system_name: expect.any(String),
      server_address: expect.any(String),
      top_up_link: '',
      min_topup: 1,
      enable_online_topup: false,
      quota_per_unit: 500_000,
    });
  });

  test('REL-3.103 REL-3.104 REL-3.105 the stat has quota, rpm and tpm', async () => {
    const someone = await app.actor({ quota: 5_000_000 });
    const key = await keyOf(someone);
    expect((await said(key))[0]).toBe(200);
    const { data } = (await app.request('/api/log/self/stat', { as: someone })).body;
    const [row] = (await app.client(someone).logs.listSelf({ query: {} })).items;
    expect(data).toMatchObject({
      quota: row?.quota,
      rpm: 1,
      tpm: (row?.prompt_tokens ?? 0) + (row?.completion_tokens ?? 0),
    });
    expect(row?.quota).toBeGreaterThan(0);
  });
});
