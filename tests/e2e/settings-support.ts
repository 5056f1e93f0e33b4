// The settings page in a real browser: signed in as a user, on a tab, with the texts to look for.
import { expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { ROLE } from '#contract/access.ts';
import type { SettingKey } from '#contract/settings.ts';
import type { Actor, TestApplication } from '#tests/support/application.ts';
import { PATIENCE_MS } from '#tests/support/browser-profiles.ts';
import { visit, type Visit, type VisitOptions } from '#tests/support/browser.ts';
import { startPatience } from '#tests/support/machine.ts';

export const WORDS = {
  zh: { save: '保存更改', review: '检查更改', discard: '放弃' },
  en: { save: 'Save changes', review: 'Review', discard: 'Discard' },
};

export interface SettingsVisit extends Visit {
  /** What the PUTs so far save, in their order. */
  saves: { key: string; value: string }[];
}

export async function settingsPage(
  application: TestApplication,
  as: Actor,
  search: string,
  options: VisitOptions = {},
): Promise<SettingsVisit> {
  await confirmed(application, as, Math.floor(Date.now() / 1000));
  const opened = await visit(application, { as, language: 'zh', ...options });
  const saves: SettingsVisit['saves'] = [];
  opened.page.on('request', (request) => {
    if (request.method() !== 'PUT' || !new URL(request.url()).pathname.startsWith('/api/option')) return;
    const { key, value } = JSON.parse(request.postData() ?? '{}') as { key: string; value: string };
    saves.push({ key, value });
  });
  await opened.page.goto(`/setting${search}`);
  await opened.page.getByRole('tab').first().waitFor();
  return { ...opened, saves };
}

/** Sets the time of the user's last step-up; sensitive options need one within five minutes. */
export async function confirmed(application: TestApplication, { id }: Actor, seconds: number): Promise<void> {
  const { db, changes } = application.store;
  const sessions = await db
    .updateTable('sessions')
    .set({ verified_at: seconds })
    .where('user_id', '=', id)
    .returning('id_digest')
    .execute();
  for (const session of sessions) await changes.announce('sessions', session.id_digest);
}

export const control = (page: Page, key: SettingKey) => page.locator(`#control-${key}`);

/** Clicks the label of the row. */
export const flip = (page: Page, key: SettingKey) =>
  page.locator(`#option-${key} label[for="control-${key}"]`).first().click();

export async function save(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^(保存更改|Save changes)$/ }).click();
}

export async function sees(page: Page, text: string): Promise<void> {
  await page.getByText(text, { exact: true }).first().waitFor();
}

/** Polls the server: the page may answer before the setting is live. */
export async function untilSaved(
  application: TestApplication,
  key: SettingKey,
  expected: unknown,
): Promise<void> {
  const isOver = startPatience(PATIENCE_MS);
  while (!isOver() && !Bun.deepEquals(application.settings.current[key], expected)) await Bun.sleep(20);
  const found: unknown = application.settings.current[key];
  expect(found).toEqual(expected);
}

export async function rootOf(application: TestApplication): Promise<Actor> {
  return await application.actor({ role: ROLE.root });
}
