// How many clicks a way takes, counted by the browser itself: every press of the pointer on any page of the way. Typing is no click.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { ROLE } from '#contract/access.ts';
import { addOrder, bookAll } from '#tests/integration/admin/pages/support.ts';
import { openShop, type Shop } from '#tests/integration/money/payments/support.ts';
import type { Actor } from '#tests/support/application.ts';
import {
  accessibilityViolations,
  eventually,
  PHONE,
  visit,
  type VisitOptions,
} from '#tests/support/browser.ts';
import { addChannel } from '#tests/support/channels.ts';

setDefaultTimeout(180_000);

const WIDE = { width: 1440, height: 900 };
const STOPPED = 3;
const REQUEST = '20261118101500abcdefgh';

let shop: Shop;
let root: Actor;
let buyer: Actor;
let orderId: number;
beforeAll(async () => {
  shop = await openShop('sqlite', { TopUpPresets: '[{"amount":10},{"amount":20}]' });
  const { app } = shop;
  const { store } = app;
  const base_url = 'http://127.0.0.1:9';
  const failing = await addChannel(store, { base_url, models: ['lonely-1'], name: 'reserve' });
  await store.db.updateTable('channels').set({ status: STOPPED }).where('id', '=', failing).execute();
  await addChannel(store, { base_url, models: ['gpt-4.1-nano'], name: 'main' });
  root = await app.actor({ username: 'keeper', role: ROLE.root });
  buyer = await app.actor({ username: 'northstar' });
  await bookAll(app, buyer.id, [
    { kind: 'topup', from: 'world:topup:epay', to: `user:${buyer.id}`, amount: 10_000_000 },
  ]);
  orderId = await addOrder(app, buyer.id);
  await app.client(buyer).tokens.create({ body: { name: 'laptop', unlimited_quota: true } });
  const now = Math.floor(Date.now() / 1000);
  await store.db
    .insertInto('margin_days')
    .values({
      day: now - (now % 86_400),
      channel_id: 77,
      model_name: 'm',
      group: 'default',
      user_id: buyer.id,
      count: 1,
      quota: 1_000_000,
      cost: 600_000,
      costed_count: 1,
      costed_quota: 1_000_000,
    })
    .execute();
  await store.db
    .insertInto('logs')
    .values({
      type: 2,
      model_name: 'gpt-4.1-nano',
      quota: 15,
      prompt_tokens: 100,
      completion_tokens: 50,
      content: '',
      created_at: Date.UTC(2026, 10, 18, 10, 15) / 1000,
      user_id: buyer.id,
      username: buyer.username,
      request_id: REQUEST,
      other: JSON.stringify({ model_ratio: 0.05, completion_ratio: 4, group_ratio: 1 }),
    })
    .execute();
  // The checks run every minute, the first time soon after the start.
  await eventually(async () => {
    const { items } = await app.client(root).attention.list({});
    return items.some(({ kind }) => kind === 'channel_only' || kind === 'channel_off');
  }, 'the failing channel is noticed');
});
afterAll(() => shop.close());

/** A page whose clicks are counted from now on. */
async function way(start: string, options: VisitOptions) {
  const at = await visit(shop.app, { language: 'en', viewport: WIDE, fresh: true, ...options });
  let clicks = 0;
  await at.page.exposeBinding('countClick', () => {
    clicks += 1;
  });
  await at.page.addInitScript({
    content: `addEventListener('pointerdown', (event) => event.isTrusted && countClick(), true)`,
  });
  await at.page.goto(start);
  return { ...at, clicks: () => clicks };
}

const menu = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Side menu' }).getByRole('link', { name, exact: true }).click();
const space = (page: Page, name: string) =>
  page.getByRole('group', { name: 'Console' }).getByRole('link', { name, exact: true }).click();
/** Opens the palette, types, and takes a row. */
async function palette(page: Page, text: string, row: string | RegExp): Promise<void> {
  await page.getByRole('button', { name: 'Search or jump to' }).click();
  await page.getByRole('textbox', { name: 'Command palette' }).fill(text);
  await page
    .getByRole('dialog', { name: 'Command palette' })
    .getByRole('button', { name: row })
    .first()
    .click();
}

describe('an operator, from the page that a sign-in leads to', () => {
  test('a failing channel: 1', async () => {
    await using at = await way('/token', { as: root });
    await at.page
      .getByRole('region', { name: 'What needs you' })
      .getByRole('link', { name: 'reserve was disabled automatically' })
      .click();
    await at.page.getByRole('heading', { level: 1, name: 'reserve' }).waitFor();
    expect(at.clicks()).toBe(1);
  });

  test('the margin of today: 1', async () => {
    await using at = await way('/token', { as: root });
    await space(at.page, 'Money');
    const today = at.page.getByRole('button', { name: /certain margin today/ });
    await today.getByText('$0.80').waitFor();
    expect(at.clicks()).toBe(1);
  });

  test('a wrong bill, by the request id that the customer sends: at most 3', async () => {
    await using at = await way('/token', { as: root });
    await palette(at.page, REQUEST, new RegExp(REQUEST));
    const row = at.page.getByRole('row').filter({ hasText: 'gpt-4.1-nano' }).first();
    await row.waitFor();
    await row.getByText('gpt-4.1-nano').click();
    await at.page
      .getByText(/\$0\.000030/)
      .first()
      .waitFor();
    expect(at.clicks()).toBeLessThanOrEqual(3);
  });

  test('a new price: at most 3', async () => {
    await using at = await way('/token', { as: root });
    await space(at.page, 'Money');
    await menu(at.page, 'Price book');
    await at.page.getByRole('button', { name: 'Edit prices' }).click();
    await at.page.waitForURL(/draft=\d+/);
    await at.page.getByRole('main').getByRole('textbox').first().waitFor();
    expect(at.clicks()).toBeLessThanOrEqual(3);
  });

  test('a refund: 2', async () => {
    await using at = await way('/token', { as: root });
    await palette(at.page, `refund order ${orderId}`, /^Refund PAGE/);
    await at.page
      .getByRole('dialog')
      .getByText(/taken back from northstar/)
      .waitFor();
    expect(at.clicks()).toBe(2);
  });
});

describe('a plan and a reseller, 2 from the same page by the palette, and 2 from Margins by the menu', () => {
  const planForm = (page: Page) => page.getByRole('complementary').getByRole('textbox').first().waitFor();
  const resellerForm = (page: Page) => page.getByRole('dialog', { name: 'Add a reseller' }).waitFor();

  test('a plan', async () => {
    await using typed = await way('/token', { as: root });
    await palette(typed.page, 'new plan', 'New plan');
    await planForm(typed.page);
    await using at = await way('/margins', { as: root });
    await menu(at.page, 'Plans');
    await at.page.getByRole('button', { name: 'New plan' }).first().click();
    await planForm(at.page);
    expect([typed.clicks(), at.clicks()]).toEqual([2, 2]);
  });

  test('a reseller', async () => {
    await using typed = await way('/token', { as: root });
    await palette(typed.page, 'add reseller', 'Add a reseller');
    await resellerForm(typed.page);
    await using at = await way('/margins', { as: root });
    await menu(at.page, 'Resellers');
    await at.page.getByRole('button', { name: 'Add reseller' }).click();
    await resellerForm(at.page);
    expect([typed.clicks(), at.clicks()]).toEqual([2, 2]);
  });
});

describe('a customer', () => {
  test('a first key, from the page of the shop: at most 4', async () => {
    await using at = await way('/', {});
    const { page } = at;
    await page.getByRole('link', { name: 'Get an API key' }).first().click();
    await page.getByLabel('Username', { exact: true }).fill('newcomer');
    await page.getByLabel('Password', { exact: true }).fill('zq7Kfmwxpl');
    await page.getByLabel('Repeat password', { exact: true }).fill('zq7Kfmwxpl');
    await page.getByRole('button', { name: 'Register', exact: true }).click();
    await page.waitForURL(/\/token\?connect=\d+/);
    await page.getByRole('heading', { name: /^Connect / }).waitFor();
    expect(at.clicks()).toBeLessThanOrEqual(4);
  });

  test('a top-up, to the question before the payment: 2', async () => {
    await using at = await way('/token', { as: buyer });
    await at.page
      .getByRole('banner')
      .getByRole('link', { name: /^Balance/ })
      .click();
    await at.page
      .getByRole('region', { name: 'Online top-up' })
      .getByRole('button', { name: 'Top up', exact: true })
      .click();
    await at.page.getByRole('dialog').getByRole('button', { name: 'Go to payment' }).waitFor();
    expect(at.clicks()).toBe(2);
  });

  test('the configuration of Claude Code, copied: at most 3', async () => {
    await using at = await way('/token', {
      as: buyer,
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await menu(at.page, 'Overview');
    await at.page.getByRole('button', { name: 'Copy the configuration for Claude Code' }).first().click();
    await eventually(
      async () => (await at.page.evaluate<string>('navigator.clipboard.readText()')).includes('sk-'),
      'the key is in the clipboard',
    );
    expect(at.clicks()).toBeLessThanOrEqual(3);
  });
});

test('on the phone an operator has the pages of operators at the bottom', async () => {
  await using at = await visit(shop.app, { as: root, language: 'en', viewport: PHONE });
  await at.page.goto('/channel');
  const bar = at.page.getByRole('navigation', { name: 'Main menu' });
  await bar.getByRole('link', { name: 'Channels' }).waitFor();
  expect(
    await bar.getByRole('link').locator('span:not([aria-hidden] *):not([aria-hidden])').allInnerTexts(),
  ).toEqual(['Overview', 'Channels', 'Logs', 'Orders']);
});

test.each(['/overview', '/token', '/channel', '/margins'])(
  '%s: what a control shows is part of its name',
  async (path) => {
    await using at = await visit(shop.app, { as: root, language: 'en', viewport: WIDE });
    await at.page.goto(path);
    await at.page.getByRole('heading', { level: 1 }).waitFor();
    await at.page.getByRole('button', { name: /needs? you/ }).waitFor();
    expect(await accessibilityViolations(at.page, { names: true })).toEqual([]);
  },
);
