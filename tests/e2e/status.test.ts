// Incidents and the status page in a real browser: an operator writes one, visitors read it, also without a script.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { watchIncidents } from '#server/admin/status/index.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { addChannel } from '#tests/support/channels.ts';
import { accessibilityViolations, fitsWidth, PHONE, visit } from '#tests/support/browser.ts';
import { testLooks } from '#tests/support/looks.ts';

setDefaultTimeout(120_000);

let application: TestApplication;
let admin: Actor;
const NOW = Math.floor(Date.now() / 1000);
const HOUR = 3600;

beforeAll(async () => {
  application = await startApplication({ settings: { SystemName: 'Paper Lantern' } });
  admin = await application.actor({ role: ROLE.admin });
  const { store } = application;
  await addChannel(store, { base_url: 'http://127.0.0.1:9', models: ['gpt-5.4', 'claude-sonnet-4-5'] });
  const lost = await addChannel(store, { base_url: 'http://127.0.0.1:9', models: ['claude-opus-4-5'] });
  await store.db
    .updateTable('channels')
    .set({ status: 3, other_info: JSON.stringify({ status_time: NOW - 2 * HOUR }) })
    .where('id', '=', lost)
    .execute();
  const hour = NOW - (NOW % HOUR);
  const cells = ['gpt-5.4', 'claude-sonnet-4-5', 'claude-opus-4-5'].flatMap((model_name, place) =>
    Array.from({ length: 85 }, (_, day) => ({
      seconds: HOUR,
      start: hour - day * 24 * HOUR,
      model_name,
      answered: 400 + 13 * ((day * 7 + place) % 11),
      failed: (day + place * 5) % 17 === 4 ? 9 : day === 14 && place > 0 ? 90 : (day + place) % 3,
    })),
  );
  await store.db.insertInto('measured_cells').values(cells).execute();
  await store.db
    .insertInto('measured_cells')
    .values({ seconds: 60, start: NOW - (NOW % 60) - 60, model_name: 'gpt-5.4', answered: 75, failed: 1 })
    .execute();
  await watchIncidents({ store });
  await application.client(admin).incidents.create({
    body: {
      title_zh: '网络抖动',
      title_en: 'Network trouble',
      text_zh: '',
      text_en: 'A line to the upstream was slow.',
      models: ['gpt-5.4'],
      begun_at: NOW - 3 * HOUR,
      ended_at: 0,
    },
  });
});
afterAll(() => application.close());

test('an operator writes an incident in the console', async () => {
  await using at = await visit(application, { as: admin, language: 'en' });
  const { page, problems } = at;
  await page.goto('/incidents?write=true');
  const dialog = page.getByRole('dialog', { name: 'Publish an incident' });
  await dialog.getByRole('button', { name: 'Publish' }).click();
  await dialog.getByText('Enter a title in at least one language').waitFor();
  await dialog.getByLabel('Title (English)').fill('Planned maintenance');
  await dialog.getByLabel('Title (Chinese)').fill('计划维护');
  await dialog.getByLabel('Text (English)').fill('A database is upgraded.');
  expect(await accessibilityViolations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Publish' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('A database is upgraded.').waitFor();
  expect(problems).toEqual([]);
});

test('an operator adds a line and ends an incident; a measured one only gets lines', async () => {
  await using at = await visit(application, { as: admin, language: 'en' });
  const { page, problems } = at;
  await page.goto('/incidents');
  await page.getByRole('row').filter({ hasText: 'claude-opus-4-5: unavailable' }).click();
  await page.getByText('Measured by the system').waitFor();
  expect(await page.getByRole('button', { name: 'Delete', exact: true }).count()).toBe(0);
  await page.getByRole('row').filter({ hasText: 'Network trouble' }).click();
  await page.getByRole('button', { name: 'Add an update' }).click();
  const line = page.getByRole('dialog', { name: 'Add an update' });
  await line.getByLabel('Text (English)').fill('It is over.');
  await line.getByRole('switch', { name: 'Also ends the incident' }).check();
  await line.getByRole('button', { name: 'Publish' }).click();
  await line.waitFor({ state: 'detached' });
  await page.getByRole('row').filter({ hasText: 'Network trouble' }).getByText('Over').waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  expect(problems).toEqual([]);
});

test('visitors read the status page on a phone, in Chinese and without a script', async () => {
  await using at = await visit(application, { language: 'zh', viewport: PHONE });
  const { page, problems } = at;
  await page.route('**/site/site.js*', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: '' }),
  );
  await page.goto('/status?lang=zh');
  await page.getByRole('heading', { level: 1, name: /claude-opus-4-5.*不可用/ }).waitFor();
  await page.getByText('上游全部不可用。此后的请求立即返回 503，不扣费。').waitFor();
  // In the other language, where this one has no text.
  await page.getByText('网络抖动').click();
  await page.getByText('A line to the upstream was slow.').waitFor();
  expect(await fitsWidth(page)).toBe(true);
  expect(problems).toEqual([]);
});

testLooks('the page has no accessibility faults, and its index leads to its parts', async () => {
  await using at = await visit(application, { language: 'en' });
  const { page, problems } = at;
  await page.goto('/status?lang=en');
  await page.getByRole('link', { name: 'How it is measured' }).click();
  expect(new URL(page.url()).hash).toBe('#method');
  expect(await accessibilityViolations(page)).toEqual([]);
  expect(problems).toEqual([]);
});
