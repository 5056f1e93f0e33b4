// The redemption page in a browser: rows, filters, the drawer, the new codes, rules of the states.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { ROLE } from '#contract/access.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import {
  accessibilityViolations,
  fitsWidth,
  PHONE,
  until,
  visit,
  type VisitOptions,
} from '#tests/support/browser.ts';
import { testLooks } from '#tests/support/looks.ts';

setDefaultTimeout(120_000);

const WIDE = { width: 1440, height: 900 };
let application: TestApplication;
let admin: Actor;
let counter = 0;
const unique = (name: string) => `${name}-${(counter += 1)}`;
beforeAll(async () => {
  application = await startApplication();
  admin = await application.actor({ role: ROLE.admin });
});
afterAll(() => application.close());

/** The page of an administrator, filtered to the codes of this name. */
async function open(path = '/redemption', options: VisitOptions = {}) {
  const at = await visit(application, {
    as: admin,
    viewport: WIDE,
    language: 'zh',
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  });
  await at.page.goto(path);
  await at.page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
  return at;
}

const codesOf = (name: string, body: Record<string, number> = {}) =>
  application.client(admin).redemptions.create({ body: { name, quota: 500_000, ...body } });
const sees = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();
const rows = (page: Page, name: string) => page.locator('tbody tr').filter({ hasText: name });
const clipboard = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()');
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
async function menu(page: Page, name: string) {
  await rows(page, name)
    .first()
    .getByRole('button', { name: /的操作$/ })
    .click();
}
const entry = (page: Page, name: string) => page.getByRole('menuitem', { name, exact: true });

describe('REL-2.07 the redemption page', () => {
  test('REL-2.84 REL-2.86 REL-8.56 REL-9.27 codes are created in a drawer; the new codes can be copied and downloaded', async () => {
    await using at = await open();
    const { page, problems } = at;
    await page
      .getByRole('button', { name: /^(添加兑换码|创建第一批兑换码)$/ })
      .first()
      .click();
    await page.getByRole('heading', { name: '创建兑换码' }).waitFor();
    expect(page.url()).toContain('new=1');
    // The default is 100,000 quota.
    expect(await page.getByRole('textbox', { name: '额度（额度）' }).inputValue()).toBe('100,000');
    const name = unique('new');
    await page.getByRole('textbox', { name: '名称', exact: true }).fill(name);
    await page.getByRole('textbox', { name: '生成数量' }).fill('3');
    await sees(page, /共 \$0\.60/);
    expect(await accessibilityViolations(page)).toEqual([]);
    await press(page, '创建 3 个');
    await sees(page, '兑换码创建成功！');
    const dialog = page.getByRole('dialog', { name: '已创建 3 个兑换码' });
    const codes = (await dialog.getByRole('textbox').inputValue()).split('\n');
    expect(codes).toHaveLength(3);
    expect(await accessibilityViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: '复制全部' }).click();
    expect((await clipboard(page)).split('\n')).toEqual(codes);
    const saved = async (button: string) => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        dialog.getByRole('button', { name: button }).click(),
      ]);
      return [download.suggestedFilename(), readFileSync(await download.path(), 'utf8')] as const;
    };
    expect(await saved('.txt 文件')).toEqual([`redemption-codes-${name}.txt`, `${codes.join('\n')}\n`]);
    const [file, csv] = await saved('.csv 文件');
    expect(file).toEndWith('.csv');
    expect(csv).toContain(`${name},${codes[0]},100000,`);
    await dialog.getByRole('button', { name: '完成' }).click();
    expect(await rows(page, name).count()).toBe(3);
    expect(problems).toEqual([]);
  });

  test('the common amounts are written as money is elsewhere, the sign first (N40)', async () => {
    await using at = await open('/redemption?new=1');
    const { page } = at;
    const amounts = page.getByRole('group', { name: '额度预设' }).getByRole('button');
    await amounts.first().waitFor();
    expect(await amounts.allTextContents()).toEqual(['$1', '$5', '$10', '$20', '$50', '$100']);
    await press(page, '$5');
    expect(await page.getByRole('textbox', { name: '额度（额度）' }).inputValue()).toBe('2,500,000');
  });

  test('a wrong count, a long name and a past end are marked at their fields', async () => {
    await using at = await open('/redemption?new=1');
    const { page } = at;
    await page.getByRole('textbox', { name: '名称', exact: true }).fill('兑'.repeat(21));
    await page.getByRole('textbox', { name: '生成数量' }).fill('101');
    await page.getByRole('textbox', { name: '过期时间' }).fill('2020-01-01 00:00:00');
    await page.locator('form button[type=submit]').click();
    await sees(page, '名称最多 20 个字符');
    await sees(page, '数量必须是 1 到 100 的整数');
    await sees(page, '过期时间不能早于当前时间');
  });

  test('REL-2.83 a search by keyword; state and batch are facets in the address', async () => {
    const [first, second] = [unique('alpha'), unique('beta')];
    await codesOf(first, { count: 2 });
    const [used = ''] = await codesOf(second, { count: 2 });
    await application.client(admin).redemptions.redeem({ body: { key: used } });
    await using at = await open();
    const { page } = at;
    const search = page.getByRole('textbox', { name: 'ID、名称或完整码' });
    await search.fill(first);
    await rows(page, second).first().waitFor({ state: 'detached' });
    expect(await rows(page, first).count()).toBe(2);
    await search.fill('');
    await rows(page, second).first().waitFor();
    await rows(page, second)
      .first()
      .getByRole('button', { name: `1/2 只看批次“${second}”` })
      .click();
    await rows(page, first).first().waitFor({ state: 'detached' });
    expect(page.url()).toContain('batch=');
    await page.getByRole('button', { name: '状态', exact: true }).first().click();
    await page.getByRole('menuitemcheckbox', { name: '已使用' }).click();
    await page.waitForURL(/state=used/);
    await until(page, 'document.querySelectorAll("tbody tr").length === 1');
    expect(await rows(page, second).count()).toBe(1);
    expect(await rows(page, second).innerText()).toContain(admin.username);
    await page.reload();
    await rows(page, second).first().waitFor();
    expect(await rows(page, second).count()).toBe(1);
  });

  test('REL-2.85 REL-5.46 REL-8.13 the selected codes are copied; none selected gives its message', async () => {
    const name = unique('copy');
    const codes = await codesOf(name, { count: 2 });
    await using at = await open(`/redemption?q=${name}`);
    const { page } = at;
    await rows(page, name).first().waitFor();
    await press(page, '复制所选兑换码');
    await sees(page, '请至少选择一个兑换码！');
    for (const index of [0, 1]) await rows(page, name).nth(index).getByRole('checkbox').click();
    await press(page, '复制所选兑换码');
    await sees(page, '已复制到剪贴板');
    const copied = (await clipboard(page)).split('\n').map((line) => line.split(' ').at(-1));
    expect(copied.toSorted()).toEqual(codes.toSorted());
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: '导出 CSV' }).click(),
    ]);
    const exported = readFileSync(await download.path(), 'utf8');
    expect(exported).toContain(name);
    const content = `${await page.content()}${exported}`;
    expect(codes.some((code) => content.includes(code))).toBe(false);
  });

  test('REL-2.87 REL-8.55 an unused code is edited in a drawer', async () => {
    const name = unique('edit');
    await codesOf(name);
    await using at = await open(`/redemption?q=${name}`);
    const { page } = at;
    await menu(page, name);
    await entry(page, '编辑').click();
    await page.getByRole('heading', { name: '编辑兑换码' }).waitFor();
    await page.getByRole('textbox', { name: '名称', exact: true }).fill(`${name}-b`);
    await page.getByRole('button', { name: '$10', exact: true }).click();
    await press(page, '保存');
    await sees(page, '兑换码更新成功！');
    await rows(page, `${name}-b`).waitFor();
    expect(await rows(page, `${name}-b`).innerText()).toContain('$10.00');
  });

  test('REL-4.30 enable is unavailable for a used code and edit for a used or disabled one', async () => {
    const [used, disabled] = [unique('used'), unique('disabled')];
    const [code = ''] = await codesOf(used);
    await application.client(admin).redemptions.redeem({ body: { key: code } });
    await codesOf(disabled);
    await using at = await open();
    const { page } = at;
    await menu(page, used);
    expect(await entry(page, '启用').isDisabled()).toBe(true);
    expect(await entry(page, '编辑').isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    await menu(page, disabled);
    await entry(page, '禁用').click();
    await sees(page, '操作成功完成！');
    await rows(page, disabled).filter({ hasText: '已禁用' }).waitFor();
    await menu(page, disabled);
    expect(await entry(page, '编辑').isDisabled()).toBe(true);
    await entry(page, '启用').click();
    await rows(page, disabled).filter({ hasText: '未使用' }).waitFor();
  });

  test('a code is deleted after a question', async () => {
    const name = unique('gone');
    await codesOf(name);
    await using at = await open(`/redemption?q=${name}`);
    const { page } = at;
    await menu(page, name);
    await entry(page, '删除').click();
    const dialog = page.getByRole('dialog', { name: '删除 1 个兑换码？' });
    await dialog.getByRole('button', { name: '取消' }).click();
    expect(await rows(page, name).count()).toBe(1);
    await menu(page, name);
    await entry(page, '删除').click();
    await dialog.getByRole('button', { name: '删除' }).click();
    await rows(page, name).waitFor({ state: 'detached' });
    expect((await application.client(admin).redemptions.search({ query: { keyword: name } })).total).toBe(0);
  });

  testLooks('a phone shows cards; nothing is wider than the screen', async () => {
    await codesOf(unique('phone'), { count: 3 });
    await using at = await open('/redemption', { viewport: PHONE, language: 'en', theme: 'dark' });
    const { page } = at;
    await sees(page, 'Unused');
    expect(await fitsWidth(page)).toBe(true);
    expect(await accessibilityViolations(page)).toEqual([]);
  });
});

test('REL-2.82 REL-2.143 REL-2.144 the menu has the wallet for everybody and the codes for administrators', async () => {
  const user = await application.actor();
  for (const [as, hasCodes] of [
    [user, false],
    [admin, true],
  ] as const) {
    await using at = await open('/token', { as });
    await at.page.getByRole('link', { name: '钱包', exact: true }).waitFor();
    const money = at.page.getByRole('link', { name: '资金', exact: true });
    expect(await money.count()).toBe(hasCodes ? 1 : 0);
    if (!hasCodes) continue;
    await money.click();
    await at.page.getByRole('link', { name: '兑换码', exact: true }).waitFor();
  }
  await using at = await open('/redemption', { as: user });
  await sees(at.page, '你没有权限查看此内容');
});
