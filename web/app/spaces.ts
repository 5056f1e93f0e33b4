/**
 * The three spaces of the console and their menus: Use for everybody, Run and Money for people with rights. An entry may
 * hold others. An address that stands in two spaces keeps the space one is in.
 */
import { isAdmin, isRoot } from '#contract/access.ts';
import { isCurrent, type NavigationContext, type NavigationItem } from './navigation.ts';

export const SPACES = ['use', 'run', 'money'] as const;
export type Space = (typeof SPACES)[number];

type Name = NavigationItem['name'];

/** Entries in order, each with what it holds. Where the first of them is not shown, the next takes its place. */
const MENUS: Record<Space, readonly (readonly Name[])[]> = {
  use: [
    ['overview', 'dashboard'],
    ['playground', 'chat'],
    ['token'],
    ['log'],
    ['task', 'drawing'],
    ['wallet', 'plan', 'agent'],
    ['setting'],
  ],
  run: [
    ['overview', 'dashboard'],
    ['channel'],
    ['model', 'virtualModel', 'shadowCalls'],
    ['log'],
    ['user', 'organizations'],
    ['nodes', 'jobs', 'audit', 'notices', 'incidents'],
    ['setting'],
  ],
  money: [['margins'], ['order'], ['prices', 'rerating'], ['suppliers'], ['plan'], ['redemption'], ['agent']],
};

/** In place of Use while the reader acts for an organization. */
const ORGANIZATION_MENU: readonly (readonly Name[])[] = [
  ['organization', 'dashboard'],
  ['members'],
  ['projects'],
  ['token'],
  ['log', 'task', 'drawing'],
  ['wallet', 'plan', 'budgets'],
  ['organizationSetting', 'organizationSignOn', 'adminKeys', 'organizationAudit'],
];

export interface MenuEntry<Item> {
  item: Item;
  holds: readonly Item[];
}

export function spacesOf({ user }: NavigationContext): readonly Space[] {
  return user !== undefined && isAdmin(user.role) ? SPACES : ['use'];
}

/** What belongs to people with rights, or to resellers, is left out of the space where they are customers. */
function belongs(name: Name, space: Space, { user, isAgent }: NavigationContext): boolean {
  if (name === 'agent') return space === 'money' || isAgent === true;
  if (name === 'setting') return space === 'use' || (user !== undefined && isRoot(user.role));
  return true;
}

/** The menu of a space, made of the entries that this user sees. */
export function menuOf<Item extends Pick<NavigationItem, 'name'>>(
  space: Space,
  items: readonly Item[],
  context: NavigationContext,
): MenuEntry<Item>[] {
  const menu = context.organization === undefined ? MENUS[space] : ORGANIZATION_MENU;
  return menu.flatMap((names) => {
    const shown = names
      .filter((name) => belongs(name, space, context))
      .flatMap((name) => items.filter((item) => item.name === name));
    const [item, ...holds] = shown;
    return item ? [{ item, holds }] : [];
  });
}

/** Menus below each other: what stands in two spaces with the same view is listed once, in the first. */
export function withoutRepeats<Item extends Pick<NavigationItem, 'name'> & { search?: unknown }>(
  menus: readonly (readonly MenuEntry<Item>[])[],
): MenuEntry<Item>[][] {
  const listed = new Set<string>();
  const isNew = ({ name, search }: Item) => {
    const view = `${name} ${JSON.stringify(search ?? {})}`;
    return !listed.has(view) && listed.add(view).has(view);
  };
  return menus.map((menu) =>
    menu.flatMap(({ item, holds }) => {
      const [first, ...rest] = [item, ...holds].filter(isNew);
      return first ? [{ item: first, holds: rest }] : [];
    }),
  );
}

/** The space of an address: the one that one is in, when it is there, else the first that has it. */
export function spaceOf<Item extends Pick<NavigationItem, 'name'> & { path: string }>(
  pathname: string,
  kept: Space,
  items: readonly Item[],
  context: NavigationContext,
): Space {
  const open = spacesOf(context);
  const has = (space: Space) =>
    menuOf(space, items, context).some(({ item, holds }) =>
      [item, ...holds].some((each) => isCurrent(each, pathname)),
    );
  const here = open.includes(kept) ? kept : 'use';
  return has(here) ? here : (open.find(has) ?? here);
}

/** The phone's bottom bar shows the first four of these that are in the menu. */
const BOTTOM_ORDER: readonly string[] = [
  'token',
  'log',
  'playground',
  'wallet',
  'dashboard',
  'setting',
  'home',
  'about',
];
const ORGANIZATION_BOTTOM_ORDER: readonly string[] = ['organization', 'token', 'log', 'members', 'wallet'];
const OPERATOR_BOTTOM_ORDER: readonly string[] = ['overview', 'channel', 'log', 'order', 'user'];

function bottomOrder(context: NavigationContext): readonly string[] {
  if (context.organization !== undefined) return ORGANIZATION_BOTTOM_ORDER;
  return spacesOf(context).length > 1 ? OPERATOR_BOTTOM_ORDER : BOTTOM_ORDER;
}

export function bottomItems<Item extends Pick<NavigationItem, 'name'>>(
  items: readonly Item[],
  context: NavigationContext,
): Item[] {
  const order = bottomOrder(context);
  return order.flatMap((name) => items.filter((item) => item.name === name)).slice(0, 4);
}
