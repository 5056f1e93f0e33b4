// Notices in a real browser: a web hook is set up, tested, and its delivery is in the history; operators see everybody's; the
// bell counts announcements that this browser has not seen.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { accessibilityViolations, fitsWidth, PHONE, visit } from '#tests/support/browser.ts';
import { KEYS, startNoticeServices, type NoticeServices } from '#tests/support/notice-services.ts';

setDefaultTimeout(120_000);

let application: TestApplication;
let services: NoticeServices;
let root: Actor;
beforeAll(async () => {
  services = startNoticeServices();
  application = await startApplication({ settings: { UserNoticePrivateAddressEnabled: 'true' } });
  root = await application.actor({ role: ROLE.root });
});
afterAll(async () => {
  await application.close();
  await services.close();
});

test('REL-1.18 REL-1.20 a user adds a web hook, tests it and finds the delivery in the history', async () => {
  const user = await application.actor();
  await using at = await visit(application, { as: user, language: 'en' });
  const { page, problems } = at;
  await page.goto('/setting');
  await page.getByRole('button', { name: 'Add a destination' }).click();
  await page.getByRole('menuitem', { name: 'Webhook (signed)' }).click();
  const dialog = page.getByRole('dialog', { name: 'Webhook (signed)' });
  await dialog.getByLabel('Name').fill('my server');
  await dialog.getByLabel('Webhook address').fill('http://10.0.0.7/hook');
  await dialog.getByRole('button', { name: 'Generate one' }).click();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('This address cannot be reached or is not allowed').waitFor();
  await dialog.getByLabel('Webhook address').fill(services.configs['webhook']?.['address'] ?? '');
  await dialog.getByLabel('Signing secret').fill(KEYS.webhookSecret);
  await dialog.getByRole('checkbox', { name: 'API key expiring' }).uncheck();
  expect(await accessibilityViolations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Test my server' }).click();
  await page.getByText('“my server” received the test notification').waitFor();
  expect(services.received.map(({ body }) => body['event'])).toEqual(['test']);

  // The stored secret is not in the form.
  await page.getByRole('button', { name: 'More actions for my server' }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  const again = page.getByRole('dialog', { name: 'Webhook (signed)' });
  expect(await again.getByLabel('Signing secret').inputValue()).toBe('');
  expect(await again.getByRole('checkbox', { name: 'API key expiring' }).isChecked()).toBe(false);
  // O18: Cancel asks before it discards a change.
  await again.getByLabel('Name').fill('another name');
  await again.getByRole('button', { name: 'Cancel' }).click();
  const question = page.getByRole('dialog', { name: 'Discard your changes?' });
  await question.getByRole('button', { name: 'Keep editing' }).click();
  expect(await again.getByLabel('Name').inputValue()).toBe('another name');
  await again.getByRole('button', { name: 'Cancel' }).click();
  await question.getByRole('button', { name: 'Discard changes' }).click();
  await again.waitFor({ state: 'detached' });

  await page.getByRole('link', { name: 'History' }).click();
  const row = page.getByRole('row').filter({ hasText: 'Test notification' });
  await row.getByText('Sent', { exact: true }).waitFor();
  await row.getByText('my server').waitFor();
  await row.click();
  await page.getByText('1 try').waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  expect(problems).toEqual([]);
});

test('the super admin sets up the operators’ way, and sees a failed delivery among everybody’s, on the phone too', async () => {
  await using at = await visit(application, { as: root, language: 'zh' });
  const { page, problems } = at;
  await page.goto('/setting?tab=operation&section=notices');
  await page.getByRole('button', { name: '添加通知方式' }).click();
  await page.getByRole('menuitem', { name: '企业微信机器人' }).click();
  const dialog = page.getByRole('dialog', { name: '企业微信机器人' });
  await dialog.getByLabel('Webhook 地址').fill(`${services.url}/wecom/cgi-bin/webhook/send?key=wrong`);
  await dialog.getByRole('button', { name: '保存' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: '测试 企业微信机器人' }).click();
  await page.getByText('测试失败：对方服务返回 200：invalid webhook url').waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  expect(problems).toEqual([]);

  await using phone = await visit(application, { as: root, language: 'zh', theme: 'dark', viewport: PHONE });
  await phone.page.goto('/notices?scope=all&state=failed');
  await phone.page.getByText('发送失败', { exact: true }).first().waitFor();
  await phone.page.getByRole('button', { name: '测试通知' }).first().click();
  await phone.page.getByText('invalid webhook url').waitFor();
  expect(await fitsWidth(phone.page)).toBe(true);
  expect(await accessibilityViolations(phone.page)).toEqual([]);
});

test('REL-1.19 an announcement and a question are written; the bell counts what is new, the home page shows the question', async () => {
  await using at = await visit(application, { as: root, language: 'en' });
  const { page, problems } = at;
  await page.goto('/setting?tab=other&section=announcements');
  await page.getByRole('button', { name: 'Write an announcement' }).click();
  const dialog = page.getByRole('dialog', { name: 'Write an announcement' });
  await dialog.getByLabel('Title').fill('Maintenance');
  await dialog.getByRole('button', { name: 'Publish' }).click();
  await dialog.getByText('Enter the text').waitFor();
  await dialog.getByLabel('Text').fill('On **Sunday** <img src=x onerror=alert(1)>');
  await dialog.getByText('Attention', { exact: true }).click();
  await dialog.getByRole('button', { name: 'Publish' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('Shown', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Add a question' }).click();
  const question = page.getByRole('dialog', { name: 'Add a question' });
  await question.getByLabel('Question').fill('How do I pay?');
  await question.getByLabel('Answer').fill('By [card](https://example.com).');
  await question.getByRole('button', { name: 'Save' }).click();
  await question.waitFor({ state: 'detached' });
  expect(await accessibilityViolations(page)).toEqual([]);

  await using visitor = await visit(application, { language: 'en' });
  await visitor.page.goto('/pricing');
  await visitor.page.getByRole('button', { name: 'Announcements, 1 unread' }).click();
  await visitor.page.getByText('Maintenance').waitFor();
  await visitor.page.locator('strong', { hasText: 'Sunday' }).waitFor();
  expect(await visitor.page.locator('[aria-label="Announcements"] img').count()).toBeLessThanOrEqual(1);
  await visitor.page.keyboard.press('Escape');
  await visitor.page.reload();
  await visitor.page.getByRole('button', { name: 'Announcements', exact: true }).waitFor();
  // The first page has both without a script.
  await visitor.page.goto('/');
  await visitor.page.locator('strong', { hasText: 'Sunday' }).waitFor();
  await visitor.page.getByText('How do I pay?').click();
  await visitor.page.getByRole('link', { name: 'card' }).waitFor();
  expect(await accessibilityViolations(visitor.page)).toEqual([]);
  expect(problems).toEqual([]);

  // D19 the word does not break, however narrow the list is.
  await using narrow = await visit(application, { language: 'en', viewport: { width: 320, height: 640 } });
  await narrow.page.goto('/pricing');
  await narrow.page.getByRole('button', { name: 'Announcements, 1 unread' }).click();
  const isNew = narrow.page.getByText('New', { exact: true });
  await isNew.waitFor();
  expect((await isNew.boundingBox())?.height).toBeLessThan(20);
});

test('D18 a question has an English version, folded away until it is wanted; each reader sees their own', async () => {
  await using at = await visit(application, { as: root, language: 'zh' });
  const { page, problems } = at;
  await page.goto('/setting?tab=other&section=faq');
  await page.getByRole('button', { name: '添加问题' }).click();
  const dialog = page.getByRole('dialog', { name: '添加问题' });
  await dialog.getByRole('textbox', { name: '问题', exact: true }).fill('营业时间？');
  await dialog.getByRole('textbox', { name: '回答', exact: true }).fill('全天');
  await dialog.getByRole('button', { name: '添加英文版' }).click();
  await dialog.getByLabel('英文问题').fill('When are you open?');
  await dialog.getByLabel('英文回答').fill('All day');
  expect(await accessibilityViolations(page)).toEqual([]);
  await dialog.getByRole('button', { name: '保存' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: '编辑 营业时间？' }).click();
  expect(await page.getByRole('dialog').getByLabel('英文问题').inputValue()).toBe('When are you open?');

  await using visitor = await visit(application, { language: 'en' });
  await visitor.page.goto('/about');
  await visitor.page.getByText('When are you open?').waitFor();
  expect(await visitor.page.getByText('营业时间？').count()).toBe(0);
  // A change of the language is enough.
  await visitor.page.getByRole('button', { name: 'Switch to Chinese' }).click();
  await visitor.page.getByText('营业时间？').waitFor();
  expect(problems).toEqual([]);
});
