// The log page in a browser, as admin and as user, in both languages: badges, filters, rows and what they open.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { ROLE } from '#contract/access.ts';
import { startApplication, type TestApplication } from '#tests/support/application.ts';
import {
  accessibilityViolations,
  eventually,
  fitsWidth,
  PHONE,
  stored,
  until,
} from '#tests/support/browser.ts';
import { eachLook } from '#tests/support/looks.ts';
import {
  callDetails,
  FAILED,
  logPage,
  nowSeconds,
  PLAIN,
  RETRIED,
  TOP_UP,
  writeLogs,
  type Line,
} from './logs-support.ts';

// Real pages and accessibility checks take longer than the default timeout.
setDefaultTimeout(120_000);

let application: TestApplication;
beforeAll(async () => {
  application = await startApplication();
  for (const [id, name] of [
    [7, 'openai-main'],
    [12, 'azure-eastus2'],
    [31, 'openai-backup-b'],
  ] as const)
    await application.store.db
      .insertInto('channels')
      .values({ id, name, tag: null, deleted_at: null })
      .execute();
});
afterAll(() => application.close());

const LINES: readonly Line[] = [PLAIN, RETRIED, FAILED, TOP_UP];

const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });
const head = (page: Page) => page.getByRole('columnheader').allInnerTexts();

/** An administrator sees the rows of all users, so a test filters by one user. */
const own = (username: string) => `/log?user=${username}`;

async function openOwn(page: Page, username: string): Promise<void> {
  await page.goto(own(username));
  await row(page, 'prod-web').first().waitFor();
}

describe('as a user', () => {
  test('REL-2.19 REL-2.146 REL-2.94 REL-2.95 REL-2.96 badges, rows and the menu entry', async () => {
    await using stage = await logPage(application, { lines: LINES, language: 'zh' });
    const { page, problems } = stage;
    await page.getByRole('heading', { level: 1, name: '日志' }).waitFor();
    await row(page, 'prod-web').waitFor();
    const summary = await page.locator('header ul').first().innerText();
    expect(summary.replaceAll(/\s+/g, ' ')).toContain('消费 $0.05');
    expect(summary).toContain('RPM');
    expect(summary).toContain('TPM');
    expect(await page.getByRole('link', { name: '日志' }).first().getAttribute('aria-current')).toBe('page');
    expect(await row(page, 'gpt-5.4-mini').innerText()).toContain('消费');
    expect(await row(page, 'deepseek-v4-pro').innerText()).toContain('错误');
    expect(await row(page, '通过兑换码充值').innerText()).toContain('+$20');
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  test('REL-2.100 REL-2.101 REL-2.102 REL-2.103 REL-2.104 REL-2.105 REL-6.06 nothing of the operator’s is there', async () => {
    await using stage = await logPage(application, { lines: LINES });
    const { page } = stage;
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.reload();
    await row(page, 'prod-web').waitFor();
    expect(asked.filter((path) => path.startsWith('/api/log/')).every((path) => path.includes('/self'))).toBe(
      true,
    );
    const columns = await head(page);
    expect(columns).not.toContain('Channel');
    expect(columns).not.toContain('User');
    expect(await page.getByRole('button', { name: 'User', exact: true }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Channel', exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'Open gpt-5.4', exact: true }).click();
    await page.getByRole('math').waitFor();
    expect(await page.content()).not.toContain('openai-backup-b');
    expect(await page.getByText('azure-eastus2').count()).toBe(0);
    expect(await page.getByRole('button', { name: /^Show user/ }).count()).toBe(0);
  });

  test('REL-2.99 a row opens to its charge as an equation, and closes again', async () => {
    await using stage = await logPage(application, { lines: LINES });
    const { page } = stage;
    await page.getByRole('button', { name: 'Open gpt-5.4', exact: true }).click();
    const equation = (await page.getByRole('math').innerText()).replaceAll(/\s+/g, ' ');
    for (const part of [
      '6,144 × $2.25/M',
      '12,288 × $0.225/M',
      '2,146 × $13.50/M',
      '$0.04556',
      '22,780 quota',
    ])
      expect(equation).toContain(part);
    await page.getByText('These prices include: group vip × 0.9.').waitFor();
    await page.getByText('price of this site', { exact: true }).waitFor();
    // The ratios behind the prices are one switch away, and the choice is kept.
    await page.getByText('Ratios', { exact: true }).click();
    for (const part of ['12,288 × 0.1', '2,146 × 6', '1.25', '0.9', '500k', '$0.04556'])
      await page.getByRole('math').getByText(part, { exact: true }).first().waitFor();
    expect(await page.evaluate(() => localStorage.getItem('charge-ratios'))).toBe('true');
    await page.getByText('Prices', { exact: true }).last().click();
    await page.getByRole('math').getByText('6,144 × $2.25/M').waitFor();
    await page.getByText('64% of this charge is output.').waitFor();
    await page.getByText('The cache saved $0.024883').waitFor();
    expect(page.url()).toContain('open=');
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Close gpt-5.4', exact: true }).click();
    await page.getByRole('math').waitFor({ state: 'detached' });
  });

  test('a failed call shows its cause in plain words', async () => {
    await using stage = await logPage(application, { lines: LINES, language: 'zh' });
    const { page } = stage;
    await page.getByRole('button', { name: '展开 deepseek-v4-pro' }).click();
    await page.getByText('上游限流（429），未扣费。').waitFor();
    await page.getByText('请稍后重试，或降低并发；管理员可增加渠道。').waitFor();
  });

  test('REL-9.10 REL-9.11 REL-9.12 REL-9.13 REL-9.14 REL-9.15 slow numbers have a colour and a clock', async () => {
    const slow = (model: string, seconds: number, first: number): Line => ({
      ...PLAIN,
      model_name: model,
      use_time: seconds,
      other: callDetails({ frt: first }),
    });
    await using stage = await logPage(application, {
      lines: [slow('quick', 100, 2990), slow('slower', 101, 3000), slow('slowest', 300, 10_000)],
    });
    const { page } = stage;
    await row(page, 'slowest').waitFor();
    const tones = async (model: string) =>
      await row(page, model)
        .locator('[data-tone]')
        .evaluateAll((cells) => cells.map((cell) => cell.getAttribute('data-tone')));
    expect(await tones('quick')).toEqual(['green', 'green']);
    expect(await tones('slower')).toEqual(['orange', 'orange']);
    expect(await tones('slowest')).toEqual(['red', 'red']);
    expect(await row(page, 'slower').getByRole('img', { name: '(slow)' }).count()).toBe(2);
    expect(await row(page, 'slowest').getByRole('img', { name: '(very slow)' }).count()).toBe(2);
    expect(await row(page, 'quick').getByRole('img', { name: /slow/ }).count()).toBe(0);
  });

  test('an empty log explains the page', async () => {
    await using stage = await logPage(application, { language: 'zh' });
    await stage.page.getByText('还没有日志').waitFor();
    await stage.page.getByRole('link', { name: '去创建令牌' }).click();
    await stage.page.getByRole('heading', { level: 1, name: '令牌' }).waitFor();
  });

  test('an empty range of a non-empty log shows a message and offers a longer range', async () => {
    const old = { ...PLAIN, model_name: 'weeks-ago', created_at: nowSeconds() - 20 * 86_400 };
    await using stage = await logPage(application, { lines: [old], language: 'zh' });
    const { page } = stage;
    await page.getByText('此时间范围内没有日志', { exact: true }).waitFor();
    await page.getByRole('button', { name: '近 30 天' }).click();
    await row(page, 'weeks-ago').waitFor();
  });

  test('live mode shows rows as they arrive', async () => {
    await using stage = await logPage(application, { lines: [PLAIN] });
    const { page, actor } = stage;
    await row(page, 'gpt-5.4-mini').waitFor();
    await page.getByRole('button', { name: 'Live' }).click();
    expect(await page.getByRole('button', { name: 'Live' }).getAttribute('aria-pressed')).toBe('true');
    await writeLogs(application, actor, [{ ...PLAIN, model_name: 'just-arrived', created_at: nowSeconds() }]);
    await row(page, 'just-arrived').waitFor();
  });
});

describe('filters', () => {
  test('REL-2.97 REL-2.98 type, model, token, group and request id filter, are in the URL and survive a reload', async () => {
    await using stage = await logPage(application, { lines: LINES });
    const { page } = stage;
    await row(page, 'prod-web').waitFor();
    await page.getByRole('button', { name: 'Type' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Error' }).click();
    await row(page, 'prod-web').waitFor({ state: 'detached' });
    expect(page.url()).toContain('type=5');
    expect(await row(page, 'deepseek-v4-pro').count()).toBe(1);
    await page.reload();
    await row(page, 'deepseek-v4-pro').waitFor();
    expect(await row(page, 'prod-web').count()).toBe(0);
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    await row(page, 'prod-web').waitFor();

    await page.getByRole('button', { name: 'Model', exact: true }).click();
    await page.getByRole('checkbox', { name: 'gpt-5.4', exact: true }).click();
    await row(page, 'prod-web').waitFor({ state: 'detached' });
    await page.getByRole('checkbox', { name: 'deepseek-v4-pro' }).click();
    await row(page, 'deepseek-v4-pro').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Clear', exact: true }).click();

    for (const [name, label, typed, found, gone] of [
      ['API key', 'API key name', 'agent-runner', 'agent-runner', 'prod-web'],
      ['Group', 'Group name', 'vip', 'agent-runner', 'prod-web'],
      ['Model', 'Model name, % matches any text', 'deep%', 'deepseek-v4-pro', 'prod-web'],
    ] as const) {
      await row(page, 'prod-web').waitFor();
      await page.getByRole('button', { name, exact: true }).click();
      await page.getByRole('textbox', { name: label }).fill(typed);
      await page.keyboard.press('Enter');
      await row(page, gone).waitFor({ state: 'detached' });
      expect(await row(page, found).count()).toBe(1);
      await page.getByRole('button', { name: 'Clear', exact: true }).click();
    }
    await row(page, 'prod-web').waitFor();
    await page.getByRole('textbox', { name: 'Request ID' }).fill('req_7Hq2mD9xVb41Kt');
    await row(page, 'prod-web').waitFor({ state: 'detached' });
    expect(await row(page, 'agent-runner').count()).toBe(1);
  });

  test('REL-2.106 REL-2.107 REL-9.19 three days back to an hour ahead unless another range is chosen', async () => {
    const old = { ...PLAIN, model_name: 'last-week', created_at: nowSeconds() - 6 * 86_400 };
    await using stage = await logPage(application, { lines: [PLAIN, old] });
    const { page } = stage;
    const [request] = await Promise.all([
      page.waitForRequest((asked) => asked.url().includes('/api/log/self/?')),
      page.reload(),
    ]);
    const asked = new URL(request.url()).searchParams;
    const midnight = new Date();
    midnight.setHours(0, 0, 0, 0);
    midnight.setDate(midnight.getDate() - 3);
    expect(Number(asked.get('start_timestamp'))).toBe(midnight.getTime() / 1000);
    expect(Math.abs(Number(asked.get('end_timestamp')) - nowSeconds() - 3600)).toBeLessThan(60);
    await row(page, 'gpt-5.4-mini').waitFor();
    expect(await row(page, 'last-week').count()).toBe(0);

    await page.getByRole('button', { name: 'Last 3 days' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Last 7 days' }).click();
    await row(page, 'last-week').waitFor();
    await page.getByRole('button', { name: /^Time/ }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Custom…' }).click();
    await page.getByRole('textbox', { name: 'Start' }).fill('2026-13-99 00:00:00');
    await page.getByText('Not a valid time; use yyyy-MM-dd HH:mm:ss').waitFor();
    await page.getByRole('textbox', { name: 'Start' }).fill('2020-01-01 00:00:00');
    await page.getByRole('textbox', { name: 'End' }).fill('2020-01-02 00:00:00');
    await page.getByRole('button', { name: 'Apply' }).click();
    await row(page, 'last-week').waitFor({ state: 'detached' });
    expect(page.url()).toContain('from=');
  });

  test('a bar of the histogram zooms into its time', async () => {
    await using stage = await logPage(application, { lines: LINES });
    const { page } = stage;
    await row(page, 'prod-web').waitFor();
    await page.getByRole('figure', { name: 'Requests and failures over time' }).waitFor();
    await page
      .getByRole('button', { name: /requests: [1-9]\d*, failed: \d+$/ })
      .last()
      .click();
    await page.waitForURL(/from=\d+/);
  });

  test('a filter is saved under a name, chosen again and deleted; some are built in', async () => {
    await using stage = await logPage(application, { lines: [PLAIN, FAILED], language: 'zh' });
    const { page } = stage;
    await page.getByRole('button', { name: '视图' }).click();
    await page.getByRole('button', { name: '今天的错误' }).click();
    await until(page, `location.search.includes('type=5') && location.search.includes('range=today')`);
    await page.getByRole('button', { name: '视图' }).click();
    await page.getByRole('textbox', { name: '为当前筛选命名' }).fill('坏的');
    await page.getByRole('button', { name: '保存' }).click();
    await page.goto('/log');
    await page.getByRole('button', { name: '视图' }).click();
    expect(await accessibilityViolations(page, { floating: true })).toEqual([]);
    await page.getByRole('button', { name: '坏的', exact: true }).click();
    await until(page, `location.search.includes('type=5')`);
    await page.getByRole('button', { name: '视图' }).click();
    await page.getByRole('button', { name: '删除 坏的' }).click();
    expect(await stored(page, 'log-views')).toBe('[]');
  });

  test('“filter like this” takes model, token and type of a row', async () => {
    await using stage = await logPage(application, { lines: LINES });
    const { page } = stage;
    await page.getByRole('button', { name: 'Open gpt-5.4', exact: true }).click();
    await page.getByRole('button', { name: 'Show similar' }).click();
    await row(page, 'prod-web').waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.get('token')).toContain('agent-runner');
  });
});

describe('as an admin', () => {
  test('D21 D22 D23 a failed call says why in the row; channels have names, times two decimals', async () => {
    const brief = { ...PLAIN, other: JSON.stringify({ use_ms: 420 }), use_time: 0 };
    await using stage = await logPage(application, { role: 'admin', lines: [FAILED, brief], path: own });
    const { page } = stage;
    const failed = row(page, 'rate_limit_exceeded');
    await failed.waitFor();
    const reason = failed.getByText('rate_limit_exceeded').last();
    expect(await reason.evaluate((text) => text.scrollWidth <= text.clientWidth + 1)).toBe(true);
    const text = (await failed.innerText()).replaceAll(/\s+/g, ' ');
    expect(text).toContain('azure-eastus2');
    expect(text).not.toContain(' 0 0 ');
    expect((await row(page, 'prod-web').innerText()).replaceAll(/\s+/g, ' ')).toContain('0.42 s');
  });

  test('REL-2.100 REL-2.101 REL-2.102 REL-6.05 channel and user have columns and filters', async () => {
    await using stage = await logPage(application, { role: 'admin', lines: LINES, path: own });
    const { page, actor } = stage;
    await row(page, 'prod-web').first().waitFor();
    expect(await head(page)).toEqual(expect.arrayContaining(['Channel', 'User']));
    expect(await row(page, 'agent-runner').innerText()).toContain('openai-backup-b');
    await page.getByRole('button', { name: 'Channel', exact: true }).click();
    await page.getByRole('checkbox', { name: '#31 openai-backup-b' }).click();
    await row(page, 'prod-web').waitFor({ state: 'detached' });
    expect(await row(page, 'agent-runner').count()).toBe(1);

    // A channel among hundreds is found by its name.
    await page.goto('/log');
    await page.getByRole('button', { name: 'Channel', exact: true }).click();
    await page.getByRole('textbox', { name: 'Channel ID or name' }).fill('BACKUP-b');
    await page.keyboard.press('Enter');
    await page.waitForURL(/channel=31/);

    await page.goto('/log');
    await page.getByRole('button', { name: 'User', exact: true }).click();
    await page.getByRole('textbox', { name: 'Username' }).fill(actor.username);
    await page.keyboard.press('Enter');
    await page.waitForURL(/user=/);
    // The previous rows stay until those of the filter arrive.
    const matches = `[...document.querySelectorAll('tbody tr')].filter((row) => row.innerText.includes('agent-runner'))`;
    await until(page, `${matches}.length === 1`);
  });

  test('O13 a stream that the upstream broke off is marked in the list', async () => {
    const broken = { ...PLAIN, token_name: 'cut-short', other: callDetails({ ending: 'broken' }) };
    const lines = [{ ...PLAIN, token_name: 'whole' }, broken];
    await using stage = await logPage(application, { lines, language: 'zh' });
    await row(stage.page, 'cut-short').getByRole('img', { name: '中途断开' }).waitFor();
    expect(await row(stage.page, 'whole').getByRole('img', { name: '中途断开' }).count()).toBe(0);
  });

  test('REL-2.103 REL-2.104 REL-2.99 O3 O14 the retry path as a waterfall with the upstream’s words, and the channel', async () => {
    await using stage = await logPage(application, { role: 'admin', lines: LINES, path: own });
    const { page } = stage;
    await row(page, 'prod-web').first().waitFor();
    await page.getByRole('button', { name: 'Open gpt-5.4', exact: true }).click();
    const attempts = page.getByRole('list', { name: 'Retry path' }).getByRole('listitem');
    await attempts.first().waitFor();
    await attempts.first().getByRole('link', { name: 'azure-eastus2' }).waitFor();
    const texts = (await attempts.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '));
    expect(texts[0]).toContain('azure-eastus2');
    expect(texts[0]).toContain('Limit 500, used 500');
    expect(texts[1]).toContain('no first byte');
    expect(texts[2]).toContain('openai-backup-b');
    await page.getByText('openai-backup-b', { exact: true }).last().waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Open deepseek-v4-pro' }).click();
    await page.getByText('the only attempt failed').waitFor();
    await page.getByText(/429(: |：)slow down/).waitFor();
  });

  test('REL-2.105 REL-7.37 a username opens the user’s card; one of the same level stays closed', async () => {
    const person = await application.actor({ username: 'cardholder', quota: 1_000_000 });
    await writeLogs(application, person, [PLAIN]);
    const colleague = await application.actor({ username: 'colleague', role: ROLE.admin });
    await writeLogs(application, colleague, [PLAIN]);
    await using stage = await logPage(application, { role: 'admin', path: own('cardholder') });
    const { page } = stage;
    await page.getByRole('button', { name: 'Show user cardholder' }).click();
    const card = page.getByRole('dialog', { name: 'User' });
    await card.getByText('cardholder').first().waitFor();
    await card.getByText('$2.00').waitFor();
    await page.keyboard.press('Escape');
    await openOwn(page, 'colleague');
    await page.getByRole('button', { name: 'Show user colleague' }).click();
    await page.getByText('You cannot view users with your role or a higher one').waitFor();
  });

  test('the export holds the whole filter', async () => {
    await using stage = await logPage(application, { role: 'admin', lines: LINES, path: own });
    const { page } = stage;
    await row(page, 'prod-web').first().waitFor();
    await page.getByRole('button', { name: 'Export' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: /^CSV/ }).click(),
    ]);
    const csv = readFileSync(await download.path(), 'utf8');
    expect(csv.trim().split('\r\n').length).toBe(LINES.length + 1);
    expect(csv).toContain('openai-backup-b');
  });
});

describe('on the phone', () => {
  test.each(eachLook(['zh', 'en'] as const))('%s: cards, and the charge as a receipt', async (language) => {
    await using stage = await logPage(application, { lines: LINES, viewport: PHONE, language });
    const { page, problems } = stage;
    await page.getByRole('button', { name: 'gpt-5.4', exact: true }).click();
    const receipt = page.locator('dl').first();
    await receipt.waitFor();
    const text = (await receipt.innerText()).replaceAll(/\s+/g, ' ');
    expect(text).toContain('6,144 × $2.25/M');
    expect(text).toContain('$0.04556');
    expect(text).toContain(language === 'zh' ? '实扣' : 'Charged');
    expect(await fitsWidth(page)).toBe(true);
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});

describe('what a row can do', () => {
  test('copies its id and a command without a key, and goes on in the playground', async () => {
    await using stage = await logPage(application, { lines: [PLAIN] });
    const { page } = stage;
    await page.getByRole('button', { name: 'Open gpt-5.4-mini' }).click();
    await page.getByRole('button', { name: 'Copy ID' }).click();
    await eventuallyCopied(page, 'req_plain');
    await page.getByRole('button', { name: 'Copy curl' }).click();
    await eventuallyCopied(page, '"model":"gpt-5.4-mini"');
    await page.getByRole('button', { name: 'Open in playground' }).click();
    await page.waitForURL(/\/playground\?model=gpt-5\.4-mini/);
  });

  test('O31 an admin’s phone shows user and channel of a row', async () => {
    await using stage = await logPage(application, {
      role: 'admin',
      lines: LINES,
      viewport: PHONE,
      path: own,
    });
    const { page, actor } = stage;
    await page
      .getByText(new RegExp(`${actor.username} · openai-backup-b`))
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'deepseek-v4-pro', exact: true }).first().click();
    await page.getByRole('link', { name: 'azure-eastus2' }).waitFor();
    await page.getByText(/429(: |：)slow down/).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(await fitsWidth(page)).toBe(true);
  });

  test('the phone’s filters hold the export and the live switch', async () => {
    await using stage = await logPage(application, { lines: [PLAIN], viewport: PHONE, language: 'zh' });
    const { page } = stage;
    await page.getByRole('button', { name: '筛选' }).click();
    const sheet = page.getByRole('dialog', { name: '筛选' });
    await sheet.getByRole('button', { name: '导出' }).waitFor();
    await sheet.getByRole('button', { name: '实时' }).click();
    await page.waitForURL(/live=true/);
  });
});

async function eventuallyCopied(page: Page, text: string): Promise<void> {
  await eventually(
    async () => (await page.evaluate<string>('navigator.clipboard.readText()')).includes(text),
    `copied: ${text}`,
  );
}
