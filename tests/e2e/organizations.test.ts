// Organizations in the console: the story of one from its creation to its bills, the scope in addresses and per browser, and that
// nothing changes for a person without one.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { eventually, PHONE, stored, visit, type VisitOptions } from '#tests/support/browser.ts';
import type { Actor } from '#tests/support/application.ts';
import { openCompany, type Company } from './organizations-support.ts';

setDefaultTimeout(180_000);

let company: Company;
beforeAll(async () => {
  company = await openCompany();
});
afterAll(() => company.close());

const at = (actor: Actor, options: VisitOptions = {}) =>
  visit(company.application, { as: actor, language: 'en', ...options });
const switchOf = (page: Page) => page.getByRole('banner').getByRole('button', { name: /^Acting for/ });
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
const rows = (page: Page) => page.getByRole('main').getByRole('row');

/** The line above each page of a suspended organization. */
const paused = (page: Page) =>
  page.getByText(/An administrator of this site suspended .* Reason: an unpaid bill$/);

async function actFor(page: Page, name: string): Promise<void> {
  await switchOf(page).click();
  await page.getByRole('menuitemradio', { name }).click();
}

/** Opens the ⋯ menu of a row and chooses an entry. */
async function choose(page: Page, name: string, entry: string): Promise<void> {
  await page.getByRole('button', { name: `Actions of ${name}` }).click();
  await page.getByRole('menuitem', { name: entry, exact: true }).click();
}

test('created, invited to, called with, left and paid for', async () => {
  const { application, root } = company;
  const founder = await application.actor({ username: 'founder', quota: 3_000_000 });
  const guest = await application.actor({ username: 'guest', quota: 2_000_000 });

  await using first = await at(founder);
  const { page } = first;
  await page.goto('/token');
  await page.getByRole('button', { name: 'Account menu: founder' }).click();
  await page.getByRole('menuitem', { name: 'Create an organization' }).click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Lighthouse');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await heading(page, 'Lighthouse');
  const [own] = (await application.client(founder).organizations.mine()).items;
  const id = own?.id ?? 0;
  expect(new URL(page.url()).searchParams.get('org')).toBe(String(id));
  await application.client(root).organizationManagement.adjustBalance({
    params: { id },
    body: { quota_change: 5_000_000, quota_reason: 'first payment' },
  });

  await page.getByRole('link', { name: 'Members' }).click();
  await page.getByRole('button', { name: 'Invite' }).click();
  await page.getByRole('textbox', { name: 'Email or username' }).fill('guest');
  await page.getByRole('dialog').getByRole('button', { name: 'Invite' }).click();
  await page.getByText('guest has been invited').waitFor();

  await using second = await at(guest);
  const theirs = second.page;
  await theirs.goto('/token');
  await switchOf(theirs).click();
  await theirs.getByRole('menuitem', { name: 'Invitations' }).click();
  await theirs.getByText('founder invites you to the organization').waitFor();
  await theirs.getByRole('button', { name: 'Accept' }).click();
  await theirs.getByRole('button', { name: 'Open Lighthouse' }).click();
  await heading(theirs, 'Lighthouse');
  await theirs.getByRole('link', { name: 'API keys' }).first().click();
  await theirs.getByRole('button', { name: 'New API key' }).first().click();
  await theirs.getByRole('textbox', { name: /^Name( \*)?$/ }).fill('shared-key');
  await theirs.getByRole('button', { name: 'Create', exact: true }).click();
  await eventually(
    async () => (await application.client(guest, id).tokens.list({ query: {} })).total === 1,
    'the key is made',
  );
  const [key] = (await application.client(guest, id).tokens.list({ query: {} })).data;
  expect((await application.client(guest).tokens.list({ query: {} })).total).toBe(0);
  const call = () => company.call(`sk-${key?.key ?? ''}`);
  expect(await call()).toBe(200);

  await theirs.goto('/log');
  await rows(theirs).filter({ hasText: 'shared-key' }).first().waitFor();
  await actFor(theirs, 'Personal account');
  await theirs.getByRole('heading', { level: 1, name: 'Logs' }).waitFor();
  await eventually(async () => !theirs.url().includes('org='), 'the address is the personal one');
  await rows(theirs)
    .filter({ hasText: 'guest' })
    .or(theirs.getByText(/No (rows|logs|calls)/))
    .first()
    .waitFor();
  expect(await rows(theirs).filter({ hasText: 'shared-key' }).count()).toBe(0);
  expect((await application.client(guest).users.self()).quota).toBe(2_000_000);

  await page.goto('/members');
  await choose(page, 'guest', 'Remove…');
  await page.getByRole('radio', { name: 'Disable' }).waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByText('guest has been removed').waitFor();
  await eventually(async () => (await call()) === 401, 'the key is refused');

  await page.getByRole('link', { name: 'Wallet' }).click();
  await page.getByText('first payment').waitFor();
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByRole('textbox', { name: 'Company name' }).fill('Lighthouse Ltd');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('definition').filter({ hasText: 'Lighthouse Ltd' }).waitFor();
  expect(first.problems).toEqual([]);
  expect(second.problems).toEqual([]);
});

test('the page of a key offers what the role may do', async () => {
  const acme = await company.found('Roles');
  const member = await acme.member('member');
  const key = await company.keyOf(member, { name: 'theirs' });
  const viewer = await acme.member('viewer');
  const actionsOf = async (who: Actor, awaited: string) => {
    await using opened = await at(who);
    const main = opened.page.getByRole('main');
    await opened.page.goto(`/token/${key.id}?org=${acme.id}`);
    await main.getByRole('definition').filter({ hasText: member.username }).waitFor();
    const action = (name: string) =>
      main
        .getByRole('button', { name, exact: true })
        .or(main.getByRole('link', { name, exact: true }))
        .first();
    await action(awaited).waitFor();
    await main.getByRole('link', { name: 'API keys' }).last().waitFor();
    const names = ['Log', 'Connect', 'Edit'];
    const found = await Promise.all(names.map((name) => action(name).count()));
    return names.filter((_, index) => found[index] !== 0);
  };
  expect(await actionsOf(member, 'Edit')).toEqual(['Log', 'Connect', 'Edit']);
  expect(await actionsOf(viewer, 'Log')).toEqual(['Log']);
  // The key is its member's: those who manage keys change it, but cannot read it.
  expect(await actionsOf(acme.owner, 'Edit')).toEqual(['Log', 'Edit']);
});

test('an invitation is waiting after its register link, the registration and the sign-in', async () => {
  const { application } = company;
  await application.settings.set('SMTPServer', '127.0.0.1', 0);
  await application.settings.set('SMTPFrom', 'gate@example.com', 0);
  const acme = await company.found('Welcoming');
  await acme.owner.client.invitations.create({ body: { to: 'reader@example.com', role: 'member' } });
  const mail = await application.store.db
    .selectFrom('mails')
    .selectAll()
    .where('recipient', '=', 'reader@example.com')
    .executeTakeFirstOrThrow();
  const text = application.store.vault.open(mail.body, `mails:${mail.created_at}:${mail.recipient}`);
  const token = /token=([\w-]+)/.exec(text)?.[1] ?? '';
  await using opened = await visit(application, { language: 'en' });
  const { page } = opened;
  await page.goto(`/invitation?token=${token}`);
  await page.getByRole('link', { name: 'Create an account' }).click();
  await page.getByLabel('Username').fill('reader');
  await page.getByLabel('Password', { exact: true }).fill('zq7Kfmwxpl');
  await page.getByLabel('Repeat password').fill('zq7Kfmwxpl');
  await page.getByRole('button', { name: 'Register', exact: true }).click();
  await page.waitForURL(/\/invitation\?token=/);
  await page.getByRole('button', { name: 'Accept' }).click();
  await page.getByRole('button', { name: 'Open Welcoming' }).waitFor();
});

describe('the scope', () => {
  test('a link of an organization opens there for another member, and is kept in that browser', async () => {
    const acme = await company.found('Acme');
    const member = await acme.member('member');
    await company.keyOf(member, { name: 'mine' });
    await using opened = await at(member);
    const { page } = opened;
    await page.goto(`/token?org=${acme.id}`);
    await rows(page).filter({ hasText: 'mine' }).waitFor();
    await page.goto('/log');
    await eventually(async () => page.url().includes(`org=${acme.id}`), 'the address names the organization');
    expect(await stored(page, 'organization')).toContain(`"id":${acme.id}`);
    // Links have it, so that they can be copied.
    expect(await page.getByRole('link', { name: 'Members' }).getAttribute('href')).toContain(
      `org=${acme.id}`,
    );
  });

  test('a link of an organization shows what needs it, asks for that alone, and counts it in the menu', async () => {
    const acme = await company.found('Needy');
    const admin = await acme.member('admin');
    const key = await company.keyOf(admin, { name: 'spent', unlimited_quota: false, remain_quota: 1 });
    await company.application.store.db
      .updateTable('tokens')
      .set({ remain_quota: 0, used_quota: 1 })
      .where('id', '=', key.id)
      .execute();
    await acme.owner.client.organizations.offerOwnership({
      body: { user_id: admin.id, then_role: 'admin' },
    });
    await using opened = await at(acme.owner, { viewport: { width: 1440, height: 900 } });
    const { page } = opened;
    const asked: (string | undefined)[] = [];
    page.on('request', (request) => {
      if (new URL(request.url()).pathname === '/api/attention')
        asked.push(request.headers()['tollgate-organization']);
    });
    await page.goto(`/overview?org=${acme.id}`);
    const needs = page.getByRole('region', { name: 'Needs attention' });
    await needs.getByText('1 API key has used up its quota').waitFor({ timeout: 30_000 });
    await needs.getByText('The transfer of ownership has not been accepted yet').waitFor();
    const menu = page.getByRole('navigation', { name: 'Side menu' });
    const counted = menu.getByRole('link', { name: /^API keys/ }).getByText('1 item needs your attention');
    await counted.waitFor({ state: 'attached' });
    expect(new Set(asked)).toEqual(new Set([String(acme.id)]));

    await needs
      .getByRole('button', { name: 'Hide until it changes: 1 API key has used up its quota' })
      .click();
    await needs.getByText('1 item is hidden until it changes').waitFor();
    await counted.waitFor({ state: 'detached' });
    await needs.getByRole('button', { name: 'Show', exact: true }).click();
    await needs.getByRole('button', { name: 'Show again: 1 API key has used up its quota' }).click();
    await counted.waitFor({ state: 'attached' });
    await needs.getByRole('link', { name: 'Raise limit' }).click();
    await rows(page).filter({ hasText: 'spent' }).waitFor();
    expect(new URL(page.url()).searchParams.get('status')).toBe('4');
    expect(opened.problems).toEqual([]);
    // Who was offered it answers.
    await using theirs = await at(admin);
    await theirs.page.goto(`/organization?org=${acme.id}`);
    const offered = theirs.page.getByRole('region', { name: 'Needs attention' }).getByRole('listitem');
    await offered
      .filter({ hasText: `${acme.owner.username} wants to transfer ownership to you` })
      .getByRole('link', { name: 'Decide' })
      .click();
    await theirs.page.getByText('wants to transfer ownership to you:').waitFor();
  });

  test('without the organization in the address nothing is asked for in vain', async () => {
    const acme = await company.found('Kept');
    await using opened = await at(acme.owner);
    const { page } = opened;
    await page.goto(`/organization?org=${acme.id}`);
    await heading(page, 'Kept');
    const asked: (string | undefined)[] = [];
    page.on('request', (request) => {
      if (new URL(request.url()).pathname === '/api/attention')
        asked.push(request.headers()['tollgate-organization']);
    });
    await page.goto('/members');
    await heading(page, 'Members');
    await eventually(async () => asked.length > 0, 'the list is asked for');
    expect(new Set(asked)).toEqual(new Set([String(acme.id)]));
  });

  test('an organization of others cannot be opened, and leads back to the own account', async () => {
    const acme = await company.found('Closed');
    const stranger = await company.application.actor();
    await using opened = await at(stranger);
    const { page } = opened;
    await page.goto(`/token?org=${acme.id}`);
    await page.getByText('This organization is not available').waitFor();
    await page.getByRole('main').getByRole('button', { name: 'Personal account' }).click();
    await page.getByText('No API keys yet').waitFor();
    expect(page.url()).not.toContain('org=');
  });

  test('a switch asks about a form that is not saved', async () => {
    const acme = await company.found('Drafts');
    await using opened = await at(acme.owner, { viewport: { width: 1440, height: 900 } });
    const { page } = opened;
    await page.goto(`/token?new=1&org=${acme.id}`);
    await page.getByRole('textbox', { name: /^Name( \*)?$/ }).fill('half written');
    await actFor(page, 'Personal account');
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await eventually(async () => !page.url().includes('org='), 'the personal account is open');
    await page.goto('/token?new=1');
    const name = page.getByRole('textbox', { name: /^Name( \*)?$/ });
    await name.waitFor();
    expect(await name.inputValue()).toBe('');
  });

  test('an administrator acts for it as its role says, and has their own pages back after', async () => {
    const acme = await company.found('Staffed');
    const { root, application } = company;
    const { id } = await acme.owner.client.invitations.create({
      body: { to: root.username, role: 'member' },
    });
    await application.client(root).invitations.accept({ body: { id } });
    await using opened = await at(root);
    const { page } = opened;
    await page.goto(`/log?org=${acme.id}`);
    await heading(page, 'Logs');
    expect(await page.getByRole('group', { name: 'Console' }).count()).toBe(0);
    expect(await page.getByRole('columnheader', { name: 'Channel' }).count()).toBe(0);
    await page.goto('/organizations');
    await heading(page, 'Organizations');
    await page.getByRole('group', { name: 'Console' }).waitFor();
    await choose(page, 'Staffed', 'Suspend…');
    await page.getByRole('textbox', { name: 'Reason' }).fill('an unpaid bill');
    await page.getByRole('button', { name: 'Suspend', exact: true }).click();
    await page.getByText('Staffed is suspended').waitFor();
    await using member = await at(acme.owner);
    await member.page.goto(`/members?org=${acme.id}`);
    await paused(member.page).waitFor();
    // Every page says so, and a change is refused with the reason.
    const pages = ['organization', 'projects', 'budgets', 'token', 'log', 'topup', 'organization-sign-on'];
    for (const path of [
      ...pages,
      'organization-settings',
      'organization-audit',
      'admin-keys',
      'task',
      'detail',
    ]) {
      await member.page.goto(`/${path}?org=${acme.id}`);
      await paused(member.page).waitFor();
    }
    // Once on a page, also on the overview, whose list of needs would say it again.
    await member.page.goto(`/organization?org=${acme.id}`);
    await member.page.getByText('No calls yet.').first().waitFor();
    expect(await member.page.getByRole('main').getByText('an unpaid bill').count()).toBe(1);
    // The line takes its height from the page: the foot of a list stays in view.
    await member.page.goto(`/token?org=${acme.id}`);
    const foot = await member.page.getByRole('main').locator('footer').first().boundingBox();
    expect((foot?.y ?? Infinity) + (foot?.height ?? 0)).toBeLessThanOrEqual(
      member.page.viewportSize()?.height ?? 0,
    );
    // What would be refused is not offered.
    for (const [path, shown] of [
      ['token', 'No API keys yet'],
      ['members', 'Owner'],
      ['projects', 'default'],
      ['budgets', 'No budgets yet'],
      ['topup', 'Balance transfers'],
    ] as const) {
      await member.page.goto(`/${path}?org=${acme.id}`);
      await member.page.getByRole('main').getByText(shown).first().waitFor();
      const offered = member.page.getByRole('main').getByRole('button', {
        name: /^(New |Create |Invite$|Top up$|Redeem$|Move money )/,
      });
      expect([path, await offered.allInnerTexts()]).toEqual([path, []]);
    }
    await member.page.goto(`/organization-settings?org=${acme.id}`);
    await member.page.getByRole('textbox', { name: /^Name( \*)?$/ }).fill('late');
    await member.page.getByRole('button', { name: 'Save', exact: true }).first().click();
    await member.page.getByText('(an unpaid bill): it can be viewed, but not changed').first().waitFor();
  });
});

test('nothing changes for a person without an organization', async () => {
  const { application } = company;
  const person = await application.actor({ username: 'alone' });
  await application.client(person).tokens.create({ body: { name: 'alpha', unlimited_quota: true } });
  const looks = async () => {
    await using opened = await at(person);
    const { page } = opened;
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.headers()['tollgate-organization'] ?? ''));
    await page.goto('/token');
    await rows(page).filter({ hasText: 'alpha' }).waitFor();
    await page.getByRole('button', { name: 'Account menu: alone' }).waitFor();
    // The part of the menu that is loaded last.
    await page.getByText('ChatGPT Next Web').first().waitFor({ state: 'attached' });
    const markup = (selector: string) =>
      page.evaluate<string[]>(
        `[...document.querySelectorAll(${JSON.stringify(`${selector} *`)})]
          .map((each) => each.tagName + ' ' + (each.children.length === 0 ? each.textContent : ''))`,
      );
    return {
      top: await markup('header'),
      menu: await markup('nav[aria-label="Side menu"]'),
      heads: await rows(page).first().innerText(),
      asked: asked.filter((name) => name !== ''),
    };
  };
  const on = await looks();
  const root = application.client(company.root);
  const turn = (value: string) => root.options.save({ body: { key: 'OrganizationsEnabled', value } });
  await turn('false');
  const off = await looks();
  await turn('true');
  expect(on).toEqual(off);
  expect(on.asked).toEqual([]);
});

test('on the phone the switch is in the menu, and the organization in the top bar', async () => {
  const acme = await company.found('Pocket');
  await using opened = await at(acme.owner, { viewport: PHONE });
  const { page } = opened;
  await page.goto('/token');
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page
    .getByRole('dialog', { name: 'Menu' })
    .getByRole('button', { name: /^Acting for/ })
    .click();
  await page.getByRole('menuitemradio', { name: 'Pocket' }).click();
  await eventually(async () => page.url().includes('org='), 'the organization is open');
  await page.getByRole('banner').getByRole('button', { name: 'Acting for: Pocket' }).waitFor();
  expect(opened.problems).toEqual([]);
});
