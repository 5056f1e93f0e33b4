import { describe, expect, test } from 'bun:test';
import type { OrganizationRole } from '#contract/admin/organization-rights.ts';
import { NAVIGATION, visibleItems, type NavigationContext } from './navigation.ts';
import { bottomItems, menuOf, SPACES, spaceOf, spacesOf, withoutRepeats, type Space } from './spaces.ts';

const OF_AN_ORGANIZATION: readonly string[] = [
  'organization',
  'members',
  'projects',
  'budgets',
  'organizationSetting',
  'organizationSignOn',
  'adminKeys',
  'organizationAudit',
];

const status = {
  enable_data_export: true,
  enable_drawing: true,
  enable_task: true,
  public_docs: true,
  public_models: true,
  public_status: true,
  organizations: false,
  chats: [{ Demo: 'https://chat.example.com/#{key}' }],
  chat_link: '',
};
const USER = 1;
const ADMIN = 10;
const ROOT = 100;
const context = (role: number, more: Partial<NavigationContext> = {}): NavigationContext => ({
  user: { role },
  status,
  ...more,
});
const every = () => true;
const menu = (space: Space, given: NavigationContext) =>
  menuOf(space, visibleItems(given, every), given).map(({ item, holds }) =>
    [item, ...holds].map(({ name }) => name).join(' › '),
  );
const space = (pathname: string, kept: Space, given: NavigationContext) =>
  spaceOf(pathname, kept, visibleItems(given, every), given);

describe('the spaces of the console', () => {
  test('customers have Use alone; people with rights have three', () => {
    expect(spacesOf(context(USER))).toEqual(['use']);
    expect(spacesOf(context(ADMIN))).toEqual(['use', 'run', 'money']);
  });

  test('D5 no space has more than seven entries, and every page of the console is in one of them', () => {
    for (const role of [USER, ADMIN, ROOT])
      for (const isAgent of [false, true]) {
        const given = context(role, { isAgent });
        const listed = new Set<string>();
        for (const each of spacesOf(given)) {
          const entries = menuOf(each, visibleItems(given, every), given);
          expect(entries.length).toBeLessThanOrEqual(7);
          for (const { item, holds } of entries) for (const { name } of [item, ...holds]) listed.add(name);
        }
        const pages = visibleItems(given, every, 'console').map(({ name }) => name);
        expect(pages.filter((name) => !listed.has(name))).toEqual([]);
      }
  });

  test('the menus of a super admin', () => {
    const given = context(ROOT);
    expect(menu('run', given)).toEqual([
      'overview › dashboard',
      'channel',
      'model › virtualModel › shadowCalls',
      'log',
      'user',
      'nodes › jobs › audit › notices › incidents',
      'setting',
    ]);
    expect(menu('money', given)).toEqual([
      'margins',
      'order',
      'prices › rerating',
      'suppliers',
      'plan',
      'redemption',
      'agent',
    ]);
  });

  test('the pages of resellers are in Use for resellers only, the settings of the site in Run for root only', () => {
    expect(menu('use', context(ADMIN))).toContain('wallet › plan');
    expect(menu('use', context(USER, { isAgent: true }))).toContain('wallet › plan › agent');
    expect(menu('run', context(ADMIN))).not.toContain('setting');
  });

  test('what an entry holds takes its place when the entry itself is switched off', () => {
    const off = context(USER, { status: { ...status, enable_task: false } });
    expect(menu('use', off)).toContain('drawing');
  });

  test('an address in two spaces keeps the one that one is in; another leads to the first that has it', () => {
    expect(space('/log', 'use', context(ADMIN))).toBe('use');
    expect(space('/log', 'run', context(ADMIN))).toBe('run');
    expect(space('/channel/edit/4', 'use', context(ADMIN))).toBe('run');
    expect(space('/margins', 'use', context(ADMIN))).toBe('money');
    expect(space('/token', 'money', context(ADMIN))).toBe('use');
    expect(space('/docs', 'money', context(ADMIN))).toBe('money');
    // Rights that are gone leave no space behind.
    expect(space('/log', 'run', context(USER))).toBe('use');
  });

  test('on the phone every page is listed once', () => {
    const given = context(ROOT, { isAgent: true, status: { ...status, organizations: true } });
    const menus = SPACES.map((each) => menuOf(each, visibleItems(given, every), given));
    const names = withoutRepeats(menus)
      .flat()
      .flatMap(({ item, holds }) => [item, ...holds].map(({ name }) => name));
    expect(names.toSorted()).toEqual(
      NAVIGATION.filter(({ place }) => place === 'console')
        .map(({ name }) => name)
        .filter((name) => !OF_AN_ORGANIZATION.includes(name))
        .toSorted(),
    );
  });

  test('an organization has a menu of its own, by the rights of the role, and none of the operator', () => {
    const of = (role: OrganizationRole) => menu('use', context(USER, { organization: { role } }));
    expect(of('owner')).toEqual([
      'organization › dashboard',
      'members',
      'projects',
      'token',
      'log › task › drawing',
      'wallet › plan › budgets',
      'organizationSetting › organizationSignOn › adminKeys › organizationAudit',
    ]);
    expect(of('billing')).not.toContain('token');
    expect(of('member')).toContain('budgets');
    expect(of('viewer')).not.toContain('organizationSetting');
  });

  test('D30 the bottom bar takes at most four, in thumb order, of an operator the operator’s', () => {
    const bottom = (given: NavigationContext) =>
      bottomItems(visibleItems(given, every), given).map(({ name }) => name);
    expect(bottom(context(USER))).toEqual(['token', 'log', 'playground', 'wallet']);
    expect(bottom(context(ADMIN))).toEqual(['overview', 'channel', 'log', 'order']);
  });
});
