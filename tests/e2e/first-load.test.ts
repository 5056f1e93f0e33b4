// A cold visit in waves: everything that is asked for at the same time is answered together, so that a wave is what had to wait for
// the one before it. That is the time on a slow network, whatever the machine.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page, Request, Route } from 'playwright-core';
import { ROLE } from '#contract/access.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { eventually, PHONE, visit } from '#tests/support/browser.ts';
import { addChannel } from '#tests/support/channels.ts';

setDefaultTimeout(180_000);

const WIDE = { width: 1440, height: 900 };
/** Document; frame; page, words and first answers; answers of the page. */
const MOST_WAVES = 4;
const QUIET_MILLISECONDS = 250;

let application: TestApplication;
let root: Actor;
let customer: Actor;
beforeAll(async () => {
  application = await startApplication();
  await addChannel(application.store, { base_url: 'http://127.0.0.1:9', models: ['gpt-4o'], name: 'first' });
  root = await application.actor({ role: ROLE.root });
  customer = await application.actor({ username: 'paperboat', quota: 5_000_000 });
  for (const actor of [root, customer])
    await application.client(actor).tokens.create({ body: { name: 'alpha', unlimited_quota: true } });
});
afterAll(() => application.close());

interface Waves {
  asked: string[][];
  /** Answers what waits now, together. */
  answer: () => Promise<void>;
}

/** The page has done what it can without another answer. */
async function rest(page: Page, count: () => number): Promise<void> {
  for (let before = -1; before !== count();) {
    before = count();
    // Before the document is there nothing can be asked of it.
    const idle = page
      .evaluate('new Promise((resolve) => requestIdleCallback(resolve))')
      .catch(() => undefined);
    await Promise.race([idle, Bun.sleep(4 * QUIET_MILLISECONDS)]);
    await Bun.sleep(QUIET_MILLISECONDS);
  }
}

async function inWaves(page: Page): Promise<Waves> {
  let waiting: Route[] = [];
  let total = 0;
  const ended = new Set<Request>();
  page.on('requestfinished', (request) => ended.add(request));
  page.on('requestfailed', (request) => ended.add(request));
  await page.route('**/*', (route) => {
    waiting.push(route);
    total += 1;
  });
  const asked: string[][] = [];
  return {
    asked,
    async answer() {
      if (waiting.length === 0) return;
      await rest(page, () => total);
      const wave = waiting;
      waiting = [];
      asked.push(wave.map((route) => new URL(route.request().url()).pathname));
      await Promise.all(wave.map((route) => route.continue()));
      await eventually(
        () => Promise.resolve(wave.every((route) => ended.has(route.request()))),
        'the answers of the wave have come',
      );
    },
  };
}

/** Answers wave after wave until the text is shown; the waves that it took. */
async function wavesUntil(page: Page, path: string, shown: string): Promise<string[][]> {
  const waves = await inWaves(page);
  void page.goto(path).catch(() => undefined);
  const text = page.getByRole('main').getByText(shown).first();
  await eventually(async () => {
    if (waves.asked.length > 0 && (await text.isVisible())) return true;
    await waves.answer();
    return false;
  }, `${shown} is shown`);
  return waves.asked;
}

describe('D25 a cold visit takes few waves', () => {
  for (const [path, who, shown, most = MOST_WAVES] of [
    ['/token', 'customer', 'alpha'],
    ['/overview', 'customer', 'alpha'],
    ['/overview', 'root', 'Needs you'],
    ['/detail', 'customer', 'No data for this period yet'],
    // Its parts bring their styles themselves: not every visitor needs each of them.
    ['/topup', 'customer', '$10.00', MOST_WAVES + 2],
  ] as const)
    test(`${path} of a ${who}`, async () => {
      await using at = await visit(application, {
        as: { root, customer }[who],
        language: 'en',
        viewport: WIDE,
        fresh: true,
      });
      const asked = await wavesUntil(at.page, path, shown);
      // The list says which file or call came late.
      expect(asked.slice(most)).toEqual([]);
      expect(asked.length).toBeGreaterThan(1);
      expect(at.problems).toEqual([]);
    });
});

test('D25 nothing in the top bar moves after it is there: the bell and the balance have their place', async () => {
  await using at = await visit(application, { as: customer, language: 'en', viewport: WIDE, fresh: true });
  const { page } = at;
  const waves = await inWaves(page);
  void page.goto('/token').catch(() => undefined);
  const search = page.getByRole('button', { name: 'Search or jump to' });
  const row = page.getByRole('main').getByText('alpha').first();
  const places: string[] = [];
  await eventually(async () => {
    if (waves.asked.length > 0 && (await search.isVisible()))
      places.push(JSON.stringify(await search.boundingBox()));
    await waves.answer();
    return places.length > 2 && (await row.isVisible());
  }, 'the page is whole');
  expect([...new Set(places)]).toHaveLength(1);
});

for (const viewport of [WIDE, PHONE])
  test(`before its code is there a user sees the outline of the console at ${viewport.width}`, async () => {
    await using at = await visit(application, { as: customer, language: 'en', viewport, fresh: true });
    const { page } = at;
    const held: Route[] = [];
    let isOpen = false;
    await page.route(/\.(js|css)$/, (route) =>
      isOpen || route.request().url().endsWith('/theme.js') ? route.continue() : void held.push(route),
    );
    await page.goto('/overview', { waitUntil: 'commit' });
    await page.locator('.boot-frame').waitFor();
    expect(await page.locator('svg.boot').isVisible()).toBe(false);
    isOpen = true;
    await Promise.all(held.map((route) => route.continue()));
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    expect(await page.locator('.boot-frame').count()).toBe(0);
  });
