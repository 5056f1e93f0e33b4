// The pages of the server in a browser: with a script and without, light and dark, on a desk and on a phone.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { startApplication, type TestApplication } from '#tests/support/application.ts';
import {
  accessibilityViolations,
  DESKTOP,
  fitsWidth,
  PHONE,
  stored,
  until,
  visit,
} from '#tests/support/browser.ts';
import { testLooks } from '#tests/support/looks.ts';
import { addChannel } from '#tests/support/channels.ts';

// Several pages are checked in one test; that is slow on a busy machine.
setDefaultTimeout(180_000);

let app: TestApplication;

beforeAll(async () => {
  app = await startApplication({
    settings: {
      SystemName: 'Paper Lantern',
      GroupRatio: '{"default":1,"vip":0.5}',
      UserUsableGroups: '{"default":"Everybody","vip":"Fast"}',
      ModelRatio: '{"house-chat":1.5}',
      CompletionRatio: '{"house-chat":4}',
      TermsEn: 'Be **kind**.',
    },
  });
  await addChannel(app.store, {
    base_url: 'http://127.0.0.1:9',
    models: ['gpt-4o-mini', 'claude-sonnet-4-5', 'gemini-2.5-pro', 'house-chat'],
    groups: ['default', 'vip'],
  });
  await app.settings.set('ModelRatio', '{"house-chat":1}', 0);
});
afterAll(() => app.close());

const PAGES = [
  '/',
  '/models',
  '/models?compare=house-chat,gpt-4o-mini',
  '/models/house-chat',
  '/plans',
  '/terms',
];

for (const [language, theme, viewport] of [
  ['en', 'light', DESKTOP],
  ['zh', 'dark', PHONE],
] as const)
  testLooks(
    `no violation and no sideways scroll in ${language}, ${theme}, at ${viewport.width}`,
    async () => {
      await using at = await visit(app, { language, theme, viewport });
      for (const path of PAGES) {
        await at.page.goto(path);
        await at.page.getByRole('heading', { level: 1 }).waitFor();
        expect(await fitsWidth(at.page), path).toBe(true);
        expect(await accessibilityViolations(at.page), path).toEqual([]);
      }
      expect(at.problems).toEqual([]);
    },
  );

describe('with a script', () => {
  test('the list narrows while one types, and the address of a comparison can be opened again', async () => {
    await using at = await visit(app, { language: 'en' });
    const { page } = at;
    await page.goto('/models');
    await page.keyboard.press('/');
    await page.keyboard.type('claude');
    await until(page, `document.querySelectorAll('.models tbody tr:not([hidden])').length === 1`);
    await page.getByRole('searchbox', { name: 'Search by name' }).fill('');
    await page.getByRole('link', { name: 'Compare house-chat' }).click();
    await page.getByRole('link', { name: 'Compare gpt-4o-mini' }).click();
    await page.waitForURL(/compare=house-chat,gpt-4o-mini/);
    await page.reload();
    expect(await page.locator('.comparison thead a').allTextContents()).toEqual([
      'house-chat',
      'gpt-4o-mini',
    ]);
    expect(at.problems).toEqual([]);
  });

  test('the calculator computes as the server does', async () => {
    await using at = await visit(app, { language: 'en' });
    const { page } = at;
    await page.goto('/models/house-chat');
    await page.getByLabel('Calls a day').fill('100');
    await page.getByLabel('Input each').fill('1,000');
    await page.getByLabel('From cache').fill('0');
    await page.getByLabel('Output each').fill('500');
    const live = await page.locator('[data-result=month]').textContent();
    await page.goto('/models/house-chat?calls=100&input=1000&cached=0&output=500');
    expect(await page.locator('[data-result=month]').textContent()).toBe(live);
    // (1000 × $2 + 500 × $8) ÷ 1M × 100 × 30
    expect(live?.trim()).toBe('$18.00');
  });

  test('the language that is chosen here is the one of the console', async () => {
    await using at = await visit(app, { language: 'zh' });
    await at.page.goto('/models');
    await at.page.getByRole('link', { name: '切换到英文' }).click();
    await at.page.getByRole('heading', { name: /^Models/ }).waitFor();
    expect(await stored(at.page, 'i18nextLng')).toBe('en');
    await at.page.goto('/login');
    await at.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    // And an address without a language follows it.
    await at.page.goto('/');
    await at.page.getByRole('heading', { name: 'One address for every model.' }).waitFor();
  });

  test('a signed-in user has the way to the console, a visitor the way to an API key', async () => {
    await using visitor = await visit(app, { language: 'en' });
    await visitor.page.goto('/');
    await visitor.page.getByRole('link', { name: 'Get an API key' }).click();
    await visitor.page.waitForURL('**/register');
    await using at = await visit(app, { as: await app.actor(), language: 'en' });
    await at.page.goto('/');
    expect(await at.page.getByRole('link', { name: 'Get an API key' }).count()).toBe(0);
    await at.page.getByRole('link', { name: 'Open the console' }).click();
    await at.page.waitForURL('**/token');
    // The console's way back loads the page of the server.
    await at.page.getByRole('banner').getByRole('link', { name: 'Home', exact: true }).click();
    await at.page.getByRole('link', { name: 'Open the console' }).waitFor();
    expect(at.problems).toEqual([]);
  });
});

test('without scripts every page can be read, searched and computed', async () => {
  await using at = await visit(app);
  const browser = at.context.browser();
  const context = await browser?.newContext({ baseURL: app.url, javaScriptEnabled: false, locale: 'en-US' });
  if (context === undefined) throw new Error('no browser');
  const page = await context.newPage();
  try {
    await page.goto('/');
    await page.getByRole('link', { name: 'gpt-4o-mini' }).first().waitFor();
    // All samples stand below each other, and nothing that needs a script is shown.
    await page.getByText('from openai import OpenAI').waitFor();
    expect(await page.getByRole('button').count()).toBe(0);
    await page.getByRole('banner').getByRole('link', { name: 'Models' }).click();
    await page.getByRole('searchbox', { name: 'Search by name' }).fill('house');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByRole('rowheader').getByRole('link', { name: 'house-chat' }).click();
    await page.getByLabel('Calls a day').fill('10');
    await page.getByRole('button', { name: 'Compute' }).click();
    await page.waitForURL(/calls=10&/);
    await page.getByText('a month of 30 days').waitFor();
    await page.goto('/docs?lang=en');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.getByRole('main').getByText('/v1').first().waitFor();
    await page.goto('/status?lang=en');
    await page.getByRole('heading', { level: 1, name: /models work/ }).waitFor();
  } finally {
    await context.close();
  }
});
