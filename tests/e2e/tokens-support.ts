// The token page in a real browser against the real application: users with tokens, and the texts to look for.
import { expect } from 'bun:test';
import type { Page } from 'playwright-core';
import type { TokenView } from '#contract/admin/tokens.ts';
import type { Actor, TestApplication } from '#tests/support/application.ts';
import { visit, type Visit, type VisitOptions } from '#tests/support/browser.ts';

export const WIDE = { width: 1440, height: 900 };

export interface Stage extends Visit {
  actor: Actor;
  tokens: TokenView[];
}

/** A new user with these tokens, on the token page. */
export async function tokenPage(
  application: TestApplication,
  bodies: readonly Record<string, unknown>[] = [],
  options: VisitOptions & { path?: (tokens: TokenView[]) => string } = {},
): Promise<Stage> {
  const actor = await application.actor();
  const tokens: TokenView[] = [];
  for (const body of bodies) {
    const created = await application.client(actor).tokens.create({ body: { name: 'token', ...body } });
    tokens.push(...created);
  }
  const opened = await visit(application, {
    as: actor,
    viewport: WIDE,
    language: 'zh',
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  });
  await opened.page.goto(options.path?.(tokens) ?? '/token');
  await opened.page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
  return { ...opened, actor, tokens };
}

export async function clipboard(page: Page): Promise<string> {
  return await page.evaluate<string>('navigator.clipboard.readText()');
}

export function row(page: Page, name: string) {
  return page.getByRole('row').filter({ hasText: name });
}

/** Opens the ⋯ menu of a token and chooses an entry. */
export async function choose(page: Page, token: string, entry: string): Promise<void> {
  await page.getByRole('button', { name: new RegExp(`^(${token} 的操作|Actions of ${token})$`) }).click();
  await page.getByRole('menuitem', { name: entry, exact: true }).click();
}

/** A text field by its label; a required one has a star. */
export function field(page: Page, label: string) {
  const name = label.replaceAll(/[/()（）]/g, String.raw`\$&`);
  return page.getByRole('textbox', { name: new RegExp(`^${name}( \\*)?$`) });
}

/** Clicks the label around the switch. */
export async function turnOn(page: Page, name: string): Promise<void> {
  const control = page.getByRole('switch', { name });
  await control.locator('xpath=ancestor::label').click();
  expect(await control.isChecked()).toBe(true);
}

export async function sees(page: Page, text: string | RegExp): Promise<void> {
  await page.getByText(text).first().waitFor();
}

export async function ownTokens(application: TestApplication, actor: Actor): Promise<TokenView[]> {
  const { data } = await application.client(actor).tokens.list({ query: { size: 100 } });
  return data;
}
