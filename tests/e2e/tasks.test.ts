// The page of asynchronous tasks in a browser: the table and the gallery show new progress, play songs and videos, and show
// administrators more; the playground sends music and pictures with the price before and the charge after.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { ask, ended } from '#tests/integration/relay/drawing/support.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { accessibilityViolations, eventually, fitsWidth, PHONE, visit } from '#tests/support/browser.ts';
import { addChannel } from '#tests/support/channels.ts';
import { pngFile, wavFile } from '#mock/media-files.ts';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';
import { startSuno, type SunoServer } from '#mock/upstream/suno/server.ts';
import { startVideos, type VideoServer } from '#mock/upstream/video/server.ts';

setDefaultTimeout(120_000);

let app: TestApplication;
let suno: SunoServer;
let mock: MockUpstream;
let films: VideoServer;
let user: Actor;
let key: string;
beforeAll(async () => {
  suno = startSuno();
  mock = startMockUpstream();
  films = startVideos();
  app = await startApplication({ environment: { TASK_POLL_SECONDS: '1' } });
  await addChannel(app.store, {
    name: 'band',
    type: CHANNEL_TYPE.suno,
    base_url: suno.url,
    key: suno.key,
    models: ['suno_music', 'suno_lyrics'],
  });
  await addChannel(app.store, { name: 'painter', base_url: mock.url, models: ['gpt-image-1'] });
  await addChannel(app.store, {
    name: 'studio',
    type: CHANNEL_TYPE.sora,
    ...films.channel('sora'),
    models: ['sora-2'],
  });
  user = await app.actor({ username: 'player', quota: 1_000_000 });
  const [token] = await app.client(user).tokens.create({ body: { name: 'drum' } });
  key = `sk-${token?.key}`;
});
afterAll(async () => {
  await app.close();
  await suno.stop();
  await mock.stop();
  await films.stop();
});

/** The song is finished, and its files can be played; the third part of a clip is a video without sound. */
function finish(id: string): void {
  for (const number of [1, 2]) {
    suno.files.set(`/${id}-${number}.mp3`, wavFile(3));
    suno.files.set(`/${id}-${number}.png`, pngFile(number));
  }
  suno.finish(id);
}

const submit = async (what: string, body: unknown) =>
  String((await ask(app.url, key, `/suno/submit/${what}`, body)).body['data']);

test('REL-0.07 REL-1.11 REL-2.22 REL-2.115 REL-2.148 REL-6.08 a song moves on the open page, ends, and can be heard; the cost is shown', async () => {
  const id = await submit('music', { prompt: 'a song of gates', title: 'Gates' });
  suno.change(id, { status: 'IN_PROGRESS', progress: '40%' });
  await using at = await visit(app, { as: user, language: 'zh' });
  const { page, problems } = at;
  await page.goto('/token');
  await page.getByRole('navigation').getByRole('link', { name: '异步任务' }).click();
  const row = page.getByRole('row').filter({ hasText: id });
  await row.getByText('40%').waitFor();
  await row.getByText('生成音乐').waitFor();
  // While it runs the price is only held (O53).
  await row.getByText('预扣').waitFor();
  expect(await page.getByRole('columnheader', { name: '渠道' }).count()).toBe(0);
  finish(id);
  await row.getByText('成功').waitFor();
  await row.getByText('$0.10').waitFor();
  expect(await row.getByText('预扣').count()).toBe(0);
  await row.getByRole('button', { name: `查看结果 ${id}` }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('heading', { name: 'Gates 1' }).waitFor();
  expect(await dialog.locator('audio').first().getAttribute('src')).toMatch(/^\/media\/\d+\/audio-0\?key=/);
  expect(await dialog.getByRole('link', { name: '打开视频' }).count()).toBe(2);
  expect(await accessibilityViolations(page, { floating: true })).toEqual([]);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  expect(problems).toEqual([]);

  // The gallery, from here on remembered: the song is heard, and its waveform is drawn.
  await page.getByText('画廊').click();
  const tile = page.getByRole('listitem').filter({ hasText: 'Gates 1' });
  await tile.getByText('$0.10').waitFor();
  expect(await tile.getByText('2:00').count()).toBe(1);
  await tile.getByRole('button', { name: '播放 Gates 1' }).click();
  await tile.getByRole('button', { name: '暂停 Gates 1' }).waitFor();
  const bars = () =>
    tile.locator('span[style*="height"]').evaluateAll((all) => all.map(({ style }) => style.height));
  await eventually(async () => new Set(await bars()).size > 5, 'the waveform has bars of many heights');
  await tile.getByRole('button', { name: /第 2 部分/ }).click();
  await page.getByRole('button', { name: '播放 Gates 2' }).waitFor();
  const running = await submit('music', { prompt: 'a waltz' });
  suno.change(running, { status: 'IN_PROGRESS', progress: '30%' });
  await page.reload();
  const waltz = page.getByRole('listitem').filter({ hasText: 'a waltz' });
  await waltz.getByText(/已用 0:\d\d/).waitFor();
  await waltz.getByText('30%').waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);

  // Run again fills in the playground and sends nothing.
  const sent = suno.submissions.length;
  await waltz.getByRole('button', { name: '再次运行：a waltz' }).click();
  await page.waitForURL(/\/playground\?tab=music/);
  const prompt = page.getByLabel('提示词');
  expect(await prompt.inputValue()).toBe('a waltz');
  await page.getByText('价格 $0.10').waitFor();
  expect(suno.submissions).toHaveLength(sent);

  // Sent with the user's token; the result comes with its charge.
  await prompt.fill('a polka');
  await page.getByRole('button', { name: '生成' }).click();
  const run = page.getByRole('article').filter({ hasText: 'a polka' });
  await run.getByText('进行中').waitFor();
  await eventually(async () => suno.submissions.length > sent, 'the song is submitted');
  const { task_id, body } = suno.submissions.at(-1)!;
  expect(body).toMatchObject({ gpt_description_prompt: 'a polka' });
  finish(task_id);
  await run.getByText('已完成').waitFor();
  await run.getByText('$0.1000').waitFor();
  expect(await run.locator('audio').count()).toBe(2);
  expect(await accessibilityViolations(page)).toEqual([]);
  expect(problems).toEqual([]);
});

test('REL-2.118 administrators see user and channel and filter by channel; a phone shows the reason of a failure', async () => {
  const id = await submit('lyrics', { prompt: 'of gates' });
  suno.change(id, { status: 'FAILURE', fail_reason: 'not allowed here' });
  await ended(app.store, id);
  const admin = await app.actor({ role: ROLE.admin });
  await using at = await visit(app, { as: admin, language: 'en', locale: 'en-US' });
  const { page } = at;
  await page.goto('/task?channel=1');
  const row = page.getByRole('row').filter({ hasText: 'Lyrics' });
  await row.getByText('player').waitFor();
  await row.getByText('band').waitFor();
  await row.getByText('Not charged').waitFor();
  await page.goto('/task?channel=999');
  await page.getByText('Nothing matches').first().waitFor();
  await page.goto('/task');
  await page.getByText('Gallery').click();
  const tile = page.getByRole('listitem').filter({ hasText: 'of gates' }).first();
  await tile.getByText('not allowed here').waitFor();
  await tile.getByText('player').waitFor();
  await tile.getByText('band').waitFor();
  await page.setViewportSize(PHONE);
  await eventually(() => fitsWidth(page), 'the gallery fits the phone');
  await page.getByRole('button', { name: 'Table' }).click();
  await page.getByText('not allowed here').waitFor();
  await eventually(() => fitsWidth(page), 'the page fits the phone');
  expect(await accessibilityViolations(page)).toEqual([]);
});

test('a video plays while the pointer or the focus is on it, and a click holds it', async () => {
  const id = await submit('music', { prompt: 'a film of gates' });
  suno.files.set(`/${id}.png`, pngFile(3));
  suno.change(id, {
    status: 'SUCCESS',
    data: [{ title: 'Film', video_url: `${suno.url}/${id}.mp4`, image_url: `${suno.url}/${id}.png` }],
  });
  await ended(app.store, id);
  await using at = await visit(app, { as: user, language: 'en', storage: { 'tasks-view': 'gallery' } });
  const { page } = at;
  // The browser of the tests has no codecs: what counts is when the page asks to play and to pause.
  await page.addInitScript(`
    const tell = (name) => function () { this.dispatchEvent(new Event(name)); return Promise.resolve(); };
    HTMLMediaElement.prototype.play = tell('play');
    HTMLMediaElement.prototype.pause = tell('pause');
  `);
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await page.goto('/task');
  const tile = page.getByRole('listitem').filter({ hasText: 'Film' });
  const play = tile.getByRole('button', { name: 'Play Film' });
  const pause = tile.getByRole('button', { name: 'Pause Film' });
  await play.waitFor();
  await play.hover();
  await pause.waitFor();
  await page.mouse.move(0, 0);
  await play.waitFor();
  await page.getByRole('button', { name: 'Show Film' }).focus();
  await page.keyboard.press('Shift+Tab');
  await pause.waitFor();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  expect(await pause.count()).toBe(1);
  await pause.click();
  await play.waitFor();
});

test('a picture is sent from the playground with the chosen token, and shown with its charge', async () => {
  await using at = await visit(app, { as: user, language: 'en', viewport: PHONE });
  const { page, problems } = at;
  await page.goto('/playground');
  await page.getByText('Images').click();
  await page.getByText(/By usage/).waitFor();
  await page.getByLabel('Prompt').fill('a gate in mist');
  await page.getByRole('button', { name: 'Generate' }).click();
  const run = page.getByRole('article').filter({ hasText: 'a gate in mist' });
  await run.getByText(/Charged/).waitFor();
  expect(await run.getByRole('img', { name: 'Image 1' }).count()).toBe(1);
  await eventually(() => fitsWidth(page), 'the tab fits the phone');
  expect(await accessibilityViolations(page)).toEqual([]);
  expect(problems).toEqual([]);
});

test('a film by the second: the price before, the charge after, and its bytes in the gallery without the upstream’s key', async () => {
  const viewer = await app.actor({ quota: 1_000_000 });
  await app.client(viewer).tokens.create({ body: { name: 'camera' } });
  await using at = await visit(app, { as: viewer, language: 'en', storage: { 'tasks-view': 'gallery' } });
  const { page, problems } = at;
  await page.goto('/playground?tab=video');
  await page.getByLabel('Prompt').fill('a gate at dusk');
  await page.getByLabel('Seconds').fill('8');
  await page.getByText('$0.80').waitFor();
  await page.getByRole('button', { name: 'Generate' }).click();
  const run = page.getByRole('article').filter({ hasText: 'a gate at dusk' });
  await eventually(async () => films.submissions.length > 0, 'the film is submitted');
  const { id, body } = films.submissions.at(-1)!;
  expect(body).toMatchObject({ model: 'sora-2', prompt: 'a gate at dusk', seconds: '8' });
  films.finish(id, { seconds: 8 });
  await run.getByText('$0.80').waitFor();
  expect(await run.locator('video').count()).toBe(1);
  expect(problems).toEqual([]);

  await page.goto('/task');
  const tile = page.getByRole('listitem').filter({ hasText: 'a gate at dusk' });
  await tile.getByText('$0.80').waitFor();
  const { data } = await app.client(viewer).tasks.listSelf({ query: { platform: 'video' } });
  const address = data[0]?.parts[0]?.video_url ?? '';
  expect(address).toContain('/media/');
  const file = await fetch(
    new URL(new URL(address, app.url).pathname + new URL(address, app.url).search, app.url),
  );
  expect([file.status, file.headers.get('content-type')]).toEqual([200, 'video/mp4']);
  expect(films.deliveries.at(-1)).toMatchObject({ id, hasKey: true });
});
