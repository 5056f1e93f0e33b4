// Statement, receipt and daily check-in in a browser, on the screen and on paper; then the administrator who ends a refund.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { ROLE } from '#contract/access.ts';
import { monthAt } from '#contract/month.ts';
import { openShop, order, orderRow, type Shop } from '#tests/integration/money/payments/support.ts';
import type { Actor } from '#tests/support/application.ts';
import { accessibilityViolations, eventually, fitsWidth, PHONE, visit } from '#tests/support/browser.ts';
import { testLooks } from '#tests/support/looks.ts';

setDefaultTimeout(120_000);

const month = monthAt(Date.now() / 1000);

let shop: Shop;
let user: Actor;
let admin: Actor;
let tradeNo: string;
beforeAll(async () => {
  shop = await openShop('sqlite', {
    SellerName: 'Gate Ltd',
    SellerAddress: '1 Road\n10115 Berlin',
    CheckInEnabled: 'true',
    CheckInMinQuota: '250000',
    CheckInMaxQuota: '250000',
    CheckInTimeZone: 'Asia/Shanghai',
  });
  user = await shop.app.actor({ username: 'reader' });
  admin = await shop.app.actor({ role: ROLE.admin });
  ({ tradeNo } = await order(shop, user));
  await shop.epay.notify(tradeNo);
});
afterAll(() => shop.close());

/** On paper: the sheet is there, and nothing of the console around it. */
async function expectPrintable(page: Page): Promise<void> {
  await page.emulateMedia({ media: 'print' });
  await page.getByRole('article').waitFor();
  expect(await page.getByRole('banner').isVisible()).toBe(false);
  expect(await page.getByRole('button', { name: /^(打印|Print)$/ }).isVisible()).toBe(false);
  const colours = () =>
    page.evaluate<string>(
      `(({ color, backgroundColor }) => color + ' on ' + backgroundColor)(getComputedStyle(document.querySelector('article')))`,
    );
  await eventually(async () => (await colours()) === 'rgb(0, 0, 0) on rgb(255, 255, 255)', 'black on white');
  const pdf = await page.pdf();
  expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
  await page.emulateMedia({ media: null });
}

test('a user checks in, reads the statement of the month, saves it, and prints a receipt', async () => {
  await using at = await visit(shop.app, { as: user, language: 'zh', theme: 'dark' });
  const { page, problems } = at;
  await page.goto('/topup');
  const checkIn = page.getByRole('region', { name: '每日签到' });
  await checkIn.getByText('签到可得 $0.50').waitFor();
  await checkIn.getByRole('button', { name: '签到', exact: true }).click();
  await checkIn.getByText('余额增加 $0.50').waitFor();
  await checkIn.getByText('本月签到 1 天，共 $0.50').waitFor();
  await checkIn.getByText('Asia/Shanghai 时区零点后可再次签到').waitFor();
  expect(await checkIn.getByRole('button', { name: '今天已签到' }).isDisabled()).toBe(true);
  await checkIn.getByText('本月日历').click();
  await checkIn.getByRole('img', { name: /\+\$0\.50$/ }).waitFor();
  await page.getByRole('region', { name: '余额' }).getByText('5,250,000 额度').waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);

  const history = page.getByRole('region', { name: '充值记录' });
  await history.getByRole('link', { name: '月度账单' }).click();
  const sheet = page.getByRole('article', { name: '月度账单' });
  await sheet.getByText(`${month} 月度账单`).waitFor();
  const row = (name: string) => sheet.getByRole('row', { name: new RegExp(`^${name} `) }).first();
  expect(await row('期初余额').innerText()).toContain('$0.000000');
  expect(await row('在线充值').innerText()).toContain('$10.000000');
  expect(await row('每日签到').innerText()).toContain('$0.500000');
  expect(await row('期末余额').innerText()).toContain('$10.500000');
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: '下载 CSV' }).click();
  const text = readFileSync(await (await saved).path(), 'utf8');
  expect(text).toContain('closing,,,,');
  expect(text).toContain(',5250000,10.500000,');
  expect(await accessibilityViolations(page)).toEqual([]);
  await expectPrintable(page);
  await page.getByRole('button', { name: '上个月' }).click();
  await sheet.getByText(`${month} 月度账单`).waitFor({ state: 'detached' });
  expect(await row('期末余额').innerText()).toContain('$0.000000');

  await page.goto('/topup');
  await history.getByRole('link', { name: `订单 ${tradeNo} 的收据` }).click();
  const receipt = page.getByRole('article', { name: '收据' });
  for (const words of ['Gate Ltd', '10115 Berlin', 'reader', '¥73.00', '账户余额充值 $10', tradeNo])
    await receipt.getByText(words).first().waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  await expectPrintable(page);
  expect(problems).toEqual([]);
});

testLooks('wallet with check-in, statement and receipt fit a phone', async () => {
  await using at = await visit(shop.app, { as: user, language: 'en', viewport: PHONE });
  const { page } = at;
  for (const [path, words] of [
    ['/topup', 'Daily check-in'],
    ['/statement', 'Opening balance'],
    [`/receipt?order=${tradeNo}`, 'Account balance $10'],
  ] as const) {
    await page.goto(path);
    await page.getByText(words).first().waitFor();
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    expect([path, await fitsWidth(page)]).toEqual([path, true]);
    expect(await accessibilityViolations(page)).toEqual([]);
  }
});

test('an administrator reads a user’s statement, and says how an open refund ended', async () => {
  const payer = await shop.app.actor({ username: 'waiting-payer' });
  const placed = await order(shop, payer);
  await shop.epay.notify(placed.tradeNo);
  shop.epay.refundAnswer = 'breaks';
  await using at = await visit(shop.app, { as: admin, language: 'en' });
  const { page, problems } = at;
  await page.goto('/order?q=waiting-payer');
  const row = page.getByRole('row', { name: /waiting-payer/ });
  await row.click();
  await page.getByRole('button', { name: 'Refund', exact: true }).click();
  await page.getByRole('textbox', { name: /Reason/ }).fill('asked for it');
  await page.getByRole('dialog').getByRole('button', { name: 'Refund' }).click();
  await page.getByText('The provider has not confirmed the refund yet').waitFor();
  shop.epay.refundAnswer = 'pays';
  await page.getByText('outcome unknown').waitFor();
  expect(await page.getByRole('button', { name: 'Record the outcome' }).count()).toBe(0);
  const { id } = await orderRow(shop, placed.tradeNo);
  await shop.app.store.db
    .updateTable('refunds')
    .set({ created_at: Math.floor(Date.now() / 1000) - 300 })
    .where('order_id', '=', id)
    .execute();
  await page.reload();
  await page.getByRole('button', { name: 'Record the outcome' }).click();
  const dialog = page.getByRole('dialog');
  expect(await dialog.getByRole('button', { name: 'Record the outcome' }).isDisabled()).toBe(true);
  await dialog.getByRole('radio', { name: 'No, it was not' }).check();
  await dialog.getByText('$10.00 goes back to waiting-payer.').waitFor();
  await dialog.getByRole('textbox', { name: /Reason/ }).fill('not in their list');
  await dialog.getByRole('button', { name: 'Record the outcome' }).click();
  await page.getByText('not paid back').waitFor();
  expect((await shop.app.client(payer).users.self()).quota).toBe(5_000_000);

  await page.getByRole('link', { name: 'Receipt' }).click();
  await page.getByRole('article', { name: 'Receipt' }).getByText('waiting-payer').waitFor();
  await page.goto(`/statement?user=${payer.id}`);
  const sheet = page.getByRole('article', { name: 'Statement' });
  await sheet.getByText(`waiting-payer #${payer.id}`).waitFor();
  await sheet.getByText('Order refunded').first().waitFor();
  expect(problems).toEqual([]);
});
