// What is on the screen equals sums made straight from the log and the ledger, to the unit: overview, dashboard, margins,
// statement and price pages, in two zones of the site with a browser in a third one; and charts are drawn to scale.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Locator, Page } from 'playwright-core';
import { SPENT_DAYS } from '#contract/admin/overview.ts';
import { monthAt, monthSpan } from '#contract/month.ts';
import { bookSite, MODELS, ZONES, type BookedSite } from '#tests/integration/admin/figures/site.ts';
import {
  balanceAt,
  cameIn,
  dayOf,
  moneyBy,
  moneyIn,
  readBooks,
  total,
  type Books,
  type Days,
  type Money,
} from '#tests/integration/admin/figures/sums.ts';
import { startMockUpstream } from '#mock/upstream/index.ts';
import { startApplication, type Actor } from '#tests/support/application.ts';
import { accessibilityViolations, eventually, visit, type Visit } from '#tests/support/browser.ts';
import { addChannel } from '#tests/support/channels.ts';
import { expectBars, expectHourPosts, expectSparkbars } from './chart-pixels.ts';

setDefaultTimeout(240_000);

/** Neither the site's zone nor UTC; its midnight is another one. */
const BROWSER_ZONE = 'Europe/Athens';
const DAY = 86_400;

let site: BookedSite;
let books: Books;
beforeAll(async () => {
  site = await bookSite('sqlite');
  books = await readBooks(site.shop.app.store);
});
afterAll(async () => {
  for (const opened of visits.values()) await opened.close();
  await site.shop.close();
});

const visits = new Map<number, Visit>();

/** One browser for each reader: what it has loaded stays there. */
async function open(path: string, as: Actor): Promise<Visit> {
  let opened = visits.get(as.id);
  if (opened === undefined) {
    opened = await visit(site.shop.app, {
      as,
      language: 'en',
      viewport: { width: 1600, height: 1200 },
      fresh: true,
    });
    const session = await opened.context.newCDPSession(opened.page);
    await session.send('Emulation.setTimezoneOverride', { timezoneId: BROWSER_ZONE });
    visits.set(as.id, opened);
  }
  await opened.page.goto(path);
  return opened;
}

const inZone = (zone: string) => site.shop.app.settings.set('SiteTimeZone', zone, 0);
const now = () => Math.floor(Date.now() / 1000);

/** A hundred units are a dollar: every unit is on the screen. */
function dollars(units: number): string {
  const [whole = '', cents = ''] = (Math.abs(units) / 100).toFixed(2).split('.');
  return `${units < 0 ? '−' : ''}$${Number(whole).toLocaleString('en-US')}.${cents}`;
}

const plain = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** As they are shown: a hidden cell has no text. */
async function cellsOf(rows: Locator): Promise<string[][]> {
  const found = await rows.all();
  return await Promise.all(
    found.map(async (row) => (await row.locator('th, td').allInnerTexts()).map(plain)),
  );
}

const daysBack = (zone: string, count: number): string[] =>
  Array.from({ length: count }, (_, back) => dayOf(zone, now() - (count - 1 - back) * DAY));

/** As the overview says it; what is zero is left out. */
function sentenceOf(days: Days): string {
  const { used, cost, fees, margin, unknown } = moneyIn(books, days);
  const came = cameIn(books, days).map(({ minor }) => `¥${(minor / 100).toFixed(2)}`);
  const moved = [
    ...came.map((amount) => `${amount} came in`),
    ...(used === 0 ? [] : [`${dollars(used)} was used`]),
    ...(cost + fees === 0 ? [] : [`it cost ${dollars(cost + fees)}`]),
  ];
  const made = [
    ...(margin === 0
      ? []
      : [margin < 0 ? `${dollars(-margin)} is certain loss` : `${dollars(margin)} is certain margin`]),
    ...(unknown === 0 ? [] : [`the cost of ${dollars(unknown)} is unknown`]),
  ];
  return [moved, made]
    .map((part) => part.join(', '))
    .filter(Boolean)
    .join('; ');
}

const channelName = (id: string): string =>
  books.channels.find((channel) => String(channel.id) === id)?.name ?? '';

for (const zone of ZONES)
  describe(zone, () => {
    beforeAll(() => inZone(zone));

    test.each(['today', 'yesterday', 'month'] as const)(
      'the overview says the money of: %s',
      async (name) => {
        const today = dayOf(zone, now());
        const yesterday = dayOf(zone, now() - DAY);
        const [from, to] = {
          today: [today, today] as const,
          yesterday: [yesterday, yesterday] as const,
          month: [`${today.slice(0, 7)}-01`, today] as const,
        }[name];
        const { page, problems } = await open(`/overview?day=${name}&open=margin`, site.admin);
        const days = { zone, from, to };
        await page.getByRole('heading', { name: 'Certain margin' }).waitFor();
        expect(plain(await page.locator('main').innerText())).toContain(`${sentenceOf(days)}.`);
        const table = await cellsOf(page.getByRole('region', { name: 'Certain margin' }).locator('tbody tr'));
        const own = [...moneyBy(books, days, 'channel')]
          .filter(([, { calls, unknownCalls, fees }]) => calls > unknownCalls || fees > 0)
          .map(([id, { used, unknown, cost, fees, margin }]) => [
            channelName(id),
            dollars(used - unknown),
            dollars(cost + fees),
            dollars(margin),
          ]);
        expect(
          table.map(([channel, used, cost, , margin]) => [channel, used, cost, margin]).toSorted(),
        ).toEqual(own.toSorted());
        expect(problems).toEqual([]);
      },
    );

    test('the month’s tiles of the overview', async () => {
      const today = dayOf(zone, now());
      const at = await open('/overview', site.admin);
      const { page } = at;
      await page.getByText('Owed to users').first().waitFor();
      const month = { zone, from: `${today.slice(0, 7)}-01`, to: today };
      const { used, cost, fees, margin, unknown } = moneyIn(books, month);
      const valueOf = async (name: string) =>
        plain(
          await page
            .locator('dl > div')
            .filter({ has: page.locator('dt', { hasText: name }) })
            .locator('dd')
            .first()
            .innerText(),
        ).replace(' ', '');
      expect({
        used: await valueOf('Used'),
        cost: await valueOf('Cost'),
        margin: await valueOf('Certain margin'),
        unknown: await valueOf('Cost unknown'),
        owed: await valueOf('Owed to users'),
      }).toEqual({
        used: dollars(used),
        cost: dollars(cost + fees),
        margin: dollars(margin),
        unknown: dollars(unknown),
        owed: dollars(
          total(
            books.users.filter(({ role }) => role < 10),
            ({ quota }) => quota,
          ),
        ),
      });
    });

    test('the dashboard: each day’s column, its pixels, and the share of each model', async () => {
      const at = await open('/detail?days=7&by=day', site.admin);
      const { page, problems } = at;
      const share = page.getByRole('table', { name: 'Share' });
      await share.waitFor();
      const days = daysBack(zone, 7);
      const span = { zone, from: days[0] ?? '', to: days.at(-1) ?? '' };
      const byDay = moneyBy({ ...books, fees: [] }, span, 'day');
      const labels = await page
        .getByRole('link', { name: /^Log of \d\d-\d\d, / })
        .evaluateAll((links) => links.map((link) => link.getAttribute('aria-label')));
      expect(labels).toEqual(
        days.map((day) => `Log of ${day.slice(5)}, ${dollars(byDay.get(day)?.used ?? 0)}`),
      );
      const models = [...moneyBy({ ...books, fees: [] }, span, 'model')].toSorted(
        ([, left], [, right]) => right.used - left.used,
      );
      expect((await cellsOf(share.getByRole('row'))).map(([name, , amount]) => [name, amount])).toEqual(
        models.map(([name, { used }]) => [name, dollars(used)]),
      );
      const spend = page.locator('dl > div').filter({ has: page.locator('dt', { hasText: 'Spend' }) });
      const all = moneyIn({ ...books, fees: [] }, span);
      expect(plain(await spend.innerText())).toContain(dollars(all.used));
      await expectToScale(page, { days, byDay });
      expect(problems).toEqual([]);
    });

    test.each(['channel', 'model', 'day'] as const)(
      'D8 margins by %s, and the chart to scale',
      async (by) => {
        const days = daysBack(zone, 30);
        const span = { zone, from: days[0] ?? '', to: days.at(-1) ?? '' };
        const { page, problems } = await open(`/margins?by=${by}&days=30`, site.admin);
        await page.getByRole('math').waitFor();
        const rows = page.getByRole('table', { name: 'Margin table' }).locator('tbody tr');
        const own = moneyBy(books, span, by);
        const nameOf = (key: string) => (by === 'channel' ? `${channelName(key)} #${key}` : key);
        const shown = (await cellsOf(rows)).map((cells) => cells.slice(0, 6));
        expect(shown.toSorted()).toEqual(
          [...own].map(([key, money]) => [nameOf(key), ...amountsOf(money)]).toSorted(),
        );
        const { used, cost, fees, margin, unknown } = moneyIn(books, span);
        const equation = plain(await page.getByRole('math').innerText());
        for (const amount of [used, cost + fees, margin, unknown])
          expect(equation).toContain(dollars(amount));
        await expectMarginsToScale(page, days, moneyBy(books, span, 'day'));
        await expectLossesLeft(rows, [...own.values()]);
        const wide = page.viewportSize();
        // A phone gives links room for a finger, which must not move the columns off their line.
        await page.setViewportSize({ width: 375, height: 812 });
        await expectMarginsToScale(page, days, moneyBy(books, span, 'day'));
        if (wide) await page.setViewportSize(wide);
        expect(problems).toEqual([]);
      },
    );

    test('a customer’s overview: the balance, today and yesterday', async () => {
      const at = await open('/overview', site.alice);
      const { page, problems } = at;
      await page.getByText('The balance of').first().waitFor();
      const own = books.calls.filter(({ user_id }) => user_id === site.alice.id);
      const usedOn = (day: string) =>
        total(
          own.filter(({ created_at }) => dayOf(zone, created_at) === day),
          ({ quota }) => quota,
        );
      const text = async () => plain(await page.locator('main').innerText()).toLowerCase();
      const [yesterday = '', today = ''] = daysBack(zone, 2);
      const balance = dollars(balanceAt(books, site.alice.id, Infinity));
      // What a dollar is comes with the status of the site.
      await eventually(async () => (await text()).includes(balance), `the balance ${balance}`);
      expect(await text()).toContain(`today ${dollars(usedOn(today))} was used`);
      if (usedOn(yesterday) > 0) expect(await text()).toContain(`yesterday ${dollars(usedOn(yesterday))}`);
      const { pace } = await site.shop.app.client(site.alice).overview.self();
      const past = daysBack(zone, SPENT_DAYS).map(usedOn);
      const ahead = Array.from({ length: Math.min(30, pace.days_left ?? 0) }, () => pace.per_day);
      expect(ahead.length).toBeGreaterThan(0);
      const runway = page.getByRole('img', { name: 'Spend by day, then the forecast' });
      await expectBars(runway.locator('> div').first(), [...past, ...ahead], Math.max(...past, pace.per_day));
      expect(problems).toEqual([]);
    });

    test('the month by day: what was used, and margins with losses under the line', async () => {
      const { page, problems } = await open('/overview?day=month', site.admin);
      await page
        .getByRole('heading', { name: 'Certain margin' })
        .or(page.getByText('Certain margin'))
        .first()
        .waitFor();
      const count = Math.min(16, Number(dayOf(zone, now()).slice(8)));
      const days = daysBack(zone, count);
      const byDay = moneyBy(books, { zone, from: days[0] ?? '', to: days.at(-1) ?? '' }, 'day');
      const chartOf = (name: string) => page.getByRole('img', { name: `${name} by day` });
      if (count === 1) expect(await chartOf('Used').count()).toBe(0);
      else
        for (const [name, key] of [
          ['Used', 'used'],
          ['Certain margin', 'margin'],
          ['Cost unknown', 'unknown'],
        ] as const) {
          await chartOf(name).waitFor();
          await expectSparkbars(
            chartOf(name),
            days.map((day) => byDay.get(day)?.[key] ?? 0),
          );
        }
      expect(problems).toEqual([]);
    });

    test('the page of a supplier: its money is that of margins on the days of the site, a channel is a click away', async () => {
      const { id, name } = await site.shop.app.store.db
        .selectFrom('suppliers')
        .select(['id', 'name'])
        .executeTakeFirstOrThrow();
      const days = daysBack(zone, 7);
      const [from = '', to = ''] = [days[0], days.at(-1)];
      const own = moneyBy(books, { zone, from, to }, 'supplier').get(String(id));
      const { page, problems } = await open(`/suppliers/${id}`, site.admin);
      await page.getByRole('heading', { level: 1, name }).waitFor();
      const money = page.getByRole('region', { name: 'Channels and money' });
      await eventually(
        async () => plain(await money.innerText()).includes(dollars(own?.used ?? 0)),
        `what was used, ${dollars(own?.used ?? 0)}`,
      );
      const text = plain(await money.innerText());
      expect(text).toContain(`${from} to ${to} (${zone})`);
      for (const amount of [(own?.cost ?? 0) + (own?.fees ?? 0), own?.margin ?? 0])
        expect(text).toContain(dollars(amount));
      expect(await accessibilityViolations(page)).toEqual([]);
      await money.getByRole('link', { name: 'loser' }).click();
      await page.waitForURL(/\/channel\/\d+$/);
      await page.getByRole('heading', { level: 1, name: 'loser' }).waitFor();
      expect(await page.getByText(`${from} to ${to} (${zone})`, { exact: false }).count()).toBeGreaterThan(0);
      expect(problems).toEqual([]);
    });
  });

test('the 24 posts of a channel are as high as its calls of each hour, failures included', async () => {
  const [channel] = books.channels;
  const id = channel?.id ?? 0;
  const hour = now() - (now() % 3600);
  const calls: [attempts: number, failures: number][] = [
    [0, 0],
    [1, 0],
    [3, 3],
    [40, 1],
    [97, 48],
    [260, 0],
    [500, 499],
    [733, 20],
  ];
  await site.shop.app.store.db
    .insertInto('channel_hours')
    .values(
      calls.map(([attempts, failures], back) => ({
        channel_id: id,
        hour: hour - back * 2 * 3600,
        attempts,
        failures,
        broken: 0,
      })),
    )
    .execute();
  const { page, problems } = await open(`/channel/${id}`, site.admin);
  const list = page.getByRole('list', { name: 'Calls over time' });
  await list.waitFor();
  const posts = Array.from({ length: 24 }, (_, at) => {
    const back = (23 - at) / 2;
    const [attempts, failures] = (Number.isInteger(back) ? calls[back] : undefined) ?? [0, 0];
    return { answered: attempts - failures, failed: failures };
  });
  await expectHourPosts(list, posts);
  expect(problems).toEqual([]);
});

test('a statement has every movement of the ledger in units', async () => {
  const month = monthAt(now());
  const { start, end } = monthSpan(month);
  for (const user of [site.alice, site.bob]) {
    const at = await open(`/statement?month=${month}`, user);
    const { page, problems } = at;
    const sheet = page.getByRole('article', { name: 'Statement' });
    await sheet.getByRole('cell', { name: 'Closing balance' }).waitFor();
    const rows = await cellsOf(sheet.locator('table').first().locator('tbody tr'));
    const units = rows.map(([, , amount = '']) => Number(amount.replaceAll(',', '').replace('−', '-')));
    const opening = balanceAt(books, user.id, start);
    const closing = balanceAt(books, user.id, end);
    expect([units[0], units.at(-1)]).toEqual([opening, closing]);
    expect(total(units.slice(1, -1), (amount) => amount)).toBe(closing - opening);
    const calls = books.calls.filter(
      ({ user_id, created_at }) => user_id === user.id && created_at >= start && created_at < end,
    );
    const models = await cellsOf(sheet.locator('table').nth(1).locator('tbody tr'));
    for (const model of MODELS) {
      const of = calls.filter(({ model_name }) => model_name === model);
      const row = models.find(([name]) => name === model);
      expect(row?.slice(1)).toEqual(
        [
          of.length,
          total(of, ({ prompt_tokens }) => prompt_tokens),
          total(of, ({ completion_tokens }) => completion_tokens),
          // With all its digits.
          dollars(total(of, ({ quota }) => quota)) + '0000',
        ].map((value) => (typeof value === 'number' ? value.toLocaleString('en-US') : value)),
      );
    }
    expect(problems).toEqual([]);
  }
});

const amountsOf = ({ calls, used, cost, fees, margin, unknownCalls }: Money): string[] => {
  const isUnknown = calls > 0 && unknownCalls === calls && fees === 0;
  return [
    calls.toLocaleString('en-US'),
    dollars(used),
    isUnknown ? 'unknown' : dollars(cost),
    dollars(fees),
    isUnknown ? 'unknown' : dollars(margin),
  ];
};

/** The columns of the dashboard against its own axis. */
async function expectToScale(page: Page, { days, byDay }: { days: string[]; byDay: Map<string, Money> }) {
  const drawn = await page.locator('[data-model]').evaluateAll((parts) =>
    [...Map.groupBy(parts, (part) => part.parentElement)].map(([column, own]) => ({
      plot: column?.clientHeight ?? 0,
      sum: own.reduce((sum, part) => sum + part.getBoundingClientRect().height, 0),
    })),
  );
  const columns = days.map((day) => byDay.get(day)?.used ?? 0).filter((used) => used > 0);
  expect(drawn).toHaveLength(columns.length);
  // One scale for all of them: the tallest column gives it.
  const scale = Math.max(...drawn.map(({ sum }) => sum)) / Math.max(...columns);
  for (const [at, used] of columns.entries())
    expect(Math.abs((drawn[at]?.sum ?? 0) - used * scale)).toBeLessThan(1);
}

/** The parts of each column of the margins: used above the line, a loss below it, in pixels of one scale and at their place. */
async function expectMarginsToScale(page: Page, days: readonly string[], own: Map<string, Money>) {
  // The chart may come after the rows.
  await page.locator('figure [data-day]').first().waitFor({ state: 'attached' });
  const drawn = await page.locator('figure [data-day]').evaluateAll((columns) =>
    columns.map((column) => ({
      day: column.getAttribute('data-day') ?? '',
      plot: column.getBoundingClientRect().height,
      parts: Object.fromEntries(
        [...column.querySelectorAll('[data-part]')].map((part) => [
          part.getAttribute('data-part') ?? '',
          part.getBoundingClientRect().height,
        ]),
      ),
      /** Where the cost ends, from the top of the plot. */
      base: [...column.querySelectorAll('[data-part="cost"]')].map(
        (part) => part.getBoundingClientRect().bottom - column.getBoundingClientRect().top,
      ),
    })),
  );
  expect(drawn.map(({ day }) => day)).toEqual([...days]);
  const partsOf = (day: string): Record<string, number> => {
    const { used = 0, cost = 0, fees = 0, margin = 0, unknown = 0 } = own.get(day) ?? {};
    return {
      cost: Math.min(used - unknown, cost + fees),
      margin: Math.max(0, margin),
      unknown,
      loss: Math.max(0, -margin),
    };
  };
  const above = (day: string) => {
    const { cost = 0, margin = 0, unknown = 0 } = partsOf(day);
    return cost + margin + unknown;
  };
  const top = Math.max(...days.map(above));
  const bottom = Math.max(...days.map((day) => partsOf(day)['loss'] ?? 0));
  expect(bottom).toBeGreaterThan(0);
  for (const { day, plot, parts } of drawn)
    for (const [name, amount] of Object.entries(partsOf(day)))
      expect([day, name, Math.abs((parts[name] ?? 0) - (amount / (top + bottom)) * plot) < 1]).toEqual([
        day,
        name,
        true,
      ]);
  for (const { day, plot, base } of drawn)
    for (const bottomOfCost of base)
      expect([day, Math.abs(bottomOfCost - (top / (top + bottom)) * plot) < 1]).toEqual([day, true]);
}

/** Bars begin in the middle: to the right for what was earned, to the left for what was lost. */
async function expectLossesLeft(rows: Locator, own: readonly Money[]) {
  const bars = await rows.locator('td [aria-hidden] > i').evaluateAll((found) =>
    found.map((bar) => {
      const drawn = bar.getBoundingClientRect();
      const whole = bar.parentElement?.getBoundingClientRect() ?? drawn;
      const middle = whole.left + whole.width / 2;
      return { left: drawn.left - middle, right: drawn.right - middle };
    }),
  );
  expect(bars.filter(({ left, right }) => left < -0.1 && right > 0.1)).toEqual([]);
  expect(bars.filter(({ left }) => left < -0.1)).toHaveLength(
    own.filter(({ used, unknown, margin }) => used - unknown > 0 && margin < 0).length,
  );
}

const PRICED = { 'delta-large': { ratio: 2.5, completion: 2 }, 'delta-small': { ratio: 0.5, completion: 8 } };
const GROUP_RATIO = 1.2;

test('price pages: what they say is what a call is charged', async () => {
  const upstream = startMockUpstream();
  const application = await startApplication({
    settings: {
      GroupRatio: JSON.stringify({ default: GROUP_RATIO }),
      ModelRatio: JSON.stringify(Object.fromEntries(named(({ ratio }) => ratio))),
      CompletionRatio: JSON.stringify(Object.fromEntries(named(({ completion }) => completion))),
    },
  });
  try {
    const { store } = application;
    await addChannel(store, { base_url: upstream.url, models: Object.keys(PRICED) });
    const buyer = await application.actor({ username: 'buyer', quota: 50_000_000 });
    const [token] = await application
      .client(buyer)
      .tokens.create({ body: { name: 'key', unlimited_quota: true } });
    for (const model of Object.keys(PRICED)) {
      const answer = await fetch(`${application.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer sk-${token?.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hello' }] }),
      });
      expect([model, answer.status]).toEqual([model, 200]);
      await answer.text();
    }
    const charged = await store.db.selectFrom('logs').selectAll().where('type', '=', 2).execute();
    expect(charged).toHaveLength(2);
    await using visitor = await visit(application, {
      language: 'en',
      viewport: { width: 1440, height: 900 },
    });
    await visitor.page.goto('/models');
    await using reader = await visit(application, {
      as: buyer,
      language: 'en',
      viewport: { width: 1440, height: 900 },
    });
    await reader.page.goto('/pricing');
    for (const { model_name: model, prompt_tokens, completion_tokens, quota } of charged) {
      const catalogue = visitor.page.getByRole('row', { name: new RegExp(model) });
      await catalogue.waitFor();
      const list = reader.page.getByRole('row', { name: new RegExp(model) }).first();
      await list.waitFor();
      const pages = {
        catalogue: pricesIn(await catalogue.innerText()),
        list: pricesIn(await list.innerText()),
        model: pricesIn(
          (
            await (
              await fetch(`${application.url}/models/${model}?lang=en`, { headers: { accept: 'text/html' } })
            ).text()
          ).replaceAll(/<[^>]*>/g, ''),
        ),
      };
      for (const [page, prices] of Object.entries(pages)) {
        // Input, cached input, output; a unit is two millionths of a dollar, and a charge is a whole number of them.
        const isExplained = prices.some((input) =>
          prices.some(
            (output) => Math.abs((prompt_tokens * input + completion_tokens * output) / 2 - quota) < 1,
          ),
        );
        expect({ page, model, prices, isExplained }).toEqual({ page, model, prices, isExplained: true });
      }
    }
  } finally {
    await application.close();
    await upstream.stop();
  }
});

const named = <Value>(of: (price: { ratio: number; completion: number }) => Value): [string, Value][] =>
  Object.entries(PRICED).map(([model, price]) => [model, of(price)]);

const pricesIn = (text: string): number[] =>
  [...text.matchAll(/\$\s*(\d[\d,]*(?:\.\d+)?)/g)].map(([, digits = '']) =>
    Number(digits.replaceAll(',', '')),
  );
