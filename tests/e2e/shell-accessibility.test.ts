// Every page of the shell without a single accessibility violation, in both themes, on the desktop and on the phone.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { accessibilityViolations, DESKTOP, PHONE, visit } from '#tests/support/browser.ts';

let application: TestApplication;
let user: Actor;

beforeAll(async () => {
  application = await startApplication({
    settings: { EmailVerificationEnabled: 'true', Notice: 'A **notice** of the operator.' },
  });
  user = await application.actor();
});
afterAll(() => application.close());

const pages = [
  ['/', 'Base URL'],
  ['/login?expired=true', 'Password'],
  ['/register?aff=AB12', 'Repeat password'],
  ['/about', 'Version'],
  ['/nowhere', 'This page does not exist'],
] as const;

for (const theme of ['light', 'dark'] as const) {
  for (const viewport of [DESKTOP, PHONE]) {
    test(`no violation in ${theme} at ${viewport.width}`, async () => {
      await using at = await visit(application, { language: 'en', theme, viewport });
      for (const [path, text] of pages) {
        await at.page.goto(path);
        await at.page.getByText(text).first().waitFor();
        expect(await accessibilityViolations(at.page), path).toEqual([]);
      }
      expect(at.problems).toEqual([]);
    });
  }

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
}
