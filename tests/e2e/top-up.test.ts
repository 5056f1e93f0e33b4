// Online top-up in a browser: order, the provider's page, the notice, and the open wallet page that changes; then the
// orders page of the administrator.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { ROLE } from '#contract/access.ts';
import { openShop, type Shop } from '#tests/integration/money/payments/support.ts';
import type { Actor } from '#tests/support/application.ts';
import {
  accessibilityViolations,
  fitsWidth,
  PHONE,
  visit,
  type VisitOptions,
} from '#tests/support/browser.ts';
import { testLooks } from '#tests/support/looks.ts';

setDefaultTimeout(120_000);

let shop: Shop;
beforeAll(async () => {
  shop = await openShop('sqlite', {
    TopUpPresets: '[{"amount":5},{"amount":10,"discount":0.9},{"amount":50}]',
  });
});
afterAll(() => shop.close());

async function wallet(as: Actor, options: VisitOptions = {}, address = '/topup') {
  const at = await visit(shop.app, { as, language: 'zh', ...options });
  await at.page.goto(address);
  await at.page.getByRole('region', { name: /^(余额|Balance)$/ }).waitFor();
  return at;
}
const topUp = (page: Page) => page.getByRole('region', { name: /^(在线充值|Online top-up)$/ });

/** Presses the button that opens the provider's page in a new tab. */
async function goToProvider(page: Page, name: string): Promise<Page> {
  const opened = page.context().waitForEvent('page');
  await page.getByRole('dialog').getByRole('button', { name }).click();
  const tab = await opened;
  await tab.getByRole('button', { name: /Pay/ }).waitFor();
  return tab;
}

describe('REL-1.06 online top-up', () => {
  test('REL-2.91 REL-2.93 REL-4.82 REL-4.83 REL-4.84 REL-4.85 REL-4.86 amount, price, dialog, provider’s page; the open wallet turns to paid', async () => {
    const user = await shop.app.actor();
    await using at = await wallet(user);
    const { page, problems } = at;
    // D16 who wants to pay does not scroll.
    await page.setViewportSize({ width: 1440, height: 900 });
    const pay = await topUp(page).getByRole('button', { name: '充值', exact: true }).boundingBox();
    expect((pay?.y ?? Infinity) + (pay?.height ?? 0)).toBeLessThanOrEqual(900);
    await topUp(page).getByRole('button', { name: '$10 优惠 10%' }).click();
    await topUp(page).getByText('支付 ¥65.70').waitFor();
    await topUp(page).getByText('到账 $10.00').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await topUp(page).getByRole('button', { name: '充值', exact: true }).click();
    await page.getByRole('dialog').getByText('支付 ¥65.70').waitFor();
    const tab = await goToProvider(page, '去支付');
    expect(await tab.evaluate('window.opener')).toBe(null);
    await topUp(page).getByText('等待支付…').waitFor();
    expect(shop.epay.taken.count).toBe(0);
    await tab.getByRole('button', { name: /Pay/ }).click();
    await topUp(page).getByText('支付成功，已到账 $10.00').waitFor();
    await page.getByRole('region', { name: '余额' }).getByText('5,000,000 额度').waitFor();
    await page.getByRole('region', { name: '充值记录' }).getByText('在线充值').waitFor();
    // The provider leads the other tab back to the same order.
    await tab.getByText('支付成功，已到账 $10.00').waitFor();
    await tab.close();
    expect(problems).toEqual([]);
  });

  test('REL-1.17 REL-2.92 WeChat and a card are offered; a card opens the page of Stripe', async () => {
    const user = await shop.app.actor();
    await using at = await wallet(user, { language: 'en' });
    const { page } = at;
    await topUp(page).getByText('WeChat').waitFor();
    await topUp(page).getByText('Card (Stripe)').click();
    await topUp(page).getByRole('button', { name: '$50' }).click();
    await topUp(page).getByText('Pay $50.00').waitFor();
    await topUp(page).getByRole('button', { name: 'Top up', exact: true }).click();
    const tab = await goToProvider(page, 'Go to payment');
    await tab.getByRole('button', { name: 'Pay' }).click();
    await topUp(page).getByText('Paid: $50.00 added to your balance').waitFor();
    await tab.close();
  });

  test('REL-5.41 REL-5.42 REL-8.18 REL-8.19 an amount below the minimum, and a code that is not valid, are marked', async () => {
    await shop.app.settings.set('MinTopUp', '5', 0);
    const user = await shop.app.actor();
    await using at = await wallet(user);
    const { page } = at;
    const amount = topUp(page).getByRole('textbox', { name: '充值数量' });
    await amount.fill('0');
    await amount.blur();
    expect(await amount.inputValue()).toBe('1');
    await topUp(page).getByText('充值数量不能小于5').waitFor();
    expect(await topUp(page).getByRole('button', { name: '充值', exact: true }).isDisabled()).toBe(true);
    await amount.fill('20');
    await topUp(page).getByRole('button', { name: '使用优惠码' }).click();
    await topUp(page).getByRole('textbox', { name: '优惠码' }).fill('NONE');
    await topUp(page).getByText('错误：优惠码无效或已过期').waitFor();
    await shop.app.settings.set('MinTopUp', '1', 0);
  });

  test('an order that is not the reader’s own says so, and a new one can be placed', async () => {
    const user = await shop.app.actor();
    await using at = await wallet(user, {}, '/topup?order=USR1NOother');
    await topUp(at.page).getByText('找不到这个订单').waitFor();
    await topUp(at.page).getByRole('button', { name: '重新下单' }).click();
    await topUp(at.page)
      .getByText(/^支付 ¥/)
      .waitFor();
  });

  testLooks('the form and the waiting order fit a phone', async () => {
    const user = await shop.app.actor();
    await using at = await wallet(user, { viewport: PHONE, theme: 'dark' });
    const { page } = at;
    await topUp(page)
      .getByText(/^支付 ¥/)
      .waitFor();
    expect(await fitsWidth(page)).toBe(true);
    expect(await accessibilityViolations(page)).toEqual([]);
  });
});

describe('orders of the administrator', () => {
  test('an unpaid order is completed by hand, a paid one is refunded in part, with the entries shown before', async () => {
    const user = await shop.app.actor({ username: 'payer' });
    const admin = await shop.app.actor({ role: ROLE.admin });
    await shop.app.client(user).orders.pay({ body: { amount: 20, payment_method: 'zfb' } });
    await using at = await visit(shop.app, { as: admin, language: 'en' });
    const { page, problems } = at;
    await page.goto('/order?q=payer');
    const row = page.getByRole('row', { name: /payer/ });
    await row.getByText('Unpaid').waitFor();
    await page.getByText('1 order', { exact: true }).waitFor();
    await row.click();
    await page.getByRole('button', { name: 'Complete by hand' }).click();
    await page.getByText('The ledger will show: payer gets $20.00.').waitFor();
    await page.getByRole('textbox', { name: /Reason/ }).fill('seen in the bank');
    await page.getByRole('dialog').getByRole('button', { name: 'Complete by hand' }).click();
    await page.getByText('Paid', { exact: true }).first().waitFor();
    await page.getByText('completed by an administrator').waitFor();
    await page.getByRole('button', { name: 'Refund', exact: true }).click();
    await page.getByRole('textbox', { name: /Amount/ }).fill('73');
    await page.getByText('$10.00 taken back from payer').waitFor();
    await page.getByRole('textbox', { name: /Reason/ }).fill('half of it');
    await page.getByRole('switch', { name: /provider pays/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Refund' }).click();
    await page.getByText('Partly refunded').first().waitFor();
    const { quota } = await shop.app.client(user).users.self();
    expect(quota).toBe(5_000_000);
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  testLooks('the list fits a phone', async () => {
    const admin = await shop.app.actor({ role: ROLE.admin });
    await using at = await visit(shop.app, { as: admin, language: 'zh', viewport: PHONE });
    await at.page.goto('/order');
    await at.page.getByText('payer').first().waitFor();
    expect(await fitsWidth(at.page)).toBe(true);
    expect(await accessibilityViolations(at.page)).toEqual([]);
  });
});
