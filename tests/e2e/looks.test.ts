// Rules of every list that only a browser shows, proved on the token page: text from right to left, cut text, paper, row
// heights, keys for people who dictate, the order of cards on the phone.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { PHONE, until, visit } from '#tests/support/browser.ts';

setDefaultTimeout(120_000);

const ARABIC = 'مفتاح الإنتاج 7';
const LONG_GROUP = 'a-group-with-a-name-longer-than-any-column-of-a-list';

let application: TestApplication;
let user: Actor;
beforeAll(async () => {
  application = await startApplication({
    settings: { GroupRatio: JSON.stringify({ default: 1, [LONG_GROUP]: 1 }) },
  });
  user = await application.actor({ quota: 500_000_000, group: LONG_GROUP });
  const { tokens } = application.client(user);
  for (const name of [ARABIC, 'zebra', 'alpha']) await tokens.create({ body: { name } });
});
afterAll(() => application.close());

test('names from right to left keep to themselves; cut text has the whole of it as a title', async () => {
  await using at = await visit(application, {
    as: user,
    language: 'en',
    viewport: { width: 1280, height: 700 },
  });
  const { page } = at;
  // The drawer leaves little room for the list.
  await page.goto('/token?new=1');
  await page.getByRole('row').getByText(ARABIC).waitFor();
  const direction = `getComputedStyle([...document.querySelectorAll('td *')].find(
    ({ textContent }) => textContent === '${ARABIC}')).unicodeBidi`;
  expect(await page.evaluate<string>(direction)).toBe('plaintext');
  await page.getByRole('row').getByText(LONG_GROUP).first().hover();
  await until(page, `document.querySelector('tbody [title="${LONG_GROUP}"]') !== null`);
  await page.getByRole('row').getByText('Enabled').first().hover();
  expect(await page.locator('tbody [title="Enabled"]').count()).toBe(0);
  // In a sentence the name is between marks.
  await page.getByRole('button', { name: `Actions of \u2068${ARABIC}\u2069` }).waitFor();
});

test('a print is light, without menus, and as long as the list', async () => {
  await using at = await visit(application, {
    as: user,
    language: 'en',
    theme: 'dark',
    viewport: { width: 1000, height: 240 },
  });
  const { page } = at;
  await page.goto('/token');
  await page.getByRole('row').getByText('zebra').waitFor();
  const cut = `document.querySelector('[data-grid-scroller]').clientHeight < document.querySelector('table').offsetHeight`;
  expect(await page.evaluate<boolean>(cut)).toBe(true);
  await page.emulateMedia({ media: 'print' });
  await until(page, `!(${cut})`);
  expect(await page.getByRole('navigation').count()).toBe(0);
  expect(await page.getByRole('searchbox').or(page.getByPlaceholder('Name or key')).isVisible()).toBe(false);
  expect(await page.evaluate<string>('getComputedStyle(document.body).backgroundColor')).toBe(
    'rgb(255, 255, 255)',
  );
  await page.emulateMedia({ media: 'screen' });
});

test('row heights are chosen and kept; keys can be limited to a focused row; the phone chooses the order', async () => {
  await using at = await visit(application, { as: user, language: 'en' });
  const { page } = at;
  await page.goto('/token');
  await page.getByRole('row').getByText('zebra').waitFor();
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('menuitemradio', { name: 'Compact' }).click();
  await until(page, `document.querySelector('tbody tr').offsetHeight === 28`);
  await page.getByRole('menuitem', { name: /Keyboard shortcuts/ }).click();
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await help.getByRole('switch').locator('xpath=ancestor::label').click();
  await page.keyboard.press('Escape');
  await page.reload();
  await until(page, `document.querySelector('tbody tr')?.offsetHeight === 28`);
  await page.keyboard.press('?');
  await page.keyboard.press('j');
  expect(await help.count()).toBe(0);
  expect(await page.locator('tbody tr:focus').count()).toBe(0);
  await page.locator('tbody tr').first().focus();
  await page.keyboard.press('?');
  await help.waitFor();
  await page.keyboard.press('Escape');

  await page.setViewportSize(PHONE);
  await page.getByRole('button', { name: 'Filters' }).click();
  await page.getByRole('dialog', { name: 'Filters' }).getByRole('checkbox', { name: 'Name ↑' }).click();
  await page.waitForURL(/sort=name/);
  await page.keyboard.press('Escape');
  await until(page, `document.querySelector('ul[aria-label] > li')?.textContent.includes('alpha')`);
});
