// Budgets of an organization in the console: a sheet that is saved at once, and members who ask for more.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { eventually, PHONE, sidewaysRegions, visit, type VisitOptions } from '#tests/support/browser.ts';
import type { Actor } from '#tests/support/application.ts';
import type { Organization } from '#tests/integration/admin/organizations/support.ts';
import { openCompany, type Company } from './organizations-support.ts';

setDefaultTimeout(180_000);

let company: Company;
beforeAll(async () => {
  company = await openCompany();
});
afterAll(() => company.close());

const at = (actor: Actor, options: VisitOptions = {}) =>
  visit(company.application, {
    as: actor,
    language: 'en',
    viewport: { width: 1440, height: 900 },
    ...options,
  });

const budgetsOf = async ({ owner }: Organization) =>
  (await owner.client.budgets.list()).map(({ name, quota, is_hard }) => ({ name, quota, is_hard }));

test('rows are typed, added and removed, and saved together', async () => {
  const acme = await company.found('Sheet');
  const { owner } = acme;
  const project = await owner.client.projects.create({ body: { name: 'Website' } });
  await owner.client.budgets.create({
    body: { name: 'Everything', subject: 'organization', period: 'month', quota: 5_000_000 },
  });
  await owner.client.budgets.create({
    body: { name: 'Old', subject: 'organization', period: 'day', quota: 500_000 },
  });
  const key = await company.keyOf(owner);
  await company.call(`sk-${key.key}`);
  await using opened = await at(owner);
  const { page } = opened;
  await page.goto(`/budgets?org=${acme.id}`);
  const amount = page.getByRole('textbox', { name: 'Amount of Everything' });
  await amount.waitFor();
  expect(await amount.inputValue()).toBe('$10.00');
  await amount.fill('12.5');
  await amount.press('Enter');
  await page.getByRole('combobox', { name: 'At the end of Everything' }).selectOption('soft');
  await page.getByRole('button', { name: 'Remove Old' }).click();
  await page.getByRole('button', { name: 'New budget' }).first().click();
  await page.getByRole('textbox', { name: 'Budget of New budget' }).fill('Website of all');
  await page.getByRole('combobox', { name: 'What Website of all applies to' }).selectOption('project');
  await page.getByRole('status').getByText('3 budgets changed').waitFor();

  // Whose it is was not chosen: nothing is saved.
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Choose whose the budget is').waitFor();
  expect((await budgetsOf(acme)).length).toBe(2);
  await page.getByRole('combobox', { name: 'Which one Website of all applies to' }).click();
  await page.getByRole('option', { name: 'Website', exact: true }).click();
  await page.getByRole('textbox', { name: 'Amount of Website of all' }).fill('3');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Budgets saved').waitFor();
  expect(await budgetsOf(acme)).toEqual([
    { name: 'Everything', quota: 6_250_000, is_hard: false },
    { name: 'Website of all', quota: 1_500_000, is_hard: true },
  ]);
  const [, made] = await owner.client.budgets.list();
  expect([made?.subject, made?.subject_id]).toEqual(['project', project.id]);
  await page.getByRole('meter', { name: 'Spent of Everything' }).waitFor();
  expect(opened.problems).toEqual([]);
});

test('what another person changed meanwhile is shown beside what was typed, and is not overwritten', async () => {
  const acme = await company.found('Together');
  const { owner } = acme;
  const { id } = await owner.client.budgets.create({
    body: { name: 'Shared', subject: 'organization', period: 'month', quota: 500_000 },
  });
  await using opened = await at(owner);
  const { page } = opened;
  await page.goto(`/budgets?org=${acme.id}`);
  const amount = page.getByRole('textbox', { name: 'Amount of Shared' });
  await amount.fill('5');
  await amount.press('Enter');
  await owner.client.budgets.change({ params: { id }, body: { quota: 1_000_000 } });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alert').first().waitFor();
  expect((await budgetsOf(acme))[0]?.quota).toBe(1_000_000);
  await page.getByRole('deletion').filter({ hasText: '$2.00' }).waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Budgets saved').waitFor();
  expect((await budgetsOf(acme))[0]?.quota).toBe(2_500_000);
});

const TABLET = { width: 768, height: 1024 };

test('without room for nine columns a budget is a card: nothing scrolls sideways, nothing covers anything', async () => {
  const acme = await company.found('Cards');
  await acme.owner.client.budgets.create({
    body: { name: 'Everything', subject: 'organization', period: 'month', quota: 5_000_000 },
  });
  for (const viewport of [TABLET, PHONE]) {
    await using opened = await at(acme.owner, { viewport });
    const { page } = opened;
    await page.goto(`/budgets?org=${acme.id}`);
    const row = page.getByRole('row').filter({ has: page.getByLabel('Amount of Everything') });
    await row.waitFor();
    await page.getByRole('button', { name: 'New budget' }).first().click();
    expect(await sidewaysRegions(page)).toEqual([]);
    // The name has its own line, so that the button in its corner covers nothing.
    const name = await row.locator('th').boundingBox();
    const cells = await row.locator('td[data-label]').all();
    const tops = await Promise.all(cells.map(async (cell) => (await cell.boundingBox())?.y ?? 0));
    expect(tops.every((top) => name !== null && top >= name.y + name.height)).toBe(true);
    expect(opened.problems).toEqual([]);
  }
});

test('a member asks for more on the phone, and it is granted with one click', async () => {
  const acme = await company.found('Asking');
  const member = await acme.member('member');
  await acme.owner.client.budgets.create({
    body: { name: 'Team', subject: 'organization', period: 'month', quota: 500_000 },
  });
  await using theirs = await at(member, { viewport: PHONE });
  await theirs.page.goto(`/budgets?org=${acme.id}`);
  await theirs.page.getByText('The budgets that limit your calls.').waitFor();
  await theirs.page.getByRole('button', { name: 'Ask for more of Team' }).click();
  await theirs.page.getByRole('dialog').getByRole('textbox').first().fill('4');
  await theirs.page.getByRole('textbox', { name: 'Reason' }).fill('the evaluation of this week');
  await theirs.page.getByRole('button', { name: 'Ask', exact: true }).click();
  await theirs.page.getByText('Not answered yet').waitFor();

  await using opened = await at(acme.owner);
  const { page } = opened;
  await page.goto(`/budgets?org=${acme.id}`);
  await page.getByText('the evaluation of this week').waitFor();
  await page.getByRole('button', { name: 'Grant $4.00' }).click();
  await page.getByText(`Granted to ${member.username}`).waitFor();
  await eventually(
    async () => (await acme.owner.client.budgets.list())[0]?.extra === 2_000_000,
    'what was granted is on top',
  );
  await theirs.page.reload();
  await theirs.page.getByText('$4.00 granted').waitFor();
  expect(theirs.problems).toEqual([]);
  expect(opened.problems).toEqual([]);
});

test('the tags that are kept are edited, and the end user can have a budget', async () => {
  const acme = await company.found('Tagged');
  await using opened = await at(acme.owner, { language: 'zh' });
  const { page } = opened;
  await page.goto(`/budgets?org=${acme.id}`);
  await page.getByRole('button', { name: '标签', exact: true }).click();
  const names = page.getByRole('dialog').getByRole('combobox', { name: '名称' });
  await names.fill('user');
  await names.press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: '保存' }).click();
  await page.getByText('标签已保存').waitFor();
  await page.getByRole('button', { name: '新建预算' }).first().click();
  await page.getByRole('textbox', { name: '新预算的预算' }).fill('每人');
  await page.getByRole('combobox', { name: '每人的对象' }).selectOption('user');
  await page.getByRole('button', { name: '保存' }).click();
  await page.getByText('预算已保存').waitFor();
  const [made] = await acme.owner.client.budgets.list();
  expect([made?.subject, made?.tag_key, made?.tag_value]).toEqual(['tag', 'user', '']);
});
