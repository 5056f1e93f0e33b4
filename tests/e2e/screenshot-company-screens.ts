// The screens of organizations for the screenshots, as each role sees them. `{name}` in a path is one of the company's words.
import type { Page } from 'playwright-core';
import type { CompanyPeople } from './screenshot-people.ts';
import type { Screen } from './screenshot-screen.ts';

const TALL = 1500;
const main = (page: Page) => page.getByRole('main');

/** Clicks, then waits for the dialog. */
const dialog =
  (name: RegExp): Screen['prepare'] =>
  async (page) => {
    await main(page).getByRole('button', { name }).first().click();
    await page.getByRole('dialog').waitFor();
  };

/** The ⋯ menu of a row, and the dialog of one of its entries. */
const rowMenu =
  (row: string, entry?: RegExp): Screen['prepare'] =>
  async (page) => {
    await main(page)
      .getByRole('button', { name: new RegExp(`^(${row} 的操作|Actions of ${row})$`) })
      .first()
      .click();
    if (entry === undefined) return;
    await page.getByRole('menuitem', { name: entry }).click();
    await page.getByRole('dialog').waitFor();
  };

async function switchScope(page: Page, width: number): Promise<void> {
  const isPhone = width < 768;
  if (isPhone) await page.getByRole('button', { name: /^(更多|More)$/ }).click();
  await page
    .getByRole(isPhone ? 'dialog' : 'banner')
    .getByRole('button', { name: /^(当前身份|Acting for)/ })
    .click();
  await page.getByRole('menuitemradio').first().waitFor();
}

async function openRow(page: Page, width: number): Promise<void> {
  if (width < 768) await main(page).getByRole('list').getByRole('button').first().click();
  else await main(page).locator('tbody tr').first().locator('td').nth(1).click();
}

async function openBell(page: Page): Promise<void> {
  await page
    .getByRole('button', { name: /需要你处理|件事需要处理|needs? your attention|公告|Announcements/ })
    .first()
    .click();
  await page.getByRole('dialog').waitFor();
}

async function showTagValues(page: Page): Promise<void> {
  await main(page)
    .getByRole('button', { name: /^(Every environment的各个值|Values of Every environment)$/ })
    .click();
}

async function typeBudget(page: Page): Promise<void> {
  await page
    .getByRole('button', { name: /^(新建预算|New budget)$/ })
    .first()
    .click();
}

type Draft = Omit<Screen, 'company' | 'as' | 'path' | 'name'>;

/** A page of the sample organization. */
const screen = (as: keyof CompanyPeople, name: string, path: string, more: Draft = {}): Screen => ({
  name: `org-${as}-${name}`,
  path: `${path}${path.includes('?') ? '&' : '?'}org={org}`,
  company: as,
  ...more,
});

const OWNER: Screen[] = [
  screen('owner', 'overview', '/organization'),
  screen('owner', 'overview-whole', '/organization', { height: TALL }),
  screen('owner', 'members', '/members'),
  screen('owner', 'members-menu', '/members', { floating: true, prepare: rowMenu('tomas') }),
  screen('owner', 'members-remove', '/members', {
    floating: true,
    prepare: rowMenu('tomas', /^(移除…|Remove…)$/),
  }),
  screen('owner', 'invite', '/members?invite=true', {
    floating: true,
    prepare: (page) => page.getByRole('dialog').waitFor(),
  }),
  screen('owner', 'invitations', '/members?view=invitations'),
  screen('owner', 'projects', '/projects'),
  screen('owner', 'project', '/projects?edit={project}'),
  screen('owner', 'project-new', '/projects?new=true'),
  screen('owner', 'accounts', '/projects?view=accounts'),
  screen('owner', 'tokens', '/token'),
  screen('owner', 'token-new', '/token?new=1', { height: TALL }),
  screen('owner', 'token', '/token/{token}', { height: TALL }),
  screen('owner', 'budgets', '/budgets'),
  screen('owner', 'budgets-new', '/budgets', { prepare: typeBudget }),
  screen('owner', 'budgets-values', '/budgets', { prepare: showTagValues, floating: true }),
  screen('owner', 'budgets-tags', '/budgets', { floating: true, prepare: dialog(/^(标签|Tags)$/) }),
  screen('owner', 'wallet', '/topup', { height: TALL }),
  screen('owner', 'move-in', '/topup', { floating: true, prepare: dialog(/^(转入…|Move money in…)$/) }),
  screen('owner', 'move-out', '/topup', { floating: true, prepare: dialog(/^(转出…|Move money out…)$/) }),
  screen('owner', 'company', '/topup', {
    height: TALL,
    prepare: async (page) => {
      await main(page)
        .getByRole('button', { name: /^(修改|Edit)$/ })
        .first()
        .click();
    },
  }),
  screen('owner', 'receipt', '/receipt?order={order}', { height: 1100 }),
  screen('owner', 'plans', '/plan'),
  screen('owner', 'statement', '/statement', { height: 1900 }),
  screen('owner', 'dashboard', '/detail?days=30&by=day', { height: 2100 }),
  screen('owner', 'log', '/log'),
  screen('owner', 'log-open', '/log?type=2', { height: 1100, prepare: openRow }),
  screen('owner', 'tasks', '/task'),
  screen('owner', 'audit', '/organization-audit'),
  screen('owner', 'audit-open', '/organization-audit', { prepare: openRow, height: 1000 }),
  screen('owner', 'admin-keys', '/admin-keys'),
  screen('owner', 'sign-on', '/organization-sign-on', { height: 2000 }),
  screen('owner', 'settings', '/organization-settings'),
  screen('owner', 'notices', '/notices'),
  screen('owner', 'bell', '/token', { floating: true, prepare: openBell }),
  screen('owner', 'scope', '/token', { floating: true, prepare: switchScope }),
  screen('owner', 'elsewhere', '/setting'),
  screen('owner', 'new', '/token', {
    floating: true,
    prepare: async (page, width) => {
      await switchScope(page, width);
      await page.getByRole('menuitem', { name: /^(创建组织|Create an organization)$/ }).click();
      // On the phone the menu is a dialog too.
      await page.getByRole('dialog', { name: /^(创建组织|Create an organization)$/ }).waitFor();
    },
  }),
];

const OTHERS: Screen[] = [
  screen('billing', 'overview', '/organization'),
  screen('billing', 'wallet', '/topup', { height: TALL }),
  screen('member', 'overview', '/organization', { height: 1100 }),
  screen('member', 'members', '/members'),
  screen('member', 'projects', '/projects'),
  screen('member', 'tokens', '/token'),
  screen('member', 'token', '/token/{ownToken}', { height: TALL }),
  screen('member', 'budgets', '/budgets'),
  screen('member', 'budgets-ask', '/budgets', {
    floating: true,
    prepare: dialog(/^(申请提高预算 Tomas|Ask to raise the budget Tomas)$/),
  }),
  screen('member', 'log', '/log'),
  screen('viewer', 'overview', '/organization'),
  screen('viewer', 'members', '/members'),
  screen('viewer', 'tokens', '/token'),
  screen('viewer', 'budgets', '/budgets'),
  screen('viewer', 'wallet', '/topup', { height: TALL }),
];

const OUTSIDE: Screen[] = [
  { name: 'org-invited', path: '/invitation', company: 'guest' },
  { name: 'org-invited-link', path: '/invitation?token={invitation}', company: 'guest' },
  { name: 'org-invited-visitor', path: '/invitation?token={invitation}', company: 'visitor' },
  {
    name: 'org-invited-gone',
    path: '/invitation?token=not-a-link-of-an-invitation',
    company: 'visitor',
    refused: true,
  },
  { name: 'org-none', path: '/invitation', company: 'viewer' },
  {
    name: 'org-sign-in',
    path: '/login',
    company: 'visitor',
    floating: true,
    prepare: async (page) => {
      await page.getByRole('button', { name: /^(单点登录|Single sign-on)$/ }).click();
    },
  },
  { name: 'org-suspended', path: '/organization?org={suspended}', company: 'suspended' },
  { name: 'org-suspended-tokens', path: '/token?org={suspended}', company: 'suspended' },
  {
    name: 'org-not-ours',
    path: '/token?org={suspended}',
    company: 'member',
    refused: true,
  },
  { name: 'org-list', path: '/organizations', company: 'root' },
  { name: 'org-list-open', path: '/organizations?open={org}', company: 'root', height: 1100 },
  {
    name: 'org-list-menu',
    path: '/organizations',
    company: 'root',
    floating: true,
    prepare: rowMenu('Paper Boat Studio'),
  },
  {
    name: 'org-list-suspend',
    path: '/organizations',
    company: 'root',
    floating: true,
    prepare: rowMenu('Paper Boat Studio', /^(停用…|Suspend…)$/),
  },
  {
    name: 'org-list-balance',
    path: '/organizations',
    company: 'root',
    floating: true,
    prepare: rowMenu('Paper Boat Studio', /^(调整余额…|Adjust the balance…)$/),
  },
];

export const COMPANY_SCREENS: readonly Screen[] = [...OWNER, ...OTHERS, ...OUTSIDE];
