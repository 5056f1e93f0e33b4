// Cached answers in a browser: the wish of an API key, the mark and the equation of a call in the log, and what was saved on the dashboard.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { unixSeconds } from '#contract/time.ts';
import { startApplication, type TestApplication } from '#tests/support/application.ts';
import { accessibilityViolations, visit } from '#tests/support/browser.ts';
import { callDetails, logPage, PLAIN } from './logs-support.ts';
import { field, ownTokens, tokenPage, WIDE } from './tokens-support.ts';

setDefaultTimeout(120_000);

let application: TestApplication;
beforeAll(async () => {
  application = await startApplication({ settings: { AnswerCache: 'opt_in' } });
});
afterAll(() => application.close());

test('a key is told to cache answers for a time; where the site keeps none there is no such field', async () => {
  await using stage = await tokenPage(application, [], { path: () => '/token?new=1' });
  const { page, actor, problems } = stage;
  await field(page, '名称').fill('evaluations');
  await page.getByRole('heading', { name: '缓存的回答' }).waitFor();
  await page.getByRole('combobox', { name: '相同请求的回答' }).click();
  await page.getByRole('option', { name: '缓存', exact: true }).click();
  await field(page, '缓存多久（秒）').fill('600');
  await page.getByRole('button', { name: '创建', exact: true }).click();
  await page.getByRole('heading', { name: '接入 evaluations' }).waitFor();
  const [token] = await ownTokens(application, actor);
  expect(token).toMatchObject({ answer_cache: 'on', answer_cache_seconds: 600 });
  expect(problems).toEqual([]);
  await application.settings.set('AnswerCache', 'off', 0);
  await page.goto('/token?new=1');
  await field(page, '名称').waitFor();
  expect(await page.getByText('相同请求的回答').count()).toBe(0);
  await application.settings.set('AnswerCache', 'opt_in', 0);
});

test('a call that was answered from memory says so, and its equation adds up', async () => {
  const other = callDetails({
    usage: { input: 1204, output: 318 },
    hit_ratio: 0.1,
    answer_cache: { age: 42, key: 'k', saved: 3132 },
    admin_info: { use_channel: [], attempts: [] },
  });
  // (1204 + 318 × 6) × 1.25 × 0.9 × 0.1
  const line = { ...PLAIN, channel_id: 0, channel_name: '', model_name: 'kept-model', quota: 350, other };
  await using stage = await logPage(application, { lines: [line] });
  const { page, problems } = stage;
  await page.getByRole('button', { name: 'Open kept-model', exact: true }).click();
  await page.getByText('kept 42 s before, $0.006264 saved').waitFor();
  await page.getByText('These prices include: group default × 0.9 · cached answer × 0.1.').waitFor();
  const equation = (await page.getByRole('math').innerText()).replaceAll(/\s+/g, ' ');
  for (const part of ['1,204 × $0.225/M', '318 × $1.35/M', '350 quota']) expect(equation).toContain(part);
  expect(await accessibilityViolations(page)).toEqual([]);
  expect(problems).toEqual([]);
});

test('the dashboard says what cached answers saved', async () => {
  const actor = await application.actor({ quota: 5_000_000 });
  const now = unixSeconds();
  const hour = now - (now % 3600);
  await application.store.db
    .insertInto('usage_hours')
    .values({
      hour,
      user_id: actor.id,
      token_id: 0,
      channel_id: 0,
      model_name: 'kept-model',
      count: 4,
      quota: 1000,
    })
    .execute();
  await application.store.db
    .insertInto('answer_cache_hours')
    .values({ hour, user_id: actor.id, hits: 3, misses: 1, saved: 1_000_000 })
    .execute();
  await using stage = await visit(application, { as: actor, viewport: WIDE, language: 'en' });
  await stage.page.goto('/detail');
  await stage.page.getByText('$2.00 saved by cached answers').waitFor();
  await stage.page.getByText('3 cached answers (75.0%)').waitFor();
  expect(stage.problems).toEqual([]);
});
