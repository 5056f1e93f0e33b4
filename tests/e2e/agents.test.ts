// Resellers in a browser: a user becomes an agent, earns, asks for a withdrawal, and the administrator pays it.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { customerOf, makeAgent, pay } from '#tests/integration/money/resellers/support.ts';
import { openShop, type Shop } from '#tests/integration/money/payments/support.ts';
import { ROOT_PASSWORD, type Actor } from '#tests/support/application.ts';
import { accessibilityViolations, fitsWidth, PHONE, visit } from '#tests/support/browser.ts';

setDefaultTimeout(120_000);

let shop: Shop;
let root: Actor;
beforeAll(async () => {
  shop = await openShop('sqlite', { WithdrawalMinimum: '0.5', WithdrawalFeePercent: '1' });
  root = await shop.app.login('root', ROOT_PASSWORD);
});
afterAll(() => shop.close());

const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true }).click();
const dialog = (page: Page) => page.getByRole('dialog');

describe('resellers', () => {
  test('REL-1.14 REL-1.15 REL-1.16 an agent is made, earns, moves and withdraws; the administrator pays', async () => {
    const agent = await shop.app.actor({ username: 'reseller' });
    await using operator = await visit(shop.app, { as: root, language: 'zh' });
    const desk = operator.page;
    await desk.goto('/user?q=reseller');
    const row = desk.getByRole('row', { name: /reseller/ });
    await row.getByRole('button', { name: /reseller/ }).click();
    await desk.getByRole('menuitem', { name: '设为代理商' }).click();
    await dialog(desk).getByLabel('分红比例（%）').fill('12.5');
    await dialog(desk).getByRole('button', { name: '设为代理商' }).click();
    await row.getByText('代理商 12.5%').waitFor();

    await pay(shop, await customerOf(shop, agent));
    await using own = await visit(shop.app, { as: agent, language: 'zh' });
    const { page } = own;
    await page.goto('/topup');
    await page.getByRole('link', { name: '代理商', exact: true }).click();
    const balance = page.getByRole('region', { name: '分红余额' });
    await balance.getByText('$1.25').first().waitFor();
    await balance.getByText('来自 $10.00 的充值').waitFor();
    expect(await page.getByRole('textbox', { name: '推广链接' }).inputValue()).toContain('/register?aff=');
    expect(await accessibilityViolations(page)).toEqual([]);

    await balance.getByRole('button', { name: '划转到余额' }).click();
    await dialog(page).getByRole('textbox', { name: /额度/ }).last().fill('125000');
    await dialog(page).getByRole('button', { name: '划转', exact: true }).click();
    await page.getByText('已划转 $0.25 到余额').waitFor();
    await balance.getByText('$1.00').first().waitFor();

    await balance.getByRole('button', { name: '提现' }).click();
    await dialog(page).getByText('手续费 1%：$0.01，到账 $0.99').waitFor();
    await dialog(page).getByRole('button', { name: '申请提现' }).click();
    await dialog(page).getByText('请填写收款账户').waitFor();
    await dialog(page).getByRole('textbox', { name: '收款账户' }).fill('reseller@example.org 李雷');
    await dialog(page).getByRole('button', { name: '申请提现' }).click();
    await page.getByText('已提交，等待管理员审核').waitFor();
    await tab(page, '我的提现');
    await page.getByRole('row', { name: /待审核/ }).waitFor();
    await tab(page, '分红记录');
    await page.getByRole('row', { name: /充值分红/ }).waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: '导出 CSV' }).click();
    expect((await download).suggestedFilename()).toBe('dividends.csv');
    await tab(page, '客户');
    await page.getByRole('row', { name: /\*\*\*/ }).waitFor();

    await desk.goto('/agent');
    await desk.getByRole('button', { name: '批准' }).click();
    await dialog(desk).getByRole('button', { name: '批准' }).click();
    await desk.getByRole('button', { name: '已打款' }).click();
    await dialog(desk).getByText('reseller@example.org 李雷').waitFor();
    await dialog(desk)
      .getByLabel(/打款单号/)
      .fill('TX-2026');
    await dialog(desk).getByRole('button', { name: '已打款' }).click();
    await desk.getByRole('row', { name: /已打款/ }).waitFor();
    await tab(desk, '代理商');
    await desk
      .getByRole('row', { name: /reseller/ })
      .getByText('12.5%')
      .waitFor();
    await desk.getByRole('row', { name: /reseller/ }).click();
    await desk.getByRole('row', { name: /充值分红/ }).waitFor();

    await tab(page, '我的提现');
    await page.getByRole('button', { name: '刷新' }).click();
    await page
      .getByRole('row', { name: /已打款/ })
      .getByText('TX-2026')
      .waitFor();
    expect([...own.problems, ...operator.problems]).toEqual([]);
  });

  test('an operator adds a reseller on their page; without requests the accounts come first (D35)', async () => {
    const { username } = await shop.app.createUser({ username: 'fresh-reseller' });
    await using at = await visit(shop.app, { as: root, language: 'en' });
    const { page, problems } = at;
    await page.goto('/agent');
    await page.getByRole('tab', { name: 'Accounts', selected: true }).waitFor();
    await page.getByRole('button', { name: 'Add reseller' }).click();
    await dialog(page).getByRole('combobox', { name: 'User' }).fill('fresh');
    await page.getByRole('option', { name: /fresh-reseller/ }).click();
    await dialog(page)
      .getByRole('textbox', { name: /Dividend/ })
      .fill('7.5');
    await dialog(page).getByRole('button', { name: 'Add', exact: true }).click();
    await page
      .getByRole('row', { name: new RegExp(username) })
      .getByText('7.5%')
      .waitFor();
    expect(problems).toEqual([]);
  });

  test('a user who is no agent has no entry and no page; on the phone every part fits', async () => {
    const plain = await shop.app.actor();
    await using at = await visit(shop.app, { as: plain, language: 'en' });
    await at.page.goto('/agent');
    await at.page.getByText('This page is for resellers').waitFor();
    expect(await at.page.getByRole('link', { name: 'Resellers' }).count()).toBe(0);

    const agent = await makeAgent(shop, root, 10);
    await pay(shop, await customerOf(shop, agent));
    await using phone = await visit(shop.app, { as: agent, language: 'en', viewport: PHONE });
    const { page } = phone;
    await page.goto('/agent');
    await page.getByText('10% of payments by users you invited.').waitFor();
    for (const name of ['Overview', 'Dividends', 'Customers', 'Withdrawals']) {
      await tab(page, name);
      expect([name, await fitsWidth(page)]).toEqual([name, true]);
    }
    expect(phone.problems).toEqual([]);
  });
});
