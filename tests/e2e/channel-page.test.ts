// The page of a channel in a browser: opened from the list, its figures are those of the API, the alert of a channel that switched
// itself off, the form over the page, the phone.
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
import { startMockUpstream } from '#mock/upstream/index.ts';
import { limitedTo } from '#mock/upstream/limits.ts';

setDefaultTimeout(120_000);

const HOUR = 3600;
const DAY = 86_400;
const STOPPED = 3;
const WIDE = { width: 1440, height: 900 };
const now = Math.floor(Date.now() / 1000);
const offAt = now - HOUR;
let application: TestApplication;
let admin: Actor;
let off: number;
let direct: number;

beforeAll(async () => {
  application = await startApplication();
  const { store } = application;
  off = await addChannel(store, {
    base_url: 'http://127.0.0.1:9',
    models: ['gpt-4o', 'lonely-1'],
    name: 'reserve',
    fields: {
      status: STOPPED,
      created_time: now - 40 * DAY,
      other_info: JSON.stringify({
        status_reason: 'status 401',
        status_words: 'invalid x-api-key',
        status_time: offAt,
      }),
    },
  });
  direct = await addChannel(store, { base_url: 'http://127.0.0.1:9', models: ['gpt-4o'], name: 'direct' });
  admin = await application.actor({ username: 'boss', role: ROLE.admin });
  const hour = offAt - (offAt % HOUR);
  await store.db
    .insertInto('channel_hours')
    .values([
      { channel_id: off, hour, attempts: 40, failures: 5, first_4: 0, first_5: 20 },
      { channel_id: off, hour: hour - 3 * HOUR, attempts: 90, failures: 0, first_4: 80, first_5: 0 },
    ])
    .execute();
  await store.db
    .insertInto('margin_days')
    .values({
      day: now - (now % DAY),
      channel_id: off,
      model_name: 'gpt-4o',
      group: 'default',
      user_id: admin.id,
      count: 3,
      quota: 1_000_000,
      cost: 600_000,
      costed_count: 2,
      costed_quota: 900_000,
    })
    .execute();
  await store.db
    .insertInto('logs')
    .values(
      [1, 2, 3, 4, 5].map((at) => ({
        type: 5,
        channel_id: off,
        channel_name: 'reserve',
        user_id: admin.id,
        username: 'boss',
        model_name: 'gpt-4o',
        created_at: offAt - at,
        request_id: `call-${at}`,
        content: 'status 401',
        other: JSON.stringify({
          admin_info: {
            attempts: [
              { channel: off, status: 401, milliseconds: 9, error: 'status 401: invalid x-api-key' },
            ],
          },
        }),
      })),
    )
    .execute();
});
afterAll(() => application.close());

async function open(path: string, options: VisitOptions = {}) {
  const opened = await visit(application, { as: admin, viewport: WIDE, language: 'en', ...options });
  await opened.page.goto(path);
  return opened;
}

test('D11 a row of the list opens the page of its channel, and the way back leads to the list', async () => {
  await using at = await open('/channel');
  const { page, problems } = at;
  await page.getByRole('row').filter({ hasText: 'direct' }).getByText('direct').click();
  await page.waitForURL(`**/channel/${direct}`);
  await page.getByRole('heading', { level: 1, name: 'direct' }).waitFor();
  await page.getByRole('heading', { name: 'Facts' }).waitFor();
  // Nothing is wrong: no alert, and no button is filled.
  expect(await page.getByRole('alert').count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Replace key' }).count()).toBe(0);
  await page.locator('header').getByRole('link', { name: 'Channels' }).click();
  await page.getByRole('row').filter({ hasText: 'reserve' }).waitFor();
  expect(problems).toEqual([]);
});

test('a channel that switched itself off says why, whom it touches and what cures it; its figures are the API’s', async () => {
  await using at = await open(`/channel/${off}`);
  const { page, problems } = at;
  const alert = page.getByRole('alert');
  await alert.waitFor();
  const said = await alert.innerText();
  expect(said).toContain('401');
  expect(said).toContain('lonely-1');
  expect(said).toContain('direct');
  const facts = await application
    .client(admin)
    .channelPages.read({ params: { id: off }, query: { window: '24h' } });
  expect(facts.calls).toMatchObject({ answered: 125, failed: 5 });
  const text = (await page.locator('main').innerText()).replaceAll(/\s+/g, ' ');
  expect(text).toContain(`Calls ${facts.calls.answered + facts.calls.failed}`);
  expect(text).toContain('Answered 96.2%');
  // 2 dollars were used, 1.80 of known cost.
  expect(facts.money).toMatchObject({ used: 1_000_000, cost: 600_000, margin: 300_000, unknown: 100_000 });
  expect(text).toContain('Used $2.00 − cost $1.20 − $0.20 of unknown cost = certain margin $0.60');
  expect(text).toContain('invalid x-api-key');
  expect(await accessibilityViolations(page)).toEqual([]);
  expect(problems).toEqual([]);
});

test('the cure opens the form over the page, its address can be opened, and closing it leads back', async () => {
  await using at = await open(`/channel/${off}`);
  const { page } = at;
  await page.getByRole('button', { name: 'Replace key' }).click();
  await page.waitForURL(`**/channel/edit/${off}`);
  await page.getByRole('heading', { name: 'Edit channel' }).waitFor();
  await page.getByRole('heading', { level: 1, name: 'reserve' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Edit channel' }).waitFor();
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await page.waitForURL(`**/channel/${off}`);
});

test('the window is in the address, and a wider one shows a post for each day', async () => {
  await using at = await open(`/channel/${off}?window=30d`);
  const { page } = at;
  await page.getByRole('heading', { name: 'Last 30 days' }).waitFor();
  expect(await page.getByRole('list', { name: 'Calls over time' }).getByRole('listitem').count()).toBe(30);
  await page.getByText('7 d', { exact: true }).click();
  await page.getByRole('heading', { name: 'Last 7 days' }).waitFor();
  expect(page.url()).toContain('window=7d');
});

test('the upstream’s limits stand by model, the paused one first, and nothing is said of a channel that never answered', async () => {
  const mock = startMockUpstream();
  try {
    const id = await addChannel(application.store, {
      base_url: mock.url,
      models: ['gpt-4o-mini', 'gpt-4.1-mini'],
      name: 'limited',
    });
    mock.behave({ behaviour: limitedTo({ vendor: 'openai', requests: 2, resetSeconds: 900 }) });
    const buyer = await application.actor({ quota: 5_000_000 });
    const [token] = await application
      .client(buyer)
      .tokens.create({ body: { name: 'key', unlimited_quota: true } });
    const statusOf = async (model: string) => {
      const answer = await fetch(`${application.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer sk-${token?.key}` },
        body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hello' }] }),
      });
      await answer.text();
      return answer.status;
    };
    expect(await statusOf('gpt-4.1-mini')).toBe(200);
    expect(await statusOf('gpt-4o-mini')).toBe(200);
    expect(await statusOf('gpt-4o-mini')).toBe(200);
    expect(await statusOf('gpt-4o-mini')).toBe(429);

    await using at = await open(`/channel/${id}`);
    const { page, problems } = at;
    const rows = page.getByRole('table', { name: 'Upstream limits' }).locator('tbody').getByRole('row');
    await rows.first().waitFor();
    const [paused = '', other = ''] = await rows.allInnerTexts();
    expect(paused).toMatch(/^gpt-4o-mini\s+paused until \d\d:\d\d:\d\d · request limit\s+0 of 2/);
    expect(other).toMatch(/^gpt-4\.1-mini\s+not paused\s+1 of 2/);
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(problems).toEqual([]);

    await page.goto(`/channel/${direct}`);
    await page.getByRole('heading', { level: 1, name: 'direct' }).waitFor();
    await page.getByRole('heading', { name: 'Facts' }).waitFor();
    expect(await page.getByText('Upstream limits').count()).toBe(0);
  } finally {
    await mock.stop();
  }
});

testLooks.each(['en', 'zh'] as const)(
  'on the phone nothing is wider than the screen (%p)',
  async (language) => {
    await using at = await open(`/channel/${off}`, { viewport: PHONE, language, theme: 'dark' });
    const { page, problems } = at;
    await page.getByRole('alert').waitFor();
    expect(await fitsWidth(page)).toBe(true);
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(problems).toEqual([]);
  },
);
