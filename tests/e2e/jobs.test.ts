// The jobs page in a real browser: what ran, a run by hand, the question before one that costs, and who is kept out.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { ROLE } from '#contract/access.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { accessibilityViolations, fitsWidth, PHONE, visit } from '#tests/support/browser.ts';
import { eachLook } from '#tests/support/looks.ts';

setDefaultTimeout(120_000);

let application: TestApplication;
let root: Actor;
beforeAll(async () => {
  application = await startApplication({ nodeId: 'gate-1' });
  root = await application.actor({ role: ROLE.root });
});
afterAll(() => application.close());

const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name }).first();

const WORDS = {
  zh: {
    space: '运营',
    unfold: '节点的更多页面',
    menu: '定时任务',
    rollup: '用量汇总',
    rollupText: '按用户、渠道和模型汇总已结束的小时用量',
    run: '立即运行：用量汇总',
    begun: '“用量汇总”已开始运行',
    ok: '正常',
    every: '10 分钟',
    audit: '账目核对',
    tests: '渠道测试',
    byHand: '仅手动',
    runTests: '立即运行：渠道测试',
    question: '运行“渠道测试”？',
    cost: '上游可能会收费',
    cancel: '取消',
    never: '尚未运行',
  },
  en: {
    space: 'Run',
    unfold: 'More of Nodes',
    menu: 'Jobs',
    rollup: 'Usage sums',
    rollupText: 'Sums finished hours by user, channel and model',
    run: 'Run now: Usage sums',
    begun: 'Usage sums: started',
    ok: 'OK',
    every: '10 min',
    audit: 'Money audit',
    tests: 'Channel tests',
    byHand: 'by hand',
    runTests: 'Run now: Channel tests',
    question: 'Run Channel tests now?',
    cost: 'upstream may charge',
    cancel: 'Cancel',
    never: 'Never ran',
  },
} as const;

for (const language of eachLook(['zh', 'en'] as const)) {
  const words = WORDS[language];

  test(`${language}: the super admin sees each job, runs one now, and is asked before one that costs`, async () => {
    await using at = await visit(application, { as: root, language });
    const { page, problems } = at;
    await page.goto('/token');
    await page.getByRole('link', { name: words.space, exact: true }).click();
    await page.getByRole('button', { name: words.unfold }).click();
    await page.getByRole('link', { name: words.menu }).click();
    const rollup = row(page, words.rollup);
    await rollup.getByText(words.rollupText).waitFor();
    await rollup.getByText(words.every, { exact: true }).waitFor();
    await row(page, words.audit).getByText(words.ok, { exact: true }).waitFor();

    await page.getByRole('button', { name: words.run }).click();
    await page.getByText(words.begun).waitFor();
    await rollup.getByText(words.ok, { exact: true }).waitFor();
    await rollup.click();
    await page.getByText('gate-1', { exact: true }).waitFor();

    const tests = row(page, words.tests);
    await tests.getByText(words.byHand).waitFor();
    await page.getByRole('button', { name: words.runTests }).click();
    const dialog = page.getByRole('dialog', { name: words.question });
    await dialog.getByText(words.cost).waitFor();
    await dialog.getByRole('button', { name: words.cancel }).click();
    await dialog.waitFor({ state: 'detached' });
    await tests.getByText(words.never).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
}

test('a failed job shows its error in the row and in full when it is opened, also on the phone', async () => {
  const error = 'the mail server said no, and then it said a great deal more about the reasons for it';
  const failed = { error, failures: 1, runs: 3, finished_ms: Date.now(), next_run_ms: Date.now() + 600_000 };
  await application.store.db.updateTable('jobs').set(failed).where('name', '=', 'usage-rollup').execute();
  await using desk = await visit(application, { as: root, language: 'en' });
  await desk.page.goto('/jobs');
  await row(desk.page, 'Usage sums').getByText('Failed', { exact: true }).click();
  await desk.page.getByText('One node at a time').waitFor();
  expect(await desk.page.getByText(error).count()).toBe(2);
  expect(desk.page.url()).toContain('open=usage-rollup');
  expect(await accessibilityViolations(desk.page)).toEqual([]);

  await using phone = await visit(application, { as: root, language: 'zh', theme: 'dark', viewport: PHONE });
  await phone.page.goto('/jobs?open=usage-rollup');
  await phone.page.getByText('同一时间只在一个节点上运行').waitFor();
  expect(await fitsWidth(phone.page)).toBe(true);
  expect(await accessibilityViolations(phone.page)).toEqual([]);
});

test('an administrator has no entry in the menu and is refused the page', async () => {
  const admin = await application.actor({ role: ROLE.admin });
  await using at = await visit(application, { as: admin, language: 'en' });
  await at.page.goto('/user');
  await at.page.getByRole('link', { name: 'Users' }).waitFor();
  expect(await at.page.getByRole('link', { name: 'Jobs' }).count()).toBe(0);
  await at.page.goto('/jobs');
  await at.page.getByText('You are not allowed to see this').waitFor();
});
