// Two people at once in the console: a save shows both values and offers to merge, to keep theirs or to use one's own.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { ROLE } from '#contract/access.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { accessibilityViolations } from '#tests/support/browser.ts';
import { channelPage } from './channels-support.ts';
import { confirmed, control, save, sees, settingsPage, untilSaved } from './settings-support.ts';

let application: TestApplication;
let anna: Actor;
let ben: Actor;
beforeAll(async () => {
  application = await startApplication();
  anna = await application.actor({ role: ROLE.root, username: 'anna' });
  ben = await application.actor({ role: ROLE.root, username: 'ben' });
}, 60_000);
afterAll(() => application.close(), 60_000);

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
}, 60_000);

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
}, 60_000);

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
}, 60_000);

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
  await page.waitForURL('**/channel');
  const saved = await application.client(ben).channels.read({ params: { id } });
  expect([saved.name, saved.priority]).toEqual(['of anna', 9]);
}, 60_000);
