// Chat and chat2link in a browser: the frame with the key, each error message, and the link to the tokens.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import {
  accessibilityViolations,
  fitsWidth,
  PHONE,
  screenshot,
  stored,
  until,
  visit,
  type VisitOptions,
} from '#tests/support/browser.ts';
import { testLooks } from '#tests/support/looks.ts';

setDefaultTimeout(120_000);

let application: TestApplication;
let owner: Actor;
let key: string;
/** Addresses that the front end was asked for. */
const reached: string[] = [];
/** A stand-in for the chat front end; it shows the URL it was opened with. */
const frontEnd = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: ({ url }) => {
    reached.push(url);
    return new Response('<!doctype html><html lang="en"><title>chat</title><h1>front end</h1><p>hello</p>', {
      headers: { 'Content-Type': 'text/html' },
    });
  },
});
const FRONT_END = `http://127.0.0.1:${frontEnd.port}`;
const CHATS = [
  { Web: `${FRONT_END}/#/?settings={"key":"{key}","url":"{address}"}` },
  { Native: 'opencat://team/join?domain={address}&token={key}' },
  { Broken: 'an address that was never filled in, {key}' },
];

beforeAll(async () => {
  application = await startApplication({
    consoleDirectory: 'dist',
    settings: { Chats: JSON.stringify(CHATS), ServerAddress: 'https://gate.example' },
  });
  owner = await application.actor();
  const tokens = await application
    .client(owner)
    .tokens.create({ body: { name: 'first', unlimited_quota: true } });
  key = tokens[0]?.key ?? '';
  await application.client(owner).tokens.create({ body: { name: 'second', unlimited_quota: true } });
});
afterAll(async () => {
  await application.close();
  await frontEnd.stop(true);
});

async function open(path: string, options: VisitOptions = {}) {
  const opened = await visit(application, {
    as: owner,
    language: 'zh',
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  });
  await opened.page.goto(path);
  return opened;
}

/** Agrees to hand the key over; nothing has been asked of the other site before. */
async function agree(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^(把密钥交给|Hand the key to)/ }).click();
}

async function withSettings(settings: Record<string, string>, run: () => Promise<void>) {
  for (const [name, text] of Object.entries(settings)) await application.settings.set(name, text, 1);
  try {
    await run();
  } finally {
    await application.settings.set('Chats', JSON.stringify(CHATS), 1);
    for (const name of ['ChatLink', 'ChatLink2'] as const) await application.settings.reset(name, 1);
  }
}

describe('chat', () => {
  test('REL-2.25 REL-2.128 REL-2.140 REL-2.156 REL-7.33 REL-9.43 the front end is framed with key and address of an enabled token', async () => {
    await using stage = await visit(application, { as: owner, language: 'zh' });
    const { page, problems } = stage;
    const asked = page.waitForRequest((request) => request.url().includes('/api/token/?p=0&size=100'));
    await page.goto('/chat');
    await asked;
    await agree(page);
    const frame = page.locator('iframe');
    await frame.waitFor();
    const source = (await frame.getAttribute('src')) ?? '';
    const settings = new URLSearchParams(source.split('?')[1]).get('settings');
    const newest = (await application.client(owner).tokens.list({ query: {} })).data[0];
    expect(JSON.parse(settings ?? '')).toEqual({ key: `sk-${newest?.key}`, url: 'https://gate.example' });
    await page.frameLocator('iframe').getByRole('heading', { name: 'front end' }).waitFor();
    const menu = page.getByRole('navigation', { name: '侧边菜单' });
    expect(await menu.getByRole('link', { name: '聊天' }).getAttribute('aria-current')).toBe('page');
    expect(problems).toEqual([]);
  });

  test('a key made for the application is worth a dollar for a month, and only that one is handed over (D3)', async () => {
    const guest = await application.actor();
    await application.client(guest).tokens.create({ body: { name: 'all', unlimited_quota: true } });
    await using stage = await open('/chat', { as: guest, language: 'en' });
    const { page } = stage;
    await page.getByRole('button', { name: 'Create a limited API key for it' }).click();
    const frame = page.locator('iframe');
    await frame.waitFor();
    const { data } = await application.client(guest).tokens.list({ query: {} });
    const made = data.find(({ name }) => name === `127.0.0.1:${frontEnd.port}`);
    expect(made).toMatchObject({ remain_quota: 500_000, unlimited_quota: false });
    const days = ((made?.expired_time ?? 0) - Date.now() / 1000) / 86_400;
    expect(Math.round(days)).toBe(30);
    expect(decodeURIComponent((await frame.getAttribute('src')) ?? '')).toContain(`sk-${made?.key}`);
  });

  test('the other site gets nothing, neither key nor request, before the user agrees; another token is asked about again (S23)', async () => {
    const before = reached.length;
    await using stage = await open('/chat');
    const { page } = stage;
    const host = `127.0.0.1:${frontEnd.port}`;
    await page.getByRole('heading', { name: `把密钥交给 ${host}？` }).waitFor();
    await page.getByText(`${host} 是另一个网站`).waitFor();
    expect(await page.locator('iframe').count()).toBe(0);
    expect(await page.getByRole('button', { name: '在新标签页打开' }).count()).toBe(0);
    expect(reached.length).toBe(before);
    await agree(page);
    await page.frameLocator('iframe').getByRole('heading', { name: 'front end' }).waitFor();
    expect(reached.slice(before).filter((url) => url.includes('sk-'))).toEqual([]);
    // The same tab is not asked twice for the same host and token.
    await page.reload();
    await page.locator('iframe').waitFor();
    await page
      .getByRole('combobox', { name: '使用的令牌' })
      .or(page.getByRole('textbox', { name: '使用的令牌' }))
      .first()
      .click();
    await page.getByRole('option', { name: 'first' }).click();
    await page.getByRole('heading', { name: `把密钥交给 ${host}？` }).waitFor();
    expect(await page.locator('iframe').count()).toBe(0);
    await page.getByRole('button', { name: '取消' }).click();
    await page.waitForURL('**/token');
  });

  test('REL-3.155 REL-3.156 REL-3.157 the links are kept locally', async () => {
    await using stage = await open('/chat');
    await agree(stage.page);
    await stage.page.locator('iframe').waitFor();
    expect(JSON.parse((await stored(stage.page, 'chats')) ?? '')).toEqual(CHATS);
    expect(await stored(stage.page, 'chat_link')).toBe('');
    expect(await stored(stage.page, 'chat_link2')).toBe('');
  });

  test('REL-2.156 the links are below the menu entry, each with its page', async () => {
    await using stage = await open('/token');
    const { page } = stage;
    const menu = page.getByRole('navigation', { name: '侧边菜单' });
    await menu.getByRole('button', { name: '操练场的更多页面' }).click();
    const fold = menu.getByRole('button', { name: '聊天应用' });
    expect(await fold.getAttribute('aria-expanded')).toBe('false');
    expect(await menu.getByRole('link', { name: 'Native' }).count()).toBe(0);
    await fold.click();
    await menu.getByRole('link', { name: 'Native' }).click();
    await page.getByRole('heading', { name: '在 Native 中继续' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/chat/1');
    expect(await menu.getByRole('link', { name: 'Native' }).getAttribute('aria-current')).toBe('page');
    expect(await menu.getByRole('link', { name: 'Web' }).getAttribute('aria-current')).toBeNull();
    const entry = menu.getByRole('link', { name: '聊天', exact: true });
    expect(await entry.getAttribute('aria-current')).toBeNull();
    expect(await accessibilityViolations(page)).toEqual([]);
    await fold.click();
    await page.reload();
    await page.getByRole('heading', { name: '在 Native 中继续' }).waitFor();
    expect(await menu.getByRole('link', { name: 'Native' }).count()).toBe(0);
  });

  test('another token and another application are chosen in the bar', async () => {
    await using stage = await open('/chat/0');
    const { page } = stage;
    await agree(page);
    await page.locator('iframe').waitFor();
    await page
      .getByRole('combobox', { name: '使用的令牌' })
      .or(page.getByRole('textbox', { name: '使用的令牌' }))
      .first()
      .click();
    await page.getByRole('option', { name: 'first' }).click();
    await agree(page);
    await until(page, `document.querySelector('iframe')?.src.includes(${JSON.stringify(key)})`);
    await page.getByRole('button', { name: '复制链接' }).first().click();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toContain(key);
    await page
      .getByRole('combobox', { name: '聊天应用' })
      .or(page.getByRole('textbox', { name: '聊天应用' }))
      .first()
      .click();
    await page.getByRole('option', { name: 'Native' }).click();
    await page.getByRole('heading', { name: '在 Native 中继续' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/chat/1');
    expect(await page.locator('iframe').count()).toBe(0);
    expect(await accessibilityViolations(page)).toEqual([]);
  });

  test.each(['/chat/2', '/chat/9', '/chat/nonsense'])(
    'REL-8.20 %s: a link that cannot be used',
    async (path) => {
      await using stage = await open(path);
      await stage.page.getByText('聊天链接配置错误，请联系管理员', { exact: true }).waitFor();
      expect(await stage.page.locator('iframe').count()).toBe(0);
    },
  );

  test('REL-8.21 no link at all', async () => {
    await withSettings({ Chats: '[]' }, async () => {
      await using stage = await open('/chat');
      const { page } = stage;
      await page.getByText('请联系管理员配置聊天链接', { exact: true }).waitFor();
      const menu = page.getByRole('navigation', { name: '侧边菜单' });
      expect(await menu.getByRole('link', { name: '聊天' }).count()).toBe(0);
    });
  });

  test('REL-8.22 chat data that cannot be read', async () => {
    await using stage = await visit(application, { as: owner, language: 'zh', storage: { chats: '[{' } });
    const { page } = stage;
    await page.route('**/api/status', (route) => route.fulfill({ status: 500, body: '{}' }));
    await page.goto('/chat');
    await page.getByText('聊天数据解析失败', { exact: true }).waitFor();
  });

  test('REL-8.23 REL-8.24 without an enabled token the token page follows after 1.5 seconds', async () => {
    const nobody = await application.actor();
    const [off] = await application.client(nobody).tokens.create({ body: { name: 'off' } });
    await application.request('/api/token/?status_only=true', {
      method: 'PUT',
      as: nobody,
      body: { id: off?.id, status: 2 },
    });
    await using stage = await open('/chat', { as: nobody });
    const { page } = stage;
    await page.getByText('当前没有可用的启用令牌，请确认是否有令牌处于启用状态！', { exact: true }).waitFor();
    const seen = performance.now();
    expect(new URL(page.url()).pathname).toBe('/chat');
    await page.waitForURL('**/token');
    // The countdown has already run for a moment.
    expect(performance.now() - seen).toBeGreaterThan(700);
  });

  test('the way to the tokens can be stopped', async () => {
    const nobody = await application.actor();
    await using stage = await open('/chat', { as: nobody });
    const { page } = stage;
    await page.getByRole('button', { name: '留在此页' }).click();
    await Bun.sleep(1800);
    expect(new URL(page.url()).pathname).toBe('/chat');
    expect(await accessibilityViolations(page)).toEqual([]);
  });

  test('an older chat link works like a NextChat', async () => {
    await withSettings({ Chats: '[]', ChatLink: FRONT_END }, async () => {
      await using stage = await open('/chat');
      await agree(stage.page);
      const frame = stage.page.locator('iframe');
      await frame.waitFor();
      expect(await frame.getAttribute('src')).toStartWith(`${FRONT_END}/#/?settings=`);
    });
  });
});

describe('chat2link', () => {
  test('REL-2.26 REL-2.129 O11 names the host and the token, then redirects to the chat link', async () => {
    await using stage = await open('/', { fresh: true });
    const { page } = stage;
    // The page stays until its accessibility is checked, however long that takes.
    const checked = Promise.withResolvers<void>();
    await page.route(`${FRONT_END}/**`, async (route) => {
      await checked.promise;
      await route.continue();
    });
    await page.goto('/chat2link');
    const host = `127.0.0.1:${frontEnd.port}`;
    await page.getByText(`继续后将打开 ${host}，并把令牌 second 的密钥交给它。`).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    checked.resolve();
    await page.waitForURL(`${FRONT_END}/**`);
    expect(page.url()).toContain('sk-');
  });

  test('REL-8.21 no link', async () => {
    await withSettings({ Chats: '[]' }, async () => {
      await using stage = await open('/chat2link');
      await stage.page.getByText('请联系管理员配置聊天链接', { exact: true }).waitFor();
    });
  });
});

describe('their look', () => {
  testLooks('English, with every message', async () => {
    const english = { language: 'en', locale: 'en-US' } as const;
    await using stage = await open('/chat', english);
    const { page } = stage;
    await agree(page);
    await page.locator('iframe').waitFor();
    const words = await page.locator('body').innerText();
    expect(words.replace('中', '')).not.toMatch(/[\u4e00-\u9fff]/);
    await page.goto('/chat/9');
    await page.getByText('The chat link is not set up correctly. Tell the administrator.').waitFor();
    await using other = await open('/chat', { ...english, as: await application.actor() });
    await other.page.getByText('You have no enabled API key.').waitFor();
  });

  testLooks.each(['light', 'dark'] as const)('%s has no accessibility violation', async (theme) => {
    await using stage = await open('/chat', { theme });
    await stage.page.getByRole('heading', { name: /^把密钥交给/ }).waitFor();
    expect(await accessibilityViolations(stage.page)).toEqual([]);
    await agree(stage.page);
    await stage.page.frameLocator('iframe').getByRole('heading').waitFor();
    expect(await accessibilityViolations(stage.page)).toEqual([]);
    await screenshot(stage.page, `chat-zh-${theme}`);
  });

  testLooks('nothing sticks out on the phone', async () => {
    await using stage = await open('/chat', { viewport: PHONE });
    expect(await fitsWidth(stage.page)).toBe(true);
    await agree(stage.page);
    await stage.page.locator('iframe').waitFor();
    expect(await fitsWidth(stage.page)).toBe(true);
    await screenshot(stage.page, 'chat-phone-zh-light');
  });
});
