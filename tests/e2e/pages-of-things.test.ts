// The pages of users, orders, keys, plans and tasks in a browser: each opens from its list and by its address, another user's is
// not found, an order is refunded in two clicks, and the palette finds and acts, never without its dialog.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { ROLE } from '#contract/access.ts';
import { CHANNEL_STATUS } from '#contract/relay/channel-fields.ts';
import { addOrder, bookAll } from '#tests/integration/admin/pages/support.ts';
import { addChannel } from '#tests/support/channels.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { accessibilityViolations, fitsWidth, PHONE, visit } from '#tests/support/browser.ts';
import { testLooks } from '#tests/support/looks.ts';

setDefaultTimeout(120_000);

let app: TestApplication;
let admin: Actor;
let buyer: Actor;
let orderId: number;
let tokenId: number;
let planId: number;
let taskId: number;
beforeAll(async () => {
  app = await startApplication();
  admin = await app.actor({ username: 'keeper', role: ROLE.admin });
  buyer = await app.actor({ username: 'northstar' });
  await bookAll(app, buyer.id, [
    { kind: 'topup', from: 'world:topup:epay', to: `user:${buyer.id}`, amount: 10_000_000 },
    {
      kind: 'plan_purchase',
      from: `user:${buyer.id}`,
      to: 'world:plan',
      amount: 2_500_000,
      reference: 'Starter',
    },
  ]);
  orderId = await addOrder(app, buyer.id);
  await app.store.db
    .insertInto('order_events')
    .values([
      { order_id: orderId, created_at: 1_790_000_001, kind: 'created', detail: '' },
      { order_id: orderId, created_at: 1_790_000_101, kind: 'credited', detail: '5000000' },
    ])
    .execute();
  const [token] = await app.client(buyer).tokens.create({ body: { name: 'laptop' } });
  tokenId = token?.id ?? 0;
  const plan = await app.client(admin).plans.create({
    body: {
      name: 'Starter',
      price_quota: 2_500_000,
      duration_unit: 'month',
      duration_count: 1,
      quota: 500_000,
      reset: 'daily',
      on_sale: true,
    },
  });
  planId = plan.id;
  const task = await app.store.db
    .insertInto('tasks')
    .values({
      hold_id: 'page-task',
      task_id: '0b7e4f52-9a31-4c0e',
      platform: 'suno',
      action: 'MUSIC',
      model: 'suno_music',
      user_id: buyer.id,
      username: buyer.username,
      status: 'FAILURE',
      money: 'released',
      fail_reason: 'the upstream was silent',
      prompt: 'a song of gates',
      submit_ms: Date.now() - 60_000,
      finish_ms: Date.now() - 30_000,
      deadline_at: 0,
      next_poll_at: 0,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  taskId = task.id;
});
afterAll(() => app.close());

const heading = (page: Page, name: string | RegExp) =>
  page.getByRole('heading', { level: 1, name }).waitFor();
const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

describe('each page opens from its list and by its address', () => {
  test('D27 a user: the balance adds up, movements are named as in the statement, the form opens over the page', async () => {
    await using at = await visit(app, { as: admin, language: 'en', theme: 'dark' });
    const { page, problems } = at;
    await page.goto('/user?q=northstar');
    await page.getByRole('row').filter({ hasText: 'northstar' }).click();
    await page.waitForURL(`**/user/${buyer.id}`);
    await heading(page, 'northstar');
    const balance = await region(page, 'Balance').innerText();
    expect(balance.replaceAll(/\s+/g, ' ')).toContain('In $15.00 − used $0.00 = left $15.00');
    expect(balance).toMatch(/Plan bought[\s\S]*−\$5\.00/);
    await region(page, 'Balance changes').getByText('Starter').waitFor();
    await region(page, 'API keys').getByRole('link', { name: 'laptop' }).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Edit', exact: true }).first().click();
    await page.waitForURL(`**/user/edit/${buyer.id}`);
    await page.getByRole('complementary').getByLabel('Display name').waitFor();
    await heading(page, 'northstar');
    await page.goto(`/user/edit/${buyer.id}`);
    await heading(page, 'northstar');
    await page.getByRole('complementary').getByLabel('Display name').waitFor();
    expect(problems).toEqual([]);
  });

  test('an order is refunded in two clicks from the list: the row, then Refund, which opens its dialog', async () => {
    await using at = await visit(app, { as: admin, language: 'en' });
    const { page, problems } = at;
    await page.goto('/order');
    await page.getByRole('row').filter({ hasText: 'northstar' }).getByText('Paid', { exact: true }).click();
    await page.waitForURL(`**/order/${orderId}`);
    await page.getByRole('button', { name: 'Refund', exact: true }).click();
    await page
      .getByRole('dialog')
      .getByText(/taken back from northstar/)
      .waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await region(page, 'Facts').getByRole('link', { name: 'northstar' }).click();
    await page.waitForURL(`**/user/${buyer.id}`);
    await page.goto(`/order?open=${orderId}`);
    await page.waitForURL(`**/order/${orderId}`);
    await heading(page, /^PAGE/);
    // Each event of its trail says its time once.
    const trail = await region(page, 'Trail').getByRole('listitem').allInnerTexts();
    expect(trail.map((event) => event.match(/\d\d:\d\d/g)?.length)).toEqual([1, 1]);
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  test('a key of one’s own: Connect on the page, and the key is not in it', async () => {
    await using at = await visit(app, { as: buyer, language: 'en' });
    const { page, problems } = at;
    await page.goto('/token');
    await page.getByRole('row').filter({ hasText: 'laptop' }).getByText('laptop').click();
    await page.waitForURL(`**/token/${tokenId}`);
    await heading(page, 'laptop');
    await region(page, 'Limit').getByText('left').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByRole('complementary').getByText('laptop').first().waitFor();
    expect(problems).toEqual([]);
  });

  test('a plan says what it is worth; the list leads to it', async () => {
    await using at = await visit(app, { as: admin, language: 'en' });
    const { page, problems } = at;
    await page.goto('/plan?view=manage');
    await page.getByRole('row').filter({ hasText: 'Starter' }).getByText('Starter').click();
    await page.waitForURL(`**/plan/${planId}`);
    await region(page, 'Facts').getByText('worth about $30.00 in total').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.goto('/plan');
    await page
      .getByRole('article', { name: 'Starter' })
      .getByText(/worth about \$30\.00 in total/)
      .waitFor();
    expect(problems).toEqual([]);
  });

  test('a task names its failure and its user', async () => {
    await using at = await visit(app, { as: admin, language: 'en' });
    const { page, problems } = at;
    await page.goto('/task');
    await page.getByRole('row').filter({ hasText: 'a song of gates' }).getByText('a song of gates').click();
    await page.waitForURL(`**/task/${taskId}`);
    await page.getByRole('alert').getByText('the upstream was silent').waitFor();
    await region(page, 'Facts').getByRole('link', { name: 'northstar' }).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});

test('another user’s order, key and task are not found; one’s own order is, without a way to refund', async () => {
  const stranger = await app.actor();
  await using at = await visit(app, { as: stranger, language: 'en' });
  for (const path of [`/order/${orderId}`, `/token/${tokenId}`, `/task/${taskId}`]) {
    await at.page.goto(path);
    await at.page.getByText('Page not found').waitFor();
  }
  await using own = await visit(app, { as: buyer, language: 'zh' });
  await own.page.goto(`/order/${orderId}`);
  await own.page.getByRole('link', { name: '收据' }).waitFor();
  expect(await own.page.getByRole('button', { name: '退款' }).count()).toBe(0);
});

testLooks('on a phone every page fits', async () => {
  await using at = await visit(app, { as: admin, language: 'zh', theme: 'light', viewport: PHONE });
  const { page } = at;
  for (const [path, word] of [
    [`/user/${buyer.id}`, 'laptop'],
    [`/order/${orderId}`, '经过'],
    [`/token/${tokenId}`, '最近调用'],
    [`/plan/${planId}`, '售出'],
    [`/task/${taskId}`, '经过'],
  ] as const) {
    await page.goto(path);
    await page.getByText(word).first().waitFor();
    expect([path, await fitsWidth(page)]).toEqual([path, true]);
    expect([path, await accessibilityViolations(page)]).toEqual([path, []]);
  }
});

describe('the palette', () => {
  const open = async (page: Page, text: string) => {
    await page.getByRole('button', { name: 'Search or jump to…' }).click();
    await page.getByRole('textbox', { name: 'Command palette' }).fill(text);
  };

  test('D17 finds orders, plans and users by name, and opens their pages', async () => {
    await using at = await visit(app, { as: admin, language: 'en' });
    const { page, problems } = at;
    await page.goto('/channel');
    const { trade_no } = await app.store.db
      .selectFrom('orders')
      .select('trade_no')
      .where('id', '=', orderId)
      .executeTakeFirstOrThrow();
    for (const [text, name, address] of [
      [trade_no, trade_no, `**/order/${orderId}`],
      ['Starter', 'Starter', `**/plan/${planId}`],
      ['northstar', 'northstar', `**/user/${buyer.id}`],
    ] as const) {
      await open(page, text);
      await page.locator('[data-action]').filter({ hasText: name }).first().click();
      await page.waitForURL(address);
    }
    expect(problems).toEqual([]);
  });

  test('D17 “refund order …” opens the dialog and “new plan” the form; nothing is done before it is confirmed', async () => {
    await using at = await visit(app, { as: admin, language: 'en' });
    const { page, problems } = at;
    await page.goto('/channel');
    await open(page, `refund order ${orderId}`);
    await page.getByRole('button', { name: /^Refund PAGE/ }).click();
    await page
      .getByRole('dialog')
      .getByText(/taken back from northstar/)
      .waitFor();
    const { refunded_minor } = await app.store.db
      .selectFrom('orders')
      .select('refunded_minor')
      .where('id', '=', orderId)
      .executeTakeFirstOrThrow();
    expect(refunded_minor).toBe(0);
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await open(page, 'new plan');
    await page.getByRole('button', { name: 'New plan' }).click();
    await page.waitForURL(/\/plan\?.*new=1/);
    expect(problems).toEqual([]);
  });

  test('“disable channel …” opens its dialog, and the channel stays on until it is confirmed', async () => {
    const id = await addChannel(app.store, {
      base_url: 'http://127.0.0.1:9',
      models: ['gpt-4.1'],
      name: 'south-gate',
    });
    const statusOf = async () =>
      (await app.store.db.selectFrom('channels').select('status').where('id', '=', id).executeTakeFirst())
        ?.status;
    await using at = await visit(app, { as: admin, language: 'en' });
    const { page, problems } = at;
    await page.goto('/token');
    await open(page, 'disable channel south');
    await page.getByRole('button', { name: /^Disable south-gate/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Disable south-gate?' });
    await dialog.getByRole('button', { name: 'Disable' }).waitFor();
    expect(await statusOf()).toBe(CHANNEL_STATUS.enabled);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await statusOf()).toBe(CHANNEL_STATUS.enabled);
    expect(problems).toEqual([]);
  });

  test('suppliers, batches of codes and tasks are found, too; “add a reseller” opens its dialog', async () => {
    const client = app.client(admin);
    const supplier = await client.channelCosts.createSupplier({ body: { name: 'Harbour Ltd' } });
    await client.redemptions.create({ body: { name: 'autumn-fair', quota: 500_000, count: 2 } });
    await using at = await visit(app, { as: admin, language: 'en' });
    const { page, problems } = at;
    await page.goto('/channel');
    const choose = async (text: string, name: string, address: string | RegExp) => {
      await open(page, text);
      await page.locator('[data-action]').filter({ hasText: name }).first().click();
      await page.waitForURL(address);
    };
    await choose('harbour', 'Harbour Ltd', `**/suppliers/${supplier.id}`);
    await choose('autumn', 'autumn-fair', /\/redemption\?batch=/);
    await choose('0b7e4f52-9a31-4c0e', 'suno_music', `**/task/${taskId}`);
    await choose('reseller', 'Add a reseller', /\/agent\?.*new=1/);
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.waitForURL((url) => !url.searchParams.has('new'));
    expect(problems).toEqual([]);
  });

  test('a customer is offered a new key and nothing of the operator', async () => {
    await using at = await visit(app, { as: buyer, language: 'en' });
    const { page } = at;
    await page.goto('/token');
    await open(page, 'new');
    const palette = page.getByRole('dialog', { name: 'Command palette' });
    await palette.getByRole('button', { name: 'New API key' }).waitFor();
    expect(await page.getByRole('button', { name: 'New channel' }).count()).toBe(0);
    await page.getByRole('textbox', { name: 'Command palette' }).fill(`refund order ${orderId}`);
    await page.waitForTimeout(800);
    expect(await page.getByRole('button', { name: /^Refund/ }).count()).toBe(0);
  });
});
