// Suppliers and margins in a browser: buy prices, what calls brought and cost, the order of channels, scores with their
// evidence, and bills compared with the log. ISSUE-20.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { ROLE } from '#contract/access.ts';
import { marginShare, type MarginRow } from '#contract/money/margins.ts';
import { provingEvidence } from '#contract/suppliers/supplier-report.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { accessibilityViolations, eventually, fitsWidth, PHONE, visit } from '#tests/support/browser.ts';
import { testLooks } from '#tests/support/looks.ts';
import { addChannel } from '#tests/support/channels.ts';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';
import { countAnswers } from '#tests/support/supplier-counts.ts';
import { Supplier } from '#tests/support/supplier.ts';

setDefaultTimeout(180_000);

const WIDE = { width: 1440, height: 900 };
let app: TestApplication;
let mock: MockUpstream;
let admin: Actor;
const ids = { shop: 0, dear: 0 };
const keys: string[] = [];

beforeAll(async () => {
  mock = startMockUpstream();
  app = await startApplication({
    settings: { DisplayInCurrencyEnabled: 'false', GroupRatio: '{"default":1,"vip":0.5}' },
  });
  admin = await app.actor({ role: ROLE.admin });
  const channel = (name: string, groups: string[], buy_price = '') =>
    addChannel(app.store, {
      base_url: mock.url,
      models: ['gpt-4o', 'gpt-4o-mini'],
      name,
      groups,
      fields: { buy_price },
    });
  ids.shop = await channel('from-the-shop', ['default']);
  ids.dear = await channel('dear-one', ['default', 'vip'], '{"kind":"list","multiplier":1.5}');
  for (const group of ['default', 'vip']) {
    const user = await app.actor({ quota: 5_000_000, group, username: `caller-${group}` });
    const [token] = await app.client(user).tokens.create({ body: { name: 'key', unlimited_quota: true } });
    keys.push(`sk-${token?.key}`);
  }
});
afterAll(async () => {
  await app.close();
  await mock.stop();
});

async function call(key = '', model = 'gpt-4o'): Promise<void> {
  const answer = await fetch(`${app.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'What does it cost? '.repeat(300) }] }),
  });
  expect([answer.status, await answer.text()][0]).toBe(200);
}

test('a supplier gets a buy price, a channel its supplier; the route simulator explains the cheapest order', async () => {
  await using at = await visit(app, { as: admin, language: 'en', viewport: WIDE });
  const { page, problems } = at;
  await page.goto('/margins');
  await page.getByText('No calls in this period').waitFor();
  await page.getByRole('link', { name: 'Suppliers and buy prices' }).click();
  const drawer = page.getByRole('complementary', { name: 'Suppliers and buy prices' });
  await drawer.getByRole('button', { name: 'Add supplier' }).click();
  await drawer.getByRole('textbox', { name: 'Name' }).fill('Shop');
  await drawer.getByRole('combobox', { name: 'How the supplier charges' }).click();
  await page.getByRole('option', { name: 'Multiple of the list price' }).click();
  await drawer.getByRole('textbox', { name: 'Multiplier' }).fill('0.4');
  await drawer.getByRole('button', { name: 'Save' }).click();
  await drawer.getByText('×0.4 · 0 channels').waitFor();

  await page.goto(`/channel/edit/${ids.shop}`);
  await page.getByRole('combobox', { name: 'Supplier' }).click();
  await page.getByRole('option', { name: 'Shop' }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await eventually(async () => {
    const { supplier_id } = await app.store.db
      .selectFrom('channels')
      .select('supplier_id')
      .where('id', '=', ids.shop)
      .executeTakeFirstOrThrow();
    return supplier_id > 0;
  }, 'the channel has its supplier');

  await app.settings.set('ChannelOrder', 'cheapest', 0);
  await page.goto('/channel?simulate=true');
  await page.getByText(/Within a tier, the lowest buy price comes first/).waitFor();
  const routes = page.getByRole('complementary', { name: 'Route simulator' }).getByRole('listitem');
  // 3,000 tokens in and 1,000 out: $0.0175 at list price.
  await routes
    .first()
    .getByText(/from-the-shop/)
    .waitFor();
  await routes
    .first()
    .getByText(/place 1 · \$0\.007000 a call/)
    .waitFor();
  await routes
    .nth(1)
    .getByText(/place 2 · \$0\.026250 a call/)
    .waitFor();
  await routes.nth(1).getByText('reserve').waitFor();
  expect(problems).toEqual([]);
});

test('margins by channel, model, group, user and day are those of the API; a click goes one step deeper', async () => {
  await call(keys[0]);
  await call(keys[0], 'gpt-4o-mini');
  await call(keys[1]);
  const report = (query: object) => app.client(admin).margins.report({ query });
  await eventually(async () => (await report({})).total.calls === 3, 'the calls are summed');
  await using at = await visit(app, { as: admin, language: 'en', viewport: WIDE });
  const { page, problems } = at;
  const digits = (value: number) => Math.abs(value).toLocaleString('en-US');
  const nameOf = ({ name, key }: MarginRow) => name || key;
  for (const by of ['channel', 'supplier', 'model', 'group', 'user', 'day'] as const) {
    await page.goto(`/margins?by=${by}`);
    const { rows, total } = await report({ by });
    expect(total.calls).toBe(3);
    for (const row of rows) {
      const shown = page
        .getByRole('row')
        .filter({ hasText: by === 'supplier' && row.key === '0' ? 'No supplier' : nameOf(row) });
      await shown.first().waitFor();
      const cells = await shown.first().getByRole('cell').allInnerTexts();
      const share = marginShare(row);
      expect([by, ...cells.slice(1, 7).map((text) => text.replaceAll(/\s/g, '').replace('-', '−'))]).toEqual([
        by,
        String(row.calls),
        digits(row.revenue),
        digits(row.cost),
        digits(row.fees),
        (row.margin < 0 ? '−' : '') + digits(row.margin),
        share === null ? '' : `${(share * 100).toFixed(1).replace('-', '−')}%`,
      ]);
    }
  }
  await page.goto('/margins');
  // Used = cost + certain margin + no known cost, said once at the head, in numbers that add up.
  const { total: all } = await report({});
  const head = (await page.getByRole('math').innerText()).replaceAll(/\s+/g, ' ');
  const amounts = [all.revenue, all.cost + all.fees, all.margin, all.unknown_revenue];
  expect(amounts[0]).toBe((amounts[1] ?? 0) + (amounts[2] ?? 0) + (amounts[3] ?? 0));
  for (const amount of amounts) expect(head).toContain((amount < 0 ? '−' : '') + digits(amount));
  // The chart by day is to scale, with the loss below the line.
  const chart = page.getByRole('figure', { name: /^Margins by day/ });
  const parts = await chart
    .locator('a [data-part]')
    .evaluateAll((found) =>
      found.map((part) => [part.getAttribute('data-part'), part.getBoundingClientRect().height]),
    );
  const heightOf = (name: string) =>
    parts.filter(([part]) => part === name).map(([, height]) => Number(height));
  expect(heightOf('cost').length + heightOf('margin').length).toBeGreaterThan(0);
  await page.getByText('Today', { exact: true }).click();
  await page.waitForURL(/days=1(&|$)/);
  await page.goto('/margins');
  const loss = page.getByRole('row', { name: /dear-one/ });
  await loss.click();
  await page.getByRole('button', { name: 'Remove the filter Channel dear-one' }).waitFor();
  await page
    .getByRole('row', { name: /^gpt-4o/ })
    .first()
    .waitFor();
  // A tooltip is outside of the page's landmarks.
  await page.mouse.move(0, 0);
  await page.locator('.mantine-Tooltip-tooltip').first().waitFor({ state: 'detached' });
  expect(await accessibilityViolations(page)).toEqual([]);
  const channel = page.getByRole('link', { name: 'View channel' });
  expect(await channel.getAttribute('href')).toMatch(/^\/channel\/\d+$/);
  await page.getByRole('button', { name: 'Remove the filter Channel dear-one' }).click();
  await page.getByRole('row', { name: /from-the-shop/ }).waitFor();
  expect(problems).toEqual([]);
});

test('a low score shows its evidence and a report to download; a bill by mapping shows the differences', async () => {
  await countAnswers(app, [
    { channelId: ids.shop, supplier: new Supplier(11, { inflation: 1.3, cut: 0.12, fakeCache: 0.6 }) },
    { channelId: ids.dear, supplier: new Supplier(12) },
  ]);
  const supplier = await app.client(admin).suppliers.read({ params: { id: ids.shop } });
  await using at = await visit(app, { as: admin, language: 'en' });
  const { page, problems } = at;
  await page.goto('/suppliers');
  const row = page.getByRole('row', { name: /from-the-shop/ });
  await row.getByText(String(supplier.score), { exact: true }).waitFor();
  await row.getByText(/Cut streams/).waitFor();
  await row.click();
  await page.getByText(/answers stopped without an end/).waitFor();
  await page.getByRole('img', { name: /Output tokens: reported ÷ recounted: median/ }).waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  await page.getByRole('link', { name: 'Report for the supplier' }).click();
  await page.getByText('Evidence: related calls').waitFor();
  const [proof] = provingEvidence(supplier);
  for (const [name, file] of [
    ['Download CSV', `supplier-${ids.shop}.csv`],
    ['Download Markdown', `supplier-${ids.shop}.md`],
  ] as const) {
    const downloaded = page.waitForEvent('download');
    await page.getByRole('button', { name }).click();
    const download = await downloaded;
    expect(download.suggestedFilename()).toBe(file);
    expect(await readFile(await download.path(), 'utf8')).toContain(proof?.request_id ?? 'none');
  }

  await page.goto('/suppliers?view=bills');
  await page.getByText('No bills yet').waitFor();
  await page.getByRole('button', { name: 'Import a bill' }).first().click();
  const drawer = page.getByRole('complementary', { name: 'Import a bill' });
  const send = () => drawer.getByRole('button', { name: 'Import a bill' }).click();
  await send();
  await drawer.getByText('Enter a name').waitFor();
  await drawer.getByText('Choose at least one channel').waitFor();
  await drawer.getByText('Choose a CSV file').waitFor();
  await drawer.getByRole('textbox', { name: 'Name' }).fill('November');
  await drawer.getByRole('combobox', { name: 'Format' }).click();
  await page.getByRole('option', { name: 'Own columns' }).click();
  await drawer.getByRole('textbox', { name: 'Day', exact: true }).fill('on');
  await drawer.getByRole('textbox', { name: 'Model', exact: true }).fill('what');
  await drawer.getByRole('textbox', { name: 'Cost', exact: true }).fill('dollars');
  await drawer.getByRole('combobox', { name: 'Channels' }).click();
  await page.getByRole('option', { name: /dear-one/ }).click();
  await page.keyboard.press('Escape');
  const today = new Date().toISOString().slice(0, 10);
  const file = (text: string) => ({ name: 'bill.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
  const input = page.locator('input[type=file]');
  await input.setInputFiles(file('a,b\n1,2\n'));
  await send();
  await drawer.getByText(/Columns found: a, b/).waitFor();
  await input.setInputFiles(file(`on,what,dollars\n${today},gpt-4o,2.50\n${today},gpt-5,4\n`));
  await send();
  const bill = page.getByRole('row', { name: /November/ });
  await bill.getByText('$6.50').waitFor();
  await bill.click();
  const lines = page.getByRole('table', { name: 'By day and model' });
  await lines
    .getByRole('row', { name: /gpt-5 only in the bill/ })
    .getByText('+$4.00')
    .waitFor();
  const [stored] = await app.client(admin).suppliers.bills();
  expect(stored).toMatchObject({ unmatched_billed: 1, billed: { cost: 6.5 } });
  expect(await accessibilityViolations(page)).toEqual([]);
  expect(problems).toEqual([]);
});

testLooks('margins, scores, bills and the report fit a phone', async () => {
  await using at = await visit(app, { as: admin, language: 'zh', theme: 'dark', viewport: PHONE });
  const { page, problems } = at;
  for (const [path, words] of [
    ['/margins', 'dear-one'],
    [`/suppliers?open=${ids.shop}`, '首个 token（毫秒）'],
    ['/suppliers?view=bills&open=1', '只在账单中'],
    [`/suppliers/report?id=${ids.shop}`, '没有结束标记'],
  ] as const) {
    await page.goto(path);
    await page.getByText(words).first().waitFor();
    expect([path, await fitsWidth(page)]).toEqual([path, true]);
    expect(await accessibilityViolations(page)).toEqual([]);
  }
  expect(problems).toEqual([]);
});
