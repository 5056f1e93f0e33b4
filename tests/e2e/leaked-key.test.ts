// An operator finds a leaked key on the page of users, stops it, and deletes a user whose money is named before.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { accessibilityViolations, fitsWidth, PHONE, screenshot, visit } from '#tests/support/browser.ts';

setDefaultTimeout(120_000);

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

test.each([
  ['the search of the page', 'search'],
  ['the command palette', 'palette'],
] as const)(
  'a key pasted into %s opens “Find a key” with it, and is in no address (O39)',
  async (_, place) => {
    const [token] = await app.client(user).tokens.create({ body: { name: `pasted-${place}` } });
    const key = `sk-${token?.key}`;
    await using at = await visit(app, { as: admin, language: 'en' });
    const { page, problems } = at;
    const addresses: string[] = [];
    page.on('request', (request) => addresses.push(request.url()));
    page.on('framenavigated', (frame) => addresses.push(frame.url()));
    await page.goto(place === 'search' ? '/user' : '/channel');
    if (place === 'search') {
      const search = page.getByRole('search').getByRole('textbox');
      await search.fill(key);
      await page.getByRole('dialog').waitFor();
      expect(await search.inputValue()).toBe('');
    } else {
      await page.getByRole('button', { name: 'Search or jump to…' }).click();
      await page.getByRole('textbox', { name: 'Command palette' }).fill(key);
      await page.getByRole('button', { name: 'Find a key' }).waitFor();
      // Longer than the pause after which the palette searches.
      await page.waitForTimeout(600);
      await page.keyboard.press('Enter');
    }
    const dialog = page.getByRole('dialog', { name: 'Find a key' });
    expect(await dialog.getByLabel('Key', { exact: true }).inputValue()).toBe(key);
    await dialog.getByRole('button', { name: 'Find', exact: true }).click();
    await dialog.getByText(`pasted-${place}`).waitFor();
    await dialog.getByRole('link', { name: 'careless' }).click();
    await page.waitForURL(`**/user/${user.id}`);
    await dialog.waitFor({ state: 'detached' });
    expect(addresses.filter((address) => address.includes(token?.key ?? ''))).toEqual([]);
    expect(problems).toEqual([]);
  },
);

test('on a phone “Find a key” is in the top bar (O39)', async () => {
  await using at = await visit(app, { as: admin, language: 'zh', viewport: PHONE });
  await at.page.goto('/user');
  await at.page.getByRole('button', { name: '查找密钥' }).click();
  await at.page.getByRole('dialog', { name: '查找密钥' }).getByLabel('密钥', { exact: true }).waitFor();
  expect(await accessibilityViolations(at.page, { floating: true })).toEqual([]);
  expect(await fitsWidth(at.page)).toBe(true);
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
