// The pages of organizations in both languages, both themes, on a phone and a laptop: nothing overflows, nothing is inaccessible.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { accessibilityViolations, DESKTOP, fitsWidth, PHONE, until, visit } from '#tests/support/browser.ts';
import type { Organization } from '#tests/integration/admin/organizations/support.ts';
import { openCompany, type Company } from './organizations-support.ts';

setDefaultTimeout(240_000);

let company: Company;
let acme: Organization;
beforeAll(async () => {
  company = await openCompany();
  acme = await company.found('Acme Robotics');
  const { client } = acme.owner;
  const member = await acme.member('member');
  const robot = await client.serviceAccounts.create({ body: { name: 'nightly-build' } });
  await client.projects.create({ body: { name: 'Website search', models: 'gpt-4o-mini' } });
  await client.budgets.changeTagKeys({ body: { keys: ['user'] } });
  const all = { name: 'Everything', subject: 'organization', period: 'month', quota: 5_000_000 } as const;
  const { id: budget } = await client.budgets.create({ body: all });
  await client.budgets.create({
    body: { name: 'Each user', subject: 'tag', tag_key: 'user', period: 'day', quota: 50_000 },
  });
  await member.client.budgets.ask({ params: { id: budget }, body: { amount: 500_000, reason: 'a big job' } });
  const key = await company.keyOf(member);
  await company.keyOf(acme.owner, { name: 'robot-key', service_account_id: robot.id });
  await company.call(`sk-${key.key}`);
  const guest = await company.application.actor();
  await client.invitations.create({ body: { to: guest.username, role: 'admin' } });
});
afterAll(() => company.close());

const PAGES = [
  '/organization',
  '/members',
  '/members?view=invitations',
  '/projects',
  '/projects?view=accounts',
  '/budgets',
  '/organization-settings',
  '/organization-sign-on',
  '/organization-audit',
  '/admin-keys',
  '/token',
  '/log',
  '/topup',
];

for (const [language, theme, viewport] of [
  ['zh', 'dark', PHONE],
  ['en', 'light', DESKTOP],
] as const)
  test(`${language}, ${theme}, ${viewport.width} pixels`, async () => {
    const found: string[] = [];
    for (const [as, paths] of [
      [acme.owner, PAGES],
      [company.root, ['/organizations']],
    ] as const) {
      await using opened = await visit(company.application, { as, language, theme, viewport });
      const { page } = opened;
      for (const path of paths) {
        const scope = as === acme.owner ? `${path.includes('?') ? '&' : '?'}org=${acme.id}` : '';
        await page.goto(path + scope);
        await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
        await until(page, `document.querySelector('[aria-busy="true"]') === null`);
        if (!(await fitsWidth(page))) found.push(`${path} overflows`);
        found.push(...(await accessibilityViolations(page)).map((violation) => `${path} ${violation}`));
      }
      found.push(...opened.problems);
    }
    expect(found).toEqual([]);
  });
