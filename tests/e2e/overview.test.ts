// The overview in a browser: the operator's day in sentences that add up, what needs a person, and the customer's account.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { ROLE } from '#contract/access.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import {
  accessibilityViolations,
  cutLabels,
  fitsWidth,
  PHONE,
  visit,
  type VisitOptions,
} from '#tests/support/browser.ts';
import { testLooks } from '#tests/support/looks.ts';
import { addChannel } from '#tests/support/channels.ts';

setDefaultTimeout(120_000);

const DAY = 86_400;
const STOPPED = 3;
let application: TestApplication;
let boss: Actor;
let alice: Actor;

beforeAll(async () => {
  application = await startApplication();
  const { store } = application;
  const only = await addChannel(store, {
    base_url: 'http://127.0.0.1:9',
    models: ['lonely-1'],
    name: 'reserve',
  });
  await store.db.updateTable('channels').set({ status: STOPPED }).where('id', '=', only).execute();
  boss = await application.actor({ username: 'boss', role: ROLE.admin });
  alice = await application.actor({ username: 'alice', quota: 15_000_000 });
  await application.client(alice).tokens.create({ body: { name: 'prod-web' } });
  const now = Math.floor(Date.now() / 1000);
  const yesterday = now - (now % DAY) - DAY;
  const row = { model_name: 'm', group: 'default', user_id: alice.id, count: 1 };
  await store.db
    .insertInto('margin_days')
    .values([
      // 2 dollars, of which 1.20 were paid for; 0.30 more have no known cost.
      {
        ...row,
        day: yesterday,
        channel_id: only,
        quota: 1_000_000,
        cost: 600_000,
        costed_count: 1,
        costed_quota: 1_000_000,
      },
      { ...row, day: yesterday, channel_id: 77, quota: 150_000, cost: 0, costed_count: 0, costed_quota: 0 },
    ])
    .execute();
  // The checks run every minute; the first time soon after the start.
  for (let tries = 0; tries < 300; tries += 1) {
    const { items } = await application.client(boss).attention.list({});
    if (items.some(({ kind }) => kind === 'channel_only' || kind === 'channel_off')) break;
    await Bun.sleep(300);
  }
});
afterAll(() => application.close());

async function open(options: VisitOptions & { path?: string }) {
  const opened = await visit(application, {
    viewport: { width: 1440, height: 900 },
    language: 'en',
    ...options,
  });
  await opened.page.goto(options.path ?? '/overview');
  await opened.page.getByRole('heading', { name: /Needs you|需要你处理/ }).waitFor();
  return opened;
}
const textOf = async (page: Page) => (await page.locator('main').innerText()).replaceAll(/\s+/g, ' ');

test('D5 D28 the day of an operator: what is off, and money that adds up', async () => {
  await using at = await open({ as: boss });
  const { page, problems } = at;
  await page.getByText('certain margin', { exact: false }).first().waitFor();
  const text = await textOf(page);
  expect(text).toContain('One channel is disabled');
  expect(text).toContain(
    'Yesterday $2.30 was used, it cost $1.20; $0.80 is certain margin, the cost of $0.30 is unknown.',
  );
  expect(text).toContain('reserve was disabled automatically');
  // The failing channel is one click away.
  await page.getByRole('link', { name: /Open channel|Replace key/ }).click();
  await page.waitForURL(/\/channel\/\d+/);
  expect(problems).toEqual([]);
});

test('a number opens its equation in place, the address keeps it, and Escape closes it', async () => {
  await using at = await open({ as: boss });
  const { page } = at;
  await page
    .getByRole('link', { name: '$0.80' })
    .or(page.getByRole('button', { name: '$0.80' }))
    .first()
    .click();
  await page
    .getByRole('cell', { name: 'reserve' })
    .or(page.getByText('reserve', { exact: true }))
    .first()
    .waitFor();
  const address = page.url();
  expect(address).not.toEndWith('/overview');
  await page.reload();
  await page.getByText('used by customers', { exact: false }).first().waitFor();
  await page.keyboard.press('Escape');
  await page.waitForURL((url) => url.href !== address);
});

test('D29 the failing channel is one click from where an operator lands, and counted in the menu and the bell', async () => {
  await using at = await visit(application, {
    as: boss,
    language: 'en',
    viewport: { width: 1440, height: 900 },
  });
  const { page, problems } = at;
  await page.goto('/token');
  const strip = page.getByRole('region', { name: 'What needs your attention' });
  await strip.getByText('reserve was disabled automatically').waitFor();
  // One is in Use: the space of the channel has the count, and the bell the same one.
  const run = page.getByRole('group', { name: 'Console' }).getByRole('link', { name: 'Run', exact: true });
  expect((await run.innerText()).replaceAll(/\s+/g, ' ')).toStartWith('Run 1');
  await page.getByRole('button', { name: '1 item needs your attention' }).click();
  const bell = page.getByRole('list', { name: 'What needs your attention' });
  await bell.getByRole('link', { name: 'reserve was disabled automatically' }).waitFor();
  await page.keyboard.press('Escape');
  expect(await accessibilityViolations(page)).toEqual([]);
  await strip.getByRole('link', { name: 'reserve was disabled automatically' }).click();
  await page.waitForURL(/\/channel\/(edit\/)?\d+/);
  // In the space itself the entry has it, and the space no longer.
  const entry = page.getByRole('navigation', { name: 'Side menu' }).getByRole('link', { name: 'Channels' });
  expect((await entry.innerText()).replaceAll(/\s+/g, ' ')).toStartWith('Channels 1');
  expect(await run.innerText()).toBe('Run');
  expect(problems).toEqual([]);
});

test('D29 a customer has no strip, and a bell that says that nothing is there', async () => {
  await using at = await visit(application, { as: alice, language: 'en' });
  const { page } = at;
  await page.goto('/token');
  await page.getByText('prod-web').first().waitFor();
  expect(await page.getByRole('region', { name: 'What needs your attention' }).count()).toBe(0);
  await page.getByRole('button', { name: 'What needs your attention' }).click();
  await page.getByText('Nothing needs you').waitFor();
});

test('an item that is put off for a while is no longer shown to that person', async () => {
  await using at = await open({ as: boss });
  const { page } = at;
  // Its words stand in the tooltip of the button too, for as long as the pointer rests there.
  const item = page.getByText('reserve was disabled automatically', { exact: true });
  await item.waitFor();
  await page.getByRole('button', { name: /reserve was disabled automatically/ }).click();
  await item.waitFor({ state: 'detached' });
  const { items } = await application.client(boss).attention.list({});
  expect(items.filter(({ is_snoozed }) => is_snoozed)).toHaveLength(1);
});

test('D5 both spaces begin with the overview, and only one of them is the current one', async () => {
  await using at = await open({ as: boss });
  const { page } = at;
  const spaces = page.getByRole('group', { name: 'Console' });
  const current = () => spaces.locator('[aria-current]').allInnerTexts();
  await spaces.getByRole('link', { name: 'Run', exact: true }).click();
  await page.getByRole('navigation', { name: 'Side menu' }).getByRole('link', { name: 'Channels' }).waitFor();
  expect(await current()).toEqual(['Run']);
  await spaces.getByRole('link', { name: 'Use', exact: true }).click();
  await page.getByRole('navigation', { name: 'Side menu' }).getByRole('link', { name: 'Wallet' }).waitFor();
  expect(await current()).toEqual(['Use']);
});

test('a customer reads the balance and the keys, and nothing of the site', async () => {
  await using at = await open({ as: alice, language: 'zh' });
  const { page, problems } = at;
  await page.getByRole('link', { name: 'prod-web', exact: true }).waitFor();
  const text = await textOf(page);
  expect(text).toContain('$30.00');
  expect(text).not.toContain('reserve');
  expect(await page.getByRole('link', { name: '资金', exact: true }).count()).toBe(0);
  expect(problems).toEqual([]);
});

testLooks.each([
  ['boss', 'en', 'dark'],
  ['alice', 'zh', 'light'],
] as const)(
  '%s %s %s: nothing sticks out on the phone, and no accessibility violation',
  async (who, language, theme) => {
    await using at = await open({ as: who === 'boss' ? boss : alice, language, theme, viewport: PHONE });
    expect(await fitsWidth(at.page)).toBe(true);
    expect(await cutLabels(at.page)).toEqual([]);
    expect(await accessibilityViolations(at.page)).toEqual([]);
  },
);
