// The token page in English, in dark mode and on the phone: complete and without accessibility violations.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { startApplication, type TestApplication } from '#tests/support/application.ts';
import { accessibilityViolations, fitsWidth, PHONE, screenshot } from '#tests/support/browser.ts';
import { choose, field, ownTokens, row, sees, tokenPage } from './tokens-support.ts';

// Real pages and accessibility checks take longer than the default timeout.
setDefaultTimeout(120_000);

let application: TestApplication;
beforeAll(async () => {
  application = await startApplication();
});
afterAll(() => application.close());

const TOKENS = [
  { name: 'prod-web', group: 'vip' },
  { name: 'reader', model_limits_enabled: true, model_limits: 'gpt-5.4,qwen3.7-max' },
  { name: 'spent', remain_quota: 0 },
];

describe('in English', () => {
  test('every message of the page is English', async () => {
    await using stage = await tokenPage(application, TOKENS, { language: 'en', locale: 'en-US' });
    const { page, actor, problems } = stage;
    await sees(page, 'API keys are for your own use only. Do not share them.');
    await row(page, 'reader').getByText('Restricted').waitFor();
    await row(page, 'spent').getByText('Exhausted').waitFor();
    await page.getByRole('button', { name: 'Copy selected API keys' }).click();
    await sees(page, 'Select at least one API key');
    await choose(page, 'prod-web', 'Disable');
    await sees(page, 'Done');
    await choose(page, 'spent', 'Enable');
    await sees(page, /This API key has no quota left/);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'New API key' }).click();
    await field(page, 'Expires').fill('soon');
    await field(page, 'Name').fill('english');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await sees(page, 'The expiry time has the wrong format');
    await page.getByRole('button', { name: 'Never', exact: true }).click();
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await sees(page, 'API key created. Copy it from the list.');
    expect(await ownTokens(application, actor)).toHaveLength(4);
    const words = await page.locator('body').innerText();
    // Only the language switch may contain Chinese.
    expect(words.replace('中', '').replace('vip 分组', '')).not.toMatch(/[\u4e00-\u9fff]/);
    expect(problems).toEqual([]);
  });
});

describe.each(['light', 'dark'] as const)('%s', (theme) => {
  test('list, form and connect panel have no accessibility violation', async () => {
    await using stage = await tokenPage(application, TOKENS, { theme });
    const { page, tokens } = stage;
    await row(page, 'prod-web').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await screenshot(page, `tokens-list-zh-${theme}`);
    await page.goto(`/token?edit=${tokens[1]?.id}`);
    await field(page, '名称').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await screenshot(page, `tokens-edit-zh-${theme}`);
    await page.goto(`/token?connect=${tokens[0]?.id}`);
    await sees(page, '等待首次请求…');
    expect(await accessibilityViolations(page)).toEqual([]);
    await screenshot(page, `tokens-connect-zh-${theme}`);
  });
});

describe('on the phone', () => {
  test('tokens are cards; the form fills the screen; nothing sticks out', async () => {
    await using stage = await tokenPage(application, TOKENS, { viewport: PHONE });
    const { page, actor, problems } = stage;
    const card = page.getByRole('listitem').filter({ hasText: 'prod-web' });
    await card.waitFor();
    expect(await page.getByRole('table').count()).toBe(0);
    expect(await fitsWidth(page)).toBe(true);
    expect(await accessibilityViolations(page)).toEqual([]);
    await screenshot(page, 'tokens-phone-zh-light');

    const edited = (await ownTokens(application, actor)).find(({ name }) => name === 'prod-web');
    await page.goto(`/token?edit=${edited?.id}`);
    await page.getByRole('heading', { name: '编辑令牌' }).waitFor();
    await field(page, '名称').waitFor();
    expect(await fitsWidth(page)).toBe(true);
    expect(await accessibilityViolations(page)).toEqual([]);
    await screenshot(page, 'tokens-phone-edit-zh-light');
    await field(page, '名称').fill('phone-web');
    await page.getByRole('button', { name: '保存' }).click();
    await sees(page, '令牌更新成功！');
    await page.getByRole('listitem').filter({ hasText: 'phone-web' }).waitFor();

    await page.getByRole('button', { name: '新建令牌' }).click();
    await field(page, '名称').fill('made-here');
    await page.getByRole('button', { name: '创建', exact: true }).click();
    await sees(page, '令牌创建成功，请在列表页面点击复制获取令牌！');
    expect((await ownTokens(application, actor)).map((token) => token.name)).toContain('made-here');
    expect(problems).toEqual([]);
  });

  test('facets open in a sheet and filter the cards', async () => {
    await using stage = await tokenPage(application, TOKENS, { viewport: PHONE });
    const { page } = stage;
    await page.getByRole('listitem').filter({ hasText: 'prod-web' }).waitFor();
    await page.getByRole('button', { name: '筛选' }).click();
    await page.getByRole('checkbox', { name: '已耗尽' }).click();
    await page.getByRole('dialog').getByRole('button', { name: '关闭' }).click();
    await page.getByRole('listitem').filter({ hasText: 'prod-web' }).waitFor({ state: 'detached' });
    await page.getByRole('listitem').filter({ hasText: 'spent' }).waitFor();
  });
});
