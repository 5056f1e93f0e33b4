// The page of asynchronous tasks in a browser: the open page shows new progress, plays a song, and shows administrators more.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { CHANNEL_TYPE } from '#contract/channel-type.ts';
import { ask, ended } from '#tests/integration/drawing/support.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { accessibilityViolations, eventually, fitsWidth, PHONE, visit } from '#tests/support/browser.ts';
import { addChannel } from '#tests/support/channels.ts';
import { startSuno, type SunoServer } from '#tests/support/mock-upstream/suno/server.ts';

setDefaultTimeout(90_000);

let app: TestApplication;
let suno: SunoServer;
let user: Actor;
let key: string;
beforeAll(async () => {
  suno = startSuno();
  app = await startApplication({ environment: { TASK_POLL_SECONDS: '1' } });
  await addChannel(app.store, {
    name: 'band',
    type: CHANNEL_TYPE.suno,
    base_url: suno.url,
    key: suno.key,
    models: ['suno_music', 'suno_lyrics'],
  });
  user = await app.actor({ username: 'player', quota: 1_000_000 });
  const [token] = await app.client(user).tokens.create({ body: { name: 'drum' } });
  key = `sk-${token?.key}`;
});
afterAll(async () => {
  await app.close();
  await suno.stop();
});

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
  expect(await page.getByRole('columnheader', { name: '渠道' }).count()).toBe(0);
  suno.finish(id);
  await row.getByText('成功').waitFor();
  await row.getByText('$0.10').waitFor();
  await row.getByRole('button', { name: `查看结果 ${id}` }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('heading', { name: 'Gates 1' }).waitFor();
  expect(await dialog.locator('audio').first().getAttribute('src')).toBe(`${suno.url}/${id}-1.mp3`);
  expect(await dialog.getByRole('link', { name: '打开视频' }).count()).toBe(2);
  expect(await accessibilityViolations(page, { floating: true })).toEqual([]);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  // The pictures of the mock are at an http address, which the policy of the page refuses.
  expect(problems.filter((problem) => !problem.includes('Content Security Policy'))).toEqual([]);
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
  await row.getByText('#1').waitFor();
  await row.getByText('Not charged').waitFor();
  await page.goto('/task?channel=999');
  await page.getByText('Nothing matches').first().waitFor();
  await page.setViewportSize(PHONE);
  await page.goto('/task');
  await page.getByText('not allowed here').waitFor();
  await eventually(() => fitsWidth(page), 'the page fits the phone');
  expect(await accessibilityViolations(page)).toEqual([]);
});
