// The shell of the console in a real browser: bars and menus, theme, language, guard, what an HTTP status does, footer,
// palette, content of the operator, the phone.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import {
  ROOT_PASSWORD,
  startApplication,
  type Actor,
  type TestApplication,
} from '#tests/support/application.ts';
import { fitsWidth, PHONE, stored, until, visit } from '#tests/support/browser.ts';

let application: TestApplication;
let user: Actor;
let admin: Actor;

beforeAll(async () => {
  application = await startApplication({
    settings: { Chats: '[{"Demo":"https://chat.example.com/#{key}"}]' },
  });
  user = await application.actor({ quota: 64_200_000 });
  admin = await application.actor({ role: 10 });
});
afterAll(() => application.close());

const scheme = (page: Page) =>
  page.evaluate<string>('document.documentElement.getAttribute("data-mantine-color-scheme")');
const pathOf = (page: Page) => new URL(page.url()).pathname;

describe('bars and menus', () => {
  test('REL-2.130 REL-2.131 REL-2.133 REL-2.134 REL-2.135 REL-2.137 a visitor has the public links, theme, language, login and register', async () => {
    await using at = await visit(application, { language: 'zh' });
    await at.page.goto('/');
    const bar = at.page.getByRole('banner');
    for (const name of ['首页', '控制台', '关于', '登录', '注册'])
      await bar.getByRole('link', { name, exact: true }).waitFor();
    await bar.getByRole('button', { name: '主题' }).waitFor();
    await bar.getByRole('link', { name: '切换到英文' }).waitFor();
    expect(await bar.getByRole('link', { name: '首页', exact: true }).getAttribute('aria-current')).toBe(
      'page',
    );
    // Every menu entry is a page that exists.
    const links = bar.getByRole('navigation').getByRole('link');
    for (const href of await links.evaluateAll((found) =>
      found.map((link) => link.getAttribute('href') ?? ''),
    )) {
      await at.page.goto(href);
      await at.page.getByRole('main').waitFor();
      expect(await at.page.getByText('页面不存在').count(), href).toBe(0);
    }
    expect(at.problems).toEqual([]);
  });

  test('REL-2.136 REL-2.141 a signed-in user has the balance, the token entry and a menu with logout', async () => {
    await using at = await visit(application, { as: user, language: 'zh' });
    await at.page.goto('/token');
    await at.page.getByRole('link', { name: '余额 $128.40' }).waitFor();
    const side = at.page.getByRole('navigation', { name: '侧边菜单' });
    expect(await side.getByRole('link', { name: '令牌' }).getAttribute('aria-current')).toBe('page');
    await at.page.getByRole('button', { name: /账户菜单/ }).click();
    await at.page.getByRole('menuitem', { name: '退出登录' }).waitFor();
    expect(at.problems).toEqual([]);
  });

  test('everywhere the bar leads to models, status and docs; what has no room is in a menu', async () => {
    await using at = await visit(application, { as: admin, language: 'en' });
    const { page, problems } = at;
    const bar = page.getByRole('navigation', { name: 'Main menu' });
    const links = () =>
      bar.getByRole('link').evaluateAll((found) => found.map((link) => link.getAttribute('href')));
    const spaces = ['/overview', '/overview', '/margins'];
    const more = async () => {
      await bar.getByRole('button', { name: 'More pages' }).click();
      const items = page.getByRole('menuitem');
      await items.first().waitFor();
      const shown = await items.evaluateAll((found) => found.map((link) => link.getAttribute('href')));
      // The next click would close a menu that is still open.
      await items.first().press('Escape');
      await items.first().waitFor({ state: 'detached' });
      return shown;
    };
    await page.goto('/token');
    await bar.getByRole('link', { name: 'Models' }).waitFor();
    expect(await links()).toEqual(['/', ...spaces, '/models', '/pricing', '/status', '/docs', '/about']);
    await page.setViewportSize({ width: 1100, height: 800 });
    await bar.getByRole('button', { name: 'More pages' }).waitFor();
    expect(await links()).toEqual([...spaces, '/models', '/status', '/docs']);
    expect(await more()).toEqual(['/', '/pricing', '/about']);
    expect(await fitsWidth(page)).toBe(true);
    await page.setViewportSize({ width: 768, height: 800 });
    await bar.getByRole('link', { name: 'Docs' }).waitFor({ state: 'detached' });
    expect(await links()).toEqual(spaces);
    expect(await more()).toEqual(['/', '/models', '/pricing', '/status', '/docs', '/about']);
    expect(await fitsWidth(page)).toBe(true);
    // A page of the server: the link loads its document.
    await bar.getByRole('button', { name: 'More pages' }).click();
    const status = page.getByRole('menuitem', { name: 'Status' });
    await status.waitFor();
    // By key: a pointer may miss an entry of a menu that is being placed.
    await Promise.all([page.waitForURL('**/status'), status.press('Enter')]);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(problems).toEqual([]);
  });

  test('in Use an operator sees own calls and figures, in Run the whole site; the space outlives a reload', async () => {
    await using at = await visit(application, { as: admin, language: 'en' });
    const { page, problems } = at;
    const side = page.getByRole('navigation', { name: 'Side menu' });
    const spaces = page.getByRole('group', { name: 'Console' });
    const addresses = () =>
      side
        .getByRole('link', { name: /^(Dashboard|Logs)$/ })
        .evaluateAll((found) => found.map((link) => link.getAttribute('href')));
    const current = () => spaces.locator('[aria-current=page]').innerText();
    await page.goto('/token');
    await side.getByRole('link', { name: 'Logs' }).click();
    await page.waitForURL((url) => url.searchParams.get('user') === admin.username);
    await page.getByRole('main').getByText(admin.username).first().waitFor();
    await side.getByRole('link', { name: 'Overview' }).click();
    await side.getByRole('link', { name: 'Dashboard' }).click();
    await page.waitForURL('**/detail?scope=self');
    await page.getByRole('radio', { name: 'Mine', checked: true }).waitFor({ state: 'attached' });
    await spaces.getByRole('link', { name: 'Run' }).click();
    await side.getByRole('link', { name: 'Channels' }).waitFor();
    await page.reload();
    await side.getByRole('link', { name: 'Channels' }).waitFor();
    expect(await current()).toBe('Run');
    expect(await addresses()).toEqual(['/detail', '/log']);
    await side.getByRole('link', { name: 'Logs' }).click();
    await page.waitForURL((url) => url.pathname === '/log' && url.search === '');
    expect(await current()).toBe('Run');
    expect(problems).toEqual([]);
  });

  test('the side menu collapses and stays so', async () => {
    await using at = await visit(application, { as: user, language: 'zh' });
    await at.page.goto('/token');
    const side = at.page.getByRole('navigation', { name: '侧边菜单' });
    await at.page.getByRole('button', { name: '收起' }).click();
    expect((await side.boundingBox())?.width).toBe(52);
    await at.page.reload();
    await at.page.getByRole('button', { name: '展开' }).waitFor();
    expect((await side.boundingBox())?.width).toBe(52);
  });

  test('the skip link is the first stop of the keyboard and leads to the content', async () => {
    await using at = await visit(application, { as: user, language: 'en' });
    await at.page.goto('/token');
    await at.page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
    await at.page.evaluate('document.activeElement?.blur()');
    await at.page.keyboard.press('Tab');
    expect(await at.page.evaluate<string>('document.activeElement.textContent')).toBe('Skip to content');
    await at.page.keyboard.press('Enter');
    expect(await at.page.evaluate<string>('document.activeElement.id')).toBe('main');
  });
});

describe('theme', () => {
  test('ACC-1.22 ACC-1.23 ACC-1.25 ACC-3.156 ACC-9.36 REL-2.161 REL-2.162 day and dark take effect and survive a reload', async () => {
    await using at = await visit(application, { language: 'zh' });
    await at.page.goto('/');
    for (const [name, value] of [
      ['深色', 'dark'],
      ['浅色', 'light'],
    ] as const) {
      await at.page.getByRole('button', { name: '主题' }).click();
      await at.page.getByRole('menuitemradio', { name }).click();
      expect(await scheme(at.page)).toBe(value);
      expect(await stored(at.page, 'theme-mode')).toBe(value);
      await at.page.reload();
      expect(await scheme(at.page)).toBe(value);
    }
  });

  test('ACC-1.24 REL-2.163 follow-system stores nothing and follows the system at once', async () => {
    await using at = await visit(application, { language: 'zh', theme: 'light' });
    await at.page.goto('/');
    await at.page.getByRole('button', { name: '主题' }).click();
    await at.page.getByRole('menuitemradio', { name: '跟随系统' }).click();
    expect(await stored(at.page, 'theme-mode')).toBeNull();
    await at.page.emulateMedia({ colorScheme: 'dark' });
    await until(at.page, 'document.documentElement.dataset.mantineColorScheme === "dark"');
    await at.page.emulateMedia({ colorScheme: 'light' });
    await until(at.page, 'document.documentElement.dataset.mantineColorScheme === "light"');
  });

  test('the theme is set before the first script of the application runs', async () => {
    await using at = await visit(application, { theme: 'dark' });
    // The application code is blocked: only the first paint remains.
    await at.page.route('**/assets/*.js', (route) => route.abort());
    await at.page.goto('/', { waitUntil: 'domcontentloaded' });
    expect(await scheme(at.page)).toBe('dark');
  });
});

describe('language', () => {
  test('ACC-1.19 ACC-1.20 ACC-3.157 one click changes the language, kept over a reload', async () => {
    await using at = await visit(application, { language: 'zh' });
    await at.page.goto('/login');
    await at.page.getByRole('heading', { name: '登录' }).waitFor();
    await at.page.getByRole('button', { name: '切换到英文' }).click();
    await at.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await stored(at.page, 'i18nextLng')).toBe('en');
    await at.page.reload();
    await at.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await at.page.evaluate<string>('document.documentElement.lang')).toBe('en');
  });

  test('ACC-1.21 a browser in another language gets Chinese', async () => {
    await using at = await visit(application, { locale: 'fr-FR' });
    await at.page.goto('/login');
    await at.page.getByRole('heading', { name: '登录' }).waitFor();
  });

  test('only the words of the active language are loaded', async () => {
    await using at = await visit(application, { language: 'en', fresh: true });
    const bodies: string[] = [];
    const reading: Promise<unknown>[] = [];
    at.page.on('response', (response) => {
      if (response.url().endsWith('.js')) reading.push(response.text().then((text) => bodies.push(text)));
    });
    await at.page.goto('/login');
    await at.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await Promise.all(reading);
    expect(bodies.some((body) => body.includes('Caps lock is on'))).toBe(true);
    expect(bodies.some((body) => body.includes('大写锁定已开启'))).toBe(false);
  });
});

describe('guard', () => {
  test('ACC-2.19 a protected page goes to the login when no user is stored, and is returned to', async () => {
    await using at = await visit(application, { language: 'zh' });
    await at.page.goto('/token?q=abc');
    await at.page.waitForURL(/\/login\?next=/);
    await at.page.getByLabel('用户名或邮箱').fill(user.username);
    await at.page.getByLabel('密码', { exact: true }).fill('user-password-of-tests');
    await at.page.getByRole('button', { name: '登录' }).click();
    await at.page.waitForURL(/\/token\?q=abc/);
  });

  test('ACC-2.02 ACC-4.11 ACC-4.12 ACC-8.02 REL-8.27 a 401 clears the user, goes to the login and shows a notice there', async () => {
    await using at = await visit(application, { as: await application.actor(), language: 'zh' });
    await at.context.clearCookies();
    await at.page.goto('/token?page=2');
    await at.page.waitForURL(/\/login\?/);
    const query = new URL(at.page.url()).searchParams;
    expect(query.get('expired')).toBe('true');
    expect(query.get('next')).toBe('/token?page=2');
    await at.page.getByRole('main').getByText('未登录或登录已过期，请重新登录！').waitFor();
    expect(await stored(at.page, 'user')).toBeNull();
  });

  test('ACC-2.18 an unknown path shows the not-found page with the closest pages', async () => {
    await using at = await visit(application, { as: admin, language: 'zh' });
    await at.page.goto('/tokens');
    await at.page.getByRole('heading', { name: '页面不存在' }).waitFor();
    const offered = at.page.getByRole('main').getByRole('link');
    expect(await offered.first().textContent()).toContain('/token');
    await at.page.getByLabel('搜索页面').fill('guanyu');
    await at.page.getByRole('main').getByRole('link', { name: '关于' }).click();
    expect(pathOf(at.page)).toBe('/about');
  });
});

describe('the message of each HTTP status', () => {
  const statuses = [
    ['ACC-8.03', 429, {}, '请求次数过多，请稍后再试'],
    ['ACC-8.04', 500, {}, '服务器内部错误，请联系管理员'],
    ['ACC-8.05', 405, {}, '本站仅作演示之用，无服务端'],
    ['ACC-8.06', 403, { message: '没有这个权限' }, '错误：没有这个权限'],
    ['ACC-8.01', 200, { success: false, message: '额度不足' }, '额度不足'],
  ] as const;
  for (const [id, status, body, sentence] of statuses) {
    test(`${id} ${status} shows ${sentence}`, async () => {
      await using at = await visit(application, { language: 'zh' });
      await at.page.route('**/api/user/login', (route) => route.fulfill({ status, json: body }));
      await at.page.goto('/login');
      await at.page.getByLabel('用户名或邮箱').fill('paperboat');
      await at.page.getByLabel('密码', { exact: true }).fill('12345678');
      await at.page.getByRole('button', { name: '登录' }).click();
      await at.page.getByRole('alert').getByText(sentence, { exact: true }).waitFor();
    });
  }

  test('REL-8.28 ACC-8.44 an unreachable server shows the message of the specification, in English too', async () => {
    await using at = await visit(application, { language: 'en' });
    await at.page.route('**/api/user/login', (route) => route.abort());
    await at.page.goto('/login');
    await at.page.getByLabel('Username or email').fill('paperboat');
    await at.page.getByLabel('Password', { exact: true }).fill('12345678');
    await at.page.getByRole('button', { name: 'Sign in' }).click();
    await at.page.getByRole('alert').getByText('Unable to connect to server', { exact: true }).waitFor();
  });

  test('REL-8.29 a status that cannot be loaded shows on top of the page', async () => {
    await using at = await visit(application, { language: 'en' });
    await at.page.route('**/api/status', (route) => route.fulfill({ status: 500, json: {} }));
    await at.page.goto('/login');
    await at.page.getByRole('alert').getByText('Failed to load status').waitFor();
  });

  test('losing the network shows a banner, and it goes when the network is back', async () => {
    await using at = await visit(application, { as: user, language: 'zh' });
    await at.page.goto('/token');
    await at.page.getByRole('heading', { name: '令牌' }).waitFor();
    await at.context.setOffline(true);
    const banner = at.page.getByText('网络已断开');
    await banner.waitFor();
    await at.context.setOffline(false);
    await banner.waitFor({ state: 'detached' });
  });
});

describe('what is kept locally', () => {
  test('ACC-3.119 ACC-3.149 ACC-3.150 ACC-3.151 ACC-3.152 ACC-3.155 REL-3.154 REL-3.155 REL-3.156 REL-3.157 REL-3.160 status, user, chats, chat links and footer', async () => {
    await using at = await visit(application, { as: user });
    await at.page.goto('/token');
    await until(at.page, 'localStorage.getItem("status") !== null');
    const status = JSON.parse((await stored(at.page, 'status')) ?? '{}') as Record<string, unknown>;
    expect(status).toMatchObject({ system_name: 'Tollgate', quota_per_unit: 500_000 });
    expect(JSON.parse((await stored(at.page, 'chats')) ?? '')).toEqual([
      { Demo: 'https://chat.example.com/#{key}' },
    ]);
    expect(await stored(at.page, 'chat_link')).toBe('');
    expect(await stored(at.page, 'chat_link2')).toBe('');
    expect(await stored(at.page, 'footer_html')).toBe('');
    expect(JSON.parse((await stored(at.page, 'user')) ?? '{}')).toMatchObject({ id: user.id });
  });
});

describe('palette', () => {
  test('Ctrl K opens it; a page is found by its pinyin and opened by Enter', async () => {
    await using at = await visit(application, { as: user, language: 'zh' });
    await at.page.goto('/about');
    await at.page.getByRole('button', { name: /搜索或跳转/ }).waitFor();
    await at.page.keyboard.press('Control+k');
    await at.page.getByRole('textbox', { name: '命令面板' }).fill('lingpai');
    await at.page.keyboard.press('Enter');
    await at.page.waitForURL('**/token');
    expect(at.problems).toEqual([]);
  });

  test('what is typed before its code has arrived is searched for', async () => {
    await using at = await visit(application, { as: user, language: 'zh' });
    const { page } = at;
    await page.goto('/about');
    await page.getByRole('button', { name: /搜索或跳转/ }).waitFor();
    const held = Promise.withResolvers<void>();
    await page.route(/\/assets\/palette-[^/]+\.js$/, async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.keyboard.press('Control+k');
    await page.keyboard.type('ling');
    held.resolve();
    await page.locator('input[aria-label=命令面板]:focus').waitFor();
    await page.keyboard.type('pai');
    expect(await page.getByRole('textbox', { name: '命令面板' }).inputValue()).toBe('lingpai');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/token');
    expect(at.problems).toEqual([]);
  });

  test('O23 D17: it finds channels, users, tokens, settings, models and a call by its request id', async () => {
    const root = await application.login('root', ROOT_PASSWORD);
    const client = application.client(root);
    await client.channels.create({
      body: {
        name: 'needle-channel',
        type: CHANNEL_TYPE.openAi,
        key: 'sk-needle',
        models: 'gpt-4o',
        groups: 'default',
      },
    });
    await client.tokens.create({ body: { name: 'needle-token' } });
    await application.createUser({ username: 'needle-user' });
    await using at = await visit(application, { as: root, language: 'en' });
    const { page } = at;
    const search = async (text: string, hit: string | RegExp) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('textbox', { name: 'Command palette' }).fill(text);
      const found = page.getByRole('dialog').getByRole('button', { name: hit });
      await found.waitFor();
      return found;
    };
    await page.goto('/token');
    await page.getByRole('row').filter({ hasText: 'needle-token' }).waitFor();
    await (await search('needle', /^needle-channel/)).waitFor();
    for (const name of [/^needle-user/, /^needle-token/]) await page.getByRole('button', { name }).waitFor();
    await page.getByRole('button', { name: /^needle-channel/ }).click();
    await page.waitForURL(/\/channel\/\d+$/);
    await (await search('QuotaForNewUser', /QuotaForNewUser/)).click();
    await page.waitForURL(/\/setting\?tab=operation&section=quota/);
    await page.locator('#control-QuotaForNewUser').waitFor();
    const id = '20261115023015aB3-_xY9';
    await (await search(id, id)).click();
    await page.waitForURL((url) => url.pathname === '/log' && url.searchParams.get('request') === id);
    const ofRelay = '01a1e7c4-4672-75b8-9d13-21801e3f5fad';
    await search(ofRelay, ofRelay);
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.searchParams.get('request') === ofRelay);
    await (await search('gpt-4o', /^gpt-4o$/)).click();
    await page.waitForURL(/\/model\/gpt-4o$/);
    expect(at.problems).toEqual([]);
    await using customer = await visit(application, { as: user, language: 'en' });
    await customer.page.goto('/token');
    await customer.page.getByRole('heading', { name: 'API keys' }).first().waitFor();
    await customer.page.keyboard.press('Control+k');
    await customer.page.getByRole('textbox', { name: 'Command palette' }).fill('gpt-4o');
    await customer.page
      .getByRole('dialog')
      .getByRole('button', { name: /^gpt-4o$/ })
      .click();
    await customer.page.waitForURL(
      (url) => url.pathname === '/pricing' && url.searchParams.get('model') === 'gpt-4o',
    );
  });
});

describe('phone', () => {
  test('bottom bar, menu drawer and no sideways scroll', async () => {
    await using at = await visit(application, { as: user, language: 'zh', viewport: PHONE });
    await at.page.goto('/token');
    const bar = at.page.getByRole('navigation', { name: '主菜单' });
    expect(await bar.getByRole('link', { name: '令牌' }).getAttribute('aria-current')).toBe('page');
    for (const path of ['/', '/login', '/register', '/about', '/nowhere', '/token']) {
      await at.page.goto(path);
      await at.page.getByRole('main').waitFor();
      expect(await fitsWidth(at.page), path).toBe(true);
    }
    await bar.getByRole('button', { name: '更多' }).click();
    const menu = at.page.getByRole('dialog', { name: '菜单' });
    await menu.getByRole('link', { name: '关于' }).click();
    await at.page.waitForURL('**/about');
    await menu.waitFor({ state: 'detached' });
  });
});

describe('an update while the console is open', () => {
  test('a chunk that is gone starts the console again instead of breaking the page', async () => {
    await using at = await visit(application, { as: user, language: 'zh' });
    await at.page.goto('/token');
    await at.page.getByRole('link', { name: '关于', exact: true }).waitFor();
    let gone = true;
    await at.page.route('**/assets/about-page-*.js', async (route) => {
      if (!gone) return route.continue();
      gone = false;
      return route.fulfill({ status: 404, body: '' });
    });
    await at.page.getByRole('link', { name: '关于', exact: true }).click();
    await at.page.getByText('版本').waitFor();
    expect(gone).toBe(false);
  });
});

describe('a network that goes while a part still loads', () => {
  test('the page stays, and what was asked for appears when the network is back', async () => {
    await using at = await visit(application, { as: user, language: 'zh' });
    await at.page.goto('/token');
    await at.page.getByRole('heading', { name: '令牌' }).waitFor();
    await at.page.waitForLoadState('networkidle');
    await at.context.setOffline(true);
    await at.page.keyboard.press('Control+k');
    await at.page.getByText('网络已断开').waitFor();
    expect(await at.page.getByRole('heading', { name: '令牌' }).isVisible()).toBe(true);
    await at.context.setOffline(false);
    await at.page.getByRole('textbox', { name: '命令面板' }).waitFor();
  });
});
