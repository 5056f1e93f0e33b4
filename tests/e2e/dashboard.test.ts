// The dashboard in a browser: figures, panels, their links to the log, scope of an admin, languages, themes, phone.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { ROLE } from '#contract/access.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { addChannel } from '#tests/support/channels.ts';
import {
  accessibilityViolations,
  eventually,
  fitsWidth,
  PHONE,
  screenshot,
  until,
  visit,
  type VisitOptions,
} from '#tests/support/browser.ts';
import { testLooks } from '#tests/support/looks.ts';

setDefaultTimeout(120_000);

const WIDE = { width: 1440, height: 900 };
const HOUR = 3600;
/** Columns of many parts, tall and small; parts of less than a pixel too. */
const STACKED = [
  { hoursAgo: 2, quotas: [800_000, 700_000, 600_000, 500_000, 400_000, 300_000, 200_000, 100_000, 90_000] },
  { hoursAgo: 4, quotas: [9000, 8000, 7000, 6000, 5000, 4000, 3000, 2000, 1000] },
  { hoursAgo: 6, quotas: [1_900_000, 100, 100, 100, 100, 100, 100, 100, 100] },
];

const now = Math.floor(Date.now() / 1000);
const thisHour = now - (now % HOUR);
const usage = (
  hoursAgo: number,
  user: Actor,
  columns: { model_name: string; quota: number; token_id?: number; error_count?: number },
) => ({
  hour: thisHour - hoursAgo * HOUR,
  user_id: user.id,
  token_id: 0,
  channel_id: 1,
  count: 60,
  prompt_tokens: 30_000,
  completion_tokens: 12_000,
  error_count: 0,
  use_time_ms: 90_000,
  first_token_ms: 30_000,
  ...columns,
});

let application: TestApplication;
let alice: Actor;
let bob: Actor;
let carol: Actor;
let admin: Actor;

beforeAll(async () => {
  application = await startApplication();
  alice = await application.actor({ username: 'alice', quota: 50_000_000 });
  bob = await application.actor({ username: 'bob' });
  carol = await application.actor({ username: 'carol' });
  admin = await application.actor({ username: 'boss', role: ROLE.admin });
  const [token] = await application.client(alice).tokens.create({ body: { name: 'prod-web' } });
  const token_id = token?.id ?? 0;
  await application.store.db
    .insertInto('usage_hours')
    .values([
      usage(1, alice, { model_name: 'gpt-4o', quota: 1_000_000, token_id }),
      usage(3, alice, { model_name: 'gpt-4o-mini', quota: 250_000, token_id, error_count: 20 }),
      usage(5, alice, { model_name: 'deepseek-chat', quota: 250_000 }),
      // The previous period.
      usage(30, alice, { model_name: 'gpt-4o', quota: 750_000, token_id }),
      usage(2, bob, { model_name: 'gpt-4o', quota: 5_000_000 }),
    ])
    .execute();
  await addChannel(application.store, { base_url: 'http://127.0.0.1:9', models: ['gpt-4o'], name: 'main' });
  const call = (user: Actor, hoursAgo: number, columns: Record<string, string | number>) => ({
    created_at: thisHour - hoursAgo * HOUR + 60,
    user_id: user.id,
    username: user.username,
    channel_id: 1,
    model_name: 'gpt-4o',
    type: 2,
    content: '',
    other: '{"use_ms":1500,"frt":500}',
    ...columns,
  });
  await application.store.db
    .insertInto('logs')
    .values([
      call(alice, 1, {}),
      call(alice, 1, {}),
      call(alice, 1, { other: '{"use_ms":9000,"frt":700}' }),
      ...Array.from({ length: 19 }, () => call(alice, 3, { type: 5, content: 'status 429', other: '{}' })),
      call(alice, 3, { type: 5, content: 'timeout', other: '{}' }),
    ])
    .execute();
});
afterAll(() => application.close());

async function open(options: VisitOptions & { path?: string } = {}) {
  const opened = await visit(application, { as: alice, viewport: WIDE, language: 'zh', ...options });
  await opened.page.goto(options.path ?? '/detail');
  await opened.page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
  return opened;
}

const tile = (page: Page, label: string) =>
  page.locator('dl > div').filter({ has: page.locator('dt', { hasText: label }) });
const words = async (page: Page, label: string) =>
  (await tile(page, label).innerText()).replaceAll(/\s+/g, ' ');

describe('the dashboard', () => {
  test('REL-2.20 REL-2.142 REL-2.153 shows the figures of the last day', async () => {
    await using stage = await open();
    const { page, problems } = stage;
    const menu = page.getByRole('navigation', { name: '侧边菜单' }).getByRole('link', { name: '数据看板' });
    expect(await menu.getAttribute('aria-current')).toBe('page');
    await page.getByRole('table', { name: '占比' }).waitFor();
    // 1,500,000 quota are 3 dollars; the day before it was 1.50.
    expect(await words(page, '消费')).toMatch(/消费 ↗ \+100\.0% \$3\.00/);
    // 2,250,000 in two of the last seven days, as the wallet and the overview say it, whatever the range.
    expect(await words(page, '余额')).toMatch(/\$100\.00 按近 7 天的用量可用 155 天/);
    expect(await words(page, '请求数')).toContain('180');
    expect(await words(page, 'Token')).toContain('126.0k');
    expect(await words(page, '成功率')).toContain('90.00% 失败 20 次');
    // 180 calls and 126,000 tokens in 1,440 minutes.
    expect(await words(page, '平均 RPM')).toContain('0.125 / 87.5');
    expect(problems).toEqual([]);
  });

  test('panels: share, requests, time, failures, time of day, tokens', async () => {
    await using stage = await open();
    const { page } = stage;
    const share = page.getByRole('table', { name: '占比' });
    expect((await share.getByRole('row').first().innerText()).replaceAll(/\s+/g, ' ')).toContain(
      'gpt-4o $2.00 66.7%',
    );
    const failures = (await page.getByRole('table', { name: '失败原因' }).innerText()).replaceAll(
      /\s+/g,
      ' ',
    );
    expect(failures).toContain('上游限流 429 19 95.0%');
    expect(failures).toContain('超时 1 5.0%');
    expect(await page.getByRole('table', { name: '消费最多的令牌' }).innerText()).toContain('prod-web');
    expect(await page.getByRole('table', { name: '消费最多的令牌' }).innerText()).toContain('操练场');
    await page.getByRole('img', { name: 'p95 9.00 s, p50 1.50 s, 首字 0.50 s' }).waitFor();
    expect(await page.getByText('渠道健康').count()).toBe(0);
    expect(await page.getByText('bob').count()).toBe(0);
  });

  test.each([
    ['a desktop', WIDE],
    ['a phone', PHONE],
  ])('D1 columns are as tall as the axis says, whatever they are made of, on %s', async (_on, viewport) => {
    await application.store.db
      .insertInto('usage_hours')
      .values(
        STACKED.flatMap(({ hoursAgo, quotas }) =>
          quotas.map((quota, index) => usage(hoursAgo, carol, { model_name: `model-${index}`, quota })),
        ),
      )
      .execute();
    await using stage = await open({ as: carol, viewport });
    const { page } = stage;
    await page.getByRole('table', { name: '占比' }).waitFor();
    await application.store.db.deleteFrom('usage_hours').where('user_id', '=', carol.id).execute();
    const drawn = await page.locator('[data-model]').evaluateAll((parts) =>
      [...Map.groupBy(parts, (part) => part.parentElement)].map(([column, own]) => {
        const boxes = own.map((part) => part.getBoundingClientRect());
        const plot = column?.clientHeight ?? 0;
        const foot = (column?.getBoundingClientRect().top ?? 0) + plot;
        return {
          plot,
          heights: boxes.map((box) => box.height),
          rise: foot - Math.min(...boxes.map((box) => box.top)),
        };
      }),
    );
    // 3,690,000 quota are 7.38 dollars: the axis ends at 8.
    const top = 4_000_000;
    expect(drawn).toHaveLength(STACKED.length);
    for (const { plot, heights, rise } of drawn) {
      const sum = heights.reduce((left, right) => left + right, 0);
      const quotas = STACKED.map((column) => column.quotas.reduce((left, right) => left + right, 0));
      const nearest = Math.min(...quotas.map((quota) => Math.abs((quota / top) * plot - rise)));
      expect(nearest).toBeLessThan(1);
      expect(Math.abs(sum - rise)).toBeLessThan(1);
    }
  });

  test('every mark opens the log with its filter', async () => {
    await using stage = await open();
    const { page } = stage;
    const model = page.getByRole('table', { name: '占比' }).getByRole('link', { name: 'gpt-4o-mini' });
    const address = new URL((await model.getAttribute('href')) ?? '', application.url);
    expect(address.pathname).toBe('/log');
    expect(address.searchParams.get('model')).toContain('gpt-4o-mini');
    const columns = page.getByRole('link', { name: /的日志，\$/ });
    expect(await columns.count()).toBe(24);
    const column = new URL((await columns.last().getAttribute('href')) ?? '', application.url);
    expect(Number(column.searchParams.get('to')) - Number(column.searchParams.get('from'))).toBe(HOUR - 1);
    const addressOf = async (mark: Locator) =>
      new URL((await mark.first().getAttribute('href')) ?? '', application.url);
    const part = await addressOf(page.locator('a[data-model="gpt-4o-mini"]'));
    expect(part.searchParams.get('model')).toContain('gpt-4o-mini');
    expect(Number(part.searchParams.get('to')) - Number(part.searchParams.get('from'))).toBe(HOUR - 1);
    const failure = await addressOf(page.getByRole('table', { name: '失败原因' }).getByRole('link'));
    expect(failure.searchParams.get('type')).toBe('5');
    expect(failure.searchParams.get('cause')).toBe('saturated');
    const heat = page.getByRole('link', { name: /次。查看 .* 的日志/ });
    // D24 the heat map covers a week: an hour of the day before is in it.
    await heat.nth(3).waitFor();
    expect(await heat.count()).toBe(4);
    const cell = await addressOf(heat);
    expect(Number(cell.searchParams.get('to')) - Number(cell.searchParams.get('from'))).toBe(HOUR - 1);
    const time = await addressOf(page.getByRole('link', { name: /p95 9\.00 s/ }));
    expect(time.searchParams.get('type')).toBe('2');
    const token = page.getByRole('table', { name: '消费最多的令牌' }).getByRole('link', { name: 'prod-web' });
    await token.click();
    await until(page, `location.pathname === '/log' && location.search.includes('token=')`);
    // Twenty calls failed, nineteen of them for this reason.
    await page.goto(failure.pathname + failure.search);
    await page.getByText('1–19，共 19').waitFor();
    expect(await page.getByRole('button', { name: /原因.*上游限流 429/ }).count()).toBe(1);
  });

  test('range and granularity are in the URL', async () => {
    await using stage = await open();
    const { page } = stage;
    await page.getByRole('radiogroup', { name: '时间粒度' }).first().getByText('天').click();
    await until(page, `location.search.includes('by=day')`);
    // The granularity "day" selects seven days, which include the day before.
    await until(page, `document.querySelector('dl')?.innerText.includes('$4.50')`);
    await page.goto('/detail?days=30&by=week');
    await until(page, `document.querySelector('dl')?.innerText.includes('$4.50')`);
    expect(await page.getByRole('link', { name: /的日志，\$/ }).count()).toBeLessThanOrEqual(6);
  });

  test('D24 days of one’s own are in the URL; too many are refused in words', async () => {
    await using at = await open({ language: 'en' });
    const { page } = at;
    await page.getByRole('combobox', { name: 'Time range' }).first().click();
    await page.getByRole('option', { name: 'Custom' }).click();
    const dialog = page.getByRole('dialog');
    const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
    await dialog.getByLabel('From').fill(day(40));
    await dialog.getByText('at most 31 days').waitFor();
    await dialog.getByLabel('From').fill(day(9));
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await page.waitForURL((url) => url.searchParams.get('since') === day(9));
    expect(new URL(page.url()).searchParams.get('until')).toBe(day(0));
    await eventually(
      async () =>
        (await page.getByRole('combobox', { name: 'Time range' }).first().inputValue()).startsWith(
          day(9).slice(5),
        ),
      'the chosen days are named',
    );
  });

  test('the columns of many hours stay inside their panel, and each can be seen', async () => {
    await using stage = await open({ path: '/detail?days=30&by=hour' });
    const { page } = stage;
    const columns = page.locator('[data-model]').first();
    await columns.waitFor({ state: 'attached' });
    const chart = await columns.evaluate((part) => {
      const column = part.parentElement?.parentElement;
      const all = [...(column?.parentElement?.children ?? [])].filter((each) => each.matches('.grow'));
      const whole = column?.parentElement?.getBoundingClientRect();
      const last = all.at(-1)?.getBoundingClientRect();
      return { count: all.length, right: whole?.right ?? 0, last: last?.right ?? 0, width: last?.width ?? 0 };
    });
    expect(chart.count).toBeGreaterThan(700);
    expect(chart.last).toBeLessThanOrEqual(chart.right + 1);
    expect(chart.width).toBeGreaterThan(0.3);
  });

  test('the time before is drawn into the columns on request', async () => {
    // The span ends with the hour in which the page opens; the calls were written for the one in which the tests began.
    const hoursSince = () => Math.floor(Date.now() / 1000 / HOUR) - thisHour / HOUR;
    const earliest = hoursSince();
    await using stage = await open({ path: '/detail?days=1&by=hour' });
    const { page } = stage;
    const marks = page.locator('[data-mark="before"]');
    const button = page.getByRole('button', { name: '对比上期' }).first();
    await button.waitFor();
    expect(await marks.count()).toBe(0);
    await button.click();
    await until(page, `location.search.includes('compare')`);
    await marks.first().waitFor();
    expect(await marks.count()).toBe(24);
    // 30 hours ago is 6 hours before the end of the span before: the column that is 6 from the right has its spend.
    const heights = await Promise.all(
      Array.from({ length: 24 }, (_, index) => marks.nth(index).getAttribute('style')),
    );
    const drawn = heights.flatMap((style, index) => (style?.includes('bottom: 0%') ? [] : [24 - 1 - index]));
    expect(drawn).toHaveLength(1);
    expect([6 + earliest, 6 + hoursSince()]).toContain(drawn[0] ?? 0);
    expect(await button.getAttribute('aria-pressed')).toBe('true');
  });

  test('the default granularity is the one of the installation', async () => {
    await application.settings.set('DataExportDefaultTime', 'week', 1);
    try {
      await using stage = await open();
      await until(stage.page, `document.querySelector('dl')?.innerText.includes('$4.50')`);
    } finally {
      await application.settings.reset('DataExportDefaultTime', 1);
    }
  });

  test('O29 an admin sees all users, one user by name, or only the own figures', async () => {
    await using stage = await open({ as: admin });
    const { page } = stage;
    await page.getByRole('table', { name: '消费最多的用户' }).waitFor();
    const users = (await page.getByRole('table', { name: '消费最多的用户' }).innerText()).replaceAll(
      /\s+/g,
      ' ',
    );
    const plate = page.getByRole('link', { name: /^main：失败较多|^main：正常/ });
    expect(await plate.getAttribute('href')).toBe('/channel/1');
    expect(await plate.innerText()).toContain('main');
    expect(users).toMatch(/bob .*\$10\.00.*alice .*\$3\.00/);
    expect(await words(page, '消费')).toContain('$13.00');
    expect(await words(page, '请求数')).toContain('日均');
    // D28 what is owed to users and the money of the month, not the operator's own balance.
    await page.getByText(/^本月收入/).waitFor();
    expect(await words(page, '用户余额')).toContain('$');
    const field = page.getByRole('textbox', { name: '按用户名筛选' }).first();
    await field.fill('alice');
    await field.press('Enter');
    await until(page, `document.querySelector('dl')?.innerText.includes('$3.00')`);
    await page.getByRole('radiogroup', { name: '范围' }).first().getByText('我的').click();
    await page.getByText('这段时间还没有数据').waitFor();
  });

  test('the rows are exported', async () => {
    await using stage = await open();
    const { page } = stage;
    await page.getByRole('table', { name: '占比' }).waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: '导出 CSV' }).first().click();
    const file = readFileSync(await (await download).path(), 'utf8');
    expect(file.split('\r\n')).toHaveLength(5);
    expect(file).toContain(',gpt-4o,60,1000000,30000,12000,0,90000');
  });

  test('switched off it is not in the menu and the page shows a message', async () => {
    await application.settings.set('DataExportEnabled', 'false', 1);
    try {
      await using stage = await open();
      const { page } = stage;
      await page.getByText('管理员未开启数据看板').waitFor();
      const menu = page.getByRole('navigation', { name: '侧边菜单' });
      expect(await menu.getByRole('link', { name: '数据看板' }).count()).toBe(0);
    } finally {
      await application.settings.reset('DataExportEnabled', 1);
    }
  });
});

describe('its look', () => {
  testLooks.each([
    ['zh', 'light'],
    ['en', 'dark'],
  ] as const)('%s %s has no accessibility violation', async (language, theme) => {
    await using stage = await open({ language, theme, as: admin });
    const { page, problems } = stage;
    await page.getByRole('table').first().waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    if (language === 'en') {
      const text = await page.locator('body').innerText();
      expect(text.replace('中', '')).not.toMatch(/[\u4e00-\u9fff]/);
    }
    await screenshot(page, `dashboard-${language}-${theme}`);
    expect(problems).toEqual([]);
  });

  testLooks('on the phone nothing sticks out', async () => {
    await using stage = await open({ viewport: PHONE });
    const { page } = stage;
    await page.getByRole('table', { name: '占比' }).waitFor();
    expect(await fitsWidth(page)).toBe(true);
    expect(await accessibilityViolations(page)).toEqual([]);
    await screenshot(page, 'dashboard-phone-zh-light');
  });
});
