import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import {
  DESKTOP,
  fitsWidth,
  PHONE,
  screenshot,
  visit,
  accessibilityViolations,
} from '#tests/support/browser.ts';
import type { Organization } from '#tests/integration/admin/organizations/support.ts';
import { openCompany, type Company } from './organizations-support.ts';
setDefaultTimeout(600_000);
let company: Company;
let acme: Organization;
beforeAll(async () => {
  company = await openCompany();
  acme = await company.found('Acme Robotics');
  const ada = await acme.member('member', { username: 'ada' });
  await acme.member('billing', { username: 'bill' });
  await acme.member('viewer', { username: 'vera' });
  const robot = await acme.owner.client.serviceAccounts.create({ body: { name: 'nightly-build' } });
  const project = await acme.owner.client.projects.create({
    body: { name: 'Website search', models: 'gpt-4o-mini', allow_ips: '10.0.0.0/8' },
  });
  const keys = [
    await company.keyOf(ada),
    await company.keyOf(acme.owner, {
      name: 'robot-key',
      service_account_id: robot.id,
      project_id: project.id,
    }),
    await company.keyOf(acme.owner),
  ];
  for (const [at, { key }] of keys.entries())
    for (let n = 0; n <= at; n += 1) await company.call(`sk-${key}`);
  const stranger = await company.application.actor({ username: 'newcomer' });
  await acme.owner.client.invitations.create({ body: { to: stranger.username, role: 'admin' } });
  await acme.owner.client.organizations.changeCompany({
    body: { company_name: 'Acme Robotics GmbH', company_address: 'Street 1\nBerlin', tax_id: 'DE123' },
  });
  const other = await company.found('Second');
  await company.application
    .client(company.root)
    .organizationManagement.suspend({ params: { id: other.id }, body: { reason: 'Unpaid bills' } });
});
afterAll(() => company.close());
const only = process.env['SHOTS'];
const LOOKS = [
  ['zh', 'light', DESKTOP],
  ['en', 'dark', DESKTOP],
  ['en', 'light', PHONE],
  ['zh', 'dark', PHONE],
] as const;
test('pictures', async () => {
  const seen: string[] = [];
  for (const [language, theme, viewport] of LOOKS) {
    await using at = await visit(company.application, { as: acme.owner, language, theme, viewport });
    for (const [name, path] of [
      ['overview', '/organization'],
      ['members', '/members'],
      ['invitations', '/members?view=invitations'],
      ['projects', '/projects'],
      ['edit', '/projects?edit=2'],
      ['accounts', '/projects?view=accounts'],
      ['settings', '/organization-settings'],
      ['tokens', '/token'],
      ['token', '/token?new=1'],
      ['logs', '/log'],
      ['dashboard', '/detail'],
      ['wallet', '/topup'],
    ] as const) {
      if (only && !only.split(',').includes(name)) continue;
      await at.page.goto(`${path}${path.includes('?') ? '&' : '?'}org=${acme.id}`);
      await at.page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
      await Bun.sleep(1500);
      await screenshot(at.page, `org-${name}-${language}-${theme}-${viewport.width}`);
      if (!(await fitsWidth(at.page))) seen.push(`${name} ${language} ${viewport.width} overflows`);
      for (const v of await accessibilityViolations(at.page))
        seen.push(`${name} ${language} ${viewport.width} ${v.slice(0, 300)}`);
    }
    if (at.problems.length) seen.push(...at.problems.map((p) => p.slice(0, 300)));
    await using admin = await visit(company.application, { as: company.root, language, theme, viewport });
    if (!only || only.includes('managed')) {
      await admin.page.goto(`/organizations?open=${acme.id}`);
      await admin.page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
      await Bun.sleep(1500);
      await screenshot(admin.page, `org-managed-${language}-${theme}-${viewport.width}`);
      seen.push(...admin.problems);
      for (const v of await accessibilityViolations(admin.page))
        seen.push(`managed ${language} ${viewport.width} ${v.slice(0, 300)}`);
    }
  }
  await Bun.write('/tmp/w/orgweb-seen.txt', seen.join('\n'));
  expect(true).toBe(true);
});
