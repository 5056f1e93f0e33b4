// The drawing page in a real browser against the real application, with drawings made by the real paths.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { ROLE } from '#contract/access.ts';
import type { NewRow } from '#server/platform/store/schema.ts';
import { ask, imagine, openStudio, type Studio } from '#tests/integration/relay/drawing/support.ts';
import type { Actor } from '#tests/support/application.ts';
import {
  accessibilityViolations,
  fitsWidth,
  PHONE,
  screenshot,
  until,
  visit,
} from '#tests/support/browser.ts';
import { testLooks } from '#tests/support/looks.ts';

setDefaultTimeout(120_000);

let studio: Studio;
let admin: Actor;
let user: Actor;
const day = 86_400_000;
/** Wide enough for every column. */
const WIDE = { width: 1600, height: 900 };

/** A row as the drawing endpoints write it. */
function row(owner: Actor, change: Partial<NewRow<'tasks'>>): NewRow<'tasks'> {
  const submit_ms = change.submit_ms ?? Date.now() - 600_000;
  return {
    hold_id: crypto.randomUUID(),
    money: 'settled',
    platform: 'midjourney',
    action: 'IMAGINE',
    model: 'mj_imagine',
    user_id: owner.id,
    username: owner.username,
    channel_id: studio.channelId,
    code: 1,
    status: 'SUCCESS',
    progress: '100%',
    prompt: 'a five-bar gate in morning mist, long exposure --ar 16:9',
    prompt_en: 'a five-bar gate in morning mist',
    quota: 50_000,
    deadline_at: 0,
    next_poll_at: 0,
    finish_ms: submit_ms + 32_400,
    ...change,
    submit_ms,
  };
}

beforeAll(async () => {
  studio = await openStudio();
  const { app, mj } = studio;
  admin = await app.actor({ role: ROLE.admin });
  user = await app.actor();
  const picture = (name: string) => `${mj.url}/picture/${name}.png`;
  const tasks = [
    row(user, { task_id: '1700000000000001', result_url: picture('a'), prompt: '晨雾中的五道横木栅门' }),
    row(user, {
      task_id: '1700000000000002',
      action: 'UPSCALE',
      result_url: picture('b'),
      finish_ms: Date.now() - 600_000 + 61_000,
    }),
    row(user, {
      task_id: '1700000000000003',
      status: 'FAILURE',
      progress: '40%',
      code: 24,
      fail_reason: 'Banned prompt: the moderator objected',
      money: 'released',
    }),
    row(user, {
      task_id: '1700000000000004',
      status: 'MODAL',
      action: 'CUSTOM_ZOOM',
      code: 21,
      finish_ms: 0,
    }),
    row(user, { task_id: '', status: 'NOT_START', code: 0, progress: '0%', finish_ms: 0 }),
    row(user, { task_id: '1700000000000005', code: 22, submit_ms: Date.now() - 40 * day }),
    row(admin, { task_id: '1700000000000006', action: 'SWAP_FACE', channel_id: studio.channelId + 1 }),
  ];
  for (const task of tasks) await app.store.db.insertInto('tasks').values(task).execute();
});
afterAll(() => studio.close());

const rows = (page: Page) => page.getByRole('row');
const rowOf = (page: Page, text: string) => rows(page).filter({ hasText: text });

test('REL-2.21 REL-2.108 REL-2.113 REL-2.147 REL-6.07 REL-4.37 REL-4.38 REL-4.40 REL-4.41 REL-4.42 REL-4.45 REL-4.46 a user finds the own drawings by the menu, with their states, and no channel', async () => {
  await using at = await visit(studio.app, { as: user, language: 'zh', viewport: WIDE });
  const { page, problems } = at;
  await page.goto('/token');
  await page.getByRole('button', { name: '异步任务的更多页面' }).click();
  await page.getByRole('link', { name: '绘图' }).click();
  await rowOf(page, '1700000000000001').waitFor();
  expect(new URL(page.url()).pathname).toBe('/midjourney');
  await page.getByText('1–5，共 5').waitFor();
  const states: [string, string[]][] = [
    ['1700000000000001', ['绘图', '已提交', '成功', '32']],
    ['1700000000000002', ['放大', '成功']],
    ['1700000000000003', ['被拒绝', '失败', '40%']],
    ['1700000000000004', ['自定义缩放', '等待中', '窗口等待']],
    ['未启动', ['未提交', '0%']],
  ];
  for (const [which, words] of states)
    for (const word of words) expect(await rowOf(page, which).textContent()).toContain(word);
  expect(await page.getByRole('columnheader', { name: '渠道' }).count()).toBe(0);
  expect(await page.getByRole('button', { name: '渠道' }).count()).toBe(0);
  expect(await page.getByText(/回调/).count()).toBe(0);
  expect(await accessibilityViolations(page)).toEqual([]);
  expect(problems).toEqual([]);
  await screenshot(page, 'drawing-zh-light');
});

test('REL-9.16 a drawing of more than 60 seconds is red, a shorter one is not', async () => {
  await using at = await visit(studio.app, { as: user, language: 'en' });
  const { page } = at;
  await page.goto('/midjourney');
  const slow = rowOf(page, '1700000000000002').getByRole('img', { name: 'took more than 60 seconds' });
  await slow.waitFor();
  const colour = (id: string, text: string) =>
    rowOf(page, id)
      .getByText(text)
      .first()
      .evaluate((element) => element.ownerDocument.defaultView?.getComputedStyle(element).color);
  const [red, plain] = [await colour('1700000000000002', '61'), await colour('1700000000000001', '32')];
  expect(red).toBe('rgb(165, 30, 36)');
  expect(plain).not.toBe(red);
  expect(
    await rowOf(page, '1700000000000001')
      .getByRole('img', { name: /60 seconds/ })
      .count(),
  ).toBe(0);
});

test('REL-2.109 REL-2.110 a picture opens in a viewer that turns and zooms, a prompt in a dialog', async () => {
  await using at = await visit(studio.app, { as: user, language: 'en' });
  const { page, problems } = at;
  await page.goto('/midjourney');
  await page.getByRole('button', { name: 'Show image 1700000000000001' }).click();
  const viewer = page.getByRole('dialog');
  const shown = viewer.getByRole('img', { name: '晨雾中的五道横木栅门' });
  await shown.waitFor();
  await until(page, 'document.querySelector("[role=dialog] img")?.naturalWidth === 1');
  expect(await accessibilityViolations(page)).toEqual([]);
  await viewer.getByRole('button', { name: 'Full size' }).click();
  await viewer.getByRole('button', { name: 'Fit the window' }).waitFor();
  const turn = (await viewer.getByRole('button', { name: 'Next image' }).isEnabled())
    ? 'ArrowRight'
    : 'ArrowLeft';
  await page.keyboard.press(turn);
  await viewer.getByText('Upscale 1700000000000002').waitFor();
  await page.keyboard.press('Escape');
  await viewer.waitFor({ state: 'detached' });
  await rowOf(page, '1700000000000003')
    .getByRole('button', { name: /^Failure: Banned prompt/ })
    .click();
  await page.getByRole('dialog').getByText('Banned prompt: the moderator objected').waitFor();
  await page.keyboard.press('Escape');
  await rowOf(page, '1700000000000002')
    .getByRole('button', { name: /^Prompt: a five-bar gate/ })
    .click();
  await page.getByRole('dialog').getByRole('button', { name: 'Copy the text' }).waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  expect(problems).toEqual([]);
});

test('REL-2.111 REL-2.112 REL-4.39 REL-9.17 drawings are found by id, time, type and state; the default is 30 days', async () => {
  await using at = await visit(studio.app, { as: user, language: 'zh' });
  const { page } = at;
  await page.goto('/midjourney');
  await page.getByText('1–5，共 5').waitFor();
  expect(await rowOf(page, '1700000000000005').count()).toBe(0);
  await page.getByRole('button', { name: '近 30 天' }).click();
  await page.getByRole('menuitemcheckbox', { name: '自定义时间范围' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('开始时间').fill('nonsense');
  await dialog.getByText('时间格式错误，应为 yyyy-MM-dd HH:mm:ss').waitFor();
  await dialog.getByLabel('开始时间').fill('2020-01-01 00:00:00');
  await dialog.getByRole('button', { name: '应用' }).click();
  await rowOf(page, '1700000000000005').waitFor();
  expect(await rowOf(page, '1700000000000005').textContent()).toContain('重复提交');
  await page.getByPlaceholder('任务 ID').fill('1700000000000002');
  await page.getByText('1–1，共 1').waitFor();
  await page.goto('/midjourney?status=FAILURE');
  await page.getByText('1–1，共 1').waitFor();
  await rowOf(page, '1700000000000003').waitFor();
});

test('REL-2.114 REL-6.07 O28 administrators see all drawings, user, cost, channel, its filter and the notice about callbacks', async () => {
  await using at = await visit(studio.app, { as: admin, language: 'en', theme: 'dark' });
  const { page, problems } = at;
  await page.goto('/midjourney');
  await rowOf(page, '1700000000000001').waitFor();
  await rowOf(page, '1700000000000006').waitFor();
  await page.getByText(/Midjourney callbacks are off/).waitFor();
  for (const name of ['Channel', 'User', 'Cost']) await page.getByRole('columnheader', { name }).waitFor();
  await rowOf(page, '1700000000000001').getByRole('link').first().waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  await screenshot(page, 'drawing-en-dark');
  await page.goto(`/midjourney?channel=${studio.channelId + 1}`);
  await page.getByText('1–1 of 1').waitFor();
  await studio.app.settings.set('MjNotifyEnabled', 'true', 0);
  await page.reload();
  await rowOf(page, '1700000000000006').waitFor();
  expect(await page.getByText(/Midjourney callbacks are off/).count()).toBe(0);
  await studio.app.settings.set('MjNotifyEnabled', 'false', 0);
  expect(problems).toEqual([]);
});

test('REL-4.43 REL-4.44 a running drawing updates without a reload', async () => {
  const { app, mj } = studio;
  const painter = await studio.painter();
  const id = await imagine(app.url, painter.key, 'slow and steady');
  const owner = await app.store.db
    .selectFrom('users')
    .select('username')
    .where('id', '=', painter.id)
    .executeTakeFirstOrThrow();
  const actor = await app.login(owner.username);
  await using at = await visit(app, { as: actor, language: 'zh' });
  const { page } = at;
  await page.goto('/midjourney');
  await rowOf(page, id).getByText('已提交').waitFor();
  await mj.go(id, '55%');
  await rowOf(page, id).getByText('执行中').waitFor();
  await rowOf(page, id).getByText('55%').waitFor();
  await mj.finish(id);
  await rowOf(page, id).getByText('成功').waitFor();
  expect((await ask(app.url, painter.key, `/mj/task/${id}/fetch`)).body['status']).toBe('SUCCESS');
});

testLooks(
  'the phone shows drawings as cards that stay inside, and an empty list explains the page',
  async () => {
    await using at = await visit(studio.app, { as: user, language: 'zh', viewport: PHONE });
    const { page } = at;
    await page.goto('/midjourney');
    await page.getByText('晨雾中的五道横木栅门').waitFor();
    expect(await fitsWidth(page)).toBe(true);
    expect(await accessibilityViolations(page)).toEqual([]);
    await screenshot(page, 'drawing-phone-zh-light');
    await page.getByRole('button', { name: '查看图片 1700000000000001' }).click();
    await page.getByRole('dialog').waitFor();
    expect(await fitsWidth(page)).toBe(true);
    const nobody = await studio.app.actor();
    await using empty = await visit(studio.app, { as: nobody, language: 'en', theme: 'dark' });
    await empty.page.goto('/midjourney');
    await empty.page.getByText('No drawing tasks yet').waitFor();
    expect(await accessibilityViolations(empty.page)).toEqual([]);
  },
);

test('REL-2.154 the menu has no entry while drawing is off', async () => {
  await studio.app.settings.set('DrawingEnabled', 'false', 0);
  await using at = await visit(studio.app, { as: user, language: 'zh' });
  await at.page.goto('/token');
  await at.page.getByRole('link', { name: '日志' }).first().waitFor();
  expect(await at.page.getByRole('link', { name: '绘图' }).count()).toBe(0);
  await studio.app.settings.set('DrawingEnabled', 'true', 0);
});
