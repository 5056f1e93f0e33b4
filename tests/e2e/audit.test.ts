// The audit page in a real browser: the chain, filters, pages, a row in full, a suspension lifted.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { readFileSync } from 'node:fs';
import {
  ROOT_PASSWORD,
  startApplication,
  type Actor,
  type TestApplication,
} from '#tests/support/application.ts';
import { accessibilityViolations, fitsWidth, PHONE, visit } from '#tests/support/browser.ts';
import { testLooks } from '#tests/support/looks.ts';

setDefaultTimeout(120_000);

let application: TestApplication;
let root: Actor;
beforeAll(async () => {
  application = await startApplication();
  root = await application.login('root', ROOT_PASSWORD);
  for (let index = 0; index < 12; index += 1) {
    const { id } = await application.createUser({ username: `person${index}` });
    await application.request('/api/user/manage', { as: root, body: { id, action: 'disable' } });
  }
});
afterAll(() => application.close());

const rows = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });
const sees = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();

test('A15 the trail shows that its chain is intact, filters by action, and pages by its rows', async () => {
  await using at = await visit(application, { as: root, language: 'zh' });
  const { page, problems } = at;
  await page.goto('/audit?action=session.start');
  // A15: actions, ways in and actors are words; a sign-in names the user who signed in.
  const signIn = page.getByRole('row').filter({ hasText: '方式：密码' }).last();
  expect(await signIn.innerText()).toMatch(/root\s+登录/);
  await page.goto('/audit');
  await sees(page, /审计记录完整，共 \d+ 条/);
  await page.getByRole('button', { name: '操作' }).first().click();
  await page.getByRole('menuitemcheckbox', { name: '禁用用户' }).click();
  await sees(page, '1–10，共 12');
  expect(await rows(page, '登录').count()).toBe(0);
  await page.getByRole('button', { name: '下一页' }).click();
  await sees(page, '11–12，共 12');
  expect(page.url()).toContain('before=');
  await page.reload();
  await sees(page, '11–12，共 12');
  await page.getByRole('button', { name: '上一页' }).click();
  await sees(page, '1–10，共 12');
  expect(await accessibilityViolations(page)).toEqual([]);
  expect(problems).toEqual([]);
});

test('a row opens in full, filters by what it names, and is exported without a secret', async () => {
  await using at = await visit(application, { as: root, language: 'en' });
  const { page, problems } = at;
  await page.goto('/audit?action=user.disable');
  // The name in the row is a link of its own.
  await rows(page, 'User disabled').first().getByText('User disabled').click();
  await page.getByRole('row', { name: 'status Activated Banned', exact: true }).waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  const before = await rows(page, 'User disabled').count();
  await page.getByRole('button', { name: /^Target person\d+$/ }).click();
  await sees(page, '1–1 of 1');
  expect(before).toBeGreaterThan(1);
  await page.goto('/audit?action=user.disable');
  await page.getByRole('button', { name: 'Export' }).first().click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'Export CSV' }).click(),
  ]);
  const csv = readFileSync(await download.path(), 'utf8');
  expect(csv.trim().split('\r\n')).toHaveLength(13);
  expect(csv).not.toMatch(/password|argon2/);
  expect(problems).toEqual([]);
});

test('a suspension is shown with its reason and lifted with one', async () => {
  const { id } = await application.createUser({
    username: 'halted',
    row: { status: 3, suspended_reason: 'balance: 5 is not 4' },
  });
  await using at = await visit(application, { as: root, language: 'zh' });
  const { page } = at;
  await page.goto('/audit');
  const box = page.getByRole('region', { name: '被系统停用的用户' });
  await box.getByText('balance: 5 is not 4').waitFor();
  await box.getByRole('button', { name: '解除停用' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: '解除停用' }).click();
  await dialog.getByText('请填写原因').waitFor();
  await dialog.getByLabel('原因').fill('账目已核对');
  await dialog.getByRole('button', { name: '解除停用' }).click();
  await sees(page, '已解除停用');
  await box.waitFor({ state: 'detached' });
  const row = await application.store.db
    .selectFrom('users')
    .select('status')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  expect(row.status).toBe(1);
  await rows(page, '账目已核对').waitFor();
});

testLooks('the phone shows the trail without sticking out', async () => {
  await using at = await visit(application, { as: root, language: 'en', theme: 'dark', viewport: PHONE });
  await at.page.goto('/audit');
  await sees(at.page, /The audit trail is complete/);
  expect(await fitsWidth(at.page)).toBe(true);
  expect(await accessibilityViolations(at.page)).toEqual([]);
});
