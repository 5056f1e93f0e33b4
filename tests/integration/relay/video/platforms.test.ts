// Every video platform through /v1/videos: what is sent in the platform's own words, the states until the end, the bytes, and the
// charge; the official client; the family's path and Kling's own.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import OpenAI, { toFile } from 'openai';
import { ROLE } from '#contract/access.ts';
import { mediaAddress } from '#server/relay/media/index.ts';
import { ask, booksOf, createPainter, expectSoundBooks } from '#tests/integration/relay/drawing/support.ts';
import { subscribe } from '#tests/integration/money/plans/world.ts';
import { eventually } from '#tests/integration/relay/calls/harness.ts';
import { startApplication, type TestApplication } from '#tests/support/application.ts';
import { faultSeen } from '#tests/support/fault-report.ts';
import { startVideos, type VideoServer } from '#mock/upstream/video/server.ts';
import { filmBytes } from '#mock/upstream/video/shape.ts';
import type { PlatformName } from '#mock/upstream/video/shapes.ts';
import { created, endedVideo, setPrices, START, videoChannel, videoRow } from './support.ts';

setDefaultTimeout(60_000);

const SECOND = 5_000;
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const PICTURE = `data:image/png;base64,${PNG.toString('base64')}`;

let app: TestApplication;
let upstream: VideoServer;
beforeAll(async () => {
  upstream = startVideos();
  app = await startApplication({ environment: { TASK_POLL_SECONDS: '1' } });
  await setPrices(app);
  await app.settings.set('ServerAddress', app.url, 0);
  const names: PlatformName[] = [
    'sora',
    'gemini',
    'vertex',
    'kling',
    'doubao',
    'wan',
    'hailuo',
    'vidu',
    'jimeng',
    'runway',
  ];
  const models = names.map((name) => `${name}-1`);
  await app.settings.set(
    'ModelPrice',
    JSON.stringify(Object.fromEntries(models.map((model) => [model, 0.01]))),
    0,
  );
  await app.settings.set(
    'PriceUnit',
    JSON.stringify(Object.fromEntries(models.map((model) => [model, 'second']))),
    0,
  );
  for (const name of names) await videoChannel(app, upstream, name, [`${name}-1`]);
  await videoChannel(app, upstream, 'sora', ['sora-2']);
});
afterAll(async () => {
  await app.close();
  await upstream.stop();
});

const sent = () => upstream.submissions.at(-1)!;
/** Our own address of a video, as MediaForwardEnabled says. */
const filmAddress = async (id: string) =>
  mediaAddress(app.store.vault, app.url, { task: await videoRow(app, id), name: 'video-0' });
const wish = { prompt: 'a toll gate', seconds: '8', size: '1280x720', negative_prompt: 'rain', fancy: 1 };

/** What each platform is sent for `wish`, and the seconds it makes of it. */
const cases: [PlatformName, string, Record<string, unknown>, number][] = [
  ['sora', '/v1/videos', { ...wish, model: 'sora-1', seconds: '8', size: '1280x720' }, 8],
  [
    'gemini',
    '/v1beta/models/gemini-1:predictLongRunning',
    {
      instances: [{ prompt: 'a toll gate' }],
      parameters: { sampleCount: 1, durationSeconds: 8, aspectRatio: '16:9', resolution: '720p' },
    },
    8,
  ],
  [
    'vertex',
    '/v1/publishers/google/models/vertex-1:predictLongRunning',
    {
      instances: [{ prompt: 'a toll gate' }],
      parameters: { sampleCount: 1, durationSeconds: 8, aspectRatio: '16:9', resolution: '720p' },
    },
    8,
  ],
  [
    'kling',
    '/v1/videos/text2video',
    {
      model_name: 'kling-1',
      prompt: 'a toll gate',
      negative_prompt: 'rain',
      duration: '10',
      mode: 'std',
      aspect_ratio: '16:9',
      callback_url: expect.stringContaining('/v1/video/notify/') as string,
    },
    10,
  ],
  [
    'doubao',
    '/api/v3/contents/generations/tasks',
    {
      model: 'doubao-1',
      content: [{ type: 'text', text: 'a toll gate' }],
      resolution: '720p',
      duration: 8,
      ratio: '16:9',
      callback_url: expect.stringContaining('/v1/video/notify/') as string,
    },
    8,
  ],
  [
    'wan',
    '/api/v1/services/aigc/video-generation/video-synthesis',
    {
      model: 'wan-1',
      input: { prompt: 'a toll gate', negative_prompt: 'rain' },
      parameters: { duration: 8, size: '1280*720' },
    },
    8,
  ],
  [
    'hailuo',
    '/v1/video_generation',
    { model: 'hailuo-1', prompt: 'a toll gate', duration: 10, resolution: '768P' },
    10,
  ],
  [
    'vidu',
    '/ent/v2/text2video',
    {
      model: 'vidu-1',
      prompt: 'a toll gate',
      duration: 8,
      resolution: '720p',
      aspect_ratio: '16:9',
      callback_url: expect.stringContaining('/v1/video/notify/') as string,
    },
    8,
  ],
  [
    'jimeng',
    '/?Action=CVSync2AsyncSubmitTask&Version=2022-08-31',
    { req_key: 'jimeng-1', prompt: 'a toll gate', frames: 241, aspect_ratio: '16:9' },
    10,
  ],
  [
    'runway',
    '/v1/text_to_video',
    { model: 'runway-1', promptText: 'a toll gate', ratio: '1280:720', duration: 10 },
    10,
  ],
];

/** One video on every platform, so that one turn of the poller sees all of them. */
async function onEach(body: Record<string, unknown>) {
  const videos = [];
  for (const [name, path, sentBody, seconds] of cases) {
    const player = await createPainter(app);
    const id = await created(app, player.key, { ...body, model: `${name}-1` });
    videos.push({ name, player, id, there: sent(), path, sentBody, seconds });
  }
  return videos;
}

test('every platform: created in its own words, queued, made, delivered and charged by the second', async () => {
  const videos = await onEach(wish);
  for (const { name, player, there, path, sentBody, seconds } of videos) {
    expect([name, there.path, there.body]).toEqual([name, path, sentBody]);
    expect([name, (await booksOf(app, player.id)).held]).toEqual([name, seconds * SECOND]);
    upstream.change(there.id, { state: 'running', progress: 50 });
  }
  for (const { id } of videos)
    await eventually(
      () => videoRow(app, id),
      (row) => row.status === 'IN_PROGRESS',
    );
  for (const { there, seconds } of videos) upstream.finish(there.id, { seconds });
  for (const { name, player, id, there, seconds } of videos) {
    expect([name, await endedVideo(app, id)]).toMatchObject([name, { status: 'SUCCESS', money: 'settled' }]);
    const charged = seconds * SECOND;
    const paid = { quota: START - charged, used: charged, held: 0, entries: 1 };
    expect([name, await booksOf(app, player.id)]).toMatchObject([name, paid]);
    const get = (headers: Record<string, string>) =>
      fetch(`${app.url}/v1/videos/${id}/content`, {
        headers: { Authorization: `Bearer ${player.key}`, ...headers },
      });
    const film = filmBytes(there.id);
    const whole = await get({});
    expect([name, whole.status, whole.headers.get('content-type')]).toEqual([name, 200, 'video/mp4']);
    expect(Buffer.from(await whole.arrayBuffer()).equals(film)).toBe(true);
    const part = await get({ Range: 'bytes=10-19' });
    expect([name, part.status, part.headers.get('content-range')]).toEqual([name, 206, 'bytes 10-19/1000']);
    expect(Buffer.from(await part.arrayBuffer()).equals(film.subarray(10, 20))).toBe(true);
    expect([name, (await get({ Range: 'bytes=5000-' })).status]).toEqual([name, 416]);
    // From our own address, also where the bytes are inside the upstream's answer.
    const shown = await fetch(await filmAddress(id));
    expect([name, shown.status, shown.headers.get('content-type')]).toEqual([name, 200, 'video/mp4']);
    expect(Buffer.from(await shown.arrayBuffer()).equals(film)).toBe(true);
    const slice = await fetch(await filmAddress(id), { headers: { Range: 'bytes=990-' } });
    expect([name, slice.status, slice.headers.get('content-range')]).toEqual([
      name,
      206,
      'bytes 990-999/1000',
    ]);
    expect(Buffer.from(await slice.arrayBuffer()).equals(film.subarray(990))).toBe(true);
    // Several ranges may be answered with the whole file.
    const several = await get({ Range: 'bytes=0-1,5-6' });
    expect([name, several.status]).toEqual([name, 200]);
    expect(Buffer.from(await several.arrayBuffer()).equals(film)).toBe(true);
  }
});

test('every platform: a moderated video is free, a refused submission says why', async () => {
  const videos = await onEach({ prompt: 'bad' });
  for (const { name, there } of videos) {
    // Google sends a finished operation without videos.
    if (name === 'gemini') upstream.change(there.id, { state: 'done', reason: 'filtered' });
    else upstream.fail(there.id, 'Words that are not allowed');
  }
  for (const { name, player, id } of videos) {
    const { status, fail_reason } = await endedVideo(app, id);
    expect([name, status, fail_reason]).toEqual([name, 'FAILURE', 'Words that are not allowed']);
    upstream.refuse(name, 400, 'The prompt is too long');
    const refused = await ask(app.url, player.key, '/v1/videos', { prompt: 'long', model: `${name}-1` });
    const why = expect.stringContaining('The prompt is too long') as string;
    expect([name, refused.status, JSON.stringify(refused.body)]).toEqual([name, 400, why]);
    const free = { quota: START, held: 0, entries: 0 };
    expect([name, await booksOf(app, player.id)]).toMatchObject([name, free]);
  }
});

test('pictures: each platform gets the first frame in its own field', async () => {
  const player = await createPainter(app, 100 * START);
  const base64 = PNG.toString('base64');
  const fields: Partial<Record<PlatformName, [string, unknown]>> = {
    gemini: ['instances', [{ prompt: 'move', image: { bytesBase64Encoded: base64, mimeType: 'image/png' } }]],
    kling: ['image', base64],
    doubao: [
      'content',
      [
        { type: 'text', text: 'move' },
        { type: 'image_url', image_url: { url: PICTURE }, role: 'first_frame' },
      ],
    ],
    wan: ['input', { prompt: 'move', img_url: PICTURE }],
    hailuo: ['first_frame_image', PICTURE],
    vidu: ['images', [PICTURE]],
    jimeng: ['binary_data_base64', [base64]],
    runway: ['promptImage', PICTURE],
  };
  for (const [name, [field, expected]] of Object.entries(fields)) {
    const id = await created(app, player.key, { model: `${name}-1`, prompt: 'move', image: PICTURE });
    expect([name, sent().body[field]]).toEqual([name, expected]);
    expect((await videoRow(app, id)).action).toBe('IMAGE_TO_VIDEO');
    upstream.finish(sent().id);
  }
  expect(sent().path).toBe('/v1/image_to_video');
});

test("the official client's calls: create with an upload, retrieve, list, download, remix, delete", async () => {
  const player = await createPainter(app, 10 * START);
  const client = new OpenAI({ apiKey: player.key, baseURL: `${app.url}/v1`, maxRetries: 0 });
  const video = await client.videos.create({
    model: 'sora-2',
    prompt: 'a gate',
    seconds: '4',
    size: '720x1280',
    input_reference: await toFile(PNG, 'gate.png', { type: 'image/png' }),
  });
  expect(video).toMatchObject({ object: 'video', status: 'queued', seconds: '4', size: '720x1280' });
  expect(sent().upload).toBe(`input_reference image/png ${PNG.length}`);
  const early = await client.videos.downloadContent(video.id).catch((error: unknown) => error);
  expect(early).toMatchObject({ status: 400, code: 'task_unfinished' });
  upstream.finish(sent().id);
  await endedVideo(app, video.id);
  expect(await client.videos.retrieve(video.id)).toMatchObject({ status: 'completed', progress: 100 });
  const first = sent().id;
  const bytes = await (await client.videos.downloadContent(video.id)).arrayBuffer();
  expect(Buffer.from(bytes).equals(filmBytes(first))).toBe(true);
  // The channel's key goes to the first address only, and a page is no video.
  upstream.deliverNext({ redirects: true });
  expect((await client.videos.downloadContent(video.id)).status).toBe(200);
  expect(upstream.deliveries.slice(-2).map(({ hasKey }) => hasKey)).toEqual([true, false]);
  upstream.deliverNext({ type: 'text/html' });
  const htmlPage = await client.videos.downloadContent(video.id).catch((error: unknown) => error);
  expect(htmlPage).toMatchObject({ code: 'upstream_failed' });
  const remix = await client.videos.remix(video.id, { prompt: 'at night' });
  expect(remix).toMatchObject({ remixed_from_video_id: video.id, seconds: '4', prompt: 'at night' });
  expect(sent().path).toBe(`/v1/videos/${first}/remix`);
  upstream.finish(sent().id);
  await endedVideo(app, remix.id);
  const third = await client.videos.create({ prompt: 'by the default model' });
  expect(third.model).toBe('sora-2');
  const page = await client.videos.list({ limit: 2 });
  expect(page.data.map(({ id }) => id)).toEqual([third.id, remix.id]);
  expect(page.has_more).toBe(true);
  const all: string[] = [];
  for await (const { id } of client.videos.list({ limit: 2, order: 'asc' })) all.push(id);
  expect(all).toEqual([video.id, remix.id, third.id]);
  expect(await client.videos.delete(video.id)).toEqual({
    id: video.id,
    object: 'video.deleted',
    deleted: true,
  });
  expect(upstream.cancelled).toContain(first);
  const wrong = await client.videos.list({ limit: 1000 }).catch((error: unknown) => error);
  expect(wrong).toMatchObject({ status: 400, param: 'limit' });
  upstream.finish(sent().id);
  await endedVideo(app, third.id);
  await expectSoundBooks(app.store);
});

test("the family's path and Kling's own answer in their own words; a kept copy is read from", async () => {
  const player = await createPainter(app, 10 * START);
  const family = await ask(app.url, player.key, '/v1/video/generations', {
    model: 'vidu-1',
    prompt: 'a gate',
    duration: 4,
    width: 1280,
    height: 720,
    metadata: { movement_amplitude: 'small' },
  });
  expect(family.body).toMatchObject({ status: 'queued', object: 'video' });
  expect(sent().body).toMatchObject({ duration: 4, resolution: '720p', movement_amplitude: 'small' });
  const id = String(family.body['task_id']);
  upstream.finish(sent().id);
  await endedVideo(app, id);
  expect((await ask(app.url, player.key, `/v1/video/generations/${id}`)).body).toMatchObject({
    task_id: id,
    status: 'completed',
    url: await filmAddress(id),
    format: 'mp4',
    metadata: { duration: 4, width: 1280, height: 720 },
    error: null,
  });
  const cover = await fetch(`${app.url}/v1/videos/${id}/content?variant=thumbnail`, {
    headers: { Authorization: `Bearer ${player.key}` },
  });
  expect([cover.headers.get('content-type'), await cover.text()]).toEqual(['image/png', 'cover']);
  const { id: task_id } = await videoRow(app, id);
  await Bun.write(join(app.dataDir, 'media', 'copy'), 'kept film');
  const kept = { task_id, name: 'video-0', key: 'copy', state: 'kept', place: 'disk' } as const;
  await app.store.db
    .insertInto('media')
    .values({ ...kept, type: 'video/mp4', bytes: 9, kept_at: Math.floor(Date.now() / 1000) })
    .execute();
  const copy = await fetch(`${app.url}/v1/videos/${id}/content`, {
    headers: { Authorization: `Bearer ${player.key}`, Range: 'bytes=5-' },
  });
  expect([copy.status, await copy.text()]).toEqual([206, 'film']);
  const native = await ask(app.url, player.key, '/kling/v1/videos/image2video', {
    model_name: 'kling-1',
    image: 'https://pictures.example.com/gate.png',
    image_tail: 'https://pictures.example.com/end.png',
    prompt: 'open',
    mode: 'pro',
    duration: '5',
  });
  expect(native.body).toMatchObject({ code: 0, data: { task_status: 'submitted' } });
  expect([sent().path, sent().body]).toEqual([
    '/v1/videos/image2video',
    expect.objectContaining({
      model_name: 'kling-1',
      image: 'https://pictures.example.com/gate.png',
      image_tail: 'https://pictures.example.com/end.png',
      mode: 'pro',
    }),
  ]);
  const klingId = (native.body['data'] as { task_id: string }).task_id;
  upstream.finish(sent().id, { seconds: 5 });
  await endedVideo(app, klingId);
  const done = await ask(app.url, player.key, `/kling/v1/videos/image2video/${klingId}`);
  expect(done.body['data']).toMatchObject({
    task_status: 'succeed',
    task_result: { videos: [{ url: await filmAddress(klingId), duration: '5' }] },
  });
  const refused = await ask(app.url, player.key, '/kling/v1/videos/text2video', { model_name: 'kling-1' });
  expect([refused.status, refused.body['code']]).toEqual([400, 400]);
  // Pictures are downloaded only for a model that the token may use.
  const limited = await createPainter(app, START, { model_limits_enabled: 1, model_limits: 'sora-1' });
  const other = { prompt: 'x', model: 'gemini-1', image: 'http://127.0.0.1/gate.png' };
  const forbidden = await ask(app.url, limited.key, '/v1/videos', other);
  expect((forbidden.body['error'] as { code: string }).code).toBe('model_not_allowed');
  const unknown = await ask(app.url, player.key, '/v1/videos', { prompt: 'x', model: 'nowhere' });
  expect((unknown.body['error'] as { code: string }).code).toBe('model_not_found');
});

test.each([
  [{ prompt: ' ' }, 'prompt'],
  [{ prompt: 'x', seconds: 'soon' }, 'seconds'],
  [{ prompt: 'x', seconds: 0 }, 'seconds'],
  [{ prompt: 'x', size: 'large' }, 'size'],
  [{ prompt: 'x', size: '1x1' }, 'size'],
  [{ prompt: 'x', image: 'file:///etc/passwd' }, 'image'],
  [{ prompt: 'x', images: 'one' }, 'images'],
  [{ prompt: 'x', resolution: 'good' }, 'resolution'],
])('%p is refused before anything is held', async (body, field) => {
  const player = await createPainter(app);
  const count = upstream.submissions.length;
  const { status, body: answer } = await ask(app.url, player.key, '/v1/videos', { model: 'sora-2', ...body });
  expect([status, (answer['error'] as { param: string }).param]).toEqual([400, field]);
  expect(upstream.submissions).toHaveLength(count);
  expect(await booksOf(app, player.id)).toMatchObject({ quota: START, held: 0, holds: 0 });
});

test('the console lists videos under the ids their callers know', async () => {
  const player = await createPainter(app, 10 * START);
  const id = await created(app, player.key, { model: 'vidu-1', prompt: 'listed', seconds: 4 });
  upstream.finish(sent().id);
  await endedVideo(app, id);
  const admin = await app.actor({ role: ROLE.admin });
  const found = await app.client(admin).tasks.list({ query: { task_id: id, platform: 'video' } });
  expect(found.data).toMatchObject([
    { task_id: id, platform: 'video', action: 'TEXT_TO_VIDEO', quota: 4 * SECOND, prompt: 'listed' },
  ]);
  const shown = await fetch(found.data[0]?.parts[0]?.video_url ?? '');
  expect(Buffer.from(await shown.arrayBuffer()).equals(filmBytes(sent().id))).toBe(true);
  expect(found.data[0]?.parts).toMatchObject([
    {
      video_url: expect.stringContaining('/video-0?key='),
      image_url: expect.stringContaining('/image-0?key='),
      duration: 4,
    },
  ]);
  // Our own addresses: the upstream's are for no user.
  expect(JSON.stringify(found.data)).not.toContain(upstream.url);
  const stranger = await app.actor();
  expect((await app.client(stranger).tasks.listSelf({ query: { task_id: id } })).total).toBe(0);
});

test('the hold covers the dearest video that the channels of the call may make (plan M21)', async () => {
  await app.settings.set('ModelPrice', JSON.stringify({ dear: 0.01, mapped: 0.01, 'vip-film': 0.01 }), 0);
  await app.settings.set('PriceUnit', JSON.stringify({ dear: 'second', 'vip-film': 'second' }), 0);
  const resolutions = { dear: { '1080p': 0.05 }, mapped: { '1080p': 0.05 } };
  await app.settings.set('ResolutionPrice', JSON.stringify(resolutions), 0);
  await app.settings.set('GroupRatio', JSON.stringify({ default: 1, vip: 1 }), 0);
  // Kling makes 10 seconds in 720p of it, Hailuo 6 in 1080p.
  await videoChannel(app, upstream, 'hailuo', ['dear'], { priority: 9 });
  await videoChannel(app, upstream, 'kling', ['dear']);
  // The upstream's name of the model decides the resolution.
  const model_mapping = JSON.stringify({ mapped: 'doubao-seedance-1-0-pro' });
  await videoChannel(app, upstream, 'doubao', ['mapped'], { fields: { model_mapping } });
  await videoChannel(app, upstream, 'kling', ['vip-film'], { groups: ['vip'] });
  const player = await createPainter(app, 10 * START);
  await subscribe(app, player.id, { group: 'vip', period_quota: START });
  await app.store.changes.announce('users', String(player.id));
  const heldFor = async (body: object) => {
    const id = await created(app, player.key, { prompt: 'a gate', ...body });
    const { quota } = await videoRow(app, id);
    upstream.finish(sent().id, { lines: 1080 });
    return { held: quota, charged: (await endedVideo(app, id)).quota };
  };
  const dear = { model: 'dear', seconds: 10, resolution: '1080p', mode: 'std' };
  expect(await heldFor(dear)).toEqual({ held: 6 * 25_000, charged: 6 * 25_000 });
  expect(await heldFor({ model: 'mapped' })).toEqual({ held: 25_000, charged: 25_000 });
  expect(await heldFor({ model: 'vip-film', seconds: 10 })).toEqual({
    held: 10 * SECOND,
    charged: 10 * SECOND,
  });
  faultSeen('M21', 'a dearer channel and a dearer group: the dearest was held first');
  await expectSoundBooks(app.store);
});

test('a video is charged by the plan of the platform that made it, where its report says no length (M21)', async () => {
  await app.settings.set('ModelPrice', JSON.stringify({ either: 0.01 }), 0);
  await app.settings.set('PriceUnit', JSON.stringify({ either: 'second' }), 0);
  // Hailuo makes 6 seconds in 1080p, and its report names no length; Kling would make 10.
  await videoChannel(app, upstream, 'hailuo', ['either'], { priority: 9 });
  await videoChannel(app, upstream, 'kling', ['either']);
  const player = await createPainter(app);
  const asked = { model: 'either', prompt: 'a gate', seconds: 10, resolution: '1080p', mode: 'std' };
  const id = await created(app, player.key, asked);
  expect(sent()).toMatchObject({ path: '/v1/video_generation', body: { duration: 6 } });
  expect((await booksOf(app, player.id)).held).toBe(10 * SECOND);
  upstream.finish(sent().id, { lines: 1080 });
  expect((await endedVideo(app, id)).quota).toBe(6 * SECOND);
  expect(await booksOf(app, player.id)).toMatchObject({ used: 6 * SECOND, held: 0 });
  await expectSoundBooks(app.store);
});
