// Every page of the shell without a single accessibility violation, in both themes and languages, on the desktop and on
// the phone.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { accessibilityViolations, DESKTOP, PHONE, visit } from '#tests/support/browser.ts';

let application: TestApplication;
let user: Actor;

beforeAll(async () => {
  application = await startApplication({
    settings: {
      SMTPServer: '127.0.0.1',
      SMTPFrom: 'gate@example.com',
      EmailVerificationEnabled: 'true',
      Notice: 'A **notice** of the operator.',
    },
  });
  user = await application.actor();
});
afterAll(() => application.close());

const pages = [
  ['/', { zh: 'Base URL', en: 'Base URL' }],
  ['/login?expired=true', { zh: '密码', en: 'Password' }],
  ['/register?aff=AB12', { zh: '确认密码', en: 'Repeat password' }],
  ['/about', { zh: '版本', en: 'Version' }],
  ['/nowhere', { zh: '页面不存在', en: 'This page does not exist' }],
] as const;

// Colours depend on the theme, layout on the width, texts on the language: each value is checked on every page.
for (const [language, theme, viewport] of [
  ['zh', 'light', DESKTOP],
  ['en', 'dark', PHONE],
] as const)
  test(`no violation in ${language}, ${theme}, at ${viewport.width}`, async () => {
    await using at = await visit(application, { language, theme, viewport });
    for (const [path, text] of pages) {
      await at.page.goto(path);
      await at.page.getByText(text[language]).first().waitFor();
      expect(await accessibilityViolations(at.page), path).toEqual([]);
    }
    expect(at.problems).toEqual([]);
  });

for (const theme of ['light', 'dark'] as const)
  test(`no violation in the open menus, the palette and the phone's drawer in ${theme}`, async () => {
    await using at = await visit(application, { as: user, language: 'en', theme });
    await at.page.goto('/token');
    await at.page.getByRole('button', { name: /Account menu/ }).click();
    await at.page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
    expect(await accessibilityViolations(at.page, { floating: true }), 'account menu').toEqual([]);
    await at.page.keyboard.press('Escape');
    await at.page.getByRole('button', { name: 'Columns' }).click();
    await at.page.getByRole('menuitemcheckbox').first().waitFor();
    expect(await accessibilityViolations(at.page, { floating: true }), 'columns').toEqual([]);
    await at.page.keyboard.press('Escape');
    await at.page.keyboard.press('Control+k');
    await at.page.getByRole('textbox', { name: 'Command palette' }).waitFor();
    expect(await accessibilityViolations(at.page, { floating: true }), 'palette').toEqual([]);
  });
