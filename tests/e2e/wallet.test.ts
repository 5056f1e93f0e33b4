// The wallet in a browser: balance and runway, redeeming, history, missing settings, invites.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { ROLE } from '#contract/access.ts';
import {
  ROOT_PASSWORD,
  startApplication,
  type Actor,
  type TestApplication,
} from '#tests/support/application.ts';
import {
  accessibilityViolations,
  fitsWidth,
  PHONE,
  visit,
  type VisitOptions,
} from '#tests/support/browser.ts';
import { testLooks } from '#tests/support/looks.ts';

setDefaultTimeout(120_000);

let application: TestApplication;
let admin: Actor;
beforeAll(async () => {
  application = await startApplication();
  admin = await application.actor({ role: ROLE.admin });
});
afterAll(() => application.close());

async function wallet(as: Actor, options: VisitOptions = {}) {
  const at = await visit(application, { as, language: 'zh', ...options });
  await at.page.goto('/topup');
  await at.page.getByRole('region', { name: /^(余额|Balance)$/ }).waitFor();
  return at;
}
const sees = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();
const field = (page: Page) => page.getByRole('textbox', { name: '兑换码' });
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const newCode = async (quota: number, name = 'Gift') =>
  (await application.client(admin).redemptions.create({ body: { name, quota } }))[0] ?? '';
async function spend(userId: number, quota: number): Promise<void> {
  const hour = Math.floor(Date.now() / 3_600_000) * 3600;
  await application.store.db
    .insertInto('usage_hours')
    .values({ hour, user_id: userId, token_id: 0, channel_id: 0, model_name: 'm', quota, count: 1 })
    .execute();
}

describe('REL-2.18 the wallet', () => {
  test('REL-2.88 it shows the balance in money and quota and how long it lasts', async () => {
    const user = await application.actor({ quota: 6_000_000 });
    await spend(user.id, 3_500_000);
    await using at = await wallet(user);
    const { page, problems } = at;
    const balance = page.getByRole('region', { name: '余额' });
    await balance.getByText('6,000,000 额度').waitFor();
    expect(await balance.innerText()).toContain('$12.00');
    await balance.getByText('按近 7 天的用量，约可用 12 天').waitFor();
    await balance.getByRole('img', { name: '近 30 天消费 $7.00，今天 $7.00' }).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  test('REL-2.89 REL-8.57 a pasted code with spaces is redeemed: balance, chip and history change', async () => {
    const user = await application.actor({ quota: 500_000 });
    const code = await newCode(5_000_000, 'Spring gift');
    await using at = await wallet(user);
    const { page } = at;
    await field(page).fill(`  ${code.slice(0, 10)} ${code.slice(10)} `);
    await press(page, '兑换');
    await sees(page, '兑换成功！');
    await sees(page, '余额增加 $10.00');
    await page.getByRole('region', { name: '余额' }).getByText('5,500,000 额度').waitFor();
    await page
      .getByRole('link', { name: /\$11\.00/ })
      .first()
      .waitFor();
    const history = page.getByRole('region', { name: '充值记录' });
    await history.getByText('Spring gift').waitFor();
    expect(await history.innerText()).toContain('+$10.00');
    expect(await field(page).inputValue()).toBe('');
  });

  test('REL-5.40 REL-8.14 REL-8.15 a blank code, a refused one and a network failure are marked at the field', async () => {
    const user = await application.actor();
    await using at = await wallet(user);
    const { page } = at;
    await press(page, '兑换');
    await sees(page, '请输入兑换码！');
    await field(page).fill('0123');
    await press(page, '兑换');
    await sees(page, '兑换码无效，请检查是否复制完整');
    await page.route('**/api/user/topup', (route) => route.abort());
    await press(page, '兑换');
    await sees(page, '请求失败');
  });

  test('REL-5.43 REL-5.44 REL-8.16 REL-8.17 without a link and without online top-up there are the messages; the super admin gets the way to the settings', async () => {
    const user = await application.actor();
    await using at = await wallet(user);
    // D16 a customer, who can set nothing, reads a neutral line.
    await sees(at.page, '兑换码由本站运营者发放。');
    await sees(at.page, '管理员未开启在线充值！');
    expect(await at.page.getByText('超级管理员未设置充值链接！').count()).toBe(0);
    expect(await at.page.getByRole('link', { name: '去设置' }).count()).toBe(0);
    await using operator = await wallet(admin);
    await sees(operator.page, '超级管理员未设置充值链接！');
    await using above = await wallet(await application.login('root', ROOT_PASSWORD));
    const redeem = above.page.getByRole('region', { name: '兑换码' });
    await redeem.getByRole('link', { name: '去设置' }).click();
    await above.page.waitForURL(/\/setting\?tab=operation/);
  });

  test('REL-2.90 REL-6.10 ACC-6.14 get a code opens the link the super admin set; a link that is no web address is not offered', async () => {
    const root = await application.login('root', ROOT_PASSWORD);
    const save = (value: string) =>
      application.request('/api/option/', { as: root, method: 'PUT', body: { key: 'TopUpLink', value } });
    expect((await save('https://shop.example/codes')).body.success).toBe(true);
    const user = await application.actor();
    await using at = await wallet(user);
    const link = at.page.getByRole('link', { name: '获取兑换码' });
    await link.waitFor();
    expect(await link.getAttribute('href')).toBe('https://shop.example/codes');
    expect(await link.getAttribute('rel')).toContain('noopener');
    const asUser = await application.request('/api/option/', {
      as: admin,
      method: 'PUT',
      body: { key: 'TopUpLink', value: 'https://evil.example' },
    });
    expect(asUser.status).toBe(403);
    expect((await save('javascript:alert(1)')).body.success).toBe(false);
    await save('weixin://dl/chat');
    await using second = await wallet(user);
    await sees(second.page, '兑换码由本站运营者发放。');
    expect(await second.page.getByRole('link', { name: '获取兑换码' }).count()).toBe(0);
    await save('');
  });

  test('A19 the balance chip opens the wallet', async () => {
    const user = await application.actor({ quota: 500_000 });
    await using at = await visit(application, { as: user, language: 'zh' });
    await at.page.goto('/token');
    await at.page.getByRole('link', { name: /\$1\.00/ }).click();
    await at.page.waitForURL(/\/topup$/);
    await at.page.getByRole('heading', { level: 1, name: '钱包' }).waitFor();
  });

  test('the invite card has the link and its counts', async () => {
    const user = await application.actor({ row: { aff_count: 4 } });
    await using at = await wallet(user);
    const invites = at.page.getByRole('region', { name: '邀请' });
    await invites.getByRole('textbox', { name: '邀请链接' }).waitFor();
    expect(await invites.innerText()).toContain('4');
  });

  test('a long history is shown page by page', async () => {
    const user = await application.actor();
    for (let index = 0; index < 12; index += 1)
      await application.client(user).redemptions.redeem({ body: { key: await newCode(1000) } });
    await using at = await wallet(user);
    const entries = at.page.getByRole('region', { name: '充值记录' }).getByRole('listitem');
    await entries.first().waitFor();
    expect(await entries.count()).toBe(10);
    await press(at.page, '显示更多');
    await entries.nth(11).waitFor();
    expect(await entries.count()).toBe(12);
  });

  testLooks('a phone shows one column that fits', async () => {
    const user = await application.actor({ quota: 500_000 });
    await using at = await wallet(user, { viewport: PHONE, language: 'en', theme: 'dark' });
    await sees(at.page, 'Redeem a code');
    expect(await fitsWidth(at.page)).toBe(true);
    expect(await accessibilityViolations(at.page)).toEqual([]);
  });
});
