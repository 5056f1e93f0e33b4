// The paths of a Midjourney proxy as a client uses them: every action, every form of the key, who may read which
// drawing, where images come from, and refusals of an upstream.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { picture } from '#mock/upstream/midjourney/server.ts';
import {
  ask,
  ended,
  imagine,
  MODELS,
  openStudio,
  booksOf,
  taskRow,
  type Painter,
  type Studio,
} from './support.ts';
import { eventually } from '#tests/integration/relay/calls/harness.ts';
import { LOOPBACK_HOSTS } from '#tests/support/loopback.ts';

setDefaultTimeout(60_000);

let studio: Studio;
let painter: Painter;
beforeAll(async () => {
  // The address of a callback is public; the worker is asked for it, and nothing is sent there.
  studio = await openStudio({ environment: { EGRESS_ALLOW: `${LOOPBACK_HOSTS},1.1.1.1` } });
  painter = await studio.painter(100_000_000);
});
afterAll(() => studio.close());

const post = (path: string, body: unknown, key = painter.key) => ask(studio.app.url, key, path, body);
const get = (path: string, key = painter.key) => ask(studio.app.url, key, path);

async function drawn(): Promise<string> {
  const id = await imagine(studio.app.url, painter.key);
  await studio.mj.finish(id);
  await ended(studio.app.store, id);
  return id;
}

describe('actions', () => {
  let origin: string;
  beforeAll(async () => {
    origin = await drawn();
  });
  const base64 = 'data:image/png;base64,AAAA';
  const button = (name: string) => () => ({ taskId: origin, customId: `MJ::${name}::1::abc` });

  const cases: [ids: string, path: string, body: () => object, action: string, model: string][] = [
    ['REL-4.55', 'submit/imagine', () => ({ prompt: 'a gate' }), 'IMAGINE', 'mj_imagine'],
    [
      'REL-4.56',
      'submit/change',
      () => ({ taskId: origin, action: 'UPSCALE', index: 2 }),
      'UPSCALE',
      'mj_upscale',
    ],
    ['REL-4.57', 'submit/simple-change', () => ({ content: `${origin} V3` }), 'VARIATION', 'mj_variation'],
    ['REL-4.58', 'submit/action', button('JOB::high_variation'), 'HIGH_VARIATION', 'mj_high_variation'],
    ['REL-4.59', 'submit/action', button('JOB::low_variation'), 'LOW_VARIATION', 'mj_low_variation'],
    ['REL-4.60', 'submit/action', button('JOB::pan_left'), 'PAN', 'mj_pan'],
    ['REL-4.61', 'submit/describe', () => ({ base64 }), 'DESCRIBE', 'mj_describe'],
    ['REL-4.62', 'submit/blend', () => ({ base64Array: [base64, base64] }), 'BLEND', 'mj_blend'],
    ['REL-4.64', 'submit/shorten', () => ({ prompt: 'a long gate' }), 'SHORTEN', 'mj_shorten'],
    ['REL-4.65', 'submit/simple-change', () => ({ content: `${origin} R` }), 'REROLL', 'mj_reroll'],
    ['REL-4.66', 'submit/action', button('Inpaint'), 'INPAINT', 'mj_inpaint'],
    ['REL-4.67', 'submit/action', button('Outpaint'), 'ZOOM', 'mj_zoom'],
    ['REL-4.68', 'submit/action', button('CustomZoom'), 'CUSTOM_ZOOM', 'mj_custom_zoom'],
    ['REL-4.69', 'submit/modal', () => ({ taskId: origin, prompt: 'wider' }), 'MODAL', 'mj_modal'],
    [
      'REL-4.70',
      'insight-face/swap',
      () => ({ sourceBase64: base64, targetBase64: base64 }),
      'SWAP_FACE',
      'swap_face',
    ],
  ];

  test.each(cases)('%s %s is an action with a separate price', async (_ids, path, body, action, model) => {
    const { status, body: answer } = await post(`/mj/${path}`, body());
    expect([status, answer['code']]).toEqual([200, 1]);
    const id = String(answer['result']);
    expect(await taskRow(studio.app.store, id)).toMatchObject({
      action,
      model,
      channel_id: studio.channelId,
    });
    expect(studio.mj.submissions.at(-1)).toMatchObject({ id, path: `/mj/${path}`, body: body() });
    await studio.mj.fail(id, 'only a test');
  });

  test('REL-4.63 an upload finishes at once, and answers the addresses', async () => {
    const before = await booksOf(studio.app, painter.id);
    const { body } = await post('/mj/submit/upload-discord-images', { base64Array: [base64] });
    expect(body).toMatchObject({ code: 1, result: [`${studio.mj.url}/picture/uploaded.png`] });
    const row = await studio.app.store.db
      .selectFrom('tasks')
      .selectAll()
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow();
    expect(row).toMatchObject({ action: 'UPLOAD', status: 'SUCCESS', money: 'settled' });
    expect((await booksOf(studio.app, painter.id)).used).toBe(before.used + 25_000);
  });

  test('buttons of other kinds and incomplete bodies are refused before anything is sent', async () => {
    const before = studio.mj.submissions.length;
    const bad: [string, object][] = [
      ['submit/imagine', { prompt: ' ' }],
      ['submit/imagine', {}],
      ['submit/describe', {}],
      ['submit/blend', { base64Array: [base64] }],
      ['submit/change', { taskId: origin, action: 'EXPLODE', index: 1 }],
      ['submit/change', { taskId: origin, action: 'UPSCALE', index: 5 }],
      ['submit/simple-change', { content: `${origin} U9` }],
      ['submit/simple-change', { content: 'nonsense' }],
      ['submit/action', { taskId: origin, customId: 'MJ::Explode::1' }],
      ['submit/action', { taskId: 'a b', customId: 'MJ::JOB::reroll::1' }],
      ['insight-face/swap', { sourceBase64: base64 }],
    ];
    for (const [path, body] of bad) {
      const reply = await post(`/mj/${path}`, body);
      expect([path, reply.status, reply.body['code'], reply.body['type']]).toEqual([
        path,
        400,
        4,
        'invalid_field',
      ]);
    }
    expect(studio.mj.submissions.length).toBe(before);
  });

  test('an upstream’s dialog code is passed on, other accepted codes are answered as a submission', async () => {
    studio.mj.plan({ code: 21 });
    expect((await post('/mj/submit/action', button('CustomZoom')())).body['code']).toBe(21);
    studio.mj.plan({ code: 22 });
    const queued = await post('/mj/submit/imagine', { prompt: 'wait for me' });
    expect(queued.body['code']).toBe(1);
    expect((await taskRow(studio.app.store, String(queued.body['result']))).code).toBe(22);
    expect(queued.body['properties']).toEqual({});
  });
});

describe('callers', () => {
  test('a key may come in any of the usual places, and in the header of Midjourney proxies', async () => {
    const id = await imagine(studio.app.url, painter.key);
    const path = `/mj/task/${id}/fetch`;
    const ways: Record<string, string>[] = [
      { Authorization: `Bearer ${painter.key}` },
      { 'x-api-key': painter.key },
      { 'mj-api-secret': painter.key },
      { 'mj-api-secret': painter.key.slice(3), Authorization: 'midjourney-proxy' },
      { 'mj-api-secret': painter.key, Authorization: 'Bearer midjourney-proxy' },
    ];
    for (const headers of ways)
      expect((await ask(studio.app.url, '', path, undefined, headers)).status).toBe(200);
    const wrong: Record<string, string>[] = [
      {},
      { 'mj-api-secret': 'sk-wrong' },
      { Authorization: 'Bearer sk-wrong' },
    ];
    for (const headers of wrong)
      expect((await ask(studio.app.url, '', path, undefined, headers)).status).toBe(401);
    await studio.mj.fail(id, 'over');
  });

  test('limits of models, addresses and groups apply here as for any call', async () => {
    const limited = await studio.painter(1_000_000, { model_limits_enabled: 1, model_limits: 'mj_upscale' });
    expect((await post('/mj/submit/imagine', { prompt: 'x' }, limited.key)).body['type']).toBe(
      'model_not_allowed',
    );
    const elsewhere = await studio.painter(1_000_000, { allow_ips: '10.9.8.7' });
    expect((await post('/mj/submit/imagine', { prompt: 'x' }, elsewhere.key)).status).toBe(403);
    const grouped = await studio.painter(1_000_000, { group: 'vip' });
    expect((await post('/mj/submit/imagine', { prompt: 'x' }, grouped.key)).body['type']).toBe('no_channel');
    const disabled = await studio.painter(1_000_000, { status: 2 });
    expect((await post('/mj/submit/imagine', { prompt: 'x' }, disabled.key)).status).toBe(401);
    const slow = await studio.painter(1_000_000, { requests_per_minute: 1 });
    const [first, second] = [
      await post('/mj/submit/imagine', { prompt: 'x' }, slow.key),
      await post('/mj/submit/imagine', { prompt: 'x' }, slow.key),
    ];
    expect([first.status, second.status, second.headers.get('retry-after') !== null]).toEqual([
      200,
      429,
      true,
    ]);
    await studio.mj.fail(String(first.body['result']), 'over');
  });

  test('forbidden words are refused', async () => {
    await studio.app.settings.set('SensitiveWords', 'forbiddenword', 0);
    const { status, body } = await post('/mj/submit/imagine', { prompt: 'a ForbiddenWord here' });
    expect([status, body['type']]).toEqual([400, 'sensitive_words']);
    await studio.app.settings.set('SensitiveWords', 'test_sensitive', 0);
  });

  test('a drawing belongs to its owner: no other user reads, lists or continues it', async () => {
    const id = await drawn();
    const other = await studio.painter();
    expect((await get(`/mj/task/${id}/fetch`, other.key)).status).toBe(404);
    expect((await get(`/mj/task/${id}/image-seed`, other.key)).status).toBe(404);
    expect((await post('/mj/task/list-by-condition', { ids: [id] }, other.key)).body).toEqual([] as never);
    const change = await post('/mj/submit/change', { taskId: id, action: 'REROLL' }, other.key);
    expect([change.status, change.body['type']]).toEqual([404, 'task_unknown']);
  });

  test('a path with a speed sends the speed to the upstream', async () => {
    for (const [path, mode] of [
      ['/mj-fast/submit/imagine', 'FAST'],
      ['/mj-relax/mj/submit/imagine', 'RELAX'],
      ['/turbo/mj/submit/imagine', 'TURBO'],
    ] as const) {
      const { body } = await post(path, { prompt: 'quick' });
      expect(studio.mj.tasks.get(String(body['result']))?.body['accountFilter']).toEqual({ modes: [mode] });
      expect(
        (await get(`${path.replace(/\/submit.*$/, '')}/task/${String(body['result'])}/fetch`)).status,
      ).toBe(200);
      await studio.mj.fail(String(body['result']), 'over');
    }
  });

  test('REL-3.62 the mode of a token applies when a call names none', async () => {
    const { app, mj } = studio;
    await app.settings.set('MjAccountFilterEnabled', 'true', 0);
    const own = await studio.painter(1_000_000, { mj_mode: 'relax' });
    const filterOf = async (path: string, body: object) => {
      const id = String((await post(path, { prompt: 'x', ...body }, own.key)).body['result']);
      await mj.fail(id, 'over');
      return mj.tasks.get(id)?.body['accountFilter'];
    };
    expect(await filterOf('/mj/submit/imagine', {})).toEqual({ modes: ['RELAX'] });
    const mine = { accountFilter: { instanceId: '7' } };
    expect(await filterOf('/mj/submit/imagine', mine)).toEqual({ instanceId: '7', modes: ['RELAX'] });
    expect(await filterOf('/mj-fast/submit/imagine', {})).toEqual({ modes: ['FAST'] });
    expect(await filterOf('/mj/submit/imagine', { prompt: 'x --turbo' })).toBeUndefined();
    const named = { accountFilter: { modes: ['TURBO'] } };
    expect(await filterOf('/mj/submit/imagine', named)).toEqual({ modes: ['TURBO'] });
    await app.settings.set('MjAccountFilterEnabled', 'false', 0);
  });

  test('REL-3.63 a token can have its images from the gateway’s address when the site does not forward', async () => {
    const { app, mj } = studio;
    await app.settings.set('MjForwardUrlEnabled', 'false', 0);
    const pictureOf = async ({ key }: Painter) => {
      const id = await imagine(app.url, key);
      await mj.go(id, '40%');
      await mj.finish(id);
      await ended(app.store, id);
      return String((await get(`/mj/task/${id}/fetch`, key)).body['imageUrl']);
    };
    expect(await pictureOf(await studio.painter(1_000_000))).toStartWith(mj.url);
    const address = await pictureOf(await studio.painter(1_000_000, { mj_image_proxy: 'on' }));
    expect(address).toStartWith(`${app.url}/mj/image/`);
    const shown = await fetch(address);
    expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'image/png']);
    await app.settings.set('MjForwardUrlEnabled', 'true', 0);
  });

  test('unknown paths and methods get errors that say so', async () => {
    expect((await get('/mj/nothing/here')).status).toBe(404);
    expect((await post('/mj/submit/explode', {})).body['type']).toBe('unknown_route');
    expect((await get('/mj/submit/imagine')).status).toBe(405);
    const options = await fetch(`${studio.app.url}/mj/submit/imagine`, { method: 'OPTIONS' });
    expect(options.status).toBe(204);
  });

  test('the relay itself refuses drawing models, and says so', async () => {
    const { status, body } = await post('/v1/chat/completions', {
      model: 'mj_imagine',
      messages: [{ role: 'user', content: 'hi' }],
    });
    expect([status, (body['error'] as { code: string }).code]).toEqual([400, 'model_not_here']);
  });
});

describe('reading', () => {
  test('a drawing is answered with the field names of a Midjourney proxy', async () => {
    const { body: submitted } = await post('/mj/submit/imagine', { prompt: 'a gate', state: 'my-state' });
    const id = String(submitted['result']);
    await studio.mj.finish(id);
    await ended(studio.app.store, id);
    const { body } = await get(`/mj/task/${id}/fetch`);
    expect(body).toMatchObject({
      id,
      action: 'IMAGINE',
      status: 'SUCCESS',
      progress: '100%',
      prompt: 'a gate',
      promptEn: 'a gate',
      state: 'my-state',
      failReason: '',
      buttons: [{ label: 'U1' }],
      properties: { finalPrompt: 'a gate' },
    });
    expect(Number(body['finishTime'])).toBeGreaterThanOrEqual(Number(body['submitTime']));
    const many = await post('/mj/task/list-by-condition', { ids: [id, 'unknown'] });
    expect((many.body as unknown as { id: string }[]).map((each) => each.id)).toEqual([id]);
    expect((await get(`/mj/task/${id}/image-seed`)).body).toEqual({
      code: 1,
      description: 'ok',
      result: '1234567',
    });
  });

  test('an image is served from the gateway’s address, and only with the complete URL', async () => {
    const id = await drawn();
    const { body } = await get(`/mj/task/${id}/fetch`);
    const address = String(body['imageUrl']);
    expect(address).toStartWith(`${studio.app.url}/mj/image/${id}?key=`);
    const shown = await fetch(address);
    expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(Buffer.from(await shown.arrayBuffer()).equals(picture)).toBe(true);
    expect(shown.headers.get('content-security-policy')).toContain('sandbox');
    for (const wrong of [
      `${studio.app.url}/mj/image/${id}`,
      `${address.slice(0, -1)}x`,
      address.replace(id, '1'),
    ])
      expect((await fetch(wrong)).status).toBe(404);
  });

  test('only images pass, and every hop of a redirect is checked', async () => {
    const id = await drawn();
    const { body } = await get(`/mj/task/${id}/fetch`);
    const address = String(body['imageUrl']);
    const point = (result_url: string) =>
      studio.app.store.db.updateTable('tasks').set({ result_url }).where('task_id', '=', id).execute();
    await point(`${studio.mj.url}/picture/moved.png`);
    expect((await fetch(address)).status).toBe(200);
    for (const bad of [
      `${studio.mj.url}/picture/page.html`,
      'http://169.254.169.254/latest/meta-data',
      'http://10.0.0.1/x.png',
      'http://[::ffff:a00:1]/x.png',
    ]) {
      await point(bad);
      expect([bad, (await fetch(address)).status]).toEqual([bad, 502]);
    }
  });
});

describe('upstreams', () => {
  test('after an upstream without capacity another is used; the caller pays once', async () => {
    await studio.app.settings.set('RetryTimes', '2', 0);
    const who = await studio.painter();
    const second = await studio.channel({ name: 'reserve', priority: -1 });
    studio.mj.plan({ body: { code: 23, description: 'queue full' } });
    const id = await imagine(studio.app.url, who.key);
    const row = await taskRow(studio.app.store, id);
    expect(row.channel_id).toBe(second);
    await studio.mj.finish(id);
    await ended(studio.app.store, id);
    expect(await booksOf(studio.app, who.id)).toMatchObject({ used: 50_000, entries: 1, consumed: 1 });
    const log = await studio.app.store.db
      .selectFrom('logs')
      .select('other')
      .where('user_id', '=', who.id)
      .executeTakeFirstOrThrow();
    expect(JSON.parse(log.other)).toMatchObject({
      admin_info: { use_channel: [String(studio.channelId), String(second)] },
    });
    await studio.app.settings.set('RetryTimes', '0', 0);
  });

  test('REL-3.64 a token without backup gets the capacity error, and another channel is not used', async () => {
    await studio.app.settings.set('RetryTimes', '2', 0);
    const who = await studio.painter(1_000_000, { mj_backup_pool: 'off' });
    const before = studio.mj.submissions.length;
    studio.mj.plan({ body: { code: 23, description: 'the queue is full' } });
    const full = await ask(studio.app.url, who.key, '/mj/submit/imagine', { prompt: 'x' });
    expect([full.status, full.body['code']]).toEqual([429, 23]);
    expect(studio.mj.submissions.length).toBe(before);
    expect(await booksOf(studio.app, who.id)).toMatchObject({ held: 0, used: 0, failed: 1 });
    await studio.app.settings.set('RetryTimes', '0', 0);
  });

  test('no capacity on any channel is 429, a broken upstream 502, and both are stored as failed', async () => {
    const who = await studio.painter();
    studio.mj.plan({ body: { code: 30, description: 'saturated' } });
    const full = await ask(studio.app.url, who.key, '/mj/submit/imagine', { prompt: 'x' });
    expect([full.status, full.body['code']]).toEqual([429, 30]);
    studio.mj.plan({ status: 500 });
    expect((await ask(studio.app.url, who.key, '/mj/submit/imagine', { prompt: 'x' })).status).toBe(500);
    const rows = await studio.app.store.db
      .selectFrom('tasks')
      .select(['status', 'code', 'money'])
      .where('user_id', '=', who.id)
      .orderBy('id')
      .execute();
    expect(rows).toEqual([
      { status: 'FAILURE', code: 30, money: 'released' },
      { status: 'FAILURE', code: 0, money: 'released' },
    ]);
  });

  test('a follow-up is sent to the channel that made the drawing, or to none', async () => {
    const own = await studio.channel({ name: 'own', priority: 50, models: ['mj_imagine'] });
    const id = await drawn();
    expect((await taskRow(studio.app.store, id)).channel_id).toBe(own);
    const again = await post('/mj/submit/change', { taskId: id, action: 'UPSCALE', index: 1 });
    expect((await taskRow(studio.app.store, String(again.body['result']))).channel_id).toBe(own);
    await studio.app.store.db.updateTable('channels').set({ status: 2 }).where('id', '=', own).execute();
    await studio.app.store.changes.announce('channels', String(own));
    const refused = await eventually(
      () => post('/mj/submit/change', { taskId: id, action: 'UPSCALE', index: 2 }),
      ({ status }) => status !== 200,
    );
    expect([refused.status, refused.body['type']]).toEqual([503, 'task_channel_away']);
  });

  test('many drawings are polled in one request', async () => {
    const ids = await Promise.all(Array.from({ length: 8 }, () => imagine(studio.app.url, painter.key)));
    const asked = await eventually(
      () => studio.mj.questions.filter((question) => ids.every((id) => question.includes(id))).length,
      (count) => count > 0,
    );
    expect(asked).toBeGreaterThan(0);
    for (const id of ids) await studio.mj.fail(id, 'over');
    await Promise.all(ids.map((id) => ended(studio.app.store, id)));
  });

  test('an upstream that is unavailable for a while loses no drawing', async () => {
    const id = await imagine(studio.app.url, painter.key);
    studio.mj.isDown = true;
    await studio.mj.finish(id);
    const before = studio.app.logged.length;
    await eventually(
      () =>
        studio.app.logged
          .slice(before)
          .some((line) => line.includes('the state of drawings could not be read')),
      Boolean,
    );
    expect((await taskRow(studio.app.store, id)).status).toBe('SUBMITTED');
    studio.mj.isDown = false;
    expect((await ended(studio.app.store, id)).status).toBe('SUCCESS');
  });
});

describe('the lists of the console', () => {
  test('REL-7.67 REL-3.106 REL-3.107 REL-3.108 REL-3.109 REL-3.110 REL-3.111 REL-3.112 REL-3.113 REL-3.114 REL-3.115 REL-3.116 REL-3.117 administrators list all users’ drawings by id, time and channel', async () => {
    const { app } = studio;
    const admin = await app.actor({ role: ROLE.admin });
    const id = await drawn();
    const { body } = await app.request(`/api/mj/?p=0&mj_id=${id}`, { as: admin });
    const [task] = body.data as Record<string, unknown>[];
    expect(body).toMatchObject({ success: true, total: 1, page: 0, page_size: 10 });
    expect(task).toMatchObject({
      user_id: painter.id,
      channel_id: studio.channelId,
      action: 'IMAGINE',
      mj_id: id,
      code: 1,
      status: 'SUCCESS',
      progress: '100%',
      prompt: 'a toll gate',
      prompt_en: 'a toll gate',
      fail_reason: '',
      quota: 50_000,
    });
    expect(String(task?.['image_url'])).toStartWith(`${app.url}/mj/image/${id}`);
    const submitted = Number(task?.['submit_time']);
    expect(Number(task?.['finish_time'])).toBeGreaterThanOrEqual(submitted);
    const count = async (query: string) => {
      const reply = await app.request(`/api/mj/?mj_id=${id}&${query}`, { as: admin });
      return reply.body['total'];
    };
    expect(await count(`channel_id=${studio.channelId}`)).toBe(1);
    expect(await count(`channel_id=${studio.channelId + 100}`)).toBe(0);
    expect(await count(`start_timestamp=${submitted}&end_timestamp=${submitted}`)).toBe(1);
    expect(await count(`start_timestamp=${submitted + 1}`)).toBe(0);
    expect(await count(`end_timestamp=${submitted - 1}`)).toBe(0);
    expect(await count('action=UPSCALE')).toBe(0);
    expect(await count('status=SUCCESS')).toBe(1);
  });

  test('REL-7.68 REL-1.10 users list their own, without channels', async () => {
    const { app } = studio;
    const user = await app.actor();
    await app.store.db
      .updateTable('tasks')
      .set({ user_id: user.id })
      .where('task_id', '=', await drawn())
      .execute();
    const { body } = await app.request(`/api/mj/self/?p=0&channel_id=99&start_timestamp=0&mj_id=`, {
      as: user,
    });
    expect(body).toMatchObject({ success: true, total: 1 });
    expect((body.data as Record<string, unknown>[])[0]).toMatchObject({
      user_id: user.id,
      channel_id: 0,
      username: '',
    });
    const second = await app.request('/api/mj/self?p=1&page_size=1', { as: user });
    expect(second.body).toMatchObject({ data: [], total: 1, page: 1, page_size: 1 });
    expect((await app.request('/api/mj/', { as: user })).status).toBe(403);
  });
});

test('a caller who gave a callback address is notified of changes, under the egress rules for user addresses', async () => {
  const { app, mj } = studio;
  const notifications: Record<string, unknown>[] = [];
  // Calls to public addresses use the operator's worker, so that this test needs no network.
  const worker = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      notifications.push((await request.json()) as Record<string, unknown>);
      return Response.json({});
    },
  });
  await app.settings.set('WorkerUrl', `http://127.0.0.1:${worker.port}`, 0);
  await app.settings.set('MjNotifyEnabled', 'true', 0);
  const submitted = await Promise.all(
    ['https://1.1.1.1/hook', `http://127.0.0.1:${worker.port}/inside`].map((notifyHook) =>
      post('/mj/submit/imagine', { prompt: 'tell me', notifyHook }),
    ),
  );
  const [id = '', inside = ''] = submitted.map(({ body }) => String(body['result']));
  await mj.finish(id);
  await mj.finish(inside);
  await Promise.all([ended(app.store, id), ended(app.store, inside)]);
  await eventually(
    () => notifications.length,
    (count) => count > 0,
  );
  expect(notifications.map(({ url, method }) => [url, method])).toEqual([['https://1.1.1.1/hook', 'POST']]);
  const body = notifications[0]?.['body'] as Record<string, unknown> | undefined;
  expect(body).toMatchObject({ id, status: 'SUCCESS', progress: '100%' });
  expect(String(body?.['imageUrl'])).toStartWith(app.url);
  await app.settings.set('MjNotifyEnabled', 'false', 0);
  await app.settings.set('WorkerUrl', '', 0);
  await worker.stop(true);
});

test('the drawing models are those the channel types name', () => {
  expect(MODELS.length).toBe(16);
});
