// Rules of every screen: public pages and pages with a login, values stored in the browser, page
// sizes, trimmed searches, and a refused clipboard.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { addChannel } from '#tests/support/channels.ts';
import { stored, until, visit } from '#tests/support/browser.ts';

setDefaultTimeout(120_000);

let application: TestApplication;
let user: Actor;
let admin: Actor;

beforeAll(async () => {
  application = await startApplication({
    settings: {
      ServerAddress: 'https://gate.example',
      TopUpLink: 'https://shop.example/codes',
      MinTopUp: '5',
    },
  });
  user = await application.actor();
  admin = await application.actor({ role: ROLE.admin });
  for (let index = 0; index < 12; index += 1)
    await application
      .client(user)
      .tokens.create({ body: { name: `token ${String(index).padStart(2, '0')}` } });
  await addChannel(application.store, { base_url: 'http://127.0.0.1:9', models: ['gpt-4o'], name: 'alpha' });
});
afterAll(() => application.close());

test('REL-2.01 REL-2.12 REL-2.13 REL-2.24 REL-2.27 REL-2.29 REL-2.30 REL-2.33 REL-2.34 home, login, registration, about and an unknown path need no login', async () => {
  await using at = await visit(application, { language: 'zh' });
  const { page } = at;
  await page.goto('/');
  await page.getByRole('button', { name: '复制 Base URL' }).waitFor();
  await page.goto('/login');
  await page.getByRole('button', { name: '登录', exact: true }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/login');
  await page.goto('/register');
  await page.getByRole('button', { name: '注册', exact: true }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/register');
  await page.goto('/about');
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  expect(new URL(page.url()).pathname).toBe('/about');
  await page.goto('/no/such/page');
  await page.getByRole('heading', { name: '页面不存在' }).waitFor();
});

test('REL-2.28 REL-6.09 every other page asks for a login first', async () => {
  await using at = await visit(application, { language: 'zh' });
  const { page } = at;
  for (const path of ['/token', '/log', '/detail', '/channel', '/playground', '/chat', '/chat2link']) {
    await page.goto(path);
    await page.waitForURL((url) => url.pathname === '/login');
    expect(new URL(page.url()).searchParams.get('next')).toContain(path);
  }
});

test('REL-2.36 an expired session shows a message', async () => {
  const leaving = await application.actor();
  await using at = await visit(application, { as: leaving, language: 'zh' });
  const { page } = at;
  await page.goto('/token');
  await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
  await application.request('/api/user/logout', { as: leaving });
  await page.goto('/log');
  await page.getByText('未登录或登录已过期，请重新登录！').waitFor();
  expect(new URL(page.url()).pathname).toBe('/login');
});

test('REL-3.149 REL-3.150 REL-3.151 REL-3.152 REL-3.153 the status is kept in the browser with address, top-up link, minimum and flag', async () => {
  await using at = await visit(application, { as: user });
  await at.page.goto('/token');
  await until(at.page, 'localStorage.getItem("status") !== null');
  expect(JSON.parse((await stored(at.page, 'status')) ?? '{}')).toMatchObject({
    server_address: 'https://gate.example',
    top_up_link: 'https://shop.example/codes',
    min_topup: 5,
    enable_online_topup: false,
  });
});

test('REL-9.01 REL-9.02 REL-9.03 ten rows at first; 10, 20, 50 or 100 are offered and the choice is kept', async () => {
  await using at = await visit(application, { as: user, language: 'zh' });
  const { page } = at;
  await page.goto('/token');
  await page.getByRole('row').filter({ hasText: 'token 11' }).waitFor();
  expect(await page.getByRole('row').count()).toBe(11);
  expect(await stored(page, 'page-size')).toBeNull();
  await page.getByRole('button', { name: /每页 10|10 条/ }).click();
  const sizes = await page.getByRole('menuitemradio').allInnerTexts();
  expect(sizes.map((text) => Number.parseInt(text, 10))).toEqual([10, 20, 50, 100]);
  await page.getByRole('menuitemradio').nth(1).click();
  await page.getByRole('row').filter({ hasText: 'token 00' }).waitFor();
  expect(await stored(page, 'page-size')).toBe('20');
});

test('ACC-3.154 REL-3.159 REL-9.04 the order by id is kept under id-sort', async () => {
  await using at = await visit(application, { as: admin, language: 'zh', storage: { 'id-sort': 'true' } });
  const { page } = at;
  const asked = page.waitForRequest((request) => request.url().includes('/api/channel/?'));
  await page.goto('/channel');
  expect(new URL((await asked).url()).searchParams.get('id_sort')).toBe('true');
  await page.getByRole('row').filter({ hasText: 'alpha' }).waitFor();
  await page.getByRole('button', { name: 'ID 排序' }).click();
  await until(page, `localStorage.getItem('id-sort') === 'false'`);
});

test('REL-5.47 a search is sent without the blanks around it', async () => {
  await using at = await visit(application, { as: admin, language: 'zh' });
  const { page } = at;
  await page.goto('/channel');
  await page.getByRole('row').filter({ hasText: 'alpha' }).waitFor();
  const asked = page.waitForRequest((request) => request.url().includes('/api/channel/search'));
  await page.getByRole('textbox', { name: 'ID、名称或密钥' }).fill('  alpha  ');
  expect(new URL((await asked).url()).searchParams.get('keyword')).toBe('alpha');
  await page.getByRole('row').filter({ hasText: 'alpha' }).waitFor();
});

test('REL-8.32 REL-8.33 a clipboard that refuses opens a dialog with the text', async () => {
  await using at = await visit(application, { language: 'zh' });
  await at.context.addInitScript(
    `navigator.clipboard.writeText = () => Promise.reject(new Error('refused'))`,
  );
  await at.page.goto('/');
  await at.page.getByRole('button', { name: '复制 Base URL' }).click();
  const dialog = at.page.getByRole('dialog', { name: '无法复制到剪贴板，请手动复制' });
  expect(await dialog.getByRole('textbox').inputValue()).toBe('https://gate.example/v1');
});

test('REL-9.51 REL-9.52 Chinese unless another language was chosen before', async () => {
  await using plain = await visit(application, { locale: 'fr-FR' });
  await plain.page.goto('/login');
  await plain.page.getByRole('button', { name: '登录', exact: true }).waitFor();
  await using chosen = await visit(application, { locale: 'zh-CN', language: 'en' });
  await chosen.page.goto('/login');
  await chosen.page.getByRole('button', { name: /^(Sign|Log) in$/ }).waitFor();
});
