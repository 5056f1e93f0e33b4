// The console on a slow network: answers are held back as long as a test wants, so nothing depends on the speed of the
// machine. Waits are shown, a button sends once, a late answer changes nothing newer, a failed load can be tried again.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page, Route } from 'playwright-core';
import { openShop, type Shop } from '#tests/integration/money/payments/support.ts';
import { USER_PASSWORD, type Actor } from '#tests/support/application.ts';
import { eventually, until, visit } from '#tests/support/browser.ts';
import { addChannel } from '#tests/support/channels.ts';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';
import { control, rootOf, settingsPage } from './settings-support.ts';
import { nthId } from '#tests/support/templates.ts';

setDefaultTimeout(120_000);

const WIDE = { width: 1440, height: 900 };

let shop: Shop;
let upstream: MockUpstream;
let root: Actor;
let user: Actor;
beforeAll(async () => {
  shop = await openShop('sqlite', { TopUpPresets: '[{"amount":5},{"amount":10}]' });
  upstream = startMockUpstream();
  for (const name of ['first channel', 'second channel'])
    await addChannel(shop.app.store, { name, base_url: upstream.url, models: ['gpt-4o'] });
  root = await rootOf(shop.app);
  user = await shop.app.actor({ username: 'paperboat', quota: 5_000_000 });
  for (const name of ['alpha', 'beta'])
    await shop.app.client(user).tokens.create({ body: { name, unlimited_quota: true } });
});
afterAll(async () => {
  await upstream.stop();
  await shop.close();
});

interface Held {
  count: number;
  /** Answers what waits, and everything that comes later. */
  release: () => void;
}

/** Holds the matching calls back and counts them. */
async function hold(page: Page, address: RegExp, method = 'GET'): Promise<Held> {
  const waiting: (() => void)[] = [];
  let isOpen = false;
  const held: Held = {
    count: 0,
    release: () => {
      isOpen = true;
      for (const answer of waiting.splice(0)) answer();
    },
  };
  await page.route(address, async (route: Route) => {
    if (route.request().method() !== method) return route.fallback();
    held.count += 1;
    if (!isOpen) await new Promise<void>((resolve) => waiting.push(resolve));
    // The page may have given the call up.
    await route.continue().catch(() => undefined);
  });
  return held;
}

const TOKENS = /\/api\/token\/(\?|$)/;

describe('a wait is shown', () => {
  test('a list has its columns at once, says that it loads, and claims no number before it knows one', async () => {
    await using at = await visit(shop.app, { as: user, language: 'en' });
    const held = await hold(at.page, TOKENS);
    await at.page.goto('/token');
    const main = at.page.getByRole('main');
    await main.locator('table[aria-busy=true]').waitFor();
    await main.getByRole('status').getByText('Loading').waitFor();
    expect(await main.getByRole('columnheader', { name: 'Name' }).count()).toBe(1);
    expect(await main.getByText(/of 0/).count()).toBe(0);
    const nameAt = await main.getByRole('columnheader', { name: 'Name' }).boundingBox();
    held.release();
    await main.getByRole('row').filter({ hasText: 'alpha' }).waitFor();
    await main.getByText('1–2 of 2').waitFor();
    expect(await main.getByRole('status').getByText('Loading').count()).toBe(0);
    expect(await main.getByRole('columnheader', { name: 'Name' }).boundingBox()).toEqual(nameAt);
    expect(at.problems).toEqual([]);
  });

  for (const [path, address, as] of [
    ['/about', /\/api\/about/, 'visitor'],
    ['/setting?tab=operation', /\/api\/option/, 'root'],
    ['/detail', /\/api\/data/, 'user'],
    ['/topup', /\/api\/user\/topup\/info/, 'user'],
    ['/plan', /\/api\/plan/, 'user'],
    ['/channel/edit/1', /\/api\/channel\/1$/, 'root'],
  ] as const)
    test(`${path} says that it loads`, async () => {
      const actor = { visitor: undefined, root, user }[as];
      await using at = await visit(shop.app, {
        language: 'en',
        viewport: WIDE,
        ...(actor ? { as: actor } : {}),
      });
      const held = await hold(at.page, address);
      await at.page.goto(path);
      await eventually(() => Promise.resolve(held.count > 0), 'its data is asked for');
      await at.page.getByRole('main').getByRole('status').getByText('Loading').first().waitFor();
      held.release();
      await until(
        at.page,
        `![...document.querySelectorAll('main [role=status]')].some((each) => each.textContent === 'Loading')`,
      );
      expect(at.problems).toEqual([]);
    });

  test('a form says nothing about groups and models that have not arrived', async () => {
    await using at = await visit(shop.app, { as: user, language: 'en', viewport: WIDE });
    const groups = await hold(at.page, /\/api\/user\/self\/groups/);
    const models = await hold(at.page, /\/api\/user\/models/);
    await at.page.goto('/token?new=1');
    await at.page.getByRole('textbox', { name: 'Name *' }).waitFor();
    await eventually(() => Promise.resolve(groups.count > 0 && models.count > 0), 'both lists are asked for');
    expect(await at.page.getByText('has not set up any groups').count()).toBe(0);
    expect(await at.page.getByText('0 models available').count()).toBe(0);
    groups.release();
    models.release();
    await at.page.getByText(/\d+ models? available/).waitFor();
  });

  test('the page stays, marked as busy, until the code of the next one is there', async () => {
    await using at = await visit(shop.app, { as: user, language: 'en', fresh: true });
    await at.page.goto('/token');
    await at.page.getByRole('row').filter({ hasText: 'alpha' }).waitFor();
    const held = await hold(at.page, /\/assets\/[^/]*page-[^/]*\.js/);
    await at.page.getByRole('link', { name: 'Logs', exact: true }).click();
    await at.page.locator('main[aria-busy=true]').waitFor();
    expect(await at.page.getByRole('heading', { level: 1, name: 'API keys' }).count()).toBe(1);
    held.release();
    await at.page.getByRole('heading', { level: 1, name: 'Logs' }).waitFor();
    await at.page.locator('main[aria-busy=false]').waitFor();
    expect(at.problems).toEqual([]);
  });

  test('with 400 ms and 100 KB a second the sign-in page comes, and before it a mark', async () => {
    await using at = await visit(shop.app, { language: 'en', fresh: true });
    const network = await at.context.newCDPSession(at.page);
    await network.send('Network.enable');
    await network.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 400,
      downloadThroughput: 100_000,
      uploadThroughput: 100_000,
    });
    await at.page.goto('/login', { waitUntil: 'commit' });
    await at.page.locator('svg.boot').waitFor();
    await at.page.getByLabel('Username or email').waitFor({ timeout: 60_000 });
    expect(await at.page.locator('svg.boot').count()).toBe(0);
    expect(at.problems).toEqual([]);
  });
});

describe('a load that fails says so and can be tried again', () => {
  for (const [path, address, as] of [
    ['/token', TOKENS, 'user'],
    [`/token?connect=${nthId('tokens', 1)}`, /\/api\/token\/\d+$/, 'user'],
    ['/topup', /\/api\/plan\/self$/, 'user'],
    ['/playground', /\/api\/pricing/, 'user'],
    ['/agent', /\/api\/user\/self$/, 'user'],
    ['/detail', /\/api\/data/, 'user'],
    ['/log', /\/api\/log\/(\?|$)/, 'root'],
    ['/channel', /\/api\/channel\/(\?|$)/, 'root'],
    ['/channel/add', /\/api\/channel\/types/, 'root'],
    ['/channel/edit/1', /\/api\/channel\/types/, 'root'],
    ['/user', /\/api\/user\/(\?|$)/, 'root'],
    ['/setting?tab=operation', /\/api\/option/, 'root'],
    ['/prices', /\/api\/prices\/models/, 'root'],
  ] as const)
    test(path, async () => {
      await using at = await visit(shop.app, { as: { root, user }[as], language: 'en', viewport: WIDE });
      let isBroken = true;
      let failed = 0;
      await at.page.route(address, (route) => {
        if (!isBroken) return route.continue();
        failed += 1;
        return route.fulfill({ status: 500, json: {} });
      });
      await at.page.goto(path);
      const alert = at.page
        .getByRole('alert')
        .filter({ has: at.page.getByRole('button', { name: 'Retry' }) });
      await alert.getByText('Internal server error, contact administrator').first().waitFor();
      expect(failed).toBeGreaterThan(0);
      isBroken = false;
      await alert.getByRole('button', { name: 'Retry' }).first().click();
      await alert.first().waitFor({ state: 'detached' });
    });
});

test('a refresh that fails keeps the rows and says so; the next one replaces them', async () => {
  await using at = await visit(shop.app, { as: user, language: 'en', viewport: WIDE });
  const { page } = at;
  await page.goto('/token');
  const main = page.getByRole('main');
  const row = main.getByRole('row').filter({ hasText: 'alpha' });
  await row.waitFor();
  let isBroken = true;
  await page.route(TOKENS, (route) =>
    isBroken ? route.fulfill({ status: 500, body: '' }) : route.fallback(),
  );
  await main.getByRole('button', { name: 'Refresh' }).click();
  await page.getByRole('alert').first().waitFor();
  expect(await row.count()).toBe(1);
  await shop.app.client(user).tokens.create({ body: { name: 'gamma', unlimited_quota: true } });
  isBroken = false;
  await main.getByRole('button', { name: 'Refresh' }).click();
  await main.getByRole('row').filter({ hasText: 'gamma' }).waitFor();
});

describe('a button that was pressed twice sends once', () => {
  test('sign in; a failed try says so and the next one succeeds', async () => {
    await using at = await visit(shop.app, { language: 'en' });
    let isBroken = true;
    await at.page.route('**/api/user/login', (route) =>
      isBroken ? route.fulfill({ status: 500, json: {} }) : route.fallback(),
    );
    await at.page.goto('/login');
    await at.page.getByLabel('Username or email').fill(user.username);
    await at.page.getByLabel('Password', { exact: true }).fill(USER_PASSWORD);
    const button = at.page.getByRole('button', { name: 'Sign in', exact: true });
    await button.click();
    await at.page.getByRole('alert').getByText('Internal server error').waitFor();
    isBroken = false;
    const held = await hold(at.page, /\/api\/user\/login/, 'POST');
    await button.dblclick();
    await at.page.getByLabel('Password', { exact: true }).press('Enter');
    await eventually(() => Promise.resolve(held.count > 0), 'the login is sent');
    expect(await button.isDisabled()).toBe(true);
    held.release();
    await at.page.waitForURL('**/token');
    expect(held.count).toBe(1);
  });

  test('save a channel', async () => {
    await using at = await visit(shop.app, { as: root, language: 'en', viewport: WIDE });
    await at.page.goto('/channel/edit/1');
    const name = at.page.getByRole('textbox', { name: 'Name *' });
    await name.fill('first channel, renamed');
    const held = await hold(at.page, /\/api\/channel\/$/, 'PUT');
    const save = at.page.getByRole('button', { name: 'Save', exact: true });
    await save.dblclick();
    await name.press('Enter');
    await eventually(() => Promise.resolve(held.count > 0), 'the channel is sent');
    expect(await save.isDisabled()).toBe(true);
    held.release();
    await at.page.getByRole('heading', { name: 'first channel, renamed' }).waitFor();
    await name.waitFor({ state: 'detached' });
    expect(held.count).toBe(1);
  });

  test('save settings; a text typed meanwhile is kept and not saved', async () => {
    await using at = await settingsPage(shop.app, root, '?tab=operation', { language: 'en' });
    const { page, saves } = at;
    const held = await hold(page, /\/api\/option/, 'PUT');
    await control(page, 'TopUpLink').fill('https://shop.example/codes');
    const save = page.getByRole('button', { name: 'Save changes', exact: true });
    await save.dblclick();
    await eventually(() => Promise.resolve(held.count > 0), 'the option is sent');
    expect(await save.isDisabled()).toBe(true);
    await control(page, 'ChatLink').fill('https://chat.example');
    held.release();
    await page.getByText('Saved', { exact: true }).first().waitFor();
    await until(page, `document.querySelector('#control-TopUpLink')?.value === 'https://shop.example/codes'`);
    expect(await control(page, 'ChatLink').inputValue()).toBe('https://chat.example');
    expect(saves).toEqual([{ key: 'TopUpLink', value: 'https://shop.example/codes' }]);
    expect(shop.app.settings.current.ChatLink).toBe('');
  });

  test('a save that asks first looks at the account once', async () => {
    await using at = await settingsPage(shop.app, root, '?tab=system', { language: 'en' });
    const { page } = at;
    await page
      .locator('#option-PasswordLoginEnabled label[for="control-PasswordLoginEnabled"]')
      .first()
      .click();
    const held = await hold(page, /\/api\/user\/security$/);
    await page.getByRole('button', { name: 'Save changes', exact: true }).dblclick();
    await eventually(() => Promise.resolve(held.count > 0), 'the account is looked at');
    held.release();
    const question = page.getByRole('dialog');
    await question.waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    expect(held.count).toBe(1);
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  test('pay an order', async () => {
    await using at = await visit(shop.app, { as: user, language: 'en' });
    const { page } = at;
    await page.goto('/topup');
    const form = page.getByRole('region', { name: 'Online top-up' });
    await form.getByRole('button', { name: 'Top up', exact: true }).click();
    const held = await hold(page, /\/api\/user\/pay$/, 'POST');
    await page.getByRole('dialog').getByRole('button', { name: 'Go to payment' }).dblclick();
    await eventually(() => Promise.resolve(held.count > 0), 'the order is sent');
    expect(await form.getByRole('button', { name: 'Top up', exact: true }).isDisabled()).toBe(true);
    held.release();
    await form.getByText('Waiting for the payment…').waitFor();
    expect(held.count).toBe(1);
  });

  test('send a message in the playground; while it is on its way it can be stopped', async () => {
    await using at = await visit(shop.app, { as: user, language: 'en', viewport: WIDE });
    const { page } = at;
    upstream.behave({ text: 'the whole answer' });
    await page.goto('/playground?model=gpt-4o');
    const message = page.getByRole('textbox', { name: 'Type a message…' });
    await message.fill('Hello');
    const held = await hold(page, /\/pg\/chat\/completions/, 'POST');
    await page.getByRole('button', { name: 'Send' }).and(page.locator(':enabled')).waitFor();
    await message.press('Enter');
    await message.press('Enter');
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    held.release();
    await page.getByText('the whole answer').waitFor();
    expect(held.count).toBe(1);
  });
});

describe('a late answer changes nothing newer', () => {
  test('the rows of an older search do not replace those of the newer one', async () => {
    await using at = await visit(shop.app, { as: user, language: 'en' });
    const { page } = at;
    const held = await hold(page, /\/api\/token\/.*alpha/);
    await page.goto('/token');
    await page.getByRole('row').filter({ hasText: 'beta' }).waitFor();
    const search = page.getByRole('searchbox').or(page.getByPlaceholder('Name or key')).first();
    await search.fill('alpha');
    await eventually(() => Promise.resolve(held.count > 0), 'the older search is asked');
    await search.fill('beta');
    await page.getByText('1–1 of 1').waitFor();
    const answered = page.waitForResponse(/alpha/).catch(() => undefined);
    held.release();
    await Promise.race([answered, Bun.sleep(500)]);
    expect(await page.getByRole('row').filter({ hasText: 'beta' }).count()).toBe(1);
    expect(await page.getByRole('row').filter({ hasText: 'alpha' }).count()).toBe(0);
  });

  test('a save that ends late does not close the drawer that is open by then', async () => {
    await using at = await visit(shop.app, { as: user, language: 'en', viewport: WIDE });
    const { page } = at;
    await page.goto(`/token?edit=${nthId('tokens', 1)}`);
    const name = page.getByRole('textbox', { name: 'Name *' });
    await name.fill('alpha, renamed');
    const held = await hold(page, /\/api\/token\/$/, 'PUT');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await eventually(() => Promise.resolve(held.count > 0), 'the token is sent');
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard changes' }).click();
    await name.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Actions of beta' }).click();
    await page.getByRole('menuitem', { name: 'Edit', exact: true }).click();
    await until(page, `document.querySelector('aside input')?.value === 'beta'`);
    const address = page.url();
    held.release();
    await page.getByText('API key updated').waitFor();
    await page.getByRole('row').filter({ hasText: 'alpha, renamed' }).waitFor();
    expect(await name.inputValue()).toBe('beta');
    expect(page.url()).toBe(address);
  });
});
