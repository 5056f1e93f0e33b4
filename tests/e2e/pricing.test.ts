// The public price list in a browser: without a login, in both languages and themes, on the phone, in every unit.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { addChannel } from '#tests/support/channels.ts';
import { startApplication, type TestApplication } from '#tests/support/application.ts';
import {
  accessibilityViolations,
  fitsWidth,
  PHONE,
  screenshot,
  until,
  visit,
  type VisitOptions,
} from '#tests/support/browser.ts';
import { testLooks } from '#tests/support/looks.ts';

setDefaultTimeout(120_000);

const WIDE = { width: 1440, height: 900 };
const UPSTREAM = 'http://127.0.0.1:9';

let application: TestApplication;
beforeAll(async () => {
  application = await startApplication({
    consoleDirectory: 'dist',
    settings: {
      GroupRatio: '{"default":1,"vip":0.5,"staff":2}',
      Price: '7',
      PayAddress: UPSTREAM,
      EpayId: '1001',
      EpayKey: 'key',
      ModelPrice: '{"house-drawing":0.04}',
    },
  });
  await addChannel(application.store, {
    base_url: UPSTREAM,
    models: ['gpt-4o-mini', 'gpt-4o', 'deepseek-chat', 'text-embedding-3-small', 'house-drawing'],
    groups: ['default', 'vip', 'staff'],
  });
  await addChannel(application.store, { base_url: UPSTREAM, models: ['claude-sonnet-4-5'], groups: ['vip'] });
});
afterAll(() => application.close());

async function open(options: VisitOptions & { path?: string } = {}) {
  const opened = await visit(application, {
    viewport: WIDE,
    language: 'zh',
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  });
  await opened.page.goto(options.path ?? '/pricing');
  await opened.page.getByText('gpt-4o-mini').first().waitFor();
  return opened;
}

const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
const words = async (page: Page, name: string) => (await row(page, name).innerText()).replaceAll(/\s+/g, ' ');

describe('the price list', () => {
  test('REL-2.23 REL-2.32 REL-2.119 REL-2.120 REL-2.132 REL-1.07 a visitor reads a table of models and prices', async () => {
    await using stage = await open();
    const { page, problems } = stage;
    await page.getByRole('heading', { level: 1, name: '模型价格' }).waitFor();
    const link = page.getByRole('navigation', { name: '主菜单' }).getByRole('link', { name: '模型价格' });
    expect(await link.getAttribute('aria-current')).toBe('page');
    expect(await words(page, 'gpt-4o-mini')).toMatch(/OpenAI.*按量.*\$0\.15.*\$0\.075.*\$0\.60/);
    expect(await words(page, 'house-drawing')).toMatch(/按次.*\$0\.04/);
    expect(await page.getByText('后按你的分组计价').count()).toBe(1);
    expect(problems).toEqual([]);
  });

  test('REL-2.121 switching the group changes the prices and marks what the group cannot call', async () => {
    await using stage = await open();
    const { page } = stage;
    expect(await words(page, 'claude-sonnet-4-5')).toContain('default 不可用，需 vip');
    await page.getByRole('radiogroup', { name: '分组' }).getByText('vip').click();
    await until(page, `location.search.includes('group=vip')`);
    expect(await words(page, 'gpt-4o-mini')).toMatch(/\$0\.075.*\$0\.0375.*\$0\.30/);
    expect(await words(page, 'claude-sonnet-4-5')).toMatch(/\$1\.50.*\$7\.50/);
    expect(await page.content()).not.toContain('staff');
  });

  test('a signed-in user starts with the own group', async () => {
    const actor = await application.actor({ group: 'staff' });
    await using stage = await open({ as: actor });
    const { page } = stage;
    expect(await words(page, 'gpt-4o-mini')).toMatch(/\$0\.30.*\$0\.15.*\$1\.20/);
    expect(await page.getByText('后按你的分组计价').count()).toBe(0);
    await row(page, 'gpt-4o-mini').getByText('gpt-4o-mini').click();
    await page.getByRole('link', { name: '在操练场试用' }).click();
    await until(page, `location.pathname === '/playground'`);
    expect(page.url()).toContain('model=gpt-4o-mini');
  });

  test('units: per thousand, yuan, quota', async () => {
    await using stage = await open();
    const { page } = stage;
    await page.getByRole('radiogroup', { name: '计价单位（token 数）' }).getByText('/ 1K').click();
    await until(page, `document.body.innerText.includes('$0.00015')`);
    await page.getByRole('radiogroup', { name: '货币' }).getByText('额度').click();
    await until(page, `document.body.innerText.includes('额度 / 1K token')`);
    expect(await words(page, 'gpt-4o-mini')).toContain('75');
    await page.getByRole('radiogroup', { name: '货币' }).getByText('¥').click();
    await page.getByRole('radiogroup', { name: '计价单位（token 数）' }).getByText('/ 1M').click();
    await until(page, `document.body.innerText.includes('¥1.05')`);
  });

  test('yuan is offered, and the home page names a price, only while one can pay', async () => {
    await using stage = await open({ path: '/pricing?money=cny' });
    const { page } = stage;
    await until(page, `document.body.innerText.includes('¥1.05')`);
    await page.goto('/');
    await page.getByText('¥7.00 / $1，最低 $1').waitFor();
    await application.settings.reset('EpayKey', 1);
    await page.goto('/pricing?money=cny');
    await until(page, `document.body.innerText.includes('$0.15')`);
    expect(await page.getByRole('radiogroup', { name: '货币' }).getByText('¥').count()).toBe(0);
    await page.goto('/');
    await page.getByText('计费单位').waitFor();
    expect(await page.getByText('充值价格').count()).toBe(0);
    await application.settings.set('EpayKey', 'key', 0);
  });

  test('search and facets narrow the list, and an empty result names the filters', async () => {
    await using stage = await open();
    const { page } = stage;
    await page.getByRole('checkbox', { name: 'DeepSeek', exact: true }).check();
    await row(page, 'gpt-4o-mini').waitFor({ state: 'detached' });
    await row(page, 'deepseek-chat').waitFor();
    await page.getByRole('textbox', { name: '搜索模型名称' }).fill('nothing-like-it');
    await page.getByText('没有符合条件的内容').waitFor();
    await page.getByRole('button', { name: '清除全部筛选' }).click();
    await row(page, 'gpt-4o-mini').waitFor();
  });

  test('models are sorted by price and copied by name', async () => {
    await using stage = await open();
    const { page } = stage;
    await page.getByRole('columnheader', { name: '输出' }).getByRole('button').first().click();
    await until(page, `/sort=-?output/.test(location.search)`);
    await row(page, 'gpt-4o-mini').hover();
    await page.getByRole('button', { name: '复制模型名称 gpt-4o-mini' }).click();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe('gpt-4o-mini');
  });

  test('two models are compared', async () => {
    await using stage = await open();
    const { page } = stage;
    await row(page, 'gpt-4o-mini').getByRole('checkbox').check();
    await row(page, 'deepseek-chat').getByRole('checkbox').check();
    await page.getByRole('button', { name: '对比 2 个' }).click();
    const dialog = page.getByRole('dialog', { name: '模型对比' });
    await dialog.getByText('deepseek-chat').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
  });

  test('REL-9.46 the drawer prices every group, calculates a call and shows code', async () => {
    await using stage = await open();
    const { page, problems } = stage;
    await row(page, 'gpt-4o-mini').getByText('gpt-4o-mini').click();
    await page.getByRole('heading', { name: '各分组价格' }).waitFor();
    await page.getByRole('textbox', { name: '粘贴提示词' }).fill('abcd'.repeat(1000));
    await page.getByText('约 1000 个 token').waitFor();
    await page.getByRole('textbox', { name: '输出 token 数' }).fill('500');
    await page.getByRole('textbox', { name: '调用次数' }).fill('1000');
    // 1 × 0.075 × (1000 + 500 × 4) / 500000 × 1000 calls
    await page.getByRole('status').filter({ hasText: '$0.45' }).waitFor();
    expect(await page.locator('pre').innerText()).toContain('"model":"gpt-4o-mini"');
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(problems).toEqual([]);
    await page.reload();
    await page.getByRole('heading', { name: '各分组价格' }).waitFor();
  });
});

describe('its look', () => {
  testLooks('English throughout', async () => {
    await using stage = await open({ language: 'en', locale: 'en-US', path: '/pricing?model=gpt-4o-mini' });
    const { page, problems } = stage;
    await page.getByRole('heading', { name: 'Price by group' }).waitFor();
    const text = await page.locator('body').innerText();
    expect(text.replace('中', '')).not.toMatch(/[\u4e00-\u9fff]/);
    expect(await page.getByText('Not available in default; needs vip').count()).toBe(1);
    await screenshot(page, 'pricing-en-light');
    expect(problems).toEqual([]);
  });

  testLooks.each(['light', 'dark'] as const)('%s has no accessibility violation', async (theme) => {
    await using stage = await open({ theme });
    expect(await accessibilityViolations(stage.page)).toEqual([]);
    await screenshot(stage.page, `pricing-zh-${theme}`);
  });

  testLooks('on the phone models are cards and nothing sticks out', async () => {
    await using stage = await open({ viewport: PHONE });
    const { page } = stage;
    expect(await page.getByRole('table').count()).toBe(0);
    expect(await fitsWidth(page)).toBe(true);
    expect(await accessibilityViolations(page)).toEqual([]);
    await screenshot(page, 'pricing-phone-zh-light');
    await page.getByRole('button', { name: 'gpt-4o-mini', exact: true }).click();
    await page.getByRole('heading', { name: '各分组价格' }).waitFor();
    expect(await fitsWidth(page)).toBe(true);
  });

  test('an empty price list shows a message', async () => {
    const bare = await startApplication({ consoleDirectory: 'dist' });
    try {
      await using stage = await visit(bare, { language: 'zh' });
      await stage.page.goto('/pricing');
      await stage.page.getByText('还没有可用的模型').waitFor();
    } finally {
      await bare.close();
    }
  });
});
