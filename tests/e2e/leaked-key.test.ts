// An operator finds a leaked key on the page of users, stops it, and deletes a user whose money is named before.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { accessibilityViolations, screenshot, visit } from '#tests/support/browser.ts';

setDefaultTimeout(90_000);

let app: TestApplication;
let admin: Actor;
let user: Actor;
beforeAll(async () => {
  app = await startApplication();
  admin = await app.actor({ role: ROLE.admin });
  user = await app.actor({ username: 'careless', quota: 1_000_000 });
});
afterAll(() => app.close());

test('a key pasted into “Find a key” shows token and owner and is disabled with one click; it is in no address (O39)', async () => {
  const [token] = await app.client(user).tokens.create({ body: { name: 'pasted' } });
  const key = `sk-${token?.key}`;
  await using at = await visit(app, { as: admin, language: 'en', theme: 'light' });
  const { page, problems } = at;
  const addresses: string[] = [];
  page.on('request', (request) => addresses.push(request.url()));
  await page.goto('/user');
  await page.getByRole('button', { name: 'Find a key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Key', { exact: true }).fill(key);
  await dialog.getByRole('button', { name: 'Find', exact: true }).click();
  await dialog.getByRole('link', { name: 'careless' }).waitFor();
  await dialog.getByText('pasted').waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  await screenshot(page, 'leaked-key-en-light');
  await dialog.getByRole('button', { name: 'Disable the key' }).click();
  await dialog.getByText('Disabled', { exact: true }).waitFor();
  const answer = await fetch(`${app.url}/v1/models`, { headers: { Authorization: `Bearer ${key}` } });
  expect(answer.status).toBe(401);
  expect(addresses.some((address) => address.includes(token?.key ?? ''))).toBe(false);
  expect(problems).toEqual([]);
});

test('the dialog of a deletion names the balance that is lost (O44)', async () => {
  await using at = await visit(app, { as: admin, language: 'zh', theme: 'dark' });
  const { page } = at;
  await page.goto('/user?q=careless');
  const row = page.getByRole('row').filter({ hasText: 'careless' });
  await row.getByRole('button').last().click();
  await page.getByRole('menuitem', { name: /删除/ }).click();
  await page.getByRole('dialog').getByText('余额：$2.00，不会退还').waitFor();
  await screenshot(page, 'delete-user-zh-dark');
});
