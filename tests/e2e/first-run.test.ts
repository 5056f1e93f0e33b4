// The first minutes of an operator, and of a visitor of the demo, in a real browser.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { ROOT_PASSWORD, startApplication, type TestApplication } from '#tests/support/application.ts';
import { accessibilityViolations, eventually, fitsWidth, PHONE, visit } from '#tests/support/browser.ts';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';

let application: TestApplication;
let upstream: MockUpstream;
beforeAll(async () => {
  upstream = startMockUpstream();
  application = await startApplication({
    demoAccounts: [{ username: 'root', password: ROOT_PASSWORD, role: ROLE.root }],
  });
});
afterAll(async () => {
  await application.close();
  await upstream.stop();
});

const SEEN = { 'demo-tour-seen': '1' };

describe('first run', () => {
  test('N6 N7 the super admin lands on the first steps; a provider and a key make a tested channel', async () => {
    const root = await application.actor({ role: ROLE.root });
    await using opened = await visit(application, { as: root, language: 'en', storage: SEEN });
    const { page, problems } = opened;
    await page.goto('/token');
    const panel = page.getByRole('region', { name: 'First steps' });
    await panel.getByText('0 of 7 done').waitFor();
    expect(await panel.getByRole('listitem').count()).toBe(7);
    expect(await accessibilityViolations(page)).toEqual([]);
    await panel.getByRole('link', { name: 'Connect' }).click();

    const drawer = page.getByRole('form', { name: 'Connect a provider' });
    await drawer.getByLabel(/Paste the key/).fill('sk-first');
    await drawer.getByLabel('Address').fill(upstream.url);
    await drawer.getByRole('button', { name: 'List and test its models' }).click();
    await drawer.getByText(/gpt-\S+ answered in/).waitFor();
    await drawer.getByText('gpt-5.4-mini', { exact: true }).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await drawer.getByRole('button', { name: 'Save the channel' }).click();
    await drawer.waitFor({ state: 'detached' });
    await page.getByRole('row').filter({ hasText: 'OpenAI' }).waitFor();

    await page.goto('/detail');
    await panel.getByText('A channel has passed its test').waitFor();
    await panel.getByText('Every model on offer has a price').waitFor();
    await page.setViewportSize(PHONE);
    await eventually(() => fitsWidth(page), 'the first steps fit a phone');
    // Only the next step, until all are asked for.
    await eventually(async () => (await panel.getByRole('listitem').count()) === 1, 'one step is shown');
    await panel.getByRole('button', { name: 'All' }).click();
    expect(await panel.getByRole('listitem').count()).toBe(7);
    await panel.getByRole('button', { name: 'Hide' }).click();
    await panel.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('heading', { name: 'Dashboard' }).first().waitFor();
    expect(await panel.count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test('a wrong key is shown where it was pasted, and nothing is saved', async () => {
    const root = await application.actor({ role: ROLE.root });
    const before = (await application.client(root).channels.list({ query: {} })).total;
    await using opened = await visit(application, { as: root, language: 'zh', storage: SEEN });
    const { page } = opened;
    await page.goto('/channel?quick=true');
    const drawer = page.getByRole('form', { name: '接入上游' });
    await drawer.getByLabel(/粘贴密钥/).fill('sk-wrong.mock-401');
    await drawer.getByLabel('地址').fill(upstream.url);
    await drawer.getByLabel('地址').press('Enter');
    await drawer.getByRole('alert').waitFor();
    expect(await drawer.getByRole('button', { name: '保存渠道' }).count()).toBe(0);
    expect((await application.client(root).channels.list({ query: {} })).total).toBe(before);
  });

  test('O18: the short form is in the menu of the page, and Escape does not drop a pasted key without a question', async () => {
    const root = await application.actor({ role: ROLE.root });
    await using opened = await visit(application, { as: root, language: 'en', storage: SEEN });
    const { page } = opened;
    await page.goto('/channel');
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Connect a provider' }).click();
    const drawer = page.getByRole('form', { name: 'Connect a provider' });
    const key = drawer.getByLabel(/Paste the key/);
    await key.fill('sk-typed');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Keep editing' }).click();
    expect(await key.inputValue()).toBe('sk-typed');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await drawer.waitFor({ state: 'detached' });
    await page.goto('/channel?quick=true');
    await key.waitFor();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
  });
});

describe('the demo', () => {
  test('a visitor signs in with one click, takes the tour by keyboard, and is not asked again', async () => {
    await using opened = await visit(application, { language: 'en' });
    const { page, problems } = opened;
    await page.goto('/login');
    await page.getByRole('button', { name: 'Sign in as root' }).click();
    await page.waitForURL('**/token');
    const tour = page.getByRole('dialog', { name: 'Tour of the demo' });
    await tour.getByRole('button', { name: 'Start' }).press('Enter');
    await page.waitForURL('**/detail**');
    await tour.getByText('Step 1 of 6').waitFor();
    await eventually(
      () => tour.getByRole('heading', { name: 'Dashboard' }).evaluate((node) => node.matches(':focus')),
      'the step takes the focus',
    );
    expect(await accessibilityViolations(page, { floating: true })).toEqual([]);
    // D40 the card stands below the page, which is shorter for it.
    const [content, card] = [await page.locator('main').boundingBox(), await tour.boundingBox()];
    expect((content?.y ?? Infinity) + (content?.height ?? 0)).toBeLessThanOrEqual((card?.y ?? 0) + 1);
    await tour.getByRole('button', { name: 'Next' }).press('Enter');
    await page.waitForURL('**/channel**');
    await tour.getByText('Step 2 of 6').waitFor();
    await tour.getByRole('button', { name: 'Back' }).press('Enter');
    await tour.getByText('Step 1 of 6').waitFor();
    await page.keyboard.press('Escape');
    await tour.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('heading', { name: 'Dashboard' }).first().waitFor();
    expect(await tour.count()).toBe(0);
    expect(problems).toEqual([]);
  });
});
