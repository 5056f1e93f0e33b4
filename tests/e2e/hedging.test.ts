// Hedged calls in a browser: switched on for a virtual model, limited in the settings, and read in the log and the margins. Beside them
// what the cache of the prompt saved, and the virtual model in the price list.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { ROLE } from '#contract/access.ts';
import { cacheCells } from '#server/admin/margins/index.ts';
import { follow } from '#server/money/sums/engine.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { accessibilityViolations, eventually, fitsWidth, PHONE, visit } from '#tests/support/browser.ts';
import { addChannel } from '#tests/support/channels.ts';
import { eachLook } from '#tests/support/looks.ts';
import { behaviourMessage, startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';
import { confirmed, control, save } from './settings-support.ts';

setDefaultTimeout(240_000);

const MODEL = 'gpt-4o-mini';
/** As many streams as are measured before any is hedged. */
const MEASURED = 20;
let app: TestApplication;
/** Of the channel that is tried first, and of the other one. */
let first: MockUpstream;
let second: MockUpstream;
let root: Actor;
let key: string;

beforeAll(async () => {
  first = startMockUpstream();
  second = startMockUpstream();
  app = await startApplication({ settings: { RetryTimes: '0', HedgeMostMilliseconds: '1500' } });
  root = await app.actor({ username: 'boss', role: ROLE.root, quota: 50_000_000 });
  const buy_price = JSON.stringify({ kind: 'list', multiplier: 0.8 });
  const channel = (name: string, base_url: string, priority: number) =>
    addChannel(app.store, { name, base_url, priority, models: [MODEL], fields: { buy_price } });
  await channel('near', first.url, 10);
  await channel('far', second.url, 0);
  const [token] = await app.client(root).tokens.create({ body: { name: 'key', unlimited_quota: true } });
  key = token?.key ?? '';
});
afterAll(async () => {
  await app.close();
  await Promise.all([first.stop(), second.stop()]);
});

const open = (path: string, more: object = {}) =>
  visit(app, { as: root, language: 'en', viewport: { width: 1440, height: 900 }, ...more }).then(
    async (at) => {
      await at.page.goto(path);
      return at;
    },
  );

async function stream(content: string): Promise<void> {
  const answer = await fetch(`${app.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { Authorization: `Bearer sk-${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ model: 'quick', stream: true, messages: [{ role: 'user', content }] }),
  });
  expect([answer.status, await answer.text()][0]).toBe(200);
}

/** The newest row of the log, opened. */
async function openNewest(page: Page): Promise<void> {
  await page.goto('/log');
  await page
    .getByRole('row', { name: new RegExp(MODEL) })
    .first()
    .click();
}

describe('hedged calls', () => {
  test('switched on for a virtual model and limited in the settings; the log row and the margins say what happened', async () => {
    await using at = await open('/virtual-model?new=1');
    const { page, problems } = at;
    const form = page.getByRole('complementary', { name: 'New virtual model' });
    await form.getByRole('textbox', { name: /^Name/ }).fill('quick');
    await form.getByRole('combobox', { name: 'Model of target 1' }).fill(MODEL);
    await form.getByRole('switch', { name: /^Try a late stream/ }).click();
    await form.getByRole('button', { name: 'Create' }).click();
    await page.waitForURL('**/virtual-model/quick');
    expect((await app.client(root).virtualModels.list())[0]?.hedge).toBe(true);

    await confirmed(app, root, Math.floor(Date.now() / 1000));
    await page.goto('/setting?tab=operation&section=general');
    await control(page, 'HedgeSharePercent').fill('50');
    await save(page);
    await eventually(
      async () => app.settings.current.HedgeSharePercent === 50,
      'the share of hedged calls is saved',
    );

    for (let index = 0; index < MEASURED; index += 1) await stream('hello');
    const usage = { inputTokens: 1500, cachedInputTokens: 1000, outputTokens: 5 };
    await stream(behaviourMessage({ text: 'so be it', usage }, 'again and again '.repeat(500)));
    const stop = first.behave({ headersDelayMilliseconds: 20_000 });
    await stream('hurry');
    stop();
    const { db } = app.store;
    const rows = () => db.selectFrom('logs').select('other').where('type', '=', 2).execute();
    await eventually(async () => (await rows()).length === MEASURED + 2, 'the last call is in the log');
    expect((await rows()).at(-1)?.other).toContain('"hedge":{"after"');

    await openNewest(page);
    await page
      .locator('dd', { hasText: /hedged after [\d.]+ s: the second channel answered first/ })
      .waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);

    await follow(app.store, cacheCells(app.store));
    await page.goto('/margins');
    await page.getByText(/The cost includes .* for 1 attempt beaten by a quicker channel\./).waitFor();
    await page.getByText(/of prompt tokens \(1,000\) were read from the upstream cache\./).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.goto(`/model/${MODEL}`);
    await page.getByText(/of prompt tokens \(1,000\) were read/).waitFor();
    await page.goto('/pricing?model=quick');
    await page.getByText('Chooses among').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  test.each([...eachLook(['en', 'zh'] as const)])(
    'on the phone nothing is wider than the screen (%p)',
    async (language) => {
      await using at = await open('/margins', { viewport: PHONE, language });
      const { page, problems } = at;
      for (const path of [
        '/margins?by=model',
        `/model/${MODEL}`,
        '/channel/1',
        '/pricing',
        '/pricing?model=quick',
      ]) {
        await page.goto(path);
        await page.getByText(MODEL).filter({ visible: true }).first().waitFor();
        expect([path, await fitsWidth(page)]).toEqual([path, true]);
        expect(await accessibilityViolations(page)).toEqual([]);
      }
      expect(problems).toEqual([]);
    },
  );
});
