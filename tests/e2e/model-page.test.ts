// The operator's models in a browser: the list, the page of one with the API's figures, a model that nobody can call, the phone.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import {
  accessibilityViolations,
  fitsWidth,
  PHONE,
  visit,
  type VisitOptions,
} from '#tests/support/browser.ts';
import { testLooks } from '#tests/support/looks.ts';
import { addChannel } from '#tests/support/channels.ts';

setDefaultTimeout(120_000);

const HOUR = 3600;
const DAY = 86_400;
const now = Math.floor(Date.now() / 1000);
let application: TestApplication;
let admin: Actor;

beforeAll(async () => {
  application = await startApplication();
  const { store } = application;
  const upstream = { base_url: 'http://127.0.0.1:9' };
  const main = await addChannel(store, {
    ...upstream,
    models: ['gpt-4.1', 'maker/no-price.1'],
    name: 'main',
  });
  await addChannel(store, { ...upstream, models: ['gpt-4o'], name: 'stopped', fields: { status: 3 } });
  admin = await application.actor({ username: 'boss', role: ROLE.admin });
  await store.db
    .insertInto('usage_hours')
    .values({
      hour: now - (now % HOUR),
      user_id: admin.id,
      token_id: 1,
      channel_id: main,
      model_name: 'gpt-4.1',
      count: 90,
      error_count: 10,
    })
    .execute();
  await store.db
    .insertInto('margin_days')
    .values({
      day: now - (now % DAY),
      channel_id: main,
      model_name: 'gpt-4.1',
      group: 'default',
      user_id: admin.id,
      count: 90,
      quota: 2_000_000,
      cost: 0,
      costed_count: 0,
      costed_quota: 0,
    })
    .execute();
});
afterAll(() => application.close());

async function open(path: string, options: VisitOptions = {}) {
  const opened = await visit(application, {
    as: admin,
    viewport: { width: 1440, height: 900 },
    language: 'en',
    ...options,
  });
  await opened.page.goto(path);
  return opened;
}

test('the menu leads to the models, and a row to the page of its model', async () => {
  await using at = await open('/channel');
  const { page, problems } = at;
  await page.getByRole('navigation').getByRole('link', { name: 'Models' }).last().click();
  await page.waitForURL('**/model');
  await page.getByRole('heading', { level: 1, name: 'Models' }).waitFor();
  const row = page.getByRole('row').filter({ hasText: 'gpt-4.1' });
  expect((await row.innerText()).replaceAll(/\s+/g, ' ')).toMatch(/90\.0 ?%/);
  await row.click();
  await page.waitForURL('**/model/gpt-4.1');
  await page.getByRole('heading', { level: 1, name: 'gpt-4.1' }).waitFor();
  // The address of a name with a dot can be opened.
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'gpt-4.1' }).waitFor();
  await page.getByRole('list', { name: 'Calls over time' }).waitFor();
  const text = (await page.locator('main').innerText()).replaceAll(/\s+/g, ' ');
  expect(text).toContain('Calls 100');
  expect(text).toContain('Answered 90.0%');
  // Unknown is never shown as nothing.
  expect(text).toContain('Used $4.00 − cost unknown');
  await page.getByRole('link', { name: 'main' }).first().click();
  await page.waitForURL(/\/channel\/\d+$/);
  expect(problems).toEqual([]);
});

test('a model whose only channel is off, and one without a price, say so', async () => {
  await using at = await open('/model/gpt-4o');
  const { page } = at;
  expect(await page.getByRole('alert').innerText()).toContain('No channel serves this model.');
  await page.goto('/model/maker/no-price.1');
  await page.getByRole('heading', { level: 1, name: 'maker/no-price.1' }).waitFor();
  expect(await page.getByRole('alert').innerText()).toContain('no price');
  expect(await accessibilityViolations(page)).toEqual([]);
});

testLooks.each(['en', 'zh'] as const)(
  'on the phone nothing is wider than the screen (%p)',
  async (language) => {
    await using at = await open('/model/gpt-4.1', { viewport: PHONE, language });
    const { page, problems } = at;
    await page.getByRole('list', { name: /Calls over time|调用随时间的分布/ }).waitFor();
    expect(await fitsWidth(page)).toBe(true);
    await page.goto('/model');
    await page.getByText('gpt-4.1').first().waitFor();
    expect(await fitsWidth(page)).toBe(true);
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(problems).toEqual([]);
  },
);
