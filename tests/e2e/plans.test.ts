// Plans in a browser: an administrator puts one on sale, a user buys it, spends it, sees it reset and end.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { ROLE } from '#contract/access.ts';
import { outcome, reserve } from '#tests/integration/money/ledger/world.ts';
import { breaches, openShop, type Shop } from '#tests/integration/money/payments/support.ts';
import { age, daySeconds, planFirst } from '#tests/integration/money/plans/world.ts';
import type { Actor } from '#tests/support/application.ts';
import { accessibilityViolations, eventually, fitsWidth, PHONE, visit } from '#tests/support/browser.ts';
import { testLooks } from '#tests/support/looks.ts';

setDefaultTimeout(120_000);

let shop: Shop;
let admin: Actor;
beforeAll(async () => {
  shop = await openShop('sqlite');
  admin = await shop.app.actor({ role: ROLE.admin });
});
afterAll(() => shop.close());

const wallet = (page: Page) => page.getByRole('region', { name: 'Subscriptions' });

/** A call whose log row has a price, paid by the subscription first. */
async function spend(user: Actor, subscription: number, charge: number): Promise<void> {
  const { ledger } = shop.app;
  const { requestId } = await reserve(ledger, user.id, 0, charge, planFirst(subscription));
  const other = {
    model_ratio: 1,
    model_price: -1,
    completion_ratio: 1,
    group_ratio: 1,
    quota_per_unit: 500_000,
  };
  const log = {
    type: 2,
    user_id: user.id,
    username: user.username,
    model_name: 'gpt-4o',
    group: 'default',
    prompt_tokens: charge,
    other: JSON.stringify({ ...other, usage: { input: charge } }),
  };
  await ledger.settle(requestId, outcome(charge, { log, channelId: 0 }));
}

/** The administrator presses the button that runs the job now. */
async function runJob(): Promise<void> {
  const root = await shop.app.login('root', 'root-password-of-tests');
  await shop.app.client(root).jobs.run({ params: { name: 'subscriptions' } });
  await eventually(async () => {
    const job = (await shop.app.client(root).jobs.list()).find(({ name }) => name === 'subscriptions');
    return job?.state !== 'running';
  }, 'the job ends');
}

describe('plans', () => {
  test('created → on sale → bought from the balance → spent with the wallet → reset → expired', async () => {
    await using office = await visit(shop.app, { as: admin, language: 'en' });
    await office.page.goto('/plan?view=manage');
    await office.page.getByRole('button', { name: 'New plan' }).first().click();
    const form = office.page.getByRole('complementary', { name: 'New plan' });
    await form.getByRole('textbox', { name: 'Name' }).fill('Daily dollar');
    await form.getByRole('textbox', { name: 'Duration' }).fill('7');
    await form.getByText('Days', { exact: true }).click();
    await form.getByText('Weekly', { exact: true }).click();
    await form.getByText('Daily', { exact: true }).click();
    await form.getByRole('textbox', { name: /^Quota per period.*quota/i }).fill('500000');
    await form.getByRole('textbox', { name: 'Online price (0: not sold online)' }).fill('9.90');
    await form.getByRole('textbox', { name: /^Balance price.*quota/i }).fill('1000000');
    await form.getByRole('switch', { name: 'On sale' }).click();
    expect(await accessibilityViolations(office.page)).toEqual([]);
    await form.getByRole('button', { name: 'Create' }).click();
    const row = office.page.getByRole('row', { name: /Daily dollar/ });
    await row.getByText('$1.00 a day').waitFor();

    const user = await shop.app.actor({ quota: 2_000_000, username: 'buyer' });
    await using at = await visit(shop.app, { as: user, language: 'en' });
    const { page, problems } = at;
    await page.goto('/plan');
    const card = page.getByRole('article', { name: 'Daily dollar' });
    await card.getByText('¥9.90').waitFor();
    expect(await card.getByText('You have this plan').count()).toBe(0);
    await card.getByText('or $2.00 from your balance').waitFor();
    await card.getByRole('button', { name: 'Buy' }).click();
    await page.getByRole('dialog').getByText('Pay $2.00').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Buy' }).click();
    const own = page.getByRole('region', { name: 'Your subscriptions' });
    await own.getByText('$0.00 of $1.00 used').waitFor();
    // D39
    await card.getByText('You have this plan').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    const [subscription] = (await shop.app.client(user).plans.own()).subscriptions;
    const id = subscription?.id ?? 0;

    await spend(user, id, 400_000);
    await spend(user, id, 300_000);
    await page.goto('/topup');
    await wallet(page).getByText('$1.00 of $1.00 used').waitFor();
    await wallet(page).getByRole('meter').waitFor();
    await page.getByRole('region', { name: 'Balance' }).getByText('800,000 quota').waitFor();
    await page.getByText('Plan bought').waitFor();

    // The second call was paid by both: its equation shows the parts.
    await page.goto('/log');
    await page
      .getByRole('row', { name: /gpt-4o/ })
      .first()
      .click();
    const equation = page.getByRole('math');
    await equation.getByText('plan Daily dollar (100,000)').waitFor();
    await equation.getByText('balance (200,000)').waitFor();

    await age(shop.app.store, id, daySeconds);
    await runJob();
    await page.goto('/topup');
    await wallet(page).getByText('$0.00 of $1.00 used').waitFor();
    await wallet(page).getByText('Balance', { exact: true }).click();
    await wallet(page)
      .getByText(/The balance pays first/)
      .waitFor();
    expect((await shop.app.client(user).plans.own()).wallet_first).toBe(true);

    await age(shop.app.store, id, 6 * daySeconds);
    await runJob();
    await page.goto('/plan');
    await page.getByText('Ended subscriptions').click();
    await page.getByRole('region', { name: 'Your subscriptions' }).getByText('Daily dollar').waitFor();
    expect(problems).toEqual([]);

    await office.page.goto('/plan?view=subscriptions');
    const sold = office.page.getByRole('row', { name: /buyer/ });
    await sold.getByText('Ended', { exact: true }).waitFor();
    await office.page.goto('/plan?view=manage');
    await row.getByText('$2.00').last().waitFor();
    expect(office.problems).toEqual([]);
    expect(await breaches(shop)).toEqual([]);
  });

  test('paid at the provider: the open wallet shows the plan; a refund ends it', async () => {
    const user = await shop.app.actor({ username: 'payer' });
    await using at = await visit(shop.app, { as: user, language: 'zh' });
    const { page, problems } = at;
    await page.goto('/plan');
    await page.getByRole('article', { name: 'Daily dollar' }).getByRole('button', { name: '购买' }).click();
    await page.getByRole('dialog').getByText('支付宝').click();
    await page.getByRole('dialog').getByText('支付 ¥9.90').waitFor();
    const opened = page.context().waitForEvent('page');
    await page.getByRole('dialog').getByRole('button', { name: '去支付' }).click();
    const tab = await opened;
    await tab.getByRole('button', { name: /Pay/ }).click();
    await page.getByText('支付成功，Daily dollar 已生效').waitFor();
    await page.getByRole('region', { name: '订阅' }).getByText('已用 $0.00 / $1.00').waitFor();
    await tab.close();

    await using office = await visit(shop.app, { as: admin, language: 'en' });
    await office.page.goto('/order?q=payer');
    const row = office.page.getByRole('row', { name: /payer/ });
    await row.getByText('Daily dollar').waitFor();
    await row.click();
    await office.page.getByRole('button', { name: 'Refund', exact: true }).click();
    const dialog = office.page.getByRole('dialog');
    await dialog.getByText(/The plan Daily dollar ends at once/).waitFor();
    await dialog.getByRole('textbox', { name: /Reason/ }).fill('asked');
    await dialog.getByRole('switch', { name: /provider pays/ }).click();
    await dialog.getByRole('button', { name: 'Refund' }).click();
    await office.page.getByText('Refunded', { exact: true }).first().waitFor();
    await page.goto('/plan');
    await page.getByText('已结束的订阅').click();
    await page.getByText('已退款').waitFor();
    expect(problems).toEqual([]);
    expect(await breaches(shop)).toEqual([]);
  });

  testLooks('cards, bars and the table fit a phone', async () => {
    await using at = await visit(shop.app, { as: admin, language: 'zh', theme: 'dark', viewport: PHONE });
    const { page } = at;
    for (const view of ['offers', 'manage', 'subscriptions']) {
      await page.goto(`/plan?view=${view}`);
      await page.getByText('Daily dollar').first().waitFor();
      expect(await fitsWidth(page)).toBe(true);
      expect(await accessibilityViolations(page)).toEqual([]);
    }
  });
});
