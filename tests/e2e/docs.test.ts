// /docs: the documents of the repository for visitors, in both languages, with search, anchors and the reference of the API.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { addChannel } from '#tests/support/channels.ts';
import { startApplication, type TestApplication } from '#tests/support/application.ts';
import {
  accessibilityViolations,
  eventually,
  fitsWidth,
  PHONE,
  until,
  visit,
} from '#tests/support/browser.ts';
import { testLooks } from '#tests/support/looks.ts';

let application: TestApplication;

beforeAll(async () => {
  application = await startApplication({
    settings: { ServerAddress: 'https://gate.example', SystemName: 'Acme' },
  });
});
afterAll(() => application.close());

test('a visitor reads pages in the own language, with the address of the site in the commands', async () => {
  await using at = await visit(application, {
    language: 'zh',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const { page } = at;
  // A customer's first page is how to connect; how to run the site is not in the list.
  await page.goto('/docs');
  await page.getByRole('heading', { level: 1, name: '接入客户端' }).waitFor();
  expect(await page.title()).toBe('接入客户端 · Acme');
  await page.getByRole('region', { name: '本站' }).getByText('https://gate.example/v1').waitFor();
  const contents = page.getByRole('navigation', { name: '目录' });
  expect(await contents.getByRole('link', { name: '错误排查' }).count()).toBe(1);
  expect(await contents.getByRole('link', { name: '开始' }).count()).toBe(0);
  await page.goto('/docs/start');
  await page.getByRole('heading', { level: 1, name: '开始' }).waitFor();
  const block = page.locator('pre', { hasText: '/v1/chat/completions' });
  await block.waitFor();
  expect(await block.textContent()).toContain('https://gate.example/v1/chat/completions');
  await page.locator('article').getByRole('button', { name: '复制' }).nth(1).click();
  await eventually(
    async () =>
      (await page.evaluate<string>('navigator.clipboard.readText()')).includes('gate.example/readyz'),
    'the command is in the clipboard',
  );
  expect(await accessibilityViolations(page)).toEqual([]);

  // A link inside a page, then the next page of the list.
  await page.locator('article').getByRole('link', { name: '接入您的客户端' }).click();
  await page.getByRole('heading', { level: 1, name: '接入客户端' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/docs/connect');
  for (const name of ['操练场', '组织', '单点登录与 SCIM', '错误排查']) {
    await page.getByRole('navigation', { name: '上一页和下一页' }).getByRole('link', { name }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
  }

  // The error message of a call leads to its row.
  const search = page.getByRole('searchbox', { name: '搜索标题和错误' });
  await search.fill('余额不足：本次');
  await search.press('Enter');
  await page.getByRole('link', { name: /^insufficient_quota/ }).click();
  const row = page.locator('tr#insufficient_quota');
  await row.getByText('请充值', { exact: false }).first().waitFor();
  await until(
    page,
    `(() => {
      const { top, bottom } = document.getElementById('insufficient_quota').getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    })()`,
  );

  // Pages for developers are in English and say so; an unknown page says that too.
  await page.goto('/docs/add-a-job');
  await page.getByText('此页面向开发者，只有英文。').waitFor();
  await page.goto('/docs/no-such-page');
  await page.getByText('没有这一页').waitFor();
  expect(at.problems).toEqual([]);
});

test('a wide screen has the headings of a page on its right', async () => {
  await using at = await visit(application, { language: 'en', viewport: { width: 1920, height: 1080 } });
  const { page } = at;
  await page.goto('/docs/connect');
  await page
    .getByRole('navigation', { name: 'On this page' })
    .getByRole('link', { name: 'Codex', exact: true })
    .click();
  expect(new URL(page.url()).hash).toBe('#codex');
  const contents = page.getByRole('navigation', { name: 'Contents' });
  expect(await contents.getByRole('link', { name: 'Codex', exact: true }).count()).toBe(0);
  expect(await accessibilityViolations(page)).toEqual([]);
  expect(at.problems).toEqual([]);
});

test('the reference lists every endpoint with its fields, errors and an example', async () => {
  await using at = await visit(application, { language: 'en', theme: 'dark' });
  const { page } = at;
  await page.goto('/docs/api');
  const filter = page.getByRole('textbox', { name: 'Filter by path or purpose' });
  await filter.fill('post /api/token/');
  const entry = page.locator('details', { hasText: 'POST/api/token/' }).first();
  await entry.locator('summary').click();
  await entry.getByText('signed-in users').waitFor();
  await entry.getByRole('cell', { name: 'remain_quota' }).first().waitFor();
  expect(await entry.locator('pre').textContent()).toContain(
    "curl -X POST 'https://gate.example/api/token/'",
  );
  expect(await accessibilityViolations(page)).toEqual([]);
  await entry.getByRole('link', { name: 'invalid_parameter' }).click();
  await page.locator('tr#invalid_parameter').waitFor();
  await filter.waitFor({ state: 'detached' });
  expect(at.problems).toEqual([]);
});

testLooks(
  'on the phone the contents fold away, wide tables scroll by themselves, and a page prints whole',
  async () => {
    await using at = await visit(application, { language: 'en', viewport: PHONE });
    const { page } = at;
    await page.goto('/docs/troubleshooting');
    await page.locator('tr#no_price').waitFor();
    expect(await fitsWidth(page)).toBe(true);
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByText('Contents', { exact: true }).click();
    await page.getByRole('link', { name: 'Money guarantees' }).click();
    await page.getByRole('heading', { level: 1, name: 'Money guarantees' }).waitFor();
    await page
      .getByRole('link', { name: /^Statements/ })
      .last()
      .waitFor();
    await page.emulateMedia({ media: 'print' });
    // Nothing but the article, and no frame that would cut it at the first sheet.
    expect(await page.locator('header').isVisible()).toBe(false);
    expect(await page.evaluate<boolean>('document.body.scrollHeight > innerHeight')).toBe(true);
    await page.emulateMedia({ media: 'screen' });
    expect(at.problems).toEqual([]);
  },
);

test('operators land on how to run the site and switch to what customers read, with a model the site sells (D2, D4)', async () => {
  await addChannel(application.store, { base_url: 'http://127.0.0.1:9', models: ['gpt-4.1-nano'] });
  const boss = await application.actor({ username: 'boss', role: ROLE.admin });
  await using at = await visit(application, { language: 'en', as: boss });
  const { page } = at;
  await page.goto('/docs');
  await page.getByRole('heading', { level: 1, name: 'Start', exact: true }).waitFor();
  await page.getByText('For customers').click();
  await page.getByRole('link', { name: 'Connect your client' }).first().click();
  const block = page.locator('pre', { hasText: 'ANTHROPIC_MODEL' });
  await eventually(
    async () => ((await block.textContent()) ?? '').includes('"ANTHROPIC_MODEL": "gpt-4.1-nano"'),
    'the sample names a model of this site',
  );
  expect(at.problems).toEqual([]);
});

test('the palette finds documents, for visitors too', async () => {
  await using at = await visit(application, { language: 'en' });
  const { page } = at;
  // The documents of a visitor are pages of the server; the palette is the console's.
  await page.goto('/about');
  await page.getByRole('banner').getByRole('link', { name: 'Docs' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder('Search or jump to…').fill('no_price');
  await page.getByRole('button', { name: /^no_price/ }).click();
  await page.locator('tr#no_price').waitFor();
  expect(new URL(page.url()).hash).toBe('#no_price');

  // An operator may keep them for users.
  await application.settings.set('PublicDocsEnabled', 'false', 0);
  await page.goto('/docs/prices');
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  expect(new URL(page.url()).searchParams.get('next')).toBe('/docs/prices');
  await application.settings.set('PublicDocsEnabled', 'true', 0);
});
