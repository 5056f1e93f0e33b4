// The price book and re-rating in a browser: a price is changed by a draft, taken back, imported, and past calls are corrected.
// ISSUE-20.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { ROLE } from '#contract/access.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { allowThePast, DAY, moveBack } from '#tests/integration/money/rerating/world.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import {
  accessibilityViolations,
  eventually,
  fitsWidth,
  PHONE,
  sidewaysRegions,
  visit,
} from '#tests/support/browser.ts';
import { addChannel } from '#tests/support/channels.ts';
import { Keyboard } from '#tests/support/keyboard.ts';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';

setDefaultTimeout(180_000);

const CALLS = 3;
let app: TestApplication;
let mock: MockUpstream;
let root: Actor;
let user: Actor;

beforeAll(async () => {
  mock = startMockUpstream();
  app = await startApplication({ settings: { DisplayInCurrencyEnabled: 'false' } });
  root = await app.actor({ role: ROLE.root });
  user = await app.actor({ quota: 5_000_000, username: 'caller' });
  await addChannel(app.store, { base_url: mock.url, models: ['gpt-4o', 'gpt-4o-mini'] });
  const [token] = await app.client(user).tokens.create({ body: { name: 'key', unlimited_quota: true } });
  const messages = [{ role: 'user', content: 'What does a toll gate cost? '.repeat(400) }];
  for (let call = 0; call < CALLS; call += 1) {
    const answer = await fetch(`${app.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { Authorization: `Bearer sk-${token?.key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-4o', messages }),
    });
    expect([answer.status, await answer.text()][0]).toBe(200);
  }
  const rows = () => app.store.db.selectFrom('logs').selectAll().where('type', '=', 2).execute();
  await eventually(async () => (await rows()).length === CALLS, 'the calls are in the log');
  await allowThePast(app.store);
  for (const { request_id } of await rows()) await moveBack(app.store, request_id, DAY);
});
afterAll(async () => {
  await app.close();
  await mock.stop();
});

const balance = async () => (await app.client(user).wallet.overview()).quota;
const confirmed = (page: Page, name: string) =>
  page.getByRole('dialog').getByRole('button', { name, exact: true }).click();

test('a price is edited in the sheet, compared with last week, scheduled, published, and rolled back', async () => {
  await using at = await visit(app, { as: root, language: 'en' });
  const { page, problems } = at;
  await page.goto('/prices');
  const running = page.getByRole('row', { name: /^gpt-4o / });
  await running.getByRole('img', { name: 'Not verified' }).waitFor();
  // D31 what is so in most rows is a mark without colour, not words in each of them.
  expect(await running.innerText()).not.toMatch(/verified/i);
  await running.getByText('$2.50').first().waitFor();

  await page.getByRole('button', { name: 'Edit prices' }).first().click();
  await page.getByRole('heading', { name: 'Draft 1' }).waitFor();
  await page.getByText('The draft is the same as the current prices.').waitFor();
  await page.getByRole('textbox', { name: 'Reason' }).fill('dearer');
  const search = page.getByRole('textbox', { name: 'Search models' });
  await search.fill('gpt-4o');
  // In dollars, with or without the sign; the ratios are one switch away.
  await page.getByRole('button', { name: /^Input price of gpt-4o: / }).click();
  await page.getByRole('textbox', { name: 'Input price of gpt-4o', exact: true }).fill('$5');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: /^Output price of gpt-4o: / }).click();
  await page.getByRole('textbox', { name: 'Output price of gpt-4o', exact: true }).fill('20');
  await page.keyboard.press('Enter');
  await page
    .getByRole('table', { name: /^Effect of your prices/ })
    .getByText('gpt-4o')
    .waitFor();
  await page.getByText('Ratios', { exact: true }).click();
  const ratio = page.getByRole('textbox', { name: 'Model ratio of gpt-4o', exact: true });
  expect(await ratio.inputValue()).toBe('2.5');
  // Money that is typed into a cell of ratios is a price there too.
  await ratio.fill('$5.00');
  await page.keyboard.press('Enter');
  expect(await ratio.inputValue()).toBe('2.5');
  expect(await page.getByRole('button', { name: 'Publish now' }).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Save draft' }).click();
  await page.getByText('Draft saved').waitFor();
  const change = page.getByRole('table', { name: 'What changes' }).getByRole('row', { name: /gpt-4o/ });
  await change.getByText('2.5').waitFor();
  expect(await search.inputValue()).toBe('gpt-4o');
  expect(app.settings.current.ModelRatio).toEqual({});

  await page.getByRole('button', { name: 'Compute' }).click();
  const impact = await app.client(root).priceBook.impact({ params: { id: 1 } });
  const [part] = impact.parts;
  expect(part).toMatchObject({ model: 'gpt-4o', calls: CALLS });
  // Each call is rounded.
  expect(Math.round(((part?.draft ?? 0) / (part?.running ?? 1)) * 100)).toBe(200);
  const figures = page.getByRole('table', { name: 'Impact on last week' }).getByRole('row').last();
  const short = (quota = 0) => `${Math.floor(quota / 100) / 10}k`;
  await figures.getByText(short(part?.running), { exact: true }).first().waitFor();
  await figures.getByText(short(part?.draft), { exact: true }).waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);

  await page.getByRole('button', { name: 'Schedule' }).click();
  const time = page.getByLabel('Date and time');
  await confirmed(page, 'Schedule');
  await page.getByText('Enter a date and a time').waitFor();
  await time.fill('2020-01-01T00:00');
  await confirmed(page, 'Schedule');
  await page.locator('input[aria-invalid=true]').waitFor();
  await page.getByRole('dialog').getByText('Choose a time in the future').waitFor();
  await time.fill('2099-01-01T08:30');
  await confirmed(page, 'Schedule');
  await page.getByText('for 2099-01-01 08:30:00').waitFor();
  await page.getByRole('button', { name: 'Cancel schedule' }).click();
  await page.getByRole('button', { name: 'Schedule' }).waitFor();
  await page.getByRole('button', { name: 'Publish now' }).click();
  await confirmed(page, 'Publish now');
  await page.getByText('as version 2').waitFor();
  expect(app.settings.current.ModelRatio).toEqual({ 'gpt-4o': 2.5 });

  await page.getByRole('tab', { name: 'Versions' }).click();
  const second = page.getByRole('row', { name: /^2 current/ });
  await second.getByText('dearer').waitFor();
  await page.getByRole('row', { name: /^1 / }).click();
  await page.getByRole('button', { name: 'Roll back to this version' }).click();
  await confirmed(page, 'Roll back to this version');
  await page.getByRole('row', { name: /^3 current/ }).waitFor();
  await eventually(
    async () => app.settings.current.ModelRatio['gpt-4o'] === undefined,
    'the first prices are in force',
  );
  expect(problems).toEqual([]);
});

test('D9 a price is set from the page of its model in a draft that is stored with its first save', async () => {
  await using at = await visit(app, { as: root, language: 'en' });
  const { page, problems } = at;
  const drafts = async () => (await app.client(root).priceBook.drafts({ query: {} })).total;
  const before = await drafts();
  await page.goto('/model/gpt-4o-mini');
  await page.getByRole('link', { name: 'Set price' }).click();
  await page.getByRole('heading', { name: 'New draft' }).waitFor();
  const search = page.getByRole('textbox', { name: 'Search models' });
  expect(await search.inputValue()).toBe('gpt-4o-mini');
  expect(await drafts()).toBe(before);
  await page.getByRole('button', { name: /^Input price of gpt-4o-mini: / }).click();
  await page.getByRole('textbox', { name: 'Input price of gpt-4o-mini', exact: true }).fill('$1');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Save draft' }).click();
  await page.getByText('Draft saved').waitFor();
  await page.waitForURL(/draft=\d+/);
  await page
    .getByRole('table', { name: 'What changes' })
    .getByRole('row', { name: /gpt-4o-mini/ })
    .first()
    .waitFor();
  expect(await drafts()).toBe(before + 1);

  // The next model goes into the same draft.
  await page.goto('/model/gpt-4o');
  await page.getByRole('link', { name: 'Set price' }).click();
  await page.getByRole('heading', { name: /^Draft \d+$/ }).waitFor();
  expect(await search.inputValue()).toBe('gpt-4o');
  await page.getByRole('button', { name: 'Withdraw' }).click();
  await confirmed(page, 'Withdraw');
  await page.getByText('Withdrawn', { exact: true }).first().waitFor();
  expect(problems).toEqual([]);
});

test('on a phone a price list is pasted, refused when it is none, reviewed and accepted into a draft', async () => {
  await using at = await visit(app, { as: root, language: 'zh', theme: 'dark', viewport: PHONE });
  const { page, problems } = at;
  await page.goto('/prices?tab=review');
  await page.getByRole('button', { name: '导入价格' }).first().click();
  const dialog = page.getByRole('dialog');
  const text = dialog.getByRole('textbox', { name: '或粘贴 JSON' });
  await text.fill('{"prices": 1}');
  await dialog.getByRole('button', { name: '读取文本' }).click();
  await dialog.locator('textarea[aria-invalid=true]').waitFor();
  await text.fill(
    JSON.stringify({
      'gpt-4o': {
        litellm_provider: 'openai',
        input_cost_per_token: 0.000_002,
        output_cost_per_token: 0.000_008,
      },
      'of-nobody': { litellm_provider: 'openai', input_cost_per_token: 0.000_001 },
    }),
  );
  await dialog.getByRole('button', { name: '读取文本' }).click();
  await page.getByText('$2.50 / $10.00 → $2.00 / $8.00').waitFor();
  expect(await fitsWidth(page)).toBe(true);
  await page.getByRole('button', { name: '接受' }).click();
  await page.getByText('没有待审核的价格').waitFor();
  await page.goto('/prices?tab=drafts');
  await page.getByRole('button', { name: /草稿 3/ }).click();
  await page.getByRole('table', { name: '将改变的价格' }).getByText('gpt-4o').first().waitFor();
  expect(app.settings.current.ModelRatio).toEqual({});
  for (const [path, words] of [
    ['/prices', '$2.50 / $10.00'],
    ['/prices?tab=versions&version=2', 'dearer'],
    ['/prices?draft=3', '保存草稿'],
    ['/rerating', '新建试算'],
  ] as const) {
    await page.goto(path);
    await page.getByText(words).first().waitFor();
    expect([path, await fitsWidth(page)]).toEqual([path, true]);
    expect([path, await sidewaysRegions(page)]).toEqual([path, []]);
    expect(await accessibilityViolations(page)).toEqual([]);
  }
  expect(problems).toEqual([]);
});

test('by keyboard alone past calls are priced by a corrected version, booked, seen in the log, and undone', async () => {
  await app.client(root).options.save({ body: { key: 'ModelRatio', value: '{"gpt-4o":0.625}' } });
  const before = await balance();
  await using at = await visit(app, { as: root, language: 'en' });
  const { page, problems } = at;
  const keyboard = new Keyboard(page);
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const inDialog = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true });
  await page.goto('/rerating');
  await page.getByText('No re-ratings yet').waitFor();
  await keyboard.press(button('New dry run').first());
  await keyboard.press(inDialog('Start dry run'));
  await page.getByText('Enter a reason').waitFor();
  await keyboard.type(page.getByLabel('From'), 'yesterday');
  await page.getByText('Format: 2026-01-31 14:00:00').waitFor();
  const from = new Date(Date.now() - 3 * DAY * 1000).toISOString().slice(0, 10);
  await keyboard.type(page.getByLabel('From'), `${from} 00:00:00`);
  await keyboard.type(page.getByLabel(/^Reason/), 'gpt-4o was too dear');
  await page.keyboard.press('Enter');

  await page.getByText('To confirm').waitFor();
  const [run] = (await app.client(root).rerating.list({ query: { p: 1, page_size: 10 } })).items;
  expect(run).toMatchObject({ state: 'ready', calls: CALLS, users: 1, debit: 0 });
  const credit = run?.credit ?? 0;
  expect(credit).toBeGreaterThan(0);
  const grouped = credit.toLocaleString('en-US');
  await page.getByText(`${grouped} given back, 0 charged`).waitFor();
  await page.getByRole('region', { name: 'By user' }).getByText('caller').waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  await keyboard.press(button('Book'));
  await keyboard.type(page.getByRole('dialog').getByRole('textbox'), String(CALLS));
  await keyboard.press(inDialog('Book'));
  await page.getByText('1 of 1 users and days').waitFor();
  expect(await balance()).toBe(before + credit);

  await using theirs = await visit(app, { as: user, language: 'en' });
  await theirs.page.goto('/log?type=2');
  await theirs.page
    .getByRole('row', { name: /gpt-4o/ })
    .first()
    .click();
  await theirs.page.getByText('Corrected by run #1').waitFor();
  const { items } = await app.client(user).wallet.history({ query: {} });
  expect(items[0]).toMatchObject({ kind: 'rerate_credit', amount: credit });

  await keyboard.press(button('Undo'));
  await keyboard.type(page.getByLabel(/^Reason/), 'it was right');
  await page.keyboard.press('Enter');
  await page.getByText('Undone by #2').waitFor();
  await eventually(async () => (await balance()) === before, 'the correction is taken back');
  expect([...keyboard.unseen]).toEqual([]);
  expect(problems).toEqual([]);
  expect(await checkInvariants(app.store)).toEqual([]);
});

test('what is typed into a draft stays when another operator saves it, and is not saved over theirs', async () => {
  await using at = await visit(app, { as: root, language: 'en' });
  const { page, problems } = at;
  await page.goto('/prices');
  await page.getByRole('button', { name: 'Edit prices' }).first().click();
  await page.getByRole('heading', { name: /^Draft \d+$/ }).waitFor();
  const id = Number(new URL(page.url()).searchParams.get('draft'));
  const reason = page.getByRole('textbox', { name: 'Reason' });
  await reason.fill('mine');
  const { priceBook } = app.client(root);
  const { revision } = await priceBook.draft({ params: { id } });
  await priceBook.changeDraft({ params: { id }, body: { revision, prices: {}, reason: 'theirs' } });
  // A tab that is looked at again after a while loads anew.
  await page.clock.setFixedTime(Date.now() + 60_000);
  await page.evaluate(`window.dispatchEvent(new Event('visibilitychange'))`);
  const notice = page.getByText('Another operator saved this draft while you were editing.');
  await notice.waitFor();
  expect(await reason.inputValue()).toBe('mine');
  await page.getByRole('button', { name: 'Save draft' }).click();
  await page
    .getByRole('alert')
    .getByText(/changed/)
    .first()
    .waitFor();
  expect((await priceBook.draft({ params: { id } })).reason).toBe('theirs');
  await page.getByRole('button', { name: 'Discard' }).click();
  await notice.waitFor({ state: 'detached' });
  expect(await reason.inputValue()).toBe('theirs');

  // Typed and taken back: there is nothing to keep, and their next version is shown.
  await reason.fill('mine');
  await reason.fill('theirs');
  const seen = await priceBook.draft({ params: { id } });
  const body = { revision: seen.revision, prices: {}, reason: 'theirs again' };
  await priceBook.changeDraft({ params: { id }, body });
  await page.clock.setFixedTime(Date.now() + 120_000);
  await page.evaluate(`window.dispatchEvent(new Event('visibilitychange'))`);
  await eventually(async () => (await reason.inputValue()) === 'theirs again', 'their newest version');
  expect(await notice.count()).toBe(0);
  expect(problems.filter((problem) => !problem.includes('409'))).toEqual([]);
});
