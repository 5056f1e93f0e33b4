// The audit trail, the admin keys, the reports, the limits of projects and the money of an organization in the console.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { eventually, visit, type VisitOptions } from '#tests/support/browser.ts';
import type { Actor } from '#tests/support/application.ts';
import { MODEL, openCompany, type Company } from './organizations-support.ts';

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

test('the audit page says in words who did what, is filtered by action, and exports', async () => {
  const acme = await company.found('Audited');
  const member = await acme.member('member');
  await acme.owner.client.projects.create({ body: { name: 'Website' } });
  await acme.owner.client.members.changeRole({ params: { user_id: member.id }, body: { role: 'viewer' } });
  const other = await company.found('Elsewhere');
  await other.owner.client.projects.create({ body: { name: 'Not here' } });
  await using opened = await at(acme.owner);
  const { page } = opened;
  await page.goto(`/organization-audit?org=${acme.id}`);
  const rows = page.getByRole('main').getByRole('row');
  await rows.filter({ hasText: 'Project created' }).filter({ hasText: 'Website' }).waitFor();
  const changed = rows.filter({ hasText: 'Role changed' }).first();
  await changed.filter({ hasText: 'Viewer' }).waitFor();
  expect(await rows.filter({ hasText: 'Not here' }).count()).toBe(0);
  await page.goto(`/organization-audit?action=project&org=${acme.id}`);
  await rows.filter({ hasText: 'Project created' }).first().waitFor();
  expect(await rows.filter({ hasText: 'Role changed' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Export' }).click();
  const saved = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'Export CSV' }).click();
  expect((await saved).suggestedFilename()).toBe('audit.csv');
  expect(opened.problems).toEqual([]);
});

test('an admin key is made, shown once, listed with who made it, and revoked', async () => {
  const acme = await company.found('Keyed');
  await using opened = await at(acme.owner);
  const { page } = opened;
  await page.goto(`/admin-keys?org=${acme.id}`);
  await page.getByRole('main').getByRole('button', { name: 'Create admin key' }).first().click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('finops');
  await page.getByRole('dialog').getByRole('button', { name: 'Create admin key' }).click();
  await page.getByText('It will not be shown again').waitFor();
  await page.keyboard.press('Escape');
  const row = page.getByRole('main').getByRole('row').filter({ hasText: 'finops' });
  await row.filter({ hasText: acme.owner.username }).filter({ hasText: 'never used' }).waitFor();
  // The trail calls it by its name, not by its number.
  await page.goto(`/organization-audit?org=${acme.id}`);
  await page.getByRole('cell', { name: 'admin key finops', exact: true }).waitFor();
  await page.goto(`/admin-keys?org=${acme.id}`);
  await row.waitFor();
  await page.getByRole('button', { name: 'Revoke finops' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('Admin key revoked').waitFor();
  expect(await acme.owner.client.adminKeys.list()).toEqual([]);
  // Of the person themselves there is none.
  expect(await acme.owner.own.adminKeys.list()).toEqual([]);
});

test('who spent most is shown by tag too, and what has no tag is named', async () => {
  const acme = await company.found('Reported');
  await acme.owner.client.budgets.changeTagKeys({ body: { keys: ['team'] } });
  const key = await company.keyOf(acme.owner);
  await company.call(`sk-${key.key}`);
  await company.call(`sk-${key.key}`, { 'Tollgate-Tags': 'team=search' });
  await using opened = await at(acme.owner);
  const { page } = opened;
  await page.goto(`/organization?org=${acme.id}`);
  const most = page.getByRole('region', { name: 'Top spenders' });
  await most.getByRole('row').filter({ hasText: acme.owner.username }).waitFor();
  await most.getByText('team', { exact: true }).click();
  await most.getByRole('row').filter({ hasText: 'search' }).filter({ hasText: '50.0%' }).waitFor();
  await most.getByRole('row').filter({ hasText: 'Unassigned' }).filter({ hasText: '50.0%' }).waitFor();
  await page.goto(`/detail?org=${acme.id}`);
  const groups = page.getByRole('table', { name: 'Spend by' });
  await groups.getByRole('row').filter({ hasText: acme.owner.username }).waitFor();
  await page.getByRole('combobox', { name: 'Group by' }).selectOption('tag:team');
  await groups.getByRole('row').filter({ hasText: 'search' }).waitFor();
  await groups.getByRole('row').filter({ hasText: 'Unassigned' }).waitFor();
  // A tag leads to its calls, there and in an opened row.
  await groups.getByRole('link', { name: 'search' }).click();
  await page.waitForURL((url) => url.pathname === '/log' && url.searchParams.get('tag') === 'team=search');
  await page.getByRole('button', { name: `Open ${MODEL}` }).click();
  await page.getByRole('link', { name: 'team=search' }).waitFor();
  await page.getByRole('link', { name: acme.owner.username }).click();
  await page.waitForURL((url) => url.searchParams.get('member') === String(acme.owner.id));
  await page.goto(`/statement?org=${acme.id}`);
  await page.getByText('Usage by tag team').waitFor();
  await page.getByText('Usage by member').waitFor();
  expect(opened.problems).toEqual([]);
});

test('the limits of a project are set in its form', async () => {
  const acme = await company.found('Limited');
  await using opened = await at(acme.owner);
  const { page } = opened;
  await page.goto(`/projects?new=true&org=${acme.id}`);
  await page.getByRole('textbox', { name: /^Name( \*)?$/ }).fill('Batch jobs');
  await page.getByRole('textbox', { name: 'Requests per minute' }).fill('60');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByText('Project created').waitFor();
  const made = (await acme.owner.client.projects.list()).find(({ name }) => name === 'Batch jobs');
  expect(made).toMatchObject({ requests_per_minute: 60, tokens_per_minute: 0 });
});

test('a viewer is offered nothing that the server would refuse', async () => {
  const acme = await company.found('Watched');
  const viewer = await acme.member('viewer');
  await using opened = await at(viewer);
  const { page } = opened;
  for (const [path, shown] of [
    ['token', 'No API keys yet'],
    ['topup', 'No subscriptions yet'],
    ['budgets', 'No budgets yet'],
  ] as const) {
    await page.goto(`/${path}?org=${acme.id}`);
    const main = page.getByRole('main');
    await main.getByText(shown).waitFor();
    const offered = [
      ...(await main
        .getByRole('button', { name: /^(New |Create |Top up$|Redeem$|Move money )/ })
        .allInnerTexts()),
      ...(await main.getByRole('link', { name: 'Buy a plan' }).allInnerTexts()),
    ];
    expect([path, offered]).toEqual([path, []]);
  }
  // The time limit of an invitation matters only while it can be accepted.
  await using owners = await at(acme.owner);
  await owners.page.goto(`/members?view=invitations&org=${acme.id}`);
  const accepted = owners.page.getByRole('row').filter({ hasText: viewer.username });
  await accepted.getByText('Accepted').waitFor();
  await accepted.getByRole('img', { name: 'none' }).waitFor();
  expect(opened.problems).toEqual([]);
});

test('money is moved in at once, asked out by billing and accepted by the owner', async () => {
  const acme = await company.found('Moving');
  const billing = await acme.member('billing', { quota: 5_000_000 });
  await using theirs = await at(billing);
  await theirs.page.goto(`/topup?org=${acme.id}`);
  await theirs.page.getByRole('button', { name: 'Move money in…' }).click();
  await theirs.page.getByRole('dialog').getByRole('textbox').first().fill('4');
  await theirs.page.getByRole('dialog').getByRole('button', { name: 'Move' }).click();
  await theirs.page.getByText('Money moved').waitFor();
  expect((await billing.own.users.self()).quota).toBe(3_000_000);
  const { id } = await billing.client.moves.out({
    body: { amount: 500_000, to_user_id: billing.id, request_id: 'asked-in-test', reason: 'a refund' },
  });
  await using opened = await at(acme.owner);
  const { page } = opened;
  await page.goto(`/topup?org=${acme.id}`);
  await page.getByRole('button', { name: 'Accept' }).click();
  await eventually(
    async () => (await acme.owner.client.moves.list()).find((move) => move.id === id)?.status === 'done',
    'the money is moved',
  );
  await page.getByText(`Moved; accepted by ${acme.owner.username}`).waitFor();
  expect((await billing.own.users.self()).quota).toBe(3_500_000);
});
