// The frame of an organization's pages: what needs attention is asked for once, the switcher never shows a bare number, the field of tags
// has one ring, and the trail calls people by their names.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { Actor } from '#tests/support/application.ts';
import { visit, type VisitOptions } from '#tests/support/browser.ts';
import type { Organization } from '#tests/integration/admin/organizations/support.ts';
import { openCompany, type Company } from './organizations-support.ts';

setDefaultTimeout(180_000);

let company: Company;
let acme: Organization;
beforeAll(async () => {
  company = await openCompany();
  acme = await company.found('Acme');
});
afterAll(() => company.close());

const WIDE = { viewport: { width: 1440, height: 900 } };
const at = (actor: Actor, options: VisitOptions = {}) =>
  visit(company.application, { as: actor, language: 'en', ...WIDE, ...options });
const switchOf = (page: Page) => page.getByRole('banner').getByRole('button', { name: /^Acting for/ });

/** Also those that the browser began before the console's code was there, and those that it broke off. */
function countAttention(page: Page): { count: number } {
  const asked = { count: 0 };
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === '/api/attention') asked.count += 1;
  });
  return asked;
}

test.each([
  ['the own overview', 'person', '/overview'],
  ['the overview of the site', 'root', '/overview'],
  ['the overview of an organization', 'owner', '/organization'],
  ['an address that leads to the overview of an organization', 'owner', '/overview'],
  ['a list of an organization', 'owner', '/members'],
])('what needs attention is asked for once on %s', async (_what, who, path) => {
  const actor =
    who === 'root' ? company.root : who === 'owner' ? acme.owner : await company.application.actor();
  await using opened = await at(actor);
  const { page } = opened;
  const asked = countAttention(page);
  await page.goto(path + (who === 'owner' ? `?org=${acme.id}` : ''));
  await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
  await page.waitForLoadState('networkidle');
  expect(asked.count).toBe(1);
});

test('the switcher says that an organization of others is not available, also to an administrator of the site', async () => {
  const stranger = await company.application.actor();
  for (const actor of [stranger, company.root]) {
    await using opened = await at(actor);
    const { page } = opened;
    await page.goto(`/token?org=${acme.id}`);
    await page.getByText('This organization is not available').waitFor();
    expect((await switchOf(page).innerText()).replaceAll(/\s+/g, ' ').trim()).toBe(
      'Acting for: Not available',
    );
    expect(await page.getByText(`#${acme.id}`).count()).toBe(0);
  }
});

test('the field of tags has one ring, around the tags', async () => {
  await acme.owner.client.budgets.changeTagKeys({ body: { keys: ['team'] } });
  await using opened = await at(acme.owner);
  const { page } = opened;
  await page.goto(`/budgets?org=${acme.id}`);
  await page.getByRole('button', { name: /^Tags/ }).click();
  const field = page.getByRole('dialog').locator('.mantine-TagsInput-inputField');
  await field.focus();
  await page.keyboard.press('x');
  const rings = await page.evaluate(`(() => {
    const input = document.activeElement;
    return [input, input.closest('.mantine-TagsInput-input')].map((element) => {
      const { boxShadow, outlineStyle } = getComputedStyle(element);
      return boxShadow !== 'none' || outlineStyle !== 'none';
    });
  })()`);
  expect(rings).toEqual([false, true]);
});

test('the trail calls the person that a row is about by name', async () => {
  const mira = await company.application.actor({ username: 'mira' });
  const { id } = await acme.owner.client.invitations.create({ body: { to: mira.username, role: 'member' } });
  await company.application.client(mira).invitations.accept({ body: { id } });
  await acme.owner.client.members.remove({ params: { user_id: mira.id }, body: {} });
  await using opened = await at(acme.owner);
  const { page } = opened;
  await page.goto(`/organization-audit?org=${acme.id}`);
  const row = page.getByRole('main').getByRole('row').filter({ hasText: 'mira' }).first();
  await row.waitFor();
  const text = await page.getByRole('main').innerText();
  expect(text).not.toContain('user ID');
});
