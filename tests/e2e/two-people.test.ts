// Two people at once in the console: a save shows both values and offers to merge, to keep theirs or to use one's own.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { ROLE } from '#contract/access.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { accessibilityViolations, eventually, visit } from '#tests/support/browser.ts';
import { channelPage, select } from './channels-support.ts';
import { confirmed, control, save, sees, settingsPage, untilSaved } from './settings-support.ts';

let application: TestApplication;
let anna: Actor;
let ben: Actor;
beforeAll(async () => {
  application = await startApplication();
  anna = await application.actor({ role: ROLE.root, username: 'anna' });
  ben = await application.actor({ role: ROLE.root, username: 'ben' });
}, 120_000);
afterAll(() => application.close(), 120_000);

const byBen = (key: string, value: string) => application.client(ben).options.save({ body: { key, value } });
const dialogOf = (page: Page) => page.getByRole('dialog', { name: '他人同时修改了这些内容' });

test('the dialog shows who changed a setting and both values; their value is kept or the own one used (O42)', async () => {
  await application.settings.set('Footer', 'before', anna.id);
  await using stage = await settingsPage(application, anna, '?tab=other');
  const { page } = stage;
  for (const [choice, expected] of [
    ['保留对方的值', 'of ben 1'],
    ['使用你的值', 'of anna 2'],
  ] as const) {
    const round = expected.slice(-1);
    await control(page, 'Footer').fill(`of anna ${round}`);
    await byBen('Footer', `of ben ${round}`);
    await save(page);
    const dialog = dialogOf(page);
    await dialog.getByText('由 ben 修改').waitFor();
    await dialog.getByText(`of ben ${round}`).waitFor();
    await dialog.getByText(`of anna ${round}`).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await dialog.getByLabel(choice).check();
    await dialog.getByRole('button', { name: '按选择保存' }).click();
    await dialog.waitFor({ state: 'detached' });
    await untilSaved(application, 'Footer', expected);
    await sees(page, '没有更改');
    expect(await control(page, 'Footer').inputValue()).toBe(expected);
  }
}, 120_000);

test('a JSON setting is merged by its members: one deleted there, one added here (O42)', async () => {
  await application.settings.set('TopupGroupRatio', '{"a":1,"b":2,"both":1}', anna.id);
  await using stage = await settingsPage(application, anna, '?tab=system&section=payment');
  const { page } = stage;
  await control(page, 'TopupGroupRatio').fill('{"a":1,"b":2,"c":3,"both":7}');
  await confirmed(application, ben, Math.floor(Date.now() / 1000));
  await byBen('TopupGroupRatio', '{"b":5,"both":2}');
  await save(page);
  const dialog = dialogOf(page);
  await dialog.getByText('双方都改了，合并时用你的值').waitFor();
  expect(await dialog.getByLabel('合并双方的修改').isChecked()).toBe(true);
  expect(await accessibilityViolations(page)).toEqual([]);
  // Going back leaves the form as it was; nothing is saved.
  await dialog.getByRole('button', { name: '返回编辑' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(application.settings.current.TopupGroupRatio).toEqual({ b: 5, both: 2 });
  await save(page);
  await dialog.getByRole('button', { name: '按选择保存' }).click();
  await untilSaved(application, 'TopupGroupRatio', { b: 5, c: 3, both: 7 });
}, 120_000);

test('a draft that survived a reload is still based on what it began with (O42)', async () => {
  await application.settings.set('About', 'before', anna.id);
  await using stage = await settingsPage(application, anna, '?tab=other');
  const { page } = stage;
  await control(page, 'About').fill('of anna');
  await byBen('About', 'of ben');
  await page.reload();
  await control(page, 'About').waitFor();
  expect(await control(page, 'About').inputValue()).toBe('of anna');
  await save(page);
  await dialogOf(page).getByText('of ben').waitFor();
  await dialogOf(page).getByRole('button', { name: '返回编辑' }).click();
  expect(application.settings.current.About).toBe('of ben');
}, 120_000);

test('the form of a channel asks about a field that both changed, and keeps one that only the other changed (O42)', async () => {
  await using stage = await channelPage(application, [{ name: 'shared' }], {
    path: ([channel]) => `/channel/edit/${channel?.id}`,
  });
  const { page, channels } = stage;
  const id = channels[0]?.id ?? 0;
  const name = page.getByRole('textbox', { name: /^名称( \*)?$/ });
  await name.fill('of anna');
  const other = { id, name: 'of ben', priority: 9 };
  await application.client(ben).channels.change({ body: other });
  await page.getByRole('button', { name: '保存', exact: true }).click();
  const dialog = dialogOf(page);
  await dialog.getByText('of ben', { exact: true }).waitFor();
  await dialog.getByLabel('使用你的值').check();
  await dialog.getByRole('button', { name: '按选择保存' }).click();
  await page.waitForURL(`**/channel/${id}`);
  const saved = await application.client(ben).channels.read({ params: { id } });
  expect([saved.name, saved.priority]).toEqual(['of anna', 9]);
}, 120_000);

/** Saves the choice of the dialog, which shows both values. */
async function decide(page: Page, shown: readonly string[], choice: string): Promise<void> {
  const dialog = dialogOf(page);
  for (const text of shown) await dialog.getByText(text, { exact: true }).waitFor();
  await dialog.getByText('由 ben 修改').waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  await dialog.getByLabel(choice).check();
  await dialog.getByRole('button', { name: '按选择保存' }).click();
  await dialog.waitFor({ state: 'detached' });
}

const KEEP = '保留对方的值';
const USE = '使用你的值';

test('the rate of an agent: both rates are shown; one is kept or overwritten (O42)', async () => {
  const agent = await application.actor({ username: 'reseller' });
  const agents = application.client(ben).agents;
  const set = (rate_percent: number) =>
    agents.set({ body: { user_id: agent.id, rate_percent, active: true } });
  await set(10);
  await using stage = await visit(application, { as: anna, language: 'zh' });
  const { page } = stage;
  await page.goto('/user?q=reseller');
  const row = page.getByRole('row').filter({ hasText: 'reseller' });
  for (const [choice, theirs, mine, saved] of [
    [KEEP, 20, 30, 20],
    [USE, 40, 50, 50],
  ] as const) {
    await row.getByRole('button', { name: /reseller/ }).click();
    await page.getByRole('menuitem', { name: '修改分红比例' }).click();
    const form = page.getByRole('dialog', { name: 'reseller 的分红比例' });
    await form.getByLabel('分红比例（%）').fill(String(mine));
    await set(theirs);
    await form.getByRole('button', { name: '保存' }).click();
    await decide(page, [String(theirs), String(mine)], choice);
    await form.waitFor({ state: 'detached' });
    await row.getByText(`代理商 ${saved}%`).waitFor();
  }
}, 120_000);

test('a way of notices: both names are shown; one is kept or overwritten (O42)', async () => {
  const ways = application.client(ben).operatorNotices;
  const body = {
    kind: 'webhook' as const,
    language: 'zh' as const,
    events: [],
    is_enabled: true,
    config: { address: `${application.url}/hook`, secret: 'of-the-receiver-0123456789' },
  };
  const way = await ways.createWay({ body: { ...body, name: 'before' } });
  const nameNow = async () => (await ways.ways()).ways.find(({ id }) => id === way.id)?.name;
  await using stage = await visit(application, { as: anna, language: 'zh' });
  const { page } = stage;
  for (const [choice, saved] of [
    [KEEP, 'of ben 1'],
    [USE, 'of anna 2'],
  ] as const) {
    const round = saved.slice(-1);
    await page.goto('/setting?tab=operation&section=notices');
    await page.getByRole('button', { name: `${await nameNow()} 的更多操作` }).click();
    await page.getByRole('menuitem', { name: '编辑' }).click();
    const form = page.getByRole('dialog', { name: 'Webhook' });
    await form.getByLabel('名称').fill(`of anna ${round}`);
    const { config: _config, ...unchanged } = body;
    await ways.changeWay({ params: { id: way.id }, body: { ...unchanged, name: `of ben ${round}` } });
    await form.getByRole('button', { name: '保存' }).click();
    await decide(page, [`of ben ${round}`, `of anna ${round}`], choice);
    await form.waitFor({ state: 'detached' });
    expect(await nameNow()).toBe(saved);
  }
}, 120_000);

test('the tag of selected channels and the priority of a tag: the dialog names the channels; one side is kept or overwritten (O42)', async () => {
  await using stage = await channelPage(application, [{ name: 'left' }, { name: 'right' }]);
  const { page, channels } = stage;
  const ids = channels.map(({ id }) => id);
  const tags = async () => (await stage.stored()).map(({ tag }) => tag);
  for (const [choice, theirs, mine, saved] of [
    [KEEP, 'ben-1', 'anna-1', ['ben-1', 'ben-1']],
    [USE, 'ben-2', 'anna-2', ['anna-2', 'anna-2']],
  ] as const) {
    await select(page, 'left');
    await select(page, 'right');
    await page.getByRole('button', { name: '设置标签' }).click();
    await page.getByRole('dialog').getByRole('textbox', { name: '标签' }).fill(mine);
    await application.client(ben).channels.tagMany({ body: { ids, tag: theirs } });
    await page.getByRole('button', { name: '设置', exact: true }).click();
    await decide(page, [`left: ${theirs}\nright: ${theirs}`, mine], choice);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await eventually(async () => Bun.deepEquals(await tags(), [...saved]), `tags are ${saved.join()}`);
  }
  await page.getByRole('button', { name: '标签聚合' }).click();
  const priority = page.getByRole('textbox', { name: '优先级: anna-2' });
  await priority.fill('8');
  await application.client(ben).channels.change({ body: { id: ids[0] ?? 0, priority: 5 } });
  await priority.press('Enter');
  await page.getByRole('button', { name: '修改', exact: true }).click();
  await decide(page, ['left: 5\nright: 0', '8'], KEEP);
  const priorities = (await stage.stored()).map(({ name, priority: now }) => [name, now]);
  expect(Object.fromEntries(priorities)).toEqual({ left: 5, right: 0 });
}, 120_000);

test('the priority of a row: both numbers are shown; the own one overwrites (O42)', async () => {
  await using stage = await channelPage(application, [{ name: 'ranked', priority: 1 }]);
  const { page, channels } = stage;
  const priority = page.getByRole('textbox', { name: '优先级: ranked' });
  await priority.fill('7');
  const id = channels[0]?.id ?? 0;
  await application.client(ben).channels.change({ body: { id, priority: 5 } });
  await priority.press('Enter');
  await decide(page, ['5', '7'], USE);
  await eventually(async () => (await stage.stored())[0]?.priority === 7, 'the own priority is saved');
  expect(await priority.inputValue()).toBe('7');
}, 120_000);
