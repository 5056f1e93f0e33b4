// A refusal of the server in the forms of the console: the named field is marked, described and focused; a refusal
// without a field of the form is shown above the buttons.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Locator, Page } from 'playwright-core';
import { ERRORS, errorMessage, type ErrorCode } from '#contract/errors.ts';
import type { Language } from '#contract/language.ts';
import {
  ROOT_PASSWORD,
  startApplication,
  USER_PASSWORD,
  type Actor,
  type TestApplication,
} from '#tests/support/application.ts';
import { accessibilityViolations, DESKTOP, fitsWidth, PHONE, until, visit } from '#tests/support/browser.ts';
import { control, flip, save, settingsPage } from './settings-support.ts';

setDefaultTimeout(120_000);

const GROUPS = '{"default":"default","vip":"vip"}';

let application: TestApplication;
let root: Actor;
beforeAll(async () => {
  application = await startApplication({
    settings: { GroupRatio: '{"default":1,"vip":1}', UserUsableGroups: GROUPS },
  });
  root = await application.login('root', ROOT_PASSWORD);
  await application.createUser({ username: 'taken' });
});
afterAll(() => application.close());

const SCREENS = [
  { language: 'zh', viewport: DESKTOP, at: 'zh on a desktop' },
  { language: 'en', viewport: PHONE, at: 'en on a phone' },
] as const;

/** The field has the focus, is marked as invalid, and its description contains the sentence. */
async function expectRefused(page: Page, field: Locator, sentence: string): Promise<void> {
  await page.getByText(sentence, { exact: true }).first().waitFor();
  await expectFocused(page, field);
  const described = await page.evaluate<string>(
    `(document.activeElement.getAttribute('aria-describedby') ?? '').split(' ')
      .map((id) => document.getElementById(id)?.textContent).join(' ')`,
  );
  expect(described).toContain(sentence);
  expect(await field.getAttribute('aria-invalid')).toBe('true');
  const { y = -1 } = (await field.boundingBox()) ?? {};
  expect(y).toBeGreaterThanOrEqual(0);
  expect(y).toBeLessThan(page.viewportSize()?.height ?? 0);
  expect(await fitsWidth(page)).toBe(true);
}

async function expectFocused(page: Page, field: Locator): Promise<void> {
  const id = await field.getAttribute('id');
  expect(id).toBeTruthy();
  await until(page, `document.activeElement?.id === ${JSON.stringify(id)}`);
}

async function expectNoToast(page: Page): Promise<void> {
  expect(await page.locator('.mantine-Notifications-notification').count()).toBe(0);
}

const sentenceOf = (code: ErrorCode, language: Language, parameters = {}) =>
  errorMessage(code, language, parameters);
const field = (page: Page, ...labels: string[]) =>
  page
    .getByLabel(new RegExp(`^(${labels.join('|')})( \\*)?$`))
    // The list behind the form has a column of the same name.
    .and(page.locator(':not(th)'))
    .first();
const button = (page: Page, ...names: string[]) =>
  page.getByRole('button', { name: new RegExp(`^(${names.join('|')})$`) }).last();

describe.each(SCREENS)('$at', ({ language, viewport }) => {
  test('register: the name that is taken', async () => {
    await using at = await visit(application, { language, viewport });
    const { page } = at;
    await page.goto('/register');
    await field(page, '用户名', 'Username').fill('taken');
    await field(page, '密码', 'Password').fill('zq7Kfmwxpl');
    await field(page, '确认密码', 'Repeat password').fill('zq7Kfmwxpl');
    await button(page, '注册', 'Register').click();
    const name = field(page, '用户名', 'Username');
    await expectRefused(page, name, sentenceOf('username_taken', language));
    await expectNoToast(page);
    expect(await accessibilityViolations(page)).toEqual([]);
    await name.fill('another');
    await page
      .getByText(sentenceOf('username_taken', language), { exact: true })
      .waitFor({ state: 'detached' });
  });

  test('login: wrong credentials belong to no field and show above the button', async () => {
    await using at = await visit(application, { language, viewport });
    const { page } = at;
    await page.goto('/login');
    await field(page, '用户名或邮箱', 'Username or email').fill('taken');
    await field(page, '密码', 'Password').fill('not-the-password');
    const submit = button(page, '登录', 'Sign in');
    await submit.click();
    const notice = page.locator('form').getByRole('alert').getByText(ERRORS.wrong_credentials[language]);
    await notice.waitFor();
    const above = await notice.boundingBox();
    const below = await submit.boundingBox();
    expect((above?.y ?? 0) + (above?.height ?? 0)).toBeLessThanOrEqual(below?.y ?? 0);
    await expectNoToast(page);
    expect(await fitsWidth(page)).toBe(true);
  });

  test('a new user: the name that is taken', async () => {
    await using at = await visit(application, { as: root, language, viewport });
    const { page } = at;
    await page.goto('/user/edit');
    const name = field(page, '用户名', 'Username');
    await name.fill('taken');
    await field(page, '密码', 'Password').fill('zq7Kfmwxpl');
    await button(page, '创建', 'Create').click();
    await expectRefused(page, name, sentenceOf('username_taken', language));
    await expectNoToast(page);
    expect(await accessibilityViolations(page)).toEqual([]);
  });

  test('a new channel: a model name that is too long', async () => {
    await using at = await visit(application, { as: root, language, viewport });
    const { page } = at;
    const model = 'm'.repeat(256);
    await page.goto('/channel/add');
    await field(page, '名称', 'Name').fill('long model');
    await page.getByLabel(/^(密钥|Key)( \*)?$/).fill('sk-long-model-0123456789');
    await field(page, '自定义模型名称，多个用逗号分隔', 'Other models, comma-separated').fill(model);
    await button(page, '填入', 'Add').click();
    await button(page, '创建', 'Create').click();
    const sentence = sentenceOf('channel_model_too_long', language, { model: `${model.slice(0, 40)}…` });
    await page.getByText(sentence, { exact: true }).waitFor();
    const models = page.getByLabel(/^(模型|Models)$/).first();
    await expectFocused(page, models);
    expect(await models.getAttribute('aria-invalid')).toBe('true');
    await expectNoToast(page);
    // The list of models shrinks a moment after the sentence appears.
    await until(page, 'document.documentElement.scrollWidth <= document.documentElement.clientWidth');
  });

  test('a token: a group that was withdrawn while the form was open', async () => {
    const options = application.client(root).options;
    const actor = await application.actor();
    await options.save({ body: { key: 'UserUsableGroups', value: GROUPS } });
    await using at = await visit(application, { as: actor, language, viewport });
    const { page } = at;
    await page.goto('/token?new=1');
    await field(page, '名称', 'Name').fill('for vip');
    const group = page.getByRole('combobox', { name: /^(分组|Group)$/ });
    await group.click();
    await page.getByRole('option', { name: /vip/ }).first().click();
    await options.save({ body: { key: 'UserUsableGroups', value: '{"default":"default"}' } });
    await button(page, '创建', 'Create').click();
    await expectRefused(page, group, sentenceOf('group_not_usable', language, { group: 'vip' }));
    await expectNoToast(page);
  });

  test('the own password: a wrong current one', async () => {
    const actor = await application.actor();
    await using at = await visit(application, { as: actor, language, viewport });
    const { page } = at;
    await page.goto('/setting');
    await button(page, '修改密码', 'Change password').click();
    const dialog = page.getByRole('dialog');
    const current = dialog.getByLabel(/^(原密码|Current password)$/);
    await current.fill(`${USER_PASSWORD}-not`);
    await dialog.getByLabel(/^(新密码|New password)$/).fill('zq7Kfmwxpl');
    await dialog.getByLabel(/^(确认新密码|New password again)$/).fill('zq7Kfmwxpl');
    await dialog.getByRole('button', { name: /^(修改密码|Change password)$/ }).click();
    await expectRefused(page, current, sentenceOf('original_password_wrong', language));
    await expectNoToast(page);
  });

  test('two-factor: a wrong first code', async () => {
    const actor = await application.actor();
    await using at = await visit(application, { as: actor, language, viewport });
    const { page } = at;
    await page.goto('/setting');
    await button(page, '启用两步验证', 'Turn on two-factor').click();
    const code = page.getByRole('dialog').getByRole('textbox');
    await code.fill('000000');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^(确认启用|确认|Confirm|Turn on)$/ })
      .click();
    await expectRefused(page, code, sentenceOf('two_factor_code_wrong', language));
  });

  test('settings: the option a switch needs, on the same tab', async () => {
    await using stage = await settingsPage(application, root, '?tab=system', { language, viewport });
    const { page } = stage;
    await flip(page, 'TelegramOAuthEnabled');
    await save(page);
    const token = control(page, 'TelegramBotToken');
    await page.locator('#option-TelegramBotToken[data-field-error]').waitFor();
    await expectFocused(page, token);
    expect(await token.getAttribute('aria-invalid')).toBe('true');
    expect(await page.locator('#option-TelegramBotToken').innerText()).toContain(
      language === 'zh' ? '请先填写“Telegram Bot Token”' : 'Fill in “Telegram bot token” first',
    );
    expect(await fitsWidth(page)).toBe(true);
  });

  test('an unreachable server shows above the buttons of the form', async () => {
    await using at = await visit(application, { as: root, language, viewport });
    const { page } = at;
    await page.goto('/user/edit');
    await field(page, '用户名', 'Username').fill('offline');
    await field(page, '密码', 'Password').fill('zq7Kfmwxpl');
    await page.route('**/api/user/', (route) => route.abort());
    const create = button(page, '创建', 'Create');
    await create.click();
    const notice = page
      .locator('form')
      .getByRole('alert')
      .getByText(/^(无法连接|Unable to connect)/);
    await notice.waitFor();
    const above = await notice.boundingBox();
    const below = await create.boundingBox();
    expect((above?.y ?? 0) + (above?.height ?? 0)).toBeLessThanOrEqual(below?.y ?? 0);
    expect(await fitsWidth(page)).toBe(true);
  });
});
