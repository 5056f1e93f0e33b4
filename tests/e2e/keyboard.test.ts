// Whole tasks by keyboard alone, with the focus visible at every step: a first token, a channel, a price, a payment.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { openShop, type Shop } from '#tests/integration/money/payments/support.ts';
import { USER_PASSWORD } from '#tests/support/application.ts';
import { eventually, visit } from '#tests/support/browser.ts';
import { Keyboard } from '#tests/support/keyboard.ts';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';
import { rootOf } from './settings-support.ts';

setDefaultTimeout(120_000);

let shop: Shop;
let upstream: MockUpstream;
beforeAll(async () => {
  shop = await openShop('sqlite', { TopUpPresets: '[{"amount":5},{"amount":10}]' });
  upstream = startMockUpstream();
});
afterAll(async () => {
  await upstream.stop();
  await shop.close();
});

test('sign in, create a token, copy its key; then top up and pay an order', async () => {
  const user = await shop.app.actor({ username: 'paperboat' });
  await using at = await visit(shop.app, {
    language: 'en',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const { page, problems } = at;
  const keyboard = new Keyboard(page);
  await page.goto('/login');
  await keyboard.type(page.getByLabel('Username or email'), user.username);
  await keyboard.type(page.getByLabel('Password', { exact: true }), USER_PASSWORD);
  await page.keyboard.press('Enter');
  await page.waitForURL('**/token');

  await keyboard.press(page.getByRole('button', { name: /New API key|Create your first/ }).first());
  await keyboard.type(page.getByRole('textbox', { name: 'Name *' }), 'by keyboard');
  await keyboard.press(page.getByRole('button', { name: 'Create', exact: true }));
  await page.getByText('API key created. Copy it from the list.').waitFor();
  await page.goto('/token');
  await page.getByRole('row').filter({ hasText: 'by keyboard' }).waitFor();
  await keyboard.press(
    page.getByRole('row').filter({ hasText: 'by keyboard' }).getByRole('button', { name: /^Copy/ }),
  );
  await eventually(
    async () => (await page.evaluate<string>('navigator.clipboard.readText()')).startsWith('sk-'),
    'the key is in the clipboard',
  );

  await page.goto('/topup');
  const form = page.getByRole('region', { name: 'Online top-up' });
  await keyboard.press(form.getByRole('button', { name: '$10' }));
  await keyboard.press(form.getByRole('button', { name: 'Top up', exact: true }));
  const opened = page.context().waitForEvent('page');
  await keyboard.press(page.getByRole('dialog').getByRole('button', { name: 'Go to payment' }));
  const provider = await opened;
  await new Keyboard(provider).press(provider.getByRole('button', { name: /Pay/ }));
  await form.getByText('Paid: $10.00 added to your balance').waitFor();
  await provider.close();
  expect([...keyboard.unseen]).toEqual([]);
  expect(problems).toEqual([]);
});

test('add a channel, test it, change the price of its model', async () => {
  const root = await rootOf(shop.app);
  await using at = await visit(shop.app, { as: root, language: 'en' });
  const { page, problems } = at;
  const keyboard = new Keyboard(page);
  await page.goto('/channel');
  await keyboard.press(page.getByRole('button', { name: 'Add channel' }).first());
  await keyboard.type(page.getByRole('textbox', { name: 'Name *' }), 'by keyboard');
  await keyboard.type(page.getByRole('textbox', { name: /^(Base URL|API address|Address)/ }), upstream.url);
  await keyboard.type(page.getByLabel(/^Key \*/), 'sk-of-the-upstream-0123456789');
  await keyboard.type(page.getByRole('textbox', { name: /^Other models/ }), 'gpt-4o');
  await keyboard.press(page.getByRole('button', { name: 'Add', exact: true }));
  await keyboard.press(page.getByRole('button', { name: 'Create', exact: true }));
  await page.getByRole('row').filter({ hasText: 'by keyboard' }).waitFor();
  await keyboard.press(page.getByRole('button', { name: 'Actions of by keyboard' }));
  // The menu opens with the focus on its first entry.
  await page.getByRole('menuitem', { name: 'Test', exact: true }).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Enter');
  await page.getByText(/by keyboard passed in/).waitFor();

  await page.goto('/setting?tab=operation&section=pricing');
  await keyboard.type(page.getByRole('textbox', { name: 'Model ratio of gpt-4o', exact: true }), '2');
  await page.keyboard.press('Enter');
  await keyboard.press(page.getByRole('button', { name: 'Review', exact: true }));
  await keyboard.press(page.getByRole('button', { name: /^Save/ }).last());
  await eventually(
    () => Promise.resolve(shop.app.settings.current.ModelRatio['gpt-4o'] === 2),
    'the ratio is saved',
  );
  expect([...keyboard.unseen]).toEqual([]);
  expect(problems).toEqual([]);
});
