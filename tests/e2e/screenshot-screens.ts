// Every screen for the screenshots: its user, and the steps before the picture.
import type { Page } from 'playwright-core';
import { nthId } from '#tests/support/templates.ts';
import { DRAWINGS } from './screenshot-data.ts';
import type { Screen } from './screenshot-screen.ts';
import { OVERVIEWS, SHOP } from './screenshot-public.ts';

const firstRow = (page: Page) => page.locator('tbody tr').first();
const isPhone = (width: number) => width < 768;
/** A drawer comes after its list. */
const form = (page: Page) => page.locator('form').last().waitFor();
const button = (page: Page, name: RegExp) => page.getByRole('button', { name }).first();

async function ask(page: Page): Promise<void> {
  const box = page.getByRole('textbox', { name: /输入消息|同时询问两个模型|Type a message|Ask both models/ });
  await box.waitFor();
  if ((await page.locator('article[data-status="complete"]').count()) > 0) return;
  await box.fill('Write a function that tells whether a year is a leap year.');
  await box.press('Enter');
  await page.locator('article[data-status="complete"]').first().waitFor();
}

/** Plays the first song, so that its waveform is drawn. */
async function hear(page: Page): Promise<void> {
  await button(page, /^(播放|Play) Five Bars$/).click();
  await button(page, /^(暂停|Pause) Five Bars$/).click();
  await page.waitForTimeout(500);
}

async function paint(page: Page): Promise<void> {
  await page.locator('#studio-prompt').fill('a five-bar gate in morning mist');
  await button(page, /^(生成|Generate)$/).click();
  await page
    .getByText(/^(已扣费|Charged)/)
    .first()
    .waitFor();
}

async function compare(page: Page, width: number): Promise<void> {
  if (isPhone(width)) return;
  await page.getByText(/^(对比 2 个|Compare 2)$/).click();
  await ask(page);
}

/** Opens the ⋯ menu of a row and chooses an entry. */
async function choose(page: Page, row: string, entry?: RegExp): Promise<void> {
  await button(page, new RegExp(`^(${row} 的操作|Actions of ${row})$`)).click();
  if (entry) await page.getByRole('menuitem', { name: entry }).first().click();
}

async function openDialog(page: Page, row: string, entry: RegExp): Promise<void> {
  await choose(page, row, entry);
  await page.getByRole('dialog').waitFor();
}

/** What an upstream says of its limits is known only after calls, which the sample site has not sent. */
async function showLimits(page: Page): Promise<void> {
  const reset_at = Math.floor(Date.now() / 1000) + 900;
  const limits = {
    pauses: [{ model: 'gpt-5.4-mini', cause: 'tokens', until: reset_at - 860 }],
    left: [
      {
        model: 'gpt-5.4-mini',
        requests: { left: 482, limit: 500, reset_at },
        tokens: { left: 0, limit: 200_000, reset_at },
      },
      {
        model: 'gpt-5.4',
        requests: { left: 9214, limit: 10_000, reset_at },
        tokens: { left: 1_874_000, limit: 2_000_000, reset_at },
      },
    ],
  };
  await page.route('**/api/channel/1/page*', async (route) => {
    const response = await route.fetch();
    const answer = (await response.json()) as { data: object };
    await route.fulfill({ response, json: { ...answer, data: { ...answer.data, limits } } });
  });
  await page.reload();
  await page
    .getByText(/^(上游限额|Upstream limits)$/)
    .first()
    .waitFor();
  await page.unroute('**/api/channel/1/page*');
}

async function selectRows(page: Page, width: number): Promise<void> {
  if (isPhone(width)) return;
  await firstRow(page).waitFor();
  for (const at of [0, 1]) await page.locator('tbody tr').nth(at).getByRole('checkbox').click();
}

async function openFirstRow(page: Page, width: number): Promise<void> {
  if (isPhone(width)) await page.getByRole('list').getByRole('button').first().click();
  else await firstRow(page).locator('td').nth(1).click();
}

async function changeRatios(page: Page): Promise<void> {
  for (const [at, value] of [
    [0, '1.8'],
    [3, '4'],
  ] as const) {
    const cell = page.locator('tr[data-model] input[inputmode="decimal"]').nth(at);
    await cell.fill(value);
    await cell.press('Tab');
  }
  await button(page, /^(检查更改|Review)$/).click();
}

const PUBLIC: Screen[] = [
  { name: 'home', path: '/' },
  { name: 'home-whole', path: '/', height: 1800 },
  { name: 'about', path: '/about' },
  { name: 'docs', path: '/docs' },
  { name: 'docs-troubleshooting', path: '/docs/troubleshooting', height: 1600 },
  {
    name: 'docs-api',
    path: '/docs/api',
    height: 2400,
    prepare: async (page) => {
      const entry = page.locator('details', { hasText: 'POST/api/token/' }).first();
      await entry.locator('summary').click();
      await entry.locator('pre').scrollIntoViewIfNeeded();
    },
  },
  { name: 'login', path: '/login' },
  { name: 'login-expired', path: '/login?expired=true' },
  {
    name: 'login-outside',
    path: '/login',
    settings: 'outside',
    storage: { 'last-login': 'github' },
  },
  {
    name: 'login-wechat',
    path: '/login',
    settings: 'outside',
    floating: true,
    prepare: async (page) => {
      await button(page, /微信|WeChat/).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'login-refused',
    path: '/login',
    refused: true,
    prepare: async (page) => {
      await page.locator('input[name=username]').fill('paperboat');
      await page.locator('input[name=password]').fill('not-the-password');
      await page.locator('button[type=submit]').click();
      await page.getByRole('alert').first().waitFor();
    },
  },
  { name: 'register', path: '/register?aff=AB12' },
  {
    name: 'register-refused',
    path: '/register',
    refused: true,
    prepare: async (page) => {
      await page.locator('input[name=username]').fill('root');
      await page.locator('input[name=password]').fill('paper-boat-7');
      await page.locator('input[name=password2]').fill('paper-boat-7');
      await page.locator('button[type=submit]').click();
      await page.locator('input[name=username][aria-invalid=true]').waitFor();
    },
  },
  {
    name: 'register-verified',
    path: '/register?aff=AB12',
    settings: 'verified',
    prepare: async (page) => {
      await page.getByLabel(/^(密码|Password)$/).fill('paper-boat-7');
      await page.locator('button[type=submit]').click();
    },
  },
  { name: 'reset', path: '/reset', settings: 'verified' },
  { name: 'reset-confirm', path: '/user/reset?email=boat@example.com&token=abcdef' },
  {
    name: 'reset-spent',
    path: '/user/reset?email=boat@example.com&token=abcdef',
    refused: true,
    prepare: async (page) => {
      await page.getByRole('button').last().click();
      await page.getByRole('alert').first().waitFor();
    },
  },
  { name: 'callback-failed', path: '/oauth/github?code=a&state=b', settings: 'outside', refused: true },
  { name: 'not-found', path: '/tokens', as: 'user' },
  { name: 'not-found-visitor', path: '/priceing' },
  { name: 'pricing', path: '/pricing' },
  { name: 'pricing-signed-in', path: '/pricing?group=vip', as: 'user' },
  { name: 'pricing-videos', path: '/pricing?q=sora', as: 'user' },
  { name: 'pricing-model-video', path: '/pricing?model=sora-2-pro', as: 'user' },
  { name: 'pricing-model', path: '/pricing?model=gpt-4o', as: 'user' },
  { name: 'pricing-model-whole', path: '/pricing?model=gpt-4o', as: 'user', height: 1700 },
  { name: 'pricing-compare', path: '/pricing', as: 'user', prepare: selectRows },
];

const USING: Screen[] = [
  { name: 'overview', path: '/overview', as: 'user' },
  { name: 'overview-operator', path: '/overview', as: 'admin', height: 1100 },
  { name: 'tokens', path: '/token', as: 'user' },
  { name: 'tokens-empty', path: '/token', as: 'newcomer' },
  { name: 'tokens-new', path: '/token?new=1', as: 'user', prepare: form },
  { name: 'tokens-new-whole', path: '/token?new=1', as: 'user', height: 1500, prepare: form },
  { name: 'tokens-edit', path: `/token?edit=${nthId('tokens', 2)}`, as: 'user' },
  { name: 'tokens-connect', path: `/token?connect=${nthId('tokens', 1)}`, as: 'user' },
  { name: 'tokens-connect-whole', path: `/token?connect=${nthId('tokens', 1)}`, as: 'user', height: 1400 },
  { name: 'tokens-selected', path: '/token', as: 'user', prepare: selectRows },
  { name: 'tokens-no-match', path: '/token?q=nothing-like-this&status=1', as: 'user' },
  { name: 'log-user', path: '/log', as: 'user' },
  { name: 'log-empty', path: '/log', as: 'newcomer' },
  { name: 'log-admin', path: '/log', as: 'admin' },
  { name: 'log-open', path: '/log?type=2', as: 'admin', prepare: openFirstRow, height: 1100 },
  { name: 'log-open-user', path: '/log?type=2', as: 'user', prepare: openFirstRow, height: 1100 },
  { name: 'log-video', path: '/log?model=sora-2-pro', as: 'user', prepare: openFirstRow, height: 1100 },
  { name: 'log-errors', path: '/log?type=5', as: 'admin', prepare: openFirstRow },
  { name: 'log-errors-refused', path: '/log?type=8', as: 'admin', prepare: openFirstRow },
  { name: 'dashboard-user', path: '/detail?days=7&by=day', as: 'user' },
  { name: 'dashboard-whole', path: '/detail?days=7&by=day', as: 'user', height: 1700 },
  {
    name: 'dashboard-admin',
    path: '/detail?days=30&by=day&compare=true',
    as: 'admin',
    height: 1700,
  },
  { name: 'dashboard-hours', path: '/detail?days=1&by=hour', as: 'admin' },
  { name: 'dashboard-empty', path: '/detail', as: 'newcomer' },
  { name: 'playground', path: '/playground', as: 'newcomer' },
  { name: 'playground-answer', path: '/playground?model=gpt-4o', as: 'user', prepare: ask },
  { name: 'playground-compare', path: '/playground?model=gpt-4o', as: 'user', prepare: compare },
  {
    name: 'playground-code',
    path: '/playground?model=gpt-4o',
    as: 'user',
    floating: true,
    prepare: async (page, width) => {
      if (isPhone(width)) return;
      await button(page, /^(获取代码|Get code)$/).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  { name: 'playground-image', path: '/playground?tab=image', as: 'user', prepare: paint },
  { name: 'playground-music', path: '/playground?tab=music', as: 'user' },
  { name: 'playground-video', path: '/playground?tab=video', as: 'user' },
  { name: 'task-table', path: '/task', as: 'user' },
  { name: 'task-gallery', path: '/task', as: 'user', storage: { 'tasks-view': 'gallery' }, prepare: hear },
  {
    name: 'task-gallery-admin',
    path: '/task',
    as: 'admin',
    storage: { 'tasks-view': 'gallery' },
    height: 1200,
  },
  {
    name: 'task-result',
    path: '/task',
    as: 'user',
    storage: { 'tasks-view': 'gallery' },
    floating: true,
    prepare: async (page) => {
      await button(page, /^(查看|Show) Five Bars$/).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  { name: 'chat-app', path: '/chat/2', as: 'user' },
  { name: 'chat-no-token', path: '/chat', as: 'newcomer' },
  { name: 'chat2link', path: '/chat2link', as: 'user' },
  {
    name: 'palette',
    path: '/token',
    as: 'user',
    floating: true,
    prepare: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'menu',
    path: '/token',
    as: 'admin',
    floating: true,
    prepare: async (page, width) => {
      if (isPhone(width)) await button(page, /^(更多|More)$/).click();
      else await button(page, /^(账户菜单|Account menu)/).click();
    },
  },
  { name: 'wallet', path: '/topup', as: 'user' },
  { name: 'wallet-whole', path: '/topup', as: 'user', height: 1400 },
  { name: 'wallet-root', path: '/topup', as: 'admin', height: 1400 },
  { name: 'wallet-new', path: '/topup', as: 'newcomer' },
  {
    name: 'wallet-refused',
    path: '/topup',
    as: 'newcomer',
    refused: true,
    prepare: async (page) => {
      await page.getByRole('textbox', { name: /^(兑换码|Redemption code)$/ }).fill('0123 4567 89ab');
      await page.keyboard.press('Enter');
      await page.locator('[aria-invalid=true]').waitFor();
    },
  },
  { name: 'personal', path: '/setting', as: 'user' },
  { name: 'personal-whole', path: '/setting', as: 'user', height: 3000 },
  { name: 'personal-bindings', path: '/setting', as: 'user', height: 3000, settings: 'outside' },
];

const OPERATING: Screen[] = [
  { name: 'channels', path: '/channel', as: 'admin' },
  {
    name: 'channels-tags',
    path: '/channel',
    as: 'admin',
    storage: { 'channel-tag-mode': 'true' },
  },
  { name: 'channels-selected', path: '/channel', as: 'admin', prepare: selectRows },
  { name: 'supplier-page', path: '/suppliers/1', as: 'admin', height: 1400 },
  { name: 'model-list', path: '/model', as: 'admin' },
  { name: 'model-page', path: '/model/gpt-4o', as: 'admin', height: 1400 },
  { name: 'channel-page', path: '/channel/1', as: 'admin', height: 1400 },
  { name: 'channel-page-off', path: '/channel/3', as: 'admin', height: 1400 },
  { name: 'channel-page-limits', path: '/channel/1', as: 'admin', height: 1800, prepare: showLimits },
  { name: 'channels-add', path: '/channel/add', as: 'admin' },
  { name: 'channels-edit', path: '/channel/edit/1', as: 'admin' },
  { name: 'channels-edit-whole', path: '/channel/edit/1', as: 'admin', height: 2000 },
  { name: 'channels-edit-azure', path: '/channel/edit/3', as: 'admin', height: 2000 },
  { name: 'channels-edit-anthropic', path: '/channel/edit/4', as: 'admin', height: 2000 },
  { name: 'channels-route', path: '/channel?simulate=true', as: 'admin' },
  {
    name: 'channels-menu',
    path: '/channel',
    as: 'admin',
    floating: true,
    prepare: (page) => choose(page, 'openai-main'),
  },
  {
    name: 'channels-test',
    path: '/channel',
    as: 'admin',
    floating: true,
    prepare: async (page, width) => {
      await choose(page, 'openai-main', /^(测试模型|Test a model)/);
      if (isPhone(width)) return;
      await page.getByRole('menuitem', { name: /测试全部模型|Test all models/ }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'channels-impact',
    path: '/channel',
    as: 'admin',
    floating: true,
    prepare: (page) => openDialog(page, 'anthropic-direct', /^(禁用|Disable)$/),
  },
  { name: 'drawing', path: '/midjourney', as: 'admin' },
  { name: 'drawing-own', path: '/midjourney', as: 'user' },
  { name: 'users', path: '/user', as: 'admin' },
  { name: 'users-new', path: '/user/edit', as: 'admin' },
  {
    name: 'users-new-refused',
    path: '/user/edit',
    as: 'admin',
    refused: true,
    prepare: async (page) => {
      await page.getByLabel(/^(用户名|Username) \*$/).fill('root');
      await page.getByLabel(/^(密码|Password) \*$/).fill('paper-boat-7');
      await page.locator('form button[type=submit]').click();
      await page.locator('form [aria-invalid=true]').first().waitFor();
    },
  },
  {
    name: 'channels-new-refused',
    path: '/channel/add',
    as: 'admin',
    refused: true,
    prepare: async (page) => {
      await page.route('**/api/channel/test', (route) => route.abort());
      await page.getByRole('textbox', { name: /^(自定义模型名称|Other models)/ }).fill('gpt-4o');
      await button(page, /^(填入|Add)$/).click();
      await button(page, /^(测试|Test|保存前测试|Test before saving)$/).click();
      await page.getByRole('alert').first().waitFor();
    },
  },
  { name: 'users-edit', path: '/user/edit/3', as: 'admin' },
  { name: 'users-edit-whole', path: '/user/edit/3', as: 'admin', height: 1500 },
  {
    name: 'user-page',
    path: '/user/3',
    as: 'admin',
    height: 1500,
    prepare: (page) => page.getByText('#3', { exact: true }).first().waitFor(),
  },
  { name: 'redemptions', path: '/redemption', as: 'admin' },
  { name: 'redemptions-selected', path: '/redemption', as: 'admin', prepare: selectRows },
  { name: 'redemptions-new', path: '/redemption?new=1', as: 'admin' },
  {
    name: 'redemptions-edit',
    path: `/redemption?edit=${nthId('redemptions', 14)}`,
    as: 'admin',
    prepare: (page) => page.locator('form').waitFor(),
  },
  { name: 'redemptions-used', path: `/redemption?edit=${nthId('redemptions', 1)}`, as: 'admin' },
  {
    name: 'redemptions-created',
    path: '/redemption?new=1',
    as: 'admin',
    floating: true,
    prepare: async (page) => {
      await button(page, /^10$/).click();
      await page.locator('form button[type=submit]').click();
      await page.getByRole('dialog', { name: /10/ }).waitFor();
    },
  },
  { name: 'plans', path: '/plan', as: 'user' },
  { name: 'plans-manage', path: '/plan?view=manage', as: 'admin' },
  { name: 'plans-subscriptions', path: '/plan?view=subscriptions', as: 'admin' },
  { name: 'plans-new', path: '/plan?view=manage&new=1', as: 'admin', height: 1600 },
  { name: 'agents-own', path: '/agent', as: 'user', height: 1100 },
  { name: 'agents-admin', path: '/agent?tab=agents', as: 'admin' },
  { name: 'agents-queue', path: '/agent?tab=queue', as: 'admin' },
  { name: 'orders', path: '/order', as: 'admin' },
  { name: 'order-page', path: `/order/${nthId('orders', 1)}`, as: 'admin', height: 1000 },
  { name: 'plan-page', path: `/plan/${nthId('plans', 1)}`, as: 'admin', height: 1100 },
  { name: 'token-page', path: `/token/${nthId('tokens', 1)}`, as: 'user', height: 1200 },
  { name: 'task-page', path: `/task/${DRAWINGS.length + 1}`, as: 'admin', height: 1000 },
  { name: 'statement', path: '/statement', as: 'user', height: 1400 },
  { name: 'receipt', path: `/receipt?id=${nthId('orders', 1)}`, as: 'admin', height: 1100 },
  { name: 'audit', path: '/audit', as: 'admin' },
  { name: 'audit-open', path: '/audit', as: 'admin', prepare: openFirstRow },
  { name: 'jobs', path: '/jobs', as: 'admin' },
  { name: 'notices', path: '/notices?scope=all', as: 'admin' },
  { name: 'nodes', path: '/nodes', as: 'admin' },
  { name: 'prices', path: '/prices', as: 'admin' },
  { name: 'prices-drafts', path: '/prices?tab=drafts', as: 'admin' },
  {
    name: 'prices-draft',
    path: '/prices?draft=4',
    as: 'admin',
    height: 1700,
    prepare: (page) => button(page, /^(计算|Compute)$/).click(),
  },
  { name: 'prices-draft-top', path: '/prices?draft=4', as: 'admin' },
  { name: 'prices-versions', path: '/prices?tab=versions', as: 'admin' },
  { name: 'prices-version', path: '/prices?tab=versions&version=3', as: 'admin' },
  { name: 'prices-review', path: '/prices?tab=review', as: 'admin' },
  {
    name: 'prices-import',
    path: '/prices?tab=review',
    as: 'admin',
    floating: true,
    prepare: async (page) => {
      await button(page, /^(导入价格|Import prices)$/).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  { name: 'rerating', path: '/rerating', as: 'admin' },
  { name: 'rerating-ready', path: '/rerating?open=4', as: 'admin', height: 1000 },
  { name: 'rerating-applied', path: '/rerating?open=3', as: 'admin', height: 1000 },
  {
    name: 'rerating-new',
    path: '/rerating',
    as: 'admin',
    floating: true,
    prepare: async (page) => {
      await button(page, /^(新建试算|New dry run)$/).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  { name: 'margins', path: '/margins', as: 'admin' },
  { name: 'margins-model', path: '/margins?by=model&channel=6', as: 'admin' },
  { name: 'margins-day', path: '/margins?by=day&days=7', as: 'admin' },
  { name: 'suppliers', path: '/suppliers', as: 'admin' },
  { name: 'suppliers-open', path: '/suppliers?open=2', as: 'admin', height: 1000 },
  { name: 'suppliers-report', path: '/suppliers/report?id=2', as: 'admin', height: 1200 },
  { name: 'suppliers-bills', path: '/suppliers?view=bills', as: 'admin' },
  { name: 'suppliers-bill', path: '/suppliers?view=bills&open=1', as: 'admin', height: 1000 },
  { name: 'suppliers-bill-new', path: '/suppliers?view=bills&add=bill', as: 'admin' },
  {
    name: 'suppliers-bill-own',
    path: '/suppliers?view=bills&add=bill',
    as: 'admin',
    height: 1100,
    prepare: async (page) => {
      await page.getByRole('combobox', { name: /^(格式|Shape)$/ }).click();
      await page.getByRole('option', { name: /^(自定义列|Own columns)$/ }).click();
    },
  },
  { name: 'channels-suppliers', path: '/channel?suppliers=true', as: 'admin' },
  { name: 'jobs-open', path: '/jobs?open=usage-rollup', as: 'admin' },
  {
    name: 'jobs-run',
    path: '/jobs',
    as: 'admin',
    floating: true,
    prepare: async (page) => {
      await button(page, /^(立即运行：渠道测试|Run now: Channel tests)$/).click();
      await page.getByRole('dialog').waitFor();
    },
  },
];

const SETTINGS: Screen[] = [
  { name: 'setting-index', path: '/setting?tab=all', as: 'admin' },
  { name: 'setting-operation', path: '/setting?tab=operation', as: 'admin' },
  { name: 'setting-operation-whole', path: '/setting?tab=operation', as: 'admin', height: 4000 },
  { name: 'setting-media', path: '/setting?tab=operation&section=media', as: 'admin', height: 1100 },
  { name: 'setting-groups', path: '/setting?tab=operation&section=groups', as: 'admin' },
  { name: 'setting-system', path: '/setting?tab=system', as: 'admin' },
  { name: 'setting-system-whole', path: '/setting?tab=system', as: 'admin', height: 4000 },
  { name: 'setting-other', path: '/setting?tab=other', as: 'admin', height: 2400 },
  { name: 'setting-ratios', path: '/setting?tab=operation&section=pricing', as: 'admin' },
  {
    name: 'setting-ratios-changed',
    path: '/setting?tab=operation&section=pricing',
    as: 'admin',
    prepare: changeRatios,
  },
  {
    name: 'setting-ratios-json',
    path: '/setting?tab=operation&section=pricing&view=json',
    as: 'admin',
  },
  { name: 'setting-history', path: '/setting?tab=operation&history=true', as: 'admin' },
];

/** A dialog of /setting with the fields of a new entry. */
const added = (tab: string, add: RegExp, entry?: RegExp): Partial<Screen> => ({
  path: `/setting?tab=${tab}`,
  as: 'admin',
  floating: true,
  prepare: async (page) => {
    await button(page, add).click();
    if (entry) await page.getByRole('menuitem', { name: entry }).click();
    await page.getByRole('dialog').waitFor();
  },
});

const ADDED: Screen[] = [
  { name: 'way-new', path: '', ...added('personal', /^(添加通知方式|Add a destination)$/, /Webhook/i) },
  { name: 'announcement-new', path: '', ...added('other', /^(发布公告|Write an announcement)$/) },
  { name: 'faq-new', path: '', ...added('other', /^(添加问题|Add a question)$/) },
];

export const SCREENS: readonly Screen[] = [
  ...PUBLIC,
  ...SHOP,
  ...USING,
  ...OVERVIEWS,
  ...OPERATING,
  ...SETTINGS,
  ...ADDED,
];
