// A cold visit in waves: everything that is asked for at the same time is answered together, so that a wave is what had to wait for
// the one before it. That is the time on a slow network, whatever the machine.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page, Request, Route } from 'playwright-core';
import { ROLE } from '#contract/access.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { eventually, PHONE, visit } from '#tests/support/browser.ts';
import { addChannel } from '#tests/support/channels.ts';

setDefaultTimeout(120_000);

const WIDE = { width: 1440, height: 900 };
/** Document; frame; page, words and first answers; answers of the page. */
const MOST_WAVES = 4;
const QUIET_MILLISECONDS = 500;

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
  /** Answers the next wave; false: nothing waits. */
  next: () => Promise<boolean>;
}

/** The page has done what it can without another answer. */
async function rest(page: Page, count: () => number): Promise<void> {
  let before = -1;
  while (before !== count()) {
    before = count();
    // The document may not be there yet.
    await page.evaluate('new Promise((resolve) => requestIdleCallback(resolve))').catch(() => undefined);
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
    async next() {
      await rest(page, () => total);
      if (waiting.length === 0) return false;
      const wave = waiting;
      waiting = [];
      asked.push(wave.map((route) => new URL(route.request().url()).pathname));
      await Promise.all(wave.map((route) => route.continue()));
      await eventually(
        () => Promise.resolve(wave.every((route) => ended.has(route.request()))),
        'the answers of the wave have come',
      );
      await rest(page, () => total);
      return true;
    },
  };
}

/** Answers wave after wave until the text is shown; the waves that it took. */
async function wavesUntil(page: Page, path: string, shown: string): Promise<string[][]> {
  const waves = await inWaves(page);
  void page.goto(path).catch(() => undefined);
  const text = page.getByRole('main').getByText(shown).first();
  while ((await waves.next()) && !(await text.isVisible().catch(() => false))) {
    if (waves.asked.length > 12) break;
  }
  return waves.asked;
}

describe('a cold visit takes few waves', () => {
  for (const [path, who, shown] of [
    ['/token', 'customer', 'alpha'],
    ['/overview', 'customer', 'alpha'],
    ['/overview', 'root', 'Needs you'],
    ['/detail', 'customer', 'No calls'],
    ['/topup', 'customer', '$10.00'],
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
      expect(asked.slice(MOST_WAVES)).toEqual([]);
      expect(asked.length).toBeGreaterThan(1);
      expect(at.problems).toEqual([]);
    });
});

test('nothing in the top bar moves after it is there: the bell and the balance have their place', async () => {
  await using at = await visit(application, { as: customer, language: 'en', viewport: WIDE, fresh: true });
  const { page } = at;
  const waves = await inWaves(page);
  void page.goto('/token').catch(() => undefined);
  const search = page.getByRole('button', { name: 'Search or jump to' });
  const places = new Set<string>();
  let times = 0;
  while (await waves.next()) {
    if (!(await search.isVisible().catch(() => false))) continue;
    places.add(JSON.stringify(await search.boundingBox()));
    times += 1;
  }
  await page.getByRole('main').getByText('alpha').first().waitFor();
  expect(times).toBeGreaterThan(1);
  expect([...places]).toHaveLength(1);
});

for (const viewport of [WIDE, PHONE])
  test(`before its code is there a user sees the outline of the console at ${viewport.width}`, async () => {
    await using at = await visit(application, { as: customer, language: 'en', viewport, fresh: true });
    const { page } = at;
    const held: Route[] = [];
    await page.route(/\.(js|css)$/, (route) =>
      route.request().url().endsWith('/theme.js') ? route.continue() : void held.push(route),
    );
    await page.goto('/overview', { waitUntil: 'commit' });
    await page.locator('.boot-frame').waitFor();
    expect(await page.locator('svg.boot').isVisible()).toBe(false);
    await page.unroute(/\.(js|css)$/);
    await Promise.all(held.map((route) => route.continue()));
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    expect(await page.locator('.boot-frame').count()).toBe(0);
  });
