// What a screen reader says: whole tasks by the accessibility tree. Names and descriptions come from the browser's tree,
// announcements from the regions that it reads out.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { CDPSession, Page } from 'playwright-core';
import { openShop, type Shop } from '#tests/integration/money/payments/support.ts';
import { USER_PASSWORD, type Actor } from '#tests/support/application.ts';
import { eventually, until, visit } from '#tests/support/browser.ts';
import { addChannel } from '#tests/support/channels.ts';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';
import { FAILED, PLAIN, RETRIED, writeLogs } from './logs-support.ts';
import { confirmed, rootOf } from './settings-support.ts';

setDefaultTimeout(120_000);

const WIDE = { width: 1440, height: 900 };
const TABLET = { width: 1024, height: 768 };

let shop: Shop;
let upstream: MockUpstream;
let root: Actor;
let user: Actor;
beforeAll(async () => {
  shop = await openShop('sqlite', { TopUpPresets: '[{"amount":5},{"amount":10}]' });
  upstream = startMockUpstream();
  await addChannel(shop.app.store, { name: 'first channel', base_url: upstream.url, models: ['gpt-4o'] });
  root = await rootOf(shop.app);
  user = await shop.app.actor({ username: 'paperboat', quota: 5_000_000 });
  await shop.app.client(user).tokens.create({ body: { name: 'alpha', unlimited_quota: true } });
  await writeLogs(shop.app, user, [PLAIN, RETRIED, FAILED]);
});
afterAll(async () => {
  await upstream.stop();
  await shop.close();
});

/** Collects every text that appears in an announced region of the page. */
const LISTEN = `(() => {
  if (window.heard) return;
  window.heard = [];
  const live = '[role=status], [role=alert], [aria-live=polite], [aria-live=assertive]';
  const say = (element) => element && element.textContent.trim() && window.heard.push(element.textContent.trim());
  new MutationObserver((changes) => {
    for (const { target, addedNodes } of changes) {
      const around = (target.nodeType === 1 ? target : target.parentElement)?.closest(live);
      if (around) say(around);
      for (const node of addedNodes) {
        if (node.nodeType !== 1 || around) continue;
        if (node.matches(live)) say(node);
        for (const inner of node.querySelectorAll(live)) say(inner);
      }
    }
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
})()`;

async function open(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await page.evaluate(LISTEN);
}

async function hears(page: Page, words: RegExp): Promise<void> {
  await eventually(
    async () => (await page.evaluate<string[]>('window.heard')).some((text) => words.test(text)),
    `the reader says ${String(words)}`,
  );
}

interface Spoken {
  role: string;
  name: string;
  description: string;
  invalid: boolean;
}

interface TreeNode {
  nodeId: string;
  parentId?: string;
  ignored: boolean;
  role?: { value: string };
  name?: { value: string };
  description?: { value: string };
  properties?: { name: string; value: { value: unknown } }[];
}

/** What is said of the element with the focus. */
async function focused(tree: CDPSession): Promise<Spoken> {
  const { result } = await tree.send('Runtime.evaluate', { expression: 'document.activeElement' });
  const { nodes } = await tree.send('Accessibility.getPartialAXTree', {
    objectId: result.objectId ?? '',
    fetchRelatives: false,
  });
  const node = nodes[0] as TreeNode | undefined;
  return {
    role: node?.role?.value ?? '',
    name: node?.name?.value ?? '',
    description: node?.description?.value ?? '',
    invalid:
      node?.properties?.some(({ name, value }) => name === 'invalid' && value.value !== 'false') ?? false,
  };
}

async function focusIs(tree: CDPSession, wanted: Partial<Spoken>): Promise<void> {
  let last: Spoken | undefined;
  await eventually(
    async () => {
      last = await focused(tree);
      return Object.entries(wanted).every(([key, value]) => last?.[key as keyof Spoken] === value);
    },
    `the focus is on ${JSON.stringify(wanted)}`,
  ).catch((error: unknown) => {
    throw new Error(`${String(error)}; it is on ${JSON.stringify(last)}`);
  });
}

test('sign in: an empty field is explained where the focus is, a refusal and the next page are announced', async () => {
  await using at = await visit(shop.app, { language: 'en' });
  const { page } = at;
  const tree = await at.context.newCDPSession(page);
  await open(page, '/login');
  await until(page, `document.title === 'Sign in · Tollgate' && document.documentElement.lang === 'en'`);
  const button = page.getByRole('button', { name: 'Sign in', exact: true });
  await button.click();
  await focusIs(tree, { role: 'textbox', name: 'Username or email', invalid: true });
  expect((await focused(tree)).description).toMatch(/empty/);
  await page.getByLabel('Username or email').fill(user.username);
  await page.getByLabel('Password', { exact: true }).fill('not the password');
  await button.click();
  await hears(page, /wrong|incorrect/i);
  await page.getByLabel('Password', { exact: true }).fill(USER_PASSWORD);
  await button.click();
  await page.waitForURL('**/token');
  await hears(page, /Signed in/);
  await hears(page, /^API keys$/);
  await until(page, `document.title === 'API keys · Tollgate'`);
});

test('the skip link leads to the page, a link announces the page it opens, the language of the document follows', async () => {
  await using at = await visit(shop.app, { as: user, language: 'en' });
  const { page } = at;
  const tree = await at.context.newCDPSession(page);
  await open(page, '/token');
  await page.getByRole('row').filter({ hasText: 'alpha' }).waitFor();
  await page.keyboard.press('Tab');
  await focusIs(tree, { role: 'link', name: 'Skip to content' });
  await page.keyboard.press('Enter');
  await focusIs(tree, { role: 'main' });
  await page.getByRole('link', { name: 'Logs', exact: true }).click();
  await hears(page, /^Logs$/);
  await until(page, `document.title === 'Logs · Tollgate'`);
  await page.getByRole('button', { name: 'Switch to Chinese' }).click();
  await until(page, `document.documentElement.lang.startsWith('zh') && document.title.startsWith('日志')`);
});

test('create a token and copy its key: the drawer has a name, its result and the copy are announced', async () => {
  await using at = await visit(shop.app, {
    as: user,
    language: 'en',
    viewport: WIDE,
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const { page } = at;
  const tree = await at.context.newCDPSession(page);
  await open(page, '/token');
  await page.getByRole('row').filter({ hasText: 'alpha' }).waitFor();
  await page.getByRole('button', { name: 'New API key' }).click();
  await page.getByRole('complementary', { name: 'New API key' }).waitFor();
  await focusIs(tree, { role: 'textbox', name: 'Name *' });
  await page.keyboard.press('Escape');
  await focusIs(tree, { role: 'button', name: 'New API key' });
  await page.getByRole('button', { name: 'New API key' }).click();
  await page.getByRole('textbox', { name: 'Name *' }).fill('by ear');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await hears(page, /API key created/);
  const connect = page.getByRole('complementary', { name: 'Connect by ear' });
  await connect.getByRole('button', { name: 'Copy key' }).click();
  await hears(page, /^Copied/);
  await connect.getByRole('button', { name: 'Close' }).click();
  const name = page.getByRole('columnheader', { name: 'Name', exact: true });
  await name.getByRole('button', { name: 'Sort by Name' }).click();
  await until(
    page,
    `document.querySelector('th[aria-sort=ascending]')?.getAttribute('aria-label') === 'Name'`,
  );
});

test('add a channel: the drawer over the page is a dialog with a name, and a wrong field says why', async () => {
  await using at = await visit(shop.app, { as: root, language: 'en', viewport: TABLET });
  const { page } = at;
  const tree = await at.context.newCDPSession(page);
  await open(page, '/channel/add');
  const dialog = page.getByRole('dialog', { name: 'Add channel' });
  await focusIs(tree, { role: 'textbox', name: 'Name *' });
  await dialog.getByRole('button', { name: 'Create', exact: true }).click();
  await focusIs(tree, { role: 'textbox', name: 'Name *', invalid: true });
  expect((await focused(tree)).description).not.toBe('');
  await dialog.getByRole('textbox', { name: 'Name *' }).fill('by ear');
  await dialog.getByRole('textbox', { name: /^Base URL/ }).fill(upstream.url);
  await dialog.getByLabel(/^Key \*/).fill('sk-of-the-upstream-0123456789');
  await dialog.getByRole('textbox', { name: /^Other models/ }).fill('gpt-4o');
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await dialog.getByRole('button', { name: 'Create', exact: true }).click();
  await hears(page, /created|added/i);
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('row').filter({ hasText: 'by ear' }).waitFor();
});

test('find the log row of a failed call and read why it failed', async () => {
  await using at = await visit(shop.app, { as: root, language: 'en', viewport: WIDE });
  const { page } = at;
  await open(page, '/log?type=5');
  const table = page.getByRole('table', { name: 'Log rows' });
  await table.getByRole('row').filter({ hasText: 'deepseek-v4-pro' }).waitFor();
  for (const head of ['Time', 'Model', 'Cost'])
    expect(await table.getByRole('columnheader', { name: head, exact: true }).count()).toBe(1);
  const button = table.getByRole('button', { name: 'Open deepseek-v4-pro' });
  expect(await button.getAttribute('aria-expanded')).toBe('false');
  await button.click();
  const opened = table.getByRole('button', { name: 'Close deepseek-v4-pro' });
  await opened.waitFor();
  expect(await opened.getAttribute('aria-expanded')).toBe('true');
  const snapshot = await table.ariaSnapshot();
  expect(snapshot).toContain('429');
  expect(snapshot).toMatch(/list "Retry path"/);
});

test('change a setting: the control has its label and what it means, the save is announced', async () => {
  await confirmed(shop.app, root, Math.floor(Date.now() / 1000));
  await using at = await visit(shop.app, { as: root, language: 'en', viewport: WIDE });
  const { page } = at;
  const tree = await at.context.newCDPSession(page);
  await open(page, '/setting?tab=operation');
  await page.getByRole('tab', { name: 'Operations', selected: true }).waitFor();
  await page.locator('#control-TopUpLink').focus();
  const { role, name, description } = await focused(tree);
  expect({ role, name }).toEqual({ role: 'textbox', name: 'Top-up link' });
  expect(description).toContain('redemption codes');
  await page.locator('#control-TopUpLink').fill('https://shop.example');
  await page.getByRole('button', { name: 'Save changes', exact: true }).click();
  await hears(page, /^Saved/);
});

test('top up: the price is announced, the question has a name, the wait and the payment are announced', async () => {
  await using at = await visit(shop.app, { as: user, language: 'en' });
  const { page } = at;
  const tree = await at.context.newCDPSession(page);
  await open(page, '/topup');
  const form = page.getByRole('region', { name: 'Online top-up' });
  await form.getByRole('button', { name: '$10' }).click();
  await hears(page, /Pay ¥73/);
  await form.getByRole('button', { name: 'Top up', exact: true }).click();
  const question = page.getByRole('dialog');
  await focusIs(tree, { role: 'button', name: 'Go to payment' });
  expect(await question.getAttribute('aria-labelledby')).not.toBeNull();
  await page.keyboard.press('Escape');
  await focusIs(tree, { role: 'button', name: 'Top up' });
  await form.getByRole('button', { name: 'Top up', exact: true }).click();
  const provider = page.context().waitForEvent('page');
  await question.getByRole('button', { name: 'Go to payment' }).click();
  const payment = await provider;
  await hears(page, /Waiting for the payment/);
  await payment.getByRole('button', { name: /Pay/ }).click();
  await hears(page, /Paid: \$10\.00 added to your balance/);
  await payment.close();
});

function isInButton(byId: ReadonlyMap<string, TreeNode>, node: TreeNode): boolean {
  const parent = byId.get(node.parentId ?? '');
  if (parent === undefined) return false;
  return parent.role?.value === 'button' || (parent.role?.value === 'none' && isInButton(byId, parent));
}

/** Roles that say nothing without a name. */
const NAMED = new Set(
  'button link textbox searchbox checkbox switch combobox menuitem radio tab slider spinbutton image dialog meter progressbar columnheader navigation region'.split(
    ' ',
  ),
);

for (const [who, paths] of [
  ['visitor', ['/', '/login', '/register', '/pricing', '/docs', '/nowhere']],
  [
    'user',
    ['/token', '/token?new=1', '/log', '/detail', '/topup', '/plan', '/setting', '/playground', '/task'],
  ],
  [
    'root',
    [
      '/channel',
      '/channel/edit/1',
      '/user',
      '/user/edit',
      '/setting?tab=operation',
      '/prices',
      '/margins',
      '/suppliers',
      '/jobs',
      '/nodes',
      '/audit',
      '/detail',
    ],
  ],
] as const)
  test(`every control, picture and chart of the pages of a ${who} has a name, and every page a title`, async () => {
    const actor = { visitor: undefined, user, root }[who];
    await using at = await visit(shop.app, {
      language: 'en',
      viewport: WIDE,
      ...(actor ? { as: actor } : {}),
    });
    const { page } = at;
    const tree = await at.context.newCDPSession(page);
    const nameless: string[] = [];
    for (const path of paths) {
      await page.goto(path);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await page.waitForLoadState('networkidle');
      const { nodes } = await tree.send('Accessibility.getFullAXTree');
      const byId = new Map((nodes as TreeNode[]).map((node) => [node.nodeId, node]));
      for (const node of byId.values()) {
        if (node.ignored || !NAMED.has(node.role?.value ?? '') || node.name?.value.trim()) continue;
        // The picture in a button is not read, only the name of the button.
        if (node.role?.value === 'image' && isInButton(byId, node)) continue;
        const around = [];
        for (let parent = byId.get(node.parentId ?? ''); parent; parent = byId.get(parent.parentId ?? ''))
          if (parent.name?.value) around.push(`${parent.role?.value} "${parent.name.value.slice(0, 40)}"`);
        nameless.push(`${path}: ${node.role?.value} in ${around.slice(0, 2).join(' in ')}`);
      }
      if (path !== '/') expect(await page.title(), path).toMatch(/.+ · Tollgate$/);
    }
    expect(nameless).toEqual([]);
  });
