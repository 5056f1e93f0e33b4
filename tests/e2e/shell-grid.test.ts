// The list every page uses, proved on the token page: keys, selection, columns, export, pages and drawers by address.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import type { Page } from 'playwright-core';
import { fitsWidth, PHONE, stored, until, visit } from '#tests/support/browser.ts';
import { testLooks } from '#tests/support/looks.ts';

const COUNT = 23;
let application: TestApplication;
let user: Actor;

beforeAll(async () => {
  application = await startApplication();
  user = await application.actor({ quota: 500_000_000 });
  const { tokens } = application.client(user);
  for (let index = 1; index <= COUNT; index += 1) {
    await tokens.create({
      body: { name: index === COUNT ? '=1+1' : `key-${String(index).padStart(2, '0')}` },
    });
  }
});
afterAll(() => application.close());

const activeName = `document.activeElement?.querySelector('td:nth-child(2)')?.textContent ?? ''`;

describe('keys', () => {
  test('slash searches, j and k move, e edits, Escape closes, Enter opens', async () => {
    await using at = await visit(application, { as: user, language: 'en' });
    await at.page.goto('/token');
    await at.page
      .getByRole('row')
      .nth(COUNT > 10 ? 10 : COUNT)
      .waitFor();
    await at.page.keyboard.press('j');
    await at.page.keyboard.press('j');
    await at.page.keyboard.press('k');
    expect(await at.page.evaluate<string>(activeName)).toContain('=1+1');
    await at.page.keyboard.press('ArrowDown');
    expect(await at.page.evaluate<string>(activeName)).toContain('key-22');
    await at.page.keyboard.press('e');
    await at.page.waitForURL(/edit=\d+/);
    await at.page.getByRole('heading', { name: 'Edit API key' }).waitFor();
    await at.page.keyboard.press('Escape');
    await until(at.page, '!location.search.includes("edit")');
    await at.page.keyboard.press('/');
    await at.page.keyboard.type('key-07');
    await at.page.waitForURL(/q=key-07/);
    await until(at.page, 'document.querySelectorAll("tbody tr").length === 1');
    await at.page.evaluate('document.activeElement?.blur()');
    await at.page.keyboard.press('j');
    await at.page.keyboard.press('Enter');
    await at.page.waitForURL(/\/token\/\d+/);
  });

  test('typing in a field never triggers a key of the list', async () => {
    await using at = await visit(application, { as: user, language: 'en' });
    await at.page.goto('/token');
    await at.page.getByRole('textbox', { name: 'Name or key' }).fill('');
    await at.page.getByRole('textbox', { name: 'Name or key' }).pressSequentially('jke?/r');
    expect(await at.page.getByRole('dialog').count()).toBe(0);
    expect(await at.page.getByRole('textbox', { name: 'Name or key' }).inputValue()).toBe('jke?/r');
  });

  test('the question mark shows the keys', async () => {
    await using at = await visit(application, { as: user, language: 'en' });
    await at.page.goto('/token');
    await at.page.getByRole('row').nth(1).waitFor();
    await at.page.keyboard.press('?');
    await at.page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Move up and down').waitFor();
  });
});

describe('selection', () => {
  test('Space selects, the bar takes the footer’s place, all matching can be selected, Escape clears', async () => {
    await using at = await visit(application, { as: user, language: 'en' });
    await at.page.goto('/token');
    await at.page.getByRole('row').nth(1).waitFor();
    await at.page.keyboard.press('j');
    await at.page.keyboard.press('Space');
    const bar = at.page.getByRole('region', { name: /selected/ });
    await bar.getByText('1 selected').waitFor();
    expect(await at.page.getByText('10 per page').count()).toBe(0);
    await bar.getByRole('button', { name: `Select all ${COUNT}` }).click();
    await bar.getByText(`All ${COUNT} selected`).waitFor();
    await at.page.keyboard.press('Escape');
    await bar.waitFor({ state: 'detached' });
    await at.page.getByText('10 per page').waitFor();
  });

  test('a selection is gathered over several searches', async () => {
    await using at = await visit(application, { as: user, language: 'en' });
    await at.page.goto('/token?q=key-03');
    await at.page.getByRole('checkbox', { name: /key-03/ }).check();
    await at.page.getByRole('textbox', { name: 'Name or key' }).fill('key-07');
    await at.page.getByRole('checkbox', { name: /key-07/ }).check();
    await at.page.getByRole('region', { name: '2 selected' }).waitFor();
  });
});

/** Waits until a toast is shown that covers none of these. */
const untilFree = (page: Page, others: string) =>
  until(
    page,
    `(() => {
  const rects = (selector) => [...document.querySelectorAll(selector)].map((each) => each.getBoundingClientRect());
  const toasts = rects('.mantine-Notifications-notification');
  return toasts.length > 0 && toasts.every((a) => rects(${JSON.stringify(others)}).every((b) =>
    a.left >= b.right || b.left >= a.right || a.top >= b.bottom || b.top >= a.bottom));
})()`,
  );

describe('pages and columns', () => {
  test('O23: a page is typed and jumped to; Shift-click selects a range; a toast covers neither pager nor buttons (O26 N5)', async () => {
    await using at = await visit(application, {
      as: user,
      language: 'en',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const { page } = at;
    await page.goto('/token');
    const field = page.getByRole('textbox', { name: 'Page', exact: true });
    await field.fill('3');
    await field.press('Enter');
    await page.getByText(`21–${COUNT} of ${COUNT}`).waitFor();
    await field.fill('999');
    await field.press('Enter');
    expect(await field.inputValue()).toBe('3');
    await field.fill('1');
    await field.press('Enter');
    await page.getByText(`1–10 of ${COUNT}`).waitFor();

    await page.getByRole('checkbox', { name: /key-21/ }).click();
    await page.getByRole('checkbox', { name: /key-17/ }).click({ modifiers: ['Shift'] });
    await page.getByRole('region', { name: '5 selected' }).waitFor();
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'Actions of key-20' }).click();
    await page.getByRole('menuitem', { name: 'Edit', exact: true }).click();
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.locator('.mantine-Notifications-notification').waitFor();
    // The toast slides in, and the page is laid out again after its size changed: its place counts when it has settled.
    await untilFree(page, 'footer');
    await page.setViewportSize(PHONE);
    await untilFree(page, 'footer, [role="dialog"] h2, [role="dialog"] h2 ~ div button');
  });

  test('REL-3.158 the size is chosen once, kept under page-size and used by the next visit', async () => {
    await using at = await visit(application, { as: user, language: 'en' });
    await at.page.goto('/token');
    await at.page.getByText(`1–10 of ${COUNT}`).waitFor();
    await at.page.getByRole('button', { name: 'Next page' }).click();
    await at.page.waitForURL(/page=2/);
    await at.page.getByText(`11–20 of ${COUNT}`).waitFor();
    await at.page.getByRole('button', { name: '10 per page' }).click();
    await at.page.getByRole('menuitemradio', { name: '50' }).click();
    await at.page.getByText(`1–${COUNT} of ${COUNT}`).waitFor();
    expect(await stored(at.page, 'page-size')).toBe('50');
    await at.page.goto('/token');
    await at.page.getByText(`1–${COUNT} of ${COUNT}`).waitFor();
  });

  test('the order is in the URL and survives a reload', async () => {
    await using at = await visit(application, { as: user, language: 'en' });
    await at.page.goto('/token');
    await at.page.getByRole('button', { name: 'Sort by Name' }).click();
    await at.page.waitForURL(/sort=name/);
    await at.page.reload();
    expect(await at.page.getByRole('columnheader', { name: /Name/ }).getAttribute('aria-sort')).toBe(
      'ascending',
    );
    await at.page.getByRole('button', { name: 'Sort by Name' }).click();
    await at.page.waitForURL(/sort=-name/);
    await at.page.getByRole('row').nth(1).getByText('key-22').waitFor();
  });

  test('a column that is switched off stays off', async () => {
    await using at = await visit(application, { as: user, language: 'en' });
    await at.page.goto('/token');
    const head = at.page.getByRole('columnheader', { name: 'Status' });
    await head.waitFor();
    await at.page.getByRole('button', { name: 'Columns' }).click();
    await at.page.getByRole('menuitemcheckbox', { name: 'Status' }).click();
    await head.waitFor({ state: 'detached' });
    await at.page.reload();
    await at.page.getByRole('columnheader', { name: 'Quota' }).waitFor();
    expect(await head.count()).toBe(0);
  });

  test('the export holds every match and no formula', async () => {
    await using at = await visit(application, { as: user, language: 'en' });
    await at.page.goto('/token');
    await at.page.getByRole('row').nth(1).waitFor();
    const download = at.page.waitForEvent('download');
    await at.page.getByRole('button', { name: 'Export CSV' }).click();
    const csv = await readFile(await (await download).path(), 'utf8');
    expect(csv.trimEnd().split('\r\n')).toHaveLength(COUNT + 1);
    expect(csv).toContain(`"'=1+1"`);
    expect(csv).not.toContain('sk-');
  });
});

describe('drawer', () => {
  test('its address opens it again after a reload; the back button closes it', async () => {
    await using at = await visit(application, { as: user, language: 'en' });
    await at.page.goto('/token');
    await at.page.getByText('key-22').waitFor();
    await at.page.keyboard.press('j');
    await at.page.keyboard.press('e');
    const heading = at.page.getByRole('heading', { name: 'Edit API key' });
    await heading.waitFor();
    await at.page.reload();
    await heading.waitFor();
    await at.page.goBack();
    await heading.waitFor({ state: 'detached' });
  });

  test('from 1280 up the list stays usable beside it; below it holds the focus over the page', async () => {
    await using wide = await visit(application, { as: user, language: 'en' });
    await wide.page.goto('/token?new=1');
    await wide.page.getByRole('complementary', { name: 'New API key' }).waitFor();
    await wide.page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await using narrow = await visit(application, {
      as: user,
      language: 'en',
      viewport: { width: 1100, height: 700 },
    });
    await narrow.page.goto('/token?new=1');
    const dialog = narrow.page.getByRole('dialog', { name: 'New API key' });
    await dialog.waitFor();
    for (let presses = 0; presses < 40; presses += 1) await narrow.page.keyboard.press('Tab');
    expect(
      await narrow.page.evaluate<boolean>(
        'document.querySelector("[data-drawer]").contains(document.activeElement)',
      ),
    ).toBe(true);
  });

  test('its width is moved with the arrow keys between 480 and 640 and kept', async () => {
    await using at = await visit(application, { as: user, language: 'en' });
    await at.page.goto('/token?new=1');
    const handle = at.page.getByRole('separator', { name: 'Drawer width' });
    await handle.focus();
    for (let presses = 0; presses < 20; presses += 1) await at.page.keyboard.press('ArrowLeft');
    expect(await handle.getAttribute('aria-valuenow')).toBe('640');
    await at.page.reload();
    expect(await handle.getAttribute('aria-valuenow')).toBe('640');
  });
});

describe('states', () => {
  test('no match names the filters and clears them', async () => {
    await using at = await visit(application, { as: user, language: 'en' });
    await at.page.goto('/token?q=nothing-like-this&status=2');
    const main = at.page.getByRole('main');
    await main.getByText('Nothing matches').waitFor();
    await main.getByText('nothing-like-this').waitFor();
    await main.getByRole('button', { name: 'Clear all filters' }).click();
    await at.page.getByText(`1–10 of ${COUNT}`).waitFor();
  });

  test('a list that fails to load shows why, with the request id, and loads on retry', async () => {
    await using at = await visit(application, { as: user, language: 'en' });
    let broken = true;
    await at.page.route(/\/api\/token\/(\?|$)/, async (route) => {
      if (!broken) return route.continue();
      return route.fulfill({ status: 500, headers: { 'x-request-id': 'req-of-test' }, json: {} });
    });
    await at.page.goto('/token');
    const alert = at.page.getByRole('alert');
    await alert.getByText('Internal server error, contact administrator').waitFor();
    await alert.getByText('req-of-test').waitFor();
    broken = false;
    await alert.getByRole('button', { name: 'Retry' }).click();
    await at.page.getByText(`1–10 of ${COUNT}`).waitFor();
  });

  test('O5: a failed refresh keeps the rows and says so, until one succeeds', async () => {
    await using at = await visit(application, { as: user, language: 'en' });
    let broken = false;
    await at.page.route(/\/api\/token\/(\?|$)/, async (route) => {
      if (!broken) return route.continue();
      return route.fulfill({ status: 500, headers: { 'x-request-id': 'req-of-test' }, json: {} });
    });
    await at.page.goto('/token');
    await at.page.getByText(`1–10 of ${COUNT}`).waitFor();
    broken = true;
    await at.page.getByRole('button', { name: 'Refresh' }).click();
    const alert = at.page.getByRole('alert');
    await alert.getByText(/these rows may be out of date/).waitFor();
    await alert.getByText('req-of-test').waitFor();
    expect(await at.page.getByRole('row').count()).toBe(11);
    broken = false;
    await alert.getByRole('button', { name: 'Retry' }).click();
    await alert.waitFor({ state: 'detached' });
  });

  testLooks('on the phone rows are cards, filters a sheet, and nothing scrolls sideways', async () => {
    await using at = await visit(application, { as: user, language: 'en', viewport: PHONE });
    await at.page.goto('/token');
    await at.page.getByRole('listitem').filter({ hasText: 'key-22' }).waitFor();
    expect(await at.page.getByRole('table').count()).toBe(0);
    await at.page.getByRole('button', { name: 'Filters' }).click();
    await at.page
      .getByRole('dialog', { name: 'Filters' })
      .getByRole('checkbox', { name: 'Disabled' })
      .click();
    await at.page.waitForURL(/status=2/);
    expect(await fitsWidth(at.page)).toBe(true);
  });
});
