// Conversations kept on the server in the browser: kept when asked for, read by another browser, shown by a link until it is
// revoked.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { addChannel } from '#tests/support/channels.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import {
  accessibilityViolations,
  fitsWidth,
  PHONE,
  screenshot,
  until,
  visit,
  type VisitOptions,
} from '#tests/support/browser.ts';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';

setDefaultTimeout(90_000);

const WIDE = { width: 1440, height: 900 };

let application: TestApplication;
let mock: MockUpstream;
beforeAll(async () => {
  mock = startMockUpstream();
  application = await startApplication({ consoleDirectory: 'dist' });
  await addChannel(application.store, { base_url: mock.url, models: ['gpt-4o', 'gpt-4o-mini'] });
});
afterAll(async () => {
  await application.close();
  await mock.stop();
});

async function open(actor: Actor, options: VisitOptions = {}) {
  const opened = await visit(application, { as: actor, viewport: WIDE, language: 'zh', ...options });
  await opened.page.goto('/playground');
  await box(opened.page).waitFor();
  return opened;
}

const box = (page: Page) => page.getByRole('textbox', { name: /输入消息|Type a message/ });

async function ask(page: Page, text: string): Promise<void> {
  await box(page).fill(text);
  await until(page, `!document.querySelector('form button[type=submit]')?.disabled`);
  await box(page).press('Enter');
}

const done = (page: Page, count: number) =>
  until(page, `document.querySelectorAll('article[data-status=complete]').length === ${count}`);
const rows = (userId: number) =>
  application.store.db.selectFrom('kept_chats').select('revision').where('user_id', '=', userId).execute();
const menu = async (page: Page, name: string) => {
  await page.getByRole('button', { name: '对话的更多操作' }).click();
  await page.getByRole('menuitem', { name }).click();
};

test('a conversation is kept on the server only when asked for; another browser goes on with it, and removes it', async () => {
  const actor = await application.actor({ quota: 50_000_000 });
  await using first = await open(actor);
  const { page } = first;
  const list = page.getByRole('complementary', { name: '对话' });
  await ask(page, 'remember this');
  await done(page, 1);
  expect(await rows(actor.id)).toEqual([]);
  await menu(page, '保存到服务器');
  await list.getByRole('img', { name: '已保存到服务器' }).waitFor();
  expect(await rows(actor.id)).toEqual([{ revision: 1 }]);
  expect(await accessibilityViolations(page)).toEqual([]);

  await using second = await open(actor);
  const other = second.page.getByRole('complementary', { name: '对话' });
  await other.getByText('remember this').click();
  await done(second.page, 1);
  await ask(second.page, 'and this');
  await done(second.page, 2);
  expect(await eventually(async () => (await rows(actor.id))[0]?.revision === 2)).toBe(true);

  // The first browser does not overwrite it: its text goes on as a branch.
  await ask(page, 'from the first browser');
  await done(page, 2);
  await page.getByText('这个对话已在另一个浏览器中更改').waitFor();
  await list.getByText(/分支/).waitFor();
  expect((await rows(actor.id)).map(({ revision }) => revision)).toEqual([2]);

  await other.getByText('remember this').hover();
  await other.getByRole('button', { name: '删除对话 remember this' }).click();
  expect(await eventually(async () => (await rows(actor.id)).length === 0)).toBe(true);
});

async function eventually(test: () => Promise<boolean>): Promise<boolean> {
  for (let tries = 0; tries < 100; tries += 1) {
    if (await test()) return true;
    await Bun.sleep(100);
  }
  return false;
}

test('with the switch on new conversations are kept, files only by their names', async () => {
  const actor = await application.actor({ quota: 50_000_000 });
  await using stage = await open(actor);
  const { page } = stage;
  await page.getByRole('switch', { name: '新对话保存到服务器' }).click({ force: true });
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'bill.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4') });
  await ask(page, 'read the bill');
  await done(page, 1);
  expect(await eventually(async () => (await rows(actor.id)).length === 1)).toBe(true);
  await using second = await open(actor);
  await second.page.getByRole('complementary', { name: '对话' }).getByText('read the bill').click();
  await second.page.getByText('bill.pdf').waitFor();
  const [head] = await application.client(actor).chats.list();
  const { content } = await application.client(actor).chats.read({ params: { id: head?.id ?? '' } });
  expect(content).not.toContain(Buffer.from('%PDF-1.4').toString('base64'));
});

test('D34 a link shows the conversation to a visitor, on a phone too, and ends when it is revoked', async () => {
  const actor = await application.actor({ quota: 50_000_000 });
  mock.behave({
    text: 'Look: **bold**\n\n<img src="https://evil.example/x.png"><script>window.broken=1</script>',
  });
  await using stage = await open(actor);
  const { page } = stage;
  await ask(page, 'show this');
  await done(page, 1);
  mock.reset();
  await menu(page, '通过链接分享');
  const dialog = page.getByRole('dialog', { name: '分享对话' });
  await dialog.getByRole('button', { name: '创建链接' }).click();
  const link = dialog.getByRole('link', { name: 'show this' });
  const path = (await link.getAttribute('href')) ?? '';
  expect(path).toMatch(/^\/shared\/[\w-]{32}$/);
  expect(await accessibilityViolations(page)).toEqual([]);
  await screenshot(page, 'playground-share-zh-light');

  await using visitor = await visit(application, { viewport: WIDE, language: 'en', locale: 'en-US' });
  const called: string[] = [];
  visitor.page.on('request', (request) => called.push(request.url()));
  await visitor.page.goto(path);
  await visitor.page.getByRole('heading', { name: 'show this' }).waitFor();
  expect(await visitor.page.locator('main strong').innerText()).toBe('bold');
  expect(await visitor.page.locator('main img, main script').count()).toBe(0);
  expect(await visitor.page.evaluate<unknown>('window.broken')).toBeUndefined();
  expect(called.filter((url) => !url.startsWith(application.url))).toEqual([]);
  expect(await visitor.page.locator('body').innerText()).not.toContain(actor.username);
  expect(await accessibilityViolations(visitor.page)).toEqual([]);
  await screenshot(visitor.page, 'playground-shared-en-light');
  await visitor.page.setViewportSize(PHONE);
  expect(await fitsWidth(visitor.page)).toBe(true);

  await dialog.getByRole('button', { name: '撤销' }).click();
  await dialog.getByRole('link', { name: 'show this' }).waitFor({ state: 'detached' });
  const gone = await visitor.page.goto(path);
  expect(gone?.status()).toBe(404);
  await visitor.page.getByText('There is no such link, or it was revoked').first().waitFor();
});
