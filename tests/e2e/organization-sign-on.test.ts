// Single sign-on in the browser: an owner sets it up, a person signs in by it, with a real provider and a real name server.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { makeOrganization } from '#tests/integration/admin/organizations/support.ts';
import { openSignOn, signInBy, type SignOnScene } from '#tests/integration/admin/sign-on/support.ts';
import { eventually, visit } from '#tests/support/browser.ts';

setDefaultTimeout(240_000);

let scene: SignOnScene;
beforeAll(async () => {
  scene = await openSignOn('sqlite');
});
afterAll(() => scene.close());

test('an owner sets up provider, domain, group and SCIM; a person of the domain signs in and is a member', async () => {
  const { app, idp, names } = scene;
  const { owner, id } = await makeOrganization(app, 'Acme');
  const { redirect_uri } = await owner.client.organizationSignOn.read();
  idp.register({ id: 'console-client', secret: 'console-secret', redirectUri: redirect_uri });

  await using opened = await visit(app, { as: owner, language: 'en' });
  const { page } = opened;
  page.setDefaultTimeout(20_000);
  await page.goto(`/organization-sign-on?org=${id}`);
  await page.getByText(redirect_uri).waitFor();
  await page.getByRole('textbox', { name: 'Issuer' }).fill(`${idp.issuer}/nothing-here`);
  await page.getByRole('textbox', { name: 'Client ID' }).fill('console-client');
  await page.getByLabel('Client secret').first().fill('console-secret');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page
    .getByText(/no usable provider/)
    .first()
    .waitFor();
  await page.getByRole('textbox', { name: 'Issuer' }).fill(idp.issuer);
  await page.getByRole('textbox', { name: 'Claim with the groups' }).fill('groups');
  await page.getByRole('textbox', { name: 'Scopes' }).fill('email profile groups');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('button', { name: 'Remove', exact: true }).waitFor();

  await page.getByRole('textbox', { name: 'Domain' }).fill('acme.example');
  await page.getByRole('button', { name: 'Add a domain' }).click();
  await page.getByText('_tollgate.acme.example').waitFor();
  await page.getByRole('button', { name: 'Verify' }).click();
  await page
    .getByText(/TXT record was not found/)
    .first()
    .waitFor();
  const [domain] = (await owner.client.organizationSignOn.read()).domains;
  names.records.set('_tollgate.acme.example', [domain?.record_value ?? '']);
  await page.getByRole('button', { name: 'Verify' }).click();
  await page.getByText('Verified', { exact: true }).waitFor();

  await page.getByRole('button', { name: 'Add a group' }).click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Watchers');
  await page.getByRole('dialog').getByRole('combobox', { name: 'Role' }).click();
  await page.getByRole('option', { name: 'Viewer' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByText('Viewer · All projects').waitFor();

  await page.getByRole('button', { name: 'New SCIM key' }).click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Entra');
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
  const token = await page.getByText(/^scim-[\w-]{40,}$/).textContent();
  const answer = await fetch(`${app.url}/scim/v2/Users`, {
    headers: { Authorization: `Bearer ${token ?? ''}` },
  });
  expect(answer.status).toBe(200);

  const email = 'ada@acme.example';
  idp.people.set(email, { sub: 'ada', email, email_verified: true, name: 'Ada', groups: ['watchers'] });
  await using visitor = await visit(app, { language: 'en' });
  const theirs = visitor.page;
  await theirs.goto('/login');
  await theirs.getByRole('button', { name: 'Single sign-on' }).click();
  await theirs.getByRole('textbox', { name: 'Work email' }).fill('nobody@unknown.example');
  await theirs.getByRole('button', { name: 'Continue' }).click();
  await theirs.getByText(/No organization uses single sign-on/).waitFor();
  await theirs.getByRole('textbox', { name: 'Work email' }).fill(email);
  await theirs.getByRole('button', { name: 'Continue' }).click();
  await theirs.getByText('Signed in').first().waitFor();
  await eventually(async () => {
    const { items } = await owner.client.members.list({ query: {} });
    return items.some(
      (member) => member.email === email && member.role === 'viewer' && member.source === 'sign_on',
    );
  }, 'Ada is a viewer');
  // The address with the code is no page to go back to.
  expect(new URL(theirs.url()).pathname).not.toContain('/oauth');
  expect(visitor.problems).toEqual([]);
  expect(opened.problems).toEqual([]);
});

test('troubles of the sign-on are listed with the page where they are cured, and the domain says until when it works', async () => {
  const { app, idp, names, root } = scene;
  const acme = await scene.organization('harbor.example');
  const { owner, id } = acme;
  const jobs = app.client(root).jobs;
  const runs = async () => (await jobs.list()).find(({ name }) => name === 'sign-on-check')?.runs ?? 0;
  const before = await runs();
  names.records.delete('_tollgate.harbor.example');
  await app.store.db
    .updateTable('sign_on_domains')
    .set({ read_at: 0 })
    .where('organization_id', '=', id)
    .execute();
  await app.request('/api/jobs/sign-on-check/run', { as: root, body: {} });
  await eventually(async () => (await runs()) > before, 'the check has run');
  const email = 'eve@harbor.example';
  idp.people.set(email, { sub: 'eve', email, email_verified: false, name: 'Eve' });
  expect((await signInBy(scene, email)).code).toBe('sign_on_email_unverified');

  await using opened = await visit(app, {
    as: owner,
    language: 'en',
    viewport: { width: 1440, height: 900 },
  });
  const { page } = opened;
  await page.goto(`/organization?org=${id}`);
  const needs = page.getByRole('region', { name: 'Needs attention' });
  await needs.getByText('1 person cannot sign in with their email address').waitFor();
  await needs.getByText(`${email}; 1 not verified by the provider (email_verified)`).waitFor();
  await needs
    .getByRole('listitem')
    .filter({ hasText: 'The TXT record of harbor.example is gone' })
    .getByRole('link', { name: 'Open sign-on' })
    .click();
  await page.getByText('Record missing', { exact: true }).waitFor();
  await page.getByText(/^The domain works until \d{4}-\d\d-\d\d \d\d:\d\d/).waitFor();
  expect(opened.problems).toEqual([]);
});
